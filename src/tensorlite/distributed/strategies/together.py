"""Together: all replicas of a step in one graph, so that a step costs one message for each task.

The user's function is called once for each replica inside one trace, all in turns as far as where
they apply gradients; there a subclass says what becomes of these.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import Interpreter, tracer
from tensorlite.core.errors import InvalidArgumentError, TracingError
from tensorlite.core.scope import device
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.strategies.base import Strategy, never_trained, trains
from tensorlite.distributed.strategies.lockstep import Lockstep
from tensorlite.distributed.strategies.shards import Batch, Reduce, Share, cut, joined
from tensorlite.distributed.strategies.shared import Sharing, sharing
from tensorlite.distributed.strategies.steps import (
    Step,
    key_of,
    name_of,
    python_of,
    tensors_of,
)
from tensorlite.distributed.strategies.tasks import ClusterTasks
from tensorlite.distributed.strategies.updating import on
from tensorlite.function.function import Function, function
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.fetchable import Fetchable
from tensorlite.ops.sparse.slices import accumulate
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer, Pair
from tensorlite.train.replica import replica

APPLYING = "optimizer.apply_gradients"


class Applied(NamedTuple):
    """The gradients that one replica brings, and to what they are to be applied."""

    position: int
    """Which of those that take part this is."""
    optimizer: Optimizer
    pairs: list[Pair]


class Joint(NamedTuple):
    """The gradients of one variable, of the replicas that have one."""

    variable: Variable
    gradients: list[Tensor | IndexedSlices]
    positions: list[int]
    """Whose they are, of those that take part."""


@dataclass(frozen=True, eq=False)
class Member:
    """A replica whose step is traced beside those of the others."""

    index: int
    count: int
    device: DeviceName
    position: int
    """Which of those that take part in this step it is."""
    steps: Lockstep
    tracer: Interpreter | None
    """What all of them are traced by."""

    def apply_gradients(
        self, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Fetchable:
        """Wait for the others, whose gradients are applied together with these."""
        if tracer() is not self.tracer:
            raise TracingError(
                f"{APPLYING} is called inside a branch, a loop or another traced function of the "
                "step, where the gradients of all replicas cannot be joined: call it in the step "
                "itself, and pass that to strategy.run"
            )
        brought = Applied(self.position, optimizer, list(pairs))
        self.steps.meet(self.position, brought)
        return None


class Together(Strategy):
    """A strategy that traces all replicas of a step into one function."""

    def __init__(self, tasks: Any) -> None:
        super().__init__(tasks)
        self._programs: dict[tuple[object, bool], Function[..., Any]] = {}

    def regroup(self) -> None:
        """Take the tasks that its cluster has now, and trace the steps anew."""
        if isinstance(self.tasks, ClusterTasks):
            self.tasks.renew()
        self._programs.clear()

    def _run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Any:
        return self._called(step, cut(batch, self.count), reduce, training=True)

    def _evaluate(
        self, function: Step, batch: tuple[Any, ...], reduce: Reduce
    ) -> Any:
        return self._called(function, cut(batch, self.count), reduce, training=False)

    def _called(
        self, step: Step, batch: Batch, reduce: Reduce, training: bool
    ) -> Any:
        program = self._program(step, training)
        who = tuple([(share.replica, share.rows) for share in batch.shares])
        results = program(who, [share.arguments for share in batch.shares])
        return joined(results, batch, reduce)

    def _program(self, step: Step, training: bool) -> Function[..., Any]:
        """Return the traced function that takes a step for all replicas."""
        key = key_of(step), training
        known = self._programs.get(key)
        if known is not None:
            return known

        def program(
            who: tuple[tuple[int, int | None], ...], given: list[tuple[Any, ...]]
        ) -> list[Any]:
            shares = [
                Share(index, own, rows)
                for (index, rows), own in zip(who, given, strict=True)
            ]
            return self._taken(step, Batch(tuple(shares)), training)

        made = function(program, autograph=False, name=name_of(step))
        self._programs[key] = made
        return made

    def _taken(self, step: Step, batch: Batch, training: bool) -> list[Any]:
        """Return what each replica's step returns; this is what is traced."""
        name = name_of(step)

        def merge(brought: list[Applied]) -> list[None]:
            if not training:
                raise trains(name)
            self._apply(brought, batch)
            return [None] * len(brought)

        steps, above, call = Lockstep(merge, APPLYING), tracer(), python_of(step)
        made: dict[Any, Any] = {}

        def body(position: int, share: Share) -> Any:
            place = self.place_of(share.replica)
            replica.set(
                Member(share.replica, self.count, place, position, steps, above)
            )
            sharing.set(Sharing(made))
            with self.placing(), device(place):
                return tensors_of(call(*share.arguments))

        results = steps.run(
            [partial(body, i, share) for i, share in enumerate(batch.shares)]
        )
        if training and not steps.meetings:
            raise never_trained(name)
        return results

    def place_of(self, index: int) -> DeviceName:
        """Return where a replica computes."""
        return self.workers[index]

    def _apply(self, brought: list[Applied], batch: Batch) -> None:
        """Apply the gradients that all replicas have brought."""
        optimizer = brought[0].optimizer
        if any(one.optimizer is not optimizer for one in brought):
            raise InvalidArgumentError(
                "the replicas of the step apply gradients by different optimizers at once; all "
                "must take the same in the same order"
            )
        self.check_owned(optimizer, brought[0].pairs)
        joint = list(_joint(brought))
        if not joint:
            raise InvalidArgumentError(
                "no gradient to apply: every one is None, in all replicas. "
                "tape.why_none(loss, variable) says why"
            )
        self.apply(optimizer, joint, batch)

    @abstractmethod
    def apply(
        self, optimizer: Optimizer, joint: Sequence[Joint], batch: Batch
    ) -> None:
        """Update variables by the gradients of all replicas, weighed by their rows."""

    def update_where_kept(
        self, optimizer: Optimizer, joint: Sequence[Joint], batch: Batch
    ) -> None:
        """Add up the gradients where each variable is, and update it there."""
        pairs = []
        for one in joint:
            with on(one.variable.device):
                pairs.append((self.mean(one, batch), one.variable))
        with on(optimizer.iterations.device):
            optimizer.update(pairs)

    def mean(self, one: Joint, batch: Batch) -> Tensor | IndexedSlices:
        """Return the mean of a variable's gradients, weighed by rows, in the replicas' order."""
        if batch.is_even:
            return scaled(accumulate(one.gradients), 1 / len(batch.shares))
        weighed = []
        for i, g in zip(one.positions, one.gradients, strict=True):
            with on(self.place_of(batch.shares[i].replica)):
                weighed.append(scaled(g, batch.weights[i]))
        return accumulate(weighed)


