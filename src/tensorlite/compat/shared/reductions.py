"""Reductions over axes as TensorFlow 2 calls them; v1/math.py adds the older names of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import math
from tensorlite.compat import views
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.arrays import (
    range,
    rank as rank_of,
    reshape,
    shape,
    stop_gradient,
    zeros,
    zeros_like,
)
from tensorlite.compat.shared.elementwise import (
    add,
    cast,
    exp,
    is_finite,
    log,
    not_equal,
    sqrt,
    square,
    subtract,
)
from tensorlite.compat.shared.picking import select_rows
from tensorlite.compat.shared.sizes import as_whole
from tensorlite.core.check import integers_of
from tensorlite.core.dispatch import call, integers
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import normalise_axes
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.composite import composed
from tensorlite.ops.math import cumulative, reduce
from tensorlite.ops.math.arithmetic import as_axes
from tensorlite.ops.nn.normalise import EuclideanNorm
from tensorlite.ops.sparse.tensor import SparseTensor


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return the mean; that of whole numbers is one, too, as in TensorFlow, and that of none 0."""
    if not x.dtype.is_integer:
        return tl.mean(x, axis=as_given(x, axis), keepdims=keepdims)
    total = tl.sum(x, axis=axis, keepdims=keepdims)
    count = tl.sum(tl.ones_like(x), axis=axis, keepdims=keepdims)
    return tl.sign(total) * tl.floor_divide(tl.abs(total), tl.maximum(count, 1))


def _with_keywords(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims)


def as_given(x: Any, axis: Any) -> Any:
    """Return axes as they are given, from the end too: gradients of graphs tell them apart."""
    if not isinstance(axis, (int, tuple)) or active_graph() is None:
        return axis
    axes = (axis,) if isinstance(axis, int) else axis
    if x.spec.rank is not None:
        normalise_axes(axes, x.spec.rank)
    return integers(axes)


def _sum(x: Any, axis: Any, keepdims: bool) -> Any:
    return tl.sum(x, axis=as_given(x, axis), keepdims=keepdims)


def _extreme(kind: Callable[[bool], Op]) -> Callable[..., Any]:
    """Return the operator's own meaning, which over nothing is where numbers end."""
    return lambda x, axis, keepdims: call(kind(keepdims), x, as_axes(axis, x))


def reduction(
    default: str, function: Callable[..., Any], inner: str = ""
) -> Callable[..., Any]:
    """Return a function of a tensor and the axes that go."""

    @named(default, inner)
    def reduced(
        input_tensor: Any, axis: Any, keepdims: bool, name: str | None = None
    ) -> Any:
        return function(converted(input_tensor), _packed(axis), keepdims)

    def made(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = False,
        name: str | None = None,
    ) -> Any:
        given = _operand(input_tensor)
        axes = axis if _has_symbols(axis) else axes_of(given, axis)
        found = reduced(given, axes, bool(keepdims), name=name)
        if axis is None and isinstance(axes, SymbolicTensor) and not keepdims:
            found.set_shape(())
        return found

    made.__dict__.update(noted=reduced)  # what models of Keras have of it
    return made


def _has_symbols(axis: Any) -> bool:
    """Return whether axes are a list in which tensors of a graph stand."""
    is_list = isinstance(axis, (list, tuple))
    return is_list and any(isinstance(x, SymbolicTensor) for x in axis)


def _packed(axis: Any) -> Any:
    """Return axes as a tensor if tensors of a graph stand among them, else as they are."""
    if _has_symbols(axis):
        return given_constant(axis, name="reduction_indices")
    return axis


def _operand(x: Any) -> Any:
    if isinstance(x, SparseTensor):
        return tl.sparse.to_dense(x)
    return x


_VALUES = (GraphVariable, list, tuple, np.ndarray, int, float)
"""Of what TensorFlow asks for the rank, though it is known."""


def axes_of(x: Any, axis: Any) -> Any:
    """Return axes as they are given, or all: a constant in a graph, as TensorFlow makes there."""
    axis = _packed(axis)
    if isinstance(axis, Operand):
        return axis
    if axis is None and active_graph() is not None and isinstance(x, SymbolicTensor):
        rank = x.node.outputs[x.index].spec.rank
        if rank is None:
            return range(0, rank_of(x))
        return given_constant(np.arange(rank, dtype=np.int32))
    if axis is None and active_graph() is not None and isinstance(x, _VALUES):
        return range(0, rank_of(x))
    if axis is None or isinstance(axis, int):
        return axis
    return tuple(integers_of(as_whole(axis), "axis"))


