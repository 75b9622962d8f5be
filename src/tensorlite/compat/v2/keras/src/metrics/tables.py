"""Metrics of keras made of tables: intersection over union, F scores, shares of variance.

Counts by thresholds stand in counts.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.metrics.base import MeanMetricWrapper, Metric
from tensorlite.compat.v2.keras.src.metrics.counts import Counts
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.quotients import divide_no_nan
from tensorlite.train.scores import inner_thresholds, mean_overlap


class IoU(Metric):
    """The mean over some classes of the overlap of predictions and truth over their union."""

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Any,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name, dtype)
        self.num_classes, self.target_class_ids = num_classes, target_class_ids
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        title = "total_cm" if naming.is_keras_3() else "total_confusion_matrix"
        self.total_cm = self.add_weight(title, (num_classes, num_classes))

    def _labels(self, y: Any, whole: bool) -> Any:
        x = converted(y)
        return astype(x if whole else tl.argmax(x, axis=self.axis), tl.int64)

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Count a batch's true classes by predicted ones."""
        true = tl.reshape(self._labels(y_true, self.sparse_y_true), [-1, 1])
        found = tl.reshape(self._labels(y_pred, self.sparse_y_pred), [-1, 1])
        classes = tl.arange(self.num_classes, dtype=tl.int64)
        rows = astype(true == classes, float32)
        if sample_weight is not None:
            rows = rows * tl.reshape(self.number(sample_weight), [-1, 1])
        if self.ignore_class is not None:
            rows = rows * astype(true != self.ignore_class, float32)
        self.total_cm.assign_add(
            tl.matmul(tl.matrix_transpose(rows), astype(found == classes, float32))
        )

    def result(self) -> Any:
        """Return the mean over target_class_ids of overlap by union."""
        table, chosen = self.total_cm.value(), list(self.target_class_ids)
        return mean_overlap(table, chosen)


class MeanIoU(IoU):
    """The mean over all classes of overlap by union, of numbers of classes."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            *(num_classes, range(num_classes), name, dtype),
            *(ignore_class, sparse_y_true, sparse_y_pred, axis),
        )


class OneHotIoU(IoU):
    """The mean over some classes of overlap by union, of rows with one number for each class."""

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Any,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            *(num_classes, target_class_ids, name, dtype, ignore_class, False),
            *(sparse_y_pred, axis),
        )


class OneHotMeanIoU(IoU):
    """The mean over all classes of overlap by union, of rows with one number for each class."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            *(num_classes, range(num_classes), name, dtype, ignore_class, False),
            *(sparse_y_pred, axis),
        )


class BinaryIoU(IoU):
    """The mean over no and yes of overlap by union, yes being from a threshold on."""

    def __init__(
        self,
        target_class_ids: Any = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Count a batch, whose predictions are yes from the threshold on."""
        chosen = astype(converted(y_pred) >= self.threshold, tl.int64)
        super().update_state(y_true, chosen, sample_weight)


def _fraction(name: str, value: Any) -> None:
    if not isinstance(value, float):
        raise InvalidArgumentError(
            f"Invalid `{name}` argument value. It should be a Python float. Received: "
            f"{name}={value} of type '{type(value)}'"
        )


class FBetaScore(Metric):
    """The mean of precision and recall, the second counting beta times as much."""

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        if average not in {None, "micro", "macro", "weighted"}:
            raise InvalidArgumentError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', "
                f"'weighted'}}. Received: average={average}"
            )
        _fraction("beta", beta)
        if beta <= 0.0:
            raise InvalidArgumentError(
                f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}"
            )
        if threshold is not None:
            _fraction("threshold", threshold)
            if not 0.0 < threshold <= 1.0:
                raise InvalidArgumentError(
                    "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                    f"Received: threshold={threshold}"
                )
        self.average, self.beta, self.threshold = average, beta, threshold
        self.table: Any = None

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Count what a batch has right, wrong and missed, by class."""
        true, scores = self.number(y_true), self.number(y_pred)
        if self.table is None:
            sizes = () if self.average == "micro" else (int(scores.shape[-1]),)
            self.table = [
                self.add_weight(x, sizes)
                for x in ("true_positives", "false_positives", "false_negatives")
            ]
        if self.threshold is None:
            best = tl.max(scores, axis=-1, keepdims=True)
            chosen = (scores >= best) & (tl.abs(scores) > 1e-9)
        else:
            chosen = scores > self.threshold
        found = astype(chosen, scores.dtype)
        weights: Any = 1.0
        if sample_weight is not None:
            weights = self.number(sample_weight)[:, None]
        axis = None if self.average == "micro" else 0
        counts = (found * true, found * (1 - true), (1 - found) * true)
        for held, count in zip(self.table, counts, strict=True):
            held.assign_add(tl.sum(count * weights, axis=axis))

    def result(self) -> Any:
        """Return the scores of classes, or their mean as average says."""
        right, wrong, missed = (x.value() for x in self.table)
        precision = divide_no_nan(right, right + wrong + 1e-7)
        recall = divide_no_nan(right, right + missed + 1e-7)
        power = self.beta**2
        score = (1 + power) * precision * recall / (power * precision + recall + 1e-7)
        if self.average == "macro":
            return tl.mean(score)
        if self.average == "weighted":
            shares = (right + missed) / (tl.sum(right + missed) + 1e-7)
            return tl.sum(score * shares)
        return score


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall."""

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


@anywhere
def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return how true and predicted values rise together, from -1 to 1."""
    return _together(y_true, y_pred, axis, 0.0)


@anywhere
def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return how nearly predicted values are the true ones, from -1 to 1."""
    return _together(y_true, y_pred, axis, 1.0)


def _together(y_true: Any, y_pred: Any, axis: int, share: float) -> Any:
    """Return a covariance over deviations, or over the squares of these and of the distance."""
    found = converted(y_pred)
    true = astype(converted(y_true), found.dtype)
    means = [tl.mean(x, axis=axis, keepdims=True) for x in (true, found)]
    first, second = true - means[0], found - means[1]
    both = tl.mean(first * second, axis=axis)
    spreads = [tl.mean(x * x, axis=axis) for x in (first, second)]
    if not share:
        return divide_no_nan(both, tl.sqrt(spreads[0] * spreads[1]))
    distance = tl.squeeze(tl.square(means[0] - means[1]), axis=axis)
    return divide_no_nan(2.0 * both, spreads[0] + spreads[1] + distance)


class PearsonCorrelation(MeanMetricWrapper):
    """The mean of how true and predicted values rise together."""

    def __init__(
        self,
        name: str | None = "pearson_correlation",
        dtype: Any = None,
        axis: int = -1,
    ) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean of how nearly predicted values are the true ones."""

    def __init__(
        self,
        name: str | None = "concordance_correlation",
        dtype: Any = None,
        axis: int = -1,
    ) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)


