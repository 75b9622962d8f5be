"""Reductions of segments, which TensorFlow 1 and 2 name alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import math
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.arrays import concat, ones, reshape, shape
from tensorlite.compat.shared.elementwise import maximum, sqrt
from tensorlite.compat.views import plain, shown
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.sparse.forms import (
    SparseSegmentMean,
    SparseSegmentMeanWithNumSegments,
    SparseSegmentSqrtN,
    SparseSegmentSqrtNWithNumSegments,
    SparseSegmentSum,
    SparseSegmentSumWithNumSegments,
)


def _segments(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(data: Any, segment_ids: Any, name: str | None = None) -> Any:
        return function(converted(data), converted(segment_ids))

    return documented(made, function)


segment_sum = _segments("SegmentSum", tl.segment_sum)
segment_mean = _segments("SegmentMean", tl.segment_mean)
segment_max = _segments("SegmentMax", tl.segment_max)
segment_min = _segments("SegmentMin", tl.segment_min)
segment_prod = _segments("SegmentProd", tl.segment_prod)


def _unsorted(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(
        data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
    ) -> Any:
        return function(converted(data), converted(segment_ids), num_segments)

    return documented(made, function)


unsorted_segment_sum = _unsorted("UnsortedSegmentSum", tl.unsorted_segment_sum)
unsorted_segment_max = _unsorted("UnsortedSegmentMax", tl.unsorted_segment_max)
unsorted_segment_min = _unsorted("UnsortedSegmentMin", tl.unsorted_segment_min)
unsorted_segment_prod = _unsorted("UnsortedSegmentProd", tl.unsorted_segment_prod)


@named("UnsortedSegmentMean", None)
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Return the mean of the rows of each segment, 0 where there are none."""
    x, ids = converted(data), given_constant(segment_ids)
    if active_graph() is None or None in (x.spec.rank, ids.__tensor__().spec.rank):
        return tl.unsorted_segment_mean(x, plain(ids), num_segments)
    count = _counted(x, ids, num_segments)
    return shown(unsorted_segment_sum(x, ids, num_segments)) / count


@named("UnsortedSegmentSqrtN", None)
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Return the sums of the rows of each segment divided by the root of how many."""
    x, ids = converted(data), given_constant(segment_ids)
    if active_graph() is None or None in (x.spec.rank, ids.__tensor__().spec.rank):
        return tl.unsorted_segment_sqrt_n(x, plain(ids), num_segments)
    count = _counted(x, ids, num_segments)
    return shown(unsorted_segment_sum(x, ids, num_segments)) / sqrt(count)


def _counted(x: Any, ids: Any, number: Any) -> Any:
    """Return how many rows each segment has, one at least, shaped as their sums."""
    known = plain(ids)
    each = ones(shape(ids), x.dtype)
    held = unsorted_segment_sum(each, ids, number)
    whole = isinstance(number, Operand)
    rows = reshape(number, [1]) if whole else [int(number)]
    rest = [1] * (x.spec.rank - known.spec.rank)
    sizes = concat([rows, rest], 0) if whole else [*rows, *rest]
    return maximum(reshape(held, sizes), 1)


def _picked_segments(
    default: str,
    kind: Callable[[], Composite],
    counted: Callable[[], Composite],
    described: Callable[..., Any],
) -> Callable[..., Any]:
    """Return a reduction of picked rows by segments; if these are counted, by another operator."""
    of_all = _picked(default, kind)
    of_some = _picked(f"{default}WithNumSegments", counted)

    def made(
        data: Any,
        indices: Any,
        segment_ids: Any,
        num_segments: Any = None,
        name: str | None = None,
        sparse_gradient: bool = False,
    ) -> Any:
        # sparse_gradient says how TensorFlow hands on the same gradient.
        given = [data, *[_whole_numbers(x) for x in (indices, segment_ids)]]
        if num_segments is None:
            return of_all(given, name=name)
        return of_some([*given, num_segments], name=name)

    return documented(made, described)


def _whole_numbers(places: Any) -> Any:
    """Return places, of which an empty list has whole numbers as well as any other one."""
    is_empty = isinstance(places, (list, tuple)) and not places
    return np.zeros(0, np.int32) if is_empty else places


def _picked(default: str, kind: Callable[[], Composite]) -> Callable[..., Any]:
    @named(default)
    def made(given: list[Any], name: str | None = None) -> Any:
        return composed(kind(), *map(converted, given))

    return made


sparse_segment_sum = _picked_segments(
    "SparseSegmentSum",
    SparseSegmentSum,
    SparseSegmentSumWithNumSegments,
    math.sparse_segment_sum,
)
sparse_segment_mean = _picked_segments(
    "SparseSegmentMean",
    SparseSegmentMean,
    SparseSegmentMeanWithNumSegments,
    math.sparse_segment_mean,
)
sparse_segment_sqrt_n = _picked_segments(
    "SparseSegmentSqrtN",
    SparseSegmentSqrtN,
    SparseSegmentSqrtNWithNumSegments,
    math.sparse_segment_sqrt_n,
)
