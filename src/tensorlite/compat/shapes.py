"""Dimension and TensorShape as TensorFlow 1 has them: a size knows its `value`, None or a number.

What every tensor of tensorlite has for a shape is in core/shapes.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from tensorlite.core import shapes
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode.graph import mode
from tensorlite.interop.tensorflow.tensors import shape_proto


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
        return None

    def is_compatible_with(self, other: Any) -> bool:
        theirs = as_value(other)
        return self.value is None or theirs is None or self.value == theirs

    def merge_with(self, other: Any) -> Any:
        theirs = as_value(other)
        if not self.is_compatible_with(other):
            raise ShapeError(
                f"Dimensions {self.value} and {theirs} are not compatible"
            )
        return Dimension(theirs if self.value is None else self.value)

    def assert_is_compatible_with(self, other: Any) -> None:
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
    """Return a method of whole numbers for sizes: with one that is not known nothing is known."""

    def result(self: Any, other: Any) -> Any:
        if as_value(other) is None:
            return Dimension(None)
        found = method(self, other)
        return found if found is NotImplemented else Dimension(found)

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


class TensorShape(shapes.TensorShape):
    """The sizes of a tensor's axes."""

    __slots__ = ()

    @staticmethod
    def size(given: Any) -> int | None:
        size: int | None = Dimension(None if as_value(given) == -1 else given).value
        return size

    def __iter__(self) -> Iterator[Any]:
        return map(Dimension, self.as_list())

    def __getitem__(self, key: Any) -> Any:
        if self.rank is None and isinstance(key, slice):
            return TensorShape(_axes(key))
        found = super().__getitem__(key)
        return found if isinstance(key, slice) else Dimension(found)

    def __eq__(self, other: object) -> bool:
        """Return whether sizes are equal: those that are not known equal no others.

        They do equal themselves: shapes of one tensor have one tuple of sizes.
        """
        if isinstance(other, TensorShape) and self.sizes is other.sizes:
            return True
        known = self.rank is None or self.is_fully_defined()
        return known and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        if self.rank is None or (
            isinstance(other, TensorShape) and other.rank is None
        ):
            raise ShapeError("The inequality of unknown TensorShapes is undefined.")
        return not self == other

    __hash__ = shapes.TensorShape.__hash__

    def as_proto(self) -> Any:
        return shape_proto(self.known())

    def __reduce__(self) -> Any:
        return TensorShape, (self.dims,)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        if self.rank is None:
            return "<unknown>"
        sizes = [str(x) for x in self.as_list()]
        return f"({', '.join(sizes).replace('None', '?')}{',' * (len(sizes) == 1)})"


def _axes(key: slice) -> list[None] | None:
    """Return the sizes of a part of what has no known rank: their number may be known."""
    start, stop = key.start or 0, key.stop
    if key.step not in (None, 1) or stop is None or start < 0 or stop < 0:
        return None
    return [None] * max(0, stop - start)


def as_shape(dims: tuple[int | None, ...] | None) -> Any:
    """Return sizes as the kind of shape that programs of this process expect."""
    plain = mode.eager or mode.plain_sizes
    return shapes.shape_of(dims) if plain else TensorShape(dims)


def shape_told(spec: TensorSpec) -> Any:
    """Return the shape of a specification, equal to any other of the same one."""
    plain = mode.eager or mode.plain_sizes
    return (shapes.shape_of if plain else TensorShape.of)(spec.shape)
