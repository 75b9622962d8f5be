"""rewound: gradients of a graph of primitives, by nodes of TensorFlow 1, in its order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from tensorlite.core.op import Call, Gradient, Grads, Op, Role
from tensorlite.core.scope import Scope, scope
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import DIFFERENTIABLE, pulled, total_of
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.interop.tensorflow.rewinding.arrays import OF_ARRAYS
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    NotRewoundError,
    Surroundings,
)
from tensorlite.interop.tensorflow.rewinding.turns import Turns
from tensorlite.ops.arrays.create import ZerosLike
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import (
    Enter,
    Exit,
    Merge,
    NextIteration,
    Switch,
)

Flowing = dict[SymbolicTensor, list[Tensor | IndexedSlices]]


class Rewinding:
    """One asking for gradients of a graph of primitives."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name
        self.maker = Maker(graph)
        self.surroundings = Surroundings(graph)
        self.outside = set(graph.nodes)
        self.takers = Surroundings.consumers(graph)
        self.loops: dict[object, Turns] = {}
        self.flowing: Flowing = {}
        self.pending: Counter[Node] = Counter()
        self.reached: set[int] = set()
        self.queue: deque[Node] = deque()
        self.stops: set[SymbolicTensor] = set()
        self.entering: set[Node] = set()
        """What brings a gradient into a loop, which is in that."""
        self.ends: set[Node] = set()
        """The nodes of sources that no gradients go on from."""

    def gradients(
        self,
        targets: Sequence[SymbolicTensor],
        flows: Sequence[Gradient],
        sources: Sequence[SymbolicTensor],
        stops: Sequence[SymbolicTensor],
    ) -> list[Gradient]:
        """Return the gradients of targets by sources."""
        self.stops = set(stops)
        token = scope.set(Scope(self.name))
        try:
            with self.graph.building():
                self._sweep(targets, flows, sources)
                self._end_loops()
                return [total_of(x, self.flowing.get(x)) for x in sources]
        finally:
            scope.reset(token)

    def _sweep(
        self,
        targets: Sequence[SymbolicTensor],
        flows: Sequence[Gradient],
        sources: Sequence[SymbolicTensor],
    ) -> None:
        between = self._between([y.node for y in targets], sources)
        reachable = [
            x for x in dict.fromkeys(y.node for y in targets) if x in between
        ]
        for node in list(between):
            if node.op.role is Role.EXIT:
                self._begin_loop(node, between)
        used = [x.node for node in between for x in node.inputs]
        self.pending.update([node for node in used if node in between])
        for y, dy in zip(targets, flows, strict=True):
            if dy is not None:
                self._flow(y, dy)
        self.ends = {
            x.node
            for x in sources
            if not any(self.pending[y.node] for y in x.node.inputs)
        }
        self._begin([node for node in reachable if not self.pending[node]])
        wanted = set(sources)
        while self.queue:
            self._step(self.queue.popleft(), wanted)

    def _begin(self, first: Sequence[Node]) -> None:
        """Let gradients go on from where they begin, and from results that nothing uses."""
        self.queue.extend(first)
        self._begin_unused(set(first))
        for turns in self.loops.values():
            for enter in turns.enters:
                self.pending[enter] = self.pending[enter] or 1

    def _between(
        self, ends: Sequence[Node], sources: Sequence[SymbolicTensor]
    ) -> dict[Node, None]:
        """Return the nodes between sources and ends, those that are made last before others."""
        reached: set[Node] = set()
        waiting = deque(x.node for x in sources)
        while waiting:
            node = waiting.popleft()
            if node in reached:
                continue
            reached.add(node)
            for y in node.outputs:
                if y.dtype.kind in DIFFERENTIABLE:
                    self.reached.add(id(y))
                    waiting.extend(self.takers.get(y, ()))
        found: dict[Node, None] = {}
        waiting = deque(ends)
        while waiting:
            node = waiting.popleft()
            if node in reached:
                reached.remove(node)
                found[node] = None
                waiting.extend([x.node for x in node.inputs])
        return dict.fromkeys(reversed(found))

    # --- loops --------------------------------------------------------------------------------

    def _begin_loop(self, node: Node, between: dict[Node, None]) -> None:
        around = self.surroundings.loop(node)
        if around is None:
            raise NotRewoundError(f"{node.name} is of no loop that is known")
        if around not in self.loops:
            self.maker.line = node.line
            made = Turns(self.maker, around, self.surroundings, self.outside)
            self.loops[around] = made
            between.update(dict.fromkeys(made.exits))

    def _begin_unused(self, ends: set[Node]) -> None:
        """Let zeros flow into results of loops that nothing uses, if all others are reached."""
        for turns in self.loops.values():
            for node in turns.exits:
                if self.pending[node]:
                    continue
                turns.pending -= 1
                if node not in ends:
                    turns.unused.append(node)
                if not turns.pending:
                    self._begin_zeros(turns.unused)

    def _begin_zeros(self, exits: Sequence[Node]) -> None:
        for node in exits:
            if node.outputs[0].dtype.kind in DIFFERENTIABLE:
                self._flow(node.outputs[0], self._zeros_for_exit(node.outputs[0]))
                self.queue.append(node)

    def _zeros_for_exit(self, x: SymbolicTensor) -> SymbolicTensor:
        if all_known(x.spec.shape):
            return self.maker.zeros(x.spec.shape, x.dtype)
        return self.maker.node(ZerosLike(), (x,), "zeros_like").outputs[0]

    def _end_loops(self) -> None:
        """Let zeros flow back from turns whose values do not hang on those before."""
        for turns in self.loops.values():
            for merge in turns.switches.values():
                x = merge.inputs[0]
                if merge.inputs[1] is not x:
                    continue
                sizes = x.spec.shape
                if not all_known(sizes):
                    raise NotRewoundError(
                        f"{merge.name} is of a shape that is not known"
                    )
                with turns.inside():
                    zero = self.maker.zeros(sizes, x.dtype)
                    zero.node.control = (turns.pivot,)
                    after = self.maker.node(NextIteration(), (zero,))
                merge.set_input(1, after.outputs[0])

    def _turns(self, node: Node, before: bool = False) -> Turns | None:
        """Return the loop that goes back through that in which a node is."""
        if before and node.op.role is Role.EXIT:
            return None
        around = self.surroundings.loop(node)
        return None if around is None else self.loops.get(around)

    @contextmanager
    def _within(self, turns: Turns | None) -> Iterator[None]:
        with nullcontext() if turns is None else turns.inside():
            begun = len(self.graph.nodes)
            yield
            if turns is None:
                made = self.graph.nodes[begun:]
                self.outside.update([x for x in made if x not in self.entering])

    # --- nodes --------------------------------------------------------------------------------

    def _step(self, node: Node, wanted: set[SymbolicTensor]) -> None:
        self.maker.line = node.line
        with self._within(self._turns(node, before=True)):
            dys = self._arrived(node, wanted)
        turns = self._turns(node)
        with self._within(None if node.op.role is Role.EXIT else turns):
            if any(dy is not None for dy in dys) and node not in self.ends:
                found = self._pulled(node, dys, turns)
                for x, dx in zip(node.inputs, found, strict=True):
                    if dx is not None:
                        self._flow(x, dx)
        for x in node.inputs:
            self.pending[x.node] -= 1
            self._make_ready(x.node)

    def _make_ready(self, node: Node) -> None:
        left = self.pending[node]
        is_loops = node.op.role is Role.SWITCH and self._turns(node) is not None
        if left and not (left > 0 and is_loops):
            return
        turns = self._turns(node) if node.op.role is Role.EXIT else None
        if turns is None:
            self.queue.append(node)
            return
        turns.deferred.append(node)
        turns.pending -= 1
        if turns.pending:
            return
        flowed = [x for x in turns.deferred if self.flowing.get(x.outputs[0])]
        self.queue.extend(flowed)
        others = [x for x in turns.deferred if x not in flowed] + turns.unused
        if flowed:
            self._begin_zeros(others)
        else:
            self.queue.extend(others)

    def _flow(self, x: SymbolicTensor, dx: Tensor | IndexedSlices) -> None:
        self.flowing.setdefault(x, []).append(dx)

    def _arrived(self, node: Node, wanted: set[SymbolicTensor]) -> list[Gradient]:
        dys: list[Gradient] = []
        for y in node.outputs:
            total = total_of(y, self.flowing.pop(y, None))
            if total is not None and y in wanted:
                self.flowing[y] = [total]
            dys.append(None if y in self.stops else total)
        return dys

    def _pulled(
        self, node: Node, dys: list[Gradient], turns: Turns | None
    ) -> Sequence[Gradient]:
        special = _SPECIAL.get(node.op.name)
        array = OF_ARRAYS.get(node.op.name)
        if special is None and array is None:
            if not node.op.differentiable and not self.graph.pulls(node):
                return [None] * len(node.inputs)
            self.maker.base = f"{self.name}/{node.name}_grad"
            return pulled(node, dys, self.reached)
        if any(isinstance(dy, IndexedSlices) for dy in dys):
            raise NotRewoundError(f"rows of a gradient flow into {node.name}")
        if node.op.role is Role.SWITCH and turns is None:
            dys = self._with_zeros(node, dys)

        def way(*dys: Gradient) -> Sequence[Gradient]:
            if special is not None:
                return special(self, node, list(dys), turns)
            assert array is not None
            dy = next(x for x in dys if isinstance(x, SymbolicTensor))
            found = array(self.maker, node, dy, self.name)
            return [*found, *[None] * (len(node.inputs) - len(found))]

        with self.maker.scope(f"{node.name}_grad"):
            return self.graph.pull(
                node, _Call(_Way(way), node.inputs, node.outputs), dys
            )

    def _with_zeros(self, node: Node, dys: list[Gradient]) -> list[Gradient]:
        """Return gradients of both sides of a branch's Switch."""
        around = self.surroundings.of(node)
        if around is None or around.is_loop:
            raise NotRewoundError(f"{node.name} is of no branch that is known")
        branch = around.branch
        return [self.zeros_beside(node, branch) if dy is None else dy for dy in dys]

    def made(self, op: Op, inputs: Sequence[Gradient], title: str = "") -> Node:
        """Return a new node for the gradient of another."""
        given = [x for x in inputs if isinstance(x, SymbolicTensor)]
        return self.maker.node(op, given, title)

    def zeros_beside(self, node: Node, branch: int) -> Gradient:
        """Return zeros where the branch that a Switch leads to is not taken."""
        make = self.maker.node
        x = make(Switch(), node.inputs).outputs[1 - branch]
        there = make(Identity(), (x,))
        return self.maker.zeros(self.maker.shape(x), x.dtype, (there,))


