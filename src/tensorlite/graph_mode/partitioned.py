"""Variables that are cut along an axis, and the partitioners that say into how many parts.

Scopes ask for them (variable_scopes.py); what a checkpoint keeps of a part is its `save_slice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import shape_of
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import name_scope, titled
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.join import concat


@dataclass(frozen=True)
class SaveSlice:
    """Where a part lies in the variable that it is a part of.

    >>> from tensorlite.graph_mode.partitioned import SaveSlice
    >>> SaveSlice("w", [10, 3], [4, 0], [6, 3]).spec
    '10 3 4,6:0,3'
    """

    full_name: str
    full_shape: list[int]
    var_offset: list[int]
    var_shape: list[int]

    @property
    def spec(self) -> str:
        """How checkpoints write it: the whole shape, then first index and size for each axis."""
        pairs = zip(self.var_offset, self.var_shape, strict=True)
        places = ":".join(f"{first},{size}" for first, size in pairs)
        return f"{' '.join(map(str, self.full_shape))} {places}"


@dataclass(frozen=True)
class PartitionInfo:
    """What initializers are told of a part: the whole shape, and where the part begins.

    >>> from tensorlite.graph_mode.partitioned import PartitionInfo
    >>> info = PartitionInfo([9, 3], [6, 0])
    >>> info.single_slice_dim([3, 3]), info.single_offset([3, 3])
    (0, 6)
    """

    full_shape: Sequence[int]
    var_offset: Sequence[int]

    def __post_init__(self) -> None:
        offset = _of_axes("var_offset", self.var_offset, self.full_shape)
        if any(not 0 <= x < size for x, size in zip(*offset, strict=True)):
            raise InvalidArgumentError(
                f"PartitionInfo: expected 0 <= offset < shape, found {self.var_offset} in "
                f"{self.full_shape}"
            )

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """Return the axis along which a part of this shape is cut; None if it is the whole."""
        sizes, whole = _of_axes("shape", shape, self.full_shape)
        for first, size, full in zip(self.var_offset, sizes, whole, strict=True):
            if first + size > full:
                raise InvalidArgumentError(
                    f"PartitionInfo: a part of shape {list(shape)} at {self.var_offset} would "
                    f"exceed {self.full_shape}"
                )
        cut_axes = [
            i for i, (x, y) in enumerate(zip(sizes, whole, strict=True)) if x < y
        ]
        if len(cut_axes) > 1:
            raise InvalidArgumentError(
                f"PartitionInfo: cannot use single_slice_dim() with shape {list(shape)} of "
                f"{self.full_shape}, for slices are along more than one axis"
            )
        return cut_axes[0] if cut_axes else None

    def single_offset(self, shape: Sequence[int]) -> int:
        """Return where a part of this shape begins, along the axis that is cut."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]


