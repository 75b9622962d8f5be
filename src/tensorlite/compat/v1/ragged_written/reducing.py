"""Sums and the like of ragged tensors, by axes and by segments, in graphs of version 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tensorlite.compat.shared import segments
from tensorlite.compat.shared.arrays import concat, range as counted, rank, zeros
from tensorlite.compat.shared.elementwise import cast, maximum, sqrt
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.ragged_forms import of_arrays
from tensorlite.compat.shared.ragged_and_sparse.written import FUNCTIONS, writes
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.v1.functions import numbers
from tensorlite.compat.v1.functions.arrays import gather, ones_like, shape
from tensorlite.compat.v1.functions.checks import assert_equal
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    axis_of,
    given,
    known,
    lengths_in,
    nested,
    rank_of,
    rows,
    segment_ids,
    splits_dtype,
)
from tensorlite.compat.v1.ragged_written.ranges import counted_rows
from tensorlite.core.dtypes import bool_, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope


class Kind(NamedTuple):
    """What reduces a tensor, and segments of one."""

    title: str
    whole: Callable[..., Any]
    of_segments: Callable[..., Any]


SUM = Kind("Sum", numbers.reduce_sum, segments.unsorted_segment_sum)
PROD = Kind("Prod", numbers.reduce_prod, segments.unsorted_segment_prod)
MAX = Kind("Max", numbers.reduce_max, segments.unsorted_segment_max)
MIN = Kind("Min", numbers.reduce_min, segments.unsorted_segment_min)


def by_segments(
    function: Callable[..., Any],
    data: Any,
    ids: Any,
    count: Any,
    name: str | None = None,
) -> Any:
    """Return what a function makes of the rows of each segment, place by place."""
    if not isinstance(data, RaggedTensor) and not isinstance(ids, RaggedTensor):
        return function(data, ids, count, name=name)
    with name_scope(name, "RaggedSegment"):
        data, ids = given(data, "data"), given(ids, "segment_ids")
        splits_dtype(data, ids)
        if ids.dtype not in (int32, int64):
            raise InvalidArgumentError("segment_ids must have dtype int32 or int64.")
        if isinstance(ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise InvalidArgumentError(
                    "segment_ids.shape must be a prefix of data.shape, but segment_ids is "
                    "ragged and data is not."
                )
            text = "segment_ids.shape must be a prefix of data.shape"
            check = assert_equal(ids.row_splits, data.row_splits, message=text)
            with control_dependencies([check]):
                return by_segments(function, data.values, ids.values, count)
        return _rows_by_segments(function, data, ids, count)


def _rows_by_segments(
    function: Callable[..., Any], data: Any, ids: Any, count: Any
) -> Any:
    """Return rows as long as the longest of each segment."""
    lengths = lengths_in(data.row_splits)
    longest = maximum(segments.unsorted_segment_max(lengths, ids, count), 0)
    splits = concat([zeros([1], longest.dtype), cumsum(longest)], axis=0)
    starts = gather(splits, ids)
    places = counted_rows(starts, starts + lengths).values
    made = by_segments(function, data.values, places, splits[-1])
    return rows(made, splits)


def reduced(kind: Kind, x: Any, axis: Any, name: str | None = None) -> Any:
    """Return a ragged tensor, or another one, reduced along axes, or all of it."""
    if not isinstance(x, RaggedTensor):
        return kind.whole(x, axis, name=name)
    if isinstance(axis, Operand):
        found = known(axis)
        if found is None:
            raise InvalidArgumentError(
                "axis must be known at graph construction time."
            )
        axis = found.tolist() if rank_of(axis) else found.item()
    if axis is None:
        return kind.whole(x.flat_values, None, name=name)
    with name_scope(name, "RaggedReduce"):
        if isinstance(axis, (tuple, list)):
            if not axis:
                return x
            if len(axis) > 1:
                axes = sorted([axis_of(one, rank_of(x)) for one in axis])
                inner = reduced(kind, x, axes[-1])
                return reduced(kind, inner, axes[:-1])
            (axis,) = axis
        return _along(kind, x, axis_of(axis, rank_of(x)))


def _along(kind: Kind, x: Any, axis: int) -> Any:
    if axis == 0:
        lengths = lengths_in(x.row_splits)
        count = maximum(numbers.reduce_max(lengths), 0)
        ids = counted_rows(lengths).values
        return by_segments(kind.of_segments, x.values, ids, count)
    if axis == 1:
        count = shape(x.row_splits)[0] - 1
        ids = segment_ids(x.row_splits)
        return by_segments(kind.of_segments, x.values, ids, count)
    return x.with_values(reduced(kind, x.values, axis - 1))


def _ones(x: Any) -> Any:
    return nested(ones_like(x.flat_values), x.nested_row_splits)


def _ratio(total: Any, count: Any) -> Any:
    if isinstance(total, RaggedTensor):
        return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


def reduced_sum(x: Any, axis: Any, name: str | None = None) -> Any:
    """Return the sums along axes, or of all."""
    return reduced(SUM, x, axis, name or "RaggedReduceSum")


def _mean(x: Any, axis: Any, name: str | None) -> Any:
    with name_scope(name, "RaggedReduceMean"):
        total = reduced_sum(x, axis)
        return _ratio(total, reduced_sum(_ones(x), axis))


def _of_truth(kind: Kind, x: Any, axis: Any, name: str | None) -> Any:
    title = "All" if kind is PROD else "Any"
    with name_scope(name, f"RaggedReduce{title}"):
        numbers_of = x.with_flat_values(cast(x.flat_values, int32))
        found = reduced(kind, numbers_of, axis, f"RaggedReduce{kind.title}")
        if not isinstance(found, RaggedTensor):
            return cast(found, bool_)
        return found.with_flat_values(cast(found.flat_values, bool_))


def _plainly(kind: Kind, x: Any, axis: Any, name: str | None) -> Any:
    return reduced(kind, x, axis, name or f"RaggedReduce{kind.title}")


_REDUCTIONS: dict[str, Callable[[Any, Any, str | None], Any]] = {
    **{kind.title: partial(_plainly, kind) for kind in (SUM, PROD, MAX, MIN)},
    "Mean": _mean,
    "All": partial(_of_truth, PROD),
    "Any": partial(_of_truth, SUM),
}


def _reduction(title: str) -> None:
    @writes(title, of=FUNCTIONS)
    def made(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
        axis, x = arguments["axis"], given(arguments["input_tensor"])
        if arguments["keepdims"]:
            return NotImplemented
        if axis is None:  # which TensorFlow asks for in vain
            counted(0, rank(x))
        return _REDUCTIONS[title](x, axis, name)


for _title in _REDUCTIONS:
    _reduction(_title)


def segmented(title: str, data: Any, ids: Any, count: Any, name: str | None) -> Any:
    """Return the sums or the like of segments, or their means."""
    whole = name or f"RaggedSegment{title}"
    kinds = {kind.title: kind for kind in (SUM, PROD, MAX, MIN)}
    if title in kinds:
        return by_segments(kinds[title].of_segments, data, ids, count, whole)
    with name_scope(name, f"RaggedSegment{title}"):
        total = segmented("Sum", data, ids, count, None)
        number = segmented("Sum", _ones(data), ids, count, None)
        if title == "Mean":
            return _ratio(total, number)
        if isinstance(number, RaggedTensor):
            roots = number.with_flat_values(sqrt(number.flat_values))
            return _ratio(total, roots)
        return total / sqrt(number)


def _segments(title: str) -> None:
    @writes(f"UnsortedSegment{title}", of=FUNCTIONS)
    def made(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
        data, ids, count = map(of_arrays, arguments.values())
        return segmented(title, data, ids, count, name)


for _title in ("Sum", "Prod", "Max", "Min", "Mean", "SqrtN"):
    _segments(_title)
