"""RowPartition: how a sequence is cut into rows, without the sequence; several cut it further."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType, as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import shape_of as as_shape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.ops.arrays.gather import size_at
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.search import searchsorted
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.math.reduce import all as all_of
from tensorlite.ops.ragged.base import spec_of
from tensorlite.ops.ragged.checking import behind
from tensorlite.ops.ragged.partition_spec import RowPartitionSpec
from tensorlite.ops.ragged.slicing import run_of, splits_of


@dataclass(frozen=True, eq=False, repr=False)
class RowPartition(nest.Composite):
    """Where rows of a sequence begin and end: row `i` goes from `splits[i]` to `splits[i + 1]`.

    What is told beside that, such as the length of all rows, is kept.

    >>> rows = tl.ragged.RowPartition.from_row_lengths([4, 0, 3, 1, 0])
    >>> print(rows.row_splits(), rows.value_rowids())
    [0 4 4 7 8 8] [0 0 0 0 2 2 2 3]
    """

    splits: Any
    length: Any = None
    count: Any = None
    size: Any = None
    lengths: Any = None
    row_numbers: Any = None
    static: tuple[int | None, int | None] = (None, None)
    """The number of values, and the length of all rows, where they are known beforehand."""

    root: ClassVar[type[RowPartition]]
    """The class of what is made of these."""
    holds_tensors: ClassVar[bool] = True

    @classmethod
    def from_row_splits(
        cls,
        row_splits: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows, each from one bound to the next."""
        _check_flag(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise InvalidArgumentError("row_splits tensor may not be empty.")
        if isinstance(row_splits, TensorSpec):
            return cls(row_splits)
        splits = _vector(row_splits, "row_splits", dtype, dtype_hint)
        if validate:
            holds = logical_and(splits[0] == 0, _rises(splits))
            splits = behind(splits, holds, f"from_row_splits: {_TEXT}")
        return cls(splits)

    @classmethod
    def from_row_lengths(
        cls,
        row_lengths: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows of some lengths."""
        _check_flag(validate)
        lengths = _vector(row_lengths, "row_lengths", dtype, dtype_hint)
        checked = lengths
        if validate:
            checked = behind(
                lengths, all_of(lengths >= 0), f"from_row_lengths: {_TEXT}"
            )
        return cls(splits_of(checked), lengths=checked)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows with some beginnings, of a number of values."""
        _check_flag(validate)
        starts = _vector(row_starts, "row_starts", dtype, dtype_hint)
        end = astype(to_tensor(nvals), starts.dtype)
        splits = concat([starts, reshape(end, [1])])
        if validate:
            holds = logical_and(all_of(splits[:1] == 0), _rises(splits))
            splits = behind(splits, holds, f"from_row_starts: {_TEXT}")
        return cls(splits, size=end, static=(known(end), None))

    @classmethod
    def from_row_limits(
        cls,
        row_limits: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows with some ends."""
        _check_flag(validate)
        limits = _vector(row_limits, "row_limits", dtype, dtype_hint)
        splits = concat([constant(np.zeros(1, limits.dtype.numpy)), limits])
        if validate:
            splits = behind(splits, _rises(splits), f"from_row_limits: {_TEXT}")
        return cls(splits)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows, told in which of them each value is."""
        _check_flag(validate)
        ids = _vector(value_rowids, "value_rowids", dtype, dtype_hint)
        if nrows is None:
            none = constant(np.asarray([-1], ids.dtype.numpy))
            count = concat([none, ids])[-1] + 1
        else:
            count = astype(to_tensor(nrows), ids.dtype)
            as_shape(spec_of(count).shape).assert_has_rank(0)
            _check_count(ids, count)
        if validate:
            holds = logical_and(_rises(ids), all_of(ids[:1] >= 0))
            holds = logical_and(holds, all_of(ids[-1:] < count))
            ids = behind(ids, holds, f"from_value_rowids: {_TEXT}")
        ends = arange(0, count + 1, dtype=ids.dtype)
        splits = astype(searchsorted(ids, ends), ids.dtype)
        rows = known(count)
        if rows is not None:
            splits.set_shape([rows + 1])
        return cls(splits, count=count, row_numbers=ids)

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Return rows that all have a length, of a number of values or as many as are said."""
        _check_flag(validate)
        if nrows is None and nvals is None:
            raise InvalidArgumentError(
                "Either (or both) of nvals and nrows must be specified"
            )
        length, size, count = _alike(
            [uniform_row_length, nvals, nrows], dtype, dtype_hint
        )
        as_shape(spec_of(length).shape).assert_has_rank(0)
        wide = known(length)
        if count is None and wide == 0:
            count = constant(np.zeros((), length.dtype.numpy))
        elif count is None:
            count = size // maximum(length, 1)
        whole = count * length
        splits = arange(0, count + 1, dtype=length.dtype) * length
        rows = known(count)
        if rows is not None and rows >= 0:
            splits.set_shape([rows + 1])
        if validate:
            holds = length >= 0
            if size is not None:
                holds = logical_and(holds, whole == size)
            text = "uniform_row_length times nrows must equal nvals"
            splits = behind(splits, holds, f"from_uniform_row_length: {text}")
        size = whole if size is None else behind_splits(size, splits)
        return cls(splits, length, count, size, static=(known(size), wide))

    def members(self) -> dict[str, Any]:
        """Return the tensors that are there, by their names."""
        held = {name: getattr(self, name) for name in _TENSORS}
        return {name: x for name, x in held.items() if x is not None}

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return a partition of other tensors, with as much told of it."""
        return replace(self, **members)

    def kept(self) -> Any:
        """Return what is known of it beforehand."""
        return self.static

    @property
    def dtype(self) -> DType:
        """The dtype of bounds and lengths."""
        return cast("DType", self.splits.dtype)

    def row_splits(self) -> Any:
        """Return where rows begin and end, one more than there are rows."""
        return self.splits

    def value_rowids(self) -> Any:
        """Return for each value in which row it is."""
        if self.row_numbers is not None:
            return self.row_numbers
        rows = arange(0, self.nrows(), dtype=self.dtype)
        return repeat(rows, self.row_lengths())

    def nvals(self) -> Any:
        """Return the number of values."""
        return self.splits[-1]

    def nrows(self) -> Any:
        """Return the number of rows."""
        if self.count is not None:
            return self.count
        rows = self.static_nrows
        if rows is not None:
            return constant(np.asarray(rows, self.dtype.numpy))
        return astype(size_at(self.splits, 0), self.dtype) - 1

    def uniform_row_length(self) -> Any:
        """Return the length of all rows, None where they were not made of one length."""
        return self.length

    def row_starts(self) -> Any:
        """Return where rows begin."""
        return self.splits[:-1]

    def row_limits(self) -> Any:
        """Return where rows end."""
        return self.splits[1:]

    def row_lengths(self) -> Any:
        """Return how long each row is."""
        if self.lengths is not None:
            return self.lengths
        return self.splits[1:] - self.splits[:-1]

    @property
    def static_nrows(self) -> int | None:
        """The number of rows as an int, None where it is not known beforehand."""
        sizes = spec_of(self.splits).shape
        if sizes and sizes[0] is not None:
            return sizes[0] - 1
        return known(self.count)

    @property
    def static_nvals(self) -> int | None:
        """The number of values as an int, None where nothing tells it beforehand."""
        told = self.static[0]
        if told is None and self.row_numbers is not None:
            return spec_of(self.row_numbers).dims[0]
        return told

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows as an int, None where it is not known beforehand."""
        return self.static[1]

    def offsets_in_rows(self) -> Any:
        """Return for each value which one it is in its row."""
        lengths = self.row_lengths()
        return run_of(lengths * 0, lengths)

    def is_uniform(self) -> bool:
        """Return whether the rows were made of one length."""
        return self.length is not None

    def with_dtype(self, dtype: Any) -> Self:
        """Return the same rows with bounds of int32 or int64."""
        kind = as_dtype(dtype)
        if kind not in (int32, int64):
            raise InvalidArgumentError("dtype must be int32 or int64")
        if kind is self.dtype:
            return self
        return self.with_members(
            {name: astype(x, kind) for name, x in self.members().items()}
        )

    @property
    def spec(self) -> RowPartitionSpec:
        """What is known of the rows without looking at values."""
        length = self.static_uniform_row_length
        return RowPartitionSpec(
            self.static_nrows, self.static_nvals, length, self.dtype
        )

    _type_spec = spec

    def __repr__(self) -> str:
        if self.length is not None:
            return (
                f"tf.RowPartition(nrows={_text(self.nrows())}, "
                f"uniform_row_length={_text(self.length)})"
            )
        return f"tf.RowPartition(row_splits={_text(self.splits)})"


RowPartition.root = RowPartition
_TENSORS = ("splits", "length", "count", "size", "lengths", "row_numbers")
_TEXT = "the arguments do not form a valid RowPartition"


def known(x: Any) -> int | None:
    """Return a number that is known beforehand, or None."""
    if x is None or isinstance(x, int):
        return x
    if isinstance(x, EagerTensor):
        return int(x.numpy())
    return spec_of(x).scalar()


def behind_splits(x: Any, splits: Any) -> Any:
    """Return the number of values; the one that was checked with the bounds, if it is not known."""
    return x if known(x) is not None else splits[-1]


def _text(x: Any) -> str:
    return str(x.numpy()) if isinstance(x, EagerTensor) else str(x)


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def _rises(x: Tensor) -> Tensor:
    return all_of(x[1:] >= x[:-1])


def _vector(given: Any, what: str, dtype: Any, hint: Any) -> Tensor:
    """Return bounds, lengths or numbers of rows as a vector of int32 or int64."""
    x = _whole(given, what, dtype, hint)
    as_shape(spec_of(x).shape).assert_has_rank(1)
    return x


def _whole(given: Any, what: str, dtype: Any, hint: Any) -> Tensor:
    if isinstance(given, (list, tuple)) and not given:
        return constant(np.zeros(0, as_dtype(dtype or hint or int64).numpy))
    x = to_tensor(given)
    own = isinstance(given, (Operand, np.ndarray)) and x.dtype in (int32, int64)
    is_whole = x.dtype.is_integer and not isinstance(given, Operand)
    if dtype is not None:
        x = astype(x, as_dtype(dtype)) if own or is_whole else x
    elif is_whole and not own:
        x = astype(x, as_dtype(hint or int64))
    if x.dtype not in (int32, int64):
        raise InvalidArgumentError(f"{what} must have dtype int32 or int64")
    return x


def _alike(given: list[Any], dtype: Any, hint: Any) -> list[Any]:
    """Return numbers as tensors of one dtype: what is asked for, or that of those that have one."""
    kinds = [x.__tensor__().dtype for x in given if isinstance(x, Operand)]
    kinds += [as_dtype(x.dtype) for x in given if isinstance(x, np.ndarray)]
    kind = as_dtype(dtype or (kinds[0] if kinds else hint or int64))
    return [None if x is None else astype(to_tensor(x), kind) for x in given]


def _check_count(ids: Tensor, count: Tensor) -> None:
    """Raise InvalidArgumentError where numbers of rows are known not to be among so many."""
    rows = known(count)
    if rows is None:
        return
    if rows < 0:
        raise InvalidArgumentError(f"Expected nrows >= 0; got {rows}")
    last = (
        ids.numpy()[-1:]
        if isinstance(ids, EagerTensor)
        else (ids.spec.vector() or ())
    )
    if len(last) and last[-1] is not None and rows < last[-1] + 1:
        raise InvalidArgumentError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={rows}, "
            f"value_rowids[-1]={last[-1]}"
        )
