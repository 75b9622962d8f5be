"""Comparisons, logic, tests for NaN and infinity, and the choice by a condition.

The bits of integers are in bits.py; maximum and minimum, which have gradients, in bounds.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import settings
from tensorlite.core.dispatch import (
    call,
    call1,
    call2,
    constant,
    promoted,
    to_tensor,
)
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.families import Comparison, Predicate
from tensorlite.ops.math.arithmetic import sum_to

__all__ = [
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "where",
]


class Equal(Comparison):
    """Whether elements are equal."""

    ufunc = "equal"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x == y."""
        return xp.equal(x, y)


class NotEqual(Comparison):
    """Whether elements differ."""

    ufunc = "not_equal"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x != y."""
        return xp.not_equal(x, y)


class _Order(Comparison, abstract=True):
    """A comparison by size, which complex numbers do not have."""

    def result(self, dtype: DType) -> DType:
        """Return bool; DTypeError for dtypes without an order."""
        if not (dtype.is_integer or dtype.is_floating or dtype is dtypes.string):
            raise DTypeError(
                f"{self.name} takes real numbers and strings, which have an order, not {dtype!r}; "
                "compare tl.abs(x) or tl.real(x), or cast bools with tl.astype"
            )
        return dtypes.bool_


class Less(_Order):
    """Whether elements of the first operand are less."""

    ufunc = "less"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x < y."""
        return xp.less(x, y)


class LessEqual(_Order):
    """Whether elements of the first operand are less or equal."""

    ufunc = "less_equal"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x <= y."""
        return xp.less_equal(x, y)


class Greater(_Order):
    """Whether elements of the first operand are greater."""

    ufunc = "greater"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x > y."""
        return xp.greater(x, y)


class GreaterEqual(_Order):
    """Whether elements of the first operand are greater or equal."""

    ufunc = "greater_equal"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x >= y."""
        return xp.greater_equal(x, y)


class LogicalAnd(Comparison):
    """Whether both of two bools hold."""

    ufunc = "logical_and"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x and y."""
        return xp.logical_and(x, y)


class LogicalOr(Comparison):
    """Whether one of two bools holds."""

    ufunc = "logical_or"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x or y."""
        return xp.logical_or(x, y)


class LogicalXor(Comparison):
    """Whether exactly one of two bools holds."""

    ufunc = "logical_xor"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x != y."""
        return xp.logical_xor(x, y)


class LogicalNot(Predicate):
    """Whether a bool does not hold."""

    ufunc = "logical_not"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return not x."""
        return xp.logical_not(x)


class IsNan(Predicate):
    """Whether elements are no numbers."""

    ufunc = "isnan"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return whether each element is NaN."""
        return xp.isnan(x)


class IsInf(Predicate):
    """Whether elements are infinite."""

    ufunc = "isinf"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return whether each element is infinite, of either sign."""
        return xp.isinf(x)


class IsFinite(Predicate):
    """Whether elements are neither NaN nor infinite."""

    ufunc = "isfinite"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return whether each element is finite."""
        return xp.isfinite(x)


_MANY = 4096
_BITS = {
    np.dtype(name): np.dtype(f"int{8 * np.dtype(name).itemsize}")
    for name in ("float32", "float64", "int32", "int64", "uint32", "uint64")
}


def _chosen(condition: Array, x: Array, y: Array) -> Array:
    """Return the chosen of many elements by their bits.

    To jump to one or the other, and often to guess wrong, takes NumPy nine times as long.
    """
    bits = _BITS[x.dtype]
    mask = condition.view("int8").astype(bits)
    np.negative(mask, out=mask)
    one, other = x.view(bits), y.view(bits)
    made = (one ^ other) & mask
    return (made ^ other).view(x.dtype)


