"""Keras' metrics of counts in graphs: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import (
    expand_dims,
    identity,
    reshape,
    size,
    stack,
)
from tensorlite.compat.shared.checks import assert_greater_equal, assert_less_equal
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    cast,
    div_no_nan,
    greater,
    log,
    logical_and,
    logical_not,
    maximum,
    minimum,
    multiply,
)
from tensorlite.compat.shared.picking import one_hot, top_k
from tensorlite.compat.shared.ragged_and_sparse.conversions import is_ragged
from tensorlite.compat.v1.functions.arrays import ones_like, where
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import control_dependencies, group
from tensorlite.compat.v1.metric_kinds.parts import alike, fitted
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.metrics import counts
from tensorlite.compat.v2.keras.src.models.in_graphs import writes
from tensorlite.core.dtypes import as_dtype, bool_, float32
from tensorlite.train.scores import OUTCOMES

_NEVER = -1e10
"""A score below all thresholds, of what is not among the best."""


def _is_other(metric: counts.Counts) -> bool:
    """Return whether a metric is one that TensorFlow 1 has not."""
    by_label = isinstance(metric, counts.AUC) and (
        metric.multi_label or metric.label_weights is not None or metric.from_logits
    )
    return naming.is_keras_3() or as_dtype(metric.dtype) is not float32 or by_label


@writes(counts.Counts.update_state)
def count(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    if _is_other(self) or any(map(is_ragged, (y_true, y_pred, sample_weight))):
        return NotImplemented
    true, found = cast(y_true, float32), cast(y_pred, float32)
    alike(found, true)
    checks = [
        assert_greater_equal(
            found, cast(0.0, found.dtype), message="predictions must be >= 0"
        ),
        assert_less_equal(
            found, cast(1.0, found.dtype), message="predictions must be <= 1"
        ),
    ]
    with control_dependencies(checks):
        found, true, scale = fitted(found, true, sample_weight)
    if self.top_k is not None:
        found = _best(found, self.top_k)
    if self.class_id is not None:
        true, found = true[..., self.class_id], found[..., self.class_id]
    return _counted(self, true, found, scale)


writes(counts.AUC.update_state)(count)


def _best(scores: Any, many: int) -> Any:
    """Return the greatest scores of rows, others below all thresholds."""
    _, places = top_k(scores, many, sorted=False)
    depth = scores.get_shape().as_list()[-1]
    best = reduce_sum(one_hot(places, depth, axis=-1), axis=-2)
    return scores * best + _NEVER * (1 - best)


def _counted(self: Any, true: Any, found: Any, scale: Any) -> Any:
    """Return the node that adds how often outcomes occur at each threshold."""
    limits = [max(x, _NEVER) for x in self.thresholds]
    many, number = len(limits), size(found)
    row = reshape(found, [1, -1])
    labels = reshape(cast(true, bool_), [1, -1])
    limit = tile(expand_dims(constant(limits), 1), stack([1, number]))
    guess = greater(tile(row, [many, 1]), limit)
    truth = tile(labels, [many, 1])
    each_weight = None
    if scale is not None:
        weights = broadcast_weights(cast(scale, float32), found)
        each_weight = tile(reshape(weights, [1, -1]), [many, 1])
    guesses = _both(guess, 1, self.kinds)
    truths = _both(truth, 0, self.kinds)
    updates = []
    for kind in sorted(self.kinds, key=_ORDER.index):
        is_true, is_guessed = OUTCOMES[kind]
        hits = cast(logical_and(truths[is_true], guesses[is_guessed]), float32)
        hits = hits if each_weight is None else hits * each_weight
        updates.append(self.held(kind).assign_add(reduce_sum(hits, 1)))
    return group(*updates)


_ORDER = ("true_positives", "false_negatives", "false_positives", "true_negatives")
"""Outcomes in the order in which they are added."""


def _both(yes: Any, part: int, kinds: Sequence[str]) -> dict[bool, Any]:
    """Return truths or guesses, and their contraries where outcomes take them."""
    is_asked = any(not OUTCOMES[kind][part] for kind in kinds)
    return {True: yes, False: logical_not(yes) if is_asked else None}


def _share(right: Any, wrong: Any) -> Any:
    return div_no_nan(right, right + wrong)


@writes(counts.Precision.result)
def precision(self: Any) -> Any:
    return _shown_share(self, self.true_positives, self.false_positives)


@writes(counts.Recall.result)
def recall(self: Any) -> Any:
    return _shown_share(self, self.true_positives, self.false_negatives)


def _shown_share(self: Any, right: Any, wrong: Any) -> Any:
    if _is_other(self):
        return NotImplemented
    share = _share(right, wrong)
    return identity(share[0] if len(self.thresholds) == 1 else share)


@writes(counts.Outcome.result)
def outcome(self: Any) -> Any:
    if _is_other(self):
        return NotImplemented
    held = self.accumulator
    return identity(held[0] if len(self.thresholds) == 1 else held)


@writes(counts.AUC.result)
def area(self: Any) -> Any:
    if _is_other(self):
        return NotImplemented
    method = self.summation_method
    if self.curve == "PR" and method == "interpolation":
        return identity(_under_precision(self))
    x = y = _share(self.true_positives, self.false_negatives)
    if self.curve == "ROC":
        x = _share(self.false_positives, self.true_negatives)
    else:
        y = _share(self.true_positives, self.false_positives)
    first, last = y[: self.num_thresholds - 1], y[1:]
    if method == "interpolation":
        heights = (first + last) / 2.0
    else:
        heights = (minimum if method == "minoring" else maximum)(first, last)
    widths = x[: self.num_thresholds - 1] - x[1:]
    return identity(reduce_sum(multiply(widths, heights), name=self.name))


def _under_precision(self: Any) -> Any:
    """Return the area under precision over recall, between thresholds as counts are linear."""
    before = self.num_thresholds - 1
    right, missed = self.true_positives, self.false_negatives
    more_right = right[:before] - right[1:]
    guessed = right + self.false_positives
    more = guessed[:before] - guessed[1:]
    slope = div_no_nan(more_right, maximum(more, 0), name="prec_slope")
    start = right[1:] - multiply(slope, guessed[1:])
    ratio = where(
        logical_and(guessed[:before] > 0, guessed[1:] > 0),
        div_no_nan(
            guessed[:before], maximum(guessed[1:], 0), name="recall_relative_ratio"
        ),
        ones_like(guessed[1:]),
    )
    each = div_no_nan(
        slope * (more_right + start * log(ratio)),
        maximum(right[1:] + missed[1:], 0),
        name="pr_auc_increment",
    )
    return reduce_sum(each, name="interpolate_pr_auc")
