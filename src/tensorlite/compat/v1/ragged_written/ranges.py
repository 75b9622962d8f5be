"""Ranges as rows, and the numbers of rows, in graphs of version 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.ragged_and_sparse.written import writes
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.v1.functions.arrays import bincount
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.ragged_written.base import (
    integers,
    known,
    numbered,
    segment_ids,
)
from tensorlite.core.dtypes import as_dtype, float32, float64, int32, int64
from tensorlite.core.errors import DTypeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope

_COUNTED = (int32, int64, float32, float64)
"""Dtypes of ranges: where several are given, the one that stands behind the others counts."""


@writes("ragged.range")
def counted_rows(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return a ragged matrix whose rows are numbers from starts up to limits, in steps."""
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange") as whole:
        wanted = None if dtype is None else as_dtype(dtype)
        names = zip(
            (starts, limits, deltas), ("starts", "limits", "deltas"), strict=True
        )
        ends = [convert_to_tensor(x, wanted, name=one) for x, one in names]
        if wanted is None:
            if any(x.dtype not in _COUNTED for x in ends):
                raise DTypeError(f"ranges are of {_COUNTED}, not {ends}")
            widest = max([x.dtype for x in ends], key=_COUNTED.index)
            ends = [cast(x, widest) for x in ends]
        first, last, step = ends
        return numbered(first, last, step, as_dtype(row_splits_dtype), name=whole)


@writes("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: Any = None
) -> Any:
    """Return for each element in which row it is, given where rows begin and end."""
    if out_type is not None:
        kind = getattr(splits, "dtype", int64)
        if as_dtype(out_type) is not kind:
            return NotImplemented
    return segment_ids(splits, out_type, name)


@writes("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any,
    num_segments: Any = None,
    out_type: Any = None,
    name: str | None = None,
) -> Any:
    """Return where rows begin and end, given for each element in which it is."""
    told: list[Any] = [
        x for x in (segment_ids, num_segments) if isinstance(x, Operand)
    ]
    kind = out_type or (told[0].dtype if told else int64)
    with name_scope(name, "SegmentIdsToRaggedSplits"):
        ids, count = integers(segment_ids, "segment_ids"), num_segments
        if count is not None:
            count = integers(count, "num_segments")
        lengths = bincount(ids, None, count, count, as_dtype(kind))
        splits = concat([[0], cumsum(lengths)], axis=0)
        number = None if count is None else known(count)
        if number is not None:
            splits.set_shape([int(number.item()) + 1])
        return splits
