"""DynamicRaggedShape: the sizes of tensors some of whose axes have rows of different lengths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType, as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape, TensorShape, shape_of as as_sizes
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import as_shape, astype, reshape, shape_of
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.ragged.base import RaggedParts, spec_of
from tensorlite.ops.ragged.checking import behind
from tensorlite.ops.ragged.dynamic_shape_spec import DynamicRaggedShapeSpec
from tensorlite.ops.ragged.partition import RowPartition, known


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DynamicRaggedShape(nest.Composite):
    """Sizes of a tensor: its rows by partitions, and the shape of the values below them.

    >>> shape = tl.ragged.DynamicRaggedShape.from_lengths([2, (3, 1), 5])
    >>> shape, shape.rank, shape.inner_shape.tolist()
    (<DynamicRaggedShape lengths=[2, (3, 1), 5] num_row_partitions=1>, 3, [4, 5])
    """

    row_partitions: tuple[RowPartition, ...]
    """The partitions, from outside in."""
    inner_shape: Any
    """The shape of the values below all partitions."""
    static_inner_shape: AnyShape
    """The same, as far as it is known beforehand."""

    Spec: ClassVar[type[DynamicRaggedShapeSpec]] = DynamicRaggedShapeSpec
    root: ClassVar[type[DynamicRaggedShape]]
    """The class of what is made of these."""
    holds_tensors: ClassVar[bool] = True

    def __init__(
        self,
        row_partitions: Any,
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        parts = _checked_partitions(row_partitions)
        kind = _dtype_of(parts, inner_shape, dtype)
        sizes = _as_vector(inner_shape, kind)
        as_sizes(spec_of(sizes).shape).assert_has_rank(1)
        told = _sizes_told(sizes)
        if static_inner_shape is not None:
            told = told.merge_with(static_inner_shape)
        put = partial(object.__setattr__, self)
        put("row_partitions", tuple([x.with_dtype(kind) for x in parts]))
        put("static_inner_shape", told)
        put("inner_shape", self._checked(sizes, validate))

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = int64
    ) -> Self:
        """Return sizes: of each axis a number, or a tuple of the lengths of its rows.

        The axes up to the last tuple are partitions, or as many as are asked for.
        """
        if not isinstance(lengths, list):
            raise InvalidArgumentError("lengths should be a list")
        for x in lengths:
            if not isinstance(x, int) and not _are_ints(x):
                raise InvalidArgumentError(
                    f"element of lengths should be int or tuple of ints: instead {x!r}"
                )
        count = num_row_partitions
        if count is None:
            count = max([i for i, x in enumerate(lengths) if _are_ints(x)], default=0)
        if not isinstance(count, int):
            raise InvalidArgumentError("num_row_partitions should be an int or None")
        if not lengths and count > 0:
            raise InvalidArgumentError("num_row_partitions==0 for a scalar shape")
        if lengths and count >= len(lengths):
            raise InvalidArgumentError(
                "num_row_partitions should be less than `len(lengths)` if shape is not scalar."
            )
        if not count:
            return cls((), lengths, dtype)
        parts, size = _partitions_of_lengths(lengths[: count + 1])
        return cls(parts, [size, *lengths[count + 1 :]], dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> Self:
        """Return sizes of partitions, whose last ones' rows are of scalars."""
        if not row_partitions:
            raise InvalidArgumentError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].nvals()], dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> Self:
        """Return the sizes of a tensor, or of a ragged one."""
        if isinstance(t, RaggedParts):
            return cls(partitions_of(t), shape_of(t.flat_values), dtype)
        return cls((), shape_of(to_tensor(t)), dtype)

    def members(self) -> dict[str, Any]:
        """Return the partitions and the inner shape."""
        return {"partitions": self.row_partitions, "inner_shape": self.inner_shape}

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return sizes of others of these, known as well."""
        made = object.__new__(type(self))
        put = partial(object.__setattr__, made)
        put("row_partitions", tuple(members["partitions"]))
        put("inner_shape", members["inner_shape"])
        put("static_inner_shape", self.static_inner_shape)
        return made

    def kept(self) -> Any:
        """Return what is known beforehand of the inner shape."""
        return self.static_inner_shape.known()

    @property
    def num_row_partitions(self) -> int:
        """How many partitions there are."""
        return len(self.row_partitions)

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the values below all partitions."""
        return self.static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        inner = self.inner_rank
        return None if inner is None else self.num_row_partitions + inner

    @property
    def dtype(self) -> DType:
        """The dtype of sizes, int32 or int64."""
        return cast("DType", self.inner_shape.dtype)

    @property
    def spec(self) -> DynamicRaggedShapeSpec:
        """What is known of the sizes beforehand."""
        parts = [x.spec for x in self.row_partitions]
        return DynamicRaggedShapeSpec(parts, self.static_inner_shape, self.dtype)

    _type_spec = spec

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Return the sizes: numbers, None, and tuples of the lengths of rows; ... for more axes."""
        inner = self.static_inner_shape
        behind_rows: list[Any] = [...] if inner.rank is None else inner.as_list()
        if not self.row_partitions:
            return behind_rows
        sizes: list[Any] = [self.row_partitions[0].static_nrows]
        for part in self.row_partitions:
            if part.is_uniform():
                sizes.append(part.static_uniform_row_length)
            else:
                sizes.append(_lengths_told(part) if ragged_lengths else None)
        return sizes + (behind_rows if inner.rank is None else behind_rows[1:])

    def is_uniform(self, axis: int) -> bool:
        """Return whether an axis has one size; the rows of others may differ in length."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        split = 0 < axis <= self.num_row_partitions
        return not split or self.row_partitions[axis - 1].is_uniform()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            return self._part(index.start or 0, index.stop)
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        return self.size_at(self._counted(index) if index < 0 else index)

    def _counted(self, index: int) -> int:
        """Return which axis a negative number stands for."""
        if self.rank is None:
            raise InvalidArgumentError(
                "Rank must be known to use __getitem__ with a negative index."
            )
        return index + self.rank

    def size_at(self, axis: int) -> Any:
        """Return the size of an axis of one size, as a tensor."""
        within = self.num_row_partitions
        if self.rank is None and (not within or axis > within + 1):
            raise InvalidArgumentError(
                "Rank must be known to use __getitem__ on a large index."
            )
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Index is too big: {axis}>={self.rank}")
        if axis < 0:
            raise IndexError(f"Index must be non-negative: {axis}")
        if not self.is_uniform(axis):
            raise InvalidArgumentError(f"Index {axis} is not uniform")
        if axis == 0 and within:
            return self.row_partitions[0].nrows()
        if 0 < axis <= within:
            return self.row_partitions[axis - 1].uniform_row_length()
        told = self.static_inner_shape[axis - within]
        size = getattr(told, "value", told)
        if size is not None:
            return constant(np.asarray(size, self.dtype.numpy))
        return self.inner_shape[axis - within]

    def _part(self, start: int, stop: int | None) -> Any:
        """Return the sizes of some axes, one behind the other."""
        start = max(self._counted(start), 0) if start < 0 else start
        end = self._end(stop)
        count = self.num_row_partitions
        if self.rank is None and start > count + 1:
            raise InvalidArgumentError(
                "Rank must be known to use __getitem__ on a large index."
            )
        start = start if self.rank is None else min(start, self.rank)
        if end <= start:
            return type(self)((), [], self.dtype)
        first = self if end == self.rank else self._beginning(end)
        if not start:
            return first
        if not all(x.is_uniform() for x in first.row_partitions):
            raise InvalidArgumentError("All relevant dimensions must be uniform")
        whole = first.with_num_row_partitions(0)
        return type(self)((), whole.inner_shape[start:], self.dtype)

    def _end(self, stop: int | None) -> int:
        if self.rank is None and (stop is None or stop < 0):
            what = "without a stop" if stop is None else "on a negative index"
            raise InvalidArgumentError(
                f"Rank must be known to use __getitem__ {what}."
            )
        if self.rank is None:
            return cast("int", stop)
        end = self.rank if stop is None else stop
        return min(max(end + self.rank, 0) if end < 0 else end, self.rank)

    def _beginning(self, end: int) -> Any:
        count = self.num_row_partitions
        if end > count:
            inner = self.inner_shape[: end - count]
            return type(self)(self.row_partitions, inner, self.dtype)
        if end == 1:
            return type(self)((), [self.row_partitions[0].nrows()], self.dtype)
        return type(self).from_row_partitions(self.row_partitions[: end - 1])

    def with_num_row_partitions(self, count: int) -> Any:
        """Return the same sizes with another number of axes as partitions, if those allow it."""
        have, rank = self.num_row_partitions, self.rank
        if count == have:
            return self
        if rank is None:
            raise InvalidArgumentError("Rank must be known to adjust inner_rank")
        if not 0 <= count < rank:
            raise InvalidArgumentError(
                f"num_row_partitions={count} must be less than rank, {rank}, and not below 0"
            )
        if count < have:
            return self._merged(count)
        size = self._size_inside(0)
        more = []
        for i in range(1, count - have + 1):
            length = self._size_inside(i)
            more.append(
                RowPartition.root.from_uniform_row_length(
                    length, nrows=size, dtype=self.dtype
                )
            )
            size = size * length
        rest = self.inner_shape[count - have + 1 :]
        inner = concat([reshape(astype(to_tensor(size), self.dtype), [1]), rest])
        told = TensorShape([known(size), *self._inner_told()[count - have + 1 :]])
        parts = (*self.row_partitions, *more)
        return type(self)(parts, inner, self.dtype, static_inner_shape=told)

    def _inner_told(self) -> list[int | None]:
        return self.static_inner_shape.as_list()

    def _size_inside(self, axis: int) -> Any:
        size = self._inner_told()[axis]
        return self.inner_shape[axis] if size is None else size

    def _merged(self, count: int) -> Any:
        """Return the sizes with fewer partitions, those behind being of rows of one length."""
        gone = self.row_partitions[count:]
        if not all(x.is_uniform() for x in gone):
            raise InvalidArgumentError(
                "Cannot get an inner shape over a ragged dimension"
            )
        lengths = [reshape(x.uniform_row_length(), [1]) for x in gone]
        first = reshape(gone[0].nrows(), [1])
        inner = concat([first, *lengths, self.inner_shape[1:]])
        told = [gone[0].static_nrows]
        told += [x.static_uniform_row_length for x in gone]
        sizes = TensorShape([*told, *self._inner_told()[1:]])
        parts = self.row_partitions[:count]
        return type(self)(parts, inner, self.dtype, static_inner_shape=sizes)

    def with_dtype(self, dtype: Any) -> Any:
        """Return the same sizes as int32 or int64."""
        if as_dtype(dtype) is self.dtype:
            return self
        told = self.static_inner_shape
        return type(self)(
            self.row_partitions, self.inner_shape, dtype, static_inner_shape=told
        )

    def num_elements(self) -> Any:
        """Return the number of all elements."""
        return prod(self.inner_shape)

    def rows_of(self, flat_values: Any) -> Any:
        """Return values in rows of these sizes: ragged ones, or as they are if none are split."""
        made = flat_values
        for part in reversed(self.row_partitions):
            length = part.static_uniform_row_length
            made = RaggedParts.root.of(made, part.row_splits(), length)
        return made

    def _checked(self, sizes: Any, validate: bool) -> Any:
        """Return the inner shape, once each partition has as many rows as the one before values."""
        for i, part in enumerate(self.row_partitions):
            inner = self.row_partitions[i + 1 :][:1]
            first = self.static_inner_shape.as_list()[0] if self.inner_rank else None
            told = inner[0].static_nrows if inner else first
            text = (
                f"RowPartitions in DynamicRaggedShape do not align between {i} and {i + 1}"
                if inner
                else "Last row partition does not match inner_shape."
            )
            if None not in (told, part.static_nvals):
                if told != part.static_nvals:
                    raise InvalidArgumentError(text)
            elif validate:
                rows = inner[0].nrows() if inner else sizes[0]
                sizes = behind(sizes, part.nvals() == rows, text)
        return sizes

    def __repr__(self) -> str:
        sizes = ", ".join(
            "..." if x is Ellipsis else str(x) for x in self.static_lengths()
        )
        return (
            f"<DynamicRaggedShape lengths=[{sizes}] "
            f"num_row_partitions={self.num_row_partitions}>"
        )


