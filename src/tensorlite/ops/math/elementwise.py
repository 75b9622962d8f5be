"""Exponentials, logarithms and powers: smooth functions of elements.

The four operations are in arithmetic.py, trigonometry in trigonometric.py, the error function in
special.py, rounding and signs in rounding.py, comparisons in compare.py, activations in nn.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf, log as log_of, nan

import numpy as np

from tensorlite.core.dispatch import call1, call2
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.families import Binary, FloatUnary, Unary
from tensorlite.ops.math.arithmetic import conjugated, negative, sum_to
from tensorlite.ops.math.compare import equal, greater, not_equal, where

__all__ = [
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "pow",
    "reciprocal",
    "rsqrt",
    "sqrt",
    "square",
]


class Smooth(FloatUnary, abstract=True):
    """A differentiable function of floating-point elements, complex ones included."""

    by_dtype = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it is floating or complex."""
        if not (x.dtype.is_floating or x.dtype.is_complex):
            raise DTypeError(
                f"{self.name} takes floating-point tensors, not {x}; cast it with tl.astype"
            )
        return x.without_value()

    @abstractmethod
    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the derivative at `x`, where the function is `y`."""

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy times the conjugate of the derivative."""
        return (dy * conjugated(self.slope(call.inputs[0], call.outputs[0])),)


class RealSmooth(Smooth, abstract=True):
    """A function of real floats, computed in float64."""

    by_dtype = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it is real and floating."""
        if not x.dtype.is_floating:
            raise DTypeError(
                f"{self.name} takes real floating-point tensors, not {x}"
            )
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the values in the operand's dtype."""
        with np.errstate(all="ignore"):
            return self.values(xp, x.astype("float64")).astype(x.dtype)

    @abstractmethod
    def values(self, xp: Xp, x: Array) -> Array:
        """Return the values in float64."""


def numbers(op: Op, dtype: DType) -> DType:
    """Return `dtype`; DTypeError unless it is one of numbers."""
    if not dtype.is_numeric:
        raise DTypeError(
            f"{op.name} takes numbers, not {dtype!r}; cast with tl.astype"
        )
    return dtype


class RealBinary(Binary, abstract=True):
    """A function of two real operands of one dtype that broadcast."""

    def result(self, dtype: DType) -> DType:
        """Return the operands' dtype; DTypeError unless it is real."""
        if not (dtype.is_integer or dtype.is_floating):
            raise DTypeError(f"{self.name} takes real numbers, not {dtype!r}")
        return dtype


class Exp(Smooth):
    """The exponential."""

    ufunc = "exp"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return e**x."""
        return xp.exp(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return e**x."""
        return y


