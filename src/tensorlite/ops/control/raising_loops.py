"""Loops of primitives that are well formed become While nodes.

A frame is a loop when each value that enters it, but for constants, meets what NextIteration brings
in one Merge, and one LoopCond decides for all whether there is another turn. What the condition
depends on becomes the condition's graph, what the NextIterations depend on the body's; what both
use is in both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import Enter
from tensorlite.ops.control.raising_parts import (
    Finder,
    IllFormedError,
    Inner,
    Key,
    Part,
    depends,
    is_free,
    key_of,
)
from tensorlite.ops.control.regions import While

Path: TypeAlias = tuple[str, ...]
"""The names of a frame and of those around it, the outermost first."""


def raise_loops(graph: Graph, gone: set[Node]) -> None:
    """Make While nodes of the loops that have no others inside; `gone` gets what they replace."""
    places = frames_of(graph)
    members: dict[Path, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        here = _after(node, places[node])
        if here:
            members[here].append(node)
        if node.op.role is Role.EXIT:
            members[places[node]].append(node)
    for path, nodes in members.items():
        if any(node.op.role is Role.EXIT and places[node] == path for node in nodes):
            try:
                loop = _Loop(graph, path, nodes, places)
                loop.check(gone)
                gone.update(loop.put())
            except (IllFormedError, TensorliteError):
                continue


def frames_of(graph: Graph) -> dict[Node, Path]:
    """Return the frame that each node runs in."""
    found: dict[Node, Path] = {}
    for node in graph.nodes:
        here: Path = ()
        for source in (*[x.node for x in node.inputs], *node.control):
            if source in found:
                here = max(here, _after(source, found[source]), key=len)
        found[node] = here
    return found


def _after(node: Node, path: Path) -> Path:
    """Return the frame of a node's outputs."""
    if isinstance(node.op, Enter):
        return (*path, node.op.frame_name)
    return path[:-1] if node.op.role is Role.EXIT else path


@dataclass
class _Variable:
    """A loop variable: how it comes in, what it is next, and how it is seen."""

    enter: Node
    merge: Node
    next: Node
    taken: list[Key] = field(default_factory=list)
    """What it is in the body."""
    exits: list[Node] = field(default_factory=list)


