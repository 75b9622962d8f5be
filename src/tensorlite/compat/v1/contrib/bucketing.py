"""Batches of elements that are alike: each kind waits in a queue of its own until it is a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import control_flow, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.layer_utils import smart_cond
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.pipelines.input import QueueRunner, add_queue_runner
from tensorlite.compat.v1.pipelines.queues import FIFOQueue, PaddingFIFOQueue
from tensorlite.compat.v1.summary import scalar
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dtypes import bool_, float32, int32
from tensorlite.core.errors import (
    CancelledError,
    DTypeError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.graph_mode.input_producers import (
    components,
    kinds_of,
    restored,
    stored,
)

_ENDS = (OutOfRangeError, CancelledError)


class _Batches(NamedTuple):
    """How elements become batches: how many make one, and how many may wait."""

    sizes: list[Any]
    capacity: int
    capacities: Sequence[int]
    smaller: bool
    padded: bool
    shared_name: str | None

    def queue(self, i: int, dtypes: Any, shapes: Any) -> Any:
        """Return the queue in which elements of one kind wait."""
        kind = PaddingFIFOQueue if self.padded else FIFOQueue
        shared = None if self.shared_name is None else f"{self.shared_name}_{i}"
        return kind(
            self.capacities[i],
            dtypes,
            shapes,
            shared_name=shared,
            name=f"bucket_queue_{i}",
        )

    def top(self, dtypes: Any, shapes: Any, rows: int | None) -> Any:
        """Return the queue of batches; it pads, as it alone takes sizes that are not known."""
        whole = [TensorShape([rows]).concatenate(shape) for shape in shapes]
        return PaddingFIFOQueue(
            self.capacity,
            [int32, *dtypes],
            [TensorShape([]), *whole],
            shared_name=self.shared_name,
            name="top_queue",
        )


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return (which, batch): the number of a bucket, and a batch of its elements.

    Elements, a list or a dict of tensors, wait in the bucket that which_bucket says until there are
    batch_size of them, or its entry for the bucket. Runners fill the queues: start them. The last
    elements are left out unless allow_smaller_final_batch, and those for which keep_input is false.
    """
    several = isinstance(batch_size, (list, tuple))
    sizes = list(batch_size) if several else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise InvalidArgumentError(
            "If batch_size is a list it must have num_buckets elements"
        )
    room = _room(num_buckets, capacity, bucket_capacities)
    with framework.name_scope(name, "bucket"):
        parts = _parts(tensors)
        kinds = kinds_of([plain(parts)], False)
        keep = _whether(keep_input)
        given = in_graph(
            lambda: [stored(plain(x), False) for x in parts], None, inner=None
        )
        sizes = [_size(size) for size in sizes]
        rows = None if allow_smaller_final_batch or several else sizes[-1]
        how = _Batches(
            sizes,
            capacity,
            room,
            allow_smaller_final_batch,
            dynamic_pad,
            shared_name,
        )
        which = framework.convert_to_tensor(which_bucket, int32, name="which_bucket")
        known = [x.get_shape() for x in given] if shapes is None else shapes
        fixed = rows if isinstance(rows, int) else None
        top = _filled(given, known, which, keep, how, fixed, num_threads)
        number, *batch = top.dequeue(name="dequeue_top")
        pairs = list(zip(plain(batch), kinds, strict=True))
        found = in_graph(
            lambda: [restored(*pair) for pair in pairs], None, inner=None
        )
    return number, _like(tensors, found)


def _room(
    num_buckets: int, capacity: int, capacities: Sequence[int] | None
) -> Sequence[int]:
    """Return how many elements each bucket has room for."""
    room = [capacity] * num_buckets if capacities is None else capacities
    if len(room) != num_buckets:
        raise InvalidArgumentError(
            f"The list bucket_capacities ({room}) must have exactly num_buckets ({num_buckets}) "
            "elements."
        )
    return room


def _parts(tensors: Any) -> list[Any]:
    if not tensors:
        raise InvalidArgumentError("Expected at least one tensor in bucket().")
    listed = components(tensors)
    return [
        x if hasattr(x, "dense_shape") else framework.convert_to_tensor(x)
        for x in listed
    ]


def _whether(keep_input: Any) -> Any:
    keep = framework.convert_to_tensor(keep_input, bool_)
    if keep.get_shape().ndims is None:
        raise InvalidArgumentError(
            "`keep_input` dimensions must be known at graph construction."
        )
    if keep.get_shape().ndims == 1:
        raise InvalidArgumentError(
            "`keep_input` cannot be a vector when `enqueue_many=False`."
        )
    return keep


