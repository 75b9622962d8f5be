"""extract: the part of a graph that some fetches need when some tensors are fed, as a graph.

What is fed becomes its inputs, what is fetched its outputs and effects. Sessions compile that; they
stand in session.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect, Role
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.resource import ReadVariableOp
from tensorlite.ops.state import Variable
from tensorlite.passes.rewrite import Copy

Fetch: TypeAlias = SymbolicTensor | Node | Variable


class Extract(NamedTuple):
    """A part of a graph: first the inputs that are fed, then those that stand for captures."""

    graph: Graph
    captured: list[Tensor]
    """Tensors from outside of the graph, such as variables' handles."""


def extract(
    graph: ManualGraph, feeds: Sequence[SymbolicTensor], fetches: Sequence[Fetch]
) -> Extract:
    """Return what must run for `fetches`: outputs for tensors and variables, effects for nodes.

    InvalidArgumentError for a placeholder that is needed and not fed.
    """
    return _Extraction(graph, feeds, fetches).result()


class _Extraction:
    """The copying of a part of a graph."""

    def __init__(
        self,
        graph: ManualGraph,
        feeds: Sequence[SymbolicTensor],
        fetches: Sequence[Fetch],
    ) -> None:
        self.graph = graph
        self.feeds = feeds
        self.fetches = fetches
        self.fed = {id(x) for x in feeds}
        self.wanted = {x for x in fetches if isinstance(x, Node)}
        self.outside = graph.captured
        self.captured: list[Tensor] = []
        self.copy = Copy(Graph(graph.name))

    def result(self) -> Extract:
        """Return the part, and what it captures."""
        needed = self._needed()
        for x in self.feeds:
            self._input(x)
        for x, outer in self.outside.items():
            if x.node in needed and id(x) not in self.fed:
                self._input(x)
                self.captured.append(outer)
        inputs = [(x, self.copy.tensors[id(x)]) for x in self.feeds]
        run = [node for node in self.graph.nodes if node in needed]
        for node in run:
            if node.op.role is not Role.INPUT:
                self.copy.node(node)
                for x, given in inputs:
                    if x.node is node:
                        self.copy.bind(x, given)
        ends = Graph(self.graph.name)
        ends.effects = [node for node in run if self._is_end(node)]
        outputs = [x for x in self.fetches if isinstance(x, SymbolicTensor)]
        made = self.copy.finish(ends, outputs)
        read = iter(made.outputs)
        made.outputs = [
            self._read(x) if isinstance(x, Variable) else next(read)
            for x in self.fetches
            if not isinstance(x, Node)
        ]
        return Extract(made, self.captured)

    def _needed(self) -> set[Node]:
        """Return the nodes that must run."""
        waiting = [x for x in map(self._node, self.fetches) if x is not None]
        found: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node not in found and not self._is_fed(node):
                found.add(node)
                if node.op.role is Role.INPUT and node.outputs[0] not in self.outside:
                    raise _unfed(node)
                waiting.extend(node.control)
                waiting.extend([x.node for x in node.inputs if id(x) not in self.fed])
        return found

    def _node(self, x: Fetch) -> Node | None:
        if isinstance(x, Node):
            return x
        if isinstance(x, Variable) or id(x) in self.fed:
            return None
        return x.node

    def _is_fed(self, node: Node) -> bool:
        return node.op.role is Role.INPUT and id(node.outputs[0]) in self.fed

    def _is_end(self, node: Node) -> bool:
        """Return whether a node runs though nothing may use its outputs."""
        return node.op.effect in (Effect.WRITE, Effect.IO) or node in self.wanted

    def _input(self, x: SymbolicTensor) -> None:
        made = self.copy.target.add_input(x.spec.without_value(), x.node.name)
        made.node.line, made.node.device = x.node.line, x.node.device
        made.node.group = x.node.group
        self.copy.bind(x, made)
        if x.node.op.role is Role.INPUT:
            self.copy.nodes[x.node] = (made.node,)

    def _read(self, variable: Variable) -> SymbolicTensor:
        """Return a read of a variable, which the graph itself need not have."""
        target, handle = self.copy.target, variable.handle
        for x, outer in zip(
            target.inputs[len(self.feeds) :], self.captured, strict=True
        ):
            if outer is handle:
                return target.add(ReadVariableOp(), (x,), name=variable.name).outputs[
                    0
                ]
        x = target.add_input(handle.spec.without_value(), variable.name)
        self.captured.append(handle)
        return target.add(ReadVariableOp(), (x,), name=variable.name).outputs[0]


def _unfed(node: Node) -> InvalidArgumentError:
    (x,) = node.outputs
    return InvalidArgumentError(
        f"placeholder {x.name} ({x.spec}), made at {node.line}, is needed for what is fetched and "
        "is not fed; give a value for it in feed_dict"
    )
