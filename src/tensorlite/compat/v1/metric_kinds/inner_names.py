"""tensorflow.python.ops.metrics_impl: what metrics that others write take from those here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.graphs.scopes import add_to_collections
from tensorlite.compat.v1.metric_kinds.counts import ALL_KINDS, counts_at_thresholds
from tensorlite.compat.v1.metric_kinds.parts import (
    fitted,
    metric_variable,
)
from tensorlite.compat.v1.metric_kinds.top_k import average_precision_of_top_k

__all__ = ["metric_variable"]

_remove_squeezable_dimensions = fitted
_streaming_sparse_average_precision_at_top_k = average_precision_of_top_k


def _safe_scalar_div(numerator: Any, denominator: Any, name: str | None) -> Any:
    """Return a quotient, 0 where it is by 0."""
    return elementwise.div_no_nan(numerator, denominator, name=name)


def _aggregate_variable(v: Any, collections: Any) -> Any:
    """Return the value of a metric's variable, which is added to collections."""
    value = v.value()
    if collections:
        add_to_collections(collections, value)
    return value


def _confusion_matrix_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return counts by their short names, "tp", for each threshold, and their updates."""
    asked = tuple(_KINDS) if includes is None else tuple(includes)
    kinds = [_KINDS[short] for short in asked]
    given = labels, predictions, thresholds, weights, kinds
    counts, updates = counts_at_thresholds(*given)
    return (
        dict(zip(asked, counts, strict=True)),
        dict(zip(asked, updates, strict=True)),
    )


_KINDS = dict(zip(("tp", "fn", "tn", "fp"), ALL_KINDS, strict=True))
