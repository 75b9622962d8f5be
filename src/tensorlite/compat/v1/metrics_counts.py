"""Metrics of TensorFlow 1 that count hits and misses, at once or for several thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1 import arrays as v1_arrays, framework, numbers
from tensorlite.compat.v1.metric_parts import (
    Metric,
    collected,
    fitted,
    in_graph_only,
    metric_variable,
    scoped,
    spread,
)
from tensorlite.core.dtypes import bool_, float32, int32
from tensorlite.core.errors import InvalidArgumentError

_KINDS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}
"""Whether label and prediction are positive in what is counted."""
_EPSILON = 1e-7


def _counter(kind: str) -> Callable[..., Metric]:
    label, prediction = _KINDS[kind]

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
            hits = elementwise.logical_and(
                wanted if label else elementwise.logical_not(wanted),
                found if prediction else elementwise.logical_not(found),
            )
            count = metric_variable([], name="count")
            each = elementwise.cast(hits, float32)
            if scale is not None:
                each = elementwise.multiply(each, elementwise.cast(scale, float32))
            update = count.assign_add(numbers.reduce_sum(each))
            return collected(
                arrays.identity(count.value()),
                update,
                metrics_collections,
                updates_collections,
            )

    metric.__name__ = metric.__qualname__ = kind
    return metric


true_positives = _counter("true_positives")
false_positives = _counter("false_positives")
true_negatives = _counter("true_negatives")
false_negatives = _counter("false_negatives")


def _ratio(default: str, other: Callable[..., Metric]) -> Callable[..., Metric]:
    """Return the metric of true positives among them and what `other` counts."""

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
            hits, more_hits = true_positives(wanted, found, scale)
            misses, more_misses = other(wanted, found, scale)
            value = elementwise.div_no_nan(hits, hits + misses, name="value")
            update = elementwise.div_no_nan(
                more_hits, more_hits + more_misses, name="update_op"
            )
            return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = default
    return metric


precision = _ratio("precision", false_positives)
recall = _ratio("recall", false_negatives)


def _at_thresholds(
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
    limits = framework.constant([[x] for x in thresholds], float32)
    positive = elementwise.greater(arrays.reshape(found, [1, -1]), limits)
    truth = arrays.reshape(wanted, [1, -1])
    row = (
        None
        if scale is None
        else arrays.reshape(spread(elementwise.cast(scale, float32), found), [1, -1])
    )
    values, updates = [], []
    for kind in kinds:
        label, prediction = _KINDS[kind]
        hits = elementwise.logical_and(
            truth if label else elementwise.logical_not(truth),
            positive if prediction else elementwise.logical_not(positive),
        )
        each = elementwise.cast(hits, float32)
        if row is not None:
            each = elementwise.multiply(each, row)
        count = metric_variable([len(thresholds)], name=kind)
        updates.append(count.assign_add(numbers.reduce_sum(each, 1)))
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
            values, updates = _at_thresholds(
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


def _ratio_at_thresholds(default: str, other: str) -> Callable[..., Metric]:
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
            both = _at_thresholds(
                labels, predictions, thresholds, weights, ["true_positives", other]
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


precision_at_thresholds = _ratio_at_thresholds("precision", "false_positives")
recall_at_thresholds = _ratio_at_thresholds("recall", "false_negatives")


def _thresholds(count: int, last: float = 1.0 + _EPSILON) -> list[float]:
    """Return thresholds evenly from below 0 to beyond 1."""
    between = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - _EPSILON, *between, last]


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
        if summation_method not in _SUMS and summation_method != _CAREFUL:
            raise InvalidArgumentError(
                f"Invalid summation_method: {summation_method}; it is one of "
                f"{[*_SUMS, _CAREFUL]}"
            )
        given = _thresholds(num_thresholds)
        if thresholds is not None:
            given = [given[0], *sorted(thresholds), given[-1]]
        both = _at_thresholds(labels, predictions, given, weights, _ALL)
        made = [
            _area(curve, summation_method, counts, what)
            for what, counts in zip(("value", "update_op"), both, strict=True)
        ]
        return collected(made[0], made[1], metrics_collections, updates_collections)


_CAREFUL = "careful_interpolation"
_SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "minoring": elementwise.minimum,
    "majoring": elementwise.maximum,
}
"""What stands for the height between two points of a curve."""


def _area(curve: str, method: str, counts: Sequence[Any], name: str) -> Any:
    """Return the area under a curve, from counts at falling thresholds."""
    tp, fn, tn, fp = counts
    if curve == "PR" and method == _CAREFUL:
        return _interpolated(tp, fp, fn)
    epsilon = 1e-6
    x = y = elementwise.divide(tp + epsilon, tp + fn + epsilon)
    if curve == "ROC":
        x = elementwise.divide(fp, fp + tn + epsilon)
    else:
        y = elementwise.divide(tp + epsilon, tp + fp + epsilon)
    height = _SUMS.get(method, _SUMS["trapezoidal"])(y[:-1], y[1:])
    return numbers.reduce_sum(elementwise.multiply(x[:-1] - x[1:], height), name=name)


def _interpolated(tp: Any, fp: Any, fn: Any) -> Any:
    """Return the area under precision and recall, true positives lying evenly between points."""
    step, found = tp[:-1] - tp[1:], tp + fp
    slope = elementwise.div_no_nan(
        step, elementwise.maximum(found[:-1] - found[1:], 0), name="prec_slope"
    )
    intercept = tp[1:] - slope * found[1:]
    both = elementwise.logical_and(found[:-1] > 0, found[1:] > 0)
    ratio = v1_arrays.where(
        both,
        elementwise.div_no_nan(found[:-1], elementwise.maximum(found[1:], 0)),
        v1_arrays.ones_like(found[1:]),
    )
    each = elementwise.div_no_nan(
        slope * (step + intercept * elementwise.log(ratio)),
        elementwise.maximum(tp[1:] + fn[1:], 0),
    )
    return numbers.reduce_sum(each, name="interpolate_pr_auc")


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
    _in_unit("specificity", specificity)

    def at(counts: Sequence[Any], what: str) -> Any:
        tp, fn, tn, fp = counts
        reached = elementwise.divide(tn, tn + fp + _EPSILON)
        apart = elementwise.abs(reached - specificity)
        place = elementwise.cast(numbers.argmin(apart, 0), int32)
        return elementwise.divide(
            tp[place], tp[place] + fn[place] + _EPSILON, name=what
        )

    with scoped(name, "sensitivity_at_specificity"):
        limits = _thresholds(num_thresholds)
        both = _at_thresholds(labels, predictions, limits, weights, _ALL)
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
    _in_unit("sensitivity", sensitivity)

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
        limits = _thresholds(num_thresholds, 1.0 - _EPSILON)
        both = _at_thresholds(labels, predictions, limits, weights, _ALL)
        made = at(both[0], "value"), at(both[1], "update_op")
        return collected(*made, metrics_collections, updates_collections)


def _in_unit(name: str, value: float) -> None:
    in_graph_only(name)
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"`{name}` must be in the range [0, 1].")
