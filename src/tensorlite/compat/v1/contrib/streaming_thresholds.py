"""Metrics that only tf.contrib.metrics has, of counts at many thresholds, and values in a row.

Those of counts without thresholds are in streaming.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import arrays, elementwise, reductions
from tensorlite.compat.shared.checks import (
    assert_greater_equal,
    assert_less_equal,
    assert_type,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.scopes import assign
from tensorlite.compat.v1.graphs.state import scatter_add
from tensorlite.compat.v1.metric_kinds.counts import (
    ALL_KINDS,
    counted_at_thresholds,
    counts_at_thresholds,
    even_thresholds,
    in_unit,
)
from tensorlite.compat.v1.metric_kinds.parts import (
    Metric,
    collected,
    fitted,
    metric_variable,
    scoped,
)
from tensorlite.core.dtypes import bool_, float32, float64, int32, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope

_EPSILON = 1e-7
Counts = dict[str, Any]


def _counted(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any,
    kinds: Sequence[str] = ALL_KINDS,
) -> tuple[Counts, Counts]:
    """Return variables of counts at thresholds by their kinds, and their updates."""
    given = fitted(predictions, labels, weights)
    both = counted_at_thresholds(*given, thresholds, kinds)
    values, updates = [dict(zip(kinds, x, strict=True)) for x in both]
    return values, updates


def _counter(kind: str) -> Callable[..., Metric]:
    def metric(
        predictions: Any,
        labels: Any,
        thresholds: Sequence[float],
        weights: Any = None,
    ) -> Metric:
        values, updates = _counted(predictions, labels, thresholds, weights, [kind])
        return values[kind], updates[kind]

    told = f"Return ({kind.replace('_', ' ')} at each threshold, what adds a batch to them)."
    return explained(metric, f"streaming_{kind}_at_thresholds", told)


streaming_true_positives_at_thresholds = _counter("true_positives")
streaming_false_negatives_at_thresholds = _counter("false_negatives")
streaming_false_positives_at_thresholds = _counter("false_positives")
streaming_true_negatives_at_thresholds = _counter("true_negatives")


def _rate(kind: str, other: str, short: str) -> Callable[..., Metric]:
    called = f"{kind.removesuffix('s')}_rate_at_thresholds"

    def metric(
        predictions: Any,
        labels: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with scoped(name, called):
            both = _counted(predictions, labels, thresholds, weights, (kind, other))
            value, update = [
                elementwise.div(
                    counts[kind],
                    _EPSILON + counts[kind] + counts[other],
                    name=f"{short}_{what}",
                )
                for what, counts in zip(("value", "update_op"), both, strict=True)
            ]
            return collected(value, update, metrics_collections, updates_collections)

    told = (
        f"Return ({kind} among these and {other} at each threshold, update operator)."
    )
    return explained(metric, f"streaming_{called}", told.replace("_", " "))


streaming_false_positive_rate_at_thresholds = _rate(
    "false_positives", "true_negatives", "fpr"
)
streaming_false_negative_rate_at_thresholds = _rate(
    "false_negatives", "true_positives", "fnr"
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
    with scoped(name, "f1"):
        found, wanted, scale = fitted(predictions, labels, weights)
        kinds = "true_positives", "false_positives", "false_negatives"
        limits = even_thresholds(num_thresholds)
        values, updates = counts_at_thresholds(wanted, found, limits, scale, kinds)
        value, update = _best(values, "value"), _best(updates, "update")
        return collected(value, update, metrics_collections, updates_collections)


def _best(counts: Sequence[Any], name: str) -> Any:
    right, wrong, missed = counts
    said, there = [
        elementwise.div(right, _EPSILON + right + other, name=f"{what}_{name}")
        for what, other in (("precision", wrong), ("recall", missed))
    ]
    return numbers.reduce_max(2.0 * said * there / (said + there + _EPSILON))


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
    found = _strict_recall if strict_mode else _recall
    with scoped(name, "recall_at_precision"):
        limits = even_thresholds(num_thresholds)
        both = _counted(predictions, labels, limits, weights)
        value, update = [
            found(counts, precision, what)
            for what, counts in zip(("value", "update_op"), both, strict=True)
        ]
        return collected(value, update, metrics_collections, updates_collections)


def _precisions(counts: Counts) -> Any:
    right = counts["true_positives"]
    return elementwise.div(right, right + counts["false_positives"] + _EPSILON)


def _recall_at(counts: Counts, place: Any, name: str) -> Any:
    right, missed = counts["true_positives"], counts["false_negatives"]
    return elementwise.div(
        right[place], right[place] + missed[place] + _EPSILON, name=name
    )


def _recall(counts: Counts, precision: float, name: str) -> Any:
    apart = elementwise.abs(_precisions(counts) - precision)
    place = numbers.argmin(apart, 0, output_type=int32)
    return _recall_at(counts, place, name)


def _strict_recall(counts: Counts, precision: float, name: str) -> Any:
    known = _precisions(counts)
    # What is barely above comes first, what is below last.
    order = elementwise.div(1.0, known - precision + _EPSILON)
    place = numbers.argmax(order, 0, output_type=int32)
    return cond(
        known[place] >= precision,
        lambda: _recall_at(counts, place, name),
        lambda: 0.0,
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
    with scoped(name, "precision_at_recall"):
        limits = even_thresholds(num_thresholds)
        both = _counted(predictions, labels, limits, weights)
        value, update = [
            _precision(counts, target_recall, what)
            for what, counts in zip(("value", "update_op"), both, strict=True)
        ]
        return collected(value, update, metrics_collections, updates_collections)


def _precision(counts: Counts, target: float, name: str) -> Any:
    right, wrong = counts["true_positives"], counts["false_positives"]
    missed = counts["false_negatives"]
    recalls = elementwise.div(right, right + missed + _EPSILON)
    enough = elementwise.cast(elementwise.greater_equal(recalls, target), int64)
    place = numbers.reduce_sum(enough) - 1
    return elementwise.div(
        right[place] + _EPSILON, right[place] + wrong[place] + _EPSILON, name=name
    )


def streaming_curve_points(
    labels: Any = None,
    predictions: Any = None,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """Return (points [thresholds, 2] of the curve "ROC" or "PR", update operation)."""
    with scoped(name, "curve_points"):
        if curve not in ("ROC", "PR"):
            raise InvalidArgumentError(
                f"curve must be either ROC or PR, {curve} unknown"
            )
        limits = even_thresholds(num_thresholds)
        values, updates = _counted(predictions, labels, limits, weights)
        right, missed, no, wrong = [values[kind] for kind in ALL_KINDS]
        least = 1e-6
        recall = elementwise.div(right + least, right + missed + least)
        if curve == "ROC":
            ends = [elementwise.div(wrong, wrong + no + least), recall]
        else:
            ends = [recall, elementwise.div(right + least, right + wrong + least)]
        points = arrays.stack(ends, axis=1)
        update = framework.group(*updates.values())
        return collected(points, update, metrics_collections, updates_collections)


class PrecisionRecallData(NamedTuple):
    """Counts, precision and recall at thresholds."""

    tp: Any
    fp: Any
    tn: Any
    fn: Any
    precision: Any
    recall: Any
    thresholds: Any


def precision_recall_at_equal_thresholds(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> tuple[PrecisionRecallData, Any]:
    """Return (counts, precision and recall at thresholds from 0 to 1, update operation).

    Predictions are put into as many parts of that as there are thresholds, 201 unless given.
    """
    count = 201 if num_thresholds is None else num_thresholds
    locks = True if use_locking is None else use_locking
    assert_type(labels, bool_)
    with scoped(name, "precision_recall_at_equal_thresholds"):
        given = predictions, labels, 1.0 if weights is None else weights
        found, truths, lies = _weighed(*given)
        places = elementwise.cast(elementwise.floor(found * (count - 1)), int32)
        with name_scope("variables"):
            parts = [
                metric_variable([count], float64, name=f"{what}_buckets")
                for what in ("tp", "fp")
            ]
        with name_scope("update_op"):
            updates = [
                scatter_add(part, places, each, use_locking=locks)
                for part, each in zip(parts, (truths, lies), strict=True)
            ]
        tp, fp = [
            reductions.cumsum(part, reverse=True, name=what)
            for part, what in zip(parts, ("tp", "fp"), strict=True)
        ]
        result = _at_equal_thresholds(tp, fp, found.dtype, count)
        return result, framework.group(*updates)


def _weighed(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return predictions between 0 and 1, and the weights of true and of false labels, in rows."""
    told = "predictions must be in [0, 1]"
    checks = [
        assert_greater_equal(
            predictions, elementwise.cast(0.0, predictions.dtype), message=told
        ),
        assert_less_equal(
            predictions, elementwise.cast(1.0, predictions.dtype), message=told
        ),
    ]
    with framework.control_dependencies(checks):
        found, wanted, scale = fitted(predictions, labels, weights)
    truth = elementwise.cast(wanted, float64)
    scale = elementwise.cast(scale, float64)
    parts = found, truth * scale, (1.0 - truth) * scale
    found, truths, lies = [arrays.reshape(x, [-1]) for x in parts]
    return found, truths, lies


