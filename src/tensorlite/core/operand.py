"""Operand: Python's operators over the library's own, for tensors and variables alike.

The operators lie in a higher layer; they are reached through one typed slot, `operators`, which
the package fills when it is imported. This is the only upward knot in the library.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tensorlite.core.dtypes import string
from tensorlite.core.errors import NoValueYetError
from tensorlite.core.shapes import AnyShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlite.core.device import DeviceName
    from tensorlite.core.dtypes import DType
    from tensorlite.core.tensor import IndexedSlices, Tensor


class Operators(Protocol):
    """What lower layers need of the operators; the module ops/operators.py fits it."""

    def add(self, x1: Any, x2: Any, /) -> Tensor: ...
    def subtract(self, x1: Any, x2: Any, /) -> Tensor: ...
    def multiply(self, x1: Any, x2: Any, /) -> Tensor: ...
    def divide(self, x1: Any, x2: Any, /) -> Tensor: ...
    def floor_divide(self, x1: Any, x2: Any, /) -> Tensor: ...
    def remainder(self, x1: Any, x2: Any, /) -> Tensor: ...
    def pow(self, x1: Any, x2: Any, /) -> Tensor: ...
    def matmul(self, x1: Any, x2: Any, /) -> Tensor: ...
    def bitwise_and(self, x1: Any, x2: Any, /) -> Tensor: ...
    def bitwise_or(self, x1: Any, x2: Any, /) -> Tensor: ...
    def bitwise_xor(self, x1: Any, x2: Any, /) -> Tensor: ...
    def logical_and(self, x1: Any, x2: Any, /) -> Tensor: ...
    def logical_or(self, x1: Any, x2: Any, /) -> Tensor: ...
    def logical_not(self, x: Any, /) -> Tensor: ...
    def bitwise_left_shift(self, x1: Any, x2: Any, /) -> Tensor: ...
    def bitwise_right_shift(self, x1: Any, x2: Any, /) -> Tensor: ...
    def equal(self, x1: Any, x2: Any, /) -> Tensor: ...
    def not_equal(self, x1: Any, x2: Any, /) -> Tensor: ...
    def operands_equal(self, x1: Any, x2: Any, /) -> Tensor: ...
    def operands_differ(self, x1: Any, x2: Any, /) -> Tensor: ...
    def less(self, x1: Any, x2: Any, /) -> Tensor: ...
    def less_equal(self, x1: Any, x2: Any, /) -> Tensor: ...
    def greater(self, x1: Any, x2: Any, /) -> Tensor: ...
    def greater_equal(self, x1: Any, x2: Any, /) -> Tensor: ...
    def negative(self, x: Any, /) -> Tensor: ...
    def positive(self, x: Any, /) -> Tensor: ...
    def abs(self, x: Any, /) -> Tensor: ...
    def bitwise_invert(self, x: Any, /) -> Tensor: ...
    def getitem(self, x: Any, key: Any, /) -> Tensor: ...
    def setitem(self, x: Any, key: Any, value: Any, /) -> None: ...
    def astype(self, x: Any, dtype: DType, /) -> Tensor: ...
    def zeros_like(self, x: Any, /) -> Tensor: ...
    def ones_like(self, x: Any, /) -> Tensor: ...
    def matrix_transpose(self, x: Any, /) -> Tensor: ...
    def reverse_axes(self, x: Any, /) -> Tensor: ...
    def reshape(self, x: Any, shape: Any, /) -> Tensor: ...
    def densify(self, slices: IndexedSlices, /) -> Tensor: ...
    def accumulate(self, gradients: list[Any], /) -> Tensor | IndexedSlices: ...
    def stack(self, xs: Any, /) -> Tensor: ...
    def jacobian_rows(
        self, pull: Any, y: Any, xs: Any, batch: bool, /
    ) -> list[Tensor]: ...
    def to_device(self, x: Any, device: DeviceName, /) -> Tensor: ...
    def numpy_call(self, name: str, args: Any, kwargs: Any, /) -> Any: ...


operators: Operators = None  # type: ignore[assignment]  # bound by the package's __init__


def is_operand(value: object) -> bool:
    """Return whether `value` can stand beside a tensor in an expression."""
    scalars = (bool, int, float, complex, np.ndarray, np.generic, list, tuple)
    if not isinstance(value, (Operand, *scalars, AnyShape)):
        return False
    return not getattr(value, "has_own_operators", False)


class Manner:
    """How tensors that have their values answer programs."""

    is_older: Callable[[], bool] = staticmethod(lambda: False)
    """Whether as TensorFlow 1's do."""
    compares_tensors: Callable[[], bool] = staticmethod(lambda: False)
    """Whether `==` asks if two are one tensor, in place of comparing elements."""


def _stand_together(operand: Operand, other: object) -> bool:
    """Return whether the two are compared: text is with strings alone."""
    if not operand.has_own_equality and Manner.compares_tensors() and _is_outside():
        return False
    if isinstance(other, (str, bytes)):
        return operand.__tensor__().dtype is string
    return is_operand(other)


