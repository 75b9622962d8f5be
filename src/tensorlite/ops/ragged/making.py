"""Ragged tensors of values and bounds, of dense and of sparse tensors, and those of ragged ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core.constant import array_of, encoded
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType, bool_, int32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.gather import gather, size_at, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import sequence_mask
from tensorlite.ops.arrays.search import searchsorted
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.reduce import all as all_of, any as any_of, max as largest
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.checking import (
    as_vector,
    checked_length,
    checked_lengths,
    checked_row_numbers,
    checked_splits,
    row_length,
)
from tensorlite.ops.ragged.slicing import any_rows, grouped, splits_of
from tensorlite.ops.sparse.tensor import SparseTensor

Kind = type[RaggedParts]


def bounds(given: Any) -> Tensor:
    """Return bounds, lengths or row numbers as a vector of int64, or of int32 if it is one."""
    if isinstance(given, (list, tuple)) and not given:
        return constant(np.zeros(0, np.int64))
    x = to_tensor(given)
    if not x.dtype.is_integer or (
        isinstance(given, Operand) and x.dtype not in (int32, int64)
    ):
        raise InvalidArgumentError(
            f"bounds, lengths and numbers of rows are {x.dtype.name}; they must have dtype "
            "int32 or int64"
        )
    is_own = not isinstance(given, (list, tuple)) and x.dtype is int32
    return x if is_own else astype(x, int64)


def values_in(values: Any) -> Any:
    """Return values as a tensor, unless they are ragged."""
    return values if isinstance(values, RaggedParts) else to_tensor(values)


def from_row_splits(
    kind: Kind, values: Any, row_splits: Any, validate: bool = True
) -> Any:
    """Return values in rows, each from one bound to the next."""
    splits, inner = bounds(row_splits), values_in(values)
    return kind.of(inner, checked_splits(splits, inner) if validate else splits)


def from_row_lengths(
    kind: Kind, values: Any, row_lengths: Any, validate: bool = True
) -> Any:
    """Return values in rows of some lengths."""
    lengths = as_vector(bounds(row_lengths), "row_lengths")
    inner = values_in(values)
    checked = checked_lengths(lengths, inner) if validate else lengths
    return kind.of(inner, splits_of(checked))


def from_value_rowids(
    kind: Kind,
    values: Any,
    value_rowids: Any,
    nrows: Any = None,
    validate: bool = True,
) -> Any:
    """Return values in rows, of which it is told in which each is."""
    ids, inner = as_vector(bounds(value_rowids), "value_rowids"), values_in(values)
    if validate:
        ids = checked_row_numbers(ids, nrows, inner)
    if nrows is None:
        padded = concat([constant(np.asarray([-1], ids.dtype.numpy)), ids])
        nrows = padded[-1] + 1
    ends = arange(0, astype(to_tensor(nrows), ids.dtype) + 1, dtype=ids.dtype)
    return kind.of(inner, astype(searchsorted(ids, ends), ids.dtype))


def from_row_starts(
    kind: Kind, values: Any, row_starts: Any, validate: bool = True
) -> Any:
    """Return values in rows with some beginnings."""
    starts = as_vector(bounds(row_starts), "row_starts")
    inner = values_in(values)
    count = inner.nrows() if isinstance(inner, RaggedParts) else size_at(inner, 0)
    end = reshape(astype(count, starts.dtype), [1])
    return from_row_splits(kind, inner, concat([starts, end]), validate)


def from_row_limits(
    kind: Kind, values: Any, row_limits: Any, validate: bool = True
) -> Any:
    """Return values in rows with some ends."""
    limits = as_vector(bounds(row_limits), "row_limits")
    zero = constant(np.zeros(1, limits.dtype.numpy))
    return from_row_splits(kind, values, concat([zero, limits]), validate)


def from_uniform_row_length(
    kind: Kind,
    values: Any,
    uniform_row_length: Any,
    nrows: Any = None,
    validate: bool = True,
) -> Any:
    """Return values in rows of one length."""
    inner, length = values_in(values), row_length(uniform_row_length)
    if validate:
        length = checked_length(length, inner)
    if nrows is None and isinstance(length, int):
        like = kind.of(inner, constant(np.zeros(1, np.int64)), 0)
        return grouped(inner, length, like) if length else like
    if nrows is None:
        rows = kind.of(inner, constant(np.zeros(1, np.int64)))
        count = size_at(inner, 0) if inner is rows.flat_values else inner.nrows()
        nrows = astype(count, length.dtype) // maximum(length, 1)
    splits = arange(0, nrows + 1) * length
    checked = checked_splits(splits, inner) if validate else splits
    return kind.of(inner, checked, length if isinstance(length, int) else None)


def nested(
    kind: Kind, values: Any, splits: Sequence[Any], validate: bool = True
) -> Any:
    """Return values below several axes that are split, given their bounds from outside in."""
    for one in reversed(list(splits)):
        values = from_row_splits(kind, values, one, validate)
    return values_in(values)


def from_tensor(
    kind: Kind,
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    dtype: DType = int64,
) -> Any:
    """Return the rows of a dense tensor: their first values, or all but the padding behind them."""
    x = to_tensor(tensor)
    if not isinstance(ragged_rank, int):
        raise DTypeError(f"ragged_rank={ragged_rank!r}; allowed is an integer")
    if lengths is not None and padding is not None:
        raise InvalidArgumentError(
            "Specify argument `lengths` or `padding`, but not both."
        )
    rank = x.spec.rank
    if ragged_rank < 1 or (rank is not None and rank <= ragged_rank):
        raise ShapeError(
            f"{x.spec} is no ragged tensor with ragged_rank={ragged_rank}: that many axes are "
            "split, one at least, and there is one more"
        )
    if _are_nested(lengths):
        if ragged_rank not in (1, len(lengths)):
            raise InvalidArgumentError(
                f"ragged_rank={ragged_rank}, and lengths of {len(lengths)} axes"
            )
        return _from_nested_lengths(kind, x, lengths, dtype)
    if ragged_rank > 1:
        inner = from_tensor(
            kind, _merged(x), lengths, padding, ragged_rank - 1, dtype
        )
        return _uniform(kind, inner, x, dtype)
    if padding is not None:
        lengths = _unpadded(x, padding, dtype)
    if lengths is None:
        return _uniform(kind, _merged(x), x, dtype)
    columns = size_at(x, 1)
    counts = astype(to_tensor(lengths), dtype)
    if counts.spec.rank not in (1, None):
        raise ShapeError(f"lengths are {counts.spec}; allowed is a vector")
    counts = maximum(minimum(counts, astype(columns, dtype)), 0)
    mask = sequence_mask(counts, maxlen=columns)
    return kind.of(boolean_mask(x, mask), splits_of(counts))


def _are_nested(lengths: Any) -> bool:
    """Return whether these are lengths of rows of several axes."""
    return (
        isinstance(lengths, (list, tuple))
        and bool(lengths)
        and not isinstance(lengths[0], (int, float))
    )


def _merged(x: Tensor) -> Tensor:
    """Return a tensor with its first two axes as one."""
    if x.spec.rank is None:
        sizes = shape_of(x)
        return reshape(x, concat([expand_dims(sizes[0] * sizes[1], 0), sizes[2:]]))
    rows, columns, *inner = _sizes(x)
    return reshape(x, [rows * columns, *inner])


def _from_nested_lengths(kind: Kind, x: Tensor, lengths: Any, dtype: DType) -> Any:
    first, *rest = lengths
    rows = from_tensor(kind, x, first, dtype=dtype)
    if not rest:
        return rows
    inner = rest if len(rest) > 1 else rest[0]
    return rows.with_values(from_tensor(kind, rows.values, inner, dtype=dtype))


def _sizes(x: Tensor) -> list[Any]:
    known = x.spec.dims
    whole = shape_of(x) if None in known else None
    return [
        whole[i] if n is None and whole is not None else n
        for i, n in enumerate(known)
    ]


def _first_sizes(x: Tensor) -> list[Any]:
    """Return the first two sizes, of a tensor whose rank need not be known."""
    if x.spec.rank is not None:
        return _sizes(x)[:2]
    sizes = shape_of(x)
    return [sizes[0], sizes[1]]


def _uniform(kind: Kind, values: Any, x: Tensor, dtype: DType) -> Any:
    """Return the rows of a tensor, all of its second size."""
    rows, columns = _first_sizes(x)
    ends = arange(0, astype(to_tensor(rows), dtype) + 1, dtype=dtype)
    splits = ends * astype(to_tensor(columns), dtype)
    if isinstance(rows, int):
        splits.set_shape([rows + 1])
    return kind.of(values, splits, columns if isinstance(columns, int) else None)


def _unpadded(x: Tensor, padding: Any, dtype: DType) -> Tensor:
    """Return how long rows are without what is padding behind them."""
    filler = _like(padding, x.dtype)
    if len(filler.spec.dims) > len(x.spec.dims) - 2:
        raise ShapeError(f"padding is {filler.spec}, and what is padded {x.spec}")
    differs = x != filler
    for _ in range(len(x.spec.dims) - 2):
        differs = any_of(differs, axis=-1)
    ends = arange(1, size_at(x, 1) + 1, dtype=dtype)
    reached = astype(differs, dtype) * ends
    # A column of zeros, since rows may have no elements.
    zeros = expand_dims(zeros_of(dtype, [size_at(x, 0)]), 1)
    return largest(concat([zeros, reached], axis=1), axis=1)


def _like(value: Any, dtype: DType) -> Tensor:
    """Return a value as a tensor of a dtype, which it must have if it is a tensor."""
    if not isinstance(value, Operand):
        return constant(encoded(array_of(value, dtype)))
    if value.__tensor__().dtype is not dtype:
        raise DTypeError(f"{value.__tensor__().spec} beside {dtype.name}")
    return value.__tensor__()


def to_dense(x: Any, default_value: Any = None, shape: Any = None) -> Tensor:
    """Return rows filled up to the longest, or to a shape."""
    return _dense(x, default_value, _wanted_sizes(shape, x.rank or 0))


def _wanted_sizes(shape: Any, rank: int) -> list[Any]:
    """Return what sizes a shape asks for: numbers, None for what is there, or tensors."""
    if not isinstance(shape, Operand):
        return [None] * rank if shape is None else list(shape)
    given = shape.__tensor__()
    if given.spec.rank == 0:
        return [None] * rank
    known = given.spec.vector() or (None,) * rank
    return [given[i] if size is None else size for i, size in enumerate(known)]


def _size_or(wanted: Any, have: Any) -> Any:
    """Return a size that is asked for, or that which is there."""
    if not isinstance(wanted, Operand):
        return have if wanted in (None, -1) else wanted
    size = astype(wanted, to_tensor(have).dtype)
    return where(size < 0, have, size)


def _dense(x: Any, filler: Any, sizes: list[Any]) -> Tensor:
    if not isinstance(x, RaggedParts):
        return to_tensor(x)
    inner = _dense(x.values, filler, [None, *sizes[2:]])
    lengths = x.row_lengths()
    longest: Any = x.uniform_row_length
    if longest is None:
        none = constant(np.zeros(1, lengths.dtype.numpy))
        longest = largest(concat([none, lengths]))
    width = _size_or(sizes[1] if len(sizes) > 1 else None, longest)
    columns = arange(0, width, dtype=lengths.dtype)
    there = expand_dims(columns, 0) < expand_dims(lengths, 1)
    places = expand_dims(x.row_starts(), 1) + columns
    end = astype(size_at(inner, 0), lengths.dtype)
    more = concat([inner, expand_dims(_filling(inner, filler), 0)])
    made = gather(more, where(there, places, end))
    return _rows_of(made, sizes[0] if sizes else None, filler)


def _rows_of(x: Tensor, wanted: Any, filler: Any) -> Tensor:
    have = size_at(x, 0)
    count = _size_or(wanted, have)
    if count is have or (isinstance(count, int) and x.spec.dims[0] == count):
        return x
    missing = maximum(astype(count, have.dtype) - have, 0)
    row = _filling(x, filler)
    rest = broadcast_to(row, stack([missing, *_sizes(row)]))
    made = concat([x, rest])[:count]
    made.set_shape((count if isinstance(count, int) else None, *x.spec.dims[1:]))
    return made


def zeros_of(dtype: DType, shape: Any) -> Tensor:
    """Return zeros, or empty strings."""
    if dtype is string:
        return broadcast_to(constant(np.asarray(b"", object)), shape)
    return broadcast_to(constant(np.zeros((), dtype.numpy)), shape)


def _filling(x: Tensor, filler: Any) -> Tensor:
    """Return one row of what rows are filled up with."""
    sizes: Any = stack(_sizes(x)[1:]) if len(x.spec.dims) > 1 else []
    if filler is None:
        return zeros_of(x.dtype, sizes)
    value = to_tensor(filler)
    return broadcast_to(
        value if value.dtype is x.dtype else astype(value, x.dtype), sizes
    )


def to_sparse(x: Any) -> SparseTensor:
    """Return the values at their places."""
    flat = x.flat_values
    ids = _places(x)
    inner = len(flat.spec.dims) - 1
    shape = x.bounding_shape()
    if inner:
        count, size = size_at(flat, 0), shape_of(flat)
        every = astype(stack_places(size[1:], inner), ids.dtype)
        rows = arange(0, count, dtype=ids.dtype)
        per = size_at(every, 0)
        ids = concat([any_rows(ids, _each(rows, per)), _over(every, count)], axis=1)
        flat = reshape(flat, [-1])
    return SparseTensor(astype(ids, int64), flat, astype(shape, int64))


def _each(rows: Tensor, count: Tensor) -> Tensor:
    return reshape(
        expand_dims(rows, 1) + 0 * arange(0, count, dtype=rows.dtype), [-1]
    )


def _over(every: Tensor, count: Tensor) -> Tensor:
    rows = arange(0, count, dtype=every.dtype)
    numbers = 0 * expand_dims(rows, 1) + arange(
        0, size_at(every, 0), dtype=every.dtype
    )
    return gather(every, reshape(numbers, [-1]))


def stack_places(sizes: Tensor, rank: int) -> Tensor:
    """Return the places in a tensor of some sizes, a row for each."""
    numbers = None
    for axis in range(rank):
        own = arange(0, sizes[axis], dtype=int64)
        if numbers is None:
            numbers = expand_dims(own, 1)
            continue
        before = gather(
            numbers, _each(arange(0, size_at(numbers, 0), dtype=int64), sizes[axis])
        )
        numbers = concat(
            [before, _over(expand_dims(own, 1), size_at(numbers, 0))], axis=1
        )
    if numbers is None:
        raise InvalidArgumentError("a tensor without axes has no places")
    return numbers


def _places(x: Any) -> Tensor:
    """Return the row, and the place in it, of each value, a column for each axis that is split."""
    rows, starts = x.value_rowids(), x.row_starts()
    count = (
        x.values.nrows()
        if isinstance(x.values, RaggedParts)
        else size_at(x.values, 0)
    )
    column = arange(0, astype(count, rows.dtype), dtype=rows.dtype) - gather(
        starts, rows
    )
    own = stack([rows, column], axis=1)
    if not isinstance(x.values, RaggedParts):
        return own
    below = _places(x.values)
    return concat([gather(own, below[:, 0]), below[:, 1:]], axis=1)


def from_sparse(kind: Kind, sp: SparseTensor, dtype: DType = int64) -> Any:
    """Return the values of a sparse matrix whose rows have no gaps."""
    rows, columns = sp.indices[:, 0], sp.indices[:, 1]
    made = from_value_rowids(kind, sp.values, rows, sp.dense_shape[0])
    expected = arange(0, size_at(rows, 0), dtype=int64) - gather(
        made.row_starts(), rows
    )
    if not hasattr(columns, "node") and not bool(all_of(columns == expected).numpy()):
        raise InvalidArgumentError("SparseTensor is not right-ragged: rows have gaps")
    return made.with_row_splits_dtype(dtype)


def masked(x: Any, mask: Any) -> Any:
    """Return what a mask holds true for, of a tensor or a ragged one."""
    if isinstance(mask, (list, tuple, np.ndarray)):
        mask = to_tensor(mask)
    if mask.dtype is not bool_:
        raise InvalidArgumentError(f"a mask holds bools, not {mask.dtype.name}")
    if not isinstance(mask, RaggedParts):
        if mask.spec.rank == 1:
            places = reshape(_true_places(mask), [-1])
            return any_rows(x, places)
        if isinstance(x, RaggedParts):
            mask = from_tensor(x.root, mask, ragged_rank=len(mask.spec.dims) - 1)
        else:
            raise InvalidArgumentError(f"a mask of {mask.shape} on {x.shape}")
    rows = x if isinstance(x, RaggedParts) else from_tensor(mask.root, x)
    if isinstance(mask.values, RaggedParts) or mask.values.spec.rank != 1:
        return rows.with_values(masked(rows.values, mask.values))
    kept = astype(mask.values, mask.row_splits.dtype)
    counts = unsorted_segment_sum(kept, mask.value_rowids(), mask.nrows())
    return rows.of(masked(rows.values, mask.values), splits_of(counts))


def _true_places(mask: Tensor) -> Tensor:
    numbers = arange(0, size_at(mask, 0), dtype=int64)
    return boolean_mask(numbers, mask)
