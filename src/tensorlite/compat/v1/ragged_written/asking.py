"""What is asked of ragged tensors in graphs of version 1: rows, lengths, sizes, other forms."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    fill,
    ones,
    range as counted,
    rank,
    stack,
    zeros,
)
from tensorlite.compat.shared.cutting import broadcast_to
from tensorlite.compat.shared.elementwise import cast, maximum
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import (
    known_of,
    levels,
    writes,
)
from tensorlite.compat.v1.functions.arrays import expand_dims, gather, shape, where
from tensorlite.compat.v1.functions.numbers import reduce_max
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.ragged_written.base import (
    axis_of,
    lengths_in,
    operators,
    rank_of,
    rows,
    segment_ids,
)
from tensorlite.compat.views import shown
from tensorlite.core.dtypes import as_dtype
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.ragged.operators import RaggedTensorToSparse
from tensorlite.ops.sparse.tensor import SparseTensor


@writes("value_rowids")
def value_rowids(self: Any, name: str | None = None) -> Any:
    """Return in which row each value is."""
    if "ids" in known_of(self):
        return known_of(self)["ids"]
    with name_scope(name, "RaggedValueRowIds"):
        return segment_ids(self.row_splits)


@writes("nested_value_rowids")
def nested_value_rowids(self: Any, name: str | None = None) -> Any:
    """Return in which row each value is, for all axes that are split."""
    with name_scope(name, "RaggedNestedValueRowIds"):
        return tuple([value_rowids(x) for x in levels(self)])


@writes("nrows")
def nrows(self: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Return the number of rows."""
    kind = self.row_splits.dtype if out_type is None else as_dtype(out_type)
    if "count" in known_of(self):
        return cast(known_of(self)["count"], kind)
    with name_scope(name, "RaggedNRows"):
        return shape(self.row_splits, out_type=kind)[0] - 1


@writes("row_starts")
def row_starts(self: Any, name: str | None = None) -> Any:
    """Return where each row begins."""
    with name_scope(name, "RaggedRowStarts"):
        return self.row_splits[:-1]


@writes("row_limits")
def row_limits(self: Any, name: str | None = None) -> Any:
    """Return where each row ends."""
    with name_scope(name, "RaggedRowLimits"):
        return self.row_splits[1:]


@writes("row_lengths")
def row_lengths(self: Any, axis: int = 1, name: str | None = None) -> Any:
    """Return the lengths of the rows: a tensor, or a ragged one for an axis further in."""
    if "lengths" in known_of(self) and axis == 1:
        return known_of(self)["lengths"]
    with name_scope(name, "RaggedRowLengths"):
        at = axis_of(axis, rank_of(self))
        if at == 0:
            return nrows(self)
        if at == 1:
            return lengths_in(self.row_splits)
        if isinstance(self.values, RaggedTensor):
            return self.with_values(row_lengths(self.values, at - 1))
        kind = self.row_splits.dtype
        sizes = shape(self.values, out_type=kind)
        return self.with_values(ones(sizes[: at - 1], kind) * sizes[at - 1])


@writes("nested_row_lengths")
def nested_row_lengths(self: Any, name: str | None = None) -> Any:
    """Return the lengths of the rows of all axes that are split."""
    with name_scope(name, "RaggedNestedRowLengths"):
        return tuple([row_lengths(x) for x in levels(self)])


@writes("bounding_shape")
def bounding_shape(
    self: Any, axis: Any = None, name: str | None = None, out_type: Any = None
) -> Any:
    """Return the sizes of the smallest dense tensor that has room for all."""
    kind = self.row_splits.dtype if out_type is None else as_dtype(out_type)
    with name_scope(name, "RaggedBoundingBox"):
        if isinstance(axis, int) and axis == 0:
            return shape(self.row_splits, out_type=kind)[0] - 1
        if isinstance(axis, int) and axis == 1:
            return maximum(reduce_max(row_lengths(self)), 0)
        whole = shape(self.row_splits, out_type=kind)
        inner = shape(self.flat_values, out_type=kind)
        sizes = [whole[0] - 1]
        for x in levels(self):
            most = maximum(reduce_max(lengths_in(x.row_splits)), 0)
            sizes.append(most if most.dtype == kind else cast(most, kind))
        found = concat([stack(sizes), inner[1:]], axis=0)
        return found if axis is None else gather(found, axis)


@writes("with_row_splits_dtype")
def with_row_splits_dtype(self: Any, dtype: Any) -> Any:
    """Return the same rows with their bounds in another dtype."""
    kind = as_dtype(dtype)
    if self.row_splits.dtype == kind:
        return self
    splits, values = cast(self.row_splits, kind), self.values
    if isinstance(values, RaggedTensor):
        values = with_row_splits_dtype(values, kind)
    known = {key: cast(x, kind) for key, x in known_of(self).items()}
    return rows(values, splits, **known)


@writes("to_tensor")
def to_tensor(
    self: Any, default_value: Any = None, name: str | None = None, shape: Any = None
) -> Any:
    """Return the rows filled up to the longest with a value or zeros."""
    if shape is not None:
        return NotImplemented
    with name_scope(name, "RaggedToTensor"):
        filler = default_value
        if filler is not None:
            filler = convert_to_tensor(filler, self.dtype, name="default_value")
        values = self.values
        if isinstance(values, RaggedTensor):
            values = to_tensor(values, filler)
        return _filled(self, values, _as_values(filler, values))


def _as_values(filler: Any, values: Any) -> Any:
    """Return what rows are filled up with in the shape of one of their values."""
    if filler is None:
        return None
    own, inner = rank_of(filler), rank_of(values)
    if own is not None and inner == own + 1:
        return filler
    return broadcast_to(filler, shape(values)[1:])


def _filled(self: Any, values: Any, filler: Any) -> Any:
    """Return rows filled up to the longest."""
    splits, kind = self.row_splits, self.row_splits.dtype
    lengths = [lengths_in(splits)]
    count = shape(splits, out_type=kind)[0] - 1
    width = maximum(reduce_max(lengths, counted(0, rank(lengths))), 0)
    sizes = shape(values, out_type=kind)
    inner, end = sizes[1:], sizes[0]
    if filler is None:
        filler = zeros(inner, values.dtype)
    dims = values.get_shape()
    if dims.ndims is not None:
        filler.set_shape(dims[1:])
    starts, limits = expand_dims(splits[:-1], 1), expand_dims(splits[1:], 1)
    columns = expand_dims(counted(0, width), 0)
    more = concat([values, stack([filler])], axis=0)
    places = starts + columns
    there = places < limits
    outside = fill(stack([count, width]), end)
    return gather(more, where(there, places, outside))


@writes("to_sparse")
def to_sparse(self: Any, name: str | None = None) -> Any:
    """Return the values at their places."""
    with name_scope(name, "RaggedToSparse"):
        given = *self.nested_row_splits, self.flat_values
        made = operators(RaggedTensorToSparse(), *given, name=name)
        return shown(SparseTensor(*made))
