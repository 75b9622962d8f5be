"""Ragged tensors made of values and of what tells their rows, in graphs of version 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import concat, zeros
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import writes
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.v1.functions.arrays import bincount
from tensorlite.compat.v1.functions.checks import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_rank,
    assert_rank_at_least,
)
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.primitives import with_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    count_in,
    known,
    known_size,
    rank_of,
    rows,
)
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope

_TEXT = "Arguments to {} do not form a valid RaggedTensor"


def _taken(values: Any, rows_told: Any, name: str) -> tuple[Any, Any]:
    """Return values, and what tells their rows, as tensors."""
    is_ragged = isinstance(values, RaggedTensor)
    kind = values.row_splits.dtype if is_ragged else int64
    inner = values if is_ragged else convert_to_tensor(values, name="values")
    if getattr(rows_told, "dtype", None) == np.int32:
        told = convert_to_tensor(rows_told, name=name)
    else:
        told = convert_to_tensor(rows_told, name=name, preferred_dtype=kind)
    if told.dtype not in (int32, int64):
        raise InvalidArgumentError(f"{name} must have dtype int32 or int64")
    if is_ragged and told.dtype != kind:
        raise InvalidArgumentError(
            f"dtype mismatch: {name} ({told.dtype}) vs values.row_splits ({kind})"
        )
    if rank_of(told) not in (1, None):
        raise ShapeError(f"{name} has {told.get_shape()}: Shape must be rank 1")
    if not is_ragged and rank_of(inner) == 0:
        raise InvalidArgumentError("values must be at least of rank 1")
    return inner, told


def _behind(checks: list[Any], values: Any, told: Any) -> Any:
    """Return what tells rows, once checks hold."""
    if not isinstance(values, RaggedTensor):
        checks.append(assert_rank_at_least(values, 1))
    return with_dependencies(checks, told)


def _is_zero(x: Any, text: str) -> Any:
    return assert_equal(x, constant(0, dtype=x.dtype), message=text)


def _rises(x: Any, text: str) -> Any:
    return assert_non_negative(x[1:] - x[:-1], message=text)


@writes("from_row_splits")
def from_row_splits(
    values: Any, row_splits: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Return values in rows, each from one bound to the next."""
    if isinstance(row_splits, (list, tuple)) and not row_splits:
        raise InvalidArgumentError("row_splits tensor may not be empty.")
    with name_scope(name, "RaggedFromRowSplits"):
        inner, splits = _taken(values, row_splits, "row_splits")
        if validate:
            text, count = (
                _TEXT.format("from_row_splits"),
                count_in(inner, splits.dtype),
            )
            checks = [
                assert_rank(splits, 1, message=text),
                _is_zero(splits[0], text),
                _rises(splits, text),
                assert_equal(splits[-1], count, message=text),
            ]
            splits = _behind(checks, inner, splits)
        return rows(inner, splits)


