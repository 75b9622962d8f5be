"""tf.keras: what weights, models and metrics are called, what layers cost, what is refused.

Names are those that TensorFlow 2.21 gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
layers = keras.layers


def test_weights_are_called_as_keras_3_calls_them() -> None:
    keras.backend.clear_session()
    inner = keras.Sequential([layers.Dense(2), layers.Dense(3)])
    outer = keras.Sequential([inner, layers.Dense(1)])
    outer(np.zeros((1, 4), np.float32))
    kernels = [w.path for w in outer.weights[::2]]
    assert kernels == [
        "sequential_1/sequential/dense/kernel",
        "sequential_1/sequential/dense_1/kernel",
        "sequential_1/dense_2/kernel",
    ]
    known = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    assert known.weights[0].path == "sequential_2/dense_3/kernel"
    x = keras.Input((4,))
    assert keras.Model(x, known(x)).name == "functional_3"  # three were made by now
    unnamed = layers.Layer()
    assert [unnamed.add_weight().path for _ in range(2)] == ["variable", "variable_1"]
    assert keras.metrics.Mean().variables[0].path == "mean/total"


def test_metrics_that_were_compiled_are_one() -> None:
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    both = layers.Concatenate()([a, b])
    price, kind = layers.Dense(1, name="price"), layers.Dense(3, name="kind")
    model = keras.Model([a, b], [price(both), kind(both)])
    model.compile(
        "sgd",
        {"price": "mse", "kind": "mse"},
        metrics={"price": ["mae"], "kind": ["mse"]},
    )
    rng = np.random.RandomState(0)
    x = [rng.rand(6, n).astype(np.float32) for n in (4, 3)]
    y = [rng.rand(6, n).astype(np.float32) for n in (1, 3)]
    logs = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
    listed = model.evaluate(x, y, batch_size=4, verbose=0)
    names = ["loss", "compile_metrics", "price_loss", "kind_loss"]
    assert model.metrics_names == names
    order = ["loss", "price_loss", "kind_loss", "kind_mse", "price_mae"]
    np.testing.assert_allclose(listed, [logs[name] for name in order])
    errors = (y[0] - model.predict(x, verbose=0)[0]) ** 2
    means = [errors[:4].mean(), errors[4:].mean()]
    np.testing.assert_allclose(logs["price_loss"], np.mean(means), rtol=1e-5)


def test_a_step_by_hand_updates_what_was_compiled() -> None:
    class Stepped(keras.Model):
        def train_step(self, data: Any) -> Any:
            x, y = data
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(2.0)
                else:
                    metric.update_state(y, self(x))
            return {metric.name: metric.result() for metric in self.metrics}

    x = keras.Input((2,))
    model = Stepped(x, layers.Dense(1)(x))
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0).history
    assert sorted(history) == ["loss", "mae"]
    assert history["loss"] == [2.0]


def test_frozen_weights_cost_nothing_and_what_is_added_stands_first() -> None:
    class Adding(layers.Layer):
        def call(self, inputs: Any) -> Any:
            self.add_loss(7.0)
            return inputs

    dense = layers.Dense(
        1, kernel_regularizer=keras.regularizers.L2(1.0), kernel_initializer="ones"
    )
    model = keras.Sequential([dense, Adding()])
    model(np.ones((1, 2), np.float32))
    assert [float(x) for x in model.losses] == [7.0, 2.0]
    dense.trainable = False
    assert [float(x) for x in model.losses] == [7.0]


REFUSED: dict[str, Callable[[], Any]] = {
    "filters": lambda: layers.Conv2D(0, 3),
    "strides": lambda: layers.Conv2D(4, 3, strides=0),
    "padding": lambda: layers.Conv2D(4, 3, padding="near"),
    "dilation_rate": lambda: layers.Conv2D(4, 3, strides=2, dilation_rate=2),
    "groups": lambda: layers.Conv2D(5, 3, groups=2),
    "units": lambda: layers.LSTM(-1),
    "l2": lambda: keras.regularizers.L2(-1.0),
    "mode": lambda: keras.regularizers.OrthogonalRegularizer(mode="all"),
    "momentum": lambda: keras.optimizers.SGD(momentum=2.0),
    "learning_rate_power": lambda: keras.optimizers.Ftrl(learning_rate_power=1.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_that_nothing_can_be_made_with_are_told(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        REFUSED[name]()


def test_a_layer_takes_inputs_as_wide_as_those_it_was_built_for() -> None:
    dense = layers.Dense(2, name="narrow")
    dense(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match="layer 'narrow' is incompatible"):
        dense(np.zeros((2, 4), np.float32))
