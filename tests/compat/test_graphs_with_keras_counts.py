"""Keras' metrics of counts in graphs of version 1: values and variables are TensorFlow 1's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
M = keras.metrics
RIGHT = np.array([[0, 1], [1, 1], [0, 0], [1, 0]], np.float32)
SCORES = np.array([[0.1, 0.7], [0.4, 0.9], [0.6, 0.3], [0.8, 0.2]], np.float32)
ROWS = np.array([1.0, 0.5, 2.0, 0.25], np.float32)
CASES: list[tuple[Callable[[], Any], Any, Any]] = [
    (M.AUC, 0.9375, 0.91534),
    (lambda: M.AUC(5, "PR"), 0.88733, 0.69055),
    (lambda: M.AUC(5, "PR", "minoring"), 0.35417, 0.28741),
    (lambda: M.AUC(5, summation_method="majoring"), 0.9375, 0.91534),
    (M.Precision, 0.75, 0.46667),
    (lambda: M.Precision(top_k=1), 0.75, 0.46667),
    (lambda: M.Recall([0.2, 0.5]), [1.0, 0.75], [1.0, 0.77778]),
    (M.TruePositives, 3.0, 1.75),
    (lambda: M.FalseNegatives([0.3, 0.7]), [0.0, 2.0], [0.0, 1.5]),
    (M.CosineSimilarity, 0.72336, 0.45311),
]


def _found(make: Callable[[], Any], weights: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        metric = make()
        update = metric.update_state(RIGHT, SCORES, weights)
        result = metric.result()
        session.run([x.initializer for x in metric.variables])
        session.run(update)
        return session.run(result)


@pytest.mark.parametrize(("make", "plain", "weighted"), CASES)
def test_values_are_those_of_tensorflow(
    make: Callable[[], Any], plain: Any, weighted: Any
) -> None:
    np.testing.assert_allclose(_found(make, None), plain, atol=1e-5)
    np.testing.assert_allclose(_found(make, ROWS), weighted, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (M.Precision, ["true_positives:0", "false_positives:0"]),
        (M.Recall, ["true_positives:0", "false_negatives:0"]),
        (M.TrueNegatives, ["accumulator:0"]),
    ],
)
def test_metrics_keep_what_they_count_alone(
    make: Callable[[], Any], names: list[str]
) -> None:
    with tf.Graph().as_default():
        assert [x.name for x in make().variables] == names


def test_a_class_is_counted_by_itself() -> None:
    assert _found(lambda: M.Recall(class_id=1), None) == 1.0


def test_penalties_of_weights_stand_before_what_calls_cost() -> None:
    graph: Any = tf.Graph()
    with graph.as_default():
        first = keras.layers.Dense(2, input_shape=(4,), activity_regularizer="l1")
        second = keras.layers.Dense(1, kernel_regularizer="l2")
        model = keras.Sequential([first, second])
        model.compile("sgd", "mse")
        (every,) = [x for x in graph.get_operations() if x.name == "loss/AddN"]
        assert [x.op.name for x in every.inputs] == [
            "loss/dense_1/kernel/Regularizer/add",
            "dense/ActivityRegularizer/truediv",
        ]
        assert len(model.get_losses_for(None)) == 1
