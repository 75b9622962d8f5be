"""The formulas of metrics: outcomes, areas under curves, overlaps; each in this one place.

All are over one batch, or over sums of batches. Who keeps such sums stands where metrics are
offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.check import whole
from tensorlite.core.dispatch import constant
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.linear.diagonal import diagonal
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import logical_not, where
from tensorlite.ops.math.elementwise import log
from tensorlite.ops.math.quotients import divide_no_nan

OUTCOMES = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}
"""Whether label and prediction are positive in each outcome."""


def outcome(kind: str, labels: Tensor, predictions: Tensor) -> Tensor:
    """Return where labels and predictions, which are true or false, come out as `kind` says.

    >>> from tensorlite.train.scores import outcome
    >>> labels, predictions = tl.asarray([True, True, False]), tl.asarray([True, False, True])
    >>> print(outcome("false_negatives", labels, predictions))
    [False  True False]
    """
    wanted, found = OUTCOMES[kind]
    return (labels if wanted else logical_not(labels)) & (
        predictions if found else logical_not(predictions)
    )


def outcomes_by_threshold(
    labels: Tensor,
    scores: Tensor,
    thresholds: Sequence[float],
    weights: Tensor | None,
    kinds: Sequence[str],
) -> list[Tensor]:
    """Return how often each kind of outcome occurs for each threshold that scores may pass.

    `weights`, if there are any, are broadcast to the scores, and counts are their sums.

    >>> from tensorlite.train.scores import outcomes_by_threshold
    >>> labels, scores = tl.asarray([True, True, False]), tl.asarray([0.9, 0.4, 0.6])
    >>> (hits,) = outcomes_by_threshold(labels, scores, [0.3, 0.5], None, ["true_positives"])
    >>> print(hits)
    [2. 1.]
    """
    limits = constant([[x] for x in thresholds], scores.dtype)
    chosen = reshape(scores, [1, -1]) > limits
    truth = reshape(labels, [1, -1])
    row = None if weights is None else weights * ones_like(scores)
    counts = []
    for kind in kinds:
        each = astype(outcome(kind, truth, chosen), scores.dtype)
        if row is not None:
            each = each * reshape(row, [1, -1])
        counts.append(sum_of(each, axis=1))
    return counts


def inner_thresholds(count: int) -> list[float]:
    """Return thresholds evenly between 0 and 1, without the two at the ends.

    >>> from tensorlite.train.scores import inner_thresholds
    >>> inner_thresholds(5)
    [0.25, 0.5, 0.75]
    """
    whole(count, "num_thresholds", least=2)
    return [(i + 1) / (count - 1) for i in range(count - 2)]


def area_under_points(x: Tensor, y: Tensor, method: str) -> Tensor:
    """Return the area under a curve through points whose x falls along the first axis.

    What stands for the height between two points is their mean ("trapezoidal"), the lower one
    ("minoring") or the higher one ("majoring").

    >>> from tensorlite.train.scores import area_under_points
    >>> print(area_under_points(tl.asarray([1.0, 0.0]), tl.asarray([1.0, 0.5]), "minoring"))
    0.5
    """
    before, after = y[:-1], y[1:]
    if method == "trapezoidal":
        height = (before + after) / 2.0
    elif method in {"minoring", "majoring"}:
        height = (minimum if method == "minoring" else maximum)(before, after)
    else:
        raise InvalidArgumentError(
            f"area_under_points: method={method!r}; give trapezoidal, minoring or majoring"
        )
    return sum_of((x[:-1] - x[1:]) * height, axis=0)


def area_under_precision(right: Tensor, wrong: Tensor, missed: Tensor) -> Tensor:
    """Return the area under precision over recall, from counts at rising thresholds.

    The thresholds are the first axis; there is an area for each place of the others. Between two
    thresholds true positives lie evenly (Davis and Goadrich 2006).

    >>> from tensorlite.train.scores import area_under_precision
    >>> right, wrong, missed = map(tl.asarray, ([2.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 2.0]))
    >>> print(f"{area_under_precision(right, wrong, missed):.4f}")
    0.8207
    """
    chosen = right + wrong
    gained, step = right[:-1] - right[1:], chosen[:-1] - chosen[1:]
    slope = divide_no_nan(gained, maximum(step, 0))
    intercept = right[1:] - slope * chosen[1:]
    both = (chosen[:-1] > 0) & (chosen[1:] > 0)
    ratio = where(both, divide_no_nan(chosen[:-1], maximum(chosen[1:], 0)), 1)
    area = slope * (gained + intercept * log(ratio))
    return sum_of(divide_no_nan(area, maximum(right[1:] + missed[1:], 0)), axis=0)


def mean_overlap(matrix: Tensor, classes: Sequence[int] | None = None) -> Tensor:
    """Return the mean over classes that occur of the part of their union that is common.

    `matrix` counts predictions by class of label and of prediction; all classes are looked at if
    none are given.

    >>> from tensorlite.train.scores import mean_overlap
    >>> print(mean_overlap(tl.asarray([[1.0, 1.0], [0.0, 2.0]])))
    0.5833333
    """
    common = diagonal(matrix)
    union = sum_of(matrix, axis=0) + sum_of(matrix, axis=1) - common
    if classes is not None:
        common, union = take(common, list(classes)), take(union, list(classes))
    present = sum_of(astype(union != 0, matrix.dtype))
    return divide_no_nan(sum_of(divide_no_nan(common, union)), present)
