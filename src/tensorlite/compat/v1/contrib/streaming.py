"""Metrics that only tf.contrib.metrics has: rates of errors, covariances, agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.documenting import explained, told
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.nn import in_top_k
from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.functions import arrays as v1_arrays, matrices, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.metric_kinds.counts import ratio
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    fitted,
    metric_variable,
    scoped,
    spread,
)
from tensorlite.compat.v1.metric_kinds.top_k import (
    average_precision_of_top_k,
    name_at_k,
)
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.core.dtypes import float32, float64, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


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


def accuracy(
    predictions: Any, labels: Any, weights: Any = None, name: str | None = None
) -> Any:
    """Return the part of predictions of one batch that is right."""
    found, wanted = (framework.convert_to_tensor(x) for x in (predictions, labels))
    if found.dtype is not wanted.dtype:
        raise InvalidArgumentError(
            f"Dtypes for predictions and labels must match, not {found.dtype} and {wanted.dtype}"
        )
    if wanted.dtype.is_floating:
        raise InvalidArgumentError(
            f"Labels should have bool, string, or integer dtype, not {wanted.dtype}"
        )
    with name_scope(name, "accuracy"):
        right = elementwise.cast(elementwise.equal(predictions, labels), float32)
        if weights is None:
            return numbers.reduce_mean(right)
        right = elementwise.multiply(right, weights)
        each = elementwise.multiply(weights, v1_arrays.ones_like(right))
        return elementwise.div(numbers.reduce_sum(right), numbers.reduce_sum(each))


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
            each, _, scale = fitted(elementwise.cast(values, float32), None, weights)
            number = numbers.reduce_sum(spread(scale, each))
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
        moved = _merged(sums, found, wanted, scale)
        value = _unbiased(sums[3], sums[0], "covariance")
        with framework.control_dependencies([moved]):
            update = _unbiased(sums[3], sums[0], "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _merged(sums: list[Any], found: Any, wanted: Any, scale: Any) -> Any:
    """Return what adds a batch to count, means and comoment; the last of these."""
    count_of, mean_found, mean_wanted, comoment = sums
    weighed = [found, wanted]
    if scale is None:
        batch = elementwise.cast(v1_arrays.size(wanted), float32)
    else:
        scale = broadcast_weights(scale, wanted)
        batch = numbers.reduce_sum(scale)
        weighed = [elementwise.multiply(x, scale) for x in weighed]
    whole = count_of.assign_add(batch)
    before = whole - batch
    means, earlier = [], []
    for mean, each in zip((mean_found, mean_wanted), weighed, strict=True):
        own = elementwise.div_no_nan(numbers.reduce_sum(each), batch)
        step = elementwise.div_no_nan((own - mean) * batch, whole)
        earlier.append(mean.assign_add(step) - step)
        means.append(own)
    inner = (found - means[0]) * (wanted - means[1])
    own_comoment = numbers.reduce_sum(inner if scale is None else inner * scale)
    apart = (earlier[0] - means[0]) * (earlier[1] - means[1])
    more = own_comoment + apart * (before * batch / whole)
    return comoment.assign_add(more)


def _unbiased(comoment: Any, number: Any, name: str) -> Any:
    """Return a covariance, which fewer than two values have not."""
    few = elementwise.less_equal(number, 1.0)
    spread_out = elementwise.truediv(comoment, number - 1)
    return v1_arrays.where(few, float("nan"), spread_out, name=name)


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
        if scale is not None:
            scale = broadcast_weights(scale, wanted)
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
            elementwise.truediv(
                both,
                elementwise.multiply(
                    elementwise.sqrt(first), elementwise.sqrt(second)
                ),
                name=what,
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
        if labels.get_shape().rank == 2:
            labels = v1_arrays.squeeze(labels, axis=[-1])
        found, wanted, scale = fitted(predictions_idx, labels, weights)
        kind = int64 if scale is None or scale.dtype.is_integer else float32
        sums = [
            metric_variable((num_classes,), kind, name=what)
            for what in ("po", "pe_row", "pe_col")
        ]
        table = v1_arrays.confusion_matrix(
            wanted, found, num_classes, kind, weights=scale, name="counts_in_table"
        )
        new = (
            matrices.diag_part(table),
            numbers.reduce_sum(table, axis=0),
            numbers.reduce_sum(table, axis=1),
        )
        updates = [x.assign_add(y) for x, y in zip(sums, new, strict=True)]
        value, update = _kappa(sums, "value"), _kappa(updates, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


def _kappa(counted: Sequence[Any], name: str) -> Any:
    agreed, rows, columns = counted
    right, whole = numbers.reduce_sum(agreed), numbers.reduce_sum(rows)
    pairs = elementwise.cast(rows * columns, float64)
    chance = numbers.reduce_sum(
        elementwise.div_no_nan(pairs, elementwise.cast(whole, float64))
    )
    right, whole = (elementwise.cast(x, float64) for x in (right, whole))
    return elementwise.div_no_nan(right - chance, whole - chance, name=name)


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (recall, update operator): the share of labels among the k highest predictions."""
    hits = elementwise.cast(in_top_k(predictions, labels, k), float32)
    into = metrics_collections, updates_collections
    return metrics.mean(hits, weights, *into, name or name_at_k("recall", k))


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
    with name_scope(name, name_at_k("recall", None, class_id)) as scope:
        return metrics.recall_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *into, scope
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
    with name_scope(name, name_at_k("precision", None, class_id)) as scope:
        return metrics.precision_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *into, scope
        )


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (precision averaged over the ranks of predictions, update operator).

    top_k_predictions are classes [..., k], the likeliest first.
    """
    into = metrics_collections, updates_collections
    return average_precision_of_top_k(labels, top_k_predictions, weights, *into, name)
