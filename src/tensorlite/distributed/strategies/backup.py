"""Backup workers: a step is over when all but a few have brought their gradients.

Source: OSDI'16, section 4.4. Each worker's step takes a token, which bears the number of the
training step, and puts its gradients into accumulators on the servers; those of an earlier step
are dropped there. The chief's step takes the means as soon as there are enough, updates the
variables, and hands out the tokens of the next step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError, note
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor
from tensorlite.core.waiting import Cancel
from tensorlite.distributed.strategies.apart import Alone, Apart
from tensorlite.distributed.strategies.shards import (
    Batch,
    Reduce,
    Share,
    cut,
    joined,
)
from tensorlite.distributed.strategies.steps import Step, key_of, name_of
from tensorlite.distributed.strategies.updating import on
from tensorlite.function.function import Function, function
from tensorlite.graph.trace import outermost
from tensorlite.ops.arrays.create import fill
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.queues.accumulator_ops import MEAN_OF_ALL, SUM
from tensorlite.ops.queues.accumulators import ConditionalAccumulator
from tensorlite.ops.queues.queues import PriorityQueue
from tensorlite.ops.queues.sparse_accumulators import SparseConditionalAccumulator
from tensorlite.ops.sparse.slices import densify
from tensorlite.ops.state.making import creation
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer, Pair

if TYPE_CHECKING:
    from tensorlite.distributed.strategies.base import Strategy

Accumulator = ConditionalAccumulator | SparseConditionalAccumulator
CHIEF = -1
"""Stands among the workers for the chief."""


class Ticket(NamedTuple):
    """What a worker's step has: where its gradients go, and of which training step it is."""

    exchanged: Exchanged
    token: Tensor
    scale: Tensor | None
    """By how much its share of the batch is larger than the mean; None: all are equal."""
    applied: list[Any]
    """The nodes by which its gradients go there."""


class Gathering(NamedTuple):
    """One call of apply_gradients: the optimizer, and where each variable's gradients go."""

    optimizer: Optimizer
    variables: tuple[Variable, ...]
    accumulators: tuple[Accumulator, ...]


