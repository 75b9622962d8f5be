"""tf.keras.ops, element by element: arithmetic, comparisons, logic, bits, rounding."""

from __future__ import annotations

import math
from typing import Any

import tensorlite as tl
from tensorlite.compat.shared import elementwise as shared
from tensorlite.compat.v2.keras.ops.making import (
    counted,
    fraction,
    fractional,
    named,
    of_fractions,
    of_one,
    of_two,
    of_x_and_y,
    operation,
    tensor,
    together,
)
from tensorlite.core.dtypes import int32
from tensorlite.ops.arrays.shape import astype

abs = absolute = of_one("abs", tl.abs)
fabs = fractional("fabs", tl.abs)
negative = of_one("negative", tl.negative)
sign = of_one("sign", tl.sign)
square = of_one("square", lambda x: tl.square(counted(x)))
ceil = fractional("ceil", tl.ceil)
floor = fractional("floor", tl.floor)
trunc = of_one("trunc", tl.trunc)
reciprocal = fractional("reciprocal", tl.reciprocal)
sqrt = fractional("sqrt", tl.sqrt)
rsqrt = fractional("rsqrt", tl.rsqrt)
exp = fractional("exp", tl.exp)
exp2 = fractional("exp2", lambda x: tl.pow(tl.full_like(x, 2.0), x))
expm1 = fractional("expm1", tl.expm1)
log = fractional("log", tl.log)
log10 = fractional("log10", tl.log10)
log1p = fractional("log1p", tl.log1p)
log2 = fractional("log2", tl.log2)
sin = fractional("sin", tl.sin)
sinh = fractional("sinh", tl.sinh)
cos = fractional("cos", tl.cos)
cosh = fractional("cosh", tl.cosh)
tan = fractional("tan", tl.tan)
tanh = fractional("tanh", tl.tanh)
arcsin = fractional("arcsin", tl.asin)
arcsinh = fractional("arcsinh", tl.asinh)
arccos = fractional("arccos", tl.acos)
arccosh = fractional("arccosh", tl.acosh)
arctan = fractional("arctan", tl.atan)
arctanh = fractional("arctanh", tl.atanh)
erf = fractional("erf", tl.erf)
erfc = fractional("erfc", tl.math.erfc)
erfinv = fractional("erfinv", tl.math.erfinv)
i0 = fractional("i0", tl.math.bessel_i0)
deg2rad = fractional("deg2rad", lambda x: x * (math.pi / 180.0))
rad2deg = fractional("rad2deg", lambda x: x * (180.0 / math.pi))
cbrt = fractional(
    "cbrt", lambda x: tl.sign(x) * tl.pow(tl.abs(x), tl.full_like(x, 1.0 / 3.0))
)
isfinite = fractional("isfinite", tl.isfinite)
isinf = fractional("isinf", tl.isinf)
isnan = fractional("isnan", tl.isnan)
isposinf = fractional("isposinf", lambda x: tl.equal(x, math.inf))
isneginf = fractional("isneginf", lambda x: tl.equal(x, -math.inf))
real = of_one("real", tl.real)
imag = of_one("imag", tl.imag)
conj = conjugate = of_one("conj", tl.conj)
angle = fractional("angle", shared.angle)
signbit = of_one("signbit", tl.signbit)
stop_gradient = named(
    "stop_gradient",
    lambda variable: tl.stop_gradient(tensor(variable)),
    tl.stop_gradient,
)
logical_not = of_one("logical_not", lambda x: tl.logical_not(_truth(x)))

add = of_two("add", tl.add)
subtract = of_two("subtract", tl.subtract)
multiply = of_two("multiply", tl.multiply)
maximum = of_two("maximum", tl.maximum)
minimum = of_two("minimum", tl.minimum)
fmax = of_two("fmax", lambda x, y: _beside_nan(tl.maximum, x, y))
fmin = of_two("fmin", lambda x, y: _beside_nan(tl.minimum, x, y))
floor_divide = of_two("floor_divide", tl.floor_divide)
mod = of_two("mod", lambda x, y: tl.remainder(counted(x), counted(y)))
power = of_two("power", lambda x, y: tl.pow(counted(x), counted(y)))
divide = true_divide = of_fractions("divide", tl.divide)
divide_no_nan = of_fractions("divide_no_nan", tl.math.divide_no_nan)
arctan2 = of_fractions("arctan2", tl.atan2)
hypot = of_fractions("hypot", tl.hypot)
logaddexp = of_fractions("logaddexp", tl.logaddexp)
logaddexp2 = of_fractions(
    "logaddexp2",
    lambda x, y: tl.logaddexp(x * math.log(2), y * math.log(2)) / math.log(2),
)
nextafter = of_fractions("nextafter", tl.nextafter)
heaviside = of_fractions(
    "heaviside",
    lambda x, y: tl.where(tl.equal(x, 0), y, astype(tl.greater(x, 0), x.dtype)),
)
equal = of_two("equal", tl.equal)
not_equal = of_two("not_equal", tl.not_equal)
greater = of_two("greater", tl.greater)
greater_equal = of_two("greater_equal", tl.greater_equal)
less = of_two("less", tl.less)
less_equal = of_two("less_equal", tl.less_equal)
logical_and = of_two("logical_and", lambda x, y: tl.logical_and(*map(_truth, (x, y))))
logical_or = of_two("logical_or", lambda x, y: tl.logical_or(*map(_truth, (x, y))))
logical_xor = of_two("logical_xor", lambda x, y: tl.logical_xor(*map(_truth, (x, y))))
bitwise_and = of_x_and_y("bitwise_and", tl.bitwise_and)
bitwise_or = of_x_and_y("bitwise_or", tl.bitwise_or)
bitwise_xor = of_x_and_y("bitwise_xor", tl.bitwise_xor)
bitwise_invert = bitwise_not = of_one("bitwise_invert", tl.bitwise_invert)
bitwise_left_shift = left_shift = of_x_and_y(
    "bitwise_left_shift", tl.bitwise_left_shift
)
bitwise_right_shift = right_shift = of_x_and_y(
    "bitwise_right_shift", tl.bitwise_right_shift
)


