"""Operators that take tensors element by element: each keeps the order in which axes are stored."""

from __future__ import annotations

from collections.abc import Callable
from math import log

from tensorlite.core.dtypes import bool_
from tensorlite.interop.onnx.values import (
    Known,
    Value,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
    aligned,
)

PASSED = (
    *("CheckNumerics", "Copy", "Identity", "IdentityN", "StopGradient"),
    "PlaceholderWithDefault",
)
"""Operators whose outputs are their inputs."""

SAME = {
    **{x: x for x in ("Abs", "Neg", "Exp", "Log", "Sqrt", "Reciprocal", "Sigmoid")},
    **{x: x for x in ("Tanh", "Relu", "Softplus", "Softsign", "Sin", "Cos", "Tan")},
    **{x: x for x in ("Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh")},
    **{x: x for x in ("Atanh", "Ceil", "Floor", "Sign", "Erf", "Sub", "Mul", "Pow")},
    "Elu": "Elu",
    "Selu": "Selu",
    **{x: x for x in ("Less", "Greater", "Equal", "BitwiseAnd", "BitwiseOr")},
    "BitwiseXor": "BitwiseXor",
    "Rint": "Round",
    "LogicalNot": "Not",
    "Invert": "BitwiseNot",
    "IsNan": "IsNaN",
    "IsInf": "IsInf",
    "AddV2": "Add",
    "RealDiv": "Div",
    "Maximum": "Max",
    "Minimum": "Min",
    "AddN": "Sum",
    "LessEqual": "LessOrEqual",
    "GreaterEqual": "GreaterOrEqual",
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "LogicalXor": "Xor",
    "SelectV2": "Where",
}
"""Operators that ONNX has, by its names."""


def passed(site: Site) -> Made:
    """Return the inputs."""
    values: list[Value] = [site.value(i) for i in range(len(site.node.outputs))]
    return values


def same(site: Site) -> Made:
    """Return what ONNX's operator of the kind gives."""
    names, order = operands(site)
    op = SAME[site.node.op.name]
    if site.spec(0).dtype is bool_:
        op = op.removeprefix("Bitwise")
    return site.view(site.add(op, *names), order)


def _add(site: Site) -> Made:
    """Return a sum; a constant for each channel of a convolution is added in that."""
    for image, bias in ((0, 1), (1, 0)):
        made, value = site.maker(image), site.value(bias)
        order = site.order(image)
        if made is None or made.op != "Conv" or not isinstance(value, Known):
            continue
        channel = 1 if order is None else order.index(1)
        shape, known = site.node.outputs[0].spec.dims, value.array
        wide = (1,) * (len(shape) - known.ndim) + known.shape
        alone = all(n == 1 for axis, n in enumerate(wide) if axis != channel)
        fits = alone and known.size == shape[channel] and len(made.inputs) == 2
        if fits and site.is_only_user(image):
            flat = site.scope.name(Known(known.reshape(-1), value.hint))
            given = [*made.inputs, flat]
            return site.view(site.add("Conv", *given, **made.attributes), order)
    return same(site)


def operands(site: Site) -> tuple[list[str], tuple[int, ...] | None]:
    """Return the names of all inputs in one order; integers cast where numbers are wanted."""
    names, order = aligned(site, range(site.count))
    if site.node.op.wants_float and not site.spec(0).dtype.is_floating:
        names = [site.cast(name, site.dtype) for name in names]
    return names, order


def composed(function: Callable[..., str]) -> Callable[[Site], Made]:
    """Return the handler that makes an operator of others, out of the names of its inputs."""

    def handle(site: Site) -> Made:
        names, order = operands(site)
        return site.view(function(site, *names), order)

    return handle


def _square(s: Site, x: str) -> str:
    return s.add("Mul", x, x)


def _rsqrt(s: Site, x: str) -> str:
    return s.add("Reciprocal", s.add("Sqrt", x))


def _erfc(s: Site, x: str) -> str:
    """Return 1 - erf(x), which is all that ONNX has of it: below 1e-7 it is 0."""
    return s.add("Sub", s.constant(1), s.add("Erf", x))


def _expm1(s: Site, x: str) -> str:
    """Return tanh(x / 2) * (exp(x) + 1), which is exact near 0, too."""
    half = s.add("Tanh", s.add("Mul", x, s.constant(0.5)))
    return s.add("Mul", half, s.add("Add", s.add("Exp", x), s.constant(1)))


