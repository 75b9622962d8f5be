"""tf.contrib.metrics: those of tf.metrics, predictions before labels and with other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.sets import (
    difference as set_difference,
    intersection as set_intersection,
    size as set_size,
    union as set_union,
)
from tensorlite.compat.v1 import metrics, numbers
from tensorlite.compat.v1.arrays import confusion_matrix
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a metric that takes predictions before labels."""

    def metric(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> Any:
        return function(labels, predictions, *args, **kwargs)

    metric.__name__ = metric.__qualname__ = f"streaming_{function.__name__}"
    return metric


streaming_mean = metrics.mean
streaming_mean_tensor = metrics.mean_tensor
streaming_percentage_less = metrics.percentage_below
streaming_accuracy = _swapped(metrics.accuracy)
streaming_auc = _swapped(metrics.auc)
streaming_false_negatives = _swapped(metrics.false_negatives)
streaming_false_positives = _swapped(metrics.false_positives)
streaming_mean_absolute_error = _swapped(metrics.mean_absolute_error)
streaming_mean_cosine_distance = _swapped(metrics.mean_cosine_distance)
streaming_mean_iou = _swapped(metrics.mean_iou)
streaming_mean_relative_error = _swapped(metrics.mean_relative_error)
streaming_mean_squared_error = _swapped(metrics.mean_squared_error)
streaming_precision = _swapped(metrics.precision)
streaming_precision_at_thresholds = _swapped(metrics.precision_at_thresholds)
streaming_recall = _swapped(metrics.recall)
streaming_recall_at_k = _swapped(metrics.recall_at_k)
streaming_recall_at_thresholds = _swapped(metrics.recall_at_thresholds)
streaming_root_mean_squared_error = _swapped(metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _swapped(metrics.sensitivity_at_specificity)
streaming_sparse_precision_at_k = _swapped(metrics.precision_at_k)
streaming_sparse_recall_at_k = _swapped(metrics.recall_at_k)
streaming_specificity_at_sensitivity = _swapped(metrics.specificity_at_sensitivity)
streaming_true_negatives = _swapped(metrics.true_negatives)
streaming_true_positives = _swapped(metrics.true_positives)


def accuracy(
    predictions: Any, labels: Any, weights: Any = None, name: str | None = None
) -> Any:
    """Return the part of predictions of one batch that is right."""
    right = elementwise.cast(elementwise.equal(predictions, labels), float32)
    if weights is None:
        return numbers.reduce_mean(right, name=name)
    scale = elementwise.cast(weights, float32)
    total = numbers.reduce_sum(right * scale)
    return elementwise.divide(total, numbers.reduce_sum(scale), name=name)


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    if not value_update_tuples:
        raise InvalidArgumentError(
            "Expected at least one value_tensor/update_op pair"
        )
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: dict[str, tuple[Any, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}


__all__ = [
    "accuracy",
    "aggregate_metric_map",
    "aggregate_metrics",
    "confusion_matrix",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "streaming_accuracy",
    "streaming_auc",
    "streaming_false_negatives",
    "streaming_false_positives",
    "streaming_mean",
    "streaming_mean_absolute_error",
    "streaming_mean_cosine_distance",
    "streaming_mean_iou",
    "streaming_mean_relative_error",
    "streaming_mean_squared_error",
    "streaming_mean_tensor",
    "streaming_percentage_less",
    "streaming_precision",
    "streaming_precision_at_thresholds",
    "streaming_recall",
    "streaming_recall_at_k",
    "streaming_recall_at_thresholds",
    "streaming_root_mean_squared_error",
    "streaming_sensitivity_at_specificity",
    "streaming_sparse_precision_at_k",
    "streaming_sparse_recall_at_k",
    "streaming_specificity_at_sensitivity",
    "streaming_true_negatives",
    "streaming_true_positives",
]


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
