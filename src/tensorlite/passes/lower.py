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
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.dataflow import Enter, Exit, LoopCond, Merge, NextIteration, Switch
from tensorlite.ops.identity import Identity
from tensorlite.passes.inline import inline
from tensorlite.passes.rewrite import Copy, bound

Tensors = Sequence[SymbolicTensor]


def lower(graph: Graph) -> Graph:
    """Return `graph` without inner graphs; calls of recursive functions stay calls."""
    graph = inline(graph)
    lowering = _Lowering(Graph(graph.name))
    copy = Copy(lowering.target)
    copy.inputs(graph)
    lowering.region(graph, _Place(copy, None, set()))
    return copy.finish(graph)


class _Place:
    """Where nodes are put: the region's copy, its gate, and what is alive only if the gate is."""

    def __init__(self, copy: Copy, gate: Node | None, guarded: set[Node]) -> None:
        self.copy = copy
        self.gate = gate
        self.guarded = guarded
        self.effects: list[Node] = []
        """Nodes that a later turn of a loop must wait for."""


class _Lowering:
    """The lowering of one graph and all inside it, into one graph."""

    def __init__(self, target: Graph) -> None:
        self.target = target
        self.frames = count()

    def region(self, graph: Graph, place: _Place) -> None:
        """Put the nodes of a region into the target."""
        for node in graph.nodes:
            if node in place.copy.nodes or node.op.role is Role.INPUT:
                continue
            if node.op.role is Role.IF:
                self.conditional(node, place)
            elif node.op.role is Role.WHILE:
                self.loop(node, place)
            else:
                self.plain(node, place)
            if node.op.effect not in (Effect.NONE, Effect.DRAW):
                place.effects.extend(place.copy.nodes[node])

    def plain(self, node: Node, place: _Place) -> None:
        """Copy a node as it is."""
        there = place.copy.tensors
        inputs = [there[id(x)].node for x in node.inputs if id(x) in there]
        before = place.copy.before(node)
        constant = not node.inputs and not before and node.op.effect is Effect.NONE
        gate = [] if constant else self.gate(place, [*inputs, *before])
        copied = place.copy.node(node, control=gate)
        if not constant:
            place.guarded.add(copied)

    def gate(self, place: _Place, sources: Iterable[Node]) -> list[Node]:
        """Return the gate if none of `sources` waits for it already."""
        if place.gate is None or not place.guarded.isdisjoint(sources):
            return []
        return [place.gate]

    def add(
        self, place: _Place, node: Node, op: Op, inputs: Tensors, before: Sequence[Node] = ()
    ) -> Node:
        """Put a node into the target that belongs to the lowering of `node`."""
        gate = self.gate(place, [*[x.node for x in inputs], *before])
        made = self.target.add(
            op,
            inputs,
            device=node.device,
            control=tuple(dict.fromkeys([*before, *gate])),
            name=f"{node.name}/{op.name}",
            line=node.line,
        )
        place.guarded.add(made)
        return made

    def alive(self, x: SymbolicTensor, place: _Place, node: Node) -> SymbolicTensor:
        """Return `x`, or a copy of it that is alive only if the gate is."""
        if place.gate is None or x.node in place.guarded:
            return x
        return self.add(place, node, Identity(), [x]).outputs[0]

    def inner(
        self, region: Graph, values: Tensors, gate: Node, guarded: set[Node]
    ) -> tuple[list[SymbolicTensor], list[Node]]:
        """Put an inner graph into the target; return its outputs, and its nodes with effects."""
        place = _Place(bound(self.target, region, values), gate, guarded)
        self.region(region, place)
        there = place.copy.tensors
        return [self.alive(there[id(x)], place, x.node) for x in region.outputs], place.effects

    def inputs(self, node: Node, place: _Place) -> list[SymbolicTensor]:
        """Return what `node` takes."""
        return [place.copy.tensors[id(x)] for x in node.inputs]

    def conditional(self, node: Node, place: _Place) -> None:
        """Lower an If."""
        pred, *values = self.inputs(node, place)
        pred = self.add(place, node, Identity(), [pred], place.copy.before(node)).outputs[0]
        switched = [self.add(place, node, Switch(), [x, pred]) for x in (pred, *values)]
        sides = []
        for side, region in zip((1, 0), node.op.regions(), strict=True):
            guarded = set[Node]()
            inside = _Place(place.copy, None, guarded)
            gate = self.add(inside, node, Identity(), [switched[0].outputs[side]])
            arguments = [each.outputs[side] for each in switched[1:]]
            outputs, effects = self.inner(region, arguments, gate, guarded | set(switched))
            sides.append((outputs, self.joined(inside, node, [gate, *effects])))
        (then, then_done), (other, other_done) = sides
        open_place = _Place(place.copy, None, place.guarded)
        merged = [
            self.add(open_place, node, Merge(), pair).outputs[0]
            for pair in zip(then, other, strict=True)
        ]
        done = self.add(open_place, node, Merge(), [then_done, other_done])
        place.copy.stand_in(node, merged, done)

    def joined(self, place: _Place, node: Node, effects: list[Node]) -> SymbolicTensor:
        """Return a tensor that is there when all of `effects` have run."""
        gate, *rest = effects
        if not rest:
            return gate.outputs[0]
        return self.add(place, node, Identity(), [gate.outputs[0]], rest).outputs[0]

    def loop(self, node: Node, place: _Place) -> None:
        """Lower a While."""
        cond, body = node.op.regions()
        values, before = self.inputs(node, place), place.copy.before(node)
        varying = [x is not y for x, y in zip(body.inputs, body.outputs, strict=True)]
        if not any(varying):
            varying[0] = True
        frame = f"{node.name}/{next(self.frames)}"
        parallel = getattr(node.op, "parallel_iterations", 10)
        entered = [
            x
            if is_free(x) and not varies
            else self.add(place, node, Enter(frame, not varies, parallel), [x], before).outputs[0]
            for x, varies in zip(values, varying, strict=True)
        ]
        inside = _Place(place.copy, None, set())
        merges = [
            self.add(inside, node, Merge(), [x, x]) if varies else None
            for x, varies in zip(entered, varying, strict=True)
        ]
        current = [x if m is None else m.outputs[0] for x, m in zip(entered, merges, strict=True)]
        for m, inside_body in zip(merges, body.inputs, strict=True):
            if m is not None:
                m.outputs[0].respecify(inside_body.spec)
        first = next(m for m in merges if m is not None)
        turned = {m for m in merges if m is not None}
        (holds,), effects = self.inner(cond, current, first, turned)
        go_on = self.add(inside, node, LoopCond(), [holds], effects).outputs[0]
        self.body(node, place, inside, merges, current, go_on)

    def body(
        self,
        node: Node,
        place: _Place,
        inside: _Place,
        merges: list[Node | None],
        current: list[SymbolicTensor],
        go_on: SymbolicTensor,
    ) -> None:
        """Lower the body of a While, close the loop, and bring the variables out."""
        _, body = node.op.regions()
        gate = self.add(
            inside, node, Identity(), [self.add(inside, node, Switch(), [go_on, go_on]).outputs[1]]
        )
        switches = [
            None if m is None else self.add(inside, node, Switch(), [m.outputs[0], go_on])
            for m in merges
        ]
        taken = [x if s is None else s.outputs[1] for x, s in zip(current, switches, strict=True)]
        guarded = {gate, *[s for s in switches if s is not None]}
        outputs, effects = self.inner(body, taken, gate, guarded)
        results = []
        for x, y, m, s in zip(self.inputs(node, place), outputs, merges, switches, strict=True):
            if m is None or s is None:
                results.append(x)
                continue
            m.set_input(1, self.add(inside, node, NextIteration(), [y], effects).outputs[0])
            results.append(self.add(inside, node, Exit(), [s.outputs[0]]).outputs[0])
        exits = [x.node for x in results if x.node.op.role is Role.EXIT]
        place.guarded.update(exits)
        place.copy.stand_in(node, results, exits[-1])


def is_free(x: SymbolicTensor) -> bool:
    """Return whether a tensor is a constant, which is there in every frame."""
    node = x.node
    plain = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
    return plain and not node.inputs and not node.control