class R2Score(Metric):
    """The share of the variance that predictions explain."""

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        self.class_aggregation, self.num_regressors = (
            class_aggregation,
            num_regressors,
        )
        self.sums: Any = None
        self.samples = self.add_weight("num_samples")

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add the sums of a batch from which variances are computed."""
        true, found = self.number(y_true), self.number(y_pred)
        if self.sums is None:
            sizes = (int(true.shape[-1]),)
            kinds = "squares", "sum", "residual", "count"
            self.sums = [self.add_weight(x, sizes) for x in kinds]
        weights = tl.ones_like(true[:, :1])
        if sample_weight is not None:
            given = self.number(sample_weight)
            weights = given[:, None] if len(given.shape) == 1 else given
        weights = weights * tl.ones_like(true)
        terms = (true * true, true, tl.square(true - found), tl.ones_like(true))
        for held, term in zip(self.sums, terms, strict=True):
            held.assign_add(tl.sum(term * weights, axis=0))
        self.samples.assign_add(tl.sum(tl.ones_like(true)))

    def result(self) -> Any:
        """Return the explained share, by class or put together as class_aggregation says."""
        squares, total, residual, count = (x.value() for x in self.sums)
        spread = squares - total * total / count
        scores = 1.0 - divide_no_nan(residual, spread)
        if self.class_aggregation == "uniform_average":
            scores = tl.mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = tl.sum(scores * spread / tl.sum(spread))
        samples = self.samples.value()
        left = samples - self.num_regressors - 1
        if self.num_regressors:
            adjusted = 1 - (1 - scores) * divide_no_nan(samples - 1, left)
            scores = tl.where(left > 0, adjusted, scores)
        return scores


RATES = {
    "precision": ("true_positives", "false_positives"),
    "recall": ("true_positives", "false_negatives"),
    "sensitivity": ("true_positives", "false_negatives"),
    "specificity": ("true_negatives", "false_positives"),
}
"""Rates, as what is right of what is right or wrong."""


def _spread(count: int) -> list[float]:
    """Return thresholds evenly from 0 to 1; a single one is in the middle."""
    return [0.5] if count == 1 else [0.0, *inner_thresholds(count), 1.0]


class _At(Counts):
    """The best of one rate among the thresholds at which another is high enough."""

    rates: ClassVar[tuple[str, str]]
    """The rate that is wanted, and the one that must be high enough, as in RATES."""
    tells_given = False

    def __init__(
        self, least: float, num_thresholds: int, name: str | None, dtype: Any
    ) -> None:
        if num_thresholds <= 0:
            raise InvalidArgumentError(
                "Argument `num_thresholds` must be an integer > 0. Received: "
                f"num_thresholds={num_thresholds}"
            )
        if not 0 <= least <= 1:
            raise InvalidArgumentError(
                f"Argument `{self.rates[1]}` must be in the range [0, 1]. Received: "
                f"{self.rates[1]}={least}"
            )
        super().__init__(_spread(num_thresholds), name, dtype)
        self._least, self.num_thresholds = least, num_thresholds

    def result(self) -> Any:
        wanted, other = (self._rate(*RATES[name]) for name in self.rates)
        if not naming.is_keras_3():  # before, it was that of the nearest threshold
            nearest = tl.argmin(tl.abs(other - self._least), axis=0)
            return tl.gather(wanted, nearest)
        enough = other >= self._least
        return tl.max(tl.where(enough, wanted, tl.zeros_like(wanted)))

    def _rate(self, right: str, wrong: str) -> Any:
        one, other = (getattr(self, name).value() for name in (right, wrong))
        return divide_no_nan(one, one + other)


class PrecisionAtRecall(_At):
    """The best precision of thresholds with a recall of at least so much."""

    rates = "precision", "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, name, dtype)
        self.recall, self.class_id = recall, class_id


class RecallAtPrecision(_At):
    """The best recall of thresholds with a precision of at least so much."""

    rates = "recall", "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, name, dtype)
        self.precision, self.class_id = precision, class_id


class SensitivityAtSpecificity(_At):
    """The best sensitivity of thresholds with a specificity of at least so much."""

    rates = "sensitivity", "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, name, dtype)
        self.specificity, self.class_id = specificity, class_id


class SpecificityAtSensitivity(_At):
    """The best specificity of thresholds with a sensitivity of at least so much."""

    rates = "specificity", "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, name, dtype)
        self.sensitivity, self.class_id = sensitivity, class_id
