"""PartitionedVariable as programs of TensorFlow 1 see it, and names of partitioners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays
from tensorlite.compat.v1.graphs.variables import RefVariable as RefVariable
from tensorlite.compat.views import plain
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode import partitioned
from tensorlite.graph_mode.partitioned import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)

__all__ = [
    "fixed_size_partitioner",
    "min_max_variable_partitioner",
    "variable_axis_size_partitioner",
]


class PartitionedVariable(partitioned.PartitionedVariable):
    """A variable in parts, each of which tells where it lies in the whole."""

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        variable_list: Sequence[Any],
        partitions: Sequence[int],
    ) -> None:
        sizes = _whole_shape(shape, variable_list, partitions)
        parts = sorted(variable_list, key=lambda part: part.save_slice.var_offset)
        axes = [i for i, count in enumerate(partitions) if count > 1]
        super().__init__(name, sizes, axes[0] if axes else 0, parts)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    def get_shape(self) -> Any:
        """Return the shape of the whole."""
        return as_shape(tuple(self.sizes))

    def _get_variable_list(self) -> list[Any]:
        return self.parts

    def _get_partitions(self) -> list[int]:
        return [
            len(self.parts) if i == self.axis else 1 for i in range(len(self.sizes))
        ]

    def joined(self, values: list[Any]) -> Any:
        """Return the values of several parts as that of the whole, by TensorFlow's nodes."""
        return plain(arrays.concat(values, self.axis))

    def _concat(self) -> Any:
        return _joined(self)

    def as_tensor(self) -> Any:
        """Return the whole, joined of its parts."""
        return _joined(self)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Return operators that give the parts their shares of a value.

        use_locking has no effect.
        """
        given = {"name": name, "read_value": read_value}
        return self._written(lambda part, x: part.assign(x, **given), value)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Return operators that add shares of a value to the parts.

        use_locking has no effect.
        """
        given = {"name": name, "read_value": read_value}
        return self._written(lambda part, x: part.assign_add(x, **given), value)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Return operators that take shares of a value from the parts.

        use_locking has no effect.
        """
        given = {"name": name, "read_value": read_value}
        return self._written(lambda part, x: part.assign_sub(x, **given), value)

    def _written(self, write: Callable[[Any, Any], Any], value: Any) -> list[Any]:
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
        else:
            sizes = [part.get_shape().as_list()[self.axis] for part in self.parts]
            values = arrays.split(value, sizes, self.axis)
        if len(values) != len(self.parts):
            raise InvalidArgumentError(
                f"{self.name} has {len(self.parts)} parts, and was given {len(values)} values"
            )
        pairs = zip(self.parts, values, strict=True)
        return [write(part, x) for part, x in pairs]

    def __repr__(self) -> str:
        return (
            f"<tf.PartitionedVariable {self.name!r} of {len(self.parts)} parts, shape="
            f"{self.get_shape()} dtype={self.dtype.name}>"
        )


@named("as_tensor")
def _joined(variable: Any, name: str | None = None) -> Any:
    return variable.__tensor__()


def _whole_shape(shape: Any, parts: Any, partitions: Any) -> list[int]:
    """Return the whole's sizes; DTypeError or InvalidArgumentError where parts are none of it."""
    for title, given in (("variable_list", parts), ("partitions", partitions)):
        if not isinstance(given, (list, tuple)):
            raise DTypeError(
                f"PartitionedVariable: {title} is not a list or tuple: {given!r}"
            )
    if any(count < 1 for count in partitions):
        raise InvalidArgumentError(
            f"PartitionedVariable: partition values must be positive: {partitions}"
        )
    if not parts:
        raise InvalidArgumentError(
            "PartitionedVariable: variable_list may not be empty"
        )
    places = [part.save_slice for part in parts]
    if None in places:
        raise InvalidArgumentError(
            "PartitionedVariable: all variables must have a save_slice_info available: "
            f"{[part.name for part in parts]}"
        )
    sizes = [int(x) for x in shape]
    if len(sizes) != len(partitions):
        raise InvalidArgumentError(
            f"PartitionedVariable: len(shape) != len(partitions): {sizes} vs. {partitions}"
        )
    full = [list(place.full_shape) for place in places]
    if any(x != sizes for x in full):
        raise InvalidArgumentError(
            f"PartitionedVariable: all variables' full shapes must match shape: {sizes}; but full "
            f"shapes were: {full}"
        )
    return sizes


def _cut(name: str, sizes: Any, axis: int, parts: Any) -> PartitionedVariable:
    counts = [len(parts) if i == axis else 1 for i in range(len(sizes))]
    return PartitionedVariable(name, sizes, parts[0].dtype, parts, counts)


partitioned.kinds.whole = _cut
partitioned.kinds.shape = as_shape
