"""Metrics of tf.contrib.metrics over several batches; numbers are TensorFlow 1.15's or NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import ShapeError

tf: Any = v1
metrics: Any = tf.contrib.metrics


def told(make: Any, *batches: Any) -> tuple[Any, Any]:
    """Return the value after some batches, and what the last update gave."""
    with tf.Graph().as_default(), tf.Session() as session:
        places = [
            tf.placeholder(np.asarray(x).dtype, [None, *np.shape(x)[1:]])
            for x in batches[0]
        ]
        value, update = make(*places)
        session.run(tf.local_variables_initializer())
        last: Any = None
        for batch in batches:
            last = session.run(update, dict(zip(places, batch, strict=True)))
        return session.run(value), last


def test_values_are_kept_in_a_row_that_grows() -> None:
    batches = [np.arange(i, dtype=np.float32) for i in (1, 4, 9)]
    value, size = told(metrics.streaming_concat, *[[x] for x in batches])
    assert value.tolist() == np.concatenate(batches).tolist()
    assert size == 14


def test_values_are_joined_along_an_axis_up_to_a_size() -> None:
    batches = [np.arange(6.0).reshape(2, 3) + i for i in (0, 10)]

    def across(x: Any) -> Any:
        x.set_shape([2, 3])
        return metrics.streaming_concat(x, axis=-1, max_size=5)

    value, size = told(across, *[[x] for x in batches])
    assert value.tolist() == np.concatenate(batches, 1)[:, :5].tolist()
    assert size == 5


def test_rows_of_unknown_sizes_are_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ShapeError, match="known rank"):
            metrics.streaming_concat(tf.placeholder(tf.float32))
        with pytest.raises(ShapeError, match="statically known size"):
            metrics.streaming_concat(tf.placeholder(tf.float32, [None, None]))
        with pytest.raises(ShapeError, match="axis = 1"):
            metrics.streaming_concat(tf.zeros([2]), axis=1)


LABELS = np.array([True, False, True, True, False])
FOUND = np.array([0.9, 0.1, 0.35, 0.6, 0.6], np.float32)


def test_counts_at_equal_thresholds_are_those_of_each() -> None:
    def counted(labels: Any, predictions: Any) -> Any:
        return metrics.precision_recall_at_equal_thresholds(
            labels, predictions, num_thresholds=5
        )

    found, _ = told(counted, [LABELS, FOUND], [LABELS, FOUND])
    limits = np.arange(5) / 4
    said = FOUND[None] >= limits[:, None]
    right, wrong = [2.0 * (said & x).sum(1) for x in (LABELS, ~LABELS)]
    np.testing.assert_allclose(found.thresholds, limits)
    np.testing.assert_allclose(found.tp, right)
    np.testing.assert_allclose(found.fp, wrong)
    np.testing.assert_allclose(found.fn, 6 - right)
    np.testing.assert_allclose(found.tn, 4 - wrong)
    np.testing.assert_allclose(found.precision, [0.6, 0.75, 2 / 3, 1.0, 0.0])
    np.testing.assert_allclose(found.recall, [1.0, 1.0, 2 / 3, 1 / 3, 0.0])


@pytest.mark.parametrize(
    ("curve", "last"), [("ROC", (0.0, 1 / 3)), ("PR", (1 / 3, 1.0))]
)
def test_points_of_curves(curve: str, last: tuple[float, float]) -> None:
    def points(labels: Any, predictions: Any) -> Any:
        return metrics.streaming_curve_points(
            labels, predictions, num_thresholds=3, curve=curve
        )

    found, _ = told(points, [LABELS, FOUND - np.float32(0.2)])
    assert found.shape == (3, 2)
    np.testing.assert_allclose(found[1], last, atol=1e-5)


def test_agreement_is_counted_in_whole_numbers() -> None:
    a, b = np.array([0, 1, 2, 1, 0]), np.array([0, 1, 1, 1, 2])
    value, last = told(
        lambda x, y: metrics.cohen_kappa(x, y, 3), [a[:2], b[:2]], [a[2:], b[2:]]
    )
    chance = np.bincount(a, minlength=3) @ np.bincount(b, minlength=3) / 25
    np.testing.assert_allclose([value, last], (0.6 - chance) / (1 - chance))
    assert value.dtype == np.float64


def test_covariance_is_merged_batch_by_batch() -> None:
    random = np.random.default_rng(5)
    x, y, w = random.normal(size=(3, 8)).astype(np.float32)
    w = np.abs(w)
    parts = [slice(0, 3), slice(3, 8)]
    batches = [[z[part] for z in (x, y, w)] for part in parts]
    value, last = told(metrics.streaming_covariance, *batches)
    means = [np.average(z, weights=w) for z in (x, y)]
    wanted = (w * (x - means[0]) * (y - means[1])).sum() / (w.sum() - 1)
    np.testing.assert_allclose([value, last], wanted, rtol=1e-4)


def test_precision_is_that_of_the_last_threshold_with_the_recall() -> None:
    value, _ = told(
        lambda x, y: metrics.precision_at_recall(x, y, 0.6, num_thresholds=11),
        [LABELS, FOUND - np.float32(0.05)],
    )
    np.testing.assert_allclose(value, 2 / 3, atol=1e-6)


def test_precision_over_ranks_is_averaged() -> None:
    """The same numbers come of tf.metrics.average_precision_at_k."""
    top, labels = np.array([[2, 0, 1], [1, 2, 0]]), np.array([[0], [1]])
    value, _ = told(
        metrics.streaming_sparse_average_precision_at_top_k, [top, labels]
    )
    np.testing.assert_allclose(value, (0.5 + 1.0) / 2)
