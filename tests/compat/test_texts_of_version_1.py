"""to_json in version 1: the form of texts is that which TensorFlow 1.15 writes and reads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers = keras.layers
VERSIONS = {"keras_version": "2.2.4-tf", "backend": "tensorflow"}


def test_a_chain_is_told_as_in_keras_2() -> None:
    dense = layers.Dense(
        1, input_shape=(2,), name="a", kernel_initializer="he_normal"
    )
    model = keras.Sequential([dense], name="s")
    told = json.loads(model.to_json())
    assert {key: told[key] for key in VERSIONS} == VERSIONS
    assert "module" not in told
    (only,) = told["config"]["layers"]
    assert only["config"]["batch_input_shape"] == [None, 2]
    assert only["config"]["dtype"] == "float32"
    assert only["config"]["kernel_initializer"] == {
        "class_name": "VarianceScaling",
        "config": {
            "scale": 2.0,
            "mode": "fan_in",
            "distribution": "truncated_normal",
            "seed": None,
            "dtype": "float32",
        },
    }
    again = keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    inputs = np.ones((1, 2), np.float32)
    np.testing.assert_array_equal(again.predict(inputs), model.predict(inputs))


def test_calls_are_told_as_places() -> None:
    start = keras.Input((2,), name="i")
    model = keras.Model(start, layers.Dense(1, name="b")(start), name="f")
    told = json.loads(model.to_json())
    assert told["class_name"] == "Model"
    assert told["config"]["layers"][1]["inbound_nodes"] == [[["i", 0, 0, {}]]]


def test_what_tensorflow_1_has_other_defaults_of_is_always_said() -> None:
    gru = layers.GRU(
        2, recurrent_activation="sigmoid", reset_after=True, input_shape=(3, 2)
    )
    told = json.loads(keras.Sequential([gru]).to_json())["config"]["layers"][0]
    assert told["config"]["recurrent_activation"] == "sigmoid"
    assert told["config"]["reset_after"] is True
    text = keras.Sequential([layers.LSTM(2, input_shape=(3, 2))]).to_json()
    again = keras.models.model_from_json(text).layers[0]
    x = tf.constant([-3.0, 0.0, 1.0])
    with tf.Session() as session:
        gate = session.run(again.recurrent_activation(x))
    np.testing.assert_allclose(gate, [0.0, 0.5, 0.7], rtol=1e-6)
