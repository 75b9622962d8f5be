"""What an index or a slice of a ragged tensor picks, in graphs of version 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, range as counted, stack, zeros
from tensorlite.compat.shared.elementwise import cast, maximum, minimum
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import writes
from tensorlite.compat.v1.functions.arrays import gather, shape, size
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.ragged_written.base import rank_of, rows
from tensorlite.compat.v1.ragged_written.gathering import gathered
from tensorlite.compat.v1.ragged_written.ranges import counted_rows
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope

_ALL = slice(None)


@writes("__getitem__")
def getitem(self: Any, key: Any) -> Any:
    """Return what a key of ints, slices, None and ... picks."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    if not _is_taken(self, keys):
        return NotImplemented
    with name_scope(None, "RaggedGetItem"):
        return _picked(self, keys)


def _is_taken(x: Any, keys: list[Any]) -> bool:
    """Return whether TensorFlow 1 takes a key, of places and of slices from front to back."""
    for one in keys:
        if isinstance(one, slice):
            ends = one.start, one.stop, one.step
            if not all(end is None or _is_place(end) for end in ends):
                return False
            if isinstance(one.step, int) and one.step < 0:
                return False
        elif one is not None and one is not Ellipsis and not _is_place(one):
            return False
    return rank_of(x) is not None or Ellipsis not in [
        one for one in keys if not isinstance(one, Operand)
    ]


def _is_place(x: Any) -> bool:
    if isinstance(x, Operand):
        return x.__tensor__().spec.rank == 0
    return isinstance(x, int) and not isinstance(x, bool)


def _picked(x: Any, keys: list[Any]) -> Any:
    if not keys:
        return x
    first, *rest = keys
    if first is Ellipsis:
        return _picked(x, _expanded(keys, rank_of(x)))
    if first is None:
        inner = _picked(x, rest)
        count = shape(inner.row_splits, out_type=inner.row_splits.dtype)[0]
        return rows(inner, stack([0, count - 1]))
    if isinstance(first, slice):
        return _inside(_some_rows(x, first), rest)
    starts, limits = x.row_splits[:-1], x.row_splits[1:]
    row = x.values[starts[first] : limits[first]]
    return _picked(row, rest) if isinstance(row, RaggedTensor) else row[tuple(rest)]


def _expanded(keys: list[Any], remaining: int | None) -> list[Any]:
    """Return keys with one axis of those that an ellipsis stands for taken out of it."""
    if remaining is None:
        raise InvalidArgumentError("an index with ... needs a known rank")
    number = sum(key is not None for key in keys)
    if number > remaining + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if number == remaining + 1 else [_ALL, *keys]


def _some_rows(x: Any, key: slice) -> Any:
    if key.start is None and key.stop is None and key.step is None:
        return x
    starts, limits = x.row_splits[:-1][key], x.row_splits[1:][key]
    none = zeros([1], x.row_splits.dtype)
    if key.step is None or (isinstance(key.step, int) and key.step == 1):
        parts = [none[size(starts) :], starts[:1], limits]
        splits = concat(parts, axis=0)
        first, last = splits[0], splits[-1]
        return rows(x.values[first:last], splits - first)
    return _ranges(starts, limits, 1, x.values)


def _inside(x: Any, keys: list[Any]) -> Any:
    """Return what keys of the axes behind the rows pick."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[(_ALL, *keys)]
    first, *rest = keys
    if first is Ellipsis:
        return _inside(x, _expanded(keys, rank_of(x.values)))
    if first is None:
        inner = _inside(x, rest)
        count = shape(inner.row_splits, out_type=inner.row_splits.dtype)[0]
        return rows(inner, counted(count))
    if not isinstance(first, slice):
        raise InvalidArgumentError("Cannot index into an inner ragged dimension.")
    if first.start is None and first.stop is None and first.step is None:
        return x.with_values(_inside(x.values, rest))
    starts, limits = x.row_splits[:-1], x.row_splits[1:]
    if first.start is not None and not _is_zero(first.start):
        starts = _moved(first.start, x)
    if first.stop is not None and not _is_zero(first.stop):
        limits = _moved(first.stop, x)
    elif first.stop is not None:
        limits = starts
    inner = _ranges(starts, limits, first.step, x.values)
    return inner.with_values(_inside(inner.values, rest))


def _is_zero(x: Any) -> bool:
    return isinstance(x, int) and x == 0


def _ranges(starts: Any, limits: Any, step: Any, values: Any) -> Any:
    """Return, as rows, the values from each start up to its limit."""
    steps = convert_to_tensor(1 if step is None else step, name="step")
    if not steps.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    steps = cast(steps, starts.dtype)
    places = counted_rows(starts, limits, steps, row_splits_dtype=starts.dtype)
    is_ragged = isinstance(values, RaggedTensor)
    found = (gathered if is_ragged else gather)(values, places.values)
    return places.with_values(found)


def _moved(offset: Any, x: Any) -> Any:
    """Return where an offset into each row is, counted from its end where it is below 0."""
    starts, limits = x.row_splits[:-1], x.row_splits[1:]

    def ahead(by: Any) -> Any:
        return minimum(starts + by, limits)

    def back(by: Any) -> Any:
        return maximum(limits + by, starts)

    if isinstance(offset, Operand):
        by = cast(offset, starts.dtype)
        return cond(by >= 0, lambda: ahead(by), lambda: back(by))
    return ahead(offset) if offset > 0 else back(offset)
