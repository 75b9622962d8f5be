"""Copies of graphs in which things are other than in the original: the machinery of all passes.

A pass never changes the graph it is given. It copies the nodes in order into a new graph, and what
it wants otherwise it maps to something else; lines, names, devices and control edges come along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor

Rule: TypeAlias = Callable[[Node], SymbolicTensor | None]
Rules: TypeAlias = dict[type[Op], list[Rule]]
ROUNDS = 20
"""How often rules are tried on the whole graph before one of them is found to run in circles."""


class Copy:
    """The copying of nodes into a graph, and what has become of each tensor and node."""

    def __init__(self, target: Graph) -> None:
        self.target = target
        self.tensors: dict[int, SymbolicTensor] = {}
        self.nodes: dict[Node, tuple[Node, ...]] = {}
        """What to wait for, or run for its effect, in the place of each node."""
        self._open: list[tuple[Node, int, SymbolicTensor]] = []
        self._kept: list[SymbolicTensor] = []

    def inputs(self, source: Graph, positions: Iterable[int] | None = None) -> None:
        """Copy the inputs of `source`, or some, which the copy will have in the same order."""
        chosen = (
            source.inputs
            if positions is None
            else [source.inputs[i] for i in positions]
        )
        for x in chosen:
            copied = self.target.add_input(x.spec, x.node.name)
            copied.node.line, copied.node.device = x.node.line, x.node.device
            copied.node.group = x.node.group
            self.bind(x, copied)
            self.nodes[x.node] = (copied.node,)

    def bind(self, old: SymbolicTensor, new: SymbolicTensor) -> None:
        """Let `new` stand for `old` in what is copied from now on."""
        self.tensors[id(old)] = new
        self._kept.append(old)

    def node(
        self, node: Node, op: Op | None = None, control: Iterable[Node] = ()
    ) -> Node:
        """Copy a node, perhaps with another operator or with more nodes to run after."""
        inputs = [self._input(node, i, x) for i, x in enumerate(node.inputs)]
        mapped = self.before(node)
        copied = self.target.add(
            op or node.op,
            inputs,
            specs=self._as_before(node, inputs)
            if op is None or op is node.op
            else None,
            device=node.device,
            group=node.group,
            control=tuple(dict.fromkeys([*mapped, *control])),
            name=node.name,
            line=node.line,
        )
        self.stand_in(node, copied.outputs, copied)
        for i, x in enumerate(node.inputs):
            if id(x) not in self.tensors:
                self._open.append((copied, i, x))
                # What the missing input makes of the outputs is known from the original.
                for y, known in zip(copied.outputs, node.outputs, strict=True):
                    y.respecify(known.spec)
        return copied

    def _as_before(
        self, node: Node, inputs: Sequence[SymbolicTensor]
    ) -> Sequence[TensorSpec] | None:
        """Return the specs of a node's outputs where nothing else is known of its inputs."""
        for x, copied in zip(node.inputs, inputs, strict=True):
            if x.spec is not copied.spec:
                return None
        return [y.spec for y in node.outputs]

    def _input(self, node: Node, position: int, x: SymbolicTensor) -> SymbolicTensor:
        found = self.tensors.get(id(x))
        if found is None and node.op.role is Role.MERGE:
            # The back edge of a loop: what it comes from is copied later, and put in then.
            found = next(
                (self.tensors[id(y)] for y in node.inputs if id(y) in self.tensors),
                None,
            )
        if found is None:
            raise GraphError(
                f"{node.name}: input {position}, {x.name}, comes after its use"
            )
        return found

    def before(self, node: Node) -> list[Node]:
        """Return what the copy of `node` must run after."""
        return [after for one in node.control for after in self.nodes.get(one, ())]

    def stand_in(
        self, old: Node, outputs: Sequence[SymbolicTensor], *after: Node
    ) -> None:
        """Let `outputs` stand for those of `old`, and `after` for what `old` did."""
        self.nodes[old] = after
        for x, y in zip(old.outputs, outputs, strict=True):
            self.bind(x, y)

    def finish(
        self, source: Graph, outputs: Iterable[SymbolicTensor] | None = None
    ) -> Graph:
        """Close loops, and return the copy with the outputs (or these) and effects of `source`."""
        target = self.target
        for node, position, x in self._open:
            node.set_input(position, self.tensors[id(x)])
        ends = source.outputs if outputs is None else outputs
        target.outputs = [self.tensors[id(x)] for x in ends]
        effects = [after for node in source.effects for after in self.nodes[node]]
        target.effects = list(dict.fromkeys(effects))
        target.open = False
        return target


def bound(target: Graph, region: Graph, values: Sequence[SymbolicTensor]) -> Copy:
    """Return a copy of `region` in the making, within `target`, with `values` for its inputs."""
    copy = Copy(target)
    for x, value in zip(region.inputs, values, strict=True):
        copy.bind(x, value)
    return copy


def reached(
    graph: Graph, outputs: Iterable[SymbolicTensor] | None = None
) -> set[Node]:
    """Return the nodes that a graph's effects, and its outputs or these, depend on."""
    found: set[Node] = set()
    ends = graph.outputs if outputs is None else outputs
    waiting = [*[x.node for x in ends], *graph.effects]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.control)
            waiting.extend([x.node for x in node.inputs])
    return found


def branches(op: Op) -> tuple[Graph, ...]:
    """Return the inner graphs of an operator that are its own, which a function's are not."""
    return op.regions() if op.role in (Role.IF, Role.WHILE) else ()


def with_inner(op: Op, change: Callable[[Graph], Graph]) -> Op:
    """Return an operator whose branches or loop body have been changed; functions stay."""
    inner = branches(op)
    return (
        op.with_regions(tuple([change(region) for region in inner])) if inner else op
    )


def rule(table: Rules, *ops: type[Op]) -> Callable[[Rule], Rule]:
    """Enter a function in `table` as a rule for nodes that apply one of `ops`."""

    def enter(function: Rule) -> Rule:
        for op in ops:
            table.setdefault(op, []).append(function)
        return function

    return enter


def apply(node: Node, op: Op, *inputs: SymbolicTensor) -> SymbolicTensor:
    """Return the output of a new node that stands at the place of `node`."""
    return node.graph.add(
        op,
        inputs,
        device=node.device,
        group=node.group,
        name=node.name,
        line=node.line,
    ).outputs[0]


def rewrite(graph: Graph, rules: Rules) -> Graph:
    """Return `graph` with `rules` applied, in its inner graphs too, until none applies."""
    last: Rule | None = None
    for _ in range(ROUNDS):
        graph, last = _round(graph, rules)
        if last is None:
            return graph
    raise GraphError(
        f"{graph.name}: {getattr(last, '__name__', last)!r} applies without end"
    )


def _round(graph: Graph, rules: Rules) -> tuple[Graph, Rule | None]:
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    last: Rule | None = None
    needed = reached(graph)
    for node in graph.nodes:
        if node in copy.nodes or node not in needed:
            continue
        copied = copy.node(
            node, with_inner(node.op, lambda inner: rewrite(inner, rules))
        )
        for one in rules.get(type(node.op), ()):
            better = None if copied.control else one(copied)
            if better is not None:
                last = one
                copy.stand_in(node, (better, *copied.outputs[1:]), better.node)
                break
    return copy.finish(graph), last