DynamicRaggedShape.root = DynamicRaggedShape


def partitions_of(x: RaggedParts) -> tuple[RowPartition, ...]:
    """Return how the values of a ragged tensor are cut into rows, from outside in."""
    kind = x.row_splits.dtype.numpy
    length = x.uniform_row_length
    size = None if length is None else constant(np.asarray(length, kind))
    rows = spec_of(x.row_splits).dims[0]
    told = None if rows is None or length is None else (rows - 1) * length
    own = RowPartition.root(x.row_splits, size, static=(told, length))
    inner = partitions_of(x.values) if isinstance(x.values, RaggedParts) else ()
    return (own, *inner)


def _checked_partitions(given: Any) -> tuple[RowPartition, ...]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"row_partitions should be a list of row partitions. Instead, got {given}"
        )
    for x in given:
        if not isinstance(x, RowPartition):
            raise TypeError(
                f"row_partitions contains {x} which is not a RowPartition"
            )
    return tuple(given)


def _dtype_of(parts: tuple[RowPartition, ...], inner: Any, dtype: Any) -> DType:
    kinds = [] if dtype is None else [as_dtype(dtype)]
    kinds += [x.dtype for x in parts]
    if isinstance(inner, Operand):
        kinds.append(inner.__tensor__().dtype)
    elif isinstance(inner, (np.ndarray, TensorSpec)):
        kinds.append(as_dtype(inner.dtype))
    kind = kinds[0] if kinds else int64
    if kind not in (int32, int64):
        raise InvalidArgumentError(f"Illegal dtype: {kind}")
    return kind


