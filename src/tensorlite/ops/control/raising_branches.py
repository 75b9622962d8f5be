"""Diamonds of Switches and Merges that are well formed become If nodes.

What is alive, and when, is told by a node's guards: the Switches that its inputs come through, and
by which side. A Merge ends a conditional when its inputs have the same guards but for one, which
says yes for one of them and no for the other. Merges of one conditional that share what is between
become outputs of one If, unless one depends on another, as a gradient does on its loss; what has no
effect is in both then. What has an effect on one side, and no Merge needs, goes with those whose
values it is made of. Variables that both read are read once, before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.identity import Identity, IdentityN
from tensorlite.ops.control.raising_loops import frames_of
from tensorlite.ops.control.raising_parts import (
    Finder,
    IllFormedError,
    Inner,
    Key,
    Part,
    deciding,
    depends,
    key_of,
    plain,
)
from tensorlite.ops.control.regions import If

Guard: TypeAlias = tuple[Key, int]
"""A condition, and which side of it is alive."""
Guards: TypeAlias = frozenset[Guard]
_LASTING = (Effect.WRITE, Effect.IO)


@dataclass
class _End:
    """A Merge that ends a conditional."""

    merge: Node
    condition: Key
    around: Guards
    """The guards of the whole conditional."""
    sides: tuple[int, int]
    """Which of its inputs comes from the side that is false, and which from that which is true."""


@dataclass
class _Group:
    """The ends that become one If."""

    ends: list[_End]
    nodes: set[Node]
    is_refused: bool = False
    effects: tuple[list[Node], list[Node]] = field(default_factory=lambda: ([], []))
    """What has an effect on the side that is false, and on that which is true, and no Merge needs:
    what a loop's turn puts on a stack for gradients, say."""


def raise_branches(graph: Graph, gone: set[Node]) -> None:
    """Make If nodes of the conditionals that have no other primitives inside."""
    flow = _Flow(graph)
    groups: dict[tuple[Key, Guards], list[_Group]] = {}
    for end in flow.ends:
        try:
            parts = flow.parts([end])
        except IllFormedError:
            continue
        nodes = {node for part in parts for node in part.nodes}
        nodes |= flow.borders(end, nodes)
        known = groups.setdefault((end.condition, end.around), [])
        flow.shared |= _join(end, nodes, known)
    shared = sorted(flow.shared, key=lambda x: x.name)
    if [node for node in shared if _read_before(graph, node)]:
        return  # what is alive when has to be told anew
    users = _users(graph, gone)
    for place, known in groups.items():
        for node, side in flow.lasting.get(place, ()):
            if node not in gone:
                _take_along(flow, node, side, known)
    for known in groups.values():
        for group in known:
            try:
                gone.update(_If(graph, flow, group, users).put())
            except (IllFormedError, TensorliteError):
                continue


def _join(end: _End, nodes: set[Node], groups: list[_Group]) -> set[Node]:
    """Put an end into the group that it shares nodes with, or into one of its own.

    Returns what has an effect and is of both then.
    """
    sharing = [one for one in groups if not one.nodes.isdisjoint(nodes)]
    for group in sharing:
        if not depends([end.merge], [one.merge for one in group.ends]):
            group.ends.append(end)
            group.nodes |= nodes
            return set()
    made = _Group([end], nodes)
    shared: set[Node] = set()
    for group in sharing:
        twice = {x for x in group.nodes & nodes if x.op.effect is not Effect.NONE}
        if twice:
            made.is_refused = group.is_refused = True
            shared |= twice
    groups.append(made)
    return shared


def _read_before(graph: Graph, node: Node) -> bool:
    """Have a variable read before a conditional, and say so, if that is what a node in there does.

    The conditional and its gradient then have the same value of it, each as its own input.
    """
    waited = [plain(x.outputs[0]).node.op.role for x in node.control if x.outputs]
    is_free_of_waits = waited == [Role.SWITCH] * len(node.control)
    if node.op.effect is not Effect.READ or len(node.inputs) != 1:
        return False
    (x,) = node.inputs
    if x.node.op.role is not Role.SWITCH or not is_free_of_waits:
        return False
    given, condition = x.node.inputs
    read = graph.add(
        node.op,
        (given,),
        device=node.device,
        group=node.group,
        control=x.node.control,
        name=f"{node.name}/before",
        line=node.line,
    )
    switch = graph.add(
        x.node.op,
        (read.outputs[0], condition),
        name=f"{node.name}/before/Switch",
        line=node.line,
    )
    node.op, node.inputs = Identity(), (switch.outputs[x.index],)
    return True


