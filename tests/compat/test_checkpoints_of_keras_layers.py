"""Under which keys checkpoints have weights of Keras' layers: those that TensorFlow 1.15 wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers = keras.layers
MADE: list[tuple[Any, dict[str, list[int]]]] = [
    (
        lambda: layers.ConvLSTM2D(2, 2, input_shape=(3, 5, 5, 1)),
        {
            "cell/bias": [8],
            "cell/kernel": [2, 2, 1, 8],
            "cell/recurrent_kernel": [2, 2, 2, 8],
        },
    ),
    (
        lambda: layers.Bidirectional(
            layers.ConvLSTM2D(2, 2), input_shape=(3, 5, 5, 1)
        ),
        {
            f"{way}_layer/cell/{name}": shape
            for way in ("backward", "forward")
            for name, shape in (
                ("bias", [8]),
                ("kernel", [2, 2, 1, 8]),
                ("recurrent_kernel", [2, 2, 2, 8]),
            )
        },
    ),
    (
        lambda: layers.DepthwiseConv2D(2, input_shape=(4, 4, 2)),
        {"bias": [2], "depthwise_kernel": [2, 2, 2, 1]},
    ),
    (
        lambda: layers.RNN([layers.LSTMCell(3)], input_shape=(4, 2)),
        {
            "cell/cells/0/bias": [12],
            "cell/cells/0/kernel": [2, 12],
            "cell/cells/0/recurrent_kernel": [3, 12],
        },
    ),
]


@pytest.mark.parametrize(("make", "keys"), MADE)
def test_weights_are_saved_under_the_keys_of_tensorflow_1(
    tmp_path: Path, make: Any, keys: dict[str, list[int]]
) -> None:
    model = keras.Sequential([make()])
    path = str(tmp_path / "weights")
    model.save_weights(path)
    found = {
        name: shape
        for name, shape in tf.train.list_variables(path)
        if "layer" in name
    }
    start, end = "layer_with_weights-0/", "/.ATTRIBUTES/VARIABLE_VALUE"
    assert found == {f"{start}{key}{end}": shape for key, shape in keys.items()}
    saved = model.get_weights()
    model.set_weights([np.zeros_like(x) for x in saved])
    model.load_weights(path)
    for now, before in zip(model.get_weights(), saved, strict=True):
        np.testing.assert_array_equal(now, before)


def test_convolutions_over_time_go_both_ways() -> None:
    layer = layers.ConvLSTM2D(1, 2, return_sequences=True)
    model = keras.Sequential([layers.Bidirectional(layer, input_shape=(2, 2, 2, 1))])
    model.set_weights(
        [np.linspace(-1, 1, w.size).reshape(w.shape) for w in model.get_weights()]
    )
    inputs = np.arange(8).reshape((1, 2, 2, 2, 1)) / 8
    expected = [0.1625914, 0.18861105, 0.1936103, 0.15388784]
    np.testing.assert_allclose(model.predict(inputs).ravel(), expected, rtol=1e-5)


def test_convolutions_over_time_are_saved_once_they_have_computed(
    tmp_path: Path,
) -> None:
    model = keras.Sequential([layers.ConvLSTM2D(2, 2, input_shape=(3, 5, 5, 1))])
    model.compile("sgd", "mse")
    inputs = np.ones((1, 3, 5, 5, 1), np.float32)
    model.train_on_batch(inputs, np.zeros((1, 4, 4, 2)))
    before = model.predict(inputs)
    model.save_weights(str(tmp_path / "weights"))
    model.set_weights([np.zeros_like(x) for x in model.get_weights()])
    model.load_weights(str(tmp_path / "weights"))
    np.testing.assert_array_equal(model.predict(inputs), before)
