"""Functions of each element by itself, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import math
from tensorlite.compat.calling import agreeing, converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.shared.making import alike, binary, unary
from tensorlite.compat.views import shown
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, as_dtype, float32, float64
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import merge
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.composite import composed
from tensorlite.ops.math import bits, differences
from tensorlite.ops.math.gamma import Igammac
from tensorlite.ops.math.rounding import TruncateDiv, TruncateMod, as_complex
from tensorlite.ops.math.trigonometric import Angle
from tensorlite.ops.nn.activations import sigmoid as logistic
from tensorlite.ops.older_forms import AccumulateNV2, Add, Round
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.state.variable import Variable

abs = unary("Abs", tl.abs)
acos = unary("Acos", tl.acos)
acosh = unary("Acosh", tl.acosh)
asin = unary("Asin", tl.asin)
asinh = unary("Asinh", tl.asinh)
atan = unary("Atan", tl.atan)
atanh = unary("Atanh", tl.atanh)
ceil = unary("Ceil", tl.ceil)
cos = unary("Cos", tl.cos)
cosh = unary("Cosh", tl.cosh)
digamma = unary("Digamma", math.digamma)
erf = unary("Erf", tl.erf)
erfc = unary("Erfc", math.erfc)
erfcinv = unary("erfcinv", math.erfcinv)
erfinv = unary("Erfinv", math.erfinv)
bessel_i0 = unary("bessel_i0", math.bessel_i0, "mul")
bessel_i0e = unary("BesselI0e", math.bessel_i0e)
bessel_i1 = unary("bessel_i1", math.bessel_i1, "mul")
bessel_i1e = unary("BesselI1e", math.bessel_i1e)
exp = unary("Exp", tl.exp)
expm1 = unary("Expm1", tl.expm1)
floor = unary("Floor", tl.floor)
is_finite = unary("IsFinite", tl.isfinite)
is_inf = unary("IsInf", tl.isinf)
is_nan = unary("IsNan", tl.isnan)
lgamma = unary("Lgamma", math.lgamma)
log = unary("Log", tl.log)
log1p = unary("Log1p", tl.log1p)
log_sigmoid = unary("LogSigmoid", tl.nn.log_sigmoid)
logical_not = unary("LogicalNot", tl.logical_not)
negative = unary("Neg", tl.negative)
reciprocal = unary("Reciprocal", tl.reciprocal)
rint = unary("Rint", tl.round)
round = documented(
    unary("Round", partial(composed, Round())),
    "Return the nearest whole number to each element, the even one of two.",
)
rsqrt = unary("Rsqrt", tl.rsqrt)
sigmoid = unary("Sigmoid", logistic)
sign = unary("Sign", tl.sign)
sin = unary("Sin", tl.sin)
sinh = unary("Sinh", tl.sinh)
sqrt = unary("Sqrt", tl.sqrt)
square = unary("Square", tl.square)
tan = unary("Tan", tl.tan)
tanh = unary("Tanh", tl.tanh)

add = documented(
    binary("Add", partial(composed, Add())),
    "Return the sum of two tensors, element by element; of texts, one behind the other.",
)
atan2 = binary("Atan2", tl.atan2, ("y", "x"))
equal = binary("Equal", tl.equal)
floordiv = binary("floordiv", tl.floor_divide)
floor_div = binary("FloorDiv", tl.floor_divide)
floormod = binary("FloorMod", tl.remainder)
greater = binary("Greater", tl.greater)
greater_equal = binary("GreaterEqual", tl.greater_equal)
igamma = binary("Igamma", math.igamma, ("a", "x"))
igammac = documented(
    binary("Igammac", partial(composed, Igammac()), ("a", "x")),
    "Return the upper incomplete gamma integral from `x` on, as a part of the whole.",
)
less = binary("Less", tl.less)
less_equal = binary("LessEqual", tl.less_equal)
logical_and = binary("LogicalAnd", tl.logical_and)
logical_or = binary("LogicalOr", tl.logical_or)
maximum = binary("Maximum", tl.maximum)
minimum = binary("Minimum", tl.minimum)
multiply = binary("Mul", tl.multiply)
multiply_no_nan = binary("multiply_no_nan", math.multiply_no_nan)
nextafter = binary("NextAfter", tl.nextafter, ("x1", "x2"))
not_equal = binary("NotEqual", tl.not_equal)
polygamma = binary("Polygamma", math.polygamma, ("a", "x"))
ndtri = unary("Ndtri", math.ndtri)
pow = binary("Pow", tl.pow)
realdiv = binary("RealDiv", tl.divide)
squared_difference = binary("SquaredDifference", differences.squared_difference)
subtract = binary("Sub", tl.subtract)
xdivy = binary("Xdivy", math.xdivy)
xlog1py = binary("Xlog1py", math.xlog1py)
xlogy = binary("Xlogy", math.xlogy)
zeta = binary("Zeta", math.zeta, ("x", "q"))


def _wide(x: Any) -> Any:
    """Return whole numbers as TensorFlow divides them."""
    if not x.dtype.is_integer:
        return x
    return tl.astype(x, float32 if x.dtype.itemsize <= 2 else float64)


truediv = documented(
    binary("truediv", lambda x, y: tl.divide(_wide(x), _wide(y))),
    "Return x / y, element by element; whole numbers are divided as floats.",
)
div_no_nan = documented(
    binary("div_no_nan", lambda x, y: math.divide_no_nan(_wide(x), _wide(y))),
    "Return x / y, element by element, and 0 where y is 0.",
)
div = documented(
    binary(
        "div",
        lambda x, y: tl.floor_divide(x, y) if x.dtype.is_integer else tl.divide(x, y),
    ),
    "Return x / y, element by element; quotients of whole numbers are rounded down.",
)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y, element by element; whole numbers are divided as floats.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.divide([3, 4], 2).numpy().tolist()
    [1.5, 2.0]
    """
    return _divided(x, y, name=name) if name else _quotient(x, y)


