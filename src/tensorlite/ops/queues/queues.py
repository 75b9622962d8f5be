"""The queues that people make; what they do with them is in base.py.

Threads that fill queues, and end together, are in train/queue_runner.py and train/coordinator.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tensorlite.core.check import whole
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.scope import device
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec, sizes_of
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.queues.kinds import (
    FIFOQueueV2,
    PaddingFIFOQueueV2,
    PriorityQueueV2,
    RandomShuffleQueueV2,
)
from tensorlite.ops.random.generators import global_generator
from tensorlite.ops.random.words import Seeds, seeds_of
from tensorlite.ops.state.making import Making

__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]

ShapeSpec: TypeAlias = Sequence[int | None]
Shapes: TypeAlias = Sequence[ShapeSpec] | ShapeSpec | None


class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they went in.

    `capacity` is how many may be in, negative for any number. `dtypes` and `shapes` say what an
    element's components are, lists or, for one component, its dtype and shape; without shapes
    components may have any, and elements cannot be dequeued as a batch. All queues of one
    `shared_name` on one task are the same queue: so several clients use one.

    >>> q = tl.queue.FIFOQueue(10, tl.int32, shapes=())
    >>> q.enqueue_many([[1, 2, 3]])
    >>> print(q.dequeue(), q.dequeue_many(2))
    1 [2 3]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Shapes = None,
        names: Sequence[str] | None = None,
        name: str = "fifo_queue",
        shared_name: str | None = None,
    ) -> None:
        most = _capacity(capacity)
        components = _components(dtypes, shapes)
        super().__init__(
            components,
            names,
            name,
            lambda: FIFOQueueV2(
                components, most, debug_name=name, shared_name=shared_name or ""
            ),
        )


class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in random order.

    While it is open `min_after_dequeue` elements at least are left in it, so that there are enough
    to choose from. Without a `seed` the global generator gives one. The rest is as for FIFOQueue.

    >>> q = tl.queue.RandomShuffleQueue(10, 0, tl.int32, shapes=(), seed=1)
    >>> q.enqueue_many([[1, 2, 3]])
    >>> print(sorted(q.dequeue_many(3).tolist()))
    [1, 2, 3]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Shapes = None,
        names: Sequence[str] | None = None,
        seed: int | Seeds | None = None,
        name: str = "random_shuffle_queue",
        shared_name: str | None = None,
    ) -> None:
        most = _capacity(capacity)
        least = int(
            whole(min_after_dequeue, "RandomShuffleQueue: min_after_dequeue", 0)
        )
        if 0 <= most <= least:
            raise InvalidArgumentError(
                f"RandomShuffleQueue: min_after_dequeue={least}, capacity={most}: the first must "
                "be less, or nothing ever comes out"
            )
        components = _components(dtypes, shapes)

        def make() -> Making:
            return RandomShuffleQueueV2(
                components,
                most,
                least,
                *_seeds(seed),
                debug_name=name,
                shared_name=shared_name or "",
            )

        super().__init__(components, names, name, make)


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue of elements whose sizes differ, which batches fill up with zeros.

    Sizes that differ are None in `shapes`, which must be given; strings are filled up with "".

    >>> q = tl.queue.PaddingFIFOQueue(10, tl.int32, shapes=(None,))
    >>> q.enqueue([[1]])
    >>> q.enqueue([[2, 3]])
    >>> print(q.dequeue_many(2))
    [[1 0]
     [2 3]]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Shapes,
        names: Sequence[str] | None = None,
        name: str = "padding_fifo_queue",
        shared_name: str | None = None,
    ) -> None:
        most = _capacity(capacity)
        if shapes is None:
            raise ShapeError(
                "PaddingFIFOQueue: shapes=None; allowed is one shape for each component, with "
                "None for sizes that differ"
            )
        components = _components(dtypes, shapes, partial=True)
        super().__init__(
            components,
            names,
            name,
            lambda: PaddingFIFOQueueV2(
                components, most, debug_name=name, shared_name=shared_name or ""
            ),
        )


class PriorityQueue(QueueBase):
    """A queue whose elements come out by priority: the lowest first, equal ones as they came.

    The priority, an int64 scalar, is the first component; `types` and `shapes` are of the others.
    A batch is taken at a time, so that it is sorted.

    >>> q = tl.queue.PriorityQueue(10, [tl.string], [()])
    >>> q.enqueue_many([[3, 1], ["later", "now"]])
    >>> print(*q.dequeue())
    1 now
    """

    def __init__(
        self,
        capacity: int,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Shapes = None,
        names: Sequence[str] | None = None,
        name: str = "priority_queue",
        shared_name: str | None = None,
    ) -> None:
        most = _capacity(capacity)
        others = _components(types, shapes)
        components = (TensorSpec((), int64), *others)
        super().__init__(
            components,
            names,
            name,
            lambda: PriorityQueueV2(
                components, most, debug_name=name, shared_name=shared_name or ""
            ),
        )


def _seeds(seed: int | Seeds | None) -> Seeds:
    """Return TensorFlow's two seeds: as given, with its first one, or drawn."""
    if seed is not None:
        return seeds_of(seed)
    with interpreted_by(None), device(None):  # drawn here, wherever the queue will be
        return int(global_generator().integers((), 0, 2**31 - 1)), 0


def _capacity(capacity: int) -> int:
    return int(whole(capacity, "capacity"))


def _components(
    types: DTypeLike | Sequence[DTypeLike], shapes: Shapes, partial: bool = False
) -> tuple[TensorSpec, ...]:
    """Return the specs of an element's components."""
    several = isinstance(types, (list, tuple))
    kinds = [
        as_dtype(x) for x in (types if isinstance(types, (list, tuple)) else [types])
    ]
    if shapes is None:
        return tuple([TensorSpec(None, kind) for kind in kinds])
    listed: list[Any] = list(sizes_of(shapes) or ())
    if not several and not any(isinstance(x, (list, tuple)) for x in listed):
        listed = [tuple(listed)]
    if len(listed) != len(kinds):
        raise InvalidArgumentError(
            f"shapes={shapes!r}: {len(kinds)} components need as many shapes"
        )
    specs = [
        _component(shape, kind) for shape, kind in zip(listed, kinds, strict=True)
    ]
    if not partial and not all(spec.is_static for spec in specs):
        raise ShapeError(
            f"shapes={shapes!r}: every size must be known here; tl.queue.PaddingFIFOQueue takes "
            "None for sizes that differ"
        )
    return tuple(specs)


def _component(shape: Any, kind: DType) -> TensorSpec:
    if not isinstance(shape, (list, tuple, AnyShape)):
        raise ShapeError(f"{shape!r} is no shape: allowed are tuples of sizes")
    sizes = [None if n is None else int(whole(n, "shapes: a size", 0)) for n in shape]
    return TensorSpec(sizes, kind)
