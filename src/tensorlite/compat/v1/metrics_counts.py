"""Metrics of TensorFlow 1 that count hits and misses, at once or for several thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.checks import assert_type
from tensorlite.compat.v1 import numbers
from tensorlite.compat.v1.metric_parts import (
    Metric,
    collected,
    computed,
    fitted,
    in_graph_only,
    metric_variable,
    scoped,
)
from tensorlite.core.dtypes import bool_, float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.train import scores

_EPSILON = 1e-7


def _counter(kind: str) -> Callable[..., Metric]:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with scoped(name, kind):
            found, wanted, scale = fitted(
                elementwise.cast(predictions, bool_),
                elementwise.cast(labels, bool_),
                weights,
            )
            truth, guess = scores.OUTCOMES[kind]
            hits = elementwise.logical_and(
                elementwise.equal(wanted, truth), elementwise.equal(found, guess)
            )
            assert_type(hits, bool_)
            count = metric_variable([], name="count")
            each = elementwise.cast(hits, float32)
            if scale is not None:
                each = elementwise.multiply(each, elementwise.cast(scale, float32))
            value = arrays.identity(count.value())
            update = count.assign_add(numbers.reduce_sum(each))
            return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = kind
    return metric


true_positives = _counter("true_positives")
false_positives = _counter("false_positives")
true_negatives = _counter("true_negatives")
false_negatives = _counter("false_negatives")


def ratio(
    default: str,
    other: Callable[..., Metric],
    counted: Callable[..., Metric] = true_positives,
) -> Callable[..., Metric]:
    """Return the metric of what is counted among that and what `other` counts."""

    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with scoped(name, default):
            found, wanted, scale = fitted(
                elementwise.cast(predictions, bool_),
                elementwise.cast(labels, bool_),
                weights,
            )
            hits, more_hits = counted(wanted, found, scale)
            misses, more_misses = other(wanted, found, scale)
            value = _share(hits, misses, "value")
            update = _share(more_hits, more_misses, "update_op")
            return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = default
    return metric


def _share(hits: Any, misses: Any, name: str) -> Any:
    """Return the share of hits, 0 where nothing was counted."""
    return elementwise.div_no_nan(hits, hits + misses, name=name)


precision = ratio("precision", false_positives)
recall = ratio("recall", false_negatives)


def counts_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    kinds: Sequence[str],
) -> tuple[list[Any], list[Any]]:
    """Return counts for each threshold and their updates, for each kind."""
    found, wanted, scale = fitted(
        elementwise.cast(predictions, float32),
        elementwise.cast(labels, bool_),
        weights,
    )
    weight = None if scale is None else elementwise.cast(scale, float32)
    counts = computed(
        "Sum",
        scores.outcomes_by_threshold,
        *(wanted, found, thresholds, weight, kinds),
    )
    values, updates = [], []
    for kind, each in zip(kinds, counts, strict=True):
        count = metric_variable([len(thresholds)], name=kind)
        updates.append(count.assign_add(each))
        values.append(count.value())
    return values, updates


def _counter_at_thresholds(kind: str) -> Callable[..., Metric]:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with scoped(name, kind):
            values, updates = counts_at_thresholds(
                labels, predictions, thresholds, weights, [kind]
            )
            return collected(
                arrays.identity(values[0]),
                updates[0],
                metrics_collections,
                updates_collections,
            )

    metric.__name__ = metric.__qualname__ = f"{kind}_at_thresholds"
    return metric


true_positives_at_thresholds = _counter_at_thresholds("true_positives")
false_positives_at_thresholds = _counter_at_thresholds("false_positives")
true_negatives_at_thresholds = _counter_at_thresholds("true_negatives")
false_negatives_at_thresholds = _counter_at_thresholds("false_negatives")


def ratio_at_thresholds(
    default: str, other: str, counted: str = "true_positives"
) -> Callable[..., Metric]:
    """Return the metric of what is counted among that and `other`, for each threshold."""

    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with scoped(name, f"{default}_at_thresholds"):
            both = counts_at_thresholds(
                labels, predictions, thresholds, weights, [counted, other]
            )
            named = f"{default}_value", f"{default}_update_op"
            made = [
                elementwise.divide(hits, _EPSILON + hits + misses, name=what)
                for what, (hits, misses) in zip(named, both, strict=True)
            ]
            return collected(
                made[0], made[1], metrics_collections, updates_collections
            )

    metric.__name__ = metric.__qualname__ = f"{default}_at_thresholds"
    return metric


precision_at_thresholds = ratio_at_thresholds("precision", "false_positives")
recall_at_thresholds = ratio_at_thresholds("recall", "false_negatives")


def even_thresholds(count: int, last: float = 1.0 + _EPSILON) -> list[float]:
    """Return thresholds evenly from below 0 to beyond 1."""
    return [0.0 - _EPSILON, *scores.inner_thresholds(count), last]


_ALL = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    with scoped(name, "auc"):
        if curve not in {"ROC", "PR"}:
            raise InvalidArgumentError(
                f"curve must be either ROC or PR, {curve} unknown"
            )
        if summation_method not in (*_HEIGHTS, _CAREFUL):
            raise InvalidArgumentError(
                f"Invalid summation_method: {summation_method}; it is one of "
                f"{[*_HEIGHTS, _CAREFUL]}"
            )
        given = even_thresholds(num_thresholds)
        if thresholds is not None:
            given = [given[0], *sorted(thresholds), given[-1]]
        both = counts_at_thresholds(labels, predictions, given, weights, _ALL)
        made = [
            _area(curve, summation_method, counts, what)
            for what, counts in zip(("value", "update_op"), both, strict=True)
        ]
        return collected(made[0], made[1], metrics_collections, updates_collections)


_CAREFUL = "careful_interpolation"
_HEIGHTS = ("trapezoidal", "minoring", "majoring")


def _area(curve: str, method: str, counts: Sequence[Any], name: str) -> Any:
    """Return the area under a curve, from counts at rising thresholds."""
    tp, fn, tn, fp = counts
    if curve == "PR" and method == _CAREFUL:
        given = tp, fp, fn
        return computed("interpolate_pr_auc", scores.area_under_precision, *given)
    epsilon = 1e-6
    x = y = elementwise.divide(tp + epsilon, tp + fn + epsilon)
    if curve == "ROC":
        x = elementwise.divide(fp, fp + tn + epsilon)
    else:
        y = elementwise.divide(tp + epsilon, tp + fp + epsilon)
    height = method if method in _HEIGHTS else "trapezoidal"
    return computed(name, scores.area_under_points, x, y, height)


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    in_unit("specificity", specificity)

    def at(counts: Sequence[Any], what: str) -> Any:
        tp, fn, tn, fp = counts
        reached = elementwise.divide(tn, tn + fp + _EPSILON)
        apart = elementwise.abs(reached - specificity)
        place = elementwise.cast(numbers.argmin(apart, 0), int32)
        return elementwise.divide(
            tp[place], tp[place] + fn[place] + _EPSILON, name=what
        )

    with scoped(name, "sensitivity_at_specificity"):
        limits = even_thresholds(num_thresholds)
        both = counts_at_thresholds(labels, predictions, limits, weights, _ALL)
        made = at(both[0], "value"), at(both[1], "update_op")
        return collected(*made, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    in_unit("sensitivity", sensitivity)

    def at(counts: Sequence[Any], what: str) -> Any:
        tp, fn, tn, fp = counts
        reached = elementwise.divide(tp, tp + fn + _EPSILON)
        apart = elementwise.abs(reached - sensitivity)
        # The last of those that are equally near, where argmin would take the first.
        back = arrays.reverse(apart, [0])
        place = num_thresholds - 1 - elementwise.cast(numbers.argmin(back, 0), int32)
        return elementwise.divide(
            tn[place], tn[place] + fp[place] + _EPSILON, name=what
        )

    with scoped(name, "specificity_at_sensitivity"):
        limits = even_thresholds(num_thresholds, 1.0 - _EPSILON)
        both = counts_at_thresholds(labels, predictions, limits, weights, _ALL)
        made = at(both[0], "value"), at(both[1], "update_op")
        return collected(*made, metrics_collections, updates_collections)


def in_unit(name: str, value: float) -> None:
    """Raise InvalidArgumentError for what is no share."""
    in_graph_only(name)
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"`{name}` must be in the range [0, 1].")