_divided = binary("truediv", lambda x, y: tl.divide(_wide(x), _wide(y)))
_quotient = truediv


truncatediv = documented(
    binary("TruncateDiv", partial(composed, TruncateDiv())),
    "Return the quotients of whole numbers, rounded towards 0.",
)
truncatemod = documented(
    binary("TruncateMod", partial(composed, TruncateMod())),
    "Return what division rounded towards 0 leaves, with the sign of the dividend.",
)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Any:
    """Return whether exactly one of x and y is True, element by element."""
    if active_graph() is None:
        return _logical_xor(x, y)
    either, both = logical_or(x, y), logical_and(x, y)
    return logical_and(either, logical_not(both), name=name)


@named("LogicalXor")
def _logical_xor(x: Any, y: Any, name: str | None = None) -> Any:
    return tl.logical_xor(*alike("LogicalXor", x, y))


@named("ApproximateEqual")
def approximate_equal(
    x: Any, y: Any, tolerance: float = 1e-05, name: str | None = None
) -> Any:
    """Return whether x and y differ by less than a tolerance, element by element."""
    first, second = alike("ApproximateEqual", x, y)
    return tl.less(tl.abs(first - second), tolerance)


@named("Betainc")
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Any:
    """Return the regularised incomplete beta integral I_x(a, b), element by element."""
    first = converted(a)
    rest = [converted(y, first.dtype) for y in (b, x)]
    return math.betainc(first, *rest)


@named("lbeta", "sub")
def lbeta(x: Any, name: str | None = None) -> Any:
    """Return the logarithm of the size of the beta function, along the last axis."""
    return math.lbeta(converted(x))


@named("Real")
def real(input: Any, name: str | None = None) -> Any:
    """Return the real parts; real numbers as they are."""
    x = converted(input)
    return tl.real(x) if x.dtype.is_complex else x


@named("Imag")
def imag(input: Any, name: str | None = None) -> Any:
    """Return the imaginary parts; 0 for real numbers."""
    x = converted(input)
    return tl.imag(x) if x.dtype.is_complex else tl.zeros_like(x)


@named("Angle")
def angle(input: Any, name: str | None = None) -> Any:
    """Return the arguments of complex numbers in radians; of real ones 0, or pi below 0."""
    x = converted(input)
    if x.dtype.is_complex:
        return composed(Angle(), x)
    return tl.where(x < 0, np.pi, tl.zeros_like(x))


