"""Tables as buckets: what lies where is what TensorFlow 1.15 has there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.state.dense_tables import DenseState, MutableDenseHashTableV2
from tensorlite.ops.state.tables import (
    LookupTableExportV2,
    LookupTableFindV2,
    LookupTableImportV2,
    LookupTableInsertV2,
    LookupTableRemoveV2,
    LookupTableSizeV2,
)


def array(values: Any, dtype: DType) -> Any:
    if dtype is tl.string:
        return np.vectorize(str.encode, otypes=[object])(np.asarray(values, object))
    return np.asarray(values, dtype.numpy)


def after(op: MutableDenseHashTableV2, steps: Any) -> DenseState:
    table: DenseState = op.kernel(np)
    for keys, values in steps:
        given = array(keys, op.key_dtype)
        if values is None:
            LookupTableRemoveV2().kernel(np, table, given)
            continue
        held = array(values, op.value_dtype)
        LookupTableInsertV2().kernel(np, table, given, held)
    return table


NUMBERS = MutableDenseHashTableV2(
    tl.int64, tl.int64, ("0",), ("-1",), initial_num_buckets=8
)
WORDS = MutableDenseHashTableV2(
    tl.string, tl.float32, ("",), ("-",), (), (2,), initial_num_buckets=4
)
PAIRS = MutableDenseHashTableV2(
    tl.int64, tl.int64, ("0", "0"), ("0", "1"), (2,), initial_num_buckets=4
)
RECORDED: list[tuple[MutableDenseHashTableV2, Any, Any, Any, int]] = [
    (
        NUMBERS,
        # A key that comes back before another of its place is gone is there twice.
        [([3, 11, 19, 4], [1, 2, 3, 4]), ([11, 3], None), ([19, 27], [5, 6])],
        [[0], [0], [0], [19], [27], [4], [19], [0]],
        [[0], [0], [0], [5], [6], [4], [3], [0]],
        4,
    ),
    (
        WORDS,
        [
            (["a", "bc", "def"], [[1, 2], [3, 4], [5, 6]]),
            (["longer than eight"], [[7, 8]]),
            (["bc"], None),
        ],
        [[x] for x in (b"", b"def", b"", b"", b"a", b"longer than eight", b"-", b"")],
        [[0, 0], [5, 6], [0, 0], [0, 0], [1, 2], [7, 8], [3, 4], [0, 0]],
        3,
    ),
    (
        PAIRS,
        [([[1, 4], [2, 7], [3, 1]], [1, 2, 3]), ([[2, 7]], None)],
        [[0, 0], [1, 4], [0, 1], [3, 1]],
        [[0], [1], [2], [3]],
        2,
    ),
]
NAMES = ["numbers", "words", "pairs"]


@pytest.mark.parametrize(
    ("op", "steps", "keys", "values", "size"), RECORDED, ids=NAMES
)
def test_keys_lie_where_tensorflow_has_them(
    op: MutableDenseHashTableV2, steps: Any, keys: Any, values: Any, size: int
) -> None:
    table = after(op, steps)
    found = LookupTableExportV2().kernel(np, table)
    assert [x.tolist() for x in found] == [keys, values]
    assert int(LookupTableSizeV2().kernel(np, table)) == size


@pytest.mark.parametrize(
    ("op", "steps", "keys", "values", "size"), RECORDED, ids=NAMES
)
def test_buckets_that_were_exported_are_a_table_again(
    op: MutableDenseHashTableV2, steps: Any, keys: Any, values: Any, size: int
) -> None:
    exported = LookupTableExportV2().kernel(np, after(op, steps))
    table = op.kernel(np)
    LookupTableImportV2().kernel(np, table, *exported)
    again = LookupTableExportV2().kernel(np, table)
    assert [x.tolist() for x in again] == [keys, values]
    assert table.size() == size


def test_a_key_that_is_there_twice_is_found_again_when_one_is_gone() -> None:
    table = after(NUMBERS, RECORDED[0][1])
    asked = np.asarray([19], np.int64)
    default = np.asarray(-9, np.int64)
    assert LookupTableFindV2().kernel(np, table, asked, default).tolist() == [5]
    LookupTableRemoveV2().kernel(np, table, asked)
    assert LookupTableFindV2().kernel(np, table, asked, default).tolist() == [3]
    LookupTableRemoveV2().kernel(np, table, asked)
    assert LookupTableFindV2().kernel(np, table, asked, default).tolist() == [-9]


def test_wrong_numbers_of_buckets_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="a power of 2, got: 6"):
        MutableDenseHashTableV2(
            tl.int64, tl.int64, ("0",), ("-1",), initial_num_buckets=6
        ).infer()
    table = NUMBERS.kernel(np)
    rows = np.zeros((6, 1), np.int64)
    with pytest.raises(InvalidArgumentError, match="6 buckets are no power of 2"):
        LookupTableImportV2().kernel(np, table, rows, rows)