class SelectV2(Op):
    """Elements of one operand where a condition holds, of another where it does not."""

    by_dtype = True

    def infer(
        self, condition: TensorSpec, x: TensorSpec, y: TensorSpec
    ) -> TensorSpec:
        """Return the shape that all three broadcast to; DTypeError when dtypes do not fit."""
        if condition.dtype is not dtypes.bool_:
            raise DTypeError(
                f"SelectV2: the condition must hold bools, not {condition.dtype!r}; compare it "
                "with something, as in x != 0"
            )
        if x.dtype is not y.dtype:
            raise DTypeError(
                f"SelectV2: dtypes differ: {x} and {y}; cast one with tl.astype"
            )
        return TensorSpec(
            broadcast(condition.shape, x.shape, y.shape), x.dtype, None, x.inner
        )

    def kernel(self, xp: Xp, condition: Array, x: Array, y: Array) -> Array:
        """Return the chosen elements."""
        if xp is np and condition.size >= _MANY and x.dtype in _BITS:
            return _chosen(condition, x, y)
        return xp.where(condition, x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient where the operand was chosen, zero elsewhere."""
        condition, x, y = call.inputs
        return (
            None,
            sum_to(where(condition, dy, 0), x),
            sum_to(where(condition, 0, dy), y),
        )


_EQUAL, _NOT_EQUAL, _LESS, _LESS_EQUAL = Equal(), NotEqual(), Less(), LessEqual()
_GREATER, _GREATER_EQUAL, _SELECT = Greater(), GreaterEqual(), SelectV2()


def equal(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements are equal.

    >>> print(tl.equal([1, 2], 2))
    [False  True]
    """
    return call2(_EQUAL, x1, x2)


def not_equal(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements differ.

    >>> print(tl.not_equal([1, 2], 2))
    [ True False]
    """
    return call2(_NOT_EQUAL, x1, x2)


def operands_equal(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return what Python's == gives: whether elements are equal.

    With TensorFlow's results operands whose shapes do not broadcast are unequal as a whole.
    """
    return _of_operands(equal, x1, x2, False)


def operands_differ(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return what Python's != gives, the opposite of `operands_equal`."""
    return _of_operands(not_equal, x1, x2, True)


def _of_operands(
    compare: Callable[[TensorLike, TensorLike], Tensor],
    x1: TensorLike,
    x2: TensorLike,
    otherwise: bool,
) -> Tensor:
    try:
        return compare(x1, x2)
    except ShapeError:
        if not settings.tensorflow_results:
            raise
        return constant(otherwise)


def less(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements of `x1` are less than those of `x2`.

    >>> print(tl.less([1, 2, 3], 2))
    [ True False False]
    """
    return call2(_LESS, x1, x2)


def less_equal(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements of `x1` are less than or equal to those of `x2`.

    >>> print(tl.less_equal([1, 2, 3], 2))
    [ True  True False]
    """
    return call2(_LESS_EQUAL, x1, x2)


def greater(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements of `x1` are greater than those of `x2`.

    >>> print(tl.greater([1, 2, 3], 2))
    [False False  True]
    """
    return call2(_GREATER, x1, x2)


def greater_equal(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether elements of `x1` are greater than or equal to those of `x2`.

    >>> print(tl.greater_equal([1, 2, 3], 2))
    [False  True  True]
    """
    return call2(_GREATER_EQUAL, x1, x2)


def _logical(op: Op, x1: TensorLike, x2: TensorLike) -> Tensor:
    return call(op, as_bool(x1), as_bool(x2))


def as_bool(x: TensorLike) -> Tensor:
    """Return `x` as bools: whether its elements are not zero."""
    tensor = to_tensor(x)
    return tensor if tensor.dtype is dtypes.bool_ else astype(tensor, dtypes.bool_)


def logical_and(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether both elements hold; numbers hold when they are not zero.

    >>> print(tl.logical_and([True, True], [True, False]))
    [ True False]
    """
    return _logical(LogicalAnd(), x1, x2)


def logical_or(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether one of both elements holds; numbers hold when they are not zero.

    >>> print(tl.logical_or([True, False], [False, False]))
    [ True False]
    """
    return _logical(LogicalOr(), x1, x2)


def logical_xor(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return whether exactly one of both elements holds; numbers hold when they are not zero.

    >>> print(tl.logical_xor([True, True], [True, False]))
    [False  True]
    """
    return _logical(LogicalXor(), x1, x2)


def logical_not(x: TensorLike, /) -> Tensor:
    """Return whether each element does not hold; numbers hold when they are not zero.

    >>> print(tl.logical_not([True, False]))
    [False  True]
    """
    return call1(LogicalNot(), as_bool(x))


def isnan(x: TensorLike, /) -> Tensor:
    """Return whether each element is NaN.

    >>> print(tl.isnan([1.0, tl.nan]))
    [False  True]
    """
    return call1(IsNan(), x)


def isinf(x: TensorLike, /) -> Tensor:
    """Return whether each element is infinite, of either sign.

    >>> print(tl.isinf([1.0, -tl.inf]))
    [False  True]
    """
    return call1(IsInf(), x)


def isfinite(x: TensorLike, /) -> Tensor:
    """Return whether each element is neither NaN nor infinite.

    >>> print(tl.isfinite([1.0, tl.nan, tl.inf]))
    [ True False False]
    """
    return call1(IsFinite(), x)


def where(condition: TensorLike, x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return elements of `x1` where `condition` holds, of `x2` elsewhere; all three broadcast.

    Both branches are computed; a gradient flows only into the chosen elements.

    >>> print(tl.where([True, False], [1.0, 2.0], 0))
    [1. 0.]
    """
    x, y = promoted(x1, x2)
    return call(_SELECT, condition, x, y)
