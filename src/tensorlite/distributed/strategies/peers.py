"""Peers: the replica of this program among those of others, which do the same by themselves.

What they have becomes one by collectives between the programs, that all ask for in the same order.
Replicas that one program calls are replicas.py's.
"""

from __future__ import annotations

import atexit
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

from tensorlite.core.device import DeviceName, step_timeout
from tensorlite.core.dispatch import interpreted_by, to_tensor, tracer
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import (
    CancelledError,
    DeadlineExceededError,
    InvalidArgumentError,
    UnavailableError,
)
from tensorlite.core.op import Op
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.collectives.all_reduce_op import (
    from_first,
    gathered,
    reduced as all_reduced,
)
from tensorlite.distributed.collectives.gradients import all_reduce_gradients
from tensorlite.distributed.collectives.meetings import Members
from tensorlite.distributed.collectives.programs import Program, enter, program_of
from tensorlite.distributed.server import Server, listening
from tensorlite.distributed.strategies.copied import (
    MEAN,
    NONE,
    ONLY_FIRST_REPLICA,
    SUM,
    Copied,
    Copying,
    OnRead,
    OnWrite,
    of_copies,
    several,
)
from tensorlite.distributed.strategies.per_replica import each, part_of
from tensorlite.distributed.strategies.replicas import Replicas
from tensorlite.distributed.strategies.shared import Sharing, sharing
from tensorlite.distributed.strategies.steps import Step, python_of
from tensorlite.distributed.strategies.turns import ALONE, Turn
from tensorlite.distributed.strategies.updating import on
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.fetchable import Fetchable
from tensorlite.ops.math.arithmetic import sum as reduce_sum
from tensorlite.ops.math.reduce import prod
from tensorlite.train.optimizers import Pair
from tensorlite.train.replica import replica

_log = logging.getLogger("tensorlite.distributed")
_WORDS = {SUM: "sum", MEAN: "mean"}
PATIENCE = 10.0
"""How many seconds a program that ends waits for the others."""