def _take_along(flow: _Flow, node: Node, side: int, groups: list[_Group]) -> None:
    """Have a node with an effect be in the conditional that it is made of values of."""
    if any(node in group.nodes for group in groups):
        return
    for group in groups:
        try:
            part = flow.part([node], group.ends[0], side)
        except IllFormedError:
            return
        nodes = {*part.nodes, *flow.borders(group.ends[0], set(part.nodes))}
        if group.nodes.isdisjoint(nodes):
            continue
        if not depends([node], [end.merge for end in group.ends]):
            group.effects[side].append(node)
            group.nodes |= nodes
            return


def _users(graph: Graph, gone: set[Node]) -> dict[Node, list[Node]]:
    """Return the nodes that use each node."""
    found: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if node not in gone:
            for source in {*[x.node for x in node.inputs], *node.control}:
                found.setdefault(source, []).append(node)
    return found


class _Flow:
    """Which nodes of a graph are alive when."""

    def __init__(self, graph: Graph) -> None:
        self._guards: dict[Node, Guards] = {}
        self._frames = frames_of(graph)
        self.ends: list[_End] = []
        self.lasting: dict[tuple[Key, Guards], list[tuple[Node, int]]] = {}
        """What has an effect on one side of a conditional."""
        self.shared: set[Node] = set()
        """What has an effect and is of two conditionals that cannot be one."""
        for node in graph.nodes:
            self._take(node)
            if node.op.effect in _LASTING:
                guards = self._guards[node]
                for guard in guards:
                    place = guard[0], guards - {guard}
                    self.lasting.setdefault(place, []).append((node, guard[1]))

    def _take(self, node: Node) -> None:
        if node.op.outlives:
            self._guards[node] = frozenset()
            return
        is_merge = node.op.role is Role.MERGE
        known = [self.of(x) for x in node.inputs if x.node in self._guards]
        if is_merge and len(known) == len(node.inputs):
            self._guards[node] = self._merged(node, known)
            return
        known = known[:1] if is_merge else known
        waited = [self._guards[x] for x in node.control if x in self._guards]
        self._guards[node] = frozenset().union(*known, *waited)

    def _merged(self, merge: Node, guards: list[Guards]) -> Guards:
        around = frozenset.intersection(*guards)
        if len(guards) == 2:
            own = [one - around for one in guards]
            if all(len(one) == 1 for one in own):
                (first,), (second,) = own
                if first[0] == second[0]:
                    sides = (0, 1) if first[1] == 0 else (1, 0)
                    self.ends.append(_End(merge, first[0], around, sides))
        return around

    def of(self, x: SymbolicTensor) -> Guards:
        """Return the guards of a tensor."""
        guards = self._guards.get(x.node, frozenset())
        if not self._is_choice(x.node):
            return guards
        return guards | {(key_of(deciding(x.node.inputs[1])), x.index)}

    def _is_choice(self, node: Node) -> bool:
        """Return whether a node is the Switch of a conditional, and of no loop."""
        role = node.op.role
        return (
            role is Role.SWITCH and node.inputs[1].node.op.role is not Role.LOOP_COND
        )

    def parts(
        self, ends: list[_End], effects: tuple[list[Node], list[Node]] = ([], [])
    ) -> list[Part]:
        """Return what is on the false side of some ends, and what is on the true side."""
        return [
            self.part(
                [*[x.merge.inputs[x.sides[side]] for x in ends], *effects[side]],
                ends[0],
                side,
            )
            for side in (0, 1)
        ]

    def part(
        self, wanted: Sequence[SymbolicTensor | Node], end: _End, side: int
    ) -> Part:
        """Return what some tensors and nodes on one side of a conditional depend on in there."""
        guard = (end.condition, side)
        place = self._frames[end.merge]

        def is_inside(node: Node) -> bool:
            return guard in self._guards.get(node, frozenset())

        finder = Finder(
            lambda x: self.is_border(x, end, side),
            is_inside,
            lambda node: self._is_own(node, end),
        )
        found = finder.part(wanted)
        for x in found.outside.values():
            if self.of(x) - end.around or self._frames[x.node] not in (place, ()):
                raise IllFormedError(f"{x.name} may be dead")
        if any(self._frames[x] != place for x in found.nodes if is_inside(x)):
            raise IllFormedError("a conditional in several frames")
        return found

    def is_border(self, x: SymbolicTensor, end: _End, side: int) -> bool:
        """Return whether a tensor comes into one side of a conditional."""
        if not self._is_own(x.node, end):
            return False
        if x.index != side:
            raise IllFormedError(f"{x.name} is of the other side")
        return True

    def _is_own(self, node: Node, end: _End) -> bool:
        """Return whether a node is a Switch by which things come into a conditional."""
        if not self._is_choice(node) or self._guards[node] != end.around:
            return False
        return key_of(deciding(node.inputs[1])) == end.condition

    def leads_on(self, node: Node, end: _End, users: dict[Node, list[Node]]) -> bool:
        """Return whether something out of a conditional, or of effect, is made of a node in it."""
        seen: set[Node] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            own = {condition for condition, _ in self._guards.get(one, ())}
            if one.op.effect in _LASTING or end.condition not in own:
                return True
            if one not in seen:
                seen.add(one)
                waiting.extend(users.get(one, ()))
        return False

    def borders(self, end: _End, nodes: set[Node]) -> set[Node]:
        """Return the Switches by which things come to some nodes, and to an end."""
        tensors = [x for node in (*nodes, end.merge) for x in node.inputs]
        return {x.node for x in tensors if self._is_own(x.node, end)}


