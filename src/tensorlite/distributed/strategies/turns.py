"""Turns: the replicas of one machine, each a call of the same function, where they are called.

Eagerly, or in the trace that is under way. They meet where they merge what they have; what a step
of a cluster is, which is a graph of its own, is in together.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import Interpreter, tracer
from tensorlite.core.errors import InvalidArgumentError, TracingError
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.strategies.copied import Copied
from tensorlite.distributed.strategies.lockstep import Lockstep
from tensorlite.distributed.strategies.shared import Sharing, sharing
from tensorlite.distributed.strategies.updating import apart, as_replica, on
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.fetchable import Fetchable
from tensorlite.ops.sparse.slices import accumulate
from tensorlite.train.optimizers import Optimizer, Pair
from tensorlite.train.replica import replica

Merge = Callable[[list[Any]], Sequence[Any]]
T = TypeVar("T")


class Alone:
    """The place of the one replica, which waits for no other."""

    def meet(self, _: int, brought: tuple[Merge, Any]) -> Any:
        """Return what comes of what it has brought."""
        merge, own = brought
        with apart():
            return merge([own])[0]


ALONE = Alone()


class Turn:
    """A replica that takes its turn; `replica` has it while its function is called."""

    def __init__(
        self, index: int, devices: Sequence[DeviceName], steps: Lockstep | Alone
    ) -> None:
        self.index, self.count, self.device = index, len(devices), devices[index]
        self.leaving: Callable[[], AbstractContextManager[Any]] = nullcontext
        """Opens what holds while others take their turns, such as scopes that they begin in."""
        self._steps = steps
        self._tracer: Interpreter | None = tracer()

    def merge(self, function: Merge, own: Any) -> Any:
        """Return this replica's part of what a function makes of what all replicas have.

        It is called once, as no replica, with a list of what they have, and returns another.
        """
        if tracer() is not self._tracer:
            raise TracingError(
                "merge_call is called while a graph is traced that is not that of the replicas, "
                "such as in a traced function, a branch or a loop inside of what strategy.run is "
                "given, where replicas cannot meet, as they do to aggregate gradients or values: "
                "do that outside of it, or let strategy.run be called with the traced function, "
                "or in one"
            )
        with self.leaving():
            return self._steps.meet(self.index, (function, own))

    def apply_gradients(
        self, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Fetchable:
        """Apply the sums of all replicas' gradients."""
        found: Fetchable = self.jointly(optimizer.update, list(pairs))
        return found

    def jointly(self, update: Callable[[list[Pair]], Any], pairs: list[Pair]) -> Any:
        """Return what `update` returns for the sums of all replicas' gradients.

        It is called for each copy of the variables.
        """
        return self.merge(partial(_updated, update, self.count), pairs)


def _updated(
    update: Callable[[list[Pair]], Any], count: int, brought: list[list[Pair]]
) -> Sequence[Any]:
    variables = [variable for _, variable in brought[0]]
    for other in brought[1:]:
        if [id(x) for _, x in other] != list(map(id, variables)):
            raise InvalidArgumentError(
                "the replicas apply gradients to different variables: "
                f"{[x.name for x in variables]} and {[x.name for _, x in other]}"
            )
    for variable in variables:
        if not isinstance(variable, Copied):
            raise InvalidArgumentError(
                f"{variable.name!r} was made outside of this strategy's scope, and the gradients "
                "of its replicas cannot be applied to it: make model and optimizer inside "
                "`with strategy.scope():`"
            )
    sums = [
        _sum([one[at][0] for one in brought], v) for at, v in enumerate(variables)
    ]
    pairs = list(zip(sums, variables, strict=True))
    found = on_each_copy(variables, lambda: update(pairs))
    return found if len(found) == count else found * count


def _sum(
    gradients: list[Tensor | IndexedSlices | None], variable: Any
) -> Tensor | IndexedSlices | None:
    there = [g for g in gradients if g is not None]
    if not there:
        return None
    with on(variable.copies[0].device):
        return accumulate([_as(g, variable) for g in there])


def _as(g: Tensor | IndexedSlices, variable: Any) -> Tensor | IndexedSlices:
    return g if isinstance(g, IndexedSlices) else astype(g, variable.dtype)


def on_each_copy(variables: Sequence[Any], change: Callable[[], T]) -> list[T]:
    """Return what a function returns for each copy of variables, as that copy's replica."""
    copies = next((x.copies for x in variables if isinstance(x, Copied)), ())
    made = []
    for index, copy in enumerate(copies):
        with as_replica(index, len(copies), copy.device):
            made.append(change())
    return made


def jointly(update: Callable[[list[Pair]], Any], pairs: list[Pair]) -> Any:
    """Return what `update` returns for gradients, in a replica for the sums of all replicas'.

    It is called for each copy of variables that have some.
    """
    here = replica.get()
    if isinstance(here, Turn):
        return here.jointly(update, pairs)
    is_copied = any(isinstance(x, Copied) for _, x in pairs)
    if here is None and is_copied:
        variables = [variable for _, variable in pairs]
        return on_each_copy(variables, lambda: update(pairs))[0]
    return update(pairs)


def in_turns(
    bodies: Sequence[Callable[[], Any]], devices: Sequence[DeviceName]
) -> list[Any]:
    """Return what functions return, each called as the replica of one device."""
    alone = len(bodies) == 1
    steps: Lockstep | Alone = ALONE if alone else Lockstep(_merged, "merge_call")
    made: dict[Any, Any] = {}
    turns = [Turn(i, devices, steps) for i in range(len(bodies))]

    def run(turn: Turn) -> Any:
        replica.set(turn)
        sharing.set(Sharing(made))
        with on(turn.device):
            return bodies[turn.index]()

    if isinstance(steps, Lockstep):
        return steps.run([partial(run, turn) for turn in turns])
    return [copy_context().run(run, turns[0])]


def _merged(brought: list[tuple[Merge, Any]]) -> Sequence[Any]:
    """Return what the first replica's function makes of what all have brought."""
    return brought[0][0]([own for _, own in brought])