class _Way(Op, abstract=True):
    """Stands for a primitive as what its gradient is asked of."""

    way: Callable[..., Sequence[Gradient]]

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Raise NotRewoundError: it is no node."""
        raise NotRewoundError("a way back is no node")

    def kernel(self, xp: Xp, *inputs: Array) -> Array:
        """Raise NotRewoundError: it does not run."""
        raise NotRewoundError("a way back does not run")

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return what flows back."""
        return tuple(self.way(*dys))


class _Call(NamedTuple):
    op: _Way
    inputs: tuple[SymbolicTensor, ...]
    outputs: tuple[SymbolicTensor, ...]


def _switch(
    here: Rewinding, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    if turns is not None:
        return [_loop_switch(here, node, dys, turns), None]
    return [here.made(Merge(), dys, "cond_grad").outputs[0], None]


def _loop_switch(
    here: Rewinding, node: Node, dys: list[Gradient], turns: Turns
) -> Gradient:
    known = turns.switches.get(node)
    if known is not None:
        if isinstance(dys[1], SymbolicTensor):
            after = here.made(NextIteration(), (dys[1],))
            known.set_input(1, after.outputs[0])
        return None
    if dys[0] is None:
        return None
    made = here.made(Merge(), (dys[0], dys[0]), "b_switch")
    made.outputs[0].respecify(node.inputs[0].spec.without_value())
    turns.switches[node] = made
    return made.outputs[0]


def _merge(
    here: Rewinding, node: Node, dys: list[Gradient], turns: Turns | None
) -> Sequence[Gradient]:
    if turns is not None:
        return here.made(Switch(), (dys[0], turns.going_on)).outputs
    around = here.surroundings.merged(node)
    if around is None or around.is_loop:
        raise NotRewoundError(f"{node.name} joins no branches that are known")
    name, _, index = around.pred.rpartition(":")
    pred = here.graph.get_operation_by_name(name).outputs[int(index)]
    return here.made(Switch(), (dys[0], pred), "cond_grad").outputs


def _exit(
    here: Rewinding, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    if turns is None:
        raise NotRewoundError(f"{node.name} ends no loop that is known")
    made = here.made(turns.entering(), (dys[0],), "b_exit")
    here.entering.add(made)
    return [made.outputs[0]]


def _following(
    _: Rewinding, __: Node, dys: list[Gradient], ___: Turns | None
) -> list[Gradient]:
    return [dys[0]]


def _enter(
    here: Rewinding, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    (dy,) = dys
    if turns is None or not isinstance(dy, SymbolicTensor):
        return [dy]
    assert isinstance(node.op, Enter)
    if node.op.is_constant:
        return [turns.added_up(node, dy)]
    with turns.left():
        return [here.made(Exit(), (dy,)).outputs[0]]


_SPECIAL: dict[
    str,
    Callable[[Rewinding, Node, list[Gradient], Turns | None], Sequence[Gradient]],
] = {
    "Enter": _enter,
    "Exit": _exit,
    "Merge": _merge,
    "NextIteration": _following,
    "Switch": _switch,
}
