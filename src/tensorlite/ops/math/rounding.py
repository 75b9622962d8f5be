"""Signs, magnitudes, rounding, remainders and the parts of complex numbers.

Smooth functions of elements are in elementwise.py, maximum, minimum and clip in bounds.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core.dispatch import call1, call2, to_tensor
from tensorlite.core.dtypes import complex_of, real_of
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.families import Predicate, Unary
from tensorlite.ops.math.arithmetic import (
    add,
    conjugated,
    divide,
    multiply,
    negative,
    subtract,
    sum_to,
)
from tensorlite.ops.math.compare import equal, less, logical_and, not_equal, where
from tensorlite.ops.math.elementwise import RealBinary

__all__ = [
    "abs",
    "ceil",
    "copysign",
    "floor",
    "floor_divide",
    "imag",
    "nextafter",
    "positive",
    "real",
    "remainder",
    "round",
    "sign",
    "signbit",
    "trunc",
]


class Abs(Unary):
    """The magnitude of real numbers."""

    ufunc = "absolute"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return |x|."""
        return xp.absolute(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy with the operand's sign; zero at zero."""
        return (dy * sign(call.inputs[0]),)


class ComplexAbs(Op):
    """The magnitude of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with the dtype of its parts."""
        if not x.dtype.is_complex:
            raise DTypeError(f"ComplexAbs takes complex numbers, not {x}")
        return x.with_dtype(real_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return |x|."""
        return xp.absolute(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy along the operand's direction; zero at zero."""
        x = call.inputs[0]
        return (astype(dy, x.dtype) * sign(x),)


class Sign(Unary):
    """The direction of numbers: -1, 0 or 1, and x / |x| for complex ones."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the sign."""
        if x.dtype.kind != "c":
            return xp.sign(x)
        size = xp.absolute(x)
        flat = size == 0
        return xp.where(
            flat, xp.zeros_like(x), x / xp.where(flat, xp.ones_like(size), size)
        )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return zeros for real numbers; for complex ones what turns their direction."""
        x, y = call.inputs[0], call.outputs[0]
        if not x.dtype.is_complex:
            return (zeros_like(dy),)
        along = astype(real(conjugated(y) * dy), x.dtype)
        size = abs(x)
        flat = equal(size, 0)
        turning = (dy - along * y) / astype(where(flat, 1, size), x.dtype)
        return (where(flat, 0, turning),)


class Signbit(Predicate):
    """Whether elements bear a minus sign, -0.0 among them."""

    ufunc = "signbit"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return whether the sign is set."""
        return xp.signbit(x)


class CopySign(RealBinary):
    """The magnitude of one tensor with the signs of another."""

    wants_float = True
    ufunc = "copysign"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return |x| with the sign of y."""
        return xp.copysign(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient turned round where the sign was."""
        x, y = call.inputs
        return sum_to(dy * sign(x) * copysign(ones_like(y), y), x), None


class NextAfter(RealBinary):
    """The number after one in the direction of another."""

    wants_float = True
    ufunc = "nextafter"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the next number that the dtype holds."""
        return xp.nextafter(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the first operand, and zeros, as TensorFlow does."""
        x, y = call.inputs
        return sum_to(dy, x), zeros_like(y)


class _Round(Unary, abstract=True):
    """Rounds floating-point numbers to whole ones; no gradient passes."""

    differentiable = False


class Ceil(_Round):
    """The least whole number that is not less."""

    ufunc = "ceil"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the ceiling."""
        return xp.ceil(x)


class Floor(_Round):
    """The greatest whole number that is not greater."""

    ufunc = "floor"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the floor."""
        return xp.floor(x)


class Rint(_Round):
    """The nearest whole number, the even one of two."""

    ufunc = "rint"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the nearest whole numbers."""
        return xp.rint(x)


class Trunc(_Round):
    """The whole number next to it towards zero."""

    ufunc = "trunc"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the numbers without what stands behind the point."""
        return xp.trunc(x)


def refuse_zeros(xp: Xp, dividend: Array, divisor: Array) -> None:
    """Raise InvalidArgumentError where a whole number is to be divided by 0.

    Not on the GPU, which would have to be waited for.
    """
    if xp is np and not divisor.all() and dividend.size:
        raise InvalidArgumentError(
            "Integer division by zero: whole numbers have no infinity; divide where the divisor "
            "is not 0, as by tl.where(y == 0, 1, y)"
        )


class FloorDiv(RealBinary):
    """The quotient rounded down; no gradient passes."""

    differentiable = False

    def of_sizes(self, x: int, y: int) -> int | None:
        """Return the quotient, None for none."""
        return x // y if y else None

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the quotient rounded down; beside infinities as the Array API wants it."""
        if x.dtype.kind in "iu":
            refuse_zeros(xp, x, y)
            return xp.floor_divide(x, y)
        finite = xp.isfinite(x) & xp.isfinite(y)
        whole = xp.floor_divide(xp.where(finite, x, xp.zeros_like(x)), y)
        return (
            whole
            if finite.all()
            else xp.where(finite, whole, xp.floor(xp.divide(x, y)))
        )


class FloorMod(RealBinary):
    """What is left by division rounded down; it has the divisor's sign."""

    def of_sizes(self, x: int, y: int) -> int | None:
        """Return the remainder, None for none."""
        return x % y if y else None

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the remainder."""
        if x.dtype.kind in "iu":
            refuse_zeros(xp, x, y)
        return xp.remainder(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy for the dividend, less the quotient's share for the divisor."""
        x, y = call.inputs
        return sum_to(dy, x), sum_to(negative(dy * floor_divide(x, y)), y)


class _Part(Op, abstract=True):
    """A part of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with the dtype of its parts; DTypeError unless complex."""
        if not x.dtype.is_complex:
            raise DTypeError(f"{self.name} takes complex numbers, not {x}")
        return x.with_dtype(real_of(x.dtype))


class Real(_Part):
    """The real part of complex numbers."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the real part."""
        return xp.ascontiguousarray(x.real).reshape(x.shape)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy as a complex number."""
        return (astype(dy, call.inputs[0].dtype),)


class Imag(_Part):
    """The imaginary part of complex numbers."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the imaginary part."""
        return xp.ascontiguousarray(x.imag).reshape(x.shape)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy as an imaginary number."""
        return (astype(dy, complex_of(dy.dtype)) * 1j,)


class TruncateDiv(Composite):
    """A quotient, rounded towards zero."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the quotient towards zero."""
        if x.dtype.is_floating:
            return trunc(divide(x, y))
        if x.dtype.kind == "u":
            return floor_divide(x, y)
        # Magnitudes would not do: that of the smallest number overflows.
        down = floor_divide(x, y)
        is_short = not_equal(subtract(x, multiply(down, y)), 0)
        differ = not_equal(less(x, 0), less(y, 0))
        return where(logical_and(is_short, differ), down + 1, down)


class TruncateMod(Composite):
    """What a quotient that is rounded towards zero leaves, with the sign of the dividend."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return what is left of `x`."""
        return subtract(x, multiply(TruncateDiv().compose(x, y), y))


class Complex(Composite):
    """Complex numbers of two real parts."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x + iy."""
        dtype = complex_of(x.dtype)
        return add(astype(x, dtype), multiply(astype(y, dtype), 1j))


def as_complex(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return complex numbers with the real parts `x` and the imaginary parts `y`.

    >>> from tensorlite.ops.math.rounding import as_complex
    >>> print(as_complex(1.0, 2.0))
    (1+2j)
    """
    made: Tensor = composed(Complex(), x, y)
    return made


def abs(x: TensorLike, /) -> Tensor:
    """Return the magnitude of each element; of complex ones as a real tensor.

    >>> print(tl.abs([-1.5, 2.0]), tl.abs(3 + 4j))
    [1.5 2. ] 5.0
    """
    tensor = to_tensor(x)
    return call1(ComplexAbs() if tensor.dtype.is_complex else Abs(), tensor)


def sign(x: TensorLike, /) -> Tensor:
    """Return -1, 0 or 1 as each element is below, at or above zero; x / |x| if it is complex.

    >>> print(tl.sign([-1.5, 0.0, 2.0]))
    [-1.  0.  1.]
    """
    return call1(Sign(), x)


def signbit(x: TensorLike, /) -> Tensor:
    """Return whether each element bears a minus sign, -0.0 among them.

    >>> print(tl.signbit([-0.0, 0.0]))
    [ True False]
    """
    return call1(Signbit(), x)


def copysign(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the magnitudes of `x1` with the signs of `x2`.

    >>> print(tl.copysign([1.0, -2.0], [-0.0, 3.0]))
    [-1.  2.]
    """
    return call2(CopySign(), x1, x2)


def nextafter(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the number that follows each of `x1` in the direction of `x2`.

    >>> print(tl.nextafter([1.0], [2.0]) - 1.0)
    [1.192093e-07]
    """
    return call2(NextAfter(), x1, x2)


def _rounded(op: Op, x: TensorLike) -> Tensor:
    """Return the rounded tensor; whole numbers as they are."""
    tensor = to_tensor(x)
    return apart(tensor, x) if tensor.dtype.kind in "iub" else call1(op, tensor)


def ceil(x: TensorLike, /) -> Tensor:
    """Return the least whole number that is not less than each element.

    >>> print(tl.ceil([-1.5, 1.5]))
    [-1.  2.]
    """
    return _rounded(Ceil(), x)


def floor(x: TensorLike, /) -> Tensor:
    """Return the greatest whole number that is not greater than each element.

    >>> print(tl.floor([-1.5, 1.5]))
    [-2.  1.]
    """
    return _rounded(Floor(), x)


def round(x: TensorLike, /) -> Tensor:
    """Return the whole number nearest to each element, the even one of two.

    >>> print(tl.round([0.5, 1.5, 2.6]))
    [0. 2. 3.]
    """
    return _rounded(Rint(), x)


def trunc(x: TensorLike, /) -> Tensor:
    """Return the whole number next to each element towards zero.

    >>> print(tl.trunc([-1.5, 1.5]))
    [-1.  1.]
    """
    return _rounded(Trunc(), x)


def floor_divide(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the quotients rounded down.

    >>> print(tl.floor_divide([7, -7], 2))
    [ 3 -4]
    """
    return call2(FloorDiv(), x1, x2)


def remainder(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return what division rounded down leaves, with the sign of the divisor.

    >>> print(tl.remainder([7, -7], 3))
    [1 2]
    """
    return call2(FloorMod(), x1, x2)


def real(x: TensorLike, /) -> Tensor:
    """Return the real part of each element; real tensors come back as they are.

    >>> print(tl.real([1 + 2j]))
    [1.]
    """
    tensor = to_tensor(x)
    return call1(Real(), tensor) if tensor.dtype.is_complex else apart(tensor, x)


def imag(x: TensorLike, /) -> Tensor:
    """Return the imaginary part of each element, zero for real ones.

    >>> print(tl.imag([1 + 2j]))
    [2.]
    """
    tensor = to_tensor(x)
    return call1(Imag(), tensor) if tensor.dtype.is_complex else zeros_like(tensor)


def positive(x: TensorLike, /) -> Tensor:
    """Return `x`, as a tensor of numbers; DTypeError for bools and strings.

    >>> print(tl.positive([1, -2]))
    [ 1 -2]
    """
    tensor = to_tensor(x)
    if tensor.dtype.is_numeric:
        return apart(tensor, x)
    raise DTypeError(
        f"positive takes numbers, not {tensor.dtype!r}; cast with tl.astype"
    )