def _as_vector(sizes: Any, kind: DType) -> Any:
    """Return sizes as a vector of a dtype; what is one stays as it is."""
    if isinstance(sizes, (list, tuple)) and not sizes:
        return constant(np.zeros(0, kind.numpy))
    given: Any = sizes
    if isinstance(sizes, (Operand, TensorSpec)) and given.dtype is kind:
        return sizes
    is_known = isinstance(sizes, (Operand, np.ndarray)) or not any(
        isinstance(x, Operand) for x in sizes
    )
    return astype(to_tensor(sizes) if is_known else as_shape(sizes), kind)


def _sizes_told(sizes: Any) -> AnyShape:
    if isinstance(sizes, EagerTensor):
        return TensorShape(sizes.numpy().tolist())
    count = spec_of(sizes).dims[0] if spec_of(sizes).rank else None
    told = spec_of(sizes).vector()
    return TensorShape(told if told or count is None else [None] * count)


def _are_ints(x: Any) -> bool:
    return isinstance(x, tuple) and all(isinstance(size, int) for size in x)


def _lengths_told(part: RowPartition) -> Any:
    lengths = part.row_lengths()
    if isinstance(lengths, EagerTensor):
        return tuple(lengths.numpy().tolist())
    told = spec_of(lengths).vector()
    return None if told is None or None in told else tuple(told)


def _partitions_of_lengths(lengths: Any) -> tuple[list[RowPartition], int]:
    size, *rest = lengths
    parts = []
    kind = RowPartition.root
    for x in rest:
        if isinstance(x, int):
            parts.append(kind.from_uniform_row_length(x, size * x, nrows=size))
            size = size * x
            continue
        if size != len(x):
            raise InvalidArgumentError("Shape not consistent.")
        parts.append(kind.from_row_lengths(list(x)))
        size = sum(x)
    return parts, size
