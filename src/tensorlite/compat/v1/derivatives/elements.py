"""Gradients of functions of elements."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import shape, zeros, zeros_like
from tensorlite.compat.shared.elementwise import (
    add,
    bessel_i0e,
    bessel_i1e,
    conj,
    cos,
    cosh,
    digamma,
    exp,
    multiply,
    negative,
    polygamma,
    reciprocal,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
)
from tensorlite.compat.shared.picking import select_rows
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.ops.math.flows import (
    ReciprocalGrad,
    RsqrtGrad,
    SoftsignGrad,
    SqrtGrad,
    TanhGrad,
)
from tensorlite.ops.nn.activations import SigmoidGrad


def _of_result(kind: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    """Return a gradient that is an operator's of its own, of the result."""
    return lambda op, dy: operator(kind(), op.outputs[0], dy)


def _of_square(kind: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    """Return the second gradient where the first has the square of the result."""

    def derived(op: Any, dy: Any) -> tuple[Any, Any]:
        y, flow = op.inputs
        return dy * -2.0 * flow * y, operator(kind(), y, dy)

    return derived


gradient_of("TanhGrad")(_of_square(TanhGrad))
gradient_of("ReciprocalGrad")(_of_square(ReciprocalGrad))


@gradient_of("SigmoidGrad")
def _sigmoid_twice(op: Any, dy: Any) -> tuple[Any, Any]:
    y, flow = op.inputs
    both = dy * flow
    return both - 2.0 * both * y, operator(SigmoidGrad(), y, dy)


@gradient_of("SqrtGrad")
def _sqrt_twice(op: Any, dy: Any) -> tuple[Any, Any]:
    share = dy / op.inputs[0]
    return -share * op.outputs[0], 0.5 * share


@gradient_of("RsqrtGrad")
def _rsqrt_twice(op: Any, dy: Any) -> tuple[Any, Any]:
    y, flow = op.inputs
    return -1.5 * dy * flow * square(y), operator(RsqrtGrad(), y, dy)


gradient_of("Neg", of_complex=True)(lambda op, dy: -dy)


@gradient_of("Tanh")
def _tanh(op: Any, dy: Any) -> Any:
    """Return the operator's gradient, which takes complex results conjugated."""
    y = op.outputs[0]
    return operator(TanhGrad(), conj(y) if y.dtype.is_complex else y, dy)


gradient_of("Sqrt")(_of_result(SqrtGrad))
gradient_of("Rsqrt")(_of_result(RsqrtGrad))
gradient_of("Reciprocal")(_of_result(ReciprocalGrad))
gradient_of("Exp")(lambda op, dy: dy * op.outputs[0])
gradient_of("Log")(lambda op, dy: dy * reciprocal(op.inputs[0]))
gradient_of("Log1p")(lambda op, dy: dy * reciprocal(1 + op.inputs[0]))
gradient_of("Abs")(lambda op, dy: dy * sign(op.inputs[0]))
gradient_of("Sin")(lambda op, dy: dy * cos(op.inputs[0]))
gradient_of("Cos")(lambda op, dy: -dy * sin(op.inputs[0]))
gradient_of("Sinh")(lambda op, dy: dy * cosh(op.inputs[0]))
gradient_of("Cosh")(lambda op, dy: dy * sinh(op.inputs[0]))
gradient_of("Asinh")(lambda op, dy: dy / cosh(op.outputs[0]))
gradient_of("Acosh")(lambda op, dy: dy / sinh(op.outputs[0]))
gradient_of("Tan")(lambda op, dy: square(reciprocal(cos(op.inputs[0]))) * dy)
gradient_of("Expm1")(lambda op, dy: dy * exp(op.inputs[0]))
gradient_of("Lgamma")(lambda op, dy: dy * digamma(op.inputs[0]))
gradient_of("Sign")(lambda op, dy: zeros(shape(op.inputs[0]), dy.dtype))
gradient_of("Softsign")(lambda op, dy: operator(SoftsignGrad(), dy, op.inputs[0]))
gradient_of("Softplus")(lambda op, dy: dy * sigmoid(op.inputs[0]))
gradient_of("L2Loss")(lambda op, dy: op.inputs[0] * dy)


def _of_slope(op: Any, dy: Any) -> tuple[Any, Any]:
    """Write that of a slope that is one number on each side of a kink."""
    x = op.inputs[1]
    return operator(op.node.op, dy, x), zeros(shape(x), x.dtype)


gradient_of("ReluGrad", "Relu6Grad", "LeakyReluGrad")(_of_slope)


@gradient_of("EluGrad", "SeluGrad")
def _of_bend(op: Any, dy: Any) -> tuple[Any, Any]:
    flow, y = op.inputs
    dflow = operator(op.node.op, dy, y)
    return dflow, select_rows(y < 0, dy * flow, zeros_like(y, None))


@gradient_of("Square")
def _square(op: Any, dy: Any) -> Any:
    two = constant(2.0, dy.dtype)
    return multiply(dy, multiply(op.inputs[0], two))


@gradient_of("Erf")
def _erf(op: Any, dy: Any) -> Any:
    factor = constant(2 / pi**0.5, dy.dtype)
    return dy * factor * exp(-square(op.inputs[0]))


@gradient_of("Erfc")
def _erfc(op: Any, dy: Any) -> Any:
    factor = constant(-2 / pi**0.5, dy.dtype)
    return dy * factor * exp(-square(op.inputs[0]))


@gradient_of("Asin")
def _asin(op: Any, dy: Any) -> Any:
    return dy * _slope_of_asin(op.inputs[0])


@gradient_of("Acos")
def _acos(op: Any, dy: Any) -> Any:
    slope = _slope_of_asin(op.inputs[0])
    return negative(dy) * slope


def _slope_of_asin(x: Any) -> Any:
    squares = square(x)
    return reciprocal(sqrt(subtract(constant(1, x.dtype), squares)))


@gradient_of("Atan")
def _atan(op: Any, dy: Any) -> Any:
    squares = square(op.inputs[0])
    return dy * reciprocal(add(constant(1, dy.dtype), squares))


@gradient_of("Atanh")
def _atanh(op: Any, dy: Any) -> Any:
    squares = square(op.inputs[0])
    return dy * reciprocal(subtract(constant(1, dy.dtype), squares))


@gradient_of("Digamma")
def _digamma(op: Any, dy: Any) -> Any:
    return dy * polygamma(constant(1, dy.dtype), op.inputs[0])


@gradient_of("BesselI0e")
def _bessel_i0e(op: Any, dy: Any) -> Any:
    x, y = op.inputs[0], op.outputs[0]
    slope = bessel_i1e(x) - sign(x) * y
    return dy * slope


@gradient_of("BesselI1e")
def _bessel_i1e(op: Any, dy: Any) -> Any:
    x, y = op.inputs[0], op.outputs[0]
    none = zeros_like(x, None)
    is_far = abs(x) > np.finfo(x.dtype.numpy).eps
    away = select_rows(is_far, x, 1.0 + none)
    slope = bessel_i0e(away) - y * (sign(away) + reciprocal(away))
    return dy * select_rows(is_far, slope, 0.5 + none)


@gradient_of("Select")
def _select(op: Any, dy: Any) -> Any:
    condition, x, _ = op.inputs
    none = zeros_like(x, None)
    dx = select_rows(condition, dy, none)
    return None, dx, select_rows(condition, none, dy)
