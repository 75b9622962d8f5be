"""Families of operators that share inference. The operators stand in the other files."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, broadcast


class Unary(Op, abstract=True):
    """Element by element; the result has the operand's shape and dtype.

    >>> class Twice(tl.extend.Unary):
    ...     def kernel(self, xp, x):
    ...         return x + x
    >>> print(tl.extend.call(Twice(), [1, 2]))
    [2 4]
    """

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x.without_value()


class FloatUnary(Unary, abstract=True):
    """Element by element over floats; integers are cast to float32 first.

    >>> class Halve(tl.extend.FloatUnary):
    ...     def kernel(self, xp, x):
    ...         return x / 2
    >>> print(tl.extend.call(Halve(), [1.0, 2.0]))
    [0.5 1. ]
    """

    wants_float = True


class Predicate(Op, abstract=True):
    """Element by element, giving bools.

    >>> class IsOdd(tl.extend.Predicate):
    ...     def kernel(self, xp, x):
    ...         return x % 2 == 1
    >>> print(tl.extend.call(IsOdd(), [1, 2]))
    [ True False]
    """

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype bool."""
        return x.with_dtype(dtypes.bool_)


class Binary(Op, abstract=True):
    """Element by element over two operands of one dtype that broadcast.

    >>> class Distance(tl.extend.Binary):
    ...     def kernel(self, xp, x, y):
    ...         return xp.abs(x - y)
    >>> print(tl.extend.call(Distance(), [1.0, 5.0], [2.0]))
    [1. 3.]
    """

    def infer(self, x: TensorSpec, y: TensorSpec) -> TensorSpec:
        """Return the broadcast shape; ShapeError or DTypeError when the operands do not meet."""
        if x.dtype is not y.dtype:
            raise DTypeError(
                f"{self.name}: dtypes differ: {x} and {y}; cast one with tl.astype"
            )
        return TensorSpec(broadcast(x.shape, y.shape), self.result(x.dtype))

    def result(self, dtype: dtypes.DType) -> dtypes.DType:
        """Return the dtype of the result; DTypeError when the operator does not take `dtype`."""
        if not (dtype.is_numeric or dtype is dtypes.bool_):
            raise DTypeError(f"{self.name} takes numbers, not {dtype!r}")
        return dtype


class Comparison(Binary, abstract=True):
    """Element by element over two operands, giving bools."""

    differentiable = False

    def result(self, dtype: dtypes.DType) -> dtypes.DType:
        """Return bool."""
        return dtypes.bool_
