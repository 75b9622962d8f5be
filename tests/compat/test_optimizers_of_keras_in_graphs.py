"""Keras' optimizers in graphs of version 1: their state is variables that savers know by name.

The names, orders and losses were recorded from TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.keras import Sequential, backend, layers, optimizers

X = np.arange(12).reshape(4, 3).astype(np.float32) / 10
Y = np.ones((4, 1), np.float32)


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def fitted(optimizer: Any, epochs: int = 3) -> tuple[Any, list[float]]:
    """Return a model of one layer, and its losses."""
    dense = layers.Dense(1, input_shape=(3,), kernel_initializer="ones", name="da")
    model = Sequential([dense])
    model.compile(optimizer, "mse")
    told = model.fit(X, Y, epochs=epochs, verbose=0, shuffle=False)
    return model, told.history["loss"]


HYPER = ("decay", "learning_rate")
BETAS = ("beta_1", "beta_2", *HYPER)


def beside(*names: str) -> list[str]:
    """Return slots of both variables, a slot after the other."""
    return [f"da/{part}/{name}" for name in names for part in ("kernel", "bias")]


@pytest.mark.parametrize(
    ("name", "options", "losses", "numbers", "slots"),
    [
        ("SGD", {}, [1.435, 0.8336, 0.6088], (*HYPER, "momentum"), []),
        ("SGD", {"decay": 0.5}, [1.435, 0.8336, 0.6724], (*HYPER, "momentum"), []),
        (
            "RMSprop",
            {"decay": 0.5},
            [1.435, 0.5087, 0.4556],
            (*HYPER, "momentum", "rho"),
            beside("rms"),
        ),
        ("Adagrad", {}, [1.435, 0.9783, 0.7801], HYPER, beside("accumulator")),
        (
            "Adadelta",
            {},
            [1.435, 1.4342, 1.4334],
            (*HYPER, "rho"),
            beside("accum_grad", "accum_var"),
        ),
        ("Adamax", {}, [1.435, 0.96835, 0.6968], BETAS, beside("m", "v")),
        (
            "Nadam",
            {"decay": 0.5},
            [1.435, 0.9468, 0.735],
            BETAS,
            ["momentum_cache", *beside("m", "v")],
        ),
        (
            "Ftrl",
            {},
            [1.435, 0.4683, 0.4247],
            (
                "decay",
                "l1_regularization_strength",
                "l2_regularization_strength",
                "learning_rate",
                "learning_rate_power",
            ),
            [
                f"da/{part}/{name}"
                for part in ("kernel", "bias")
                for name in ("accumulator", "linear")
            ],
        ),
    ],
)
def test_models_that_train(
    name: str,
    options: dict[str, Any],
    losses: list[float],
    numbers: tuple[str, ...],
    slots: list[str],
) -> None:
    optimizer = getattr(optimizers, name)(0.1, **options)
    _, found = fitted(optimizer)
    np.testing.assert_allclose(found, losses, atol=1e-4)
    prefix = f"training/{name}"
    assert [v.op.name for v in tf.global_variables()] == [
        "da/kernel",
        "da/bias",
        *[f"{prefix}/{x}" for x in ("iter", *numbers, *slots)],
    ]
    assert [v.op.name for v in optimizer.variables()] == [
        f"{prefix}/{x}" for x in ("iter", *slots)
    ]
    assert optimizer.get_weights()[0] == 3


def test_state_is_saved_and_restored(tmp_path: Path) -> None:
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    optimizer = optimizers.Adam(0.1)
    step = optimizer.apply_gradients([(tf.gradients(w * w, w)[0], w)])
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        path = str(saver.save(session, f"{tmp_path}/one"))
        session.run(step)
        wanted = session.run(w)
    names = dict(tf.train.list_variables(path))
    assert {"Adam/iter", "Adam/beta_1", "Adam/w/m", "Adam/w/v"} <= names.keys()
    with tf.Session() as session:
        saver.restore(session, path)
        session.run(step)
        np.testing.assert_array_equal(session.run(w), wanted)


def test_numbers_are_set_while_a_model_trains() -> None:
    optimizer = optimizers.Adam(0.1)
    model, _ = fitted(optimizer)
    backend.set_value(optimizer.lr, 0.0)
    before = model.get_weights()
    model.fit(X, Y, verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], before[0])
    optimizer.learning_rate = 0.25
    assert backend.get_value(optimizer.lr) == 0.25
    assert optimizer.get_config()["learning_rate"] == 0.25
    model.fit(X, Y, verbose=0)
    assert np.abs(model.get_weights()[0] - before[0]).max() > 0


def test_rates_that_fall_can_be_set() -> None:
    optimizer = optimizers.SGD(0.5, decay=0.25)
    assert optimizer.get_config()["decay"] == 0.25
    _, first = fitted(optimizer)
    again = type(optimizer).from_config(optimizer.get_config())
    _, second = fitted(again)
    assert first == second
    again.lr = 0.125
    assert backend.get_value(again.lr) == 0.125


def test_two_optimizers_have_names_of_their_own() -> None:
    w = tf.get_variable("w", initializer=1.0, use_resource=True)
    for _ in range(2):
        optimizers.SGD(0.1).apply_gradients([(tf.gradients(w * w, w)[0], w)])
    made = [v.op.name for v in tf.global_variables() if v.op.name.endswith("iter")]
    assert made == ["SGD/iter", "SGD_1/iter"]
