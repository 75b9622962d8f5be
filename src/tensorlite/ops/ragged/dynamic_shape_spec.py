"""DynamicRaggedShape.Spec: what is known of ragged sizes before there are any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorlite.core.dtypes import DType, as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape, TensorShape
from tensorlite.ops.ragged.partition_spec import RowPartitionSpec


class DynamicRaggedShapeSpec:
    """What is known of partitions and of the shape of the values below them.

    What one part says of another's size is known of that, too.
    """

    def __init__(
        self,
        row_partitions: Iterable[RowPartitionSpec],
        static_inner_shape: Any,
        dtype: Any,
    ) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError("row_partitions should be an Iterable")
        parts = tuple(row_partitions)
        if not all(isinstance(x, RowPartitionSpec) for x in parts):
            raise TypeError(
                "row_partitions should be an Iterable of RowPartitionSpecs"
            )
        kind = as_dtype(dtype)
        if kind not in (int32, int64):
            raise InvalidArgumentError("dtype must be tf.int32 or tf.int64")
        for part in parts:
            if part.dtype is not kind:
                raise InvalidArgumentError(
                    f"dtype of {part!r} is {part.dtype!r}: expected {kind!r}"
                )
        inner = (
            static_inner_shape
            if isinstance(static_inner_shape, AnyShape)
            else TensorShape(static_inner_shape)
        )
        if parts and inner.rank == 0:
            raise InvalidArgumentError(
                "If row_partitions are provided, must have inner_rank > 0"
            )
        self.row_partitions, self.static_inner_shape = _told(parts, inner, kind)
        self._dtype = kind

    @classmethod
    def from_value(cls, value: Any) -> DynamicRaggedShapeSpec:
        """Return what is known of sizes."""
        spec: DynamicRaggedShapeSpec = value.spec
        return spec

    @property
    def dtype(self) -> DType:
        """The dtype of sizes."""
        return self._dtype

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the values below all partitions."""
        return self.static_inner_shape.rank

    @property
    def num_row_partitions(self) -> int:
        """How many partitions there are."""
        return len(self.row_partitions)

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    def with_dtype(self, dtype: Any) -> DynamicRaggedShapeSpec:
        """Return the same of sizes of another dtype."""
        parts = [x.with_dtype(dtype) for x in self.row_partitions]
        return DynamicRaggedShapeSpec(parts, self.static_inner_shape, dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DynamicRaggedShapeSpec):
            return False
        mine, theirs = self.static_inner_shape, other.static_inner_shape
        same = self._dtype is other._dtype and mine.known() == theirs.known()
        return same and self.row_partitions == other.row_partitions

    def __hash__(self) -> int:
        return hash((self.row_partitions, self.static_inner_shape.known()))

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self.row_partitions!r}, "
            f"static_inner_shape={self.static_inner_shape!r}, dtype={self._dtype!r})"
        )


def _told(
    parts: Sequence[RowPartitionSpec], inner: AnyShape, dtype: DType
) -> tuple[tuple[RowPartitionSpec, ...], AnyShape]:
    """Return partitions and sizes below with what each of them says of the others."""
    if not parts:
        return (), inner
    first = None if inner.rank is None else inner.as_list()[0]
    counts = _met([x.nrows for x in parts] + [first], [x.nvals for x in parts])
    lengths = [x.uniform_row_length for x in parts]
    for i, length in enumerate(lengths):  # outside in
        if counts[i] is not None and length is not None:
            counts[i + 1] = _one(counts[i + 1], counts[i] * length)
    for i in reversed(range(len(parts))):
        length, below = lengths[i], counts[i + 1]
        if length and below is not None:
            if below % length:
                raise InvalidArgumentError(f"{below} values in rows of {length}")
            counts[i] = _one(counts[i], below // length)
    made = [
        RowPartitionSpec(counts[i], counts[i + 1], length, dtype)
        for i, length in enumerate(lengths)
    ]
    if inner.rank is None:
        return tuple(made), inner
    return tuple(made), TensorShape([counts[-1], *inner.as_list()[1:]])


def _met(rows: list[Any], values: Sequence[Any]) -> list[Any]:
    """Return how many rows each level has, which are the values of the one before."""
    return [rows[0], *[_one(a, b) for a, b in zip(rows[1:], values, strict=True)]]


def _one(a: int | None, b: int | None) -> int | None:
    if None not in (a, b) and a != b:
        raise InvalidArgumentError(f"Dimensions {a} and {b} are not compatible")
    return b if a is None else a
