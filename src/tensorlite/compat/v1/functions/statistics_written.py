"""Moments, shares and counts of numbers, in graphs: nodes and names are those of TensorFlow 1.

What runs at once is in shared/statistics.py, shared/confusion.py and nn_functions.py.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    identity,
    ones_like,
    rank,
    reshape,
    shape,
    size,
    squeeze,
    stack,
    zeros,
    zeros_like,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    clip_by_value,
    equal,
    floor,
    maximum,
    multiply,
    not_equal,
    reciprocal,
    square,
    squared_difference,
    subtract,
    truediv,
)
from tensorlite.compat.shared.picking import gather
from tensorlite.compat.shared.ragged_and_sparse import sparse
from tensorlite.compat.v1.functions.checks import assert_less, assert_non_negative
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.numbers import reduce_max, reduce_prod, reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.primitives import with_dependencies
from tensorlite.core.dtypes import float16, float32, int32, int64
from tensorlite.graph_mode.graph import name_scope

_MOST = np.iinfo(np.int32).max


def zero_fraction_written(value: Any, name: str | None) -> Any:
    """Return the share of elements that are 0."""
    with name_scope(name, "zero_fraction"):
        x = convert_to_tensor(value, name="value")
        count = size(x, int64)
        others = cond(
            count <= _MOST,
            lambda: cast(_nonzero(x, int32), int64),
            lambda: _nonzero(x, int64),
        )
        with name_scope("counts_to_fraction"):
            share = cast(count - others, float32) / cast(count, float32)
        return identity(share, "fraction")


def _nonzero(x: Any, dtype: Any) -> Any:
    """Return how many elements are not 0."""
    with name_scope("count_nonzero"):
        differs = not_equal(x, zeros([], x.dtype))
        return reduce_sum(cast(differs, dtype), name="nonzero_count")


def weighted_moments_written(
    x: Any, axes: Any, frequency_weights: Any, kept: bool, name: str | None
) -> tuple[Any, Any]:
    """Return mean and variance along axes, weighted."""
    with name_scope(name, "weighted_moments"):
        value = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        is_narrow = value.dtype is float16
        if is_narrow:
            value = cast(value, float32)
        weights = cast(weights, value.dtype)

        def total(each: Any, name: str) -> Any:
            return reduce_sum(each, axes, name=name, keepdims=True)

        weighed = total(weights * value, "weighted_input_sum")
        count = total(weights + zeros_like(value, None), "sum_of_weights")
        share = reciprocal(count, name="inv_weight_sum")
        mean = multiply(weighed, share)
        away = total(weights * squared_difference(value, mean), "weighted_distsq")
        found = [mean, multiply(away, share)]
        if not kept:
            found = [squeeze(one, axes) for one in found]
        mean, variance = [cast(x, float16) for x in found] if is_narrow else found
        return mean, variance


def sufficient_statistics_written(
    x: Any, axes: Any, shift: Any, kept: bool, name: str | None
) -> tuple[Any, ...]:
    """Return count, sum, sum of squares and shift, for mean and variance along axes."""
    over = list(set(axes))
    with name_scope(name, "sufficient_statistics"):
        value = convert_to_tensor(x, name="x")
        known = value.get_shape()
        sizes = [None] if known.rank is None else [known.as_list()[i] for i in over]
        if None in sizes:
            each = gather(cast(shape(value), value.dtype), over)
            count = reduce_prod(each, name="count")
        else:
            count = constant(prod(sizes), value.dtype)
        moved, squares = value, None
        if shift is not None:
            shift = convert_to_tensor(shift, value.dtype, name="shift")
            moved = subtract(value, shift)
            squares = squared_difference(value, shift)
        else:
            squares = square(value)
        total = reduce_sum(moved, over, keepdims=kept, name="mean_ss")
        return (
            count,
            total,
            reduce_sum(squares, over, None, "var_ss", None, kept),
            shift,
        )


def histogram_bins_written(
    values: Any, value_range: Any, nbins: Any, name: str | None
) -> Any:
    """Return in which part of a range each value lies, those outside in the first or last."""
    with name_scope(name, "histogram_fixed_width_bins"):
        x = convert_to_tensor(values, name="values")
        sizes = shape(x)
        flat = reshape(x, [-1])
        ends = convert_to_tensor(value_range, name="value_range")
        count = cast(convert_to_tensor(nbins, int32, name="nbins"), flat.dtype)
        share = truediv(flat - ends[0], ends[1] - ends[0], name="scaled_values")
        places = floor(count * share, name="indices")
        return reshape(cast(clip_by_value(places, 0, count - 1), int32), sizes)


def confusion_matrix_written(
    labels: Any,
    predictions: Any,
    num_classes: Any,
    dtype: Any,
    name: str | None,
    weights: Any,
) -> Any:
    """Return how often each label (rows) got each prediction (columns): [classes, classes]."""
    with name_scope(name, "confusion_matrix"):
        rows, columns = _squeezed(
            convert_to_tensor(labels, name="labels"),
            convert_to_tensor(predictions, name="predictions"),
        )
        columns, rows = cast(columns, int64), cast(rows, int64)
        rows = _not_negative(rows, "`labels`")
        columns = _not_negative(columns, "`predictions`")
        if num_classes is None:
            num_classes = maximum(reduce_max(columns), reduce_max(rows)) + 1
        else:
            limit = cast(num_classes, int64)
            rows = _below(rows, limit, "`labels`")
            columns = _below(columns, limit, "`predictions`")
        if weights is not None:
            beside = convert_to_tensor(weights, name="weights")
            columns.get_shape().assert_is_compatible_with(beside.get_shape())
            weights = cast(beside, dtype)
        sizes = stack([num_classes, num_classes])
        places = stack([rows, columns], axis=1)
        each = ones_like(columns, dtype) if weights is None else weights
        counts = sparse.SparseTensor(places, each, cast(sizes, int64))
        return sparse.add(zeros(cast(sizes, int32), dtype), counts)


def _squeezed(rows: Any, columns: Any) -> tuple[Any, Any]:
    """Return labels and predictions, one of them without a last axis that the other has not."""
    ranks = columns.get_shape().rank, rows.get_shape().rank
    with name_scope("remove_squeezable_dimensions"):
        if None not in ranks:
            more = ranks[0] - ranks[1]
            first = squeeze(columns, [-1]) if more == 1 else columns
            return squeeze(rows, [-1]) if more == -1 else rows, first
        more = rank(columns) - rank(rows)
        first = _squeezed_if(columns, equal(1, more))
        return _squeezed_if(rows, equal(-1, more)), first


def _squeezed_if(classes: Any, is_longer: Any) -> Any:
    sizes = classes.get_shape()
    if sizes.rank is not None and sizes.as_list()[-1:] not in ([1], [None]):
        return classes
    return cond(is_longer, lambda: squeeze(classes, [-1]), lambda: classes)


def _not_negative(classes: Any, what: str) -> Any:
    asked = assert_non_negative(classes, message=f"{what} contains negative values")
    return with_dependencies([asked], classes)


def _below(classes: Any, limit: Any, what: str) -> Any:
    asked = assert_less(classes, limit, message=f"{what} out of bound")
    return with_dependencies([asked], classes)
