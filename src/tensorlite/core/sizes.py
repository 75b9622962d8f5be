"""Dimension: a size of an axis as TensorFlow has it, which knows its `value`, None or a number.

Shapes, which hold sizes as plain numbers, are in shapes.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tensorlite.core.errors import DTypeError, ShapeError


def _compared(compare: Callable[[Any, Any], bool]) -> Any:
    """Return a comparison of sizes, which says None where one of them is not known."""

    def result(self: Any, other: Any) -> Any:
        try:
            theirs = Dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented
        ours = self.value
        return None if ours is None or theirs is None else compare(ours, theirs)

    return result


def _kind(operand: Any) -> str:
    name = "Dimension" if isinstance(operand, Dimension) else type(operand).__name__
    return f"'{name}'"


class Dimension:
    """A size of an axis, which may be unknown."""

    __slots__ = ()

    def __new__(cls, value: Any) -> Any:
        """Return a size; a known one is an int, too."""
        if isinstance(value, Dimension):
            value = value.value
        if cls is Dimension and value is not None:
            return KnownDimension(value)
        return object.__new__(cls)

    @property
    def value(self) -> int | None:
        """The size as a number, None where it is not known."""
        return None

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether this and another size may be the same."""
        theirs = as_value(other)
        return self.value is None or theirs is None or self.value == theirs

    def merge_with(self, other: Any) -> Any:
        """Return what this and another size say together; ShapeError if they differ."""
        theirs = as_value(other)
        if not self.is_compatible_with(other):
            raise ShapeError(
                f"Dimensions {self.value} and {theirs} are not compatible"
            )
        return Dimension(theirs if self.value is None else self.value)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ShapeError unless this and another size may be the same."""
        self.merge_with(other)

    def _unknown(self, other: Any) -> Any:
        return Dimension(None)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _unknown
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _unknown

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: {_kind(self)} and {_kind(other)}, "
            "please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: {_kind(other)} and {_kind(self)}, "
            "please use // instead"
        )

    __eq__, __ne__ = _compared(operator.eq), _compared(operator.ne)
    __lt__, __le__ = _compared(operator.lt), _compared(operator.le)
    __gt__, __ge__ = _compared(operator.gt), _compared(operator.ge)
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        raise TypeError(
            "this size is not known: int() needs one that is; use tf.shape(x)[i]"
        )

    def __reduce__(self) -> Any:
        return Dimension, (self.value,)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


def _of_int(method: Callable[[int, int], int]) -> Any:
    """Return a method of whole numbers for sizes: with one that is not known nothing is known.

    What is less than 0 is no size, but how far one is below the other.
    """

    def result(self: Any, other: Any) -> Any:
        if as_value(other) is None:
            return Dimension(None)
        found = method(self, other)
        return found if found is NotImplemented or found < 0 else Dimension(found)

    return result


class KnownDimension(Dimension, int):
    """A size that is known."""

    __slots__ = ()

    def __new__(cls, value: Any) -> Any:
        """Return a size; ShapeError for less than 0."""
        try:
            number = value.__index__() if hasattr(value, "__index__") else int(value)
        except (TypeError, ValueError):
            raise DTypeError(
                f"{value!r} is no size; give an integer or None"
            ) from None
        if isinstance(value, float) and number != value:
            raise ShapeError(f"Ambiguous dimension: {value}")
        if not 0 <= number < 2**63:
            raise ShapeError(f"Dimension {number} must be >= 0 and fit int64")
        return int.__new__(cls, number)

    @property
    def value(self) -> int:
        """The size as a number."""
        return int.__int__(self)

    __add__ = __radd__ = _of_int(int.__add__)
    __mul__ = __rmul__ = _of_int(int.__mul__)
    __sub__, __rsub__ = _of_int(int.__sub__), _of_int(int.__rsub__)
    __floordiv__ = _of_int(int.__floordiv__)
    __rfloordiv__ = _of_int(int.__rfloordiv__)
    __mod__, __rmod__ = _of_int(int.__mod__), _of_int(int.__rmod__)
    __hash__ = int.__hash__
    __int__ = int.__int__


def as_value(size: Any) -> int | None:
    """Return a size as a number or None."""
    return size.value if isinstance(size, Dimension) else size