class Peers(Replicas):
    """One replica on a device of this program, which `server` is, and one in each other task.

    All tasks are waited for.
    """

    def __init__(
        self,
        server: Server,
        tasks: Sequence[str],
        device: str | DeviceName = "/cpu:0",
    ) -> None:
        super().__init__([device])
        server.meet(tasks)
        known = program_of(server.task)
        if known is None or known.carrier is not server.carrier:
            known = Program(server.carrier)
            enter(known)
            atexit.register(self._take_leave, server)  # before the server's own end
        self._meetings = known
        self.members = Members(tuple(tasks), tuple(tasks).index(server.task))

    def _take_leave(self, server: Server) -> None:
        """Wait until all programs are at their end: another may still be sending to this one."""
        has_failed = hasattr(sys, "last_value")
        if has_failed or listening(server.where) is not server:
            return
        token = step_timeout.set(PATIENCE)
        try:
            with interpreted_by(None):
                all_reduced(to_tensor(0.0), self.members, "farewell", "sum")
        except (UnavailableError, DeadlineExceededError, CancelledError) as error:
            _log.debug("%s ends without the others: %s", server.task, error)
        finally:
            step_timeout.reset(token)

    @property
    def count(self) -> int:
        """The number of replicas: one in each program."""
        return self.members.size

    @property
    def rank(self) -> int:
        """Which of them is this program's."""
        return self.members.rank

    @contextmanager
    def making(self) -> Iterator[None]:
        """Let variables that are made inside begin alike in all programs, and be kept so."""
        token = several.set(_Alike(self))
        try:
            yield
        finally:
            several.reset(token)

    def _called(
        self, function: Step, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        call = function if tracer() is None else python_of(function)
        own, named = part_of(self.rank, args), part_of(self.rank, dict(kwargs))

        def run() -> Any:
            replica.set(PeerTurn(self))
            sharing.set(Sharing({}))
            with on(self.devices[0]):
                return call(*own, **named)

        return copy_context().run(run)

    # What all have.

    def total(self, how: str, value: Any) -> Any:
        """Return the sum or the mean ("sum" or "mean") of what all programs have."""
        key = self._meetings.key()
        if isinstance(value, IndexedSlices):
            (found,) = all_reduce_gradients([value], self.members, key, how)
            return found
        x = to_tensor(value)
        is_whole = how == "mean" and not x.dtype.is_differentiable
        made = all_reduced(x, self.members, key, "sum" if is_whole else how)
        return made / self.count if is_whole else made

    def reduced(self, how: str, value: Any, axis: Any = None) -> Any:
        """Return the sum or the mean of all replicas' values, along axes of theirs if asked."""
        return each(lambda x: self._reduced(how.lower(), x, axis), value)

    def _reduced(self, how: str, value: Any, axis: Any) -> Any:
        if axis is None:
            return self.total(how, value)
        x = to_tensor(value)
        whole = self.total("sum", reduce_sum(x, axis=axis))
        if how == "sum":
            return whole
        axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        rows = self.total("sum", astype(prod(shape_of(x)[axes]), float32))
        return whole / astype(rows, whole.dtype)

    def gathered(self, value: Any, axis: int) -> Any:
        """Return the replicas' values behind each other along an axis, in the order of tasks."""
        return each(lambda x: self._gathered(x, axis), value)

    def _gathered(self, value: Any, axis: int) -> Any:
        if isinstance(value, IndexedSlices):
            raise InvalidArgumentError("gather does not support IndexedSlices")
        x = to_tensor(value)
        if x.spec.rank == 0:
            raise InvalidArgumentError(
                f"gather(axis={axis}): the values are scalars, which have no axis"
            )
        rows = x if axis == 0 else moveaxis(x, axis, 0)
        found = gathered(rows, self.members, self._meetings.key())
        return found if axis == 0 else moveaxis(found, 0, axis)

    def first(self, value: Tensor) -> Tensor:
        """Return what the first program has."""
        return from_first(value, self.members, self._meetings.key())

    def gradients(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return gradients added up over all programs, with their variables."""
        sums = all_reduce_gradients(
            [_as(g, variable) for g, variable in pairs],
            self.members,
            self._meetings.key(),
            "sum",
        )
        return list(zip(sums, [variable for _, variable in pairs], strict=True))


def _as(g: Any, variable: Any) -> Any:
    is_dense = isinstance(g, Tensor)
    return astype(g, variable.dtype) if is_dense else g


class PeerTurn(Turn):
    """The replica of this program, while its function is called."""

    def __init__(self, peers: Peers) -> None:
        super().__init__(0, peers.devices, ALONE)
        self.index, self.count = peers.rank, peers.count
        self.peers = peers

    def jointly(self, update: Callable[[list[Pair]], Any], pairs: list[Pair]) -> Any:
        """Return what `update` returns for the sums of all programs' gradients."""
        return super().jointly(update, self.peers.gradients(pairs))


class PeerOnWrite(OnWrite):
    """A variable that is kept equal in all programs."""

    __slots__ = ()
    peers: Peers

    def _write_as_replica(
        self, op: Op, inputs: Sequence[Tensor], merge: Callable[..., Any]
    ) -> Fetchable:
        if self.how == NONE:
            return super()._write_as_replica(op, inputs, merge)
        if self.how == ONLY_FIRST_REPLICA:
            given = [self.peers.first(x) for x in inputs]
        else:
            given = [self.peers.total(_WORDS[self.how], x) for x in inputs]
        return self._write_merged(op, given, merge)


class PeerOnRead(OnRead):
    """A variable that each program writes by itself, and that becomes one where it is read."""

    __slots__ = ()
    peers: Peers

    def __tensor__(self) -> Tensor:
        """Return the own value for a replica, elsewhere what all programs' come to."""
        own = super().__tensor__()
        if replica.get() is not None or self.how == NONE:
            return own
        if self.how == ONLY_FIRST_REPLICA:
            return self.peers.first(own)
        found: Tensor = self.peers.total(_WORDS[self.how], own)
        return found

    def _write_all(self, op: Op, inputs: Sequence[Tensor]) -> Fetchable:
        if self.how != SUM or op.name != "AssignVariableOp":
            return super()._write_all(op, inputs)
        (value,) = inputs
        share = value / self.peers.count  # so that the sum is what was assigned
        return super()._write_all(op, [astype(share, value.dtype)])


class _Alike(Copying):
    """Makes variables that have the first program's value in all of them."""

    def __init__(self, peers: Peers) -> None:
        super().__init__(peers.keepers, 1)
        self._peers = peers

    def _several(
        self, cls: type, make: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        plain: Copied = super()._several(cls, make, args, kwargs)
        (copy,) = plain.copies
        with interpreted_by(None):
            copy.assign(self._peers.first(copy.__tensor__()))
        policy = PeerOnRead if isinstance(plain, OnRead) else PeerOnWrite
        made = of_copies(policy, [copy], 1)
        made.peers = self._peers
        return made
