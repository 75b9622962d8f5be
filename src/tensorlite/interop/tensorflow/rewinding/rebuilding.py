"""rebuilt: a graph of primitives in which gradients that a program asked for are taken anew.

What a program built is written as primitives without its gradients; these are taken of that, as
TensorFlow 1 takes them, so that there are its nodes, under its names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dtypes import variant
from tensorlite.core.op import Gradient, Role
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.graph import Node, Placeholder, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.sweeps import Sweep, copied, sweeps_of
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    CLOSED,
    NotRewoundError,
)
from tensorlite.interop.tensorflow.rewinding.sweeping import Rewinding
from tensorlite.interop.tensorflow.writers.arraying import Lone
from tensorlite.interop.tensorflow.writers.nesting import contexts_of
from tensorlite.interop.tensorflow.writing import to_graphdef
from tensorlite.ops.control.region_gradients import ORIGINALS

REBUILT = "rebuilt"
"""Under what a rebuilt graph keeps the gradients of the first one, each with what it is here."""


def has_flow(graph: ManualGraph) -> bool:
    """Return whether gradients of branches, loops or arrays were asked for in a graph."""
    sweeps = sweeps_of(graph)
    return any(_is_written_anew(node) for one in sweeps for node in one.nodes) or (
        bool(sweeps) and any(map(_is_closed, graph.nodes))
    )


def _is_closed(node: Node) -> bool:
    """Return whether a node is a loop that no gradients flow through: its turns are counted."""
    is_loop = node.op.role is Role.WHILE
    return is_loop and not node.op.attributes().get("back_prop", True)


def _is_written_anew(node: Node) -> bool:
    is_region = node.op.role in (Role.IF, Role.WHILE)
    return is_region or any(x.dtype is variant for x in node.inputs)


def rebuilt(graph: Graph, written: Callable[[ManualGraph], ManualGraph]) -> Graph:
    """Return a graph as primitives, gradients among them; NotRewoundError where they stay."""
    if any(_OWN_GRADIENT in x for x in graph.kept.get(_ATTRIBUTES, {}).values()):
        raise NotRewoundError("a node has a gradient of the program's own")
    without = _Without(graph)
    base = written(without.made)
    if any(node.op.name in _OF_PROGRAMS for node in base.nodes):
        raise NotRewoundError("a gradient is a program's function")
    return _Again(graph, without, base).made


_ATTRIBUTES, _OWN_GRADIENT = "attributes", "_gradient_op_type"
"""Under what a graph keeps what programs say of nodes, and what of that names a gradient."""
_OF_PROGRAMS = {"CustomGradient", "PartitionedCall", "Recompute", "EagerPyFunc"}
"""What has gradients that are called, not written."""


class _Without:
    """A graph without what was made for gradients, whose results are inputs instead."""

    def __init__(self, graph: Graph) -> None:
        self.made = Lone(graph.name)
        self.made.as_called = True
        self.sweeps = sweeps_of(graph)
        self.holes: dict[str, tuple[int, int, int]] = {}
        """Which part of which result of which sweep an input stands for, by its name."""
        self._tensors: dict[int, SymbolicTensor] = {}
        self._nodes: dict[Node, Node] = {}
        self._originals = graph.kept.get(ORIGINALS, {})
        self._taken = {node for one in self.sweeps for node in one.nodes}
        self.results = {
            id(part): (i, k, p)
            for i, one in enumerate(self.sweeps)
            for k, x in enumerate(one.found)
            for p, part in enumerate(parts_of(x))
        }
        if any(node.op.role is Role.MERGE for node in graph.nodes):
            raise NotRewoundError("a graph is of primitives already")
        for node in graph.nodes:
            if node not in self._taken:
                self._put(node)
        self.made.effects = [
            self._nodes[x] for x in graph.effects if x in self._nodes
        ]

    def _put(self, node: Node) -> None:
        op, given, _ = self._originals.get(node, (node.op, len(node.inputs), 0))
        inputs = [self._input(x) for x in node.inputs[:given]]
        if any(x in self._taken for x in node.control):
            raise NotRewoundError(f"{node.name} waits for a gradient")
        control = tuple([self._nodes[x] for x in node.control])
        made = self.made.append(op, inputs, node.name, control)
        made.device, made.group, made.line = node.device, node.group, node.line
        for old, new in zip(node.outputs, made.outputs, strict=False):
            new.respecify(old.spec)
            self._tensors[id(old)] = new
        self._nodes[node] = made

    def _input(self, x: SymbolicTensor) -> SymbolicTensor:
        if id(x) not in self._tensors:
            place = self.results.get(id(x))
            if place is None:
                raise NotRewoundError(
                    f"{x.name} is inside of what a gradient is made of"
                )
            name = f"hole/{len(self.holes)}"
            hole = self.made.append(Placeholder(x.spec.without_value()), (), name)
            self.holes[name] = place
            self._tensors[id(x)] = hole.outputs[0]
        return self._tensors[id(x)]


def parts_of(x: Gradient) -> list[Tensor]:
    """Return the tensors of a gradient."""
    if isinstance(x, IndexedSlices):
        parts = [x.values, x.indices, x.dense_shape]
        return [part for part in parts if isinstance(part, Tensor)]
    return [] if x is None else [x]


class _Again:
    """The graph in which gradients are taken anew."""

    def __init__(self, graph: Graph, without: _Without, base: ManualGraph) -> None:
        self.made: Graph = type(graph)()
        self.made.kept[CLOSED] = base.kept.get(CLOSED, set())
        self.without = without
        self._tensors: dict[SymbolicTensor, SymbolicTensor] = {}
        self._nodes: dict[Node, Node] = {}
        self._open: list[tuple[Node, int, SymbolicTensor]] = []
        self._found: dict[int, list[Gradient]] = {}
        holes = without.holes
        self.made.reserve([x.name for x in base.nodes if x.name not in holes])
        self._contexts = contexts_of(to_graphdef(base))
        number = self._numbers(base)
        for k in range(len(without.sweeps) + 1):
            if k:
                self._found[k - 1] = self._swept(without.sweeps[k - 1])
            for node in base.nodes:
                if number[node] == k:
                    (self._fill if node.name in holes else self._put)(node)
            self._close()
        self.made.effects = [self._nodes[x] for x in base.effects if x in self._nodes]
        self.made.kept[REBUILT] = [
            (old, new)
            for i, one in enumerate(without.sweeps)
            for x, y in zip(one.found, self._found[i], strict=True)
            for old, new in zip(parts_of(x), parts_of(y), strict=True)
        ]

    def _numbers(self, base: ManualGraph) -> dict[Node, int]:
        """Return for each node behind how many sweeps it comes, which give what it hangs on."""
        holes = self.without.holes
        found = {x: holes[x.name][0] + 1 for x in base.nodes if x.name in holes}
        grown = True
        while grown:  # more than once where loops lead back
            grown = False
            for node in base.nodes:
                before = [*[x.node for x in node.inputs], *node.control]
                last = max([found.get(x, 0) for x in before], default=0)
                if last > found.setdefault(node, 0):
                    found[node], grown = last, True
        return found

    def _put(self, node: Node) -> None:
        inputs = []
        for x in node.inputs:
            first = next(y for y in node.inputs if y in self._tensors)
            inputs.append(self._tensors.get(x, self._tensors[first]))
        control = tuple([self._nodes[x] for x in node.control if x in self._nodes])
        made = self.made.append(node.op, inputs, node.name, control)
        made.device, made.group, made.line = node.device, node.group, node.line
        for i, x in enumerate(node.inputs):
            if x not in self._tensors:
                self._open.append((made, i, x))
        for old, new in zip(node.outputs, made.outputs, strict=True):
            new.respecify(old.spec)
            self._tensors[old] = new
        self._nodes[node] = made

    def _close(self) -> None:
        for node, i, x in self._open:
            node.set_input(i, self._tensors[x])
        self._open.clear()

    def _fill(self, hole: Node) -> None:
        self._tensors[hole.outputs[0]] = self._part(*self.without.holes[hole.name])

    def _part(self, sweep: int, result: int, part: int) -> SymbolicTensor:
        """Return what a part of a gradient of the program's graph is here."""
        found = parts_of(self._found[sweep][result])[part]
        assert isinstance(found, SymbolicTensor)
        return found

    def _swept(self, one: Sweep) -> list[Gradient]:
        self._known = {node.name: node for node in self.made.nodes}
        flows = [None if dy is None else self._here(dy) for dy in one.flows]
        self.made.scopes = copied(one.scopes)
        rewinding = Rewinding(self.made, one.scope, self._contexts)
        sources = [self._here(x) for x in one.sources]
        with self.made.as_default():
            found = rewinding.gradients(
                [self._here(y) for y in one.targets],
                flows,
                sources,
                [self._here(x) for x in one.stops],
            )
        for i, (x, old) in enumerate(zip(sources, one.found, strict=True)):
            if found[i] is None and isinstance(old, Tensor) and x.dtype is old.dtype:
                found[i] = rewinding.unmoved(x)
        for old, new in zip(one.found, found, strict=True):
            if len(parts_of(old)) != len(parts_of(new)):
                raise NotRewoundError("gradients are of another kind")
        return found

    def _here(self, x: Any) -> SymbolicTensor:
        """Return what a tensor of the program's graph is here."""
        if not isinstance(x, SymbolicTensor):
            raise NotRewoundError(f"{x!r} is no tensor of a graph")
        place = self.without.results.get(id(x))
        if place is not None and place[0] in self._found:
            return self._part(*place)
        name = x.node.name  # the tensor's own asks for what is being made here
        if x.node.op.role in (Role.IF, Role.WHILE):
            raise NotRewoundError(f"{name} has no name of its own")
        known = self._known.get(name)
        if known is None:
            raise NotRewoundError(f"{name} is of another gradient")
        return known.outputs[x.index]
