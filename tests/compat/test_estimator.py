"""Estimators train, judge and answer in graphs of their own, by the checkpoints of a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode

ROWS = np.linspace(-1, 1, 40, dtype=np.float32)[:, None]
LINE = 2 * ROWS - 1


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def _model(features: Any, labels: Any, mode: str, params: Any) -> Any:
    found: Any = tf.layers.dense(features["x"], 1, name="line")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": found})
    loss = tf.losses.mean_squared_error(labels, found)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    step = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    judged = {"error": tf.metrics.mean_absolute_error(labels, found)}
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=step, eval_metric_ops=judged
    )


def _input(epochs: int | None, shuffle: bool) -> Any:
    return tf.estimator.inputs.numpy_input_fn(
        {"x": ROWS}, LINE, batch_size=10, num_epochs=epochs, shuffle=shuffle
    )


def test_an_estimator_learns_goes_on_and_answers(tmp_path: Path) -> None:
    """It finds the line, begins again where it stopped, and answers row by row."""
    model = tf.estimator.Estimator(_model, str(tmp_path), params={"rate": 0.3})
    model.train(_input(None, shuffle=True), steps=100)
    model.train(_input(None, shuffle=True), max_steps=150)
    judged = model.evaluate(_input(1, shuffle=False))
    assert judged["global_step"] == 150
    assert judged["error"] < 1e-3
    assert judged["loss"] == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(
        model.get_variable_value("line/kernel"), [[2]], atol=1e-2
    )
    asked = tf.estimator.inputs.numpy_input_fn({"x": ROWS[:3]}, shuffle=False)
    rows = [row["y"] for row in model.predict(asked)]
    np.testing.assert_allclose(rows, LINE[:3], atol=1e-2)


def test_datasets_feed_an_estimator_until_they_end(tmp_path: Path) -> None:
    """An input function may return a dataset; its end ends the training."""

    def rows() -> Any:
        return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LINE)).batch(8)

    model = tf.estimator.Estimator(_model, str(tmp_path), params={"rate": 0.1})
    found, _ = tf.estimator.train_and_evaluate(
        model,
        tf.estimator.TrainSpec(rows, max_steps=9),
        tf.estimator.EvalSpec(rows, steps=2),
    )
    assert found is not None
    assert found["global_step"] == 5


def test_an_estimator_that_has_learnt_nothing_says_so(tmp_path: Path) -> None:
    """There is no checkpoint to judge."""
    model = tf.estimator.Estimator(_model, str(tmp_path), params={"rate": 0.1})
    with pytest.raises(InvalidArgumentError, match="Could not find trained model"):
        model.evaluate(_input(1, shuffle=False))
