"""Keras' policies of dtypes, its variables, and the names that its models have.

Expected numbers were computed by TensorFlow 2.21.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.keras import defaults
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode

keras = tf.keras


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)
    monkeypatch.setattr(defaults.chosen, "policy", defaults.chosen.policy)
    keras.backend.clear_session()


def test_mixed_policies_compute_in_half_width_with_single_weights() -> None:
    keras.mixed_precision.set_global_policy("mixed_float16")
    inputs = keras.Input((4,))
    inner = keras.layers.Dense(8, activation="relu")(inputs)
    inner = keras.layers.BatchNormalization()(inner)
    outputs = keras.layers.Dense(3, dtype="float32", activation="softmax")(inner)
    model = keras.Model(inputs, outputs)
    assert [w.dtype for w in model.weights] == ["float32"] * 8
    assert model.layers[1].output.dtype == "float16"
    assert model.layers[1].compute_dtype == "float16"
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    assert type(model.optimizer).__name__ == "LossScaleOptimizer"
    rng = np.random.RandomState(0)
    model.set_weights([rng.rand(*w.shape) for w in model.weights])
    x, y = rng.rand(32, 4).astype("float32"), rng.randint(0, 3, 32)
    history = model.fit(x, y, verbose=0, epochs=3, shuffle=False).history
    np.testing.assert_allclose(history["loss"], [1.2, 1.19, 1.19], atol=0.01)
    assert model.predict(x, verbose=0).dtype == np.float32


def test_bfloat16_is_not_scaled() -> None:
    keras.config.set_dtype_policy("mixed_bfloat16")
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    assert type(model.optimizer).__name__ == "SGD"
    assert model(np.ones((2, 3))).dtype == tf.bfloat16


def test_rows_of_embeddings_are_cast() -> None:
    layer = keras.layers.Embedding(3, 2, dtype="mixed_float16")
    assert layer(np.array([[1, 2]])).dtype == tf.float16
    assert layer.embeddings.dtype == tf.float32


def test_policies_are_described_and_come_back() -> None:
    layer = keras.layers.Dense(2, dtype="mixed_float16")
    said = layer.get_config()["dtype"]
    assert said == {
        "module": "keras",
        "class_name": "DTypePolicy",
        "config": {"name": "mixed_float16"},
        "registered_name": None,
    }
    again = keras.layers.Dense.from_config(layer.get_config())
    assert again.dtype_policy == keras.DTypePolicy("mixed_float16")
    assert keras.dtype_policies.get("float64").compute_dtype == "float64"
    with pytest.raises(InvalidArgumentError, match="mixed precision"):
        keras.DTypePolicy("mixed_int8")


def test_models_and_inputs_are_named_as_keras_3_does() -> None:
    inputs = keras.Input((4,))
    layers = keras.layers
    joined = (layers.Dense(3)(inputs) + layers.Dense(3)(inputs)) * 2.0
    model = keras.Model(inputs, joined)
    assert model.name == "functional"
    assert type(model).__name__ == "Functional"
    assert isinstance(model, keras.Model)
    assert model.layers[0].name == "input_layer"
    shown: list[str] = []
    model.summary(print_fn=shown.append)
    assert "add (Add)" in "\n".join(shown)
    assert "multiply (Multiply)" in "\n".join(shown)


def test_variables_begin_with_values_or_by_initializers() -> None:
    held = keras.Variable([1.0, 2.0], name="held")
    held.assign(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(held.numpy(), [3.0, 4.0])
    assert held.path == "held"
    assert keras.Variable("ones", shape=(2,)).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(InvalidArgumentError, match="shape"):
        keras.Variable("ones")


class _Scaled(keras.layers.Layer):
    """A layer of two inputs, whose build gets both shapes."""

    def build(
        self, query_shape: tuple[int, ...], value_shape: tuple[int, ...]
    ) -> None:
        self.scale = self.add_weight(
            shape=(query_shape[-1], value_shape[-1]), initializer="ones", name="scale"
        )

    def call(self, query: Any, value: Any) -> Any:
        return tf.matmul(query, self.scale) + value


def test_layers_of_several_inputs_are_built_with_their_shapes() -> None:
    layer = _Scaled()
    made = layer(np.ones((2, 3), "float32"), np.ones((2, 4), "float32"))
    assert layer.scale.shape == (3, 4)
    assert layer.built
    np.testing.assert_array_equal(made.numpy(), np.full((2, 4), 4.0))


def test_a_layer_that_was_built_by_hand_is_not_built_again() -> None:
    layer = keras.layers.Dense(3, name="own")
    layer.build((None, 2))
    kernel = layer.kernel
    layer(np.ones((1, 2)))
    assert layer.kernel is kernel
    assert (layer.kernel.name, layer.kernel.path) == ("kernel", "own/kernel")