def _log1p(s: Site, x: str) -> str:
    """Return log(1 + x), corrected by what rounding took from 1 + x."""
    more = s.add("Add", x, s.constant(1))
    kept = s.add("Sub", more, s.constant(1))
    logarithm = s.add("Log", more)
    better = s.add("Mul", logarithm, s.add("Div", x, kept))
    nothing = s.add("Equal", kept, s.constant(0))
    exact = s.add("Where", s.add("Equal", kept, x), logarithm, better)
    return s.add("Where", nothing, x, exact)


def _logarithm(base: float) -> Callable[..., str]:
    return lambda s, x: s.add("Mul", s.add("Log", x), s.constant(1 / log(base)))


def _trunc(s: Site, x: str) -> str:
    return s.add("Mul", s.add("Sign", x), s.add("Floor", s.add("Abs", x)))


def _relu6(s: Site, x: str) -> str:
    return s.add("Clip", x, s.constant(0), s.constant(6))


def _leaky(s: Site, x: str) -> str:
    return s.add("LeakyRelu", x, alpha=float(s.attribute("alpha")))


def _not_equal(s: Site, x: str, y: str) -> str:
    return s.add("Not", s.add("Equal", x, y))


def _is_finite(s: Site, x: str) -> str:
    return s.add("Not", s.add("Or", s.add("IsNaN", x), s.add("IsInf", x)))


def _clip(s: Site, x: str, low: str, high: str) -> str:
    if s.spec(1).shape == () and s.spec(2).shape == ():
        return s.add("Clip", x, low, high)
    return s.add("Min", s.add("Max", x, low), high)


def _floor_mod(s: Site, x: str, y: str) -> str:
    """Return the rest with the sign of the divisor, which for floats takes a correction."""
    if not s.dtype.is_floating:
        return s.add("Mod", x, y, fmod=0)
    rest = s.add("Mod", x, y, fmod=1)
    zero = s.constant(0)
    differs = s.add("Xor", s.add("Less", rest, zero), s.add("Less", y, zero))
    is_wrong = s.add("And", differs, s.add("Not", s.add("Equal", rest, zero)))
    return s.add("Where", is_wrong, s.add("Add", rest, y), rest)


def _floor_div(s: Site, x: str, y: str) -> str:
    if s.dtype.is_floating:
        return s.add("Floor", s.add("Div", x, y))
    return s.add("Div", s.add("Sub", x, s.add("Mod", x, y, fmod=0)), y)


def _cast(site: Site) -> Made:
    dtype = site.attribute("to")
    order = site.order(0)
    name = site.name(0, order)
    if site.spec(0).dtype is dtype:
        return site.view(name, order)
    return site.view(site.cast(name, dtype), order)


def _softmax(op: str) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        order = site.order(0)
        axis = -1 if order is None else order[-1]
        return site.view(site.add(op, site.name(0, order), axis=axis), order)

    return handle


def _sign_bit(s: Site, x: str) -> str:
    return s.add("Less", x, s.constant(0, s.spec(0).dtype))


def _log_add_exp(s: Site, x: str, y: str) -> str:
    """Return log(exp(x) + exp(y)); where both are infinite, one of them."""
    top, gap = s.add("Max", x, y), s.add("Abs", s.add("Sub", x, y))
    rest = s.add("Log", s.add("Add", s.add("Exp", s.add("Neg", gap)), s.constant(1)))
    return s.add("Where", s.add("IsNaN", gap), top, s.add("Add", top, rest))


COMPOSED: dict[str, Callable[..., str]] = {
    "ClipByValue": _clip,
    "Erfc": _erfc,
    "Expm1": _expm1,
    "FloorDiv": _floor_div,
    "FloorMod": _floor_mod,
    "IsFinite": _is_finite,
    "LeakyRelu": _leaky,
    "Log1p": _log1p,
    "Log2": _logarithm(2),
    "Log10": _logarithm(10),
    "LogAddExp": _log_add_exp,
    "NotEqual": _not_equal,
    "Relu6": _relu6,
    "Rsqrt": _rsqrt,
    "Signbit": _sign_bit,
    "Square": _square,
    "Trunc": _trunc,
}
"""Operators that are made of others."""

HANDLERS: dict[str, Callable[[Site], Made]] = {
    **dict.fromkeys(PASSED, passed),
    **dict.fromkeys(SAME, same),
    **{name: composed(function) for name, function in COMPOSED.items()},
    **{name: _softmax(name) for name in ("Softmax", "LogSoftmax")},
    "AddV2": _add,
    "Cast": _cast,
}
