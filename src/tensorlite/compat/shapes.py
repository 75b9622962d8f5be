"""TensorShape as TensorFlow 1 has it: its sizes are Dimensions wherever they are looked at.

What every tensor of tensorlite has for a shape is in core/shapes.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.core import shapes
from tensorlite.core.errors import ShapeError
from tensorlite.core.sizes import Dimension as Dimension, as_value
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode.graph import mode
from tensorlite.interop.tensorflow.tensors import shape_proto


class TensorShape(shapes.TensorShape):
    """The sizes of a tensor's axes."""

    __slots__ = ()

    @staticmethod
    def size(given: Any) -> int | None:
        """Return a size as a number, or None where it is not known or -1."""
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


shapes.Results.message = staticmethod(shape_proto)


def as_shape(dims: tuple[int | None, ...] | None) -> Any:
    """Return sizes as the kind of shape that programs of this process expect."""
    plain = mode.eager or mode.plain_sizes
    return shapes.shape_of(dims) if plain else TensorShape(dims)


def shape_told(spec: TensorSpec) -> Any:
    """Return the shape of a specification, equal to any other of the same one."""
    plain = mode.eager or mode.plain_sizes
    return (shapes.shape_of if plain else TensorShape.of)(spec.shape)
