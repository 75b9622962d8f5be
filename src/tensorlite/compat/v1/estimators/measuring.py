"""Labels that are checked, and metrics from a probability on: what several heads need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise
from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.functions import arrays, checks
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float32


def in_range(labels: Any, count: int) -> Any:
    """Return labels, once it is certain that they are below a number."""
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


def as_floats(x: Any) -> Any:
    """Return numbers as float32."""
    return elementwise.cast(x, float32)


def at_threshold(labels: Any, chance: Any, weights: Any, at: float) -> dict[str, Any]:
    """Return the metrics of what counts as one class from a probability on."""

    def single(metric: Callable[..., Any]) -> Any:
        pair = metric(labels, chance, [at], weights)
        return tuple(arrays.squeeze(x) for x in pair)

    yes = as_floats(elementwise.greater_equal(chance, at))
    return {
        f"accuracy/positive_threshold_{at:g}": metrics.accuracy(labels, yes, weights),
        f"precision/positive_threshold_{at:g}": single(
            metrics.precision_at_thresholds
        ),
        f"recall/positive_threshold_{at:g}": single(metrics.recall_at_thresholds),
    }