class _If:
    """A group on its way to become a node."""

    def __init__(
        self, graph: Graph, flow: _Flow, group: _Group, users: dict[Node, list[Node]]
    ) -> None:
        self.graph = graph
        self.group = group
        self.first = group.ends[0]
        self.merges = [one.merge for one in group.ends]
        self.parts = flow.parts(group.ends, group.effects)
        self.users = users
        self.switches = {
            x for end in group.ends for x in flow.borders(end, group.nodes)
        }
        if group.is_refused:
            raise IllFormedError("an effect is of two conditionals")
        inside = {*group.nodes, *self.merges}
        for node in group.nodes:
            if node.op.effect is not Effect.NONE and any(
                not (x in inside or x.op.outlives)
                and flow.leads_on(x, self.first, users)
                for x in users.get(node, ())
            ):
                raise IllFormedError(f"{node.name} is used outside")

    def put(self) -> set[Node]:
        """Add the node, let the Merges show what it returns, and return what is replaced."""
        node, number = self.first.condition
        condition = node.outputs[number]
        inputs = self._inputs(condition)
        other, then = [self._branch(side, inputs, condition) for side in (0, 1)]
        waits = [x for part in self.parts for x in part.waits]
        waits += [x for switch in self.switches for x in switch.control]
        arguments = [condition, *inputs.values()]
        if depends([*[x.node for x in arguments], *waits], self.merges):
            raise IllFormedError("what comes in depends on what comes out")
        made = self.graph.add(
            If(then, other),
            arguments,
            control=tuple(dict.fromkeys(waits)),
            name=f"{self.merges[0].name}/If",
            line=self.merges[0].line,
        )
        for i, merge in enumerate(self.merges):
            merge.op, merge.inputs = IdentityN(), made.outputs[2 * i : 2 * i + 2]
            merge.infer_again()
        self._be_awaited(made)
        return {*self.group.nodes, *self.switches}

    def _be_awaited(self, made: Node) -> None:
        """Let the triggers that come after something in here, done or not, come after the node."""
        for node in self.group.nodes:
            for user in self.users.get(node, ()):
                if user.op.outlives and node in user.control:
                    waits = [made if x is node else x for x in user.control]
                    user.control = tuple(dict.fromkeys(waits))

    def _inputs(self, condition: SymbolicTensor) -> dict[Key, SymbolicTensor]:
        """Return what comes in from outside, each once."""
        found: dict[Key, SymbolicTensor] = {}
        for switch in sorted(self.switches, key=lambda x: x.name):
            x = switch.inputs[0]
            if deciding(x) is not condition:
                found[key_of(x)] = x
        for part in self.parts:
            found |= part.outside
        return found

    def _branch(
        self, side: int, inputs: dict[Key, SymbolicTensor], condition: SymbolicTensor
    ) -> Graph:
        inner = Inner(f"{self.merges[0].name}/{('else', 'then')[side]}")
        for key, x in inputs.items():
            same = [(y, side) for y in self.switches if key_of(y.inputs[0]) == key]
            inner.input(x, *same)
        for switch in self.switches:
            if deciding(switch.inputs[0]) is condition:
                inner.bind((switch, side), Const(np.array(bool(side))))
        inner.put(self.parts[side])
        outputs: list[SymbolicTensor] = []
        for end in self.group.ends:
            place = end.sides[side]
            outputs.append(inner.tensor(end.merge.inputs[place]))
            number = inner.graph.add(Const(np.array(place, np.int32)), ())
            outputs.append(number.outputs[0])
        return inner.finish(outputs)