def _truth(x: Any) -> Any:
    return x if x.dtype is tl.bool else tl.not_equal(x, 0)


def _beside_nan(function: Any, x: Any, y: Any) -> Any:
    """Return what a function makes of two tensors; what is no number gives way to the other."""
    if not x.dtype.is_floating:
        return function(x, y)
    return tl.where(tl.isnan(x), y, tl.where(tl.isnan(y), x, function(x, y)))


@operation
def round(x: Any, decimals: int = 0) -> Any:
    """Return the elements rounded to a number of decimals, halves to the even digit."""
    value = tensor(x)
    if not decimals:
        return tl.round(value)
    scale = 10.0**decimals
    rounded = tl.round(fraction(value) * scale) / scale
    return rounded if value.dtype.is_floating else astype(rounded, value.dtype)


@operation
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Return x with elements below x_min and above x_max set to these.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.clip([-1, 2, 9], 0, 5).numpy().tolist()
    [0, 2, 5]
    """
    value = counted(x)
    low, high = (
        None if bound is None else tensor(bound, value.dtype)
        for bound in (x_min, x_max)
    )
    return tl.clip(value, low, high)


@operation
def cast(x: Any, dtype: Any) -> Any:
    """Return x in another dtype."""
    return tensor(x, dtype)


@operation
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Return x in another dtype, what is beyond its range as its ends."""
    return tl.image.saturate_cast(tensor(x), dtype)


@operation
def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Return the elements of x1 where a condition is true and those of x2 elsewhere.

    Without x1 and x2: a tuple with the indices of true elements along each axis.
    """
    chosen = tensor(condition, tl.bool)
    if x1 is None and x2 is None:
        return tuple(astype(places, int32) for places in tl.nonzero(chosen))
    return tl.where(chosen, *together(x1, x2))


@operation
def isclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return whether elements differ by at most atol + rtol * |x2|.

    NaNs are close to each other if equal_nan.
    """
    x, y = map(fraction, together(x1, x2))
    near = tl.less_equal(tl.abs(x - y), atol + rtol * tl.abs(y))
    near = tl.where(
        tl.logical_and(tl.isfinite(x), tl.isfinite(y)), near, tl.equal(x, y)
    )
    both = tl.logical_and(tl.isnan(x), tl.isnan(y))
    return tl.logical_or(near, both) if equal_nan else near


@operation
def allclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return whether all elements are close, as isclose says."""
    return tl.all(isclose(x1, x2, rtol, atol, equal_nan))


@operation
def nan_to_num(
    x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return x with numbers in the place of NaN and infinities, by default the dtype's ends."""
    value = tensor(x)
    if not value.dtype.is_floating:
        return value
    known = tl.finfo(value.dtype)
    high = known.max if posinf is None else posinf
    low = known.min if neginf is None else neginf
    made = tl.where(tl.isnan(value), tl.full_like(value, nan), value)
    made = tl.where(tl.equal(value, math.inf), tl.full_like(value, high), made)
    return tl.where(tl.equal(value, -math.inf), tl.full_like(value, low), made)


@operation
def ldexp(x1: Any, x2: Any) -> Any:
    """Return x1 times 2 to the power of x2."""
    exponent = fraction(x2)
    return fraction(x1) * tl.pow(tl.full_like(exponent, 2.0), exponent)


@operation
def fmod(x1: Any, x2: Any) -> Any:
    """Return what is left of x1 divided by x2, with the sign of x1."""
    x, y = map(counted, together(x1, x2))
    rest = tl.remainder(tl.abs(x), tl.abs(y))
    return tl.where(tl.less(x, 0), -rest, rest)


@operation
def sinc(x: Any) -> Any:
    """Return sin(pi x) / (pi x), 1 at 0."""
    value = fraction(x) * math.pi
    none = tl.equal(value, 0)
    return tl.where(
        none, tl.ones_like(value), tl.sin(value) / tl.where(none, 1.0, value)
    )


@operation
def isreal(x: Any) -> Any:
    """Return whether elements have no imaginary part."""
    value = tensor(x)
    if value.dtype in (tl.complex64, tl.complex128):
        return tl.equal(tl.imag(value), 0)
    return tl.ones_like(value, dtype=tl.bool)


@operation
def polar(abs_: Any, angle: Any) -> Any:
    """Return complex numbers of given lengths and angles."""
    length, turn = fraction(abs_), fraction(angle)
    return shared.complex(length * tl.cos(turn), length * tl.sin(turn))
