"""Ragged tensors made of dense and of sparse ones, in graphs of version 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    ones,
    range as counted,
    rank,
    reshape,
    zeros,
)
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.elementwise import (
    cast,
    equal,
    logical_and,
    logical_not,
    maximum,
    minimum,
    not_equal,
)
from tensorlite.compat.shared.masks import sequence_mask
from tensorlite.compat.shared.ragged_and_sparse.written import writes
from tensorlite.compat.shared.reductions import cumprod, cumsum
from tensorlite.compat.v1.functions.arrays import (
    boolean_mask,
    expand_dims,
    shape,
    where,
)
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.numbers import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_sum,
)
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    integers,
    known_size,
    nested,
    rank_of,
)
from tensorlite.compat.v1.ragged_written.making import (
    from_nested_row_lengths,
    from_row_splits,
    from_value_rowids,
)
from tensorlite.core.dtypes import as_dtype, bool_, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope


@writes("from_tensor")
def from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return the rows of a dense tensor: their first values, or all but the padding."""
    kind = as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise InvalidArgumentError("Specify lengths or padding, but not both")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
    if ragged_rank <= 0:
        raise InvalidArgumentError(
            f"ragged_rank must be greater than 0; got {ragged_rank}"
        )
    with name_scope(name, "RaggedFromTensor"):
        x = convert_to_tensor(tensor, name="tensor")
        if (rank_of(x) or ragged_rank + 1) <= ragged_rank:
            raise ShapeError(
                f"{x} is no ragged tensor with ragged_rank={ragged_rank}: that many axes are "
                "split, one at least, and there is one more"
            )
        sizes = shape(x, out_type=kind)
        columns = sizes[1]
        if ragged_rank > 1:
            return _deeper(x, sizes, lengths, padding, ragged_rank)
        if padding is not None:
            lengths = _unpadded(x, padding, columns, kind)
        if lengths is not None:
            return _cut(x, lengths, columns, kind)
        count = sizes[0]
        total = count * columns
        splits = counted(count + 1) * columns
        values = reshape(x, concat([[total], sizes[2:]], axis=0))
        return _in_rows(values, splits)


def _in_rows(values: Any, splits: Any) -> Any:
    return from_row_splits(values, splits, validate=False)


def _deeper(x: Any, sizes: Any, lengths: Any, padding: Any, depth: int) -> Any:
    """Return rows of rows, the innermost of which may be cut."""
    flat = concat([constant([-1], sizes.dtype), sizes[depth:]], axis=0)
    values = from_tensor(
        reshape(x, flat), lengths, padding, row_splits_dtype=sizes.dtype
    )
    counts = cumprod(sizes)
    splits = [counted(0, counts[i - 1] + 1) * sizes[i] for i in range(1, depth)]
    with name_scope(None, "RaggedFromNestedRowSplits"):
        return nested(values, splits)


def _unpadded(x: Any, padding: Any, columns: Any, kind: Any) -> Any:
    """Return how long rows are without what is padding behind them."""
    filler = convert_to_tensor(padding, x.dtype, name="padding")
    own, whole = rank_of(filler), rank_of(x)
    if own is not None and whole is not None and own > whole - 2:
        raise ShapeError(f"padding is {filler}, and what is padded {x}")
    is_filler = equal(filler, x)
    rank_told = rank(x)
    axes = counted(2, rank_told)
    is_default = cond(
        rank_told > 2, lambda: reduce_all(is_filler, axis=axes), lambda: is_filler
    )
    is_default.set_shape([None, None])
    is_default.set_shape(x.get_shape()[:2])
    there = cast(logical_not(is_default), kind)
    ends = there * expand_dims(counted(1, columns + 1), 0)
    return reduce_max(ends, axis=1)


def _cut(x: Any, lengths: Any, columns: Any, kind: Any) -> Any:
    """Return the first values of each row."""
    is_nested = isinstance(lengths, (list, tuple)) and len(lengths)
    if is_nested and not isinstance(lengths[0], (int, float)):
        some = ones([reduce_sum(lengths[-1])], bool_)
        mask = from_nested_row_lengths(some, lengths, validate=False)
        held = boolean_mask(x, mask.to_tensor(default_value=False))
        return from_nested_row_lengths(held, lengths, validate=False)
    counts = integers(lengths, "lengths", kind)
    if rank_of(counts) not in (1, None):
        raise ShapeError(f"lengths are {counts}; allowed is a vector")
    counts = maximum(minimum(counts, columns), 0)
    ends = cumsum(counts)
    splits = concat([zeros([1], kind), ends], axis=0)
    mask = sequence_mask(counts, maxlen=columns)
    return _in_rows(boolean_mask(x, mask), splits)


@writes("from_sparse")
def from_sparse(
    st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
) -> Any:
    """Return the values of a sparse matrix whose rows have no gaps."""
    kind = as_dtype(row_splits_dtype)
    if not hasattr(st_input, "dense_shape"):
        raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
    with name_scope(name, "RaggedFromSparse"):
        ranks = known_size(st_input.dense_shape, 0), known_size(st_input.indices, 1)
        if 2 not in ranks:
            raise InvalidArgumentError("rank(st_input) must be 2")
        with control_dependencies(_has_no_gaps(st_input.indices)):
            ids = cast(st_input.indices[:, 0], kind)
            count = cast(st_input.dense_shape[0], kind)
            return from_value_rowids(st_input.values, ids, count, validate=False)


def _has_no_gaps(indices: Any) -> list[Any]:
    """Return a check that each value stands right behind the one before it, or begins a row."""
    outer, last = indices[:, :-1], indices[:, -1]
    begins = reduce_any(not_equal(outer[1:], outer[:-1]), axis=1)
    fits = where(begins, equal(last[1:], 0), equal(last[1:], last[:-1] + 1))
    holds = logical_and(reduce_all(equal(last[:1], 0)), reduce_all(fits))
    told = ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices]
    return [Assert(holds, told)]
