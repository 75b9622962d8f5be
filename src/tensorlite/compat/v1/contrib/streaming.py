"""Metrics that only tf.contrib.metrics has: rates of errors, covariances, agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.documenting import explained, told
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import diagonals
from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.metric_kinds.counts import (
    counts_at_thresholds,
    even_thresholds,
    in_unit,
    ratio,
    ratio_at_thresholds,
)
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    fitted,
    metric_variable,
    scoped,
    spread,
)
from tensorlite.core.dtypes import float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError

_EPSILON = 1e-7


def predictions_first(
    function: Callable[..., Any], name: str = ""
) -> Callable[..., Any]:
    """Return a metric that takes predictions before labels."""

    def metric(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> Any:
        return function(labels, predictions, *args, **kwargs)

    help_text = f"{told(function)}\n\nPredictions come before labels; other arguments are the same."
    return explained(metric, f"streaming_{name or function.__name__}", help_text)


streaming_false_positive_rate = predictions_first(
    ratio(
        "false_positive_rate",
        "share of negative labels that are predicted positive",
        metrics.true_negatives,
        metrics.false_positives,
    )
)
streaming_false_negative_rate = predictions_first(
    ratio(
        "false_negative_rate",
        "share of positive labels that are predicted negative",
        metrics.true_positives,
        metrics.false_negatives,
    )
)
streaming_false_positive_rate_at_thresholds = predictions_first(
    ratio_at_thresholds("false_positive_rate", "true_negatives", "false_positives")
)
streaming_false_negative_rate_at_thresholds = predictions_first(
    ratio_at_thresholds("false_negative_rate", "true_positives", "false_negatives")
)


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many values there were, or the sum of their weights."""
    with scoped(name, "count"):
        total = metric_variable([], name="count")
        if weights is None:
            number = elementwise.cast(v1_arrays.size(values), float32)
        else:
            each, _, scale = fitted(values, None, weights)
            weighed = spread(scale, elementwise.cast(each, float32))
            number = numbers.reduce_sum(weighed)
        update = total.assign_add(number)
        value = arrays.identity(total.value())
        return collected(value, update, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the covariance of predictions and labels, merged batch by batch."""
    with scoped(name, "covariance"):
        found, wanted, scale = fitted(predictions, labels, weights)
        sums = [
            metric_variable([], name=what)
            for what in ("count", "mean_prediction", "mean_label", "comoment")
        ]
        before = [arrays.identity(x.value()) for x in sums]
        after = _merged(before, found, wanted, scale)
        with framework.control_dependencies(after):
            moved = [x.assign(y) for x, y in zip(sums, after, strict=True)]
        value = _unbiased(sums[3].value(), sums[0].value(), "covariance")
        with framework.control_dependencies(moved):
            update = _unbiased(moved[3], moved[0], "update_op")
        return collected(value, update, metrics_collections, updates_collections)


def _merged(before: list[Any], found: Any, wanted: Any, scale: Any) -> list[Any]:
    """Return count, means and comoment of all values and of those of a batch."""
    number, mean_found, mean_wanted, comoment = before
    x, y = elementwise.cast(found, float32), elementwise.cast(wanted, float32)
    weight = v1_arrays.ones_like(x) if scale is None else spread(scale, x)
    batch = numbers.reduce_sum(weight)
    whole = number + batch
    x_mean, y_mean = (
        elementwise.div_no_nan(numbers.reduce_sum(z * weight), batch) for z in (x, y)
    )
    share = elementwise.div_no_nan(batch, whole)
    inner = numbers.reduce_sum(weight * (x - x_mean) * (y - y_mean))
    apart = (x_mean - mean_found) * (y_mean - mean_wanted)
    return [
        whole,
        mean_found + (x_mean - mean_found) * share,
        mean_wanted + (y_mean - mean_wanted) * share,
        comoment + inner + apart * number * share,
    ]


def _unbiased(comoment: Any, number: Any, name: str) -> Any:
    """Return a covariance, which fewer than two values have not."""
    few = elementwise.less_equal(number, 1.0)
    nothing = v1_arrays.zeros_like(comoment) + float("nan")
    return v1_arrays.where(
        few, nothing, elementwise.divide(comoment, number - 1), name=name
    )


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the covariance over the deviations of both."""
    with scoped(name, "pearson_r"):
        found, wanted, scale = fitted(predictions, labels, weights)
        pairs = {
            "covariance": (found, wanted),
            "variance_predictions": (found, found),
            "variance_labels": (wanted, wanted),
        }
        made = [
            streaming_covariance(*pair, weights=scale, name=what)
            for what, pair in pairs.items()
        ]
        value, update = (
            elementwise.divide(
                both, elementwise.sqrt(first) * elementwise.sqrt(second), name=what
            )
            for what, (both, first, second) in zip(
                ("pearson_r", "update_op"), zip(*made, strict=True), strict=True
            )
        )
        return collected(value, update, metrics_collections, updates_collections)


def cohen_kappa(
    labels: Any,
    predictions_idx: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how far two agree beyond what chance would have them agree."""
    if num_classes < 2:
        raise InvalidArgumentError(
            f"`num_classes` must be >= 2. Found: {num_classes}"
        )
    with scoped(name, "cohen_kappa"):
        found, wanted, scale = fitted(
            elementwise.cast(predictions_idx, int64),
            elementwise.cast(labels, int64),
            weights,
        )
        rows = None if scale is None else arrays.reshape(scale, [-1])
        table = v1_arrays.confusion_matrix(
            arrays.reshape(wanted, [-1]),
            arrays.reshape(found, [-1]),
            num_classes,
            float32,
            weights=rows,
        )
        new = (
            diagonals.matrix_diag_part(table),
            numbers.reduce_sum(table, axis=0),
            numbers.reduce_sum(table, axis=1),
        )
        sums = [
            metric_variable([num_classes], name=what)
            for what in ("po", "pe_row", "pe_col")
        ]
        updates = [x.assign_add(y) for x, y in zip(sums, new, strict=True)]
        value = _kappa([x.value() for x in sums], "value")
        update = _kappa(updates, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


def _kappa(counted: Sequence[Any], name: str) -> Any:
    agreed, rows, columns = counted
    whole = numbers.reduce_sum(rows)
    chance = numbers.reduce_sum(elementwise.div_no_nan(rows * columns, whole))
    return elementwise.div_no_nan(
        numbers.reduce_sum(agreed) - chance, whole - chance, name=name
    )


_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")
_WITHOUT_NEGATIVES = ("true_positives", "false_negatives", "false_positives")


def _of_thresholds(
    name: str | None,
    default: str,
    given: tuple[Any, Any, Any],
    num_thresholds: int,
    formula: Callable[[Any, Any, str], Any],
    collections: tuple[Any, Any],
    kinds: tuple[str, ...] = _KINDS,
) -> Metric:
    """Return what a formula makes of precision and recall at many thresholds."""
    with scoped(name, default):
        limits = even_thresholds(num_thresholds)
        both = counts_at_thresholds(given[0], given[1], limits, given[2], kinds)
        made = []
        for what, counts in zip(("value", "update_op"), both, strict=True):
            counted = dict(zip(kinds, counts, strict=True))
            hits = counted["true_positives"]
            said = hits + counted["false_positives"] + _EPSILON
            there = hits + counted["false_negatives"] + _EPSILON
            precision = elementwise.divide(hits, said)
            made.append(formula(precision, elementwise.divide(hits, there), what))
        return collected(made[0], made[1], *collections)


def _nearest(wanted: float, known: Any, asked: Any, name: str) -> Any:
    """Return what is asked where what is known is nearest to a wanted value."""
    apart = elementwise.abs(known - wanted)
    place = elementwise.cast(numbers.argmin(apart, 0), int32)
    return arrays.identity(asked[place], name=name)


def recall_at_precision(
    labels: Any,
    predictions: Any,
    precision: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Metric:
    """Return the recall at the threshold whose precision is nearest to the one given.

    In strict mode it is that of the least precision which is not below, and 0 without any.
    """
    in_unit("precision", precision)

    def found(precisions: Any, recalls: Any, what: str) -> Any:
        if not strict_mode:
            return _nearest(precision, precisions, recalls, what)
        reached = elementwise.greater_equal(precisions, precision)
        beyond = 2.0 * v1_arrays.ones_like(precisions)
        order = v1_arrays.where(reached, precisions, beyond)
        place = elementwise.cast(numbers.argmin(order, 0), int32)
        is_reached = elementwise.cast(reached[place], float32)
        return elementwise.multiply(recalls[place], is_reached, name=what)

    given = labels, predictions, weights
    into = metrics_collections, updates_collections
    return _of_thresholds(
        name, "recall_at_precision", given, num_thresholds, found, into
    )


def precision_at_recall(
    labels: Any,
    predictions: Any,
    target_recall: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the precision at the highest threshold whose recall is not below the one given."""
    in_unit("target_recall", target_recall)

    def found(precisions: Any, recalls: Any, what: str) -> Any:
        enough = elementwise.greater_equal(recalls, target_recall)
        place = numbers.reduce_sum(elementwise.cast(enough, int32)) - 1
        return arrays.identity(precisions[place], name=what)

    given = labels, predictions, weights
    into = metrics_collections, updates_collections
    return _of_thresholds(
        name, "precision_at_recall", given, num_thresholds, found, into
    )


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the largest harmonic mean of precision and recall among thresholds."""

    def found(precisions: Any, recalls: Any, what: str) -> Any:
        both = precisions + recalls + _EPSILON
        return numbers.reduce_max(2.0 * precisions * recalls / both, name=what)

    given = labels, predictions, weights
    into = metrics_collections, updates_collections
    return _of_thresholds(
        name, "f1", given, num_thresholds, found, into, _WITHOUT_NEGATIVES
    )


def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (recall, update operator): the share of labels among each example's predictions.

    top_k_predictions are classes [..., k]; with class_id only that class counts.
    """
    into = metrics_collections, updates_collections
    k = _width(top_k_predictions)
    return metrics.recall_at_top_k(
        labels, top_k_predictions, k, class_id, weights, *into, name
    )


def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (precision, update operator): the share of predictions that are labels.

    top_k_predictions are classes [..., k]; with class_id only that class counts.
    """
    into = metrics_collections, updates_collections
    k = _width(top_k_predictions)
    return metrics.precision_at_top_k(
        labels, top_k_predictions, k, class_id, weights, *into, name
    )


def _width(top: Any) -> int:
    """Return how many predictions there are for each label."""
    size = framework.convert_to_tensor(top).get_shape().as_list()[-1]
    if size is None:
        raise InvalidArgumentError(
            "the last size of top_k_predictions has to be known"
        )
    return int(size)
