"""Gradients of functions of elements."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from tensorlite.compat.shared.arrays import zeros_like
from tensorlite.compat.shared.elementwise import (
    cos,
    exp,
    multiply,
    reciprocal,
    sigmoid,
    sign,
    sin,
    square,
)
from tensorlite.compat.shared.picking import select_rows
from tensorlite.compat.v1.constants import constant
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.ops.flows import ReciprocalGrad, RsqrtGrad, SqrtGrad, TanhGrad


def _of_result(kind: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    """Return a gradient that is an operator's of its own, of the result."""
    return lambda op, dy: operator(kind(), op.outputs[0], dy)


gradient_of("Neg")(lambda op, dy: -dy)
gradient_of("Tanh")(_of_result(TanhGrad))
gradient_of("Sqrt")(_of_result(SqrtGrad))
gradient_of("Rsqrt")(_of_result(RsqrtGrad))
gradient_of("Reciprocal")(_of_result(ReciprocalGrad))
gradient_of("Exp")(lambda op, dy: dy * op.outputs[0])
gradient_of("Log")(lambda op, dy: dy * reciprocal(op.inputs[0]))
gradient_of("Log1p")(lambda op, dy: dy * reciprocal(1 + op.inputs[0]))
gradient_of("Abs")(lambda op, dy: dy * sign(op.inputs[0]))
gradient_of("Sin")(lambda op, dy: dy * cos(op.inputs[0]))
gradient_of("Cos")(lambda op, dy: -dy * sin(op.inputs[0]))
gradient_of("Softplus")(lambda op, dy: dy * sigmoid(op.inputs[0]))
gradient_of("L2Loss")(lambda op, dy: op.inputs[0] * dy)


@gradient_of("Square")
def _square(op: Any, dy: Any) -> Any:
    two = constant(2.0, dy.dtype)
    return multiply(dy, multiply(op.inputs[0], two))


@gradient_of("Erf")
def _erf(op: Any, dy: Any) -> Any:
    factor = constant(2 / pi**0.5, dy.dtype)
    return dy * factor * exp(-square(op.inputs[0]))


@gradient_of("Select")
def _select(op: Any, dy: Any) -> Any:
    condition, x, _ = op.inputs
    none = zeros_like(x, None)
    dx = select_rows(condition, dy, none)
    return None, dx, select_rows(condition, none, dy)
