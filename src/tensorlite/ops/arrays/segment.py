"""Reductions over segments: slices of a tensor that have the same number.

The sum over unsorted segments, which gradients need, is in gather.py.
"""

from __future__ import annotations

from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import (
    gather,
    sizes,
    take_segments,
    unsorted_segment_sum,
)
from tensorlite.ops.arrays.places import (
    check_sorted,
    in_range,
    reduced_segments,
    segmented,
)
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.math.compare import equal, where

__all__ = [
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
]


class _Segments(Op, abstract=True):
    """A reduction over slices with equal numbers, which are sorted.

    There are as many segments as the last number says; those without slices are 0, products 1.
    """

    def infer(self, data: TensorSpec, ids: TensorSpec) -> TensorSpec:
        """Return the data's shape with as many segments as will be found."""
        if ids.rank not in (None, 1):
            raise ShapeError(f"{self.name}: segment numbers are a vector, not {ids}")
        known = ids if ids.rank else ids.with_shape((None,))
        return segmented(self.name, data, known, None)

    def kernel(self, xp: Xp, data: Array, ids: Array) -> Array:
        """Return the reductions."""
        count = int(ids[-1]) + 1 if ids.size else 0
        check_sorted(f"{self.name}: ", ids, count)
        return self.reduce(xp, data, ids, count)

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return `count` reductions."""
        raise TypeError(f"{self.name} does not say how it reduces")


class SegmentSum(_Segments):
    """Sums of slices with equal numbers."""

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return the sums."""
        return reduced_segments(self.name, xp, "add", data, ids, count, 0)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of each slice's segment."""
        return gather(dy, call.inputs[1]), None


class SegmentMean(_Segments):
    """Means of slices with equal numbers."""

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return the means."""
        total = reduced_segments(self.name, xp, "add", data, ids, count, 0)
        counts = reduced_segments(
            self.name, xp, "add", xp.ones(ids.shape, "int32"), ids, count, 0
        )
        counts = xp.maximum(counts, 1).reshape((count,) + (1,) * (data.ndim - 1))
        return (total / counts.astype(data.dtype)).astype(data.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of each slice's segment, divided by the number of its slices."""
        data, ids = call.inputs
        counts = segment_sum(astype(equal(ids, ids), dy.dtype), ids)
        inner = [1] * (len(data.shape) - 1)
        return gather(dy, ids) / reshape(
            gather(counts, ids), [*sizes(ids), *inner]
        ), None


class _Extreme(_Segments, abstract=True):
    """Largest or smallest elements of slices with equal numbers."""

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the elements that are extreme, shared equally among equals."""
        data, ids = call.inputs
        chosen = astype(equal(data, gather(call.outputs[0], ids)), dy.dtype)
        return gather(dy, ids) / gather(segment_sum(chosen, ids), ids) * chosen, None

    def bounded(
        self, xp: Xp, name: str, data: Array, ids: Array, count: int
    ) -> Array:
        """Return the extremes; segments without slices are 0."""
        lowest = name == "maximum"
        start = (data.min() if lowest else data.max()) if data.size else 0
        found = reduced_segments(self.name, xp, name, data, ids, count, start)
        there = reduced_segments(
            self.name, xp, "add", xp.ones(ids.shape, "int32"), ids, count, 0
        )
        shape = (count,) + (1,) * (data.ndim - 1)
        return xp.where(there.reshape(shape) > 0, found, xp.zeros((), data.dtype))


class SegmentMax(_Extreme):
    """Largest elements of slices with equal numbers."""

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return the largest elements."""
        return self.bounded(xp, "maximum", data, ids, count)


class SegmentMin(_Extreme):
    """Smallest elements of slices with equal numbers."""

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return the smallest elements."""
        return self.bounded(xp, "minimum", data, ids, count)


class SegmentProd(_Segments):
    """Products of slices with equal numbers."""

    def reduce(self, xp: Xp, data: Array, ids: Array, count: int) -> Array:
        """Return the products."""
        return _products(self.name, xp, data, ids, count)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient times the product of the other elements."""
        data, ids = call.inputs
        return _product_gradient(data, ids, sizes(call.outputs[0])[0], dy), None


def _products(op: str, xp: Xp, data: Array, ids: Array, count: int) -> Array:
    """Return the products, one factor of every segment at a time: `multiply.at` is NumPy's only."""
    inner = data.shape[ids.ndim :]
    rows, values = ids.reshape(-1), data.reshape(ids.size, prod(inner))
    kept = rows >= 0
    rows, values = rows[kept], values[kept]
    in_range(op, rows, count, 0)
    order = xp.argsort(rows)
    rows, values = rows[order], values[order]
    turn = xp.arange(rows.size) - xp.searchsorted(rows, rows)
    out = xp.ones((count, prod(inner)), data.dtype)
    for i in range(int(turn.max()) + 1 if rows.size else 0):
        now = turn == i
        out[rows[now]] *= values[now]
    return out.reshape((count, *inner))


def _product_gradient(data: Tensor, ids: Tensor, count: Any, dy: Tensor) -> Tensor:
    """Return the gradient of products, in which single zeros leave the other factors' product."""
    zero = equal(data, 0)
    zeros = unsorted_segment_sum(astype(zero, dtypes.int32), ids, count)
    rest = take_segments(unsorted_segment_prod(where(zero, 1, data), ids, count), ids)
    found = take_segments(zeros, ids)
    others = where(
        equal(found, 0),
        rest / where(zero, 1, data),
        where(zero & equal(found, 1), rest, 0),
    )
    return take_segments(dy, ids) * others


