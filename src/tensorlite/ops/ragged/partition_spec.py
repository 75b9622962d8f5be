"""RowPartitionSpec: what is known of how a sequence is cut into rows."""

from __future__ import annotations

from typing import Any

from tensorlite.core.dtypes import DType, as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape


class RowPartitionSpec:
    """How many rows, values, and values in each row there are, as far as that is known.

    What follows of the others is known, too; what contradicts them is refused.

    >>> from tensorlite.ops.ragged.partition_spec import RowPartitionSpec
    >>> RowPartitionSpec(nrows=4, uniform_row_length=3).nvals
    12
    """

    __slots__ = ("dtype", "nrows", "nvals", "uniform_row_length")

    def __init__(
        self,
        nrows: Any = None,
        nvals: Any = None,
        uniform_row_length: Any = None,
        dtype: Any = int64,
    ) -> None:
        kind = as_dtype(dtype)
        if kind not in (int32, int64):
            raise InvalidArgumentError("dtype must be tf.int32 or tf.int64")
        rows, values, length = map(_size, (nrows, nvals, uniform_row_length))
        if not fits(rows, values, length):
            raise InvalidArgumentError(
                f"nvals={values} is not compatible with nrows={rows} and "
                f"uniform_row_length={length}"
            )
        if values is None and (rows == 0 or length == 0):
            values = 0
        if values is None and rows is not None and length is not None:
            values = rows * length
        if rows is None and values is not None and length:
            rows = values // length
        self.nrows: int | None = rows
        self.nvals: int | None = values
        self.uniform_row_length: int | None = length
        self.dtype: DType = kind

    def _all(self) -> tuple[Any, ...]:
        return self.nrows, self.nvals, self.uniform_row_length, self.dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowPartitionSpec) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether there may be rows of which both are true."""
        spec = getattr(other, "spec", other)
        if not isinstance(spec, RowPartitionSpec) or spec.dtype is not self.dtype:
            return False
        try:
            self.merged(spec)
        except ValueError:
            return False
        return True

    def merged(self, other: RowPartitionSpec) -> RowPartitionSpec:
        """Return what is known by either; InvalidArgumentError where they contradict each other."""
        if self.dtype is not other.dtype:
            raise InvalidArgumentError(
                "Merging RowPartitionSpecs with incompatible dtypes"
            )
        sizes = [TensorShape([x]) for x in self._all()[:3]]
        others = [TensorShape([x]) for x in other._all()[:3]]
        rows, values, length = [
            a.merge_with(b)[0] for a, b in zip(sizes, others, strict=True)
        ]
        return RowPartitionSpec(rows, values, length, self.dtype)

    def with_dtype(self, dtype: Any) -> RowPartitionSpec:
        """Return the same of rows whose bounds have another dtype."""
        return RowPartitionSpec(
            self.nrows, self.nvals, self.uniform_row_length, dtype
        )

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
            f"uniform_row_length={self.uniform_row_length}, dtype={self.dtype!r})"
        )


def _size(x: Any) -> int | None:
    """Return a size that is an int, a Dimension, a shape of one axis, or not known."""
    given = x if isinstance(x, TensorShape) else TensorShape([x])
    return given.with_rank(1).as_list()[0]


def fits(rows: int | None, values: int | None, length: int | None) -> bool:
    """Return whether there may be so many rows of a length with so many values in all."""
    if values is None:
        return True
    if (rows == 0 or length == 0) and values:
        return False
    if length is None:
        return True
    if length and values % length:
        return False
    return rows is None or values == rows * length
