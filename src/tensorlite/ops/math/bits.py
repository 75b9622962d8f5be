"""The bits of integers and bools: and, or, exclusive or, inversion and shifts.

Logic, which takes every element for true or false, is in compare.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call1, call2
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.families import Binary, Unary

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
]


class _Bits(Binary, abstract=True):
    """An operation on the bits of integers, or on bools."""

    differentiable = False

    def result(self, dtype: DType) -> DType:
        """Return the operands' dtype; DTypeError unless it has bits."""
        if not dtype.is_integer and dtype is not dtypes.bool_:
            raise DTypeError(f"{self.name} takes integers and bools, not {dtype!r}")
        return dtype


class _Shift(_Bits, abstract=True):
    """A shift of the bits of integers."""

    def result(self, dtype: DType) -> DType:
        """Return the operands' dtype; DTypeError unless it is an integer's."""
        if not dtype.is_integer:
            raise DTypeError(f"{self.name} takes integers, not {dtype!r}")
        return dtype


class BitwiseAnd(_Bits):
    """The bits that both operands have."""

    ufunc = "bitwise_and"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x & y."""
        return xp.bitwise_and(x, y)


class BitwiseOr(_Bits):
    """The bits that an operand has."""

    ufunc = "bitwise_or"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x | y."""
        return xp.bitwise_or(x, y)


class BitwiseXor(_Bits):
    """The bits that one operand alone has."""

    ufunc = "bitwise_xor"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x ^ y."""
        return xp.bitwise_xor(x, y)


class LeftShift(_Shift):
    """Bits moved towards the higher ones."""

    ufunc = "left_shift"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x << y."""
        return xp.left_shift(x, y)


class RightShift(_Shift):
    """Bits moved towards the lower ones, the sign repeated."""

    ufunc = "right_shift"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x >> y."""
        return xp.right_shift(x, y)


class Invert(Unary):
    """Every bit turned round."""

    by_dtype = True
    differentiable = False
    ufunc = "invert"

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it has bits."""
        if not x.dtype.is_integer and x.dtype is not dtypes.bool_:
            raise DTypeError(f"Invert takes integers and bools, not {x.dtype!r}")
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return ~x."""
        return xp.invert(x)


def bitwise_and(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the bits that both integers (or bools) have.

    >>> print(tl.bitwise_and([6, 5], 3))
    [2 1]
    """
    return call2(BitwiseAnd(), x1, x2)


def bitwise_or(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the bits that one of two integers (or bools) has.

    >>> print(tl.bitwise_or([6, 5], 3))
    [7 7]
    """
    return call2(BitwiseOr(), x1, x2)


def bitwise_xor(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the bits that exactly one of two integers (or bools) has.

    >>> print(tl.bitwise_xor([6, 5], 3))
    [5 6]
    """
    return call2(BitwiseXor(), x1, x2)


def bitwise_left_shift(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return integers with their bits moved `x2` places towards the higher ones.

    >>> print(tl.bitwise_left_shift([1, 3], 2))
    [ 4 12]
    """
    return call2(LeftShift(), x1, x2)


def bitwise_right_shift(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return integers with their bits moved `x2` places towards the lower ones; signs stay.

    >>> print(tl.bitwise_right_shift([12, -4], 2))
    [ 3 -1]
    """
    return call2(RightShift(), x1, x2)


def bitwise_invert(x: TensorLike, /) -> Tensor:
    """Return integers (or bools) with every bit turned round.

    >>> print(tl.bitwise_invert([0, 5]))
    [-1 -6]
    """
    return call1(Invert(), x)


class Bitcast(Op):
    """The same memory read as another dtype; a last axis comes or goes where the sizes differ."""

    differentiable = False
    type: DType

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the shape; ShapeError where the last axis is not as long as is needed."""
        old, new = x.dtype.itemsize, self.type.itemsize
        if "O" in (x.dtype.numpy.kind, self.type.numpy.kind):
            raise DTypeError(
                f"Bitcast: {x} has no memory to be read as {self.type!r}"
            )
        if x.shape is None or old == new:
            return TensorSpec(x.shape, self.type)
        if old > new:
            return TensorSpec((*x.shape, old // new), self.type)
        if not x.shape or x.shape[-1] not in (None, new // old):
            raise ShapeError(
                f"Bitcast: {x} to {self.type!r} needs a last axis of {new // old}"
            )
        return TensorSpec(x.shape[:-1], self.type)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return a copy of the memory."""
        old, new = x.dtype.itemsize, self.type.itemsize
        whole = xp.ascontiguousarray(x).reshape(x.shape)
        if old > new:
            whole = whole.reshape((*x.shape, 1))
        made = whole.reshape(whole.shape or (1,)).view(self.type.numpy)
        shape = self.infer(TensorSpec(x.shape, of_numpy(x.dtype))).dims
        return made.reshape(shape).copy()
