"""Metrics of tf.keras that are made of one number for each label or for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
DRAWS = np.random.default_rng(0)
TRUE = (DRAWS.random((30, 3)) > 0.5).astype(np.float32)
SCORES = DRAWS.random((30, 3)).astype(np.float32)
WEIGHTS = DRAWS.random(30).astype(np.float32)


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)


def _areas(weights: Any, **options: Any) -> list[float]:
    """Return the area of each label alone."""
    found = []
    for label in range(3):
        metric = keras.metrics.AUC(**options)
        metric.update_state(TRUE[:, label], SCORES[:, label], weights)
        found.append(float(metric.result()))
    return found


@pytest.mark.parametrize("curve", ["ROC", "PR"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_area_of_labels_is_the_mean_of_theirs(curve: str, weights: Any) -> None:
    metric = keras.metrics.AUC(multi_label=True, curve=curve)
    assert float(metric.result()) == 0.0
    metric.update_state(TRUE, SCORES, weights)
    areas = _areas(weights, curve=curve)
    assert np.isclose(float(metric.result()), np.mean(areas))
    metric.reset_state()
    metric.update_state(TRUE[:20], SCORES[:20])
    metric.update_state(TRUE[20:], SCORES[20:])
    assert np.isclose(float(metric.result()), np.mean(_areas(None, curve=curve)))


def test_labels_weigh_as_much_as_is_said() -> None:
    shares = [1.0, 2.0, 0.5]
    metric = keras.metrics.AUC(multi_label=True, num_labels=3, label_weights=shares)
    metric.update_state(TRUE, SCORES)
    wanted = np.average(_areas(None), weights=shares)
    assert np.isclose(float(metric.result()), wanted)
    flat = keras.metrics.AUC(label_weights=shares)
    flat.update_state(TRUE, SCORES)
    alike = keras.metrics.AUC()
    alike.update_state(TRUE, SCORES, np.tile(np.array(shares, np.float32), (30, 1)))
    assert np.isclose(float(flat.result()), float(alike.result()))


def test_labels_are_counted_only_where_they_are_told_apart() -> None:
    with pytest.raises(ValueError, match="needed only when `multi_label` is True"):
        keras.metrics.AUC(num_labels=3)


@pytest.mark.parametrize(
    "weights", [WEIGHTS, WEIGHTS[:, None], DRAWS.random((30, 3))]
)
def test_variance_is_explained_by_weight(weights: Any) -> None:
    metric = keras.metrics.R2Score(class_aggregation=None)
    metric.update_state(TRUE, SCORES, weights)
    each = np.broadcast_to(
        weights if np.ndim(weights) == 2 else weights[:, None], (30, 3)
    )
    mean = np.average(TRUE, axis=0, weights=each)
    spread = np.sum(each * (TRUE - mean) ** 2, axis=0)
    wanted = 1.0 - np.sum(each * (TRUE - SCORES) ** 2, axis=0) / spread
    assert np.allclose(metric.result(), wanted, atol=1e-4)


def test_more_regressors_than_samples_adjust_nothing() -> None:
    found = []
    for regressors in (0, 2, 200):
        metric = keras.metrics.R2Score(num_regressors=regressors)
        metric.update_state(TRUE, SCORES)
        found.append(float(metric.result()))
    assert found[1] < found[0] == found[2]


def test_weights_of_programs_own_metrics_may_have_one_size_or_none() -> None:
    metric = keras.metrics.Metric("own")
    assert metric.add_weight("counts", shape=3).shape == (3,)
    assert metric.add_weight("count", shape=None).shape == ()
    assert metric.add_weight("table", shape=[2, 3]).shape == (2, 3)


def test_accuracies_of_single_numbers_are_weighed() -> None:
    metric = tf.keras.metrics.BinaryAccuracy()
    metric.update_state([1, 1, 0, 0], [0.98, 1, 0, 0.6], sample_weight=[1, 0, 0, 1])
    assert float(metric.result()) == 0.5


def test_metrics_tell_what_they_were_made_with() -> None:
    keras = tf.keras
    assert keras.metrics.Precision(0.3, top_k=2).get_config()["thresholds"] == 0.3
    assert keras.metrics.FalsePositives().get_config()["thresholds"] is None
    area = keras.metrics.AUC(thresholds=[0.5, 0.3])
    assert area.num_thresholds == 4
    assert area.get_config()["thresholds"] == [0.3, 0.5]
    assert "thresholds" not in keras.metrics.AUC().get_config()
    assert keras.metrics.TopKCategoricalAccuracy(3).k == 3
    half = keras.metrics.Mean(dtype="mixed_float16")
    assert half.get_config()["dtype"] == "float16"
    assert type(keras.metrics.get("mse")).__name__ == "MeanSquaredError"
    with pytest.raises(ValueError, match="integer > 1"):
        keras.metrics.AUC(num_thresholds=1)


def test_metrics_without_names_are_numbered() -> None:
    keras = tf.keras
    keras.backend.clear_session()
    names = [keras.metrics.Precision().name for _ in range(2)]
    assert names == ["precision", "precision_1"]
    assert [keras.metrics.AUC().name for _ in range(2)] == ["auc", "auc_1"]


def test_places_of_classes_may_be_given_in_order() -> None:
    metric = tf.keras.metrics.SparseTopKCategoricalAccuracy(2, from_sorted_ids=True)
    assert float(metric([2, 1], [[0, 1, 2], [1, 0, 2]])) == 0.5


def test_states_of_metrics_go_through_functions() -> None:
    metric = tf.keras.metrics.Mean()
    metric.update_state([8.0])
    zeros = metric.stateless_reset_state()
    after = metric.stateless_update_state(zeros, [1.0, 3.0])
    assert float(metric.stateless_result(after)) == 2.0
    assert float(metric.result()) == 8.0


def test_sums_of_values_that_have_a_weight_in_common_are_sums() -> None:
    """Keras' numbers: a weight counts for each value it stands for, in a mean for their mean."""
    values = [[[1.0, 2.0], [3.0, 2.0], [0.5, 4.0]]]
    total, mean = keras.metrics.Sum(), keras.metrics.Mean()
    for metric in (total, mean):
        metric.update_state(values, sample_weight=[0.5])
    assert float(total.result()) == 6.25
    np.testing.assert_allclose(float(mean.result()), 2.0833333, rtol=1e-6)


