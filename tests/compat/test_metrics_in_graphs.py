"""Metrics of version 1 that count at thresholds, and what is drawn behind assertions.

Numbers and names are those that TensorFlow 1.15.5 gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
LABELS = [True, False, True, True, False]
SHARES = [0.9, 0.4, 0.35, 0.8, 0.1]
WEIGHTS = [1.0, 2.0, 1.0, 0.5, 1.0]


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


METRICS: dict[str, tuple[Callable[[Any, Any, Any], Any], Any]] = {
    "auc": (lambda *xs: tf.metrics.auc(*xs, num_thresholds=5), 0.86666644),
    "precisely": (
        lambda y, x, _: tf.metrics.auc(y, x, num_thresholds=5, curve="PR"),
        0.958333,
    ),
    "sensitivity": (
        lambda y, x, w: tf.metrics.sensitivity_at_specificity(y, x, 0.5, w, 5),
        1.0,
    ),
    "specificity": (
        lambda y, x, w: tf.metrics.specificity_at_sensitivity(y, x, 0.6, w, 5),
        1.0,
    ),
    "precision": (lambda y, x, _: tf.metrics.precision(y, x), 0.6),
    "thresholds": (
        lambda y, x, w: tf.metrics.precision_at_thresholds(y, x, [0.2, 0.5], w),
        [0.5555556, 1.0],
    ),
}


@pytest.mark.parametrize(("metric", "wanted"), METRICS.values(), ids=METRICS)
def test_metrics_at_thresholds(metric: Callable[..., Any], wanted: Any) -> None:
    given = [
        tf.placeholder(tf.as_dtype(np.asarray(x).dtype), [5])
        for x in (LABELS, SHARES, WEIGHTS)
    ]
    value, update = metric(*given)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        fed = dict(zip(given, (LABELS, SHARES, WEIGHTS), strict=True))
        np.testing.assert_allclose(session.run(update, fed), wanted, rtol=1e-5)
        np.testing.assert_allclose(session.run(value), wanted, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_metrics_of_nothing_are_zero() -> None:
    """Quotients of nothing are computed, as in TensorFlow, and not taken."""
    nothing = tf.placeholder(tf.int32, [0])
    made = [
        tf.metrics.precision(tf.cast(nothing, tf.bool), tf.cast(nothing, tf.bool)),
        tf.metrics.recall(tf.cast(nothing, tf.bool), tf.cast(nothing, tf.bool)),
        tf.metrics.mean_iou(nothing, nothing, 3),
    ]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run([update for _, update in made], {nothing: []})
        assert session.run([value for value, _ in made]) == [0.0, 0.0, 0.0]


def test_predictions_at_thresholds_are_shares() -> None:
    x = tf.placeholder(tf.float32, [5])
    _, update = tf.metrics.true_positives_at_thresholds(LABELS, x, [0.5])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"must be in \[0, 1\]"
        ):
            session.run(update, {x: [0.0, 1.5, 0.0, 0.0, 0.0]})


def test_metrics_at_thresholds_make_tensorflows_nodes(graph: Any) -> None:
    x = tf.placeholder(tf.float32, [5], name="x")
    y = tf.placeholder(tf.bool, [5], name="y")
    tf.metrics.precision_at_thresholds(y, x, [0.2, 0.5])
    found = {
        op.name.removeprefix("precision_at_thresholds/")
        for op in graph.get_operations()
    }
    assert {
        *("Tile", "Tile_1", "Tile_2", "Greater", "LogicalNot", "LogicalAnd_1"),
        *("assert_less_equal/Assert/AssertGuard/Merge", "precision_update_op"),
        *("transpose", "true_positives/read", "false_positives/read", "Sum_1"),
    } <= found
    assert "LogicalNot_1" not in found


def test_what_is_drawn_behind_assertions_is_as_if_these_were_branches() -> None:
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [3], name="x")
    tf.assert_positive(x)
    tf.assert_equal(x, 1.0)
    tf.Assert(x[0] > 0, ["a"])
    tf.metrics.precision_at_thresholds(tf.placeholder(tf.bool, [3]), x, [0.2, 0.5])
    drawn = tf.random_uniform([2])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(drawn), [0.25505126, 0.22351909])


def _measured(metrics: list[Any], feeds: list[dict[Any, Any]]) -> list[list[float]]:
    """Return for each feed what every metric gives for it alone."""
    start, updates = tf.local_variables_initializer(), [x[1] for x in metrics]
    found = []
    with tf.Session() as session:
        for feed in feeds:
            session.run(start)
            found.append([round(float(x), 6) for x in session.run(updates, feed)])
    return found


def test_a_last_axis_too_much_is_lost_where_ranks_are_known_later() -> None:
    """What rows broadcast against would be counted otherwise; values of TensorFlow 1.15."""
    given = tf.placeholder(tf.float32)
    accuracy = tf.metrics.accuracy(given, tf.constant([1.0, 2.0, 2.0]))
    error = tf.metrics.mean_squared_error(tf.constant([1.0, 2.0, 2.0]), given)
    weighed = tf.metrics.accuracy([1, 2, 3], [1, 2, 2], weights=given)
    feeds: list[Any] = [
        {given: [[1.0], [2.0], [3.0]]},
        {given: [1.0, 2.0, 3.0]},
    ]
    found = _measured([accuracy, error, weighed], feeds)
    assert found == [[0.666667, 0.333333, 0.5]] * 2
    flat = tf.metrics.accuracy([[1], [2]], [[1], [2]], weights=given)
    assert _measured([weighed], [{given: 2.0}]) == [[0.666667]]
    assert _measured([flat], [{given: [1.0, 2.0]}]) == [[1.0]]


def test_what_loses_an_axis_is_named_as_such() -> None:
    tf.metrics.accuracy(tf.placeholder(tf.int64), tf.constant([1, 2], tf.int64))
    names = [x.name for x in tf.get_default_graph().get_operations()]
    scope = "remove_squeezable_dimensions"
    assert f"{scope}/Equal" in names
    assert f"{scope}/cond/Switch" in names
