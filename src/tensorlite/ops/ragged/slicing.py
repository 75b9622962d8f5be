"""What an index or a slice of a ragged tensor picks, and which rows are gathered."""

from __future__ import annotations

import builtins
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import gather, size_at
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.cumulative import cumulative_sum
from tensorlite.ops.math.rounding import floor_divide
from tensorlite.ops.ragged.base import RaggedParts, spec_of


def splits_of(lengths: Tensor) -> Tensor:
    """Return where rows of some lengths begin and end."""
    return cumulative_sum(lengths, include_initial=True)


def run_of(starts: Tensor, lengths: Tensor, step: Any = 1) -> Tensor:
    """Return, row by row, the numbers from a start on, as many as each row is long."""
    kind = lengths.dtype
    rows = repeat(arange(size_at(lengths, 0), dtype=kind), lengths)
    places = arange(size_at(rows, 0), dtype=kind) - gather(
        splits_of(lengths)[:-1], rows
    )
    numbers: Tensor = gather(starts, rows) + places * step
    return numbers


def any_rows(x: Any, places: Tensor) -> Any:
    """Return the rows of a tensor, or of a ragged one, that have some places."""
    if not isinstance(x, RaggedParts):
        return gather(x, places)
    places = astype(places, x.row_splits.dtype)
    starts = gather(x.row_starts(), places)
    lengths = gather(x.row_limits(), places) - starts
    values = any_rows(x.values, run_of(starts, lengths))
    return x.of(values, splits_of(lengths), x.uniform_row_length)


def getitem_ragged(x: RaggedParts, key: Any) -> Any:
    """Return what a key of ints, slices, None and ... picks."""
    keys = list(key) if isinstance(key, tuple) else [key]
    return _outer(x, keys)


def _outer(x: Any, keys: list[Any]) -> Any:
    if not keys:
        return x
    if not isinstance(x, RaggedParts):
        return x[tuple(keys)]
    first, *rest = keys
    if first is Ellipsis:
        return _outer(x, [*_skipped(x, rest, 0), *rest])
    if first is None:
        inner = _outer(x, rest)
        return grouped(inner, rows_in(inner), x)
    if isinstance(first, slice):
        return _inner(_picked(x, first), rest)
    return _outer(_row(x, first), rest)


def _skipped(x: RaggedParts, rest: list[Any], done: int) -> list[Any]:
    """Return a slice of all for each axis that an ellipsis stands for."""
    if x.rank is None:
        raise InvalidArgumentError(
            f"an index of {x.shape} with ... needs a known rank"
        )
    named = builtins.sum(key is not None for key in rest)
    return [slice(None)] * (x.rank - named - done)


def _row(x: RaggedParts, place: Any) -> Any:
    if isinstance(place, float) or (
        not isinstance(place, Operand | int) and not hasattr(place, "__index__")
    ):
        raise TypeError(
            f"a ragged tensor's index is {place!r}: an int, a slice or ..."
        )
    begin, end = x.row_starts()[place], x.row_limits()[place]
    return x.values[begin:end]


def _inner(x: RaggedParts, keys: list[Any]) -> Any:
    """Return what keys of the axes behind the rows pick."""
    if not keys:
        return x
    first, *rest = keys
    if first is Ellipsis:
        return _inner(x, [*_skipped(x, rest, 1), *rest])
    if first is None:
        inner = _inner(x, rest)
        return grouped(inner, 1, x)
    if isinstance(first, slice):
        cut = x if first == slice(None) else _columns(x, first)
        return cut.with_values(_behind(cut.values, rest)) if rest else cut
    return _outer_inner(_column(x, first), rest)


def _outer_inner(x: Any, keys: list[Any]) -> Any:
    return _behind(x, keys) if keys else x


def _behind(values: Any, keys: list[Any]) -> Any:
    if isinstance(values, RaggedParts):
        return _inner(values, keys)
    return values[(slice(None), *keys)]


def _column(x: RaggedParts, place: Any) -> Any:
    length = x.uniform_row_length
    if length is None:
        raise InvalidArgumentError("Cannot index into an inner ragged dimension.")
    if isinstance(place, int) and not -length <= place < length:
        raise InvalidArgumentError(f"index {place} of rows of {length}")
    at = place + length if isinstance(place, int) and place < 0 else place
    return any_rows(x.values, x.row_starts() + at)


def _picked(x: RaggedParts, key: slice) -> Any:
    if key == slice(None):
        return x
    return any_rows(x, arange(x.nrows(), dtype=x.row_splits.dtype)[key])


def _columns(x: RaggedParts, key: slice) -> Any:
    """Return a slice of every row."""
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise InvalidArgumentError("a slice's step is 0, which leads nowhere")
    lengths = x.row_lengths()
    first, last = (0, lengths) if step > 0 else (lengths - 1, lengths * 0 - 1)
    begin = first if key.start is None else _clipped(key.start, lengths, step)
    end = last if key.stop is None else _clipped(key.stop, lengths, step)
    away = 1 if step < 0 else -1
    count = maximum(floor_divide(end - begin + step + away, step) + lengths * 0, 0)
    values = any_rows(x.values, run_of(x.row_starts() + begin, count, step))
    known = x.uniform_row_length
    length = None if known is None or not _is_static(key) else len(range(known)[key])
    return x.of(values, splits_of(count), length)


def _is_static(key: slice) -> bool:
    return not any(isinstance(end, Operand) for end in (key.start, key.stop))


def _clipped(end: Any, lengths: Tensor, step: int) -> Tensor:
    """Return an end of a slice, counted from the front of each row and within it."""
    at = astype(to_tensor(end), lengths.dtype) + lengths * 0
    at = where(at < 0, at + lengths, at)
    low, high = (lengths * 0, lengths) if step > 0 else (lengths * 0 - 1, lengths - 1)
    return minimum(maximum(at, low), high)


def rows_in(x: Any) -> Any:
    """Return how many rows there are, a number where it is known."""
    if isinstance(x, RaggedParts):
        known = x.shape[0]
        return x.nrows() if known is None else known
    known = spec_of(x).dims[0]
    return size_at(x, 0) if known is None else known


def grouped(x: Any, size: Any, like: RaggedParts) -> Any:
    """Return rows, of a tensor or a ragged one, as groups of a size: one axis more in front."""
    kind = like.row_splits.dtype
    if isinstance(x, RaggedParts):
        kind, count = x.row_splits.dtype, x.nrows()
    else:
        count = astype(size_at(x, 0), kind)
    if isinstance(size, int) and size > 0:
        splits = arange(to_tensor(0), count + 1, size, dtype=kind)
        known = rows_in(x)
        if isinstance(known, int):
            splits.set_shape([known // size + 1])
        return like.of(x, splits, size)
    ends = [to_tensor([0]), reshape(count, [1])]
    return like.of(x, concat([astype(end, kind) for end in ends]))
