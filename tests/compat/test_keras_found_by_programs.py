"""What public programs found in Keras' functional models: functions of tf as their layers.

What is expected is what the functions give for values, which other tests hold against NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
K: Any = keras.backend
RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.random((2, 6, 6, 3)).astype(np.float32)
VOLUMES = RANDOM.random((2, 4, 4, 4, 2)).astype(np.float32)
LINES = RANDOM.random((2, 5, 3)).astype(np.float32)
ROWS = RANDOM.random((4, 3)).astype(np.float32)
NUMBERS = np.array([[1, 0, 2], [2, 2, 1]], np.int32)
WEIGHTS = np.ones((3, 3, 4), np.float32)
KERNEL = np.ones((2, 3, 4), np.float32)
TABLE = np.arange(6, dtype=np.float32).reshape(3, 2)
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "max_pool": (lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], 2, "SAME"), IMAGES),
    "max_pool of volumes": (lambda x: tf.nn.max_pool(x, 2, 2, "SAME"), VOLUMES),
    "avg_pool": (lambda x: tf.nn.avg_pool(x, 2, 2, "VALID"), IMAGES),
    "conv1d": (lambda x: tf.nn.conv1d(x, KERNEL, 1, "SAME"), LINES),
    "conv_transpose": (
        lambda x: tf.nn.conv_transpose(x, WEIGHTS[..., None, :1], [2, 12, 12, 1], 2),
        IMAGES[..., :1],
    ),
    "erosion2d": (
        lambda x: tf.nn.erosion2d(
            x, WEIGHTS[..., :3], [1] * 4, "SAME", "NHWC", [1] * 4
        ),
        IMAGES,
    ),
    "embedding_lookup": (lambda x: tf.nn.embedding_lookup(TABLE, x), NUMBERS),
    "sparse entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x),
        ROWS[:2],
    ),
    "dropout of nothing": (lambda x: tf.nn.dropout(x, 0.0), ROWS),
    "zero_fraction": (lambda x: tf.reshape(tf.nn.zero_fraction(x), [1]), NUMBERS),
    "repeat": (lambda x: tf.repeat(x, 2, axis=1), ROWS),
    "searchsorted": (lambda x: tf.searchsorted([0.2, 0.6], x[0]), ROWS),
    "foldl": (lambda x: tf.foldl(lambda a, b: a + b, x), ROWS),
    "foldr": (lambda x: tf.foldr(lambda a, b: a - b, x), ROWS),
    "scan": (lambda x: tf.scan(lambda a, b: a + b, x), ROWS),
    "convert_to_tensor": (tf.convert_to_tensor, ROWS),
    "numpy.mean": (lambda x: tf.experimental.numpy.mean(x, axis=1), ROWS),
    "custom_gradient": (
        tf.custom_gradient(lambda x: (x * 2, lambda dy: dy)),
        ROWS,
    ),
    "activations.softmax": (keras.activations.softmax, ROWS),
    "activations.sigmoid": (keras.activations.sigmoid, ROWS),
    "backend.batch_dot": (lambda x: K.batch_dot(x, x, axes=1), ROWS),
    "backend.arange": (lambda x: K.arange(0, K.shape(x)[0]), ROWS),
    "backend.rnn": (
        lambda x: K.rnn(lambda a, s: (a + s[0], [a + s[0]]), x, [tf.zeros((2, 3))])[
            0
        ],
        LINES,
    ),
    "losses.mean_squared_error": (
        lambda x: keras.losses.mean_squared_error(x, x * 2),
        ROWS,
    ),
    "losses.binary_crossentropy": (
        lambda x: keras.losses.binary_crossentropy(x, tf.nn.sigmoid(x)),
        ROWS,
    ),
    "losses.Huber": (
        lambda x: tf.reshape(keras.losses.Huber()(x, x * 2), [1]),
        ROWS,
    ),
    "metrics.categorical_accuracy": (
        lambda x: keras.metrics.categorical_accuracy(x, -x),
        ROWS,
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_symbolic_tensors_are_layers(name: str) -> None:
    function, values = FUNCTIONS[name]
    given = keras.Input(values.shape[1:], dtype=values.dtype.name)
    model = keras.Model(given, function(given))
    made = model(tf.constant(values))
    np.testing.assert_allclose(made, function(tf.constant(values)), rtol=1e-6)


def test_a_pool_of_a_symbolic_tensor_tells_its_shape() -> None:
    pooled = tf.nn.max_pool(keras.Input((6, 6, 3)), [1, 2, 2, 1], 2, "SAME")
    assert tuple(pooled.shape) == (None, 3, 3, 3)


def test_numbers_are_counted_up_to_a_tensor() -> None:
    counted = tf.function(lambda x: K.arange(0, K.shape(x)[0]))(tf.zeros((3, 2)))
    assert counted.numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["activaton", "input_shape", "type_spec"])
def test_inputs_refuse_arguments_that_there_are_none_of(name: str) -> None:
    given: dict[str, Any] = {name: None}
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        tf.keras.Input((3,), **given)


def test_inputs_have_one_shape() -> None:
    for kind in (tf.keras.Input, tf.keras.layers.InputLayer):
        with pytest.raises(ValueError, match="both `shape` and `batch_shape`"):
            kind(shape=(3,), batch_shape=(2, 3))
        with pytest.raises(ValueError, match="both `batch_size` and `batch_shape`"):
            kind(batch_size=2, batch_shape=(2, 3))
        with pytest.raises(ValueError, match="must pass a `shape`"):
            kind()


def test_an_input_layer_takes_the_tensor_that_it_is_given() -> None:
    tensor = tf.keras.Input((3,), name="rows")
    layer = tf.keras.layers.InputLayer(input_tensor=tensor)
    assert layer.output is tensor
    assert layer.batch_shape == (None, 3)
