"""tf.keras.datasets: files as Keras has them in its folder, and what is said where they are not."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import DataLossError, NotFoundError, UnavailableError
from tensorlite.data import fetching
from tensorlite.data.pickled_arrays import unpickled

sets = tf.keras.datasets


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keras' folder of datasets, on a machine that reaches nothing."""

    def unreached(address: str, target: Path) -> None:
        raise UnavailableError(f"{address} cannot be fetched")

    monkeypatch.setattr(fetching, "fetch", unreached)
    monkeypatch.setattr(fetching, "unpack", lambda *given: True)
    monkeypatch.delenv("TENSORLITE_MNIST", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    return tmp_path / "datasets"


def lists(*rows: list[int]) -> Any:
    made = np.empty(len(rows), object)
    made[:] = rows
    return made


def test_small_images_have_channels_last(home: Path) -> None:
    folder = home / "cifar-10-batches-py-target" / "cifar-10-batches-py"
    folder.mkdir(parents=True)
    (home / "cifar-10-batches-py-target_archive").touch()
    images = np.arange(2 * 3072, dtype=np.int64).reshape(2, 3072) % 256
    batch = {b"data": images.astype(np.uint8), b"labels": [3, 7]}
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        (folder / name).write_bytes(pickle.dumps(batch, protocol=2))
    (x, y), (test, labels) = sets.cifar10.load_data()
    assert (x.shape, y.shape, x.dtype, y.dtype) == (
        (10, 32, 32, 3),
        (10, 1),
        np.uint8,
        np.uint8,
    )
    assert test.shape == (2, 32, 32, 3)
    assert labels.tolist() == [[3], [7]]
    np.testing.assert_array_equal(x[0, 0, 1], images[0, [1, 1025, 2049]])


def test_words_of_reviews_are_numbered_as_keras_does(home: Path) -> None:
    texts = lists([1, 2], [3], [4, 5, 6], [7])
    np.savez(
        home / "imdb.npz",
        x_train=texts,
        y_train=np.array([0, 1, 1, 0]),
        x_test=texts[:2],
        y_test=np.array([1, 0]),
    )
    (home / "imdb_word_index.json").write_text(json.dumps({"the": 1}))
    (x, y), (test, labels) = sets.imdb.load_data(num_words=8)
    assert sorted(map(tuple, x)) == [(1, 2), (1, 4, 5), (1, 6), (1, 7, 2, 2)]
    assert sorted(map(tuple, test)) == [(1, 4, 5), (1, 6)]
    assert (sum(y), sum(labels)) == (2, 1)
    (short, _), _ = sets.imdb.load_data(maxlen=3, start_char=None, oov_char=None)
    # without a limit the largest number counts as a rare word, as it does in Keras
    assert sorted(map(tuple, short)) == [(), (4, 5), (6,)]
    assert sets.imdb.get_word_index() == {"the": 1}


def test_tables_are_mixed_by_a_seed(home: Path) -> None:
    rows = {"x": np.arange(20.0).reshape(10, 2), "y": np.arange(10.0)}
    np.savez(home / "boston_housing.npz", **rows)  # type: ignore[arg-type]
    np.savez(home / "california_housing.npz", **rows)  # type: ignore[arg-type]
    (x, y), (test, prices) = sets.boston_housing.load_data()
    order = np.arange(10)
    np.random.RandomState(113).shuffle(order)
    assert [*y, *prices] == order.tolist()
    assert (x.shape, test.shape) == ((8, 2), (2, 2))
    assert len(sets.california_housing.load_data(version="small")[0][0]) == 8


def test_digits_come_from_keras_file(home: Path) -> None:
    one = np.ones((2, 28, 28), np.uint8)
    labels = np.array([1, 2], np.uint8)
    given = {"x_train": one, "y_train": labels, "x_test": one, "y_test": labels}
    np.savez(home / "mnist.npz", **given)  # type: ignore[arg-type]
    (x, y), _ = sets.mnist.load_data()
    assert (x.shape, y.tolist()) == ((2, 28, 28), [1, 2])


def test_what_is_not_there_says_where_it_belongs(home: Path) -> None:
    for load in (sets.imdb.load_data, sets.cifar100.load_data, sets.mnist.load_data):
        with pytest.raises(NotFoundError, match="put it there"):
            load()
    assert len(sets.reuters.get_label_names()) == 46


def test_nothing_but_arrays_is_made_of_pickles() -> None:
    values = {"x": np.arange(3), "y": [1, 2.5, "a"]}
    found = unpickled(pickle.dumps(values))
    assert found["x"].tolist() == [0, 1, 2]
    assert found["y"] == [1, 2.5, "a"]
    with pytest.raises(DataLossError, match="no array is made by"):
        unpickled(pickle.dumps(Path("x")))
    with pytest.raises(DataLossError, match="no pickle"):
        unpickled(b"\x80\x04")
