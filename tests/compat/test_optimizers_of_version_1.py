"""Keras' optimizers of TensorFlow 1: what they tell of themselves, and what they are made of.

Expected numbers are what TensorFlow 1.15 gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
optimizers: Any = keras.optimizers


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    try:
        with tf.Graph().as_default():
            yield
    finally:
        mode.eager = before


def _trained(optimizer: Any) -> Any:
    """Return a model of two layers after three steps."""
    layers = keras.layers
    first = layers.Dense(2, input_shape=(3,), kernel_initializer="ones", name="first")
    model = keras.Sequential([first, layers.Dense(1, kernel_initializer="ones")])
    model.compile(optimizer, "mse")
    x = np.arange(12, dtype="float32").reshape(4, 3) / 10
    y = np.array([[1.0], [2.0], [0.0], [1.0]], "float32")
    for _ in range(3):
        model.train_on_batch(x, y)
    return model


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: "adagrad", 37.948),
        (lambda: optimizers.get("Adagrad"), 37.948),
        (lambda: optimizers.Adagrad.from_config({}), 37.948),
        (lambda: {"class_name": "Adagrad", "config": {}}, 37.948),
        (optimizers.Adagrad, 38.0484),
    ],
)
def test_sums_of_adagrad_begin_at_0_where_it_is_made_of_a_name(
    make: Any, expected: float
) -> None:
    sums = _trained(make()).optimizer.get_weights()[1]
    np.testing.assert_allclose(sums[0], [expected, expected], rtol=1e-5)


def test_configurations_tell_how_rates_fall() -> None:
    with_default = {
        "SGD": 0.0,
        "RMSprop": 0.0,
        "Adagrad": 0.0,
        "Adadelta": 0.0,
        "Adam": 0.0,
        "Adamax": 0.0,
        "Nadam": 0.004,
        "Ftrl": 0.0,
    }
    for name, decay in with_default.items():
        kind = getattr(optimizers, name)
        assert kind().get_config()["decay"] == decay
        anew = kind.from_config(kind(decay=0.25).get_config())
        assert anew.get_config()["decay"] == (decay or 0.25)
    assert "beta" not in optimizers.Ftrl().get_config()


def test_schedules_are_described_by_class_and_configuration() -> None:
    schedule = optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    config = optimizers.SGD(schedule).get_config()
    assert config["learning_rate"] == {
        "class_name": "ExponentialDecay",
        "config": {
            "initial_learning_rate": 0.1,
            "decay_steps": 2,
            "decay_rate": 0.5,
            "staircase": False,
            "name": None,
        },
    }
    again = optimizers.SGD.from_config(config)
    assert again.get_config() == config


def test_rates_may_be_called_lr() -> None:
    made = optimizers.Adam.from_config({"lr": 0.05})
    assert made.get_config()["learning_rate"] == pytest.approx(0.05)
    left = optimizers.Ftrl(lr=0.05)
    assert left.get_config()["learning_rate"] == pytest.approx(0.001)


def test_what_is_no_optimizer_is_refused() -> None:
    with pytest.raises(ValueError, match="Could not interpret optimizer"):
        optimizers.get(optimizers.SGD)
    schedule = optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    with pytest.raises(ValueError, match="does not support"):
        optimizers.Nadam(schedule)


def test_weights_that_keras_1_saved_are_taken() -> None:
    model = _trained("rmsprop")
    held = model.optimizer.get_weights()
    model.optimizer.set_weights(held[1:])
    taken = model.optimizer.get_weights()
    assert taken[0] == 0
    np.testing.assert_array_equal(taken[1], held[1])
    model = _trained("adam")
    held = model.optimizer.get_weights()
    model.optimizer.set_weights([*held, *[np.zeros(1)] * 4])
    assert model.optimizer.get_weights()[0] == 3
    with pytest.raises(ValueError, match="was expecting 9 weights"):
        model.optimizer.set_weights(held[1:])


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (lambda: keras.constraints.max_norm(0.5), lambda w: np.linalg.norm(w) <= 0.5),
        (keras.constraints.non_neg, lambda w: (w >= 0).all()),
        (keras.constraints.unit_norm, lambda w: abs(np.linalg.norm(w) - 1) < 1e-5),
        (
            lambda: keras.constraints.min_max_norm(0.25, 0.5),
            lambda w: 0.249 < np.linalg.norm(w) < 0.501,
        ),
    ],
)
def test_weights_are_constrained_after_each_step(make: Any, check: Any) -> None:
    layer = keras.layers.Dense(1, input_shape=(3,), kernel_constraint=make())
    model = keras.Sequential([layer])
    model.compile(optimizers.SGD(0.5), "mse")
    model.train_on_batch(np.ones((2, 3)), -np.ones((2, 1)))
    assert check(layer.get_weights()[0])