class Round:
    """A training step that is under way: what has come of it so far."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.is_updated = False
        self.is_over = False
        self.results: dict[int, Any] = {}
        self.error: BaseException | None = None


class Exchanged:
    """What workers and the chief share for one step function: tokens, accumulators, a ledger."""

    def __init__(self, strategy: Strategy) -> None:
        self.home = strategy.tasks.servers[0]
        self.count = strategy.count
        self.gatherings: list[Gathering] = []
        with interpreted_by(None), on(self.home):
            self.tokens = PriorityQueue(-1, [dtypes.int64], [()], name="tokens")
            """The newest first: one that is left behind must not make another worker late."""
            self.ledger = ConditionalAccumulator(dtypes.float32, (), "ledger", SUM)
            """Each worker's step adds 1 to it last, and is counted by it when it comes too late."""
            self.step = Variable(
                np.asarray(0, np.int64), trainable=False, name="global_step"
            )
            self.tokens.enqueue_many([np.zeros(self.count, np.int64)] * 2)
        self.chief: Function[..., Any] = function(
            self._updated, autograph=False, name="chief"
        )

    def gathering(
        self, call: int, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Gathering:
        """Return where the gradients of a call go; made by the first replica that is traced."""
        variables = tuple([variable for _, variable in pairs])
        if call == len(self.gatherings):
            made = tuple([_accumulator(g, variable) for g, variable in pairs])
            self.gatherings.append(Gathering(optimizer, variables, made))
        known = self.gatherings[call]
        ids = [list(map(id, some)) for some in (known.variables, variables)]
        if known.optimizer is not optimizer or ids[0] != ids[1]:
            raise InvalidArgumentError(
                "the replicas of the step apply gradients to different variables, or by different "
                "optimizers; all must do the same"
            )
        return known

    def _updated(self, required: Tensor, left: Tensor) -> Tensor:
        """Do what ends a training step, and return how many workers' gradients it has."""
        tracing = outermost()
        before = 0 if tracing is None else len(tracing.effects)
        for optimizer, variables, accumulators in self.gatherings:
            with on(optimizer.iterations.device):
                means = [_taken(one, required) for one in accumulators]
                optimizer.update(zip(means, variables, strict=True))
        with on(self.home):
            counted = self.ledger.take_grad(required)
            updates = [] if tracing is None else tracing.effects[before:]
            with control_dependencies(updates):
                self.tokens.dequeue_many(left)
                self.step.assign_add(np.asarray(1, np.int64))
                number = fill([self.count], self.step.value())
                self.tokens.enqueue_many([-number, number])
        return counted


def _accumulator(g: Tensor | IndexedSlices | None, variable: Variable) -> Accumulator:
    """Return an accumulator for gradients like this one, beside the variable."""
    spec, name = variable.spec, f"{variable.name}/gradients"
    token = creation.set(None)
    try:
        with interpreted_by(None), on(variable.device):
            if isinstance(g, IndexedSlices):
                return SparseConditionalAccumulator(
                    spec.dtype, spec.shape, name, MEAN_OF_ALL
                )
            return ConditionalAccumulator(spec.dtype, spec.shape, name)
    finally:
        creation.reset(token)


def _taken(accumulator: Accumulator, required: Tensor) -> Tensor | IndexedSlices:
    if isinstance(accumulator, SparseConditionalAccumulator):
        return accumulator.take_indexed_slices_grad(required)
    return accumulator.take_grad(required)


class Backup(Apart):
    """Runs synchronous steps that are over when all but some workers are through."""

    alone_only = True

    def __init__(self, strategy: Strategy, backup: int) -> None:
        super().__init__(strategy)
        self.backup = backup
        self._busy: dict[int, Cancel | None] = {}
        """What gives up the step of each worker that has one."""
        self._exchanged: dict[object, Exchanged] = {}
        self._through = self._used = 0
        """How many steps workers have taken, and how many of them updates were made of."""
        self._late: list[BaseException] = []
        """What went wrong in steps of workers that nobody waited for any more."""
        self._generation = 0
        """How often all began anew; what comes of earlier steps then is of no interest."""

    @property
    def dropped(self) -> int:
        """How many steps of workers came too late, so that their gradients were not used."""
        with self.lock:
            return max(0, self._through - self._used)

    def run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Any:
        """Return the mean over the workers that brought their gradients in time."""
        key, now = key_of(step), Round(self._generation)
        if key not in self._exchanged:
            self.join()  # tokens of another step function count for that alone
            self._exchanged[key] = Exchanged(self.strategy)
        own = cut(batch, self.strategy.count)
        required = max(1, len(own.shares) - self.backup)
        try:
            found = self._through_with(step, own, required, now)
        except BaseException:
            self.reset()
            raise
        there = tuple([share for share in own.shares if share.replica in found])
        return joined([found[x.replica] for x in there], Batch(there), reduce)

    def _through_with(
        self, step: Step, own: Batch, required: int, now: Round
    ) -> dict[int, Any]:
        """Return the results of the workers that were through in time."""
        shares = self._idle(own, required)
        self._begin(step, shares, own, now)
        if now.error is None:
            exchanged = self._exchanged[key_of(step)]
            self._begin_chief(exchanged, now, required, len(shares))
        enough = partial(self._is_enough, now, required)
        self.strategy.tasks.wait(enough, f"{required} workers and the servers")
        with self.lock:
            now.is_over = True
            if now.error is not None:
                raise now.error
            return dict(now.results)

    def _idle(self, own: Batch, required: int) -> list[Share]:
        """Return the shares whose workers are free, once there are enough of them."""

        def free() -> list[Share]:
            with self.lock:
                return [x for x in own.shares if x.replica not in self._busy]

        what = f"{required} workers that are free"
        self.strategy.tasks.wait(lambda: len(free()) >= required, what)
        self._raise_late()
        return free()

    def _begin(self, step: Step, shares: list[Share], own: Batch, now: Round) -> None:
        """Begin the workers' steps."""
        weights = dict(zip([x.replica for x in own.shares], own.weights, strict=True))
        for share in shares:
            worker, scale = share.replica, None
            if not own.is_even:
                more = weights[worker] * len(own.shares)
                scale = EagerTensor(np.asarray(more, np.float32))
            ended = partial(self._ended, now, worker, name_of(step))
            with self.lock:
                self._busy[worker] = None
            program = self.program(step, worker)
            given = (scale, *share.arguments)
            cancel = self.strategy.tasks.begin(program, given, ended)
            with self.lock:
                if worker in self._busy:
                    self._busy[worker] = cancel

    def _begin_chief(
        self, exchanged: Exchanged, now: Round, required: int, begun: int
    ) -> None:
        """Begin the step that takes the gradients of `required` workers, of those begun."""
        left = self.strategy.count - begun
        numbers = [EagerTensor(np.asarray(n, np.int32)) for n in (required, left)]
        with self.lock:
            self._busy[CHIEF] = None
        ended = partial(self._updated, now)
        cancel = self.strategy.tasks.begin(exchanged.chief, tuple(numbers), ended)
        with self.lock:
            if CHIEF in self._busy:
                self._busy[CHIEF] = cancel

    def _ended(self, now: Round, worker: int, name: str, found: Any) -> None:
        """Take the result of a worker's step, which may be one of an earlier training step."""
        with self.lock:
            if now.generation != self._generation:
                return
            self._busy.pop(worker, None)
            if not isinstance(found, BaseException):
                now.results[worker] = found
                self._through += 1
                return
            where = self.strategy.workers[worker]
            note(found, f"in a step of {name} by worker {worker}, {where}")
            if now.is_over:
                self._late.append(found)
            now.error = now.error or found

    def _updated(self, now: Round, found: Any) -> None:
        """Take the answer of the chief's step."""
        with self.lock:
            if now.generation != self._generation:
                return
            self._busy.pop(CHIEF, None)
            now.is_updated = True
            if isinstance(found, BaseException):
                now.error = now.error or found
            else:
                self._used += int(found)

    def _is_enough(self, now: Round, required: int) -> bool:
        with self.lock:
            enough = now.is_updated and len(now.results) >= required
            return enough or now.error is not None

    def _raise_late(self) -> None:
        with self.lock:
            late = self._late
        if late:
            self.reset()
            raise late[0]

    def reset(self) -> None:
        """Forget what steps have left: tokens, and gradients of some of the workers."""
        with self.lock:
            cancels = [cancel for cancel in self._busy.values() if cancel is not None]
            self._busy, self._late = {}, []
            dropped, self._generation = self.dropped, self._generation + 1
        for cancel in cancels:
            cancel()
        self._through, self._used = dropped, 0
        self._exchanged, self._programs = {}, {}

    def taken(
        self, step: Step, index: int, given: tuple[Any, ...], context: Any = None
    ) -> Any:
        """Return what the step returns for a replica, which takes a token first."""
        scale, *arguments = given
        exchanged = self._exchanged[key_of(step)]
        with on(exchanged.home):
            _, token = exchanged.tokens.dequeue()
        ticket = Ticket(exchanged, token, scale, [])
        with control_dependencies([token]):
            result = super().taken(step, index, tuple(arguments), ticket)
        with on(exchanged.home), control_dependencies(ticket.applied):
            exchanged.ledger.apply_grad(np.float32(1), token)
        return result

    def apply(self, here: Alone, optimizer: Optimizer, pairs: list[Pair]) -> None:
        """Bring a replica's gradients to the accumulators."""
        ticket: Ticket = here.context
        there = [(g, variable) for g, variable in pairs if g is not None]
        known = ticket.exchanged.gathering(here.calls - 1, optimizer, there)
        tracing = outermost()
        before = 0 if tracing is None else len(tracing.effects)
        for (g, variable), one in zip(there, known.accumulators, strict=True):
            _apply(one, variable, _weighed(g, ticket.scale), ticket.token)
        if tracing is not None:
            ticket.applied.extend(tracing.effects[before:])

    def join(self) -> None:
        """Wait until all workers are through, and raise what went wrong in a late one."""
        self.strategy.tasks.wait(lambda: not self._busy, "all workers")
        self._raise_late()


def _weighed(
    g: Tensor | IndexedSlices | None, scale: Tensor | None
) -> Tensor | IndexedSlices | None:
    if scale is None or g is None:
        return g
    if isinstance(g, IndexedSlices):
        values = g.values * astype(scale, g.dtype)
        return IndexedSlices(values, g.indices, g.dense_shape)
    return g * astype(scale, g.dtype)


def _apply(
    accumulator: Accumulator,
    variable: Variable,
    g: Tensor | IndexedSlices | None,
    token: Tensor,
) -> None:
    """Bring a gradient to its accumulator, where that is."""
    with on(variable.device):
        if isinstance(accumulator, SparseConditionalAccumulator):
            assert isinstance(g, IndexedSlices)
            accumulator.apply_indexed_slices_grad(g, token)
        else:
            assert g is not None
            dense = densify(g) if isinstance(g, IndexedSlices) else g
            accumulator.apply_grad(astype(dense, variable.dtype), token)
