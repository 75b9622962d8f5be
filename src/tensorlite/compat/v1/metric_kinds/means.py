"""Metrics of TensorFlow 1 that are means of batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1.functions import arrays as v1_arrays, matrices, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.state import scatter_add
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    alike,
    collected,
    fitted,
    in_graph_only,
    metric_variable,
    quotient,
    scoped,
    spread,
)
from tensorlite.core.dtypes import float32, float64, int64
from tensorlite.core.operand import Operand


@at_home
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (weighted mean of all values so far, update operator); both are scalars.

    The value's variables are local: run tf.local_variables_initializer().
    """
    with scoped(name, "mean"):
        each = elementwise.cast(values, float32)
        total, count = (
            metric_variable([], name="total"),
            metric_variable([], name="count"),
        )
        if weights is None:
            number = elementwise.cast(v1_arrays.size(each), float32)
        else:
            each, _, scale = fitted(each, None, weights)
            scale = spread(scale, each)
            each, number = (
                elementwise.multiply(each, scale),
                numbers.reduce_sum(scale),
            )
        update_total = total.assign_add(numbers.reduce_sum(each))
        with framework.control_dependencies([each]):
            update_count = count.assign_add(number)
        value = quotient(total.value(), count.value(), "value")
        update = quotient(update_total, update_count, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@at_home
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (weighted mean of each element of all batches so far, update operator)."""
    with scoped(name, "mean"):
        each = elementwise.cast(values, float32)
        sizes = each.get_shape()
        total = metric_variable(sizes, name="total_tensor")
        count = metric_variable(sizes, name="count_tensor")
        number = v1_arrays.ones_like(each)
        if weights is not None:
            each, _, scale = fitted(each, None, weights)
            share = spread(scale, each)
            each = elementwise.multiply(each, share)
            number = elementwise.multiply(number, share)
        update_total = total.assign_add(each)
        with framework.control_dependencies([each]):
            update_count = count.assign_add(number)
        value = quotient(total.value(), count.value(), "value")
        update = quotient(update_total, update_count, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@at_home
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (share of predictions that are labels, update operator).

    The value's variables are local: run tf.local_variables_initializer().

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.accuracy([1, 0, 1, 1], [1, 1, 1, 1])
    ...     session.run(tf.local_variables_initializer())
    ...     float(session.run(update))
    0.75
    """
    in_graph_only("accuracy")
    found, wanted, scale = fitted(predictions, labels, weights)
    right = elementwise.equal(elementwise.cast(found, wanted.dtype), wanted)
    return mean(
        elementwise.cast(right, float32),
        scale,
        metrics_collections,
        updates_collections,
        name or "accuracy",
    )


def _of_errors(
    default: str, errors: str, error: Callable[[Any, Any], Any]
) -> Callable[..., Metric]:
    """Return the metric that is the mean of a function of labels and predictions."""

    @at_home
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        in_graph_only(default)
        found, wanted, scale = fitted(predictions, labels, weights)
        return mean(
            error(wanted, found),
            scale,
            metrics_collections,
            updates_collections,
            name or default,
        )

    help_text = (
        f"Return (weighted mean of {errors} of all batches so far, update operator)."
    )
    return explained(metric, default, help_text)


mean_absolute_error = _of_errors(
    "mean_absolute_error",
    "absolute errors",
    lambda y, p: elementwise.abs(p - y),
)
mean_squared_error = _of_errors(
    "mean_squared_error", "squared errors", elementwise.squared_difference
)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (root of the weighted mean of squared errors, update operator)."""
    value, update = mean_squared_error(
        labels, predictions, weights, name=name or "root_mean_squared_error"
    )
    roots = elementwise.sqrt(value), elementwise.sqrt(update)
    return collected(*roots, metrics_collections, updates_collections)


@at_home
def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (1 - the weighted mean of cosines along dim, update operator).

    Labels and predictions are to have length 1.
    """
    in_graph_only("mean_cosine_distance")
    found, wanted, scale = fitted(predictions, labels, weights)
    products = elementwise.multiply(found, wanted)
    each = numbers.reduce_sum(products, axis=[dim], keepdims=True)
    value, update = mean(each, scale, name=name or "mean_cosine_distance")
    return collected(
        elementwise.subtract(1.0, value),
        elementwise.subtract(1.0, update),
        metrics_collections,
        updates_collections,
    )


@at_home
def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (weighted mean of |label - prediction| / normalizer, update operator).

    Where the normalizer is 0, so is the error.
    """
    in_graph_only("mean_relative_error")
    found, wanted, scale = fitted(predictions, labels, weights)
    found, by, _ = fitted(found, normalizer, None)
    relative = v1_arrays.where(
        elementwise.equal(by, 0.0),
        v1_arrays.zeros_like(wanted),
        elementwise.div(elementwise.abs(wanted - found), by),
    )
    return mean(
        relative,
        scale,
        metrics_collections,
        updates_collections,
        name or "mean_relative_error",
    )


@at_home
def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (weighted share of values below the threshold, update operator)."""
    in_graph_only("percentage_below")
    below = elementwise.cast(elementwise.less(values, threshold), float32)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


def _flat(*xs: Any) -> Sequence[Any]:
    return [
        arrays.reshape(x, [-1]) if x is not None and x.get_shape().rank != 1 else x
        for x in xs
    ]


def _given(x: Any) -> Any:
    return (
        x if x is None or isinstance(x, Operand) else framework.convert_to_tensor(x)
    )


@at_home
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (mean of the classes' accuracies, update operator).

    The update operator gives the accuracy of each class.
    """
    with scoped(name, "mean_accuracy"):
        wanted, found, scale = _flat(
            elementwise.cast(labels, int64), _given(predictions), _given(weights)
        )
        alike(found, wanted)
        total = metric_variable([num_classes], name="total")
        count = metric_variable([num_classes], name="count")
        ones = arrays.ones([arrays.size(wanted)], float32)
        is_right = elementwise.equal(elementwise.cast(found, int64), wanted)
        hits = elementwise.cast(is_right, float32)
        if scale is not None:
            weight = elementwise.cast(scale, float32)
            hits, ones = hits * weight, ones * weight
        update_total = scatter_add(total, wanted, ones)
        update_count = scatter_add(count, wanted, hits)
        value = numbers.reduce_mean(
            quotient(count.value(), total.value()), name="mean_accuracy"
        )
        update = quotient(update_count, update_total, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@at_home
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (mean of the classes' intersections over unions, update operator).

    The update operator gives the confusion matrix.
    """
    with scoped(name, "mean_iou"):
        wanted, found = _given(labels), _given(predictions)
        alike(found, wanted)
        matrix = metric_variable(
            [num_classes, num_classes], float64, name="total_confusion_matrix"
        )
        found, wanted = (
            elementwise.cast(found, int64),
            elementwise.cast(wanted, int64),
        )
        count = elementwise.cast(num_classes, int64)
        wanted, found, scale = _flat(wanted, found, _given(weights))
        batch = v1_arrays.confusion_matrix(
            wanted, found, count, float64, weights=scale
        )
        update = matrix.assign_add(batch)
        value = _mean_overlap(matrix.value())
        return collected(value, update, metrics_collections, updates_collections)


def _mean_overlap(matrix: Any) -> Any:
    """Return the mean over classes that occur of the part of their union that is common."""
    found, wanted = (
        elementwise.cast(numbers.reduce_sum(matrix, axis), float32) for axis in (0, 1)
    )
    common = elementwise.cast(matrices.diag_part(matrix), float32)
    union = found + wanted - common
    present = numbers.reduce_sum(
        elementwise.cast(elementwise.not_equal(union, 0), float32)
    )
    divisor = v1_arrays.where(
        elementwise.greater(union, 0), union, v1_arrays.ones_like(union)
    )
    shares = elementwise.div(common, divisor)
    is_any = elementwise.greater(present, 0)
    total = numbers.reduce_sum(shares, name="mean_iou")
    whole = total / present
    return v1_arrays.where(is_any, whole, 0)
