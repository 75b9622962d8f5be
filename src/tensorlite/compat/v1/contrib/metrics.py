"""tf.contrib.metrics: those of tf.metrics, predictions before labels and with other names."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.sets import (
    difference as set_difference,
    intersection as set_intersection,
    size as set_size,
    union as set_union,
)
from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.contrib.streaming import (
    accuracy,
    cohen_kappa,
    count,
    predictions_first,
    sparse_recall_at_top_k,
    streaming_covariance,
    streaming_false_negative_rate,
    streaming_false_positive_rate,
    streaming_pearson_correlation,
    streaming_recall_at_k,
    streaming_sparse_average_precision_at_top_k,
    streaming_sparse_precision_at_top_k,
)
from tensorlite.compat.v1.contrib.streaming_thresholds import (
    f1_score,
    precision_at_recall,
    precision_recall_at_equal_thresholds,
    recall_at_precision,
    streaming_concat,
    streaming_curve_points,
    streaming_false_negative_rate_at_thresholds,
    streaming_false_negatives_at_thresholds,
    streaming_false_positive_rate_at_thresholds,
    streaming_false_positives_at_thresholds,
    streaming_true_negatives_at_thresholds,
    streaming_true_positives_at_thresholds,
)
from tensorlite.compat.v1.functions.arrays import confusion_matrix
from tensorlite.core.errors import InvalidArgumentError

streaming_mean = metrics.mean
streaming_mean_tensor = metrics.mean_tensor
streaming_percentage_less = metrics.percentage_below
streaming_accuracy = predictions_first(metrics.accuracy)
streaming_auc = predictions_first(metrics.auc)
streaming_false_negatives = predictions_first(metrics.false_negatives)
streaming_false_positives = predictions_first(metrics.false_positives)
streaming_mean_absolute_error = predictions_first(metrics.mean_absolute_error)
streaming_mean_cosine_distance = predictions_first(metrics.mean_cosine_distance)
streaming_mean_iou = predictions_first(metrics.mean_iou)
streaming_mean_relative_error = predictions_first(metrics.mean_relative_error)
streaming_mean_squared_error = predictions_first(metrics.mean_squared_error)
streaming_precision = predictions_first(metrics.precision)
streaming_precision_at_thresholds = predictions_first(metrics.precision_at_thresholds)
streaming_recall = predictions_first(metrics.recall)
streaming_recall_at_thresholds = predictions_first(metrics.recall_at_thresholds)
streaming_root_mean_squared_error = predictions_first(metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = predictions_first(
    metrics.sensitivity_at_specificity
)
streaming_sparse_precision_at_k = predictions_first(metrics.precision_at_k)
streaming_sparse_recall_at_k = predictions_first(metrics.recall_at_k)
streaming_specificity_at_sensitivity = predictions_first(
    metrics.specificity_at_sensitivity
)
streaming_true_negatives = predictions_first(metrics.true_negatives)
streaming_true_positives = predictions_first(metrics.true_positives)

streaming_sparse_average_precision_at_k = predictions_first(
    metrics.average_precision_at_k
)


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """Return (values, update operators) of pairs, as two lists.

    No pair at all raises InvalidArgumentError.
    """
    if not value_update_tuples:
        raise InvalidArgumentError(
            "Expected at least one value_tensor/update_op pair"
        )
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: dict[str, tuple[Any, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (values, update operators) by name, of a dict of pairs."""
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}


__all__ = [
    "accuracy",
    "aggregate_metric_map",
    "aggregate_metrics",
    "cohen_kappa",
    "confusion_matrix",
    "count",
    "f1_score",
    "precision_at_recall",
    "precision_recall_at_equal_thresholds",
    "recall_at_precision",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "sparse_recall_at_top_k",
    "streaming_accuracy",
    "streaming_auc",
    "streaming_concat",
    "streaming_covariance",
    "streaming_curve_points",
    "streaming_false_negative_rate",
    "streaming_false_negative_rate_at_thresholds",
    "streaming_false_negatives",
    "streaming_false_negatives_at_thresholds",
    "streaming_false_positive_rate",
    "streaming_false_positive_rate_at_thresholds",
    "streaming_false_positives",
    "streaming_false_positives_at_thresholds",
    "streaming_mean",
    "streaming_mean_absolute_error",
    "streaming_mean_cosine_distance",
    "streaming_mean_iou",
    "streaming_mean_relative_error",
    "streaming_mean_squared_error",
    "streaming_mean_tensor",
    "streaming_pearson_correlation",
    "streaming_percentage_less",
    "streaming_precision",
    "streaming_precision_at_thresholds",
    "streaming_recall",
    "streaming_recall_at_k",
    "streaming_recall_at_thresholds",
    "streaming_root_mean_squared_error",
    "streaming_sensitivity_at_specificity",
    "streaming_sparse_average_precision_at_k",
    "streaming_sparse_average_precision_at_top_k",
    "streaming_sparse_precision_at_k",
    "streaming_sparse_precision_at_top_k",
    "streaming_sparse_recall_at_k",
    "streaming_specificity_at_sensitivity",
    "streaming_true_negatives",
    "streaming_true_negatives_at_thresholds",
    "streaming_true_positives",
    "streaming_true_positives_at_thresholds",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