def _is_outside() -> bool:
    """Return whether who wrote the `==` that is being answered is a program, not the library."""
    asking = sys._getframe(3).f_globals.get("__name__", "")  # noqa: SLF001
    return not str(asking).startswith("tensorlite.")


class Operand:
    """Whatever may stand in an expression: tensors, and variables, which turn into them."""

    __slots__ = ()
    has_own_operators = False
    """Whether products with it are its own, as those with sparse tensors are."""
    has_own_equality = True
    """Whether `==` compares its elements whatever programs have it mean."""

    def __tensor__(self) -> Tensor:
        """Return the tensor that stands for this operand."""
        raise TypeError(f"{type(self).__name__} defines no __tensor__")

    def __add__(self, other: Any) -> Tensor:
        try:
            return operators.add(self, other)
        except NoValueYetError:
            return NotImplemented

    def __radd__(self, other: Any) -> Tensor:
        return operators.add(other, self)

    def __sub__(self, other: Any) -> Tensor:
        try:
            return operators.subtract(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rsub__(self, other: Any) -> Tensor:
        return operators.subtract(other, self)

    def __mul__(self, other: Any) -> Tensor:
        if getattr(other, "has_own_operators", False):
            return NotImplemented
        try:
            return operators.multiply(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rmul__(self, other: Any) -> Tensor:
        return operators.multiply(other, self)

    def __truediv__(self, other: Any) -> Tensor:
        try:
            return operators.divide(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rtruediv__(self, other: Any) -> Tensor:
        return operators.divide(other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        try:
            return operators.floor_divide(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rfloordiv__(self, other: Any) -> Tensor:
        return operators.floor_divide(other, self)

    def __mod__(self, other: Any) -> Tensor:
        try:
            return operators.remainder(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rmod__(self, other: Any) -> Tensor:
        return operators.remainder(other, self)

    def __pow__(self, other: Any) -> Tensor:
        try:
            return operators.pow(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rpow__(self, other: Any) -> Tensor:
        return operators.pow(other, self)

    def __matmul__(self, other: Any) -> Tensor:
        try:
            return operators.matmul(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rmatmul__(self, other: Any) -> Tensor:
        return operators.matmul(other, self)

    def __and__(self, other: Any) -> Tensor:
        try:
            return operators.bitwise_and(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rand__(self, other: Any) -> Tensor:
        return operators.bitwise_and(other, self)

    def __or__(self, other: Any) -> Tensor:
        try:
            return operators.bitwise_or(self, other)
        except NoValueYetError:
            return NotImplemented

    def __ror__(self, other: Any) -> Tensor:
        return operators.bitwise_or(other, self)

    def __xor__(self, other: Any) -> Tensor:
        try:
            return operators.bitwise_xor(self, other)
        except NoValueYetError:
            return NotImplemented

    def __rxor__(self, other: Any) -> Tensor:
        return operators.bitwise_xor(other, self)

    def __lshift__(self, other: Any) -> Tensor:
        return operators.bitwise_left_shift(self, other)

    def __rlshift__(self, other: Any) -> Tensor:
        return operators.bitwise_left_shift(other, self)

    def __rshift__(self, other: Any) -> Tensor:
        return operators.bitwise_right_shift(self, other)

    def __rrshift__(self, other: Any) -> Tensor:
        return operators.bitwise_right_shift(other, self)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        if not _stand_together(self, other):
            return NotImplemented
        return operators.operands_equal(self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        if not _stand_together(self, other):
            return NotImplemented
        return operators.operands_differ(self, other)

    def __lt__(self, other: Any) -> Tensor:
        return operators.less(self, other)

    def __le__(self, other: Any) -> Tensor:
        return operators.less_equal(self, other)

    def __gt__(self, other: Any) -> Tensor:
        return operators.greater(self, other)

    def __ge__(self, other: Any) -> Tensor:
        return operators.greater_equal(self, other)

    __hash__ = object.__hash__

    def __neg__(self) -> Tensor:
        return operators.negative(self)

    def __pos__(self) -> Tensor:
        return operators.positive(self)

    def __abs__(self) -> Tensor:
        return operators.abs(self)

    def __invert__(self) -> Tensor:
        return operators.bitwise_invert(self)

    def __getitem__(self, key: Any) -> Tensor:
        return operators.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        operators.setitem(self, key, value)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        """Answer NumPy's functions of arrays: `np.exp(x)` is `tl.exp(x)`."""
        name = (
            ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        )
        return operators.numpy_call(name, inputs, kwargs)

    def __array_function__(
        self, func: Any, types: Any, args: Any, kwargs: Any
    ) -> Any:
        """Answer NumPy's other functions: `np.sum(x)` is `tl.sum(x)`."""
        return operators.numpy_call(func.__name__, args, kwargs)
