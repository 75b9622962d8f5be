"""Metrics and norms that only TensorFlow 1's contrib has, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
metrics, layers = tf.contrib.metrics, tf.contrib.layers
LABELS = np.array([[0, 1, 1, 0], [1, 1, 0, 0]])
FOUND = np.array([[1, 1, 0, 0], [0, 1, 1, 0]])
SCORES = np.array([[0.1, 0.8, 0.4, 0.3], [0.9, 0.6, 0.7, 0.2]], "f")


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def streamed(make: Any, *batches: Any) -> Any:
    """Return what a metric says after batches of arguments, which its last update says, too."""
    reset_default_graph()
    fed = [tf.placeholder(tf.as_dtype(x.dtype), x.shape[1:]) for x in batches]
    value, update = make(*fed)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        last: Any = None
        for rows in zip(*batches, strict=True):
            last = session.run(update, dict(zip(fed, rows, strict=True)))
        found = session.run(value)
    assert np.allclose(found, last)
    return found


def test_rates_of_errors() -> None:
    false, true = (FOUND == 1) & (LABELS == 0), (FOUND == 0) & (LABELS == 0)
    rate = streamed(metrics.streaming_false_positive_rate, FOUND, LABELS)
    assert rate == pytest.approx(false.sum() / (false.sum() + true.sum()))
    missed = ((FOUND == 0) & (LABELS == 1)).sum() / LABELS.sum()
    assert streamed(
        metrics.streaming_false_negative_rate, FOUND, LABELS
    ) == pytest.approx(missed)


@pytest.mark.parametrize("kind", ["positive", "negative"])
def test_rates_of_errors_at_thresholds(kind: str) -> None:
    make = getattr(metrics, f"streaming_false_{kind}_rate_at_thresholds")
    wrong, of = (1, 0) if kind == "positive" else (0, 1)
    expected = [
        np.mean(np.equal(t < SCORES, wrong)[np.equal(LABELS, of)])
        for t in (0.25, 0.65)
    ]
    found = streamed(lambda x, y: make(x, y, [0.25, 0.65]), SCORES, LABELS)
    assert np.allclose(found, expected)


def test_counts_are_of_values_or_weights() -> None:
    assert streamed(metrics.count, SCORES) == 8
    scale = np.array([[1.0, 0, 2, 1], [1, 1, 0, 0]], "f")
    assert streamed(metrics.count, SCORES, scale) == 6


def test_covariances_are_merged_batch_by_batch() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 4, 5)).astype("f")
    expected = np.cov(x.ravel(), y.ravel())[0, 1]
    assert streamed(metrics.streaming_covariance, x, y) == pytest.approx(
        expected, rel=1e-4
    )
    r = np.corrcoef(x.ravel(), y.ravel())[0, 1]
    assert streamed(metrics.streaming_pearson_correlation, x, y) == pytest.approx(
        r, rel=1e-4
    )
    scale = np.ones_like(x)
    scale[1:] = 0
    first = np.cov(x[0], y[0])[0, 1]
    found = streamed(metrics.streaming_covariance, x, y, scale)
    assert found == pytest.approx(first, rel=1e-4)


def test_agreement_beyond_chance() -> None:
    found, wanted = (
        np.array([[0, 0, 1, 2], [2, 1, 0, 0]]),
        np.array([[0, 1, 1, 2], [2, 1, 0, 2]]),
    )
    same = (found == wanted).mean()
    shares = [np.bincount(x.ravel(), minlength=3) / x.size for x in (found, wanted)]
    chance = (shares[0] * shares[1]).sum()
    kappa = streamed(lambda a, b: metrics.cohen_kappa(a, b, 3), wanted, found)
    assert kappa == pytest.approx((same - chance) / (1 - chance))


def test_best_thresholds() -> None:
    limits = np.linspace(0, 1, 200)
    above = SCORES.ravel() > limits[:, None]
    hits = (above & (LABELS.ravel() == 1)).sum(1)
    precision = hits / np.maximum(above.sum(1), 1e-7)
    recall = hits / LABELS.sum()
    f1 = streamed(metrics.f1_score, LABELS, SCORES)
    assert f1 == pytest.approx(
        np.max(2 * precision * recall / (precision + recall + 1e-7)), rel=1e-3
    )
    found = streamed(
        lambda y, x: metrics.recall_at_precision(y, x, 0.75), LABELS, SCORES
    )
    assert found == pytest.approx(recall[np.argmin(abs(precision - 0.75))])
    found = streamed(
        lambda y, x: metrics.precision_at_recall(y, x, 0.5), LABELS, SCORES
    )
    assert found == pytest.approx(precision[(recall >= 0.5).sum() - 1], rel=1e-3)
    found = streamed(
        lambda y, x: metrics.recall_at_precision(y, x, 0.7, strict_mode=True),
        LABELS,
        SCORES,
    )
    reached = np.where(precision >= 0.7, precision, 2)
    assert found == pytest.approx(recall[np.argmin(reached)])
    with pytest.raises(ValueError, match="range"):
        metrics.recall_at_precision(LABELS, SCORES, 1.5)


def normed(x: Any, axes: tuple[int, ...]) -> Any:
    off = x - x.mean(axes, keepdims=True)
    return off / np.sqrt(x.var(axes, keepdims=True) + 1e-6)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_instances_are_normalised_alone(data_format: str) -> None:
    x = np.random.default_rng(0).normal(3, 2, [2, 4, 5, 6]).astype("f")
    made = layers.instance_norm(tf.constant(x), data_format=data_format)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(made)
    axes = (1, 2) if data_format == "NHWC" else (2, 3)
    assert np.allclose(found, normed(x, axes), atol=1e-4)
    assert [v.op.name for v in tf.trainable_variables()] == [
        "InstanceNorm/beta",
        "InstanceNorm/gamma",
    ]


@pytest.mark.parametrize(("axis", "over"), [(-1, (1, 2)), (1, (-1, -2))])
def test_groups_of_channels_are_normalised(axis: int, over: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(3, 2, [2, 4, 5, 4]).astype("f")
    fed = tf.placeholder(tf.float32, [None, 4, 5, 4])
    made = layers.group_norm(fed, 2, axis, over, scope="group")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(made, {fed: x})
    if axis == -1:
        expected = normed(x.reshape(2, 4, 5, 2, 2), (1, 2, 4)).reshape(x.shape)
    else:
        expected = normed(x.reshape(2, 2, 2, 5, 4), (2, 3, 4)).reshape(x.shape)
    assert np.allclose(found, expected, atol=1e-4)
    assert made.shape.as_list() == [None, 4, 5, 4]


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"groups": 10}, "Invalid groups 10 for 4 channels"),
        ({"groups": 3}, "4 channels is not commensurate with 3 groups"),
        ({"channels_axis": 5}, "Axis is out of bounds"),
        ({"groups": 2, "reduction_axes": [-1]}, "mutually exclusive"),
    ],
)
def test_groups_that_do_not_fit_are_refused(
    given: dict[str, Any], match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        layers.group_norm(tf.zeros([1, 3, 3, 4]), **given)


def test_predictions_that_are_the_best_are_counted() -> None:
    best, labels = np.array([[[0, 1]], [[2, 3]]]), np.array([[[1]], [[1]]])
    assert streamed(metrics.streaming_sparse_precision_at_top_k, best, labels) == 0.25
    assert streamed(metrics.sparse_recall_at_top_k, labels, best) == 0.5


def test_only_what_is_needed_is_counted() -> None:
    x, y = tf.constant([0.5]), tf.constant([1])
    metrics.recall_at_precision(y, x, 0.5)
    metrics.f1_score(y, x)
    kinds = ["true_positives", "false_negatives", "true_negatives", "false_positives"]
    assert [v.op.name for v in tf.local_variables()] == [
        *[f"recall_at_precision/{kind}" for kind in kinds],
        *[f"f1/{kind}" for kind in kinds if kind != "true_negatives"],
    ]
