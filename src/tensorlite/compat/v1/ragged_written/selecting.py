"""Rows and elements of ragged tensors by conditions, masks and numbers, in graphs of version 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, range as counted, reshape, stack
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.elementwise import cast, equal
from tensorlite.compat.shared.ordering import argsort
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import (
    FUNCTIONS,
    is_ragged,
    writes,
)
from tensorlite.compat.shared.reductions import cumprod
from tensorlite.compat.v1.functions.arrays import (
    boolean_mask as dense_mask,
    expand_dims,
    gather,
    shape,
    size,
    squeeze as dense_squeeze,
    where,
)
from tensorlite.compat.v1.functions.checks import assert_equal, assert_less
from tensorlite.compat.v1.functions.numbers import count_nonzero, reduce_all
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.primitives import with_dependencies
from tensorlite.compat.v1.ragged_written.arranging import joined
from tensorlite.compat.v1.ragged_written.base import (
    alike,
    axis_of,
    bounds_of,
    count_in,
    given,
    nested,
    rank_of,
    rows,
    segment_ids,
    splits_dtype,
    tried,
)
from tensorlite.compat.v1.ragged_written.converting import from_tensor
from tensorlite.compat.v1.ragged_written.elementwise import map_flat_values
from tensorlite.compat.v1.ragged_written.gathering import gathered
from tensorlite.compat.v1.ragged_written.making import (
    from_nested_row_splits,
    from_row_lengths,
    from_value_rowids,
)
from tensorlite.compat.v1.ragged_written.reducing import reduced_sum
from tensorlite.core.dtypes import bool_, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


@writes("Select", of=FUNCTIONS)
def _select(again: Any, arguments: dict[str, Any], name: str | None) -> Any:
    told = [arguments[key] for key in ("condition", "x", "y")]
    are_ragged = [is_ragged(x) for x in told]
    if are_ragged[0] and not all(are_ragged):
        return NotImplemented
    if not are_ragged[0] and rank_of(convert_to_tensor(told[0])) != 1:
        return NotImplemented
    for x in told:
        tried(x)
    with name_scope("RaggedWhere", name):
        names = zip(told, ("condition", "x", "y"), strict=True)
        condition, x, y = [given(one, key) for one, key in names]
        splits_dtype(condition, x, y)
        if isinstance(condition, RaggedTensor):
            return map_flat_values(where, condition, x, y)
        both = joined([x, y], 0, False)
        counts = [count_in(one, both.row_splits.dtype) for one in (x, y)]
        places = where(condition, counted(counts[0]), counts[0] + counted(counts[1]))
        return gathered(both, places)


@writes("Where", of=FUNCTIONS)
def _places(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    with name_scope("RaggedWhere", name):
        return _where(given(arguments["condition"], "condition"))


def _where(x: Any) -> Any:
    """Return the places at which a condition holds."""
    if not isinstance(x, RaggedTensor):
        return where(x)
    inner = _where(x.values)
    x = x.with_row_splits_dtype(inner.dtype)
    first = inner[:, 0]
    found = gather(x.value_rowids(), first)
    column = first - gather(x.row_splits, found)
    parts = [expand_dims(found, 1), expand_dims(column, 1), inner[:, 1:]]
    return concat(parts, axis=1)


@writes("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Return the elements for which a mask is True, as a ragged tensor of their rows."""
    with name_scope(name, "RaggedMask"):
        x, held = given(data, "data"), given(mask, "mask", bool_)
        kind = splits_dtype(x, held)
        rank = rank_of(held)
        if not rank:
            raise InvalidArgumentError("a mask must be of known rank, 1 or more")
        if isinstance(held, RaggedTensor):
            return _masked(x, held, kind)
        if isinstance(x, RaggedTensor):
            if rank == 1:
                return _rows_masked(x, held)
            depth = min(x.ragged_rank, rank - 1)
            held = from_tensor(held, ragged_rank=depth, row_splits_dtype=kind)
            return boolean_mask(x, held)
        return _dense_masked(x, held, rank, kind)


def _masked(x: Any, mask: Any, kind: Any) -> Any:
    if not isinstance(x, RaggedTensor):
        x = from_tensor(x, ragged_rank=mask.ragged_rank, row_splits_dtype=kind)
    depth = mask.ragged_rank
    checks = alike([mask.nested_row_splits, x.nested_row_splits[:depth]])
    with control_dependencies(checks):
        splits = []
        while isinstance(mask, RaggedTensor):
            if (rank_of(mask) or 0) > 2:
                splits.append(mask.row_splits)
            else:
                kept = map_flat_values(cast, mask, dtype=kind)
                splits.append(bounds_of(reduced_sum(kept, 1)))
            mask, x = mask.values, x.values
        return nested(boolean_mask(x, mask), splits)