@named("Conj")
def conj(x: Any, name: str | None = None) -> Any:
    """Return conjugated complex numbers; real ones as they are.

    DTypeError for what is no number.
    """
    operand = converted(x)
    if not operand.dtype.is_numeric:
        raise DTypeError(f"Expected numeric tensor, got {operand.spec}")
    return tl.conj(operand) if operand.dtype.is_complex else operand


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Return complex numbers of real and imaginary parts, float32 or float64."""
    if active_graph() is None:
        return _complex(real, imag, name=name)
    known = [x.__tensor__().dtype for x in (real, imag) if isinstance(x, Operand)]
    kind = known[0] if known else None
    first, second = [
        x if isinstance(x, Operand) else given_constant(x, kind, name=part)
        for x, part in ((real, "real"), (imag, "imag"))
    ]
    return _complex(first, second, name=name)


@named("Complex")
def _complex(real: Any, imag: Any, name: str | None = None) -> Any:
    x, y = alike("Complex", real, imag)
    return as_complex(x, y)


def _last_sum(coeffs: Any, *_: Any, **__: Any) -> str:
    """Return what the last sum of a polynomial is called, of which each coefficient has one."""
    count = len(coeffs) if isinstance(coeffs, list) else 0
    return "add" if count < 3 else f"add_{count - 2}"


@named("polyval", _last_sum)
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Return the values of a polynomial, whose coefficients are listed from the highest on."""
    operand = converted(x, None, "x")
    if not isinstance(coeffs, list):
        raise InvalidArgumentError(
            f"Argument coeffs must be list type. Received type {type(coeffs)}."
        )
    if not coeffs:
        return tl.zeros_like(operand)
    factors = [
        converted(one, operand.dtype, f"coeff_{i}") for i, one in enumerate(coeffs)
    ]
    return reduce(lambda total, one: one + total * operand, factors)


