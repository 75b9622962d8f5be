"""Cases of functions of elements: ops/arithmetic, elementwise, trigonometric, rounding, bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import FLOATS, REALS, OpCase, any_shape, broadcastable

COMPLEX = (*FLOATS, tl.complex128)


def unary(
    name: str,
    reference: Callable[..., Any],
    low: float = -2.0,
    high: float = 2.0,
    dtypes: tuple[tl.DType, ...] = COMPLEX,
    *,
    differentiable: bool = True,
    rtol: float = 1e-5,
) -> OpCase:
    function = getattr(tl, name)
    drawing = any_shape(low, high)
    return OpCase(
        name, function, reference, drawing, dtypes, differentiable, rtol=rtol
    )


def binary(
    name: str,
    reference: Callable[..., Any],
    low: float = -2.0,
    high: float = 2.0,
    dtypes: tuple[tl.DType, ...] = FLOATS,
    *,
    differentiable: bool = True,
) -> OpCase:
    drawing = broadcastable(low, high)
    return OpCase(name, getattr(tl, name), reference, drawing, dtypes, differentiable)


CASES = (
    binary("add", np.add, dtypes=(*REALS, tl.complex128)),
    binary("subtract", np.subtract, dtypes=(*REALS, tl.complex128)),
    binary("multiply", np.multiply, dtypes=(*REALS, tl.complex128)),
    binary("divide", np.divide, 0.5, 2.0, (*FLOATS, tl.complex128)),
    unary("negative", np.negative, dtypes=(*REALS, tl.complex128)),
    unary("conj", np.conj),
    unary("exp", np.exp),
    unary("expm1", np.expm1),
    unary("log", np.log, 0.1, 4.0),
    unary("log1p", np.log1p, -0.5, 4.0),
    unary("log2", np.log2, 0.1, 4.0),
    unary("log10", np.log10, 0.1, 4.0),
    unary("sqrt", np.sqrt, 0.1, 4.0),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 4.0),
    unary("square", np.square, dtypes=(*REALS, tl.complex128)),
    unary("reciprocal", np.reciprocal, 0.3, 4.0),
    unary("erf", np.vectorize(math.erf, otypes=[float]), -6.0, 6.0, FLOATS),
    unary("sin", np.sin),
    unary("cos", np.cos),
    unary("tan", np.tan, -1.0, 1.0),
    unary("asin", np.arcsin, -0.9, 0.9),
    unary("acos", np.arccos, -0.9, 0.9),
    unary("atan", np.arctan, -0.9, 0.9),
    unary("sinh", np.sinh),
    unary("cosh", np.cosh),
    unary("tanh", np.tanh, -1.0, 1.0),
    unary("asinh", np.arcsinh, -0.9, 0.9),
    unary("acosh", np.arccosh, 1.2, 4.0),
    unary("atanh", np.arctanh, -0.8, 0.8),
    binary("atan2", np.arctan2),
    binary("hypot", np.hypot),
    binary("logaddexp", np.logaddexp),
    binary("pow", np.power, 0.2, 2.0, (*FLOATS, tl.complex128)),
    OpCase(
        "pow of integers",
        lambda x: tl.pow(x, 3),
        lambda x: np.power(x, 3),
        any_shape(-4, 4),
        (*REALS, tl.complex128),
        needs_rank=False,
    ),
    OpCase("square by **", lambda x: x**2, lambda x: x**2, any_shape(), REALS),
    unary("abs", np.abs, dtypes=(*REALS, tl.complex128)),
    unary("sign", np.sign, dtypes=(*REALS, tl.complex128)),
    unary("signbit", np.signbit, dtypes=FLOATS, differentiable=False),
    binary("copysign", np.copysign),
    OpCase(
        "nextafter",
        tl.nextafter,
        np.nextafter,
        broadcastable(),
        FLOATS,
        differentiable=False,
    ),
    unary("ceil", np.ceil, -4, 4, REALS, differentiable=False),
    unary("floor", np.floor, -4, 4, REALS, differentiable=False),
    unary("round", np.round, -4, 4, (*REALS, tl.complex128), differentiable=False),
    unary("trunc", np.trunc, -4, 4, REALS, differentiable=False),
    binary("floor_divide", np.floor_divide, 1, 9, REALS, differentiable=False),
    binary("remainder", np.remainder, 1, 9, REALS),
    binary("maximum", np.maximum, dtypes=REALS),
    binary("minimum", np.minimum, dtypes=REALS),
    OpCase(
        "clip",
        lambda x, y: tl.clip(x, y - 1, y),
        lambda x, y: np.clip(x, y - 1, y),
        any_shape(operands=2),
        REALS,
    ),
    OpCase(
        "clip above",
        lambda x: tl.clip(x, max=1),
        lambda x: np.clip(x, None, 1),
        any_shape(),
        REALS,
    ),
    unary("real", np.real),
    OpCase("imag", tl.imag, np.imag, any_shape(), (tl.complex128,)),
    unary("positive", np.positive, dtypes=(*REALS, tl.complex128)),
    OpCase(
        "add_n",
        lambda *x: tl.add_n(x),
        lambda x, y, z: x + y + z,
        any_shape(operands=3),
    ),
    OpCase(
        "broadcast_to",
        lambda x: tl.broadcast_to(x, (4, 2, 3)),
        lambda x: np.broadcast_to(x, (4, 2, 3)),
        lambda dtype: (
            broadcastable()(dtype)
            .map(lambda pair: pair[:1])
            .filter(lambda xs: xs[0].shape in [(), (3,), (2, 1)])
        ),
    ),
)