@writes("from_row_lengths")
def from_row_lengths(
    values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Return values in rows of some lengths."""
    with name_scope(name, "RaggedFromRowLengths"):
        inner, lengths = _taken(values, row_lengths, "row_lengths")
        if validate:
            text, total = _TEXT.format("from_row_lengths"), reduce_sum(lengths)
            count = count_in(inner, lengths.dtype)
            checks = [
                assert_rank(lengths, 1, message=text),
                assert_non_negative(lengths, message=text),
                assert_equal(total, count, message=text),
            ]
            lengths = _behind(checks, inner, lengths)
        ends = cumsum(lengths)
        return rows(inner, concat([[0], ends], axis=0), lengths=lengths)


@writes("from_row_starts")
def from_row_starts(
    values: Any, row_starts: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Return values in rows with some beginnings."""
    with name_scope(name, "RaggedFromRowStarts"):
        inner, starts = _taken(values, row_starts, "row_starts")
        count = count_in(inner, starts.dtype)
        if validate:
            text = _TEXT.format("from_row_starts")
            checks = [
                assert_rank(starts, 1, message=text),
                _is_zero(starts[:1], text),
                _rises(starts, text),
                assert_less_equal(starts[-1:], count, message=text),
            ]
            starts = _behind(checks, inner, starts)
        return rows(inner, concat([starts, [count]], axis=0))


@writes("from_row_limits")
def from_row_limits(
    values: Any, row_limits: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Return values in rows with some ends."""
    with name_scope(name, "RaggedFromRowLimits"):
        inner, limits = _taken(values, row_limits, "row_limits")
        if validate:
            text = _TEXT.format("from_row_limits")
            count = count_in(inner, limits.dtype)
            checks = [
                assert_rank(limits, 1, message=text),
                assert_non_negative(limits[:1], message=text),
                _rises(limits, text),
                assert_equal(limits[-1:], count, message=text),
            ]
            limits = _behind(checks, inner, limits)
        return rows(inner, concat([zeros([1], limits.dtype), limits], axis=0))


def _count_of(ids: Any, nrows: Any) -> tuple[Any, int | None]:
    """Return how many rows there are, and as a number where it is known."""
    if nrows is None:
        numbers = known(ids)
        if numbers is None:
            return concat([ids[-1:], [-1]], axis=0)[0] + 1, None
        last = int(numbers[-1]) + 1 if numbers.size else 0
        return convert_to_tensor(last, ids.dtype, name="nrows"), last
    count = nrows
    if getattr(nrows, "dtype", ids.dtype) != ids.dtype:
        count = cast(nrows, ids.dtype)
    count = convert_to_tensor(count, ids.dtype, name="nrows")
    number = known(count)
    if number is None:
        return count, None
    told = int(number.item())
    if told < 0:
        raise InvalidArgumentError(f"Expected nrows >= 0; got {told}")
    numbers = known(ids)
    if numbers is not None and numbers.size and told < int(numbers[-1]) + 1:
        raise InvalidArgumentError(
            "Arguments do not form a valid RaggedTensor: Expected nrows >= "
            f"value_rowids[-1] + 1; got nrows={told}, value_rowids[-1]={int(numbers[-1])}"
        )
    return count, told


@writes("from_value_rowids")
def from_value_rowids(
    values: Any,
    value_rowids: Any,
    nrows: Any = None,
    name: str | None = None,
    validate: bool = True,
) -> Any:
    """Return values in rows, of which it is told in which each is."""
    with name_scope(name, "RaggedFromValueRowIds"):
        inner, ids = _taken(values, value_rowids, "value_rowids")
        count, told = _count_of(ids, nrows)
        have = known_size(ids, 0)
        due = None if rank_of(inner) is None else inner.get_shape().as_list()[0]
        if None not in (have, due) and have != due:
            raise InvalidArgumentError(
                "Arguments do not form a valid RaggedTensor: there are "
                f"{have} value_rowids, and {due} values"
            )
        if validate:
            text = _TEXT.format("from_value_rowids")
            ends = count_in(inner), count_in(ids)
            checks = [
                assert_rank(ids, 1, message=text),
                assert_rank(count, 0, message=text),
                assert_equal(*ends, message=text),
                assert_non_negative(ids[:1], message=text),
                _rises(ids, text),
                assert_less(ids[-1:], count, message=text),
            ]
            ids = _behind(checks, inner, ids)
        numbers, size = cast(ids, int32), cast(count, int32)
        lengths = bincount(numbers, None, size, size, ids.dtype)
        splits = concat([[0], cumsum(lengths)], axis=0)
        if told is not None:
            lengths.set_shape([told])
            splits.set_shape([told + 1])
        return rows(inner, splits, lengths=lengths, ids=ids, count=count)


@writes("from_nested_row_splits")
def from_nested_row_splits(
    flat_values: Any,
    nested_row_splits: Sequence[Any],
    name: str | None = None,
    validate: bool = True,
) -> Any:
    """Return values below several axes that are split, given their bounds from outside in."""
    with name_scope(name, "RaggedFromNestedRowSplits"):
        for splits in reversed(list(nested_row_splits)):
            flat_values = from_row_splits(flat_values, splits, validate=validate)
        return flat_values


@writes("from_nested_row_lengths")
def from_nested_row_lengths(
    flat_values: Any,
    nested_row_lengths: Sequence[Any],
    name: str | None = None,
    validate: bool = True,
) -> Any:
    """Return values below several axes that are split, given the lengths of the rows."""
    with name_scope(name, "RaggedFromNestedRowlengths"):
        for lengths in reversed(list(nested_row_lengths)):
            flat_values = from_row_lengths(flat_values, lengths, validate=validate)
        return flat_values


@writes("from_nested_value_rowids")
def from_nested_value_rowids(
    flat_values: Any,
    nested_value_rowids: Sequence[Any],
    nested_nrows: Sequence[Any] | None = None,
    name: str | None = None,
    validate: bool = True,
) -> Any:
    """Return values below several axes that are split, given in which row each is."""
    counts = nested_nrows or [None] * len(nested_value_rowids)
    if len(counts) != len(nested_value_rowids):
        raise InvalidArgumentError(
            "nested_nrows must have the same length as nested_value_rowids"
        )
    pairs = list(zip(nested_value_rowids, counts, strict=True))
    with name_scope(name, "RaggedFromNestedValueRowIds"):
        for ids, count in reversed(pairs):
            flat_values = from_value_rowids(
                flat_values, ids, count, validate=validate
            )
        return flat_values
