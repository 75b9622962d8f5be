"""Tables of lines of files, whose numbers begin with another one than 0, as TensorFlow has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v1 as tf_1
import tensorlite.compat.v2 as tf

FILLER: Any = tf.lookup.TextFileInitializer
NUMBER = tf.lookup.TextFileIndex.LINE_NUMBER


@pytest.fixture
def words(tmp_path: Path) -> str:
    path = tmp_path / "words"
    path.write_text("a\t5\nb\t6\nc\t7\n")
    return str(path)


def filled(path: str, *columns: Any, default: Any = -1) -> Any:
    parts = FILLER(path, *columns, value_index_offset=10)
    return tf.lookup.StaticHashTable(parts, default)


def test_numbers_of_lines_begin_with_the_offset(words: str) -> None:
    numbers = filled(words, tf.string, 0, tf.int64, NUMBER)
    assert numbers.lookup(tf.constant(["a", "c", "z"])).numpy().tolist() == [
        10,
        12,
        -1,
    ]
    lines = filled(words, tf.int64, NUMBER, tf.string, 0, default="?")
    found = lines.lookup(tf.constant([0, 10, 11], tf.int64)).numpy().tolist()
    assert found == [b"?", b"a", b"b"]


def test_columns_are_read_as_they_are(words: str) -> None:
    column = filled(words, tf.string, 0, tf.int64, 1)
    assert column.lookup(tf.constant(["a", "b"])).numpy().tolist() == [5, 6]


def test_written_graphs_keep_the_offset(words: str) -> None:
    with tf_1.Graph().as_default() as graph:
        table = filled(words, tf.string, 0, tf.int64, NUMBER)
        table.lookup(tf_1.constant(["a", "c"]), name="found")
        tf_1.tables_initializer(name="filled")
    with tf_1.Graph().as_default() as again, tf_1.Session() as session:
        tf_1.import_graph_def(graph.as_graph_def(), name="")
        session.run(again.get_operation_by_name("filled"))
        name = next(
            x.name for x in again.get_operations() if x.type == "LookupTableFindV2"
        )
        assert session.run(f"{name}:0").tolist() == [10, 12]