def _at_equal_thresholds(
    tp: Any, fp: Any, dtype: Any, count: int
) -> PrecisionRecallData:
    tn, fn = fp[0] - fp, tp[0] - tp
    least = framework.convert_to_tensor(_EPSILON, dtype=float64)
    precision = tp / elementwise.maximum(least, tp + fp)
    recall = tp / elementwise.maximum(least, tp + fn)
    made = [elementwise.cast(x, dtype) for x in (tp, fp, tn, fn, precision, recall)]
    made.append(elementwise.cast(arrays.linspace(0.0, 1.0, count), dtype))
    return PrecisionRecallData(*made)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return (all values so far, joined along an axis, update operator).

    Beyond max_size values are left out. All other sizes have to be known.
    """
    with scoped(name, "streaming_concat"):
        rank = values.get_shape().rank
        if rank is None:
            raise ShapeError("`values` must have known statically known rank")
        along = axis + rank if axis < 0 else axis
        if not 0 <= along < rank:
            raise ShapeError(f"axis = {axis!r} not in [0, {rank!r})")
        sizes = values.get_shape().as_list()
        rest = [size for i, size in enumerate(sizes) if i != along]
        if None in rest:
            raise ShapeError(
                "all dimensions of `values` other than the dimension to concatenate along must "
                "have statically known size"
            )
        kept = _Row(values.dtype, rest, max_size)
        back = [0 if i == along else i + 1 if i < along else i for i in range(rank)]
        value = arrays.transpose(kept.values(), back, name="concat")
        number = v1_arrays.shape(values)[along]
        if max_size is not None:
            number = elementwise.minimum(number, max_size - kept.size)
        first = [along, *[i for i in range(rank) if i != along]]
        update = kept.with_more(arrays.transpose(values, first)[:number], number)
        return collected(value, update, metrics_collections, updates_collections)


class _Row:
    """A variable that grows along its first axis, by more than is wanted at a time."""

    def __init__(self, dtype: Any, rest: list[int], most: int | None) -> None:
        self._dtype, self._rest = dtype, rest
        shape = [most or 0, *rest]
        self._array = metric_variable(
            shape, dtype, validate_shape=False, name="array"
        )
        self.size = metric_variable([], int32, name="size")

    def values(self) -> Any:
        """Return what was added."""
        found = self._array[: self.size]
        found.set_shape([None, *self._rest])
        return found

    def with_more(self, values: Any, number: Any) -> Any:
        """Return the size once a number of values are added."""
        after = self.size + number
        there = v1_arrays.shape(self._array)[0]
        ready = cond(after > there, lambda: self._widened(after), framework.no_op)
        with framework.control_dependencies([ready]):
            added = self._array[self.size : after].assign(values)
        with framework.control_dependencies([added]):
            return self.size.assign(after)

    def _widened(self, wanted: Any) -> Any:
        sizes = arrays.stack([_next_size(wanted), *self._rest])
        empty = arrays.zeros(sizes, dtype=self._dtype)
        before = self._array.value()
        with framework.control_dependencies([before]):
            moved = assign(self._array, empty, validate_shape=False)
        with framework.control_dependencies([moved]):
            copied = self._array[: self.size].assign(before[: self.size])
        with framework.control_dependencies([copied]):
            return framework.no_op()


def _next_size(wanted: Any, factor: float = 1.5) -> Any:
    """Return the least power of a factor that holds what is wanted."""
    logs = [elementwise.log(elementwise.cast(x, float32)) for x in (wanted, factor)]
    exponent = elementwise.ceil(logs[0] / logs[1])
    return elementwise.cast(elementwise.ceil(factor**exponent), int32)