def test_means_of_tensors_weigh_rows() -> None:
    metric = keras.metrics.MeanTensor()
    metric.update_state([[1.0, 2.0], [5.0, 4.0]], sample_weight=[1.0, 0.5])
    metric.update_state([[3.0, 2.0], [2.0, 1.0]])
    wanted = [[2.0, 2.0], [4.5 / 1.5, 3.0 / 1.5]]
    np.testing.assert_allclose(metric.result().numpy(), wanted, rtol=1e-6)


def test_errors_relative_to_nothing_are_nothing() -> None:
    metric = keras.metrics.MeanRelativeError(normalizer=[0.0, 2.0])
    metric.update_state([2.0, 4.0], [4.0, 2.0])
    assert float(metric.result()) == 0.5


@pytest.mark.parametrize(
    ("method", "area"),
    [("interpolation", 0.67631), ("majoring", 0.73651), ("minoring", 0.61611)],
)
def test_areas_under_gains_of_precision_are_keras(method: str, area: float) -> None:
    draws = np.random.RandomState(0)
    true = draws.randint(0, 2, 50)
    scores = np.clip(true * 0.3 + draws.rand(50) * 0.7, 0, 1).astype(np.float32)
    metric = keras.metrics.AUC(50, curve="prgain", summation_method=method)
    metric.update_state(true, scores)
    assert float(metric.result()) == pytest.approx(area, abs=1e-5)
    assert metric.get_config()["curve"] == "PRGAIN"
