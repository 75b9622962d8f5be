"""Labels that are checked, and metrics from a probability on: what several heads need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise
from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.functions import arrays, checks, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.graph_mode.graph import name_scope


def in_range(labels: Any, count: int) -> Any:
    """Return labels, once it is certain that they are below a number."""
    with name_scope(None, "assert_range"):
        checked = [
            checks.assert_less_equal(
                labels,
                framework.constant(count - 1, labels.dtype),
                message="Labels must <= n_classes - 1",
            ),
            checks.assert_non_negative(labels, message="Labels must >= 0"),
        ]
        with framework.control_dependencies(checked):
            return shared_arrays.identity(labels)


def mean_of(x: Any, weights: Any, name: str, title: str) -> Any:
    """Return the mean of numbers by weights, as a metric; `title` is of these numbers."""
    with name_scope(name) as prefix:
        given = numbers.to_float(x, name=title)
        return metrics.mean(given, broadcast_weights(weights, given), name=prefix)


def penalty(total: Any) -> dict[str, Any]:
    """Return the metric of regularization losses, if there are any."""
    if total is None:
        return {}
    key = "regularization_loss"
    return {key: metrics.mean(total, name=key)}


def at_threshold(labels: Any, chance: Any, weights: Any, at: float) -> dict[str, Any]:
    """Return the metrics of what counts as one class from a probability on."""

    def single(metric: Callable[..., Any], key: str) -> Any:
        with name_scope(key) as prefix:
            pair = metric(labels, chance, (at,), weights, name=prefix)
            return tuple(arrays.squeeze(x) for x in pair)

    keys = [
        f"{x}/positive_threshold_{at:g}" for x in ("accuracy", "precision", "recall")
    ]
    with name_scope(keys[0]) as prefix:
        yes = numbers.to_float(elementwise.greater_equal(chance, at))
        accuracy = metrics.accuracy(labels, yes, weights, name=prefix)
    return {
        keys[0]: accuracy,
        keys[1]: single(metrics.precision_at_thresholds, keys[1]),
        keys[2]: single(metrics.recall_at_thresholds, keys[2]),
    }