class _Loop:
    """A frame that may be a loop."""

    def __init__(
        self, graph: Graph, path: Path, nodes: list[Node], places: dict[Node, Path]
    ) -> None:
        self.graph = graph
        self.path = path
        self.places = places
        by_role: dict[Role, list[Node]] = defaultdict(list)
        for node in nodes:
            by_role[node.op.role].append(node)
        self.enters = [x for x in by_role[Role.ENTER] if _after(x, places[x]) == path]
        if len(by_role[Role.LOOP_COND]) != 1:
            raise IllFormedError("no LoopCond, or several")
        self.decision = by_role[Role.LOOP_COND][0]
        merges = [x for x in by_role[Role.MERGE] if _is_head(x)]
        self.variables = [self._variable(merge) for merge in merges]
        self.fixed = [x for x in self.enters if x.op.attributes()["is_constant"]]
        self.of_merge = {x.merge: x for x in self.variables}
        self.gates: list[Key] = []
        """What is the decision itself, in the body."""
        for switch in by_role[Role.SWITCH]:
            self._switch(switch)
        for leaving in by_role[Role.EXIT]:
            if places[leaving] == path:
                self._exit(leaving)
        self.cond, self.body = self._parts()

    def _variable(self, merge: Node) -> _Variable:
        first, *rest = [x.node for x in merge.inputs]
        if len(rest) != 1:
            raise IllFormedError(f"{merge.name} has {len(rest) + 1} inputs")
        enter, after = (
            (first, rest[0]) if rest[0].op.role is Role.NEXT else (rest[0], first)
        )
        if enter not in self.enters or enter.op.attributes()["is_constant"]:
            raise IllFormedError(f"{merge.name} does not take what enters")
        return _Variable(enter, merge, after)

    def _switch(self, switch: Node) -> None:
        data, decided = switch.inputs
        if decided.node is not self.decision:
            return  # of a conditional inside
        if data.node is self.decision:
            self.gates.append((switch, 1))
        elif data.node in self.of_merge and data.index == 0:
            self.of_merge[data.node].taken.append((switch, 1))

    def _exit(self, leaving: Node) -> None:
        x = leaving.inputs[0]
        while type(x.node.op) is Identity and _is_quiet(x.node.control):
            x = x.node.inputs[0]
        for variable in self.variables:
            if x.index == 0 and (x.node, 1) in variable.taken:
                variable.exits.append(leaving)
                return
        raise IllFormedError(f"{leaving.name} does not leave from a Switch")

    def _parts(self) -> tuple[Part, Part]:
        heads = {(x.merge, 0) for x in self.variables}
        fixed = {(x, 0) for x in self.fixed}
        taken = {key for x in self.variables for key in x.taken}
        outer = [*heads, *fixed]
        inner = {*outer, *taken, *self.gates}
        passed = {node for node, _ in inner}
        nexts = [end for x in self.variables for end in _ends(x.next)]
        return (
            self._part(_ends(self.decision), {*outer}, passed),
            self._part(nexts, inner, passed),
        )

    def _part(
        self,
        ends: list[Node | SymbolicTensor],
        border: set[Key],
        passed: set[Node],
    ) -> Part:
        finder = Finder(
            lambda x: key_of(x) in border, self._is_inside, passed.__contains__
        )
        part = finder.part(ends)
        if any(node in passed for node, _ in part.outside):
            raise IllFormedError("something is used where it may be dead")
        return part

    def _is_inside(self, node: Node) -> bool:
        here = self.places.get(node)
        if here is None or here[: len(self.path)] == self.path:
            return True
        if self.path[: len(here)] != here:
            raise IllFormedError(f"{node.name} is of another frame")
        return False

    def check(self, gone: set[Node]) -> None:
        """Raise IllFormedError for what would happen more or less often than it does."""
        if not any(x.exits for x in self.variables):
            raise IllFormedError("nothing leaves")
        taken = {node for x in self.variables for node, _ in x.taken}
        taken |= {node for node, _ in self.gates}
        in_turn = _behind(self.body.nodes, taken)
        in_cond = set(self.cond.nodes)
        for node in self.body.nodes:
            effect = node.op.effect
            # A read that is not needed is not missed.
            is_missed = node not in in_turn and effect is not Effect.READ
            if effect is not Effect.NONE and (node in in_cond or is_missed):
                raise IllFormedError(f"{node.name} runs in the last turn too")
        if set(self.cond.nodes) & in_turn:
            raise IllFormedError("the condition depends on its own decision")

    def put(self) -> Iterable[Node]:
        """Add the node, let the Exits show what it returns, and return what is replaced."""
        outside = {**self.cond.outside, **self.body.outside}
        constants = [x for x in self.fixed if _is_number(x.inputs[0])]
        fixed = [x for x in self.fixed if x not in constants]
        graphs = []
        for name in ("cond", "body"):
            inner = Inner(self._name(name))
            for variable in self.variables:
                inner.input(variable.merge.outputs[0], *variable.taken)
            for enter in fixed:
                inner.input(enter.outputs[0])
            for x in outside.values():
                inner.input(x)
            for enter in constants:
                inner.bind((enter, 0), enter.inputs[0].node.op)
            for gate in self.gates:
                inner.bind(gate, Const(np.array(True)))
            graphs.append(inner)
        cond, body = graphs
        cond.put(self.cond)
        body.put(self.body)
        after = [body.tensor(x.next.inputs[0]) for x in self.variables]
        rest = body.graph.inputs[len(after) :]
        op = While(
            cond.finish([cond.tensor(self.decision.inputs[0])]),
            body.finish([*after, *rest]),
            self.enters[0].op.attributes()["parallel_iterations"],
        )
        entering = [x.inputs[0] for x in (*[v.enter for v in self.variables], *fixed)]
        inputs = [*entering, *outside.values()]
        waits = [node for x in self.enters for node in x.control]
        waits += [*self.cond.waits, *self.body.waits]
        return self._commit(op, inputs, waits)

    def _name(self, name: str) -> str:
        """Return a name in the scope of the loop."""
        around, slash, _ = self.decision.name.rpartition("/")
        return f"{around}{slash}{name}"

    def _commit(
        self, op: While, inputs: list[SymbolicTensor], waits: list[Node]
    ) -> Iterable[Node]:
        exits = [node for x in self.variables for node in x.exits]
        if depends([*[x.node for x in inputs], *waits], exits):
            raise IllFormedError("what enters depends on what leaves")
        node = self.graph.add(
            op,
            inputs,
            control=tuple(dict.fromkeys(waits)),
            name=self._name("While"),
            line=self.decision.line,
        )
        for x, value in zip(self.variables, node.outputs, strict=False):
            for leaving in x.exits:
                leaving.op, leaving.inputs = Identity(), (value,)
                leaving.infer_again()
        ends = [y for x in self.variables for y in (x.enter, x.merge, x.next)]
        return [*ends, *self.fixed, self.decision, *self.cond.nodes, *self.body.nodes]


def _is_number(x: SymbolicTensor) -> bool:
    """Return whether a tensor is a constant by which nothing is differentiated."""
    return is_free(x.node) and not x.dtype.is_differentiable


def _is_head(merge: Node) -> bool:
    return any(x.node.op.role is Role.NEXT for x in merge.inputs)


def _ends(node: Node) -> list[Node | SymbolicTensor]:
    return [*node.inputs, *node.control]


def _is_quiet(nodes: Iterable[Node]) -> bool:
    """Return whether nothing in a turn that some nodes wait for has an effect."""
    seen: set[Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.op.effect is not Effect.NONE:
            return False
        if node not in seen and node.op.role is Role.PLAIN:
            seen.add(node)
            waiting.extend([*node.control, *[x.node for x in node.inputs]])
    return True


def _behind(nodes: Iterable[Node], starts: set[Node]) -> set[Node]:
    """Return those of nodes, which are in order, that depend on some others."""
    found: set[Node] = set()
    for node in nodes:
        sources = {*[x.node for x in node.inputs], *node.control}
        if sources & starts or sources & found:
            found.add(node)
    return found
