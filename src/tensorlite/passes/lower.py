"""lower: turn If, While and calls into Switch, Merge, Enter, Exit, NextIteration and LoopCond.

A conditional. Every argument goes through a Switch; the branch not taken is dead, and Merge takes
what is alive. What in a branch has no input from a Switch (an effect, a random number) would run
always: it gets a control edge from the branch's *gate*, an Identity of the switched condition.

    arg ──► Switch ──true──► then nodes ──┐
              ▲  └──false──► else nodes ──┴─► Merge ──► output
    pred ─────┘

A loop. It has a frame of its own, which values enter once and leave once; invariants enter as
constants, for every iteration. In the condition the gate is the first Merge, in the body an
Identity of the switched condition. NextIteration waits for the effects of the body, so that those
of one turn come before those of the next.

    variable ──► Enter ──► Merge ──► Switch ──false──► Exit ──► output
                            ▲  │        ▲ └──true──► body nodes ──► NextIteration ──┐
                            │  └► cond ─┴ LoopCond                                  │
                            └───────────────────────────────────────────────────────┘

Constants stay outside all frames: the machine has them at hand everywhere.

Once a graph is placed, the switches of a branch stand where its inner inputs do, and all that
belongs to a loop's variable where the variable does, so that only what must travels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import (
    Enter,
    Exit,
    LoopCond,
    Merge,
    NextIteration,
    Switch,
)
from tensorlite.ops.control.regions import is_carried
from tensorlite.ops.control.step_arrays import OfArrays
from tensorlite.passes.inline import inline
from tensorlite.passes.rewrite import Copy, bound

Tensors = Sequence[SymbolicTensor]


def lower(graph: Graph, chosen: Callable[[Node], bool] = lambda _: True) -> Graph:
    """Return `graph` in which nodes that are `chosen`, of those with inner graphs, have none.

    Calls of recursive functions stay calls.
    """
    graph = inline(graph)
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    put_lowered(graph, copy, chosen)
    return copy.finish(graph)


def put_lowered(
    graph: Graph,
    copy: Copy,
    chosen: Callable[[Node], bool] = lambda _: True,
    all_enter: bool = False,
) -> set[str]:
    """Copy the nodes of `graph`, those that are `chosen` lowered; calls stay calls.

    With `all_enter` loops bring in constants from outside, too, and carry variables that stay as
    they are, as TensorFlow 1's do. Returns the frames of loops that no gradients flow through.
    """
    lowering = _Lowering(chosen, all_enter)
    _put(graph, _Site(copy), lowering)
    return lowering.closed


@dataclass
class _Lowering:
    """What the lowering of one graph has in common: which nodes, and names for their frames."""

    chosen: Callable[[Node], bool]
    all_enter: bool = False
    """Whether constants from outside enter loops."""
    frames: count[int] = field(default_factory=count)
    closed: set[str] = field(default_factory=set)
    """The frames of loops that no gradients flow through."""

    def orders(self, op: Op) -> bool:
        """Return whether later turns wait for an operator's effect; TensorFlow 1 has few wait."""
        if op.effect in (Effect.NONE, Effect.DRAW):
            return False
        if self.all_enter and op.role in (Role.IF, Role.WHILE):
            return any(self.orders(x.op) for part in op.regions() for x in part.nodes)
        is_free = op.effect is Effect.READ or isinstance(op, OfArrays)
        return not (self.all_enter and is_free)


