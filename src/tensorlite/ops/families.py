"""Families of operators that share inference. The operators stand in the other files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.spec import Dims, Known, TensorSpec, broadcast


def _repeated(
    x: TensorSpec, shape: Dims | None, size: int
) -> list[int | None] | None:
    """Return what is known of a tensor's elements in a shape; None if that takes two axes."""
    known = x.known
    if isinstance(known, tuple) and x.shape == shape:
        return list(known)
    one = known[0] if isinstance(known, tuple) and len(known) == 1 else known
    return None if isinstance(one, tuple) else [one] * size


class Unary(Op, abstract=True):
    """Element by element; the result has the operand's shape and dtype.

    >>> class Twice(tl.extend.Unary):
    ...     def kernel(self, xp, x):
    ...         return x + x
    >>> print(tl.extend.call(Twice(), [1, 2]))
    [2 4]
    """

    by_dtype = True

    @staticmethod
    def of_size(_: int, /) -> int | None:
        """Return what it makes of a whole number, where shapes are computed by it."""
        return None

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        computes_sizes = type(self).of_size is not Unary.of_size
        if x.known is None or not computes_sizes or not x.dtype.is_integer:
            return x.without_value()
        limits = np.iinfo(x.dtype.numpy)
        numbers = x.known if isinstance(x.known, tuple) else (x.known,)
        found = tuple([_fitting(self.of_size, n, limits) for n in numbers])
        known = found if isinstance(x.known, tuple) else found[0]
        return TensorSpec(x.shape, x.dtype, known=known)


def _fitting(
    function: Callable[[int], int | None], number: int | None, limits: np.iinfo[Any]
) -> int | None:
    """Return what a function makes of a number, None where that is not known or does not fit."""
    found = None if number is None else function(number)
    return found if found is not None and limits.min <= found <= limits.max else None


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

    by_dtype = True
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

    by_dtype = True

    def of_sizes(self, x: int, y: int) -> int | None:
        """Return what it makes of two whole numbers, where shapes are computed by it."""
        return None

    def infer(self, x: TensorSpec, y: TensorSpec) -> TensorSpec:
        """Return the broadcast shape; ShapeError or DTypeError when the operands do not meet."""
        if x.dtype is not y.dtype:
            raise DTypeError(
                f"{self.name}: dtypes differ: {x} and {y}; cast one with tl.astype"
            )
        shape = broadcast(x.shape, y.shape)
        if x.known is None or y.known is None:
            return TensorSpec(shape, self.result(x.dtype))
        known = self._known(x, y, shape)
        return TensorSpec(shape, self.result(x.dtype), known=known)

    def _known(self, x: TensorSpec, y: TensorSpec, shape: Dims | None) -> Known:
        """Return what is known of the value, as shapes may be computed by it."""
        size = TensorSpec(shape).size
        computes_sizes = type(self).of_sizes is not Binary.of_sizes
        if not computes_sizes or not x.dtype.is_integer or size is None:
            return None
        xs, ys = _repeated(x, shape, size), _repeated(y, shape, size)
        if xs is None or ys is None:
            return None
        limits = np.iinfo(x.dtype.numpy)
        found = [self._number(*pair, limits) for pair in zip(xs, ys, strict=True)]
        return tuple(found) if shape else found[0]

    def _number(
        self, x: int | None, y: int | None, limits: np.iinfo[Any]
    ) -> int | None:
        """Return what it makes of two numbers; None for what is not known, or does not fit."""
        found = None if x is None or y is None else self.of_sizes(x, y)
        fits = found is not None and limits.min <= found <= limits.max
        return found if fits else None

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