def _rows_masked(x: Any, mask: Any) -> Any:
    lengths = dense_mask(x.row_lengths(), mask)
    splits = bounds_of(lengths)
    of_values = gather(mask, segment_ids(x.row_splits))
    return rows(boolean_mask(x.values, of_values), splits)


def _dense_masked(x: Any, mask: Any, rank: int, kind: Any) -> Any:
    values = dense_mask(x, mask)
    if rank < 2:
        return values
    lengths = count_nonzero(mask, axis=-1, dtype=kind)
    values = from_row_lengths(values, reshape(lengths, [-1]), validate=False)
    if rank > 2:
        sizes = shape(mask, out_type=kind)
        counts = cumprod(sizes) + 1
        for i in range(rank - 3, -1, -1):
            size_of = sizes[i + 1]
            values = rows(values, counted(counts[i]) * size_of)
    return values


@writes("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Return the slices of data as rows of a ragged tensor, by their partition."""
    with name_scope(name, "SegmentStack"):
        x = given(data, "data")
        kind = x.row_splits.dtype if isinstance(x, RaggedTensor) else None
        ids = given(partitions, "partitions", hint=kind)
        count = given(num_partitions, "num_partitions", hint=ids.dtype)
        if kind is not None:
            ids = map_flat_values(cast, ids, kind)
        count = cast(count, ids.dtype)
        rank = rank_of(ids)
        if rank is None:
            raise InvalidArgumentError("partitions must have known rank.")
        if rank == 0:
            parts = stack([x]), stack([ids]), count
            return from_value_rowids(*parts, validate=False)
        return _partitioned(x, ids, count, rank)


def _partitioned(x: Any, ids: Any, count: Any, rank: int) -> Any:
    if rank == 1:
        order = argsort(ids, stable=True)
        sorted_ids = gather(ids, order)
        values = (gathered if isinstance(x, RaggedTensor) else gather)(x, order)
        text = "partitions must be less than num_partitions"
        check = assert_less(sorted_ids[-1:], count, message=text)
        with control_dependencies([check]):
            return from_value_rowids(values, sorted_ids, count, validate=False)
    if not isinstance(x, RaggedTensor):
        x = from_tensor(x, row_splits_dtype=ids.dtype, ragged_rank=1)
    if not isinstance(ids, RaggedTensor):
        depth = max(x.ragged_rank, rank - 1)
        ids = from_tensor(ids, row_splits_dtype=ids.dtype, ragged_rank=depth)
    text = "data and partitions have incompatible ragged shapes"
    check = assert_equal(x.row_splits, ids.row_splits, message=text)
    with control_dependencies([check]):
        return stack_dynamic_partitions(x.values, ids.values, count)


@writes("DynamicPartition", of=FUNCTIONS)
def _partition(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    data, ids, count = arguments.values()
    if not isinstance(count, int) or count < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    found = stack_dynamic_partitions(data, ids, count, name)
    return [found[i] for i in range(count)]


@writes("Squeeze", of=FUNCTIONS)
def _squeeze(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    axis = arguments["axis"]
    if axis is None:
        raise InvalidArgumentError("Ragged.squeeze must have an axis argument.")
    listed = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if not all(isinstance(one, int) for one in listed):
        raise TypeError("Axis must be a list or tuple of integers.")
    with name_scope(name, "RaggedSqueeze"):
        x = given(arguments["input"])
        axes = [axis_of(one, rank_of(x)) for one in listed]
        within = {one for one in axes if one <= x.ragged_rank}
        dense = [one - x.ragged_rank for one in axes if one > x.ragged_rank]
        made = with_dependencies(_are_single(x, within), x.flat_values)
        if dense:
            made = dense_squeeze(made, dense)
        splits = [
            one for i, one in enumerate(x.nested_row_splits) if i + 1 not in within
        ]
        if splits and 0 in within:
            splits.pop(0)
        made = from_nested_row_splits(made, splits)
        whole = set(range(x.ragged_rank + 1)) <= within
        return dense_squeeze(made, [0], name) if whole else made


def _are_single(x: Any, axes: set[int]) -> list[Any]:
    """Return checks that rows along some axes are of one value."""
    one = constant(1, dtype=x.row_splits.dtype)
    text = "the given axis (axis = {}) is not squeezable!"
    checks = [
        Assert(reduce_all(equal(lengths, one)), [text.format(i + 1)])
        for i, lengths in enumerate(x.nested_row_lengths())
        if i + 1 in axes
    ]
    if 0 in axes:
        two = constant(2, dtype=int32)
        checks.append(Assert(equal(size(x.row_splits), two), [text.format(0)]))
    return checks
