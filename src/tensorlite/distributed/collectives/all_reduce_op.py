"""CollectiveReduce and CollectiveGather: collectives as operators, for graphs and eager code.

A group lists devices or tasks. When these are tasks of a cluster, the operator runs in a step of
it, on each of them, and talks by that step's carrier; when all are devices of one process, they
meet there. Source: TensorFlow's CollectiveReduce and CollectiveGather, whose groups are numbers.
`Bucket` joins what is reduced together, where the other tasks of a host can read it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.containers import room_for
from tensorlite.core.deadlock import Want
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import call
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Call, Effect, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp, device_of, to_device, to_host
from tensorlite.distributed.collectives import rooms
from tensorlite.distributed.collectives.collectives import (
    all_gather,
    all_reduce,
    broadcast,
)
from tensorlite.distributed.collectives.context import StepContext, turn_of
from tensorlite.distributed.collectives.folds import fold_of
from tensorlite.distributed.collectives.meetings import Group, Members
from tensorlite.distributed.collectives.programs import program_of
from tensorlite.distributed.exchange import context as current
from tensorlite.ops.arrays.join import ConcatV2
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.compare import equal

__all__ = [
    "SHARED",
    "Bucket",
    "CollectiveBroadcast",
    "CollectiveGather",
    "CollectiveReduce",
    "from_first",
    "gathered",
    "reduced",
]

OPS = {
    "sum": ("Add", "Id"),
    "mean": ("Add", "Div"),
    "max": ("Max", "Id"),
    "min": ("Min", "Id"),
}
"""TensorFlow's names for what merges values, and for what is done with the result."""
NAMES = {pair: name for name, pair in OPS.items()}
SHARED = 1 << 18
"""Bytes of a bucket from which it is made where the other tasks of this host can read it."""


class _Collective(Waiting, abstract=True):
    """What both have in common."""

    # All ranks must run it if one does, so none is dropped.
    effect = Effect.WRITE

    group: tuple[str, ...]
    rank: int
    key: str

    def checked(self) -> None:
        """Raise InvalidArgumentError unless the attributes go together."""
        if not 0 <= self.rank < len(self.group):
            raise InvalidArgumentError(
                f"{self.name} {self.key!r}: rank={self.rank}; the group has {len(self.group)} "
                "members, whose ranks begin at 0"
            )

    def start(self, done: Done, *arrays: Array) -> Cancel | None:
        """Begin; in a step of a cluster with the other tasks, else in this process."""
        self.checked()
        tasks = [_task(member) for member in self.group]
        if len(set(tasks)) == 1:
            place = rooms.Place(turn_of(done), self.group, self.key)
            return rooms.come(place, self.rank, arrays[0], done, self._meet)
        context: StepContext | None = current.get()
        if context is not None:
            return self.start_in(context, done, *arrays)
        program = program_of(tasks[self.rank])
        if program is None:
            raise FailedPreconditionError(
                f"{self.name} {self.key!r} is between {', '.join(self.group)}, and runs in a "
                "step of their cluster: call it in a function that runs there, once for each rank"
            )
        turn = program.turn(self.key)
        return self.start_in(turn, done, *arrays, after=turn.end)

    def start_in(
        self,
        context: StepContext,
        done: Done,
        *arrays: Array,
        after: Callable[[], None] | None = None,
    ) -> Cancel | None:
        """Begin with the other tasks of the step that `context` is; `after` is called behind."""
        tasks = tuple([_task(member) for member in self.group])
        if len(set(tasks)) != len(tasks):
            raise InvalidArgumentError(
                f"{self.name} {self.key!r}: the group has several devices of one task, and of "
                f"several tasks: {', '.join(self.group)}; reduce those of each task first"
            )
        if tasks[self.rank] != context.task:
            raise FailedPreconditionError(
                f"{self.name} {self.key!r}: rank {self.rank} is {tasks[self.rank]}, and runs on "
                f"{context.task}; place it with tl.device({tasks[self.rank]!r})"
            )
        tag = turn_of(done).tag
        key = self.key + "".join([f", turn {number}" for number in tag])
        group = Group(tasks, self.rank, context.carrier)
        then = done if after is None else _then(done, after)
        return self.over(group, context.step, key, arrays[0], then)

    def _meet(self, arrays: list[Array]) -> Sequence[Any]:
        """Return what each rank gets, where its array is; it is worked out in host memory."""
        found = self.together([to_host(array) for array in arrays])
        return [
            value if type(array) is np.ndarray else to_device(value, device_of(array))
            for value, array in zip(found, arrays, strict=True)
        ]

    def waits_for(self, *arrays: Array) -> Want:
        """Return whom this waits for, in words."""
        others = [x for i, x in enumerate(self.group) if i != self.rank]
        return Want(
            f"{', '.join(others)} to come to {self.name} {self.key!r}, as "
            f"{self.group[self.rank]} has"
        )

    @abstractmethod
    def over(
        self, group: Group, step: int, key: str, array: Array, done: Done
    ) -> Cancel | None:
        """Begin with other tasks."""

    @abstractmethod
    def together(self, arrays: list[Array]) -> Sequence[Any]:
        """Return what each rank gets, given what each has."""


