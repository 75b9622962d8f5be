"""Keras' layers in graphs of TensorFlow 1 give its values, in training, too, and its averages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
layers = keras.layers

RECORDED = [
    ('Dense(2, activation="relu")', (2, 3, 4), "12.378 21.034 21.034 6.284"),
    (
        'Conv1D(2, 2, padding="causal", dilation_rate=2)',
        (2, 5, 3),
        "18.660 54.998 54.998 8.882",
    ),
    (
        'Conv2D(2, 2, dilation_rate=2, padding="same")',
        (2, 5, 5, 3),
        "76.840 579.362 579.362 16.481",
    ),
    ("Conv3D(2, 2)", (1, 3, 3, 3, 2), "45.119 174.046 174.046 22.025"),
    (
        'Conv2DTranspose(2, 3, strides=2, padding="same", output_padding=1)',
        (2, 4, 4, 3),
        "183.453 399.151 399.151 36.023",
    ),
    (
        "Conv3DTranspose(2, 2, strides=2)",
        (1, 2, 2, 2, 2),
        "118.327 200.484 200.484 22.025",
    ),
    (
        'SeparableConv1D(2, 2, depth_multiplier=2, activation="tanh")',
        (2, 5, 3),
        "8.903 6.356 6.356 16.591",
    ),
    (
        'SeparableConv2D(2, 2, padding="same", dilation_rate=2)',
        (2, 5, 5, 3),
        "76.828 211.437 211.437 12.940",
    ),
    (
        "DepthwiseConv2D(2, strides=2, depth_multiplier=2)",
        (2, 5, 5, 3),
        "32.245 28.539 28.539 18.824",
    ),
    ("LocallyConnected1D(2, 2)", (2, 5, 3), "11.412 10.834 10.834 36.162"),
    (
        'LocallyConnected2D(2, 2, strides=2, data_format="channels_first")',
        (2, 3, 4, 4),
        "12.089 45.066 45.066 66.349",
    ),
    ("ZeroPadding2D(((1, 2), (0, 3)))", (1, 2, 2, 1), "1.892 1.555 1.555 0.000"),
    ("BatchNormalization()", (4, 3), "0.173 18.790 11.617 7.866"),
    ("BatchNormalization(axis=1)", (4, 3, 2), "-6.608 43.855 23.190 7.856"),
    ("BatchNormalization(scale=False)", (2, 3, 3, 2), "7.145 30.826 59.180 3.890"),
    ("BatchNormalization(renorm=True)", (4, 3), "1.262 7.901 268.973 13.184"),
    ("GaussianNoise(0.5)", (4, 3), "0.411 6.001 8.361 0.000"),
    ("GaussianDropout(0.5)", (4, 3), "0.411 6.001 13.366 0.000"),
    ("AlphaDropout(0.5)", (4, 3), "0.411 6.001 5.871 0.000"),
    ("SpatialDropout2D(0.5, seed=3)", (2, 3, 3, 4), "1.674 36.047 112.489 0.000"),
    ("Dropout(0.5, (None, 1), 2)", (4, 3), "0.411 6.001 6.049 0.000"),
    (
        "TimeDistributed(layers.BatchNormalization())",
        (2, 3, 4),
        "5.756 22.726 25.881 10.746",
    ),
    ("LayerNormalization()", (2, 3, 4), "17.906 24.337 24.337 5.547"),
    ("LSTM(2)", (2, 3, 4), "2.399 1.456 1.456 35.920"),
]
"""A layer, the shape of what it is given, and what TensorFlow 1.15 gave.

That is the sum of its results, and of their squares; the sum of squares in training; and the sum of
all variables once the averages have moved.
"""


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


@pytest.mark.parametrize(("text", "shape", "wanted"), RECORDED)
def test_layers_give_the_values_of_tensorflow(
    text: str, shape: tuple[int, ...], wanted: str
) -> None:
    given = np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)
    tf.set_random_seed(1)
    np.random.seed(5)  # noqa: NPY002  which Keras draws seeds by
    x = tf.placeholder(tf.float32, [None, *shape[1:]])
    layer = eval(text, {"layers": layers, **_named()})  # noqa: S307
    usual = layer(x)
    training = layer(x, training=True) if layer.takes("training") else usual
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        variables = sorted(tf.global_variables(), key=lambda v: v.name)
        for number, v in enumerate(variables):
            sizes = v.get_shape().as_list()
            filled = np.abs(np.cos(np.arange(np.prod(sizes)) + number))
            v.load(filled.reshape(sizes).astype(np.float32), session)
        y, trained = session.run([usual, training], {x: given})
        session.run(layer.updates, {x: given})
        total = sum(float(np.sum(v)) for v in session.run(variables))
    found = [np.sum(y), np.sum(y * y), np.sum(trained * trained), total]
    np.testing.assert_allclose(found, list(map(float, wanted.split())), 2e-4, 2e-3)


def _named() -> dict[str, Any]:
    """Return the layers by their names, those of version 1 among them."""
    return {name: getattr(layers, name) for name in dir(layers) if name[0].isupper()}
