"""Barrier: values that come component by component, by key, and leave when they are complete.

Source: TensorFlow's Barrier. Its operators, and the state behind a handle, are in barrier_ops.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues import barrier_ops
from tensorlite.ops.queues.barrier_ops import (
    BarrierClose,
    BarrierIncompleteSize,
    BarrierInsertMany,
    BarrierReadySize,
    BarrierTakeMany,
)
from tensorlite.ops.queues.monitor import (
    Fetchable,
    components,
    fitting,
    integer,
)
from tensorlite.ops.state.making import made

__all__ = ["Barrier"]


class Barrier:
    """A map from keys to tuples of tensors, whose components come one by one, in any order.

    A key whose components are all there is complete, and may be taken; it is then forgotten. Keys
    leave in the order in which they came first. `types` is a dtype or one for each component;
    `shapes` are those of one key's values. All barriers of one `shared_name` on one task are the
    same barrier. Source: TensorFlow's `Barrier`.

    >>> barrier = tl.queue.Barrier((tl.float32, tl.int32), shapes=((), ()))
    >>> barrier.insert_many(0, ["a", "b"], [1.0, 2.0])
    >>> barrier.insert_many(1, ["b"], [20])
    >>> indices, keys, (x, n) = barrier.take_many(1)
    >>> print(keys, x, n, barrier.incomplete_size())
    ['b'] [2.] [20] 1
    """

    def __init__(
        self,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[Any] | None = None,
        name: str = "barrier",
        shared_name: str | None = None,
    ) -> None:
        inner = components(name, types, shapes)
        self.name = name
        self._components = inner
        self.handle = made(
            lambda: barrier_ops.Barrier(
                inner, debug_name=name, shared_name=shared_name or ""
            )
        )

    def insert_many(
        self, component_index: int, keys: TensorLike, values: TensorLike
    ) -> Fetchable:
        """Insert a component of several keys: row `i` of `values` is that of `keys[i]`.

        All go in, or none and an error is raised: InvalidArgumentError for a component that is not
        there or that a key has already, DTypeError or ShapeError for what does not fit,
        CancelledError for a new key in a closed barrier. Source: TensorFlow's BarrierInsertMany.

        >>> barrier = tl.queue.Barrier((tl.int32, tl.int32), shapes=((), ()))
        >>> barrier.insert_many(0, ["a"], [1])
        >>> barrier.insert_many(0, ["a"], [2])
        Traceback (most recent call last):
        tensorlite.core.errors.InvalidArgumentError: barrier 'barrier': key 'a' has component 0 ...
        """
        place = int(whole(component_index, f"{self.name}: component_index"))
        wanted = (
            self._components[place].dtype
            if 0 <= place < len(self._components)
            else None
        )
        rows = to_tensor(values) if wanted is None else fitting(values, wanted)
        op = BarrierInsertMany(place)
        return effect(op, self.handle, fitting(keys, dtypes.string), rows)

    def take_many(
        self, num_elements: TensorLike, allow_small_batch: bool = False
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Return indices, keys and a tuple of stacked components of complete keys.

        Waits until there are `num_elements`. Indices are int64 and begin at -2**63: which of the
        insertions that had new keys had this one. When the barrier is closed, and so many will
        never come, OutOfRangeError is raised, or with `allow_small_batch` those that are there
        come back, if there are any. Source: TensorFlow's BarrierTakeMany.

        >>> barrier = tl.queue.Barrier(tl.float32, shapes=())
        >>> barrier.insert_many(0, ["a", "b"], [1.0, 2.0])
        >>> indices, keys, (x,) = barrier.take_many(2)
        >>> print(keys, x)
        ['a' 'b'] [1. 2.]
        """
        number = integer(num_elements, f"{self.name}: num_elements")
        op = BarrierTakeMany(allow_small_batch)
        indices, keys, *values = calls(op, self.handle, number)
        return indices, keys, tuple(values)

    def close(self, cancel_pending_enqueues: bool = False) -> Fetchable:
        """Refuse new keys; keys that lack components can be completed, unless that is cancelled.

        Raises CancelledError when the barrier is closed already. Source: TensorFlow's
        BarrierClose.

        >>> barrier = tl.queue.Barrier(tl.float32, shapes=())
        >>> barrier.close()
        >>> barrier.take_many(1)
        Traceback (most recent call last):
        tensorlite.core.errors.OutOfRangeError: barrier 'barrier' is closed and has insufficient ...
        """
        return effect(BarrierClose(cancel_pending_enqueues), self.handle)

    def ready_size(self) -> Tensor:
        """Return the number of complete keys, a 0-d int32. Source: TensorFlow's BarrierReadySize.

        >>> print(tl.queue.Barrier(tl.float32).ready_size())
        0
        """
        return call(BarrierReadySize(), self.handle)

    def incomplete_size(self) -> Tensor:
        """Return the number of keys that lack components, a 0-d int32.

        Source: TensorFlow's BarrierIncompleteSize.

        >>> barrier = tl.queue.Barrier((tl.int32, tl.int32), shapes=((), ()))
        >>> barrier.insert_many(0, ["a", "b"], [1, 2])
        >>> print(barrier.incomplete_size())
        2
        """
        return call(BarrierIncompleteSize(), self.handle)

    def __repr__(self) -> str:
        listed = ", ".join(map(str, self._components))
        return f"Barrier(name={self.name!r}, components=({listed}))"
