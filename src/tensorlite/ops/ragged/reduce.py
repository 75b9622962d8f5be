"""Sums and the like of ragged tensors: along rows, across rows, over everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dtypes import bool_, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.arrays.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math import reduce
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.ragged.arrange import expand_dims
from tensorlite.ops.ragged.base import RaggedParts, same_splits
from tensorlite.ops.ragged.making import zeros_of
from tensorlite.ops.ragged.slicing import any_rows, splits_of
from tensorlite.ops.ragged.tensor import RaggedTensor

Segments = Callable[[Any, Any, Any], Tensor]
Whole = Callable[..., Tensor]


def _all(x: Any, ids: Any, n: Any) -> Tensor:
    return astype(unsorted_segment_prod(astype(x, int32), ids, n), bool_)


def _any(x: Any, ids: Any, n: Any) -> Tensor:
    return unsorted_segment_sum(astype(x, int32), ids, n) > 0


def _reduced(
    segments: Segments, whole: Whole, x: Any, axis: Any, keepdims: bool
) -> Any:
    """Return a reduction over axes, which are taken away from the innermost outwards."""
    if not isinstance(x, RaggedParts):
        return whole(x, axis=axis, keepdims=keepdims)
    rank = x.rank
    if axis is None and rank is not None and keepdims:
        axis = tuple(range(rank))
    if axis is None:
        return whole(x.flat_values)
    given = axis if isinstance(axis, (list, tuple)) else [axis]
    axes = sorted({int(one) + (rank or 0) if one < 0 else int(one) for one in given})
    for one in reversed(axes):
        x = _along(segments, whole, x, one)
        if keepdims:
            x = expand_dims(x, one)
    return x


def _along(segments: Segments, whole: Whole, x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedParts):
        return whole(x, axis=axis)
    if axis > 1:
        return x.with_values(_along(segments, whole, x.values, axis - 1))
    if axis == 0:
        return _across(segments, x)
    return _by(segments, x.values, x.value_rowids(), x.nrows())


def _by(segments: Segments, values: Any, ids: Tensor, count: Any) -> Any:
    """Return values of one number as one; rows are added place by place."""
    if not isinstance(values, RaggedParts):
        return segments(values, ids, count)
    order = argsort(ids, stable=True)
    rows, held = any_rows(values, order), any_rows(ids, order)
    of = any_rows(held, rows.value_rowids())
    places = _columns(rows)
    none = zeros_of(ids.dtype, [1])
    longest = unsorted_segment_max(rows.row_lengths(), held, count)
    longest = longest * astype(longest > 0, longest.dtype)
    splits = splits_of(longest)
    at = any_rows(splits, of) + places
    total = concat([none, splits])[-1]
    return RaggedTensor.of(_by(segments, rows.values, at, total), splits)


def segment_rows(function: Segments, data: Any, ids: Any, count: Any) -> Any:
    """Return what a function of unsorted segments makes of rows: rows as long as the longest.

    Segments may be told of the rows, or of what is in them, by ids in the same rows.

    >>> x = tl.ragged.constant([[1, 2], [3], [4, 5, 6]])
    >>> tl.ragged.segment_rows(tl.unsorted_segment_sum, x, tl.asarray([1, 0, 1]), 2)
    <tf.RaggedTensor [[3], [5, 7, 6]]>
    """
    if not isinstance(ids, RaggedParts):
        return _by(function, data, astype(ids, data.row_splits.dtype), count)
    if not isinstance(data, RaggedParts) or not same_splits(
        data.row_splits, ids.row_splits
    ):
        raise InvalidArgumentError(
            f"segments of {ids.shape} for {data.shape}; ids are in rows as the data is"
        )
    if isinstance(ids.values, RaggedParts) or isinstance(data.values, RaggedParts):
        return segment_rows(function, data.values, ids.values, count)
    return function(data.values, ids.values, count)


def _columns(x: Any) -> Tensor:
    """Return the place of each value in its row."""
    ids = x.value_rowids()
    starts: Tensor = any_rows(x.row_starts(), ids)
    return _numbers(ids) - starts


def _numbers(ids: Tensor) -> Tensor:
    return splits_of(ones_like(ids))[:-1]


def _across(segments: Segments, x: Any) -> Any:
    lengths = concat([zeros_of(x.row_splits.dtype, [1]), x.row_lengths()])
    return _by(segments, x.values, _columns(x), reduce.max(lengths))


def reduce_sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sums over axes, or over all.

    >>> print(tl.ragged.reduce_sum(tl.ragged.constant([[1, 2], [3]]), axis=1))
    [3 3]
    """
    return _reduced(unsorted_segment_sum, sum_of, x, axis, keepdims)


def reduce_prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the products over axes, or over all.

    >>> print(tl.ragged.reduce_prod(tl.ragged.constant([[1, 2], [3]]), axis=1))
    [2 3]
    """
    return _reduced(unsorted_segment_prod, reduce.prod, x, axis, keepdims)


def reduce_max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest elements over axes, or over all.

    >>> print(tl.ragged.reduce_max(tl.ragged.constant([[1, 2], [3]]), axis=1))
    [2 3]
    """
    return _reduced(unsorted_segment_max, reduce.max, x, axis, keepdims)


def reduce_min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest elements over axes, or over all.

    >>> print(tl.ragged.reduce_min(tl.ragged.constant([[1, 2], [3]]), axis=1))
    [1 3]
    """
    return _reduced(unsorted_segment_min, reduce.min, x, axis, keepdims)


def reduce_all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the conjunctions over axes, or over all.

    >>> print(tl.ragged.reduce_all(tl.ragged.constant([[True, False], [True]]), axis=1))
    [False  True]
    """
    return _reduced(_all, reduce.all, x, axis, keepdims)


def reduce_any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the disjunctions over axes, or over all.

    >>> print(tl.ragged.reduce_any(tl.ragged.constant([[True, False], [False]]), axis=1))
    [ True False]
    """
    return _reduced(_any, reduce.any, x, axis, keepdims)


def reduce_mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the means over axes, or over all.

    >>> print(tl.ragged.reduce_mean(tl.ragged.constant([[1.0, 2.0], [3.0]]), axis=1))
    [1.5 3. ]
    """
    ones = x.with_flat_values(ones_like(x.flat_values))
    total = reduce_sum(x, axis, keepdims)
    count = reduce_sum(ones, axis, keepdims)
    return total / count


def reduce_variance(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variances over axes, or over all.

    >>> print(tl.ragged.reduce_variance(tl.ragged.constant([[1.0, 3.0], [3.0]]), axis=1))
    [1. 0.]
    """
    mean = reduce_mean(x, axis, keepdims)
    return reduce_mean(x * x, axis, keepdims) - mean * mean
