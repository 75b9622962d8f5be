"""Functions of numbers that tf.contrib.distributions has beside its distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, cutting, elementwise, nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float64, int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope

_ROUNDED = {
    "nearest": elementwise.round,
    "lower": elementwise.ceil,
    "higher": elementwise.floor,
}
"""How many of the greatest elements are above, which is counted from the top as TensorFlow does."""


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Any:
    """Return the element below which `q` per cent of those along the axes are, of all by default.

    It is one of the elements: the nearest, the next lower or the next higher one.
    """
    how = interpolation or "nearest"
    if how not in _ROUNDED:
        raise InvalidArgumentError(
            f"interpolation={interpolation!r}; allowed: {', '.join(_ROUNDED)}"
        )
    with name_scope(name, "percentile"):
        given = framework.convert_to_tensor(x, name="x")
        rows = _together(given, axis)
        share = 1.0 - elementwise.cast(q, float64, name="q") / 100.0
        last = elementwise.cast(v1_arrays.shape(rows)[-1], float64) - 1.0
        above = _ROUNDED[how](last * share)
        most = v1_arrays.shape(rows)[-1] - 1
        place = elementwise.clip_by_value(elementwise.cast(above, int32), 0, most)
        ordered, _ = nn.top_k(rows, v1_arrays.shape(rows)[-1])
        found = ordered[..., place]
        return _kept(found, given, axis) if keep_dims else found


def _axes(x: Any, axis: Any) -> list[int]:
    rank = x.get_shape().ndims
    if rank is None:
        raise ShapeError("percentile: the number of axes of x must be known")
    if axis is None:
        return list(range(rank))
    given = axis if isinstance(axis, (list, tuple)) else [axis]
    return sorted(int(one) % rank for one in given)


def _together(x: Any, axis: Any) -> Any:
    """Return a tensor whose last axis holds what is along the given ones."""
    taken = _axes(x, axis)
    if axis is None:
        return arrays.reshape(x, [-1])
    rest = [i for i in range(x.get_shape().ndims) if i not in taken]
    turned = arrays.transpose(x, rest + taken)
    known = turned.get_shape().as_list()
    if None not in known:
        return arrays.reshape(turned, [*known[: len(rest)], -1 if taken else 1])
    sizes = v1_arrays.shape(turned)[: len(rest)]
    return arrays.reshape(turned, arrays.concat([sizes, [-1]], 0))


def _kept(found: Any, x: Any, axis: Any) -> Any:
    for place in _axes(x, axis):
        found = v1_arrays.expand_dims(found, place)
    return found


def softplus_inverse(x: Any, name: str | None = None) -> Any:
    """Return what has `x` as its softplus, exact for small and for large numbers too."""
    given = as_parameter(x, "x")
    threshold = float(np.log(np.finfo(given.dtype.numpy).eps)) + 2.0
    small, large = given < np.exp(threshold), given > -threshold
    outside = elementwise.logical_or(small, large)
    safe = v1_arrays.where_v2(outside, v1_arrays.ones_like(given), given)
    middle = safe + elementwise.log(-elementwise.expm1(-safe))
    ends = v1_arrays.where_v2(large, given, middle)
    low = v1_arrays.where_v2(small, given, v1_arrays.ones_like(given))
    return v1_arrays.where_v2(small, elementwise.log(low), ends)


def reduce_weighted_logsumexp(
    logx: Any,
    w: Any = None,
    axis: Any = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> Any:
    """Return log(abs(sum(w exp(logx)))), and with `return_sign` the sign of the sum."""
    logs = as_parameter(logx, "logx")
    if w is None:
        found = numbers.reduce_logsumexp(logs, axis, keepdims=keep_dims)
        return (found, v1_arrays.ones_like(found)) if return_sign else found
    weights = as_parameter(w, "w", logs.dtype)
    heights = logs + elementwise.log(elementwise.abs(weights))
    top = numbers.reduce_max(heights, axis, keepdims=True)
    top = arrays.stop_gradient(
        v1_arrays.where_v2(elementwise.is_inf(top), v1_arrays.zeros_like(top), top)
    )
    each = elementwise.sign(weights) * elementwise.exp(heights - top)
    total = numbers.reduce_sum(each, axis, keepdims=keep_dims)
    if not keep_dims:
        top = v1_arrays.squeeze(top, axis)
    found = top + elementwise.log(elementwise.abs(total))
    return (found, elementwise.sign(total)) if return_sign else found


def _side(x: Any) -> Any:
    """Return the size of the triangle of as many elements as the last axis has."""
    count = x.get_shape()[-1].value
    if count is None:
        many = elementwise.cast(v1_arrays.shape(x)[-1], float64)
        return elementwise.cast(elementwise.sqrt(0.25 + 2.0 * many), int32)
    size = int((0.25 + 2.0 * count) ** 0.5 - 0.5)
    if size * (size + 1) // 2 != count:
        raise ShapeError(
            f"fill_triangular: {count} elements make no triangle; allowed are 1, 3, 6, 10, ..."
        )
    return size


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Return triangular matrices of the elements along the last axis, as in a spiral."""
    given = as_parameter(x, "x")
    size = _side(given)
    rest = given[..., size:]
    first, second = (given, rest) if upper else (rest, given)
    parts = [first, cutting.reverse(second, [-1])]
    outer = v1_arrays.shape(given)[:-1]
    whole = arrays.concat([outer, [size, size]], 0)
    square = arrays.reshape(arrays.concat(parts, -1), whole)
    kept = (0, -1) if upper else (-1, 0)
    return matrices.band_part(square, *kept)
