"""MNIST from files on this machine, and the digits that stand in for it on request."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.compat.shared.images import image_sets
from tensorlite.compat.v1.examples.tutorials.mnist import input_data, mnist as model
from tensorlite.data import mnist
from tensorlite.graph_mode.graph import mode, reset_default_graph


def idx(array: np.ndarray) -> bytes:
    head = bytes([0, 0, 8, array.ndim])
    sizes = b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    return head + sizes + array.astype(np.uint8).tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    images = np.arange(20 * 28 * 28) % 256
    for name, count in zip(mnist.FILES, (20, 20, 5, 5), strict=True):
        if "images" in name:
            data = idx(images[: count * 784].reshape(count, 28, 28))
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        else:
            (tmp_path / name).write_bytes(idx(np.arange(count) % 10))
    return tmp_path


def test_files(folder: Path) -> None:
    found = input_data.read_data_sets(str(folder), one_hot=True, validation_size=8)
    assert [part.num_examples for part in found] == [12, 8, 5]
    assert found.train.images.shape == (12, 784)
    assert found.train.images.dtype == np.float32
    assert found.train.images.max() == 1.0
    np.testing.assert_array_equal(found.validation.labels, np.eye(10)[:8])
    whole = input_data.read_data_sets(
        folder, reshape=False, dtype=tl.uint8, validation_size=0
    )
    assert whole.train.images.shape == (20, 28, 28, 1)
    assert whole.test.labels.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(tl.errors.InvalidArgumentError, match="between 0 and 20"):
        input_data.read_data_sets(folder)


def test_batches_give_each_example_once(folder: Path) -> None:
    data = input_data.read_data_sets(folder, validation_size=0, seed=3).train
    seen = [data.next_batch(8)[1].tolist() for _ in range(5)]
    flat = [x for batch in seen for x in batch]
    assert sorted(flat[:20]) == sorted(flat[20:]) == sorted([*range(10)] * 2)
    assert data.epochs_completed == 1
    fixed = input_data.read_data_sets(folder, validation_size=0).train
    assert fixed.next_batch(3, shuffle=False)[1].tolist() == [0, 1, 2]


def test_fake_data() -> None:
    data = input_data.read_data_sets("", fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(2)
    assert (images, labels) == ([[1] * 784] * 2, [[1] + [0] * 9] * 2)


def test_damaged_files(folder: Path) -> None:
    path = folder / mnist.FILES[1]
    whole = path.read_bytes()
    huge = bytes([0, 0, 8, 3]) + b"\xff" * 12
    for data in (
        b"",
        whole[:10],
        whole[:-1],
        whole + b"x",
        huge,
        b"\0\0\x0d\1" + whole[4:],
    ):
        path.write_bytes(data)
        with pytest.raises(tl.errors.DataLossError):
            input_data.read_data_sets(folder)
    (folder / f"{mnist.FILES[0]}.gz").write_bytes(b"no gzip")
    with pytest.raises(tl.errors.DataLossError):
        input_data.read_data_sets(folder)


def test_nothing_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(mnist.VARIABLE, raising=False)
    with pytest.raises(tl.errors.NotFoundError, match="nothing is downloaded"):
        input_data.read_data_sets(str(tmp_path))
    with pytest.raises(tl.errors.NotFoundError, match="TENSORLITE_MNIST"):
        image_sets.mnist.load_data()


def test_the_environment_names_the_folder_of_programs_that_name_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mnist.VARIABLE, str(folder))
    found = input_data.read_data_sets("MNIST_data/", validation_size=8)
    assert [part.num_examples for part in found] == [12, 8, 5]
    monkeypatch.setenv(mnist.VARIABLE, "digit")
    with pytest.raises(
        tl.errors.NotFoundError, match="not in 'MNIST_data/' or 'digit'"
    ):
        input_data.read_data_sets("MNIST_data/")


def test_digits_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    found = input_data.read_data_sets("digits", one_hot=True)
    assert "not MNIST's images" in capsys.readouterr().err
    assert [part.num_examples for part in found] == [1300, 200, 297]
    assert found.train.images.shape == (1300, 784)
    monkeypatch.setenv(mnist.VARIABLE, "digits")
    (x, y), (x_test, _) = image_sets.mnist.load_data()
    assert (x.shape, x.dtype, y.dtype, x_test.shape) == (
        (1500, 28, 28),
        np.uint8,
        np.uint8,
        (297, 28, 28),
    )
    assert "not MNIST's images" in capsys.readouterr().err


def test_the_model_of_the_first_tutorials() -> None:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    tf: Any = v1
    tf.set_random_seed(1)
    rng = np.random.default_rng(0)
    images, labels = (
        tf.placeholder(tf.float32, [20, 784]),
        tf.placeholder(tf.int32, [20]),
    )
    logits = model.inference(images, 16, 8)
    loss = model.loss(logits, labels)
    train, right = model.training(loss, 0.1), model.evaluation(logits, labels)
    assert [x.name for x in tf.trainable_variables()][:2] == [
        "hidden1/weights:0",
        "hidden1/biases:0",
    ]
    fed = {images: rng.normal(size=(20, 784)), labels: np.arange(20) % 10}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(loss, fed)
        for _ in range(60):
            session.run(train, fed)
        assert session.run(loss, fed) < first / 4
        assert session.run(right, fed) > 15
    mode.eager = before
