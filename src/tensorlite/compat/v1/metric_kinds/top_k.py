"""Metrics of TensorFlow 1 of the k classes with the highest predictions."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import elementwise, nn as shared_nn
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor, to_dense
from tensorlite.compat.shared.values import convert_to_tensor_or_sparse_tensor
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    computed,
    in_graph_only,
    metric_variable,
    spread,
)
from tensorlite.core.dtypes import float64, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse
from tensorlite.train import scores


def _name(what: str, k: int | None, class_id: int | None = None) -> str:
    of_k = f"{what}_at_{'k' if k is None else k}"
    return of_k if class_id is None else f"{of_k}_class{class_id}"


def _rows(labels: Any, predictions: Any) -> Any:
    """Return labels with an axis for those of one row, as whole numbers."""
    labels = convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(labels, PlainSparse):
        values = elementwise.cast(labels.values, int64)
        placed = SparseTensor(labels.indices, values, labels.dense_shape)
        labels = to_dense(placed, scores.NO_LABEL, validate_indices=False)
    rows = elementwise.cast(labels, int64)
    if rows.get_shape().rank == predictions.get_shape().rank - 1:
        rows = v1_arrays.expand_dims(rows, -1)
    return rows


def _known(labels: Any, classes: Any) -> Any:
    """Return labels, those that are beyond the classes as none."""

    def cut() -> Any:
        beyond = elementwise.greater_equal(labels, classes)
        return v1_arrays.where(beyond, -1 * v1_arrays.ones_like(labels), labels)

    most = numbers.reduce_max(labels)
    return cond(elementwise.greater_equal(most, classes), cut, lambda: labels)


def _top(predictions: Any, k: int) -> Any:
    return elementwise.cast(shared_nn.top_k(predictions, k)[1], int64)


def _summed(name: str, each: Any, weights: Any) -> Metric:
    """Return a variable's value, and that with a batch added."""
    if weights is not None:
        each = elementwise.multiply(each, elementwise.cast(weights, float64))
    with name_scope(name) as prefix:
        total = metric_variable([], float64, name=prefix)
        return total.value(), total.assign_add(
            numbers.reduce_sum(each), name="update"
        )


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
    in_graph_only(_name(what, None))
    with name_scope(name, _name(what, k, class_id)) as prefix:
        top = elementwise.cast(predictions_idx, int64)
        sets = _rows(labels, top), top, class_id
        common, missed, extra = computed("Sum", scores.sets_in_common, *sets)
        other = "false_negative" if what == "recall" else "false_positive"
        each = missed if what == "recall" else extra
        tp, tp_update = _summed(_name("true_positive", k, class_id), common, weights)
        no, no_update = _summed(_name(other, k, class_id), each, weights)
        value = elementwise.divide(tp, tp + no, name=prefix)
        update = elementwise.divide(tp_update, tp_update + no_update, name="update")
        return collected(value, update, *collections)


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
    with name_scope(name, _name("recall", k, class_id)) as prefix:
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
    with name_scope(name, _name("precision", k, class_id)) as prefix:
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
    with name_scope(name, _name("average_precision", k)) as prefix:
        top = _top(predictions, k)
        classes = elementwise.cast(v1_arrays.shape(predictions)[-1], int64)
        each = _averaged(_known(_rows(labels, top), classes), top)
        collections = metrics_collections, updates_collections
        return _mean(each, weights, collections, prefix)


def average_precision_of_top_k(
    labels: Any,
    predictions_idx: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the same for classes that are sorted already, the last axis of predictions_idx."""
    top = elementwise.cast(predictions_idx, int64)
    shape = top.get_shape()
    if shape.rank is not None and (shape.rank < 2 or shape.as_list()[-1] is None):
        raise InvalidArgumentError(
            f"predictions_idx of shape {shape}: give classes for each row, [..., k], k known"
        )
    with name_scope(name, "average_precision_at_top_k") as prefix:
        each = _averaged(_rows(labels, top), top)
        collections = metrics_collections, updates_collections
        return _mean(each, weights, collections, prefix)


def _averaged(labels: Any, top: Any) -> Any:
    return computed("average_precision", scores.average_precision, labels, top)


def _mean(
    each: Any, weights: Any, collections: tuple[Any, Any], prefix: str
) -> Metric:
    """Return the weighted mean of what is known of each row."""
    scale = v1_arrays.ones_like(each) if weights is None else spread(weights, each)
    most, most_update = _summed("max", scale, None)
    total, total_update = _summed("total", each * scale, None)
    value = elementwise.div_no_nan(total, most, name="mean")
    update = elementwise.div_no_nan(total_update, most_update, name=prefix)
    return collected(value, update, *collections)


sparse_average_precision_at_k = average_precision_at_k