def _of_axes(
    title: str, given: Sequence[int], whole: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """Return two shapes; DTypeError unless they are sequences, InvalidArgumentError if unlike."""
    for name, x in ((title, given), ("full_shape", whole)):
        if isinstance(x, (str, bytes)) or not isinstance(x, Sequence):
            raise DTypeError(
                f"PartitionInfo: {name} must be a sequence, like a list, not {x!r}"
            )
    if len(given) != len(whole):
        raise InvalidArgumentError(
            f"PartitionInfo: expected equal length, but {title} is {given} and full_shape {whole}"
        )
    return given, whole


class PartitionedVariable(Operand):
    """A variable in parts, which are variables; as a tensor they are joined.

    >>> from tensorlite.graph_mode import partitioned, variable_scopes, variables
    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default():
    ...     w = variable_scopes.get_variable(
    ...         "w", [5, 2], initializer=lambda s, dtype: tl.zeros(s, dtype=dtype),
    ...         partitioner=partitioned.fixed_size_partitioner(2),
    ...         make=lambda x, name, dtype, **_: variables.GraphVariable(x, True, name, dtype))
    >>> [part.bare_name for part in w], w.sizes
    (['w/part_0', 'w/part_1'], [5, 2])
    """

    def __init__(
        self, name: str, sizes: Sequence[int], axis: int, parts: Sequence[Any]
    ) -> None:
        self.name, self.axis = name, axis
        self.sizes, self.parts = list(sizes), list(parts)

    @property
    def dtype(self) -> DType:
        """The dtype of every part."""
        found: DType = self.parts[0].dtype
        return found

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return self.get_shape()

    def get_shape(self) -> Any:
        """Return the shape of the whole."""
        return shape_of(tuple(self.sizes))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def parts_saved(self) -> list[Any]:
        """Return what savers save: the parts, each under the name of the whole."""
        return self.parts

    def __tensor__(self) -> Tensor:
        """Return the parts joined."""
        inside = "" if len(self.parts) == 1 else "ConcatPartitions/"
        with name_scope(f"{self.name}/{inside}"):
            values = [part.__tensor__() for part in self.parts]
            joined = values[0] if len(values) == 1 else self.joined(values)
        with name_scope(""):
            made: Tensor = titled(identity(joined), self.name)
            return made

    def joined(self, values: list[Tensor]) -> Tensor:
        """Return the values of several parts as that of the whole."""
        return concat(values, axis=self.axis)


class Kinds:
    """The class of variables that are made in parts."""

    whole: Callable[..., PartitionedVariable] = PartitionedVariable
    shape: Callable[[tuple[int, ...]], Any] = staticmethod(shape_of)
    """What makes of sizes the shape that partitioners are given."""


kinds = Kinds()


def cut(
    partitioner: Callable[..., Any],
    name: str,
    sizes: Sequence[int],
    dtype: DType,
    value_of: Callable[[Sequence[int], PartitionInfo], Any],
    make: Callable[..., Any],
) -> PartitionedVariable:
    """Return a new variable in as many parts as a partitioner says.

    `value_of(shape, info)` gives what a part begins with, `make` the part.
    """
    counts = list(partitioner(shape=kinds.shape(tuple(sizes)), dtype=dtype))
    axis = _cut_axis(name, sizes, counts)
    parts, begun = [], 0
    for i, size in enumerate(_evenly(sizes[axis], counts[axis])):
        own = [*sizes[:axis], size, *sizes[axis + 1 :]]
        offset = [begun if x == axis else 0 for x in range(len(sizes))]
        info = PartitionInfo(list(sizes), offset)
        with name_scope(""):
            part = make(value_of(own, info), name=f"{name}/part_{i}", dtype=dtype)
        part.save_slice = SaveSlice(name, list(sizes), offset, own)
        parts.append(part)
        begun += size
    return kinds.whole(name, sizes, axis, parts)


def check_partitions(found: Any, partitioner: Callable[..., Any] | None) -> None:
    """Raise InvalidArgumentError for a variable in parts that a partitioner would cut otherwise."""
    if partitioner is None or not isinstance(found, PartitionedVariable):
        return
    shape = kinds.shape(tuple(found.sizes))
    asked = [int(x) for x in partitioner(shape=shape, dtype=found.dtype)]
    have = [1] * len(found.sizes)
    have[found.axis] = len(found.parts)
    if asked != have:
        raise InvalidArgumentError(
            f"Trying to reuse partitioned variable {found.name}, but specified partitions {asked} "
            f"and found partitions {have}; leave the partitioner out, or give one that cuts alike"
        )


def _evenly(size: int, count: int) -> list[int]:
    """Return sizes of parts, the first of which are one larger where they cannot be alike."""
    least, more = divmod(size, count)
    return [least + (i < more) for i in range(count)]


def _cut_axis(name: str, sizes: Sequence[int], counts: Sequence[int]) -> int:
    """Return the axis that is cut; InvalidArgumentError if it is not one of them."""
    if len(counts) != len(sizes) or any(x < 1 for x in counts):
        raise InvalidArgumentError(
            f"{name}: the partitioner gave {list(counts)} for the shape {list(sizes)}; it gives a "
            "number of at least 1 for each axis"
        )
    chosen = [axis for axis, count in enumerate(counts) if count > 1]
    if len(chosen) > 1:
        raise InvalidArgumentError(
            f"Can only slice a variable along one dimension: {name} with shape {list(sizes)}, "
            f"partitions: {list(counts)}"
        )
    axis = chosen[0] if chosen else 0
    if counts[axis] > sizes[axis]:
        raise InvalidArgumentError(
            f"{name}: axis {axis} of {list(sizes)} cannot be cut into {counts[axis]} parts"
        )
    return axis


Partitioner = Callable[..., list[int]]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Return a partitioner that cuts an axis into so many parts, where it has as many elements.

    >>> from tensorlite.graph_mode.partitioned import fixed_size_partitioner
    >>> fixed_size_partitioner(3)([10, 4]), fixed_size_partitioner(3)([2, 4])
    ([3, 1], [2, 1])
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        sizes = _known(shape)
        return _along(sizes, axis, min(num_shards, sizes[axis]))

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Return a partitioner that makes parts of at least so many bytes, and at most so many parts.

    >>> from tensorlite.graph_mode.partitioned import min_max_variable_partitioner
    >>> min_max_variable_partitioner(16)([1024, 1024], tl.float32)
    [16, 1]
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _known(shape)
        if axis >= len(sizes):
            raise ShapeError(
                f"Can not partition variable along axis {axis} when shape is only {sizes}"
            )
        size = _bytes(dtype, bytes_per_string_element)
        wanted = ceil(prod(sizes) * size / min_slice_size)
        return _along(sizes, axis, max(1, min(sizes[axis], max_partitions, wanted)))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Return a partitioner that makes as few parts as have at most so many bytes.

    >>> from tensorlite.graph_mode.partitioned import variable_axis_size_partitioner
    >>> variable_axis_size_partitioner(64)([10, 4], tl.float32)
    [3, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise InvalidArgumentError(
            "Both max_shard_bytes and bytes_per_string_element must be positive."
        )
    if max_shards is not None and max_shards < 1:
        raise InvalidArgumentError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _known(shape)
        size = _bytes(dtype, bytes_per_string_element)
        each = max(1, int(max_shard_bytes // (prod(sizes) / sizes[axis] * size)))
        wanted = ceil(sizes[axis] / each)
        return _along(
            sizes, axis, wanted if max_shards is None else min(max_shards, wanted)
        )

    return partitioner


def _known(shape: Any) -> list[int]:
    """Return a shape's sizes; ShapeError where one is not known."""
    sizes = shape.as_list() if hasattr(shape, "as_list") else list(shape)
    if sizes is None or None in sizes:
        raise ShapeError(f"shape is not fully defined: {shape}")
    return [int(x) for x in sizes]


def _along(sizes: Sequence[int], axis: int, count: int) -> list[int]:
    return [count if i == axis % len(sizes) else 1 for i, _ in enumerate(sizes)]


def _bytes(dtype: Any, of_string: int) -> int:
    return of_string if dtype.kind == "S" else int(dtype.itemsize)
