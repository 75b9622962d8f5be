"""Datasets of what SQLite's databases hold; expected values are TensorFlow 2.21's."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl

ROWS = [(1, "a", 1.5, 1, None), (2, "b", 2.5, 0, "x"), (-3, "c", -1, 1, "7")]


@pytest.fixture
def path(tmp_path: Path) -> str:
    name = str(tmp_path / "a table.db")
    with closing(sqlite3.connect(name)) as database, database:
        database.execute(
            "create table t(id integer, name text, w real, ok integer, n text)"
        )
        database.executemany("insert into t values (?, ?, ?, ?, ?)", ROWS)
    return name


def read(
    path: str, query: str, *kinds: Any, driver: str = "sqlite"
) -> list[list[Any]]:
    rows = tl.data.SqlDataset(driver, path, query, kinds)
    return [[x.item() for x in row] for row in rows]


def test_rows_are_tuples_of_tensors(path: str) -> None:
    kinds = tl.int32, tl.string, tl.float64, tl.bool, tl.string
    assert read(path, "select * from t order by id", *kinds) == [
        [-3, b"c", -1.0, True, b"7"],
        [1, b"a", 1.5, True, b""],
        [2, b"b", 2.5, False, b"x"],
    ]
    batches = tl.data.SqlDataset(
        "sqlite", path, "select id, w from t", kinds[::2][:2]
    ).batch(2)
    assert [[x.tolist() for x in batch] for batch in batches] == [
        [[1, 2], [1.5, 2.5]],
        [[-3], [-1.0]],
    ]
    assert read(path, "select id from t where id > 9", tl.int32) == []


@pytest.mark.parametrize(
    ("query", "kinds", "expected"),
    [
        ("select id, w from t", (tl.int8, tl.int64), [[1, 1], [2, 2], [-3, -1]]),
        ("select id from t", (tl.uint8,), [[1], [2], [253]]),
        ("select n from t", (tl.int32,), [[0], [0], [7]]),
        ("select w from t", (tl.string,), [[b"1.5"], [b"2.5"], [b"-1.0"]]),
    ],
)
def test_values_are_cast(
    path: str, query: str, kinds: Sequence[Any], expected: list[list[Any]]
) -> None:
    assert read(path, query, *kinds) == expected


def test_what_is_wrong_is_told(path: str, tmp_path: Path) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="2 columns"):
        read(path, "select id, name from t", tl.int32)
    with pytest.raises(tl.errors.InvalidArgumentError, match="float32"):
        read(path, "select w from t", tl.float32)
    with pytest.raises(tl.errors.InvalidArgumentError, match="mysql"):
        read(path, "select id from t", tl.int32, driver="mysql")
    with pytest.raises(tl.errors.UnknownError, match="no such column"):
        read(path, "select missing from t", tl.int32)
    with pytest.raises(tl.errors.UnknownError, match=r"none\.db"):
        read(str(tmp_path / "none.db"), "select id from t", tl.int32)
    with pytest.raises(TypeError, match="tuple"):
        tl.data.SqlDataset("sqlite", path, "select id from t", tl.int32)
