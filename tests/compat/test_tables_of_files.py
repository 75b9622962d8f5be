"""Batches of CSV files and of examples, by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.data.columns import Layout, defaults_of
from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v2")


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


@pytest.fixture
def files(tmp_path: Path) -> str:
    (tmp_path / "1.csv").write_text("n,x,word,y\n1,0.5,a,0\n2,,b,1\n")
    (tmp_path / "2.csv").write_text('n,x,word,y\n3,1.5,"c,d",1\n')
    return str(tmp_path / "*.csv")


def test_batches_of_a_table(files: str) -> None:
    made = tf.data.experimental.make_csv_dataset(
        files, 2, label_name="y", num_epochs=1, shuffle=False
    )
    (first, labels), (last, _) = list(made.as_numpy_iterator())
    assert list(first) == ["n", "x", "word"]
    assert first["n"].dtype == labels.dtype == np.int32
    assert (first["x"].dtype, first["x"].tolist()) == (np.float32, [0.5, 0.0])
    assert first["word"].tolist() == [b"a", b"b"]
    assert labels.tolist() == [0, 1]
    assert last["word"].tolist() == [b"c,d"]


def test_columns_are_chosen_and_rows_shuffled(files: str) -> None:
    made = tf.data.experimental.make_csv_dataset(
        files, 3, select_columns=["word", "n"], shuffle_seed=1
    )
    batches = list(made.take(4).as_numpy_iterator())
    assert list(batches[0]) == ["n", "word"]
    seen = np.sort(np.concatenate([x["n"] for x in batches]))
    assert seen.tolist() == [*[1] * 4, *[2] * 4, *[3] * 4]


def test_rows_that_do_not_fit_are_passed_over_where_that_is_asked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n,x\n1,0.5\ntwo,1.5\n3\n4,2.5\n")
    read = tf.data.experimental.make_csv_dataset
    defaults = [tf.int32, tf.float32]
    given = {"column_defaults": defaults, "num_epochs": 1, "shuffle": False}
    (batch,) = list(read(str(path), 4, ignore_errors=True, **given))
    assert batch["n"].numpy().tolist() == [1, 4]
    with pytest.raises(InvalidArgumentError, match="two"):
        list(read(str(path), 4, **given))


def test_what_is_wrong_with_a_table_is_said(files: str, tmp_path: Path) -> None:
    make = tf.data.experimental.make_csv_dataset
    with pytest.raises(NotFoundError, match="No files matched"):
        make(str(tmp_path / "none*"), 2)
    with pytest.raises(InvalidArgumentError, match="must be one of the columns"):
        make(files, 2, label_name="z")
    (tmp_path / "3.csv").write_text("n,x\n1,2\n")
    with pytest.raises(InvalidArgumentError, match="different columns"):
        make(files, 2)


def test_columns_are_of_the_narrowest_dtype_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"1,{2**40},1e-3,1e300,a,\n-2,1,2,3,4,\n")
    found = defaults_of([str(path)], Layout(header=False), range(6), 100)
    names = ["int32", "int64", "float32", "float64", "string", "string"]
    assert [x.dtype.name for x in found] == names


def test_batches_of_examples(tmp_path: Path) -> None:
    path = str(tmp_path / "a.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(5):
            one = tf.train.Example()
            one.features.feature["n"].int64_list.value.append(i)
            one.features.feature["y"].float_list.value.append(i / 2)
            writer.write(one.SerializeToString())
    spec = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "y": tf.io.FixedLenFeature([], tf.float32),
    }
    make = tf.data.experimental.make_batched_features_dataset
    made = make(path, 2, spec, label_key="y", num_epochs=1, shuffle=False)
    batches = list(made.as_numpy_iterator())
    assert [x["n"].tolist() for x, _ in batches] == [[0, 1], [2, 3], [4]]
    assert batches[1][1].tolist() == [1.0, 1.5]
    assert len(list(make(path, 2, spec, num_epochs=1, drop_final_batch=True))) == 2


def test_numbers_are_counted() -> None:
    made = tf.data.experimental.Counter(3, 2, tf.int32).take(3)
    assert [(x.dtype, int(x)) for x in made] == [
        (tf.int32, 3 + 2 * i) for i in range(3)
    ]
    assert tf.data.experimental.get_structure(made).dtype is tf.int32
