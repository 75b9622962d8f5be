"""extract: the part of a graph that some fetches need when some tensors are fed, as a graph.

What is fed becomes its inputs, what is fetched its outputs and effects. Sessions compile that; they
stand in session.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect, Role
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph.ordering import is_ordered, ordered
from tensorlite.ops.state.resource import ReadVariableOp
from tensorlite.ops.state.variable import Variable
from tensorlite.passes.rewrite import Copy

Fetch: TypeAlias = SymbolicTensor | Node | Variable


class Extract(NamedTuple):
    """A part of a graph: first the inputs that are fed, then those that stand for captures."""

    graph: Graph
    captured: list[Tensor]
    """Tensors from outside of the graph, such as variables' handles."""


def extract(
    graph: ManualGraph,
    feeds: Sequence[SymbolicTensor],
    fetches: Sequence[Fetch],
    done: Collection[Node] = (),
) -> Extract:
    """Return what must run for `fetches`: outputs for tensors and variables, effects for nodes.

    Nodes in `done` have run already and are not waited for; what is needed of them is fed.
    InvalidArgumentError for a placeholder that is needed and not fed.
    """
    return _Extraction(graph, feeds, fetches, done).result()


def needed(
    fetches: Iterable[Fetch],
    fed: Collection[int],
    outside: Collection[SymbolicTensor],
    done: Collection[Node] = (),
) -> set[Node]:
    """Return the nodes that must run for `fetches` when tensors with ids in `fed` are fed."""
    waiting = [
        x if isinstance(x, Node) else x.node
        for x in fetches
        if not isinstance(x, Variable) and id(x) not in fed
    ]
    found: set[Node] = set()
    while waiting:
        node = waiting.pop()
        is_input = node.op.role is Role.INPUT
        if node in found or node in done or (is_input and id(node.outputs[0]) in fed):
            continue
        found.add(node)
        if is_input and node.outputs[0] not in outside:
            raise _unfed(node)
        waiting.extend(node.control)
        waiting.extend([x.node for x in node.inputs if id(x) not in fed])
    return found


class _Extraction:
    """The copying of a part of a graph."""

    def __init__(
        self,
        graph: ManualGraph,
        feeds: Sequence[SymbolicTensor],
        fetches: Sequence[Fetch],
        done: Collection[Node],
    ) -> None:
        self.graph = graph
        self.feeds = feeds
        self.fetches = fetches
        self.fed = {id(x) for x in feeds}
        self.outside = graph.captured
        self.needed = needed(
            [self._of_the_graph(x) for x in fetches], self.fed, self.outside, done
        )
        self.captured: list[Tensor] = []
        self.copy = Copy(Graph(graph.name))

    def _of_the_graph(self, fetch: Fetch) -> Fetch:
        """Return what the graph itself must run: of a variable that it makes, the handle."""
        made = (
            getattr(fetch.handle, "node", None)
            if isinstance(fetch, Variable)
            else None
        )
        if isinstance(made, Node) and made.graph is self.graph:
            return made
        return fetch

    def result(self) -> Extract:
        """Return the part, and what it captures."""
        for x in self.feeds:
            self._input(x)
        for x, outer in self.outside.items():
            if x.node in self.needed and id(x) not in self.fed:
                self._input(x)
                self.captured.append(outer)
        run = [node for node in self.graph.nodes if node in self.needed]
        if not is_ordered(
            run
        ):  # a program had a node wait for one that it made later
            run = ordered(run)
        self._nodes(run)
        ends = Graph(self.graph.name)
        asked = {x for x in self.fetches if isinstance(x, Node)}
        ends.effects = [
            node
            for node in run
            if node in asked or node.op.effect in (Effect.WRITE, Effect.IO)
        ]
        outputs = [x for x in self.fetches if isinstance(x, SymbolicTensor)]
        made = self.copy.finish(ends, outputs)
        read = iter(made.outputs)
        made.outputs = [
            self._read(x) if isinstance(x, Variable) else next(read)
            for x in self.fetches
            if not isinstance(x, Node)
        ]
        return Extract(made, self.captured)

    def _nodes(self, run: Iterable[Node]) -> None:
        """Copy nodes; what is fed stands for itself, though its node may run for other outputs."""
        fed: dict[Node, list[tuple[SymbolicTensor, SymbolicTensor]]] = {}
        for x in self.feeds:
            fed.setdefault(x.node, []).append((x, self.copy.tensors[id(x)]))
        for node in run:
            if node.op.role is not Role.INPUT:
                self.copy.node(node)
                for x, given in fed.get(node, ()):
                    self.copy.bind(x, given)

    def _input(self, x: SymbolicTensor) -> None:
        made = self.copy.target.add_input(x.spec.without_value(), x.node.name)
        made.node.line, made.node.device = x.node.line, x.node.device
        made.node.group = x.node.group
        self.copy.bind(x, made)
        if x.node.op.role is Role.INPUT:
            self.copy.nodes[x.node] = (made.node,)

    def _read(self, variable: Variable) -> SymbolicTensor:
        """Return a read of a variable, which the graph itself need not have, after all writes."""
        target, found = self.copy.target, self._handle(variable)
        writes = [
            node
            for node in target.nodes
            if node.op.effect is Effect.WRITE and any(x is found for x in node.inputs)
        ]
        read = target.add(
            ReadVariableOp(), (found,), control=tuple(writes), name=variable.name
        )
        return read.outputs[0]

    def _handle(self, variable: Variable) -> SymbolicTensor:
        """Return a variable's handle in the part: its copy, or an input that is captured."""
        target, handle = self.copy.target, variable.handle
        if id(handle) in self.copy.tensors:
            return self.copy.tensors[id(handle)]
        captures = zip(target.inputs[len(self.feeds) :], self.captured, strict=True)
        found = next((x for x, outer in captures if outer is handle), None)
        if found is None:
            found = target.add_input(handle.spec.without_value(), variable.name)
            self.captured.append(handle)
        return found


_WANTED = {
    "R": "the handle of a table or another resource that is made outside (a frozen graph has "
    "placeholders for what it used, and nothing of what that held; its SavedModel does)"
}
"""What is fed to a placeholder, by the kind of its dtype, where that is no array."""


def _unfed(node: Node) -> InvalidArgumentError:
    (x,) = node.outputs
    shape = shape_text(x.spec.shape).replace(" ", "")
    error = InvalidArgumentError(
        f"You must feed a value for placeholder tensor {node.name!r} with dtype {x.dtype.name} and "
        f"shape {shape}: made at {node.line}, it is needed for what is fetched; "
        f"give {_WANTED.get(x.dtype.kind, 'a value')} for it in feed_dict"
    )
    error.node_name = node.name
    return error
