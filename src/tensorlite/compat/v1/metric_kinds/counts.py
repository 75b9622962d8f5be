"""Metrics of TensorFlow 1 that count hits and misses, at once or for several thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import arrays, cutting, elementwise, reductions
from tensorlite.compat.shared.checks import (
    assert_greater_equal,
    assert_less_equal,
    assert_rank_in,
    assert_type,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    computed,
    fitted,
    in_graph_only,
    metric_variable,
    scoped,
)
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.core.dtypes import bool_, float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.train import scores

_EPSILON = 1e-7


def _counter(kind: str) -> Callable[..., Metric]:
    @at_home
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
                assert_rank_in(scale, (0, arrays.rank(each)))
                each = elementwise.multiply(each, elementwise.cast(scale, float32))
            value = arrays.identity(count.value())
            update = count.assign_add(numbers.reduce_sum(each))
            return collected(value, update, metrics_collections, updates_collections)

    help_text = f"""Return (weighted number of {kind.replace("_", " ")}, update operator).

    Labels and predictions are booleans, or numbers that are true where they are not 0.
    """
    return explained(metric, kind, help_text)


true_positives = _counter("true_positives")
false_positives = _counter("false_positives")
true_negatives = _counter("true_negatives")
false_negatives = _counter("false_negatives")


def ratio(
    default: str,
    what: str,
    other: Callable[..., Metric],
    counted: Callable[..., Metric] = true_positives,
) -> Callable[..., Metric]:
    """Return the metric of what is counted among that and what `other` counts, `what` in words."""

    @at_home
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

    help_text = f"""Return ({what}, update operator).

    It is 0 before anything is counted. Labels and predictions are booleans, or numbers that
    are true where they are not 0.
    """
    return explained(metric, default, help_text)


def _share(hits: Any, misses: Any, name: str) -> Any:
    """Return the share of hits, 0 where nothing was counted."""
    is_any = elementwise.greater(hits + misses, 0)
    share = elementwise.div(hits, hits + misses)
    return v1_arrays.where(is_any, share, 0, name=name)


precision = ratio(
    "precision", "share of predicted positives that are labelled so", false_positives
)
recall = ratio(
    "recall", "share of positive labels that are predicted", false_negatives
)


def counts_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    kinds: Sequence[str],
) -> tuple[list[Any], list[Any]]:
    """Return counts for each threshold and their updates, for each kind."""
    given = _in_unit(predictions, labels, weights)
    totals, updates = counted_at_thresholds(*given, thresholds, kinds)
    return [total.value() for total in totals], updates


def counted_at_thresholds(
    found: Any,
    wanted: Any,
    scale: Any,
    thresholds: Sequence[float],
    kinds: Sequence[str],
) -> tuple[list[Any], list[Any]]:
    """Return the variables of counts for each threshold and their updates, for each kind.

    Predictions, labels and weights fit each other.
    """
    count = len(thresholds)
    column = arrays.reshape(found, [-1, 1])
    row = arrays.reshape(elementwise.cast(wanted, bool_), [1, -1])
    number = column.get_shape().as_list()[0]
    if number is None:
        number = v1_arrays.shape(column)[0]
    limits = arrays.expand_dims(framework.constant(thresholds), [1])
    limits = cutting.tile(limits, arrays.stack([1, number]))
    above = cutting.tile(arrays.transpose(column), [count, 1])
    guesses = _truths(elementwise.greater(above, limits), 1, kinds)
    truths = _truths(cutting.tile(row, [count, 1]), 0, kinds)
    each_weight = None
    if scale is not None:
        scale = broadcast_weights(elementwise.cast(scale, float32), found)
        each_weight = cutting.tile(arrays.reshape(scale, [1, -1]), [count, 1])
    made: dict[str, tuple[Any, Any]] = {}
    for kind in [one for one in ALL_KINDS if one in kinds]:
        total = metric_variable([count], name=kind)
        truth, guess = scores.OUTCOMES[kind]
        hits = elementwise.logical_and(truths[truth], guesses[guess])
        each = elementwise.cast(hits, float32)
        each = each if each_weight is None else each * each_weight
        made[kind] = total, total.assign_add(numbers.reduce_sum(each, 1))
    asked = [made[kind] for kind in kinds]
    return [total for total, _ in asked], [update for _, update in asked]


def _in_unit(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return what is counted, of one rank; as it is computed predictions must be shares."""
    given = framework.convert_to_tensor(predictions)
    told = "predictions must be in [0, 1]"
    least, most = (
        partial(elementwise.cast, number, given.dtype) for number in (0.0, 1.0)
    )
    checks = [
        assert_greater_equal(given, least(), message=told),
        assert_less_equal(given, most(), message=told),
    ]
    with framework.control_dependencies(checks):
        return fitted(
            elementwise.cast(given, float32), elementwise.cast(labels, bool_), weights
        )


def _truths(yes: Any, part: int, kinds: Sequence[str]) -> dict[bool, Any]:
    """Return truths, and their contraries if one of some outcomes takes them."""
    asked = {scores.OUTCOMES[kind][part] for kind in kinds}
    return {True: yes} | (
        {False: elementwise.logical_not(yes)} if False in asked else {}
    )


