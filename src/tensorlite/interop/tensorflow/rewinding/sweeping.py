"""rewound: gradients of a graph of primitives, by nodes of TensorFlow 1, in its order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

import numpy as np

from tensorlite.core.dtypes import resource
from tensorlite.core.op import Call, Gradient, Grads, Op, Role
from tensorlite.core.scope import Scope, scope
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import DIFFERENTIABLE, pulled, total_of
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.interop.tensorflow.rewinding.arrays import OF_ARRAYS
from tensorlite.interop.tensorflow.rewinding.contexts import loop_of
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.primitives import OF_PRIMITIVES
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    Branch,
    Loop,
    Noted,
    NotRewoundError,
    Surroundings,
)
from tensorlite.interop.tensorflow.rewinding.turns import Turns
from tensorlite.ops.arrays.create import ZerosLike
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import NextIteration, Switch
from tensorlite.ops.state.resource import VariableShape

Flowing = dict[SymbolicTensor, list[Tensor | IndexedSlices]]


class Rewinding:
    """One asking for gradients of a graph of primitives."""

    def __init__(self, graph: Graph, name: str, noted: Noted | None = None) -> None:
        self.graph, self.name = graph, name
        self.maker = Maker(graph)
        self.surroundings = Surroundings(self.maker, noted)
        self.takers = Surroundings.consumers(graph)
        self.loops: dict[object, Turns] = {}
        self.flowing: Flowing = {}
        self.pending: Counter[Node] = Counter()
        self.reached: set[int] = set()
        self.queue: deque[Node] = deque()
        self.stops: set[SymbolicTensor] = set()
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
            with self.graph.building(), self.graph.putting(self.maker):
                self._sweep(targets, flows, sources)
                around = self.name.rpartition("/")[0]
                with self.maker.below(around):
                    self._end_loops()
                return [total_of(x, self.flowing.get(x)) for x in sources]
        finally:
            scope.reset(token)

    def unmoved(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return zeros like a source, for one that nothing hangs on."""
        token = scope.set(Scope(self.name))
        try:
            return self.maker.node(ZerosLike(), (x,), "zeros_like").outputs[0]
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
            for enter in turns.loop.enters:
                self.pending[enter] = self.pending[enter] or 1

    def _between(
        self, ends: Sequence[Node], sources: Sequence[SymbolicTensor]
    ) -> dict[Node, None]:
        """Return the nodes between sources and ends, those near the ends before others."""
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
        return found

    # --- loops --------------------------------------------------------------------------------

    def _begin_loop(self, node: Node, between: dict[Node, None]) -> None:
        loop = self.surroundings.loop(node)
        if loop is None:
            raise NotRewoundError(f"{node.name} is of no loop that is known")
        if loop not in self.loops:
            self.maker.line, self.maker.origin = node.line, None
            outer = self._around(node)
            self.loops[loop] = Turns(self.maker, loop, outer)
            between.update(dict.fromkeys(loop.exits))

    def _around(self, exit_: Node) -> Turns | None:
        """Return the loop that goes back through that around the one which an Exit ends."""
        return self._turns(exit_, before=True)

    def _begin_unused(self, ends: set[Node]) -> None:
        """Let zeros flow into results of loops that nothing uses, if all others are reached."""
        for turns in self.loops.values():
            for node in turns.loop.exits:
                if self.pending[node]:
                    continue
                turns.pending -= 1
                if node not in ends:
                    turns.unused.append(node)
                if not turns.pending:
                    self._begin_zeros(turns.unused)

    def _begin_zeros(self, exits: Sequence[Node]) -> None:
        for node in exits:
            if _flows(node):
                self._flow(node.outputs[0], self._zeros_for_exit(node.outputs[0]))
                self.queue.append(node)

    def _zeros_for_exit(self, x: SymbolicTensor) -> SymbolicTensor:
        turns = self._around(x.node)
        if all_known(x.spec.shape):
            with self._within(turns):
                return self.maker.zeros(x.spec.shape, x.dtype)
        if turns is None:
            return self.maker.node(ZerosLike(), (x,), "zeros_like").outputs[0]
        with self.maker.at(self.maker.contexts.of_output(x)):
            shape = self.maker.shape(x)
        return turns.zeros_of(shape, x)

    def _end_loops(self) -> None:
        """Let zeros flow back from turns whose values do not hang on those before."""
        for turns in self.loops.values():
            for merge in turns.switches.values():
                x = merge.inputs[0]
                if merge.inputs[1] is not x:
                    continue
                zero = self._zeros_of_turns(turns, x)
                with self.maker.at(turns.back):
                    after = self.maker.node(NextIteration(), (zero,))
                merge.set_input(1, after.outputs[0])

    def _zeros_of_turns(self, turns: Turns, x: SymbolicTensor) -> SymbolicTensor:
        """Return zeros like what a gradient enters a loop as."""
        if all_known(x.spec.shape):
            with self.maker.at(turns.back):
                return self._constant_zeros(x)
        with self.maker.at(turns.back.outer):
            return self.maker.zeros(self.maker.shape(x.node.inputs[0]), x.dtype)

    def _constant_zeros(self, x: SymbolicTensor) -> SymbolicTensor:
        return self.maker.constant(np.zeros(x.spec.shape), "Const", x.dtype)

    def _turns(self, node: Node, before: bool = False) -> Turns | None:
        """Return the loop that goes back through that in which a node is."""
        context = self.surroundings.of(node)
        if before and node.op.role is Role.EXIT and context is not None:
            context = context.outer
        loop = loop_of(context)
        return None if loop is None else self.loops.get(loop)

    def _within(self, turns: Turns | None) -> AbstractContextManager[None]:
        """Put what is made inside into a loop that goes back, or outside of all."""
        return self.maker.at(None if turns is None else turns.back)

    # --- nodes --------------------------------------------------------------------------------

    def _step(self, node: Node, wanted: set[SymbolicTensor]) -> None:
        self.maker.line, self.maker.origin = node.line, node
        with self._within(self._turns(node, before=True)):
            dys = self._arrived(node, wanted)
        turns = self._turns(node)
        with self._within(turns):
            if any(dy is not None for dy in dys) and node not in self.ends:
                found = self._pulled(node, dys, turns)
                for x, dx in zip(node.inputs, found, strict=True):
                    if dx is not None:
                        _tell_shape(dx, x)
                        self._flow(x, dx)
        for x in node.inputs:
            self.pending[x.node] -= 1
            self._make_ready(x.node)

    def _make_ready(self, node: Node) -> None:
        left = self.pending[node]
        if left and not (left > 0 and self.is_of_turns(node)):
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
        turns.unused += [x for x in turns.deferred if x not in flowed]
        if flowed:
            self._begin_zeros(turns.unused)
        self.queue.extend(x for x in turns.unused if not (flowed and _flows(x)))

    def is_of_turns(self, node: Node) -> bool:
        """Return whether a node is the Switch of a loop's variable."""
        is_switch = node.op.role is Role.SWITCH
        return is_switch and isinstance(self.surroundings.of(node), Loop)

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
        special = OF_PRIMITIVES.get(node.op.name)
        array = OF_ARRAYS.get(node.op.name)
        if special is None and array is None:
            if not node.op.differentiable and not self.graph.pulls(node):
                return [None] * len(node.inputs)
            dys = self._without_gaps(node, dys, turns)
            self.maker.base = f"{self.name}/{node.name}_grad"
            return pulled(node, dys, self.reached)
        passes = node.op.role in (Role.ENTER, Role.MERGE, Role.SWITCH)
        if not passes and any(isinstance(dy, IndexedSlices) for dy in dys):
            raise NotRewoundError(f"rows of a gradient flow into {node.name}")
        if special is not None:
            dys = self._without_gaps(node, dys, turns)

        def way(*dys: Gradient) -> Sequence[Gradient]:
            if special is not None:
                return special(self.maker, node, list(dys), turns)
            assert array is not None
            dy = next(x for x in dys if isinstance(x, SymbolicTensor))
            found = array(self.maker, node, dy, self.name)
            return [*found, *[None] * (len(node.inputs) - len(found))]

        with self.maker.scope(f"{node.name}_grad"):
            return self.graph.pull(
                node, _Call(_Way(way), node.inputs, node.outputs), dys
            )

    def _without_gaps(
        self, node: Node, dys: list[Gradient], turns: Turns | None
    ) -> list[Gradient]:
        """Return gradients of outputs, zeros for those of which there are none."""
        is_switch = node.op.role is Role.SWITCH
        if self.is_of_turns(node) or not (is_switch or turns):
            return dys
        return [
            self._zeros(y, turns) if dy is None and _has_zeros(y, turns) else dy
            for y, dy in zip(node.outputs, dys, strict=True)
        ]

    def _zeros(self, x: SymbolicTensor, turns: Turns | None) -> Gradient:
        """Return zeros like a tensor of the graph; where it is of a Switch, on the other side."""
        branch = self.surroundings.of(x.node)
        is_beside = x.node.op.role is Role.SWITCH
        if is_beside and branch is None and turns is None:
            return self.maker.node(ZerosLike(), (x,), "zeros_like").outputs[0]
        if is_beside and not isinstance(branch, Branch):
            raise NotRewoundError(f"{x.node.name} is of no branch that is known")
        beside = branch if is_beside and isinstance(branch, Branch) else None
        if turns is None:
            assert beside is not None
            return self._zeros_outside(x, beside)
        if not all_known(x.spec.shape):
            shape = self._shape_beside(x, beside)
            return turns.zeros_of(shape, x, is_beside)
        zeros = self._constant_zeros(x)
        if beside is None:
            return zeros
        pred = turns.known(beside.pred)
        return self.maker.node(Switch(), (zeros, pred)).outputs[1 - beside.side]

    def _zeros_outside(self, x: SymbolicTensor, branch: Branch) -> Gradient:
        """Return zeros where the branch that a Switch leads to is not taken."""
        make = self.maker.node
        here = make(Switch(), x.node.inputs).outputs[1 - branch.side]
        there = make(Identity(), (here,))
        if x.dtype is not resource:
            return self.maker.zeros(self.maker.shape(here), x.dtype, (there,))
        shape = make(VariableShape(), (here,)).outputs[0]
        return self.maker.zeros(shape, x.spec.inner[0].dtype, (there,))

    def _shape_beside(
        self, x: SymbolicTensor, branch: Branch | None
    ) -> SymbolicTensor:
        """Return the shape of a tensor in its loop; of a Switch, where its branch is not taken."""
        maker, of = self.maker, self.maker.contexts.of
        if branch is None:
            with maker.at(self.surroundings.of(x.node)):
                return maker.shape(x)
        with maker.at(branch.outer):
            other = maker.node(Switch(), (x.node.inputs[0], branch.pred))
            shape = maker.shape(other.outputs[1 - branch.side])
        of[other] = of[shape.node] = branch
        return shape


def _has_zeros(y: SymbolicTensor, turns: Turns | None) -> bool:
    """Return whether what has no gradient has zeros for one: values, and variables in branches."""
    if y.dtype is resource and turns is None and y.spec.inner:
        return y.spec.inner[0].dtype.kind in "fc"
    return y.dtype.kind in "fc"


def _tell_shape(dx: Gradient, x: SymbolicTensor) -> None:
    """Let a gradient whose shape is not known have that of what it is of."""
    if not isinstance(dx, SymbolicTensor) or all_known(dx.spec.shape):
        return
    if all_known(x.spec.shape):
        dx.respecify(x.spec.without_value())


def _flows(node: Node) -> bool:
    return node.outputs[0].dtype.kind in DIFFERENTIABLE


class _Way(Op, abstract=True):
    """Stands for a primitive as what its gradient is asked of; rows go their own ways."""

    takes_sparse = True
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
