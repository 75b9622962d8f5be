"""fit, evaluate and predict of data without any batch; TensorFlow 2.21 and 1.15 say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
NOTHING = np.zeros((0, 2), np.float32), np.zeros((0, 1), np.float32)
ONE = np.zeros((1, 2), np.float32), np.zeros((1, 1), np.float32)


def made(keras: Any) -> Any:
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def dataset(module: Any) -> Any:
    rows = module.data.Dataset.from_tensor_slices(ONE).repeat(4).batch(2)
    return rows.filter(lambda x, y: module.reduce_all(x > 1.0))


@pytest.mark.parametrize("data", [lambda: NOTHING, lambda: (dataset(tf),)])
def test_keras_3_warns_of_no_batch(data: Callable[[], Any]) -> None:
    with pytest.warns(UserWarning, match="Your input ran out of data"):
        assert made(tf.keras).fit(*data(), verbose=0).history == {}
    with pytest.warns(UserWarning, match="Your input ran out of data"):
        made(tf.keras).evaluate(*data(), verbose=0)
    with pytest.warns(UserWarning, match="ran out of data"):
        history = made(tf.keras).fit(*ONE, validation_data=NOTHING, verbose=0).history
    assert list(history) == ["loss"]


class Empty(keras.utils.Sequence):  # type: ignore[misc]
    """Has no batch."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: int) -> Any:
        raise IndexError(index)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ((x for x in [ONE][1:]), "the generator must yield at least one batch"),
        (Empty(), "The PyDataset has length 0"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "evaluate", "predict"])
def test_keras_3_refuses_what_yields_no_batch(
    data: Any, said: str, method: str
) -> None:
    with pytest.raises(ValueError, match=said):
        getattr(made(tf.keras), method)(data, verbose=0)


def test_a_generator_loses_no_batch() -> None:
    model, batches = made(tf.keras), (ONE for _ in range(3))
    model.fit(batches, verbose=0)
    assert int(model.optimizer.iterations) == 3
    endless = iter(lambda: ONE, None)
    model.fit((x for x in endless), steps_per_epoch=2, epochs=2, verbose=0)
    assert int(model.optimizer.iterations) == 7


def test_too_few_rows_are_not_split() -> None:
    with pytest.raises(
        ValueError, match="contains 1 samples, which is not sufficient"
    ):
        made(tf.keras).fit(*ONE, validation_split=0.5, verbose=0)


@pytest.fixture
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf1.Graph().as_default():
        yield
    mode.eager = before


@pytest.mark.usefixtures("_graph")
def test_version_1_refuses_empty_data() -> None:
    for data in (NOTHING, (dataset(tf1),)):
        with pytest.raises(ValueError, match="Empty training data"):
            made(tf1.keras).fit(*data, verbose=0)
        with pytest.raises(ValueError, match="Empty training data"):
            made(tf1.keras).evaluate(*data, verbose=0)
    with pytest.raises(ValueError, match="Empty training data"):
        made(tf1.keras).fit(*ONE, validation_split=0.5, verbose=0)