ALL_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def _counter_at_thresholds(kind: str) -> Callable[..., Metric]:
    @at_home
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

    help_text = f"Return (numbers of {kind.replace('_', ' ')} at each threshold, update operator)."
    return explained(metric, f"{kind}_at_thresholds", help_text)


true_positives_at_thresholds = _counter_at_thresholds("true_positives")
false_positives_at_thresholds = _counter_at_thresholds("false_positives")
true_negatives_at_thresholds = _counter_at_thresholds("true_negatives")
false_negatives_at_thresholds = _counter_at_thresholds("false_negatives")


def ratio_at_thresholds(
    default: str, other: str, counted: str = "true_positives"
) -> Callable[..., Metric]:
    """Return the metric of what is counted among that and `other`, for each threshold."""

    @at_home
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

    called = default.replace("_", " ")
    help_text = f"""Return ({called} at each threshold, update operator), vectors.

    Predictions, in [0, 1], are positive where they are above a threshold.
    """
    return explained(metric, f"{default}_at_thresholds", help_text)


precision_at_thresholds = ratio_at_thresholds("precision", "false_positives")
recall_at_thresholds = ratio_at_thresholds("recall", "false_negatives")


def even_thresholds(count: int, last: float = 1.0 + _EPSILON) -> list[float]:
    """Return thresholds evenly from below 0 to beyond 1."""
    return [0.0 - _EPSILON, *scores.inner_thresholds(count), last]


@at_home
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
    """Return (area under a curve, update operator), by counts at num_thresholds thresholds.

    curve is "ROC" or "PR"; summation_method "trapezoidal", "minoring", "majoring" or
    "careful_interpolation" (for PR). Others raise InvalidArgumentError.
    """
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
        both = counts_at_thresholds(labels, predictions, given, weights, ALL_KINDS)
        made = [
            _area(curve, summation_method, counts, what)
            for what, counts in zip(("value", "update_op"), both, strict=True)
        ]
        return collected(made[0], made[1], metrics_collections, updates_collections)


def _mean_of(x: Any, y: Any) -> Any:
    return (x + y) / 2.0


_CAREFUL = "careful_interpolation"
_HEIGHTS: dict[str, Callable[..., Any]] = {
    "trapezoidal": _mean_of,
    "minoring": elementwise.minimum,
    "majoring": elementwise.maximum,
}
"""How high an area is between two points."""


def _area(curve: str, method: str, counts: Sequence[Any], name: str) -> Any:
    """Return the area under a curve, from counts at rising thresholds."""
    tp, fn, tn, fp = counts
    if curve == "PR" and method == _CAREFUL:
        given = tp, fp, fn
        return computed("interpolate_pr_auc", scores.area_under_precision, *given)
    epsilon = 1e-6
    x = y = elementwise.div(tp + epsilon, tp + fn + epsilon)
    if curve == "ROC":
        x = elementwise.div(fp, fp + tn + epsilon)
    else:
        y = elementwise.div(tp + epsilon, tp + fp + epsilon)
    last = tp.get_shape().as_list()[0] - 1
    width = x[:last] - x[1:]
    between: Callable[..., Any] = _HEIGHTS.get(method, _mean_of)
    height = between(y[:last], y[1:])
    return numbers.reduce_sum(elementwise.multiply(width, height), name=name)


@at_home
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
    """Return (sensitivity, update operator) at the threshold with nearly this specificity."""
    in_unit("specificity", specificity)

    def at(counts: Sequence[Any], what: str) -> Any:
        tp, fn, tn, fp = counts
        reached = elementwise.div(tn, tn + fp + _EPSILON)
        apart = elementwise.abs(reached - specificity)
        place = elementwise.cast(numbers.argmin(apart, 0), int32)
        return elementwise.divide(
            tp[place], tp[place] + fn[place] + _EPSILON, name=what
        )

    with scoped(name, "sensitivity_at_specificity"):
        limits = even_thresholds(num_thresholds)
        both = counts_at_thresholds(labels, predictions, limits, weights, ALL_KINDS)
        made = at(both[0], "value"), at(both[1], "update_op")
        return collected(*made, metrics_collections, updates_collections)


@at_home
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
    """Return (specificity, update operator) at the threshold with nearly this sensitivity."""
    in_unit("sensitivity", sensitivity)

    def at(counts: Sequence[Any], what: str) -> Any:
        tp, fn, tn, fp = counts
        reached = elementwise.div(tp, tp + fn + _EPSILON)
        least = numbers.reduce_min(elementwise.abs(reached - sensitivity))
        nearest = elementwise.equal(elementwise.abs(reached - sensitivity), least)
        # The last of those that are equally near, where argmin would take the first.
        count = reductions.cumsum(elementwise.cast(nearest, int64))
        place = elementwise.cast(numbers.argmax(count, 0), int32)
        return elementwise.div(tn[place], tn[place] + fp[place] + _EPSILON, name=what)

    with scoped(name, "specificity_at_sensitivity"):
        limits = even_thresholds(num_thresholds, 1.0 - _EPSILON)
        both = counts_at_thresholds(labels, predictions, limits, weights, ALL_KINDS)
        made = at(both[0], "value"), at(both[1], "update_op")
        return collected(*made, metrics_collections, updates_collections)


def in_unit(name: str, value: float) -> None:
    """Raise InvalidArgumentError for what is no share."""
    in_graph_only(name)
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"`{name}` must be in the range [0, 1].")