def scaled(g: Tensor | IndexedSlices, factor: float) -> Tensor | IndexedSlices:
    """Return a gradient times a number."""
    if factor == 1:
        return g
    if isinstance(g, IndexedSlices):
        return IndexedSlices(g.values * factor, g.indices, g.dense_shape)
    return g * factor


def _joint(brought: list[Applied]) -> Iterator[Joint]:
    """Yield the gradients by variable; a replica that has none for one counts as zero."""
    lists = [[variable for _, variable in one.pairs] for one in brought]
    for own in lists[1:]:
        if list(map(id, own)) != list(map(id, lists[0])):
            raise InvalidArgumentError(
                "the replicas of the step apply gradients to different variables: "
                f"{[x.name for x in lists[0]]} and {[x.name for x in own]}"
            )
    for at, variable in enumerate(lists[0]):
        found = [(one.position, one.pairs[at][0]) for one in brought]
        there = [(i, g) for i, g in found if g is not None]
        if there:
            cast = [(i, _as(g, variable)) for i, g in there]
            yield Joint(variable, [g for _, g in cast], [i for i, _ in cast])


def _as(g: Tensor | IndexedSlices, variable: Variable) -> Tensor | IndexedSlices:
    if isinstance(g, IndexedSlices):
        return g
    return astype(g, variable.dtype)
