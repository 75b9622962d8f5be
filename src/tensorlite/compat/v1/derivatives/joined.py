"""Gradients of what is joined, where rows alone flow: each part gets those that are of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    fill,
    rank,
    shape,
    squeeze,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import add, cast, logical_and
from tensorlite.compat.v1.derivatives.slices import Flow
from tensorlite.compat.v1.functions.arrays import gather, where
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.views import shown
from tensorlite.core.dtypes import int32
from tensorlite.core.tensor import IndexedSlices


def of_rows(flow: Flow, xs: Sequence[Any], axis: Any) -> Any:
    """Return the rows that flow to parts of a whole, which were joined along an axis."""
    known, count = axis.spec.scalar(), xs[0].spec.rank
    if known is None or (known < 0 and count is None):
        return NotImplemented
    if len(xs) == 1:
        return flow
    place = axis % rank(xs[0])
    if known < 0:
        rank(xs[0])  # TensorFlow asks twice
    sizes = [shape(x) for x in xs]
    values, rows = shown([flow.slices.values, flow.slices.indices])
    if known % count if known < 0 else known:
        return _columns(values, rows, place, sizes)
    return _chosen(values, rows, place, sizes)


def _columns(values: Any, rows: Any, place: Any, sizes: Sequence[Any]) -> Any:
    """Return all rows for each part, of their elements those that are of it."""
    number = shape(sizes[0])
    before = fill(expand_dims(place, 0), 0)
    mask = concat([before, [1], fill(number - place - 1, 0)], 0)
    begin = fill(number, 0)
    found = []
    for part in sizes:
        wanted = concat([[-1], slice(part, [1], [-1])], 0)
        found.append(IndexedSlices(slice(values, begin, wanted), rows, part))
        begin = add(begin, part * mask)
    return found


def _chosen(values: Any, rows: Any, place: Any, sizes: Sequence[Any]) -> Any:
    """Return for each part the rows that are of it."""
    start: Any = constant(0, rows.dtype)
    found = []
    for part in sizes:
        length = gather(part, place)
        end = start + (length if rows.dtype is int32 else cast(length, rows.dtype))
        chosen = squeeze(where(logical_and(rows >= start, rows < end)), axis=[1])
        own = gather(rows, chosen) - start
        found.append(IndexedSlices(gather(values, chosen), own, part))
        start = end
    return found