def _size(given: Any) -> Any:
    """Return how many make a batch: a number where that is known."""
    size = framework.convert_to_tensor(given, int32, name="batch_size")
    known = get_static_value(size)
    return size if known is None else int(known)


def _like(tensors: Any, found: list[Any]) -> Any:
    if isinstance(tensors, Mapping):
        return dict(zip(sorted(tensors), found, strict=True))
    return found[0] if len(found) == 1 else found


def _filled(
    given: list[Any],
    shapes: Any,
    which: Any,
    keep: Any,
    how: _Batches,
    rows: int | None,
    threads: int,
) -> Any:
    """Return the queue of batches, with the runners that fill it and those of the buckets."""
    dtypes = [x.dtype for x in given]
    queues = [how.queue(i, dtypes, shapes) for i in range(len(how.sizes))]
    top = how.top(dtypes, queues[0].shapes, rows)
    put = smart_cond(
        keep, partial(_put_in_one, queues, which, given), framework.no_op
    )
    move = [_moves(i, queue, top, how) for i, queue in enumerate(queues)]
    _run(queues[0], move, [top])
    _run(top, [put] * threads, queues)
    for queue in queues:
        scalar(f"bucket/{queue.name}/size", elementwise.cast(top.size(), float32))
    share = elementwise.cast(top.size(), float32) * (1.0 / how.capacity)
    scalar(f"bucket/{top.name}/fraction_of_{how.capacity}_full", share)
    return top


def _put_in_one(queues: Sequence[Any], which: Any, given: Any) -> Any:
    """Return an operation that puts an element into the queue of its bucket."""
    puts = [
        control_flow.cond(
            elementwise.equal(which, i),
            partial(queue.enqueue, given),
            framework.no_op,
        )
        for i, queue in enumerate(queues)
    ]
    return framework.group(*puts, name="group_enqueues")


def _moves(i: int, queue: Any, top: Any, how: _Batches) -> Any:
    """Return an operation that moves a batch of a bucket to the queue of batches."""
    take = queue.dequeue_up_to if how.smaller else queue.dequeue_many
    number = framework.constant(i)
    found = take(how.sizes[i], name=f"read_bucket_{i}")
    batch = found if isinstance(found, (list, tuple)) else [found]
    return top.enqueue([number, *batch], name=f"enqueue_from_bucket_{i}")


def _run(filled: Any, puts: Sequence[Any], closed: Sequence[Any]) -> None:
    """Let runners put, and close queues behind the last that there was."""
    close, cancel = [
        framework.group(*[queue.close(cancels) for queue in closed])
        if len(closed) > 1
        else closed[0].close(cancels)
        for cancels in (False, True)
    ]
    add_queue_runner(QueueRunner(filled, list(puts), close, cancel, _ENDS))


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return (lengths, batch) of elements whose lengths lie between the same two boundaries.

    The first bucket is for what is shorter than bucket_boundaries[0], the last for what is as long
    as the last one or longer. The other arguments are bucket's.
    """
    _check_boundaries(bucket_boundaries)
    parts = _parts(tensors)
    with framework.name_scope(name, "bucket_by_sequence_length"):
        length = framework.convert_to_tensor(input_length, int32, name="input_length")
        least, most = np.iinfo(np.int32).min, np.iinfo(np.int32).max
        inside = elementwise.logical_and(
            elementwise.less_equal([least, *bucket_boundaries], length),
            elementwise.less(length, [*bucket_boundaries, most]),
        )
        which = elementwise.cast(
            numbers.reduce_min(v1_arrays.where_v2(inside)), int32
        )
        known = None if shapes is None else [TensorShape([]), *shapes]
        _, found = bucket(
            [length, *parts],
            which,
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads,
            capacity,
            bucket_capacities,
            known,
            dynamic_pad,
            allow_smaller_final_batch,
            keep_input,
            shared_name,
        )
    if isinstance(tensors, Mapping) and len(parts) == 1:
        return found[0], dict.fromkeys(tensors, found[1:])  # a list, as TensorFlow's
    return found[0], _like(tensors, found[1:]) if len(parts) > 1 else found[1:]


def _check_boundaries(given: Any) -> None:
    if not isinstance(given, (list, tuple)):
        raise DTypeError(
            f"bucket_boundaries must be a list or tuple, but received: {given}"
        )
    if not given:
        raise InvalidArgumentError("bucket_boundaries must not be empty")
    for first, second in pairwise(given):
        if not isinstance(first, int) or not isinstance(second, int):
            raise DTypeError(
                f"bucket boundaries must be integers, but saw: {first} and {second}"
            )
        if first >= second:
            raise InvalidArgumentError(
                "Buckets must contain sequential increasing lengths, but saw: "
                f"{first} before {second}"
            )