class _Site:
    """Where the nodes of one region are put, and what makes them wait for its gate."""

    def __init__(
        self, copy: Copy, gate: Node | None = None, guarded: Iterable[Node] = ()
    ) -> None:
        self.copy = copy
        self.gate = gate
        """What is alive if, and only if, the region is run; None at the outermost level."""
        self.guarded = set(guarded)
        """Nodes that are dead if the gate is."""
        self.effects: list[Node] = []
        """Nodes that a later turn of a loop must wait for."""

    def inputs(self, node: Node) -> list[SymbolicTensor]:
        """Return what `node` takes, as it is here."""
        return [self.copy.tensors[id(x)] for x in node.inputs]

    def waiting(self, sources: Iterable[Node]) -> list[Node]:
        """Return the gate, as what to wait for, if none of `sources` waits for it already."""
        if self.gate is None or not self.guarded.isdisjoint(sources):
            return []
        return [self.gate]

    def plain(self, node: Node) -> None:
        """Copy a node as it is; all but constants wait for the gate."""
        there = self.copy.tensors
        inputs = [there[id(x)].node for x in node.inputs if id(x) in there]
        before = self.copy.before(node)
        if not inputs and not before and node.op.effect is Effect.NONE:
            self.copy.node(node)
            return
        gate = self.waiting([*inputs, *before])
        self.guarded.add(self.copy.node(node, control=gate))

    def add(
        self,
        node: Node,
        op: Op,
        inputs: Tensors,
        before: Sequence[Node] = (),
        device: DeviceName | None = None,
    ) -> Node:
        """Put in a node that belongs to the lowering of `node`, on its device or another."""
        sources = [*[x.node for x in inputs], *before]
        made = self.copy.target.add(
            op,
            inputs,
            device=device if device and device.kind else node.device,
            group=node.group,
            control=tuple(dict.fromkeys([*before, *self.waiting(sources)])),
            name=f"{node.name}/{op.name}",
            line=node.line,
        )
        self.guarded.add(made)
        return made

    def output(
        self,
        node: Node,
        op: Op,
        x: SymbolicTensor,
        before: Sequence[Node] = (),
        device: DeviceName | None = None,
    ) -> SymbolicTensor:
        """Put in a node of one input and one output, and return that."""
        return self.add(node, op, [x], before, device).outputs[0]

    def results(self, region: Graph) -> list[SymbolicTensor]:
        """Return a region's outputs; one that does not wait for the gate is passed on at it."""
        found = []
        for x in region.outputs:
            here = self.copy.tensors[id(x)]
            free = self.gate is not None and here.node not in self.guarded
            found.append(self.output(x.node, Identity(), here) if free else here)
        return found


def _put(graph: Graph, site: _Site, lowering: _Lowering) -> None:
    """Put the nodes of a region, lowered, at a site."""
    for node in graph.nodes:
        if node in site.copy.nodes or node.op.role is Role.INPUT:
            continue
        if node.op.role is Role.IF and lowering.chosen(node):
            _conditional(node, site, lowering)
        elif node.op.role is Role.WHILE and lowering.chosen(node):
            _Loop(node, site, lowering).put()
        else:
            site.plain(node)
        if lowering.orders(node.op):
            site.effects.extend(site.copy.nodes[node])


def _region(
    region: Graph, values: Tensors, site: _Site, lowering: _Lowering
) -> list[SymbolicTensor]:
    """Put an inner graph with `values` for its inputs at a site of its own; return its outputs."""
    site.copy = bound(site.copy.target, region, values)
    _put(region, site, lowering)
    return site.results(region)


def _conditional(node: Node, site: _Site, lowering: _Lowering) -> None:
    """Lower an If."""
    pred, *values = site.inputs(node)
    pred = site.output(node, Identity(), pred, site.copy.before(node))
    then, other = node.op.regions()
    places = [x.node.device for x in then.inputs]
    switched = [site.add(node, Switch(), [pred, pred])]
    for x, place in zip(values, places, strict=True):
        switched.append(site.add(node, Switch(), [x, pred], device=place))
    first, second = [
        _side(node, region, [one.outputs[side] for one in switched], site, lowering)
        for side, region in ((1, then), (0, other))
    ]
    # A Merge is alive whichever side was taken: it needs no gate of the site's.
    free = _Site(site.copy)
    merges = [
        free.add(node, Merge(), pair, device=pair[0].node.device)
        for pair in zip(second, first, strict=True)
    ]
    site.guarded.update(free.guarded)
    *outputs, done = [merge.outputs[0] for merge in merges]
    site.copy.stand_in(node, outputs, done.node)


def _side(
    node: Node, region: Graph, switched: Tensors, site: _Site, lowering: _Lowering
) -> list[SymbolicTensor]:
    """Put in one branch; return its outputs, and what is there when its effects are done."""
    pred, *arguments = switched
    gate = _Site(site.copy).add(node, Identity(), [pred])
    inside = _Site(site.copy, gate, [gate, *[x.node for x in switched]])
    outputs = _region(region, arguments, inside, lowering)
    if not inside.effects:
        return [*outputs, gate.outputs[0]]
    return [
        *outputs,
        inside.output(node, Identity(), gate.outputs[0], inside.effects),
    ]


@dataclass
class _Variable:
    """A loop variable that changes: what it is at the head of a turn, and in the body."""

    merge: Node
    switch: Node | None = None

    @property
    def taken(self) -> SymbolicTensor:
        """The value in the body."""
        assert self.switch is not None
        return self.switch.outputs[1]

    @property
    def left(self) -> SymbolicTensor:
        """The value after the last turn."""
        assert self.switch is not None
        return self.switch.outputs[0]


