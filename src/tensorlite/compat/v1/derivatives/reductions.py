"""Gradients of reductions: what flows in is repeated along the axes that were reduced."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    fill,
    range,
    rank,
    reshape,
    shape,
    size,
    transpose,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    cast,
    div_no_nan,
    equal,
    maximum,
    truediv,
)
from tensorlite.compat.shared.picking import (
    dynamic_stitch,
    invert_permutation,
    setdiff1d,
)
from tensorlite.compat.shared.reductions import (
    cumprod,
    cumsum,
    reduce_prod,
    reduce_sum,
)
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.compat.v1.derivatives.broadcasting import sizes_of
from tensorlite.compat.v1.functions.arrays import gather
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import get_default_graph

_KNOWN = "kept axes"
"""Under what a graph keeps the shapes that reductions of known ones have with all axes."""


def kept_axes(sizes: Any, axes: Any) -> Any:
    """Return a shape with ones for the axes that are reduced."""
    sizes, axes = cast(sizes, int32), cast(axes, int32)
    rank = size(sizes)
    places = (axes + rank) % rank
    count = shape(places)
    return dynamic_stitch([range(rank), places], [sizes, fill(count, 1)])


def quotient(x: Any, y: Any) -> Any:
    """Return how often y, or one if it is nothing, is in x."""
    return x // maximum(y, 1)


def _known_repetitions(dims: tuple[int, ...], axes: Any) -> Any:
    """Return the shape with all axes and how often each is repeated; a graph asks once."""
    listed = tuple(np.ravel(axes).tolist())
    known = get_default_graph().scopes.setdefault(_KNOWN, {})
    if (dims, listed) not in known:
        kept_axes(constant(dims, name="Cast/x"), constant(listed, name="Cast_1/x"))
        reduced = {axis % len(dims) for axis in listed}
        kept = [1 if i in reduced else n for i, n in enumerate(dims)]
        constant(dims, name="floordiv/x") // maximum(kept, 1)
        times = [n // max(one, 1) for n, one in zip(dims, kept, strict=True)]
        known[dims, listed] = kept, times
    return known[dims, listed]


@gradient_of("Sum")
def _sum(op: Any, dy: Any) -> Any:
    x, axes = op.inputs
    dims, listed = x.spec.shape, axes.spec.constant()
    if dims is not None and listed is not None:
        if np.array_equal(np.ravel(listed), np.arange(len(dims))) and axes.spec.rank:
            spread = reshape(dy, [1] * len(dims))
            known = None not in dims
            return tile(spread, constant(list(dims), int32) if known else shape(x))
        if None not in dims:
            kept, times = _known_repetitions(tuple(dims), listed)
            return tile(reshape(dy, kept), times)
    sizes = shape(x)
    kept = kept_axes(sizes, axes)
    times = quotient(sizes, kept)
    return tile(reshape(dy, kept), times)


@gradient_of("Mean")
def _mean(op: Any, dy: Any) -> Any:
    (x, _), y = op.inputs, op.outputs[0]
    total = _sum(op, dy)
    of_x, of_y = sizes_of(x), sizes_of(y)
    if of_x is not None and of_y is not None:
        count: Any = constant(prod(of_x) // max(prod(of_y), 1), total.dtype)
    else:
        before, after = shape(x), shape(y)
        count = quotient(reduce_prod(before), reduce_prod(after))
    return truediv(total, cast(count, total.dtype))


@gradient_of("Prod")
def _prod(op: Any, dy: Any) -> Any:
    x, axes = op.inputs
    sizes = shape(x)
    listed = reshape(axes, [-1])
    kept = kept_axes(sizes, axes)
    spread = tile(reshape(dy, kept), quotient(sizes, kept))
    spread.set_shape(x.spec.shape)
    count = rank(x)
    reduced = (listed + count) % count
    others = setdiff1d(range(count), reduced).out
    order = concat([reduced, others], 0)
    along = reduce_prod(gather(sizes, reduced))
    across = reduce_prod(gather(sizes, others))
    moved = transpose(x, order)
    dims, known = x.spec.shape, axes.spec.constant()
    if dims is not None and known is not None:
        first = [axis % len(dims) for axis in np.ravel(known).tolist()]
        rest_of = [i for i in np.arange(len(dims)).tolist() if i not in first]
        moved.set_shape([dims[i] for i in (*first, *rest_of)])
    turned = shape(moved)
    columns = reshape(moved, [along, across])
    before = cumprod(columns, 0, exclusive=True)
    rest = reshape(before * cumprod(columns, 0, exclusive=True, reverse=True), turned)
    back = transpose(rest, invert_permutation(order))
    back.set_shape(x.spec.shape)
    return reshape(spread * back, sizes)


@gradient_of("Max", "Min")
def _extreme(op: Any, dy: Any) -> Any:
    x, axes = op.inputs
    kept = kept_axes(shape(x), axes)
    y, flow = reshape(op.outputs[0], kept), reshape(dy, kept)
    are_chosen = cast(equal(y, x), flow.dtype)
    count = reshape(reduce_sum(are_chosen, axes), kept)
    return truediv(are_chosen, count) * flow


@gradient_of("Cumprod")
def _running_product(op: Any, dy: Any) -> Any:
    """Return what TensorFlow makes, but for NaN at zeros, which count as constants."""
    own, (x, axis) = op.node.op, op.inputs
    products = cumprod(x, axis, own.exclusive, own.reverse)
    total = cumsum(products * dy, axis, own.exclusive, not own.reverse)
    return div_no_nan(total, x, name="truediv")