class Expm1(Smooth):
    """The exponential less one."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return e**x - 1, exact near zero."""
        return xp.expm1(x) if x.dtype.kind != "c" else _complex_expm1(xp, x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return e**x."""
        return y + 1.0


class Log(Smooth):
    """The natural logarithm."""

    ufunc = "log"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return log(x)."""
        return xp.log(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / x."""
        return reciprocal(x)


class Log1p(Smooth):
    """The natural logarithm of one more."""

    ufunc = "log1p"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return log(1 + x), exact near zero."""
        return xp.log1p(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (1 + x)."""
        return reciprocal(x + 1.0)


class Log2(Smooth):
    """The logarithm to base two."""

    ufunc = "log2"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return log2(x)."""
        return xp.log2(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (x * log(2))."""
        return reciprocal(x) * (1.0 / log_of(2.0))


class Log10(Smooth):
    """The logarithm to base ten."""

    ufunc = "log10"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return log10(x)."""
        return xp.log10(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (x * log(10))."""
        return reciprocal(x) * (1.0 / log_of(10.0))


class Sqrt(Smooth):
    """The square root."""

    ufunc = "sqrt"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return sqrt(x)."""
        return xp.sqrt(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (2 * sqrt(x))."""
        return 0.5 / y


class Rsqrt(Smooth):
    """One over the square root."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return 1 / sqrt(x)."""
        return xp.reciprocal(xp.sqrt(x))

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -1 / (2 * x * sqrt(x))."""
        return -0.5 * y / x


class Reciprocal(Smooth):
    """One over a tensor."""

    ufunc = "reciprocal"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return 1 / x."""
        return xp.reciprocal(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -1 / x**2."""
        return negative(square(y))


class Square(Unary):
    """A tensor times itself."""

    by_dtype = True
    ufunc = "square"

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it holds numbers."""
        return x.with_dtype(numbers(self, x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return x * x."""
        return xp.square(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return 2 * x * dy."""
        return (dy * conjugated(call.inputs[0]) * 2,)


class Pow(Binary):
    """One tensor to the power of another."""

    def result(self, dtype: DType) -> DType:
        """Return the operands' dtype; DTypeError unless it is one of numbers."""
        return numbers(self, dtype)

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x**y."""
        try:
            return xp.power(x, y)
        except ValueError as error:
            raise InvalidArgumentError(
                f"Pow: {error} Cast the base with tl.astype(x, tl.float32)"
            ) from None

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradients, which are zero where a power of 0 or a base of 0 makes them so.

        For a real base below zero the exponent has no derivative; it is given as zero, as in
        TensorFlow.
        """
        x, y = call.inputs
        slope = pow(x, where(equal(y, 0), 1, y) - 1)
        inside = not_equal(x, 0) if x.dtype.is_complex else greater(x, 0)
        rate = where(inside, log(where(inside, x, 1)), 0)
        # A gradient of 0 comes first: the other factors may overflow together.
        by_x = dy * conjugated(y) * conjugated(slope)
        by_y = dy * conjugated(call.outputs[0]) * conjugated(rate)
        return sum_to(by_x, x), sum_to(by_y, y)


class LogAddExp(RealBinary):
    """The logarithm of the sum of two exponentials."""

    wants_float = True
    ufunc = "logaddexp"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return log(e**x + e**y), computed without overflow."""
        return xp.logaddexp(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the share that each operand has in the sum."""
        x, y = call.inputs
        total = call.outputs[0]
        return sum_to(dy * exp(x - total), x), sum_to(dy * exp(y - total), y)


def _complex_expm1(xp: Xp, z: Array) -> Array:
    """Return e**z - 1, whose parts at infinities and NaN are those of the Array API."""
    grows, turns = z.real, z.imag
    calm = xp.isfinite(turns)
    angle = xp.where(calm, turns, xp.zeros_like(turns))
    real = xp.expm1(grows) * xp.cos(angle) - 2 * xp.square(xp.sin(angle / 2)) + 0.0
    imag = xp.where(
        turns == 0, turns, xp.exp(grows) * xp.sin(xp.where(angle == 0, 1, angle))
    )
    if not calm.all():
        real = xp.where(calm | xp.isinf(grows), real, nan)
        imag = xp.where(calm, imag, xp.where(grows == -inf, 0.0, nan))
    result = xp.empty_like(z)
    result.real, result.imag = real, imag
    return result


def exp(x: TensorLike, /) -> Tensor:
    """Return e to the power of each element.

    >>> print(tl.exp([0.0, 1.0]))
    [1.       2.718282]
    """
    return call1(Exp(), x)


def expm1(x: TensorLike, /) -> Tensor:
    """Return e to the power of each element, less one; exact near zero.

    >>> print(tl.expm1([0.0, 1.0]))
    [0.       1.718282]
    """
    return call1(Expm1(), x)


def log(x: TensorLike, /) -> Tensor:
    """Return the natural logarithm of each element; NaN below zero.

    >>> print(tl.log([1.0, 10.0]))
    [0.       2.302585]
    """
    return call1(Log(), x)


def log1p(x: TensorLike, /) -> Tensor:
    """Return the natural logarithm of one plus each element; exact near zero.

    >>> print(tl.log1p([0.0, 1.0]))
    [0.       0.693147]
    """
    return call1(Log1p(), x)


def log2(x: TensorLike, /) -> Tensor:
    """Return the logarithm to base 2 of each element.

    >>> print(tl.log2([1.0, 8.0]))
    [0. 3.]
    """
    return call1(Log2(), x)


def log10(x: TensorLike, /) -> Tensor:
    """Return the logarithm to base 10 of each element.

    >>> print(tl.log10([1.0, 100.0]))
    [0. 2.]
    """
    return call1(Log10(), x)


def sqrt(x: TensorLike, /) -> Tensor:
    """Return the square root of each element; NaN below zero.

    >>> print(tl.sqrt([4.0, 9.0]))
    [2. 3.]
    """
    return call1(Sqrt(), x)


def rsqrt(x: TensorLike, /) -> Tensor:
    """Return one over the square root of each element.

    >>> print(tl.rsqrt([4.0, 16.0]))
    [0.5  0.25]
    """
    return call1(Rsqrt(), x)


def square(x: TensorLike, /) -> Tensor:
    """Return each element times itself.

    >>> print(tl.square([2, -3]))
    [4 9]
    """
    return call1(Square(), x)


def reciprocal(x: TensorLike, /) -> Tensor:
    """Return one over each element.

    >>> print(tl.reciprocal([2.0, 4.0]))
    [0.5  0.25]
    """
    return call1(Reciprocal(), x)


def pow(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return `x1` to the power of `x2`, element by element.

    Raises InvalidArgumentError for integers to negative integer powers.

    >>> print(tl.pow([2.0, 3.0], 2))
    [4. 9.]
    """
    if isinstance(x2, (int, float)) and x2 == 2 and isinstance(x1, Tensor):
        return (
            square(x1)
            if x1.dtype.is_floating or isinstance(x2, int)
            else call2(Pow(), x1, x2)
        )
    return call2(Pow(), x1, x2)


def logaddexp(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return log(exp(x1) + exp(x2)), computed without overflow.

    >>> print(tl.logaddexp([1000.0], [1000.0]))
    [1000.6932]
    """
    return call2(LogAddExp(), x1, x2)
