"""The operators on queues' handles; the classes that people use are in queues.py.

All that put, take and close write their queue: in a traced function they run in program order.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.deadlock import Want
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.contents import QueueState, fit

__all__: list[str] = []


class _Enqueue(Waiting, abstract=True):
    """Puts elements into a queue."""

    effect = Effect.WRITE

    def waits_for(self, queue: QueueState, *arrays: Array) -> Want:
        """Return that room is waited for."""
        full = f"room in {queue.title} ({queue.fullness()})"
        return Want(full, "drains", queue.drainers)


class QueueEnqueueV2(_Enqueue):
    """Puts an element, when there is room."""

    def infer(
        self, handle: TensorSpec, *components: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError or ShapeError when the element does not fit."""
        fit(_counted(self, handle, components), components)
        return ()

    def start(self, done: Done, queue: QueueState, *element: Array) -> Cancel | None:
        """Begin to put the element."""
        queue.check(element)
        return queue.enqueue(done, element)


class QueueEnqueueManyV2(_Enqueue):
    """Puts the rows of arrays, one after the other, as there is room."""

    def infer(
        self, handle: TensorSpec, *components: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError or ShapeError when the rows do not fit."""
        wanted = _counted(self, handle, components)
        rows = []
        for spec in components:
            if spec.rank == 0:
                raise ShapeError(
                    f"{self.name}: {spec} has no rows; enqueue takes one element"
                )
            rows.append(
                spec.with_shape(None if spec.shape is None else spec.dims[1:])
            )
        fit(wanted, rows)
        sizes = {spec.dims[0] for spec in components if spec.shape is not None}
        if len(sizes - {None}) > 1:
            raise ShapeError(
                f"{self.name}: components have different numbers of rows: "
                + ", ".join(map(str, components))
            )
        return ()

    def start(self, done: Done, queue: QueueState, *arrays: Array) -> Cancel | None:
        """Begin to put the rows."""
        queue.check_many(arrays)
        return queue.enqueue_many(done, arrays)


class _Dequeue(Waiting, abstract=True):
    """Takes elements out of a queue."""

    effect = Effect.WRITE
    aliases = True

    def waits_for(self, queue: QueueState, *number: Array) -> Want:
        """Return that elements are waited for."""
        wanted = f"{int(number[0])} elements" if number else "an element"
        return Want(
            f"{wanted} of {queue.title} ({queue.fullness()})", "fills", queue.fillers
        )


class QueueDequeueV2(_Dequeue):
    """Takes an element, when there is one."""

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the components."""
        return handle.inner

    def start(self, done: Done, queue: QueueState) -> Cancel | None:
        """Begin to take the element."""
        return queue.dequeue(done)


class QueueDequeueManyV2(_Dequeue):
    """Takes a number of elements, when there are so many, as a batch."""

    host = (1,)
    up_to: ClassVar[bool] = False

    def infer(self, handle: TensorSpec, n: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the components, with a first axis."""
        if not n.dtype.is_integer or n.rank not in (0, None):
            raise DTypeError(f"{self.name}: n is {n}; allowed is an integer scalar")
        number = n.scalar()
        if number is not None:
            _check_number(self, number)
        _check_shapes(self, handle.inner)
        size = None if self.up_to else number
        return tuple([spec.with_shape((size, *spec.dims)) for spec in handle.inner])

    def start(self, done: Done, queue: QueueState, n: Array) -> Cancel | None:
        """Begin to take the elements."""
        number = int(n)
        _check_shapes(self, queue.components)
        _check_number(self, number)
        queue.check_number(number)
        return queue.dequeue_many(done, number, self.up_to)


class QueueDequeueUpToV2(QueueDequeueManyV2):
    """Takes a number of elements, or those that a closed queue still has, as a batch."""

    up_to = True


class QueueCloseV2(Waiting):
    """Closes a queue: nothing more is put."""

    effect = Effect.WRITE
    cancel_pending_enqueues: bool = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def start(self, done: Done, queue: QueueState) -> Cancel | None:
        """Begin to close the queue, behind the enqueues that wait."""
        return queue.close(done, self.cancel_pending_enqueues, None)

    def waits_for(self, queue: QueueState, *_: Array) -> Want:
        """Return that room for those is waited for."""
        what = f"enqueues that wait for room in {queue.title} ({queue.fullness()})"
        return Want(what, "drains", queue.drainers)


class QueueSizeV2(Op):
    """The number of elements in a queue."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, queue: QueueState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(queue.size(), np.int32)


class QueueIsClosedV2(Op):
    """Whether a queue is closed."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d bool."""
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp, queue: QueueState) -> Array:
        """Return the answer, in host memory."""
        return np.asarray(queue.closed)


def _counted(op: Op, handle: TensorSpec, given: Any) -> tuple[TensorSpec, ...]:
    """Return the specs of a queue's components, of which as many must be given."""
    if len(given) != len(handle.inner):
        raise InvalidArgumentError(
            f"{op.name}: the queue's elements have {len(handle.inner)} components, and "
            f"{len(given)} are given"
        )
    return handle.inner


def _check_number(op: Op, number: int) -> None:
    if number < 0:
        raise InvalidArgumentError(f"{op.name}: n={number}; allowed are 0 and more")


def _check_shapes(op: Op, components: tuple[TensorSpec, ...]) -> None:
    if any(spec.shape is None for spec in components):
        raise ShapeError(
            f"{op.name}: the queue was made without shapes, and elements of unknown shape make no "
            "batch. Give the queue `shapes`, or dequeue one by one"
        )
