"""tf.keras.ops over axes: sums, means, extremes, quantiles, places, counts, running sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.ops.making import (
    counted,
    fraction,
    named,
    operation,
    tensor,
    together,
)
from tensorlite.core.dtypes import int32
from tensorlite.ops.arrays.shape import astype, shape_of


def _over(
    name: str, function: Callable[..., Any], prepared: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Return a function of a tensor and axes."""

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axes = tuple(axis) if isinstance(axis, list) else axis
        return function(prepared(x), axis=axes, keepdims=keepdims)

    return named(name, reduce)


def _truth(x: Any) -> Any:
    return tensor(x, tl.bool)


def _without_nan(
    name: str, function: Callable[..., Any], neutral: float
) -> Callable[..., Any]:
    """Return a function over axes for which what is no number counts as a neutral one."""

    def prepared(x: Any) -> Any:
        value = counted(x)
        if not value.dtype.is_floating:
            return value
        return tl.where(tl.isnan(value), tl.full_like(value, neutral), value)

    return _over(name, function, prepared)


def _as_places(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, keepdims: astype(
        function(x, axis=axis, keepdims=keepdims), int32
    )


def _spread(x: Any, axis: Any, keepdims: bool) -> Any:
    return tl.max(x, axis=axis, keepdims=keepdims) - tl.min(
        x, axis=axis, keepdims=keepdims
    )


sum = _over("sum", tl.sum, counted)
mean = _over("mean", tl.mean, fraction)
std = _over("std", tl.std, fraction)
var = _over("var", tl.var, fraction)
all = _over("all", tl.all, _truth)
any = _over("any", tl.any, _truth)
amax = _over("amax", tl.max, tensor)
amin = _over("amin", tl.min, tensor)
ptp = _over("ptp", _spread, tensor)
argmax = _over("argmax", _as_places(tl.argmax), counted)
argmin = _over("argmin", _as_places(tl.argmin), counted)
logsumexp = _over("logsumexp", tl.logsumexp, fraction)
nansum = _without_nan("nansum", tl.sum, 0.0)
nanprod = _without_nan("nanprod", tl.prod, 1.0)
nanmax = _without_nan("nanmax", tl.max, -math.inf)
nanmin = _without_nan("nanmin", tl.min, math.inf)
nanargmax = _without_nan("nanargmax", _as_places(tl.argmax), -math.inf)
nanargmin = _without_nan("nanargmin", _as_places(tl.argmin), math.inf)


@operation
def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return the greatest element along axes, or initial if that is greater.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.max([[1, 5], [7, 2]], axis=1).numpy().tolist()
    [5, 7]
    """
    made = amax(x, axis, keepdims)
    return made if initial is None else tl.maximum(made, tensor(initial, made.dtype))


@operation
def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return the least element along axes, or initial if that is less."""
    made = amin(x, axis, keepdims)
    return made if initial is None else tl.minimum(made, tensor(initial, made.dtype))


@operation
def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Return the product along axes."""
    return tl.prod(tensor(counted(x), dtype), axis=axis, keepdims=keepdims)


@operation
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean along axes of the elements that are not NaN."""
    value = fraction(x)
    there = astype(tl.logical_not(tl.isnan(value)), value.dtype)
    total = nansum(value, axis, keepdims)
    return total / tl.sum(there, axis=axis, keepdims=keepdims)


@operation
def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance along axes of the elements that are not NaN."""
    value = fraction(x)
    return nanmean(tl.square(value - nanmean(value, axis, True)), axis, keepdims)


@operation
def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation along axes of the elements that are not NaN."""
    return tl.sqrt(nanvar(x, axis, keepdims))


@operation
def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """Return the mean along an axis, weighted if weights are given."""
    value = fraction(x)
    if weights is None:
        return tl.mean(value, axis=axis)
    value, shares = together(value, fraction(weights))
    if axis is not None and len(shares.shape) == 1 < len(value.shape):
        sizes = [1] * len(value.shape)
        sizes[axis] = -1
        shares = tl.reshape(shares, sizes)
    shares = shares * tl.ones_like(value)
    return tl.sum(value * shares, axis=axis) / tl.sum(shares, axis=axis)


@operation
def moments(
    x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False
) -> Any:
    """Return mean and variance along axes; synchronized has no effect."""
    value = fraction(x)
    if value.dtype is not tl.float16:
        return tl.nn.moments(value, axes, keepdims)
    most = float(np.finfo(np.float16).max)
    found = tl.nn.moments(astype(value, tl.float32), axes, keepdims)
    return tuple(astype(tl.clip(each, -most, most), tl.float16) for each in found)


@operation
def count_nonzero(x: Any, axis: Any = None) -> Any:
    """Return how many elements along an axis are not 0, as int32."""
    return astype(tl.count_nonzero(tensor(x), axis=axis), int32)


@operation
def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the sums of all elements up to each, along an axis or of a vector of all."""
    return _running(tl.cumulative_sum, tensor(counted(x), dtype), axis)


@operation
def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the products of all elements up to each, along an axis or of a vector of all."""
    return _running(tl.cumulative_prod, tensor(counted(x), dtype), axis)


@operation
def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the sums of all elements up to each, with NaN as 0."""
    value = tensor(counted(x), dtype)
    return cumsum(tl.where(tl.isnan(value), tl.zeros_like(value), value), axis)


@operation
def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Return the products of all elements up to each, with NaN as 1."""
    value = tensor(counted(x), dtype)
    return cumprod(tl.where(tl.isnan(value), tl.ones_like(value), value), axis)


def _running(function: Callable[..., Any], value: Any, axis: Any) -> Any:
    if axis is None:
        value, axis = tl.reshape(value, [-1]), 0
    return function(value, axis=axis, dtype=value.dtype)


@operation
def quantile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the values below which shares q of the elements are, along axes.

    method says what lies between two elements: "linear", "lower", "higher", "midpoint" or
    "nearest".
    """
    value, axes = fraction(x), _axes(axis, len(tensor(x).shape))
    rows = _rows_last(value, axes)
    made = _between(tl.sort(rows), _count(rows) - 1.0, fraction(q), method)
    return _placed(made, value, axes, keepdims, len(tensor(q).shape))


@operation
def percentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the values below which q hundredths of the elements are, along axes."""
    return quantile(x, fraction(q) / 100.0, axis, method, keepdims)


@operation
def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the middle element along axes, or the mean of the middle two."""
    return quantile(x, 0.5, axis, "linear", keepdims)


@operation
def nanquantile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the quantiles along axes of the elements that are not NaN."""
    value, axes = fraction(x), _axes(axis, len(tensor(x).shape))
    rows = _rows_last(value, axes)
    absent = tl.isnan(rows)
    there = tl.sum(astype(tl.logical_not(absent), rows.dtype), axis=-1)
    ordered = tl.sort(tl.where(absent, tl.full_like(rows, math.inf), rows))
    made = _between(ordered, there - 1.0, fraction(q), method)
    return _placed(made, value, axes, keepdims, len(tensor(q).shape))


@operation
def nanpercentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the percentiles along axes of the elements that are not NaN."""
    return nanquantile(x, fraction(q) / 100.0, axis, method, keepdims)


@operation
def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the median along axes of the elements that are not NaN."""
    return nanquantile(x, 0.5, axis, "linear", keepdims)


def _axes(axis: Any, rank: int) -> list[int]:
    given = range(rank) if axis is None else np.atleast_1d(axis)
    return [int(i) % rank for i in given]


def _rows_last(value: Any, axes: list[int]) -> Any:
    """Return a tensor whose last axis is all the given ones."""
    kept = [i for i in range(len(value.shape)) if i not in axes]
    sizes = [shape_of(value)[i] for i in kept]
    return tl.reshape(tl.permute_dims(value, (*kept, *axes)), [*sizes, -1])


def _count(rows: Any) -> Any:
    return astype(tl.asarray(shape_of(rows)[-1]), rows.dtype)


def _between(ordered: Any, last: Any, q: Any, method: str) -> Any:
    """Return what lies at shares of ordered rows; those shares are the first axis."""
    shares = tl.reshape(q, [-1, *[1] * (len(ordered.shape) - 1)])
    at = shares * last
    low, high = tl.floor(at), tl.ceil(at)
    nearest = {"lower": low, "higher": high, "nearest": tl.round(at)}
    if method in nearest:
        return _at(ordered, nearest[method])
    first, second = _at(ordered, low), _at(ordered, high)
    part = 0.5 if method == "midpoint" else at - low
    return first + (second - first) * part


def _at(ordered: Any, places: Any) -> Any:
    """Return the elements at places of rows, for each of the places' first axis."""
    count = tl.asarray(shape_of(ordered)[-1])
    chosen = tl.equal(
        astype(places, int32)[..., None], tl.arange(0, count, dtype=int32)
    )
    return tl.sum(tl.where(chosen, ordered, tl.zeros_like(ordered)), axis=-1)


def _placed(made: Any, value: Any, axes: list[int], keepdims: bool, rank: int) -> Any:
    if keepdims:
        made = tl.expand_dims(made, axis=tuple(i + 1 for i in sorted(axes)))
    return made if rank else tl.squeeze(made, axis=0)


@operation
def bincount(
    x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False
) -> Any:
    """Return how often each number occurs, or the sum of its weights, along the last axis.

    The result has minlength numbers at least; sparse has no effect.
    """
    value, shares = tensor(x), None if weights is None else tensor(weights)
    if len(value.shape) == 1:
        return tl.bincount(value, shares, minlength)
    length = tl.maximum(tl.max(value) + 1, minlength)
    hot = tl.equal(value[..., None], tl.arange(0, length, dtype=value.dtype))
    counts = astype(hot, int32 if shares is None else shares.dtype)
    return tl.sum(counts if shares is None else counts * shares[..., None], axis=-2)


@operation
def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:
    """Return how many elements lie in each of equal bins, and the bins' edges.

    range is (low, high), and what lies outside is left out; without it it spans the elements.
    """
    value = fraction(tl.reshape(tensor(x), [-1]))
    low, high = (tl.min(value), tl.max(value)) if range is None else range
    edges = tl.linspace(tensor(low, value.dtype), tensor(high, value.dtype), bins + 1)
    inside = tl.logical_and(value >= edges[0], value <= edges[-1])
    places = tl.searchsorted(
        edges[1:-1], tl.boolean_mask(value, inside), side="right"
    )
    counts = tl.bincount(astype(places, int32), minlength=bins)
    return astype(counts, tensor(x).dtype), edges


@operation
def digitize(x: Any, bins: Any) -> Any:
    """Return the number of the bin in which each element lies, 0 below the first edge."""
    edges, value = together(tensor(bins), tensor(x))
    return astype(tl.searchsorted(edges, value, side="right"), int32)


@operation
def searchsorted(
    sorted_sequence: Any, values: Any, side: Literal["left", "right"] = "left"
) -> Any:
    """Return where values would stand in a sorted sequence, as int32.

    side says whether before equal ones, "left", or behind them, "right".
    """
    known, wanted = together(sorted_sequence, values)
    return astype(tl.searchsorted(known, wanted, side=side), int32)


@operation
def corrcoef(x: Any) -> Any:
    """Return how rows are correlated with each other, from -1 to 1."""
    value = fraction(x)
    value = value if len(value.shape) > 1 else value[None]
    centred = value - tl.mean(value, axis=-1, keepdims=True)
    products = tl.matmul(centred, tl.matrix_transpose(centred))
    spread = tl.sqrt(tl.diag_part(products))
    found = tl.clip(products / spread[:, None] / spread[None, :], -1.0, 1.0)
    return found if len(tensor(x).shape) > 1 else found[0, 0]


@operation
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the area under y along an axis, for points x or points dx apart."""
    value = tl.moveaxis(fraction(y), axis, -1)
    widths: Any = dx
    if x is not None:
        points = fraction(x)
        points = tl.moveaxis(points, axis, -1) if len(points.shape) > 1 else points
        widths = tl.diff(points)
    return tl.sum((value[..., 1:] + value[..., :-1]) / 2.0 * widths, axis=-1)