reduce_sum = documented(
    reduction("Sum", _sum),
    """Return the sums of elements along axes, of all of them if axis is None.

    keepdims=True leaves axes of size 1 in the place of those that go.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """,
)
reduce_mean = documented(
    reduction("Mean", _mean),
    """Return the means of elements along axes, of all of them if axis is None.

    Means of whole numbers are whole, cut towards 0.

    keepdims=True leaves axes of size 1 in the place of those that go.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy().tolist()
    [1.5, 3.5]
    """,
)
reduce_prod = documented(
    reduction("Prod", _with_keywords(tl.prod)),
    "Return the products of elements along axes, all if axis is None.",
)
reduce_max = documented(
    reduction("Max", _extreme(reduce.Max)),
    """Return the greatest of elements along axes, of all of them if axis is None.

    keepdims=True leaves axes of size 1 in the place of those that go.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.reduce_max([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [2, 4]
    """,
)
reduce_min = documented(
    reduction("Min", _extreme(reduce.Min)),
    "Return the least of elements along axes, all if axis is None.",
)
reduce_all = documented(
    reduction("All", _with_keywords(tl.all)),
    "Return whether all elements hold along axes, all if axis is None.",
)
reduce_any = documented(
    reduction("Any", _with_keywords(tl.any)),
    "Return whether any element holds along axes, all if axis is None.",
)


@named("ReduceLogSumExp", None)
def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = False,
    name: str | None = None,
) -> Any:
    """Return log(sum(exp(x))) along axes, computed so that nothing overflows."""
    x = converted(_operand(input_tensor))
    if active_graph() is None:
        return tl.logsumexp(x, axis=axes_of(x, axis), keepdims=bool(keepdims))
    greatest = reduce_max(x, axis, True)
    nothing = zeros_like(greatest, None)
    centre = stop_gradient(select_rows(is_finite(greatest), greatest, nothing))
    powers = exp(subtract(x, centre))
    found = log(reduce_sum(powers, axis, keepdims))
    if not keepdims:
        centre = reshape(centre, shape(found))
    return add(found, centre)


@named("reduce_variance", None)
def reduce_variance(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = False,
    name: str | None = None,
) -> Any:
    """Return the mean of squared distances from the mean, along axes.

    DTypeError unless they are floats or complex numbers.
    """
    x = converted(_operand(input_tensor))
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise DTypeError(
            f"Input must be either real or complex. Received {x.spec}; cast it with tf.cast"
        )
    if active_graph() is None or x.dtype.is_complex:
        return tl.var(x, axis=axes_of(x, axis), keepdims=bool(keepdims))
    away = views.shown(x) - reduce_mean(x, axis, True)
    return reduce_mean(square(away), axis, keepdims)


@named("reduce_std", "Sqrt")
def reduce_std(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = False,
    name: str | None = None,
) -> Any:
    """Return the root of the mean of squared distances from the mean, along axes."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def _norm(x: Any, axis: Any, keepdims: bool) -> Any:
    return composed(EuclideanNorm(keepdims), x, as_axes(axis, x))


reduce_euclidean_norm = documented(
    reduction("EuclideanNorm", _norm),
    "Return the roots of sums of squares along axes, all if axis is None.",
)


@named("count_nonzero", inner=None)
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
) -> Any:
    """Return how many elements are not 0, or not empty, along axes, as int64 or `dtype`."""
    x = input.values if isinstance(input, SparseTensor) else converted(input)
    found = cast(not_equal(x, zeros([], x.dtype)), int64)
    total = reduce_sum(found, axis, keepdims)
    wanted = as_dtype(dtype)
    return total if wanted is int64 else cast(total, wanted)


def _place(default: str, kind: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(
        input: Any,
        axis: Any = None,
        output_type: Any = int64,
        name: str | None = None,
    ) -> Any:
        along = converted(0 if axis is None else axis, int32)
        return call(kind(as_dtype(output_type)), converted(input), along)

    return made


argmax = documented(
    _place("ArgMax", reduce.ArgMax),
    """Return the places of the greatest elements along an axis, 0 unless given, as int64.

    Of equal ones it is the first. `output_type` is another dtype of the places.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.argmax([[1, 9], [8, 2]], axis=1).numpy().tolist()
    [1, 0]
    """,
)
argmin = documented(
    _place("ArgMin", reduce.ArgMin),
    "Return the places of the least elements along an axis, 0 unless given, as int64.",
)


def _running(default: str, kind: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(
        x: Any,
        axis: Any = 0,
        exclusive: bool = False,
        reverse: bool = False,
        name: str | None = None,
    ) -> Any:
        along = converted(axis, int32) if not isinstance(axis, Operand) else axis
        return call(kind(exclusive, reverse), converted(x), along)

    return made


cumsum = documented(
    _running("Cumsum", cumulative.Cumsum),
    """Return the sum of all elements up to each, along an axis.

    exclusive=True leaves out the element itself, reverse=True goes from the end.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    """,
)
cumprod = documented(
    _running("Cumprod", cumulative.Cumprod),
    "Return the product of all elements up to each, along an axis, as `cumsum` adds.",
)


@named("CumulativeLogsumexp")
def cumulative_logsumexp(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return log(sum(exp(x))) of all elements up to each, along an axis.

    exclusive=True leaves out the element itself, reverse=True goes from the end.
    """
    return math.cumulative_logsumexp(converted(x), axis, exclusive, reverse)
