"""Values of examples in rows of rows, as other features of the same examples tell where they end.

What is read of examples is in examples.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from tensorlite.core.dtypes import DType, int64
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.cumulative import cumulative_sum
from tensorlite.ops.operators import add, astype, floor_divide, subtract
from tensorlite.ops.ragged.arrange import concat as ragged_concat
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.reduce import reduce_max
from tensorlite.ops.ragged.tensor import RaggedTensor


class RowSplits(NamedTuple):
    """Rows end where the numbers of a feature say, the first of which is 0."""

    key: str


class RowLengths(NamedTuple):
    """Rows are as long as the numbers of a feature say."""

    key: str


class RowStarts(NamedTuple):
    """Rows begin where the numbers of a feature say."""

    key: str


class RowLimits(NamedTuple):
    """Rows end where the numbers of a feature say."""

    key: str


class ValueRowIds(NamedTuple):
    """The numbers of a feature say for each value the row that it is in."""

    key: str


class UniformRowLength(NamedTuple):
    """All rows are of one length."""

    length: int


Partition: TypeAlias = (
    RowSplits | RowLengths | RowStarts | RowLimits | ValueRowIds | UniformRowLength
)
"""What says where rows end."""


def split_example(values: Any, partition: Partition, told: Any, dtype: DType) -> Any:
    """Return the values of one example in rows; `told` are the numbers that say of them."""
    if isinstance(partition, UniformRowLength):
        return _uniform(values, partition.length)
    numbers = astype(told, dtype)
    if isinstance(partition, RowSplits):
        return RaggedTensor.from_row_splits(values, numbers)
    if isinstance(partition, RowLengths):
        return RaggedTensor.from_row_lengths(values, numbers)
    if isinstance(partition, RowStarts):
        return RaggedTensor.from_row_starts(values, numbers)
    if isinstance(partition, RowLimits):
        return RaggedTensor.from_row_limits(values, numbers)
    return RaggedTensor.from_value_rowids(values, numbers)


def split_batch(rows: Any, partition: Partition, told: Any, dtype: DType) -> Any:
    """Return the values of a batch of examples, each a row, in rows of rows.

    `told` are the numbers that say of them, each example's in a row.

    >>> from tensorlite.ops.records.partitions import RowLengths, split_batch
    >>> values, lengths = tl.ragged.constant([[3, 1, 4], [5]]), tl.ragged.constant([[2, 1], [1]])
    >>> print(split_batch(values, RowLengths("lengths"), lengths, tl.int64))
    <tf.RaggedTensor [[[3, 1], [4]], [[5]]]>
    """
    if isinstance(partition, UniformRowLength):
        length = partition.length
        splits = floor_divide(rows.row_splits, length)
        return RaggedTensor.from_row_splits(_uniform(rows.values, length), splits)
    lengths, counts = _lengths(rows, partition, told.with_row_splits_dtype(dtype))
    inner = RaggedTensor.from_row_lengths(rows.values, astype(lengths, dtype))
    return RaggedTensor.from_row_lengths(inner, astype(counts, dtype))


def _uniform(values: Any, length: int) -> Any:
    if isinstance(values, RaggedParts):
        return RaggedTensor.from_uniform_row_length(values, length)
    inner = shape_of(values)[1:]
    return reshape(values, concat([astype([-1, length], inner.dtype), inner]))


def _lengths(rows: Any, partition: Partition, told: Any) -> tuple[Any, Any]:
    """Return how long all rows are, and how many of them each example has."""
    if isinstance(partition, RowLengths):
        return told.values, told.row_lengths()
    if isinstance(partition, ValueRowIds):
        return _counted(told)
    if isinstance(partition, RowSplits):
        first, last = told[:, :-1], told[:, 1:]
    elif isinstance(partition, RowStarts):
        first, last = told, _joined(told, _column(rows.row_lengths(), told))[:, 1:]
    else:
        nothing = subtract(told.row_lengths(), told.row_lengths())
        first, last = _joined(_column(nothing, told), told)[:, :-1], told
    return subtract(last.values, first.values), first.row_lengths()


def _counted(told: Any) -> tuple[Any, Any]:
    """Return the lengths of rows by the number of each value's row, and how many rows there are."""
    counts = add(maximum(reduce_max(told, axis=1), -1), 1)
    ends = cumulative_sum(counts)
    before = subtract(ends, counts)
    ids = add(told.values, gather(before, told.value_rowids()))
    every = RaggedTensor.from_value_rowids(ids, astype(ids, int64), sum_of(counts))
    return every.row_lengths(), counts


def _column(numbers: Any, like: Any) -> Any:
    """Return a number for each row as ragged rows of one number."""
    every = astype(numbers, like.dtype)
    bounds = RaggedTensor.from_uniform_row_length(every, 1)
    return bounds.with_row_splits_dtype(like.row_splits.dtype)


def _joined(first: Any, second: Any) -> Any:
    return ragged_concat([first, second], axis=1)