@named("reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Return 1 / x, element by element, and 0 where x is 0."""
    operand = converted(x)
    return math.divide_no_nan(tl.ones_like(operand), operand)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Return a tensor, or slices, times a scalar."""
    is_made = isinstance(x, (Operand, IndexedSlices))
    if is_made and active_graph() is not None and not isinstance(scalar, Operand):
        kind: Any = x
        scalar = _scalar(scalar, kind.dtype)
    return _scalar_mul(scalar, x, name=name)


@named("scalar")
def _scalar(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Make the number that TensorFlow makes before it multiplies, beside the product."""
    return converted(value, dtype)


@named("Mul")
def _scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    if isinstance(x, IndexedSlices):
        scaled = tl.multiply(*agreeing(scalar, x.values))
        return IndexedSlices(scaled, x.indices, x.dense_shape)
    return tl.multiply(converted(scalar, converted(x).dtype), x)


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Return the tensor with its elements in another dtype.

    Floats are cut to whole numbers towards 0; of complex numbers the real part is taken. Sparse
    tensors and slices stay what they are, and a variable that is of the dtype already is returned
    itself, so that it is read where the result is used.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.cast([1.8, -1.8], tf.int32).numpy().tolist()
    [1, -1]
    """
    wanted = as_dtype(dtype)
    if isinstance(x, Tensor) and x.dtype is wanted:
        return x
    if isinstance(x, Variable) and x.dtype is wanted and not _is_reference(x):
        return x
    if isinstance(x, SparseTensor):
        return x.with_values(_cast(x.values, wanted, name=name))
    return _cast(x, wanted, name=name)


def _is_reference(variable: Variable) -> bool:
    return isinstance(variable, GraphVariable) and variable.is_reference


@named("Cast")
def _cast(x: Any, wanted: DType, name: str | None = None) -> Any:
    if isinstance(x, IndexedSlices):
        return IndexedSlices(tl.astype(x.values, wanted), x.indices, x.dense_shape)
    operand = converted(x, None, "x")
    if operand.dtype.is_complex and not wanted.is_complex:
        operand = tl.real(operand)
    return operand if operand.dtype is wanted else tl.astype(operand, wanted)


@named("saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Return the tensor in another dtype, what is beyond its range as its ends."""
    x, wanted = converted(value), as_dtype(dtype)
    if not x.dtype.is_complex:
        return tl.astype(_saturated(x, wanted.real_dtype), wanted)
    if not wanted.is_complex:
        return _saturated(tl.real(x), wanted)
    parts = [_saturated(part(x), wanted.real_dtype) for part in (tl.real, tl.imag)]
    return as_complex(*parts)


def _inward(end: Any, dtype: Any) -> Any:
    """Return the end of a range as a number of a dtype, that is in the range still."""
    made = end.astype(dtype.numpy)
    is_out = np.abs(float(made)) > np.abs(float(end))
    return np.nextafter(made, np.asarray(0, made.dtype)) if is_out else made


def _saturated(x: Any, wanted: Any) -> Any:
    """Return real numbers of another dtype, those out of its range as its ends."""
    if x.dtype is wanted and x.dtype.is_floating:
        return tl.clip(x, wanted.min, wanted.max)  # which infinities are outside of
    low, high = np.asarray(wanted.min), np.asarray(wanted.max)
    if x.dtype.is_floating and active_graph() is None:
        x = tl.clip(x, x.dtype.min, x.dtype.max)
    if float(x.dtype.min) < float(low):
        x = tl.maximum(x, converted(_inward(low, x.dtype), None, "min"))
    if float(x.dtype.max) > float(high):
        x = tl.minimum(x, converted(_inward(high, x.dtype), None, "max"))
    return tl.astype(x, wanted)


@named("Bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Return the bytes of a tensor as another dtype.

    If this is smaller there is a new last axis; if it is larger the last axis is taken together.
    """
    return call(bits.Bitcast(as_dtype(type)), converted(input))


@named("clip_by_value")
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Any:
    """Return the elements, those outside of two bounds as the nearer one.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.clip_by_value([1, 5, 9], 2, 8).numpy().tolist()
    [2, 5, 8]
    """
    x = t.values if isinstance(t, IndexedSlices) else converted(t)
    low, high = converted(clip_value_min, x.dtype), converted(clip_value_max, x.dtype)
    clipped = tl.maximum(tl.minimum(x, high), low)
    merge(x.spec.shape, clipped.spec.shape)
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    return clipped


_PLAIN = (bool, int, float, list, tuple, np.ndarray, np.generic)
"""What becomes a constant by itself, before what takes it."""


def add_n(inputs: Any, name: str | None = None) -> Any:
    """Return the sum of a list of tensors of one shape.

    InvalidArgumentError for an empty list.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.add_n([[1, 2], [10, 20]]).numpy().tolist()
    [11, 22]
    """
    is_stack = isinstance(inputs, Tensor) and inputs.spec.rank
    is_listed = is_stack or isinstance(inputs, (list, tuple, Iterator))
    given = list(inputs) if is_listed else [inputs]
    if active_graph() is not None:
        given = [given_constant(x) if isinstance(x, _PLAIN) else x for x in given]
    is_alone = len(given) == 1 and isinstance(given[0], Operand)
    if is_alone and active_graph() is not None:
        return identity(given[0], name=name) if name else shown(given[0])
    return _added(given, name=name)


@named("AddN")
def _added(inputs: Any, name: str | None = None) -> Any:
    if any(isinstance(x, IndexedSlices) for x in inputs):
        return tl.accumulate([tl.densify(x) for x in inputs])
    return tl.add_n(_some(inputs, "add_n"))


def _some(inputs: Any, what: str) -> list[Any]:
    """Return tensors to be added; InvalidArgumentError for none."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise InvalidArgumentError(
            f"{what}: inputs must be a list of at least one tensor, not {inputs!r}"
        )
    return [converted(x) for x in inputs]


@named("AccumulateNV2")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """Return the sum of a list of tensors of one dtype and shape.

    InvalidArgumentError where they differ, or for none.
    """
    given = _some(inputs, "accumulate_n")
    known = TensorShape(shape).known()
    for x in given:
        if x.dtype is not given[0].dtype:
            raise InvalidArgumentError(
                "inputs must be a list of at least one Tensor with the same dtype and shape: "
                f"{given[0].dtype.name} and {x.dtype.name}"
            )
        known = merge(known, x.spec.shape)
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not given[0].dtype:
        raise DTypeError(
            f"tensor_dtype is {tensor_dtype}, but input is of type {given[0].dtype.name}"
        )
    return composed(AccumulateNV2(known), *given)