def _task(member: str) -> str:
    """Return the task of a device; "" for those of this process."""
    name = DeviceName.parse(member)
    return "" if name.job is None else f"/job:{name.job}/task:{name.task or 0}"


class CollectiveReduce(_Collective):
    """The sum, mean, maximum or minimum of the tensors of all ranks of a group."""

    differentiable = True

    group: tuple[str, ...]
    rank: int
    key: str
    merge_op: str = "Add"
    final_op: str = "Id"
    algorithm: str = "auto"
    deterministic: bool = False

    def checked(self) -> None:
        """Raise InvalidArgumentError unless the attributes go together."""
        super().checked()
        if (self.merge_op, self.final_op) not in NAMES:
            raise InvalidArgumentError(
                f"{self.name} {self.key!r}: merge_op={self.merge_op!r} with "
                f"final_op={self.final_op!r}; allowed are "
                f"{', '.join(f'{a} with {b}' for a, b in NAMES)}"
            )

    @property
    def op(self) -> str:
        """The name of the operation, as `all_reduce` takes it."""
        return NAMES[self.merge_op, self.final_op]

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of the input."""
        self.checked()
        fold_of(self.op, x.dtype.numpy, len(self.group), f"all-reduce {self.key!r}")
        return TensorSpec(x.shape, x.dtype)

    def over(
        self, group: Group, step: int, key: str, array: Array, done: Done
    ) -> Cancel | None:
        """Begin with other tasks."""
        algorithm, deterministic = self.algorithm, self.deterministic
        return all_reduce(
            group, step, key, array, done, self.op, algorithm, deterministic
        )

    def together(self, arrays: list[Array]) -> Sequence[Any]:
        """Return the result for each rank, in an array of its own."""
        what = f"all-reduce {self.key!r}"
        first = arrays[0]
        for rank, other in enumerate(arrays):
            if other.shape != first.shape or other.dtype != first.dtype:
                raise InvalidArgumentError(
                    f"{what}: rank 0 ({self.group[0]}) has {first.dtype} of shape {first.shape}, "
                    f"rank {rank} ({self.group[rank]}) has {other.dtype} of shape {other.shape}; "
                    "all ranks must have the same"
                )
        fold = fold_of(self.op, first.dtype, len(arrays), what)
        total = np.array(first)
        for other in arrays[1:]:
            fold.merge(total, other, out=total)
        total = fold.ended(total)
        return [total, *[total.copy() for _ in arrays[1:]]]

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Each rank's input goes into the outcomes of all, so all their gradients are added."""
        members = Members(self.group, self.rank)
        again = partial(
            reduced, algorithm=self.algorithm, deterministic=self.deterministic
        )
        key = f"{self.key}/gradient"
        (dy,) = dys
        if self.op in ("sum", "mean"):
            return (again(dy, members, key, self.op),)
        (x,), (y,) = call.inputs, call.outputs
        chosen = astype(equal(x, y), dy.dtype)
        count = again(chosen, members, f"{key}/count")
        return (again(dy, members, key) * chosen / count,)


