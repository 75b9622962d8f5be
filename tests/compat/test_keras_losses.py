"""Losses of tf.keras: of what width they are, how they become one number, and where logits count.

Expected numbers are TensorFlow 2.21's unless the test says how they come about.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode

LOSSES: Any = tf.keras.losses


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)


def test_a_loss_takes_true_and_predicted_values_in_its_own_dtype() -> None:
    class Square(tf.keras.losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return tf.square(y_true - y_pred)

    assert float(Square()(np.array([1, 2]), np.array([1.5, 3.0]))) == 0.625
    assert Square()([1, 2], tf.constant([1.5, 3.0])).dtype == tf.float32
    assert (
        LOSSES.MeanSquaredError(dtype="float64")([[1]], [[2.0]]).dtype == tf.float64
    )
    assert LOSSES.Hinge(dtype="bfloat16")([[1]], [[2.0]]).dtype == tf.bfloat16


def test_a_mean_with_weights_is_of_the_weights() -> None:
    loss = LOSSES.MeanSquaredError(reduction="mean_with_sample_weight")
    made = loss([[1.0], [2.0], [5.0]], [[1.5], [2.0], [3.0]], [1.0, 2.0, 4.0])
    assert np.isclose(made.numpy(), (0.25 + 16.0) / 7.0)


def test_an_unknown_reduction_is_refused_where_it_is_given() -> None:
    with pytest.raises(ValueError, match="Invalid value for argument `reduction`"):
        LOSSES.MeanSquaredError(reduction="abc")


def test_ranks_that_differ_by_an_axis_of_one_are_made_the_same() -> None:
    rows, column = np.zeros((2, 3)), np.ones((2, 3, 1))
    assert LOSSES.MeanSquaredError(reduction="none")(rows, column).shape == (2,)
    assert LOSSES.mean_squared_error(column, rows).shape == (2,)
    assert LOSSES.mean_squared_error(np.zeros(4), np.ones((4, 1))).shape == (4,)


def test_targets_of_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="must have the same shape"):
        LOSSES.CategoricalCrossentropy()(np.ones((2, 3)), np.ones((2, 4)))


@pytest.mark.parametrize("activation", ["sigmoid", tf.sigmoid])
def test_probabilities_at_the_ends_still_have_gradients_in_training(
    activation: Any,
) -> None:
    x = np.array([[1.0], [2.0]], np.float32)
    first = tf.keras.initializers.Constant(40.0)
    layer = tf.keras.layers.Dense(1, activation, kernel_initializer=first)
    model = tf.keras.Sequential([tf.keras.Input((1,)), layer])
    model.compile(tf.keras.optimizers.SGD(1.0), "binary_crossentropy")
    history = model.fit(x, np.zeros((2, 1)), verbose=0)
    assert np.isclose(history.history["loss"][0], 60.0)
    assert np.isclose(layer.kernel.numpy()[0, 0], 38.5)


def test_logits_of_keras_activations_are_known_eagerly_too() -> None:
    logits = tf.constant([[-30.0, 30.0]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        p = tf.keras.activations.softmax(logits)
        loss = LOSSES.SparseCategoricalCrossentropy()([0], p)
    assert np.isclose(loss.numpy(), 60.0)
    assert np.allclose(tape.gradient(loss, logits).numpy(), [[-1.0, 1.0]])


def test_ctc_counts_no_zeros_among_labels() -> None:
    logits = (np.arange(24.0).reshape(2, 4, 3) % 5 - 2) / 4
    labels = np.array([[1, 2, 0], [2, 0, 0]])
    by_hand = tf.nn.ctc_loss(
        labels,
        logits.astype("float32"),
        [2, 1],
        [4, 4],
        logits_time_major=False,
        blank_index=0,
    )
    assert np.allclose(
        LOSSES.CTC(reduction="none")(labels, logits), by_hand.numpy(), rtol=1e-5
    )


def test_circle_leaves_out_what_costs_nothing() -> None:
    vectors = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    loss = LOSSES.Circle(gamma=2.0)
    one = loss([0, 0, 1], vectors).numpy()
    each = LOSSES.circle([0, 0, 1], vectors.astype("float32"), gamma=2.0).numpy()
    assert each[2] == 0.0, "a class of one has nothing to be near"
    assert np.isclose(one, each[:2].mean())


def test_generalized_cross_entropy_is_one_minus_the_power_over_it() -> None:
    p = np.array([[0.7, 0.3], [0.2, 0.8]])
    loss = LOSSES.CategoricalGeneralizedCrossEntropy(q=0.5, reduction="none")
    wanted = (1.0 - np.sqrt([0.7, 0.8])) / 0.5
    assert np.allclose(loss([0, 1], p), wanted)
    with pytest.raises(ValueError, match="must be in the interval"):
        LOSSES.CategoricalGeneralizedCrossEntropy(1.5)


def test_tversky_weighs_what_is_missed_by_alpha() -> None:
    true, found = np.array([[1.0, 0.0, 1.0]]), np.array([[0.5, 0.25, 1.0]])
    loss = tf.keras.losses.tversky(true, found, alpha=0.8, beta=0.1)
    want = 1 - 1.5 / (1.5 + 0.8 * 0.5 + 0.1 * 0.25)
    np.testing.assert_allclose(loss, want, rtol=1e-6)


@pytest.mark.parametrize(
    ("units", "kind"), [(1, "binary"), (4, "sparse_categorical"), (4, "categorical")]
)
def test_crossentropy_is_the_one_that_fits_what_is_compared(
    units: int, kind: str
) -> None:
    draws = np.random.RandomState(1)
    rows = draws.rand(20, 3).astype(np.float32)
    numbers = draws.randint(0, max(units, 2), 20)
    labels = {
        "binary": numbers[:, None],
        "sparse_categorical": numbers,
        "categorical": np.eye(4)[numbers],
    }[kind]
    act = "sigmoid" if units == 1 else "softmax"
    found = []
    for loss in ("crossentropy", f"{kind}_crossentropy"):
        dense = tf.keras.layers.Dense(units, act, kernel_initializer="ones")
        model = tf.keras.Sequential([dense])
        model.compile("sgd", loss)
        told = model.fit(rows, labels, epochs=2, verbose=0, shuffle=False)
        found.append(told.history["loss"])
    assert found[0] == found[1]
