"""Gradients of elementwise operators of two operands, summed where these were repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tensorlite.compat.shared.arrays import (
    ones_like,
    reshape,
    shape,
    zeros,
    zeros_like,
)
from tensorlite.compat.shared.elementwise import (
    conj,
    greater_equal,
    less_equal,
    log,
    multiply,
    negative,
    pow,
    realdiv,
)
from tensorlite.compat.shared.picking import select, select_rows
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.slices import Flow
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int32
from tensorlite.core.spec import broadcast
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.ops.arrays.shape import BroadcastGradientArgs, Shape

Repeated: TypeAlias = tuple[Any, Any]
"""The shape of an operand, and over which axes its gradient is summed."""
_KNOWN = "repeated axes"
"""Under what a graph keeps along which axes shapes that are known are repeated."""


def sizes_of(x: Any) -> tuple[int, ...] | None:
    """Return the shape of a tensor if all of it is known."""
    dims = x.spec.shape
    return None if dims is None or None in dims else tuple(dims)


def of_shapes(sx: Any, sy: Any) -> tuple[Repeated, Repeated]:
    """Return what two operands of some shapes have their gradients summed over."""
    over_x, over_y = operator(BroadcastGradientArgs(), sx, sy)
    return (sx, over_x), (sy, over_y)


def repeated(x: Any, y: Any, dy: Any = None) -> tuple[Repeated, Repeated]:
    """Return what two operands have their gradients summed over, None where there is nothing.

    Of shapes that are known a graph asks once, but for sparse gradients.
    """
    if isinstance(dy, Flow):
        return of_shapes(shape(x), shape(y))
    sx, sy = sizes_of(x), sizes_of(y)
    if sx is None or sy is None:
        return of_shapes(operator(Shape(), x), operator(Shape(), y))
    known = get_default_graph().scopes.setdefault(_KNOWN, {})
    if (sx, sy) not in known:
        of_shapes(_argument(sx, 0), _argument(sy, 1))
        whole = broadcast(sx, sy) or ()
        known[sx, sy] = _repeated_axes(sx, whole), _repeated_axes(sy, whole)
    over_x, over_y = known[sx, sy]
    return (sx, over_x), (sy, over_y)


def _argument(sizes: tuple[int, ...], place: int) -> Any:
    name = f"BroadcastGradientArgs/s{place}"
    return constant(list(sizes), int32, [len(sizes)], name=name)


def _repeated_axes(own: tuple[int, ...], whole: Any) -> list[int] | None:
    """Return along which axes a shape is repeated to be the whole; None if it is the whole."""
    extra = len(whole) - len(own)
    stretched = [i for i, n in enumerate(own, extra) if n != whole[i]]
    return None if own == tuple(whole) else [*range(extra), *stretched]


def are_alike(x: Any, y: Any) -> bool:
    """Return whether two operands are known to have one shape."""
    return sizes_of(x) is not None and sizes_of(x) == sizes_of(y)


def summed(dx: Any, over: Repeated) -> Any:
    """Return the gradient of an operand, given that of it as it was repeated."""
    sizes, axes = over
    return dx if axes is None else reshape(reduce_sum(dx, axes), sizes)


def turned(x: Any) -> Any:
    """Return the conjugate of complex numbers, others as they are."""
    return conj(x) if x.dtype.is_complex else x


@gradient_of("Add", "AddV2", of_complex=True)
def _add(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    if are_alike(x, y) and not isinstance(dy, Flow):
        return dy, dy
    of_x, of_y = repeated(x, y, dy)
    return summed(dy, of_x), summed(dy, of_y)


@gradient_of("Sub", of_complex=True)
def _sub(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    if are_alike(x, y) and not isinstance(dy, Flow):
        return dy, -dy
    of_x, of_y = repeated(x, y, dy)
    return summed(dy, of_x), summed(-dy, of_y)


@gradient_of("Mul", of_complex=True)
def _mul(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    is_whole = not isinstance(dy, Flow) and dy.dtype.name == "float32"
    if are_alike(x, y) and is_whole:
        return multiply(dy, y), multiply(dy, x)
    of_x, of_y = repeated(x, y, dy)
    x, y = turned(x), turned(y)
    return summed(multiply(dy, y), of_x), summed(multiply(x, dy), of_y)


@gradient_of("RealDiv", of_complex=True)
def _real_div(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    of_x, of_y = of_shapes(shape(x), shape(y))
    x, y = turned(x), turned(y)
    dx = summed(realdiv(dy, y), of_x)
    return dx, summed(dy * realdiv(realdiv(-x, y), y), of_y)


@gradient_of("Pow")
def _pow(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    of_x, of_y = repeated(x, y, dy)
    dx = summed(dy * y * pow(x, y - 1), of_x)
    is_positive = x > 0
    base = select_rows(is_positive, x, ones_like(x, None))
    slope = select_rows(is_positive, log(base), zeros_like(x, None))
    return dx, summed(dy * op.outputs[0] * slope, of_y)


@gradient_of("SquaredDifference")
def _squared_difference(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    dx = multiply(constant(2.0, dy.dtype, name="scalar"), dy) * (x - y)
    if are_alike(x, y):
        return dx, -dx
    of_x, of_y = repeated(x, y, dy)
    return summed(dx, of_x), negative(summed(dx, of_y))


def _chosen(comes_first: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the gradient of an operator that takes one of its operands."""

    def function(op: Any, dy: Any) -> Any:
        x, y = op.inputs
        sx, sy = shape(x), shape(y)
        none = zeros(shape(dy), dy.dtype)
        is_first = comes_first(x, y)
        of_x, of_y = of_shapes(sx, sy)
        dx = summed(select_rows(is_first, dy, none), of_x)
        return dx, summed(select_rows(is_first, none, dy), of_y)

    return function


@gradient_of("SelectV2")
def _select(op: Any, dy: Any) -> Any:
    """Sum over the axes along which what is chosen was repeated; the rest keeps its order."""
    condition, x, y = op.inputs
    none = zeros([], dy.dtype)
    dx = select(condition, dy, none)
    sx, whole = shape(x), shape(op.outputs[0])
    over_x, _ = operator(BroadcastGradientArgs(), sx, whole)
    dx = reshape(reduce_sum(dx, over_x, keepdims=True), sx)
    rest = select(condition, none, dy)
    sy = shape(y)
    over_y, _ = operator(BroadcastGradientArgs(), sy, whole)
    return None, dx, reshape(reduce_sum(rest, over_y, keepdims=True), sy)


gradient_of("Maximum")(_chosen(greater_equal))
gradient_of("Minimum")(_chosen(less_equal))