class CollectiveGather(_Collective):
    """The rows of the tensors of all ranks of a group, one after the other."""

    group: tuple[str, ...]
    rank: int
    key: str

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec: the number of rows is not known."""
        self.checked()
        if x.shape is None:
            return TensorSpec(None, x.dtype)
        self._has_rows(len(x.shape))
        return TensorSpec((None, *x.shape[1:]), x.dtype)

    def over(
        self, group: Group, step: int, key: str, array: Array, done: Done
    ) -> Cancel | None:
        """Begin with other tasks."""
        return all_gather(group, step, key, array, _joining(done))

    def start(self, done: Done, *arrays: Array) -> Cancel | None:
        """Begin, as all of them do."""
        self._has_rows(arrays[0].ndim)
        return super().start(done, *arrays)

    def _has_rows(self, axes: int) -> None:
        if not axes:
            raise ShapeError(
                f"all-gather {self.key!r} joins rows; a scalar has none: reshape it to (1,)"
            )

    def together(self, arrays: list[Array]) -> Sequence[Any]:
        """Return all rows for each rank, in an array of its own."""
        return [np.concatenate(arrays) for _ in arrays]


class CollectiveBroadcast(_Collective):
    """The tensor of rank 0, for all ranks.

    Source: TensorFlow's, of which one is for who sends, and one for who receives.
    """

    group: tuple[str, ...]
    rank: int
    key: str

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of the input, which all ranks have alike."""
        self.checked()
        return TensorSpec(x.shape, x.dtype)

    def over(
        self, group: Group, step: int, key: str, array: Array, done: Done
    ) -> Cancel | None:
        """Begin with other tasks."""
        return broadcast(group, step, key, array, _like(array, key, done))

    def together(self, arrays: list[Array]) -> Sequence[Any]:
        """Return the first rank's for each, in an array of its own."""
        return [arrays[0].copy() for _ in arrays]


class Bucket(ConcatV2):
    """Tensors joined, to be reduced: of large ones the other tasks get no copy but the memory.

    Source: what TensorFlow's ScopedAllocatorConcat is for.
    """

    def kernel(self, xp: Xp, *arrays: Array) -> Array:
        """Return the tensors joined."""
        *parts, axis = arrays
        count = sum([part.size for part in parts])
        room = None
        if xp is np and count * parts[0].itemsize >= SHARED:
            room = room_for((count,), parts[0].dtype)
        if room is None:
            return super().kernel(xp, *arrays)
        return np.concatenate(parts, axis=int(axis), out=room)


def _then(done: Done, after: Callable[[], None]) -> Done:
    """Return what calls `after`, and then `done` with what it is given."""

    def end(found: Any) -> None:
        after()
        done(found)

    return end


def _like(own: Array, key: str, done: Done) -> Done:
    """Return what gives `done` the array that came, or an error if it is none like the own one."""

    def check(found: Any) -> None:
        is_error = isinstance(found, BaseException)
        if is_error or (found.shape, found.dtype) == (own.shape, own.dtype):
            done(found)
            return
        done(
            InvalidArgumentError(
                f"broadcast {key!r}: rank 0 has {found.dtype} of shape {found.shape}, and this "
                f"one {own.dtype} of shape {own.shape}; all ranks must have the same"
            )
        )

    return check


def _joining(done: Done) -> Callable[[Any], None]:
    """Return what joins the arrays that it is given, for `done`."""

    def join(found: Any) -> None:
        done(found if isinstance(found, BaseException) else np.concatenate(found))

    return join


def reduced(
    x: TensorLike,
    members: Members,
    key: str,
    op: str = "sum",
    algorithm: str = "auto",
    deterministic: bool = False,
) -> Tensor:
    """Return the sum (or mean, max, min) of the tensors of all members, the same for each.

    Every member calls this once in a step, with the same key and with its own rank.

    >>> print(reduced([1.0, 2.0], Members(("/device:CPU:0",), 0), "x"))
    [1. 2.]
    """
    if op not in OPS:
        raise InvalidArgumentError(
            f"all-reduce {key!r}: op={op!r}; allowed are {', '.join(OPS)}"
        )
    made = CollectiveReduce(
        members.tasks, members.rank, key, *OPS[op], algorithm, deterministic
    )
    return call(made, x)


def gathered(x: TensorLike, members: Members, key: str) -> Tensor:
    """Return the rows of the tensors of all members, in the order of ranks.

    >>> print(gathered([[1, 2]], Members(("/device:CPU:0",), 0), "x"))
    [[1 2]]
    """
    return call(CollectiveGather(members.tasks, members.rank, key), x)


def from_first(x: TensorLike, members: Members, key: str) -> Tensor:
    """Return the tensor of the first member; all have one of this shape and dtype.

    >>> print(from_first([1, 2], Members(("/device:CPU:0",), 0), "x"))
    [1 2]
    """
    return call(CollectiveBroadcast(members.tasks, members.rank, key), x)