class _Unsorted(Op, abstract=True):
    """A reduction over slices with equal numbers in any order; negative ones are left out."""

    host = (2,)

    def infer(
        self, data: TensorSpec, ids: TensorSpec, count: TensorSpec
    ) -> TensorSpec:
        """Return the data's shape with the numbers' axes replaced by one per segment."""
        return segmented(self.name, data, ids, count.scalar())


class _UnsortedExtreme(_Unsorted, abstract=True):
    """Largest or smallest elements over segments."""

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the elements that are extreme, shared equally among equals."""
        data, ids, count = call.inputs
        chosen = astype(equal(data, take_segments(call.outputs[0], ids)), dy.dtype)
        shares = take_segments(unsorted_segment_sum(chosen, ids, count), ids)
        share = take_segments(dy, ids) / where(equal(shares, 0), 1, shares)
        return share * chosen, None, None


class UnsortedSegmentMax(_UnsortedExtreme):
    """Largest elements over segments; the lowest number where there are none."""

    def kernel(self, xp: Xp, data: Array, ids: Array, count: Array) -> Array:
        """Return the largest elements."""
        low = _limits(data.dtype).min
        return reduced_segments(self.name, xp, "maximum", data, ids, int(count), low)


class UnsortedSegmentMin(_UnsortedExtreme):
    """Smallest elements over segments; the highest number where there are none."""

    def kernel(self, xp: Xp, data: Array, ids: Array, count: Array) -> Array:
        """Return the smallest elements."""
        high = _limits(data.dtype).max
        return reduced_segments(self.name, xp, "minimum", data, ids, int(count), high)


def _limits(dtype: Any) -> Any:
    return np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]


class UnsortedSegmentProd(_Unsorted):
    """Products over segments; 1 where there are none."""

    def kernel(self, xp: Xp, data: Array, ids: Array, count: Array) -> Array:
        """Return the products."""
        return _products(self.name, xp, data, ids, int(count))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient times the product of the other elements."""
        data, ids, count = call.inputs
        return _product_gradient(data, ids, count, dy), None, None


def segment_sum(data: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Return sums of the slices of `data` with equal numbers, which must be sorted.

    There are `segment_ids[-1] + 1` segments. Raises InvalidArgumentError for unsorted numbers.

    >>> print(tl.segment_sum([1.0, 2.0, 3.0], [0, 0, 2]))
    [3. 0. 3.]
    """
    return call(SegmentSum(), data, segment_ids)


def segment_mean(data: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Return means of the slices of `data` with equal numbers, which must be sorted.

    >>> print(tl.segment_mean([1.0, 2.0, 3.0], [0, 0, 2]))
    [1.5 0.  3. ]
    """
    return call(SegmentMean(), data, segment_ids)


def segment_max(data: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Return the largest elements of slices with equal numbers, which must be sorted.

    Segments without slices are 0.

    >>> print(tl.segment_max([1.0, 2.0, 3.0], [0, 0, 2]))
    [2. 0. 3.]
    """
    return call(SegmentMax(), data, segment_ids)


def segment_min(data: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Return the smallest elements of slices with equal numbers, which must be sorted.

    Segments without slices are 0.

    >>> print(tl.segment_min([1.0, 2.0, 3.0], [0, 0, 2]))
    [1. 0. 3.]
    """
    return call(SegmentMin(), data, segment_ids)


def segment_prod(data: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Return products of the slices of `data` with equal numbers, which must be sorted.

    >>> print(tl.segment_prod([3.0, 2.0, 3.0], [0, 0, 2]))
    [6. 1. 3.]
    """
    return call(SegmentProd(), data, segment_ids)


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return the largest elements of slices with equal numbers; the lowest number for no slices.

    >>> print(tl.unsorted_segment_max([1, 5, 3], [1, 0, 1], 2))
    [5 3]
    """
    return call(UnsortedSegmentMax(), data, segment_ids, num_segments)


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return the smallest elements of slices with equal numbers; the highest number for no slices.

    >>> print(tl.unsorted_segment_min([1, 5, 3], [1, 0, 1], 2))
    [5 1]
    """
    return call(UnsortedSegmentMin(), data, segment_ids, num_segments)


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return products of the slices of `data` with equal numbers; 1 where there are none.

    >>> print(tl.unsorted_segment_prod([2, 5, 3], [1, 0, 1], 3))
    [5 6 1]
    """
    return call(UnsortedSegmentProd(), data, segment_ids, num_segments)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return means of the slices of `data` with equal numbers; 0 where there are none.

    >>> print(tl.unsorted_segment_mean([1.0, 5.0, 3.0], [1, 0, 1], 3))
    [5. 2. 0.]
    """
    x, ids = to_tensor(data), to_tensor(segment_ids)
    return unsorted_segment_sum(x, ids, num_segments) / _counts(x, ids, num_segments)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return sums of the slices with equal numbers over the square roots of how many there are.

    >>> print(tl.unsorted_segment_sqrt_n([2.0, 5.0, 4.0, 1.0, 1.0], [1, 0, 1, 1, 1], 2))
    [5. 4.]
    """
    x, ids = to_tensor(data), to_tensor(segment_ids)
    return (
        unsorted_segment_sum(x, ids, num_segments)
        / _counts(x, ids, num_segments) ** 0.5
    )


def _counts(x: Tensor, ids: Tensor, count: TensorLike) -> Tensor:
    """Return how many slices each segment has, at least 1, shaped to broadcast to the segments."""
    found = unsorted_segment_sum(astype(equal(ids, ids), x.dtype), ids, count)
    inner = [1] * (len(x.shape) - len(ids.shape))
    return reshape(where(equal(found, 0), 1, found), [*sizes(found), *inner])
