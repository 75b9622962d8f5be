"""Gradients of special functions of two or three operands, summed where these were repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared.arrays import concat, ones, range, reshape, shape
from tensorlite.compat.shared.elementwise import (
    cast,
    div_no_nan,
    exp,
    floor_div,
    lgamma,
    log,
    negative,
    not_equal,
    polygamma,
    square,
    xdivy,
    xlogy,
    zeta,
)
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.broadcasting import of_shapes, summed
from tensorlite.core.dtypes import int32
from tensorlite.ops.math.gamma import IgammaGradA, RandomGammaGrad

Flows = Callable[[Any, Any, Any], tuple[Any, Any]]
"""Returns the gradients of two operands as they were repeated, None of one that has none."""


def _of_two(*operators: str) -> Callable[[Flows], Flows]:
    """Return a decorator of what says the gradients of operators before these are summed."""

    def decorate(flows: Flows) -> Flows:
        def written(op: Any, dy: Any) -> Any:
            x, y = op.inputs
            both = of_shapes(shape(x), shape(y))
            slopes = flows(x, y, op)
            return [
                None if slope is None else summed(slope(dy), over)
                for slope, over in zip(slopes, both, strict=True)
            ]

        gradient_of(*operators)(written)
        return flows

    return decorate


def _times(slope: Any) -> Callable[[Any], Any]:
    return lambda dy: slope * dy


@_of_two("DivNoNan")
def _div_no_nan(x: Any, y: Any, op: Any) -> Any:
    def of_divisor(dy: Any) -> Any:
        return dy * div_no_nan(div_no_nan(negative(x), y), y)

    return lambda dy: div_no_nan(dy, y), of_divisor


@_of_two("FloorMod")
def _floor_mod(x: Any, y: Any, op: Any) -> Any:
    times = floor_div(x, y)
    return lambda dy: dy, lambda dy: dy * negative(times)


@_of_two("Xlogy")
def _xlogy(x: Any, y: Any, op: Any) -> Any:
    dx = xlogy(_is_something(x), y)
    return _times(dx), _times(xdivy(x, y))


@_of_two("Xdivy")
def _xdivy(x: Any, y: Any, op: Any) -> Any:
    dx = xdivy(_is_something(x), y)
    return _times(dx), _times(xdivy(negative(x), y**2))


def _is_something(x: Any) -> Any:
    return cast(not_equal(x, cast(0.0, x.dtype)), x.dtype)


def _gamma_slopes(a: Any, x: Any, op: Any) -> Any:
    slope = operator(IgammaGradA(), a, x)
    density = exp(-x + (a - 1) * log(x) - lgamma(a))
    return _times(slope), _times(density)


_of_two("Igamma")(_gamma_slopes)


@gradient_of("Igammac")
def _igammac(op: Any, dy: Any) -> Any:
    a, x = op.inputs
    of_a, of_x = of_shapes(shape(a), shape(x))
    da, dx = _gamma_slopes(a, x, op)
    found = [summed(da(dy), of_a), summed(dx(dy), of_x)]
    return [negative(flow) for flow in found]


@_of_two("Zeta")
def _zeta(x: Any, q: Any, op: Any) -> Any:
    return None, _times(-x * zeta(x + 1, q))


@_of_two("Polygamma")
def _polygamma(n: Any, x: Any, op: Any) -> Any:
    return None, _times(polygamma(n + 1, x))


@gradient_of("Betainc")
def _betainc(op: Any, dy: Any) -> Any:
    a, b, x = op.inputs
    _, of_x = of_shapes(shape(a), shape(x))
    whole = lgamma(a) + lgamma(b) - lgamma(a + b)
    part = (b - 1) * log(1 - x) + (a - 1) * log(x)
    return None, None, summed(exp(part - whole) * dy, of_x)


@gradient_of("Atan2")
def _atan2(op: Any, dy: Any) -> Any:
    y, x = op.inputs
    if y.spec.shape != x.spec.shape:
        return NotImplemented
    flow = dy / (square(x) + square(y))
    return x * flow, -y * flow


@gradient_of("RandomGamma")
def _gamma_numbers(op: Any, dy: Any) -> Any:
    *_, sizes, alpha = op.inputs
    axes = shape(sizes)[0]
    before = ones([axes], int32)
    spread = reshape(alpha, concat([before, shape(alpha)], 0))
    slope = operator(RandomGammaGrad(), spread, op.outputs[0])
    return None, None, reduce_sum(dy * slope, range(axes))
