"""Masks of Keras' sequences: on tensors, and on symbolic ones while a model is made.

What is expected is what TensorFlow 2.21 gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
layers = keras.layers
STEPS = np.array([[3, 1, 0, 0], [2, 0, 5, 0]])


class _Softmax(layers.Layer):
    def call(self, inputs: Any, mask: Any = None) -> Any:
        kept = tf.expand_dims(tf.cast(mask, "float32"), -1)
        powers = tf.exp(inputs) * kept
        return powers / tf.reduce_sum(powers, axis=1, keepdims=True)


def test_tensors_tell_the_masks_that_layers_gave_them() -> None:
    layer = layers.Embedding(6, 2, mask_zero=True)
    made = layer(STEPS)
    np.testing.assert_array_equal(made._keras_mask, STEPS != 0)
    np.testing.assert_array_equal(layer.compute_mask(STEPS), STEPS != 0)
    rows = np.repeat(STEPS[..., None], 3, axis=-1).astype("float32")
    np.testing.assert_array_equal(layers.Masking()(rows)._keras_mask, STEPS != 0)
    assert tf.constant([1.0])._keras_mask is None


def test_a_mask_that_a_program_sets_counts() -> None:
    x = tf.ones((1, 3, 1))
    x._keras_mask = tf.constant([[True, False, True]])
    found = _Softmax()(x)
    np.testing.assert_allclose(found.numpy()[0, :, 0], [0.5, 0.0, 0.5])


def test_layers_that_need_a_mask_are_called_on_symbolic_tensors() -> None:
    steps = keras.Input((None,), dtype="int32")
    x = layers.Dense(1)(layers.Embedding(6, 2, mask_zero=True)(steps))
    model = keras.Model(steps, _Softmax()(x))
    found = model(STEPS).numpy()[..., 0]
    np.testing.assert_array_equal(found == 0, STEPS == 0)
    np.testing.assert_allclose(found.sum(1), [1.0, 1.0], rtol=1e-6)


def test_symbolic_tensors_have_symbolic_masks() -> None:
    steps = keras.Input((4,), dtype="int32")
    x = layers.Embedding(6, 2, mask_zero=True)(steps)
    assert steps._keras_mask is None
    assert tuple(x._keras_mask.shape) == (None, 4)
    found = keras.Model(steps, x._keras_mask)(STEPS)
    np.testing.assert_array_equal(found, STEPS != 0)


class Positions(keras.layers.Layer):
    """A program's layer that says which of its results count."""

    def call(self, inputs: Any) -> Any:
        return tf.cast(inputs, tf.float32)[..., None]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return keras.ops.not_equal(inputs, 0)


def test_a_layer_with_a_mask_of_its_own_starts_one() -> None:
    inputs = keras.Input((3,), dtype="int32")
    pooled = keras.layers.GlobalAveragePooling1D()(Positions()(inputs))
    model = keras.Model(inputs, pooled)
    assert Positions().supports_masking
    assert model(np.array([[2, 4, 0]], "int32")).numpy().tolist() == [[3.0]]


def test_a_loss_that_is_one_number_stays_it_where_predictions_are_masked() -> None:
    model = keras.Sequential(
        [keras.layers.Embedding(5, 2, mask_zero=True), keras.layers.Dense(1)]
    )
    model.compile("sgd", lambda true, predicted: tf.reduce_sum(true))
    rows = np.array([[1, 2, 0]], "int32")
    assert model.evaluate(rows, np.ones((1, 3, 1), "float32"), verbose=0) == 3.0


def test_masks_go_on_however_a_layer_is_told_of_them() -> None:
    layers = tf.keras.layers
    query = layers.Embedding(4, 8, mask_zero=True)(np.array([[1, 2, 3, 0]]))
    value = np.ones((1, 3, 8), "float32")
    made: Any = layers.MultiHeadAttention(2, 2)(query=query, value=value)
    assert made._keras_mask.numpy().tolist() == [[True, True, True, False]]
    mask = tf.constant([[True, True, False], [True, False, False]])
    steps: Any = layers.LSTM(3, return_sequences=True)(tf.ones((2, 3, 4)), mask=mask)
    assert steps._keras_mask.numpy().tolist() == mask.numpy().tolist()
    assert not layers.Embedding(4, 8).supports_masking
    assert layers.Embedding(4, 8, mask_zero=True).supports_masking
    assert not layers.Lambda(lambda x: x).supports_masking


def test_an_activation_may_be_taken_away() -> None:
    layer = tf.keras.layers.Dense(2, "relu", kernel_initializer="ones")
    layer.activation = None
    assert layer(-tf.ones((1, 3))).numpy().tolist() == [[-3.0, -3.0]]


@pytest.mark.parametrize("units", [None, 0, -3, "4", 2.5])
def test_dense_layers_have_a_whole_number_of_units(units: Any) -> None:
    with pytest.raises(ValueError, match="positive integer"):
        tf.keras.layers.Dense(units)
