"""Expanded: the nodes of a graph as TensorFlow 1 lists them, for programs that look at them.

Branches and loops are primitives there, and lists are arrays. What runs is the graph itself.
"""

from __future__ import annotations

from typing import TypeAlias

from tensorlite.core.dtypes import variant
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Role
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.sweeps import sweeps_of
from tensorlite.interop.tensorflow.rewinding.rebuilding import REBUILT, has_flow
from tensorlite.interop.tensorflow.writers.asserting import is_guarded
from tensorlite.interop.tensorflow.writers.primitives import as_primitives
from tensorlite.ops.random.stateful_draws import generators

_EXPANDED, _ORIGINAL = "expanded", "original"
"""Under what a graph keeps its expansion, and that the graph."""
_REGIONS = (Role.IF, Role.WHILE)
Output: TypeAlias = tuple[Node, int]
"""A node, and which of its outputs."""


class Expanded:
    """A graph as it is written, which is made when it is first asked for, and as it has grown."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.made = graph, as_primitives(graph)
        self.state = _state(graph)
        """Which tells whether the graph has changed."""
        if self.made is not graph:
            self.made.kept[_ORIGINAL] = graph
        hidden = generators(self.made)
        self.nodes = [node for node in self.made.nodes if node not in hidden]
        self.by_name = {node.name: node for node in self.made.nodes}
        self._own: dict[Node, Node] = {}
        self._results: dict[Output, Output] = {}
        """For each result of a branch or loop that is used what it is written as."""
        inner = self._pair_gradients()
        for node in graph.nodes:
            made = self.by_name.get(node.name)
            if made is not None and (node not in inner or _is_alike(node, made)):
                (self._pair_region if is_region(node) else self._pair)(node, made)
        self._own_results = {listed: x for x, listed in self._results.items()}

    def _pair_gradients(self) -> set[Node]:
        """Note what gradients taken anew are; return the nodes that were made for them."""
        pairs = self.made.kept.get(REBUILT)
        if pairs is None:
            return set()
        for x, y in pairs:
            self._results[_output(x)] = _output(y)
            if len(x.node.outputs) == len(y.node.outputs) == 1:
                self._own[y.node] = x.node
        return {node for one in sweeps_of(self.graph) for node in one.nodes}

    def _pair(self, node: Node, made: Node) -> None:
        """Note that a node is written as another."""
        self._own[made] = node
        if made.op.role is not node.op.role:
            if _is_end(node):
                self._results[_output(node.inputs[0])] = made, 0
            return
        for x, y in zip(node.inputs, made.inputs, strict=False):
            if is_region(x.node):
                self._results[_output(x)] = _output(y)

    def _pair_region(self, node: Node, made: Node) -> None:
        """Note that the results of a branch or loop are written as a node of its name."""
        for x, y in zip(node.outputs, made.outputs, strict=False):
            self._results.setdefault(_output(x), _output(y))

    @staticmethod
    def of(graph: Graph) -> Expanded:
        """Return a graph's expansion, the same until the graph changes.

        >>> from tensorlite.graph_mode.graph import Graph
        >>> with Graph().as_default() as graph:
        ...     x = tl.cond(tl.placeholder(tl.bool, ()), lambda: 1.0, lambda: 2.0)
        >>> "Merge" in [node.op.name for node in Expanded.of(graph).nodes]
        True
        """
        with graph.lock:
            known = graph.kept.get(_EXPANDED)
            if isinstance(known, Expanded) and known.state == _state(graph):
                return known
            made = graph.kept[_EXPANDED] = Expanded(graph)
            return made

    def own(self, node: Node) -> Node:
        """Return the graph's node that is written as this one; itself if none is."""
        return self._own.get(node, node)

    def own_tensor(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return the graph's tensor that is written as this one; itself if none is."""
        node, index = self.own(x.node), x.index
        if node is x.node:
            node, index = self._own_results.get(_output(x), _output(x))
        return node.outputs[index] if index < len(node.outputs) else x

    def listed_tensor(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what the result of a branch or loop is written as; itself if nothing uses it."""
        node, index = self._results.get(_output(x), _output(x))
        return node.outputs[index]


def _is_alike(node: Node, made: Node) -> bool:
    """Return whether two nodes compute one thing, as far as their names tell."""
    names = [[x.name for x in one.inputs] for one in (node, made)]
    return node.op == made.op and names[0] == names[1]


def _output(x: SymbolicTensor) -> Output:
    return x.node, x.index


def _state(graph: Graph) -> tuple[int, int]:
    return len(graph.nodes), graph.renamed


def is_region(node: Node) -> bool:
    """Return whether a node branches or loops by inner graphs, which TensorFlow 1's never do."""
    return node.op.role in _REGIONS


def is_rebuilt(node: Node) -> bool:
    """Return whether a node was made for gradients that are written anew."""
    graph = node.graph
    if not isinstance(graph, Graph):
        return False
    made = [one for one in sweeps_of(graph) if node in one.nodes]
    return bool(made) and has_flow(graph)


def as_listed(node: Node) -> Node:
    """Return what a node of a graph is written as, if it is another operator there.

    That are those at the end of a branch or loop, lists and checks. Others are what they are: what
    computes with their inputs does so in the graph.
    """
    if not isinstance(node.graph, Graph):
        return node
    if is_rebuilt(node) and len(node.outputs) == 1:
        return Expanded.of(node.graph).listed_tensor(node.outputs[0]).node
    is_other = is_region(node) or _is_end(node) or _is_list(node) or is_guarded(node)
    if not is_other:
        return node
    return Expanded.of(node.graph).by_name.get(node.name, node)


def tensor_as_listed(x: SymbolicTensor) -> SymbolicTensor:
    """Return what a tensor of a graph is written as, if that is the result of a branch or loop."""
    if not isinstance(x.node.graph, Graph):
        return x
    if not is_region(x.node) and not is_rebuilt(x.node):
        return x
    return Expanded.of(x.node.graph).listed_tensor(x)


def _is_end(node: Node) -> bool:
    return len(node.inputs) == 1 and is_region(node.inputs[0].node)


def _is_list(node: Node) -> bool:
    return any(x.dtype is variant for x in (*node.inputs, *node.outputs))


def consumers_listed(x: SymbolicTensor) -> list[Node]:
    """Return the nodes that take a tensor: as they are written, where a branch or loop does."""
    found = _consumers(x)
    if any(map(is_region, found)) and isinstance(x.node.graph, Graph):
        made = Expanded.of(x.node.graph).by_name.get(x.node.name)
        return found if made is None else _consumers(made.outputs[x.index])
    return found


def _consumers(x: SymbolicTensor) -> list[Node]:
    return [node for node in x.node.graph.nodes if any(y is x for y in node.inputs)]


def check_runs(node: Node) -> None:
    """Raise InvalidArgumentError for a node that only the list of a graph's nodes has."""
    if original(node) is not None:
        raise InvalidArgumentError(
            f"{node.name} is within a branch or a loop, whose tensors can be neither fetched, fed "
            "nor computed with outside of it; return what you want of it from there"
        )


def original(node: Node) -> Graph | None:
    """Return the graph of whose expansion alone a node is; None for one that runs."""
    found = node.graph.kept.get(_ORIGINAL)
    return found if isinstance(found, Graph) else None
