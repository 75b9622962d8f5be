"""Surroundings: the branches and loops of a graph of primitives, into which nodes may be put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from tensorlite.core.constant import Const
from tensorlite.core.op import Role
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.rewinding.contexts import Context, loop_of
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.stored.contexts import (
    BranchInfo,
    ContextInfo,
    LoopInfo,
)
from tensorlite.interop.tensorflow.writers.nesting import contexts_of
from tensorlite.interop.tensorflow.writing import to_graphdef
from tensorlite.ops.control.dataflow import Enter, Switch

CLOSED = "frames without gradients"
"""Under what a graph of primitives keeps the frames that no gradients flow through."""

Noted: TypeAlias = Mapping[str, Sequence[ContextInfo]]
"""What is noted of a graph's branches and loops, by collections."""


class NotRewoundError(Exception):
    """Gradients that are not taken anew: they are written as they were computed."""


class Branch(Context):
    """One side of a conditional."""

    def __init__(
        self,
        maker: Maker,
        outer: Context | None,
        pred: SymbolicTensor,
        side: int,
        pivot: Node,
    ) -> None:
        super().__init__(outer)
        self._maker = maker
        self.pred, self.side, self.pivot = pred, side, pivot
        self.external[pred] = pred

    def value(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor is here; one from outside comes through a Switch."""
        maker = self._maker
        if maker.contexts.knows(self, x):
            return self.external.get(x, x)
        given = x if self.outer is None else self.outer.value(x)
        with maker.at(None):
            node = maker.node(Switch(), (given, self.pred))
        maker.contexts.of[node] = self
        self.external[x] = found = node.outputs[self.side]
        return found

    def adopt(self, node: Node) -> None:
        """Let a node that takes nothing wait until the side is taken."""
        if not node.inputs and not node.control:
            node.control = (self.pivot,)


class Loop(Context):
    """A loop: of a program, or one that goes back through the turns of another."""

    is_loop = True

    def __init__(self, maker: Maker, outer: Context | None, frame: Enter) -> None:
        super().__init__(outer)
        self._maker = maker
        self._frame = frame
        self.parallel = frame.parallel_iterations
        self.going_on: SymbolicTensor | None = None
        """Whether there is another turn."""
        self.pivot: Node | None = None
        """What is there in every turn."""
        self.back_prop = True
        """Whether gradients flow through it."""
        self.exits: list[Node] = []
        self.enters: list[Node] = []

    def entering(self, is_constant: bool = False) -> Enter:
        """Return what brings something into this loop."""
        return Enter(self._frame.frame_name, is_constant, self.parallel)

    def value(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor is here; one from outside is the same in every turn.

        What the loop that is gone back through had in this turn is looked up there.
        """
        maker = self._maker
        if maker.contexts.knows(self, x):
            return self.external.get(x, x)
        back = maker.going_back(maker.contexts.of_output(x))
        if back is not None:
            self.external[x] = found = back.remembered(x)
            return found
        given = x if self.outer is None else self.outer.value(x)
        with maker.at(None):
            node = maker.node(self.entering(True), (given,))
        maker.contexts.of[node] = self
        self.external[x] = node.outputs[0]
        return node.outputs[0]

    def adopt(self, node: Node) -> None:
        """Let a node that takes nothing of a turn wait for one."""
        if not node.control and all(_is_fixed(x.node) for x in node.inputs):
            assert self.pivot is not None
            node.control = (self.pivot,)


def _is_fixed(node: Node) -> bool:
    return isinstance(node.op, Enter) and node.op.is_constant


def fixed_enter(x: SymbolicTensor) -> Node | None:
    """Return what brings a tensor into a loop, if it is the same in every turn."""
    node = x.node
    while node.op.name in ("Identity", "Switch"):
        node = node.inputs[0].node
    return node if _is_fixed(node) else None


class Surroundings:
    """The branches and loops of a graph, as the nodes in them tell."""

    def __init__(self, maker: Maker, noted: Noted | None = None) -> None:
        """Take what is noted of a graph; found out of its nodes if nothing is."""
        self._maker = maker
        self._contexts = maker.contexts
        graph: ManualGraph = maker.graph
        self._named = {node.name: node for node in graph.nodes}
        self._closed: set[str] = graph.kept.get(CLOSED, set())
        contexts = contexts_of(to_graphdef(graph)) if noted is None else noted
        for listed in contexts.values():
            for one in listed:
                self._note(one, None)
        self._note_constants(graph)
        roles = {node.op.role for node in graph.nodes}
        if not contexts and roles & {Role.SWITCH, Role.ENTER}:
            raise NotRewoundError("branches and loops are not one inside of another")

    def _note(self, info: ContextInfo, outer: Context | None) -> None:
        here = (
            self._loop(info, outer)
            if isinstance(info, LoopInfo)
            else self._branch(info, outer)
        )
        skipped = (
            0 if isinstance(info, LoopInfo) else 1
        )  # the predicate, from outside
        for name in info.values[skipped:]:
            node = self._named.get(name.rpartition(":")[0])
            if node is not None:
                self._contexts.of[node] = here
        for outside, inside in info.external_values.items():
            x, y = self._tensor(outside), self._tensor(inside)
            if x is not None and y is not None:
                here.external[x] = y
        for inner in info.nested:
            self._note(inner, here)

    def _note_constants(self, graph: ManualGraph) -> None:
        """Let constants of branches be there only where these are taken."""
        if not self._contexts.of:
            return
        users = self.consumers(graph)
        for node in graph.nodes:
            if not isinstance(node.op, Const) or node in self._contexts.of:
                continue
            found = {self.of(user) for user in users.get(node.outputs[0], ())}
            home = found.pop() if len(found) == 1 else None
            if isinstance(home, Branch):
                self._contexts.of[node] = home
                home.adopt(node)

    def _loop(self, info: LoopInfo, outer: Context | None) -> Loop:
        exits = self._nodes(info.loop_exit_names)
        pivot = self._nodes([info.pivot_for_body_name])
        if not exits or not pivot:
            raise NotRewoundError(f"the loop {info.context_name} lacks a part")
        switch = exits[0].inputs[0].node
        enter = switch.inputs[0].node.inputs[0].node.op
        if not isinstance(enter, Enter):
            raise NotRewoundError(f"{exits[0].name} ends no loop")
        found = Loop(self._maker, outer, enter)
        found.back_prop = enter.frame_name not in self._closed
        found.going_on, found.pivot = switch.inputs[1], pivot[0]
        found.exits = exits
        found.enters = [x.inputs[0].node.inputs[0].node.inputs[0].node for x in exits]
        return found

    def _branch(self, info: BranchInfo, outer: Context | None) -> Branch:
        pred, pivot = self._tensor(info.pred_name), self._nodes([info.pivot_name])
        if pred is None or not pivot:
            raise NotRewoundError(f"the branch {info.context_name} lacks a part")
        return Branch(self._maker, outer, pred, info.branch, pivot[0])

    def _nodes(self, names: Iterable[str]) -> list[Node]:
        """Return the nodes of some tensors' names, but for those that there are none of."""
        nodes = [self._named.get(name.rpartition(":")[0]) for name in names]
        return [node for node in nodes if node is not None]

    def _tensor(self, name: str) -> SymbolicTensor | None:
        node, _, index = name.rpartition(":")
        found = self._named.get(node)
        return None if found is None else found.outputs[int(index)]

    def of(self, node: Node) -> Context | None:
        """Return the innermost branch or loop that a node is in."""
        return self._contexts.of.get(node)

    def loop(self, node: Node) -> Loop | None:
        """Return the loop that a node is in, Exits among them."""
        found = loop_of(self.of(node))
        return found if isinstance(found, Loop) else None

    @staticmethod
    def consumers(graph: ManualGraph) -> dict[SymbolicTensor, list[Node]]:
        """Return the nodes that take each tensor."""
        found: dict[SymbolicTensor, list[Node]] = {}
        for node in graph.nodes:
            for x in node.inputs:
                found.setdefault(x, []).append(node)
        return found