class _Loop:
    """The lowering of one While."""

    def __init__(self, node: Node, site: _Site, lowering: _Lowering) -> None:
        self.node = node
        self.site = site
        self.lowering = lowering
        self.cond, self.body = node.op.regions()
        self.frame = f"{node.name}/{next(lowering.frames)}"
        if not node.op.attributes().get("back_prop", True):
            lowering.closed.add(self.frame)
        self.parallel: int = node.op.attributes().get("parallel_iterations", 10)
        self.inside = _Site(site.copy)
        """The frame at large; condition and body have sites of their own within."""
        self.variables: dict[int, _Variable] = {}
        """Those that change, by position; the others are invariants."""

    def put(self) -> None:
        """Put the loop in, and let its results stand for the node."""
        values = self.site.inputs(self.node)
        entered = self.enter(values)
        go_on = self.condition(entered)
        outputs, effects = self.turn(entered, go_on)
        results, last = list(values), None
        for i, variable in self.variables.items():
            place = self.place(i)
            after = self.inside.output(
                self.node, NextIteration(), outputs[i], effects, place
            )
            variable.merge.set_input(1, after)
            results[i] = self.inside.output(
                self.node, Exit(), variable.left, device=place
            )
            last = results[i].node
            self.site.guarded.add(last)
        assert last is not None
        self.site.copy.stand_in(self.node, results, last)

    def place(self, position: int) -> DeviceName:
        """Return where a variable stands: where the body's input for it was placed."""
        place: DeviceName = self.body.inputs[position].node.device
        return place

    def changing(self) -> list[bool]:
        """Return for each variable whether it changes; one is treated so in any case."""
        pairs = zip(self.body.inputs, self.body.outputs, strict=True)
        carries = self.lowering.all_enter
        varies = [x is not y or (carries and is_carried(x)) for x, y in pairs]
        return varies if any(varies) else [True, *varies[1:]]

    def enter(self, values: Tensors) -> list[SymbolicTensor]:
        """Bring the variables in; return each as the condition sees it."""
        before = self.site.copy.before(self.node)
        entered = []
        for i, (x, varies) in enumerate(zip(values, self.changing(), strict=True)):
            if varies or self.lowering.all_enter or not is_free(x):
                op = Enter(self.frame, not varies, self.parallel)
                place = self.place(i)
                x = self.site.output(self.node, op, x, before, place)  # noqa: PLW2901  inside now
            entered.append(self.head(i, x) if varies else x)
        return entered

    def head(self, position: int, entered: SymbolicTensor) -> SymbolicTensor:
        """Return a variable that changes as every turn finds it."""
        merge = self.inside.add(
            self.node, Merge(), [entered, entered], device=self.place(position)
        )
        # No turn may rely on what is known of the first value only.
        merge.outputs[0].respecify(self.body.inputs[position].spec)
        self.variables[position] = _Variable(merge)
        return merge.outputs[0]

    def condition(self, entered: Tensors) -> SymbolicTensor:
        """Put in the condition; return whether there is another turn."""
        merges = [variable.merge for variable in self.variables.values()]
        site = _Site(self.site.copy, merges[0], merges)
        (holds,) = _region(self.cond, entered, site, self.lowering)
        return self.inside.output(self.node, LoopCond(), holds, site.effects)

    def turn(
        self, entered: Tensors, go_on: SymbolicTensor
    ) -> tuple[list[SymbolicTensor], list[Node]]:
        """Put in the body; return its outputs, and the nodes with effects."""
        switch = self.inside.add(self.node, Switch(), [go_on, go_on])
        gate = self.inside.add(self.node, Identity(), [switch.outputs[1]])
        taken = list(entered)
        for i, variable in self.variables.items():
            variable.switch = self.inside.add(
                self.node, Switch(), [entered[i], go_on], device=self.place(i)
            )
            taken[i] = variable.taken
        guarded = [gate, *[taken[i].node for i in self.variables]]
        site = _Site(self.site.copy, gate, guarded)
        return _region(self.body, taken, site, self.lowering), site.effects


def is_free(x: SymbolicTensor) -> bool:
    """Return whether a tensor is a constant, which is there in every frame."""
    node = x.node
    plain = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
    return plain and not node.inputs and not node.control
