"""Metrics of TensorFlow 1 of the k classes with the highest predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import elementwise, nn as shared_nn
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    in_graph_only,
    metric_variable,
)
from tensorlite.compat.v1.metric_kinds.ranks import (
    average_precision,
    false_negatives,
    false_positives,
    known_labels,
    true_positives,
    with_axis,
)
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.core.dtypes import float64, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


def name_at_k(what: str, k: int | None, class_id: int | None = None) -> str:
    of_k = f"{what}_at_{'k' if k is None else k}"
    return of_k if class_id is None else f"{of_k}_class{class_id}"


def _top(predictions: Any, k: int) -> Any:
    return shared_nn.top_k(predictions, k)[1]


def _at_top_k(
    what: str,
    labels: Any,
    predictions_idx: Any,
    k: int | None,
    class_id: int | None,
    weights: Any,
    collections: tuple[Any, Any],
    name: str | None,
) -> Metric:
    in_graph_only(name_at_k(what, None))
    with name_scope(name, name_at_k(what, k, class_id)) as prefix:
        rows = with_axis(labels, predictions_idx)
        top = elementwise.cast(predictions_idx, int64)
        given = (rows, top, k, class_id, weights)
        tp, tp_update = _summed("true_positive", given, true_positives)
        other = "false_negative" if what == "recall" else "false_positive"
        missed = false_negatives if what == "recall" else false_positives
        no, no_update = _summed(other, given, missed)
        value = elementwise.div(tp, elementwise.add(tp, no), name=prefix)
        whole = elementwise.add(tp_update, no_update)
        update = elementwise.div(tp_update, whole, name="update")
        return collected(value, update, *collections)


def _summed(what: str, given: Any, count: Callable[..., Any]) -> Metric:
    """Return a variable's value, and that with what is counted in a batch added."""
    rows, top, k, class_id, weights = given
    with name_scope(name_at_k(what, k, class_id)) as prefix:
        each = count(rows, top, class_id, weights)
        more = elementwise.cast(numbers.reduce_sum(each), float64)
        total = metric_variable([], float64, name=prefix)
        return total.value(), total.assign_add(more, name="update")


@at_home
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (recall, update operator): the share of labels among rows' predicted classes.

    predictions_idx has k classes in each row; with class_id only that class counts.
    """
    into = metrics_collections, updates_collections
    return _at_top_k(
        "recall", labels, predictions_idx, k, class_id, weights, into, name
    )


@at_home
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (precision, update operator): the share of predicted classes that are labels.

    predictions_idx has k classes in each row; with class_id only that class counts.
    """
    into = metrics_collections, updates_collections
    return _at_top_k(
        "precision", labels, predictions_idx, k, class_id, weights, into, name
    )


@at_home
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (recall, update operator): the share of labels among the k highest predictions.

    labels are classes' numbers, [..., labels], dense or sparse; with class_id only that class
    counts.
    """
    into = metrics_collections, updates_collections
    with name_scope(name, name_at_k("recall", k, class_id)) as prefix:
        top = _top(predictions, k)
        return _at_top_k("recall", labels, top, k, class_id, weights, into, prefix)


@at_home
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (precision, update operator): the share of labels in the k highest predictions.

    labels are classes' numbers, [..., labels], dense or sparse; with class_id only that class
    counts.
    """
    into = metrics_collections, updates_collections
    with name_scope(name, name_at_k("precision", k, class_id)) as prefix:
        top = _top(predictions, k)
        return _at_top_k("precision", labels, top, k, class_id, weights, into, prefix)


sparse_precision_at_k = precision_at_k


@at_home
def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (mean over rows of precision averaged up to the k-th class, update operator).

    A k below 1 raises InvalidArgumentError.
    """
    if k < 1:
        raise InvalidArgumentError(f"Invalid k={k}.")
    into = metrics_collections, updates_collections
    with name_scope(name, name_at_k("average_precision", k)) as prefix:
        top = _top(predictions, k)
        classes = elementwise.cast(v1_arrays.shape(predictions)[-1], int64)
        kept = known_labels(labels, classes)
        return average_precision_of_top_k(kept, top, weights, *into, prefix)


def average_precision_of_top_k(
    labels: Any,
    predictions_idx: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the same for classes that are sorted already, the last axis of predictions_idx."""
    top = convert_to_tensor(predictions_idx)
    shape = top.get_shape()
    if shape.rank is not None and (shape.rank < 2 or shape.as_list()[-1] is None):
        raise InvalidArgumentError(
            f"predictions_idx of shape {shape}: give classes for each row, [..., k], k known"
        )
    with name_scope(name, "average_precision_at_top_k") as prefix:
        each = average_precision(labels, top)
        if weights is not None:
            weights = broadcast_weights(elementwise.cast(weights, float64), each)
            each = elementwise.multiply(each, weights)
        with name_scope(None, "max") as scope:
            most = metric_variable([], float64, name=scope)
            if weights is None:
                count = elementwise.cast(
                    v1_arrays.size(each, name="batch_max"), float64
                )
            else:
                count = numbers.reduce_sum(weights, name="batch_max")
            most_update = most.assign_add(count, name="update")
        with name_scope(None, "total") as scope:
            total = metric_variable([], float64, name=scope)
            batch = numbers.reduce_sum(each, name="batch_total")
            total_update = total.assign_add(batch, name="update")
        value = elementwise.div_no_nan(total.value(), most.value(), name="mean")
        update = elementwise.div_no_nan(total_update, most_update, name=prefix)
        return collected(value, update, metrics_collections, updates_collections)


sparse_average_precision_at_k = average_precision_at_k
