"""Metrics of keras made of counts: precision, recall, AUC, mean intersection over union."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.losses import ranks
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.quotients import divide_no_nan
from tensorlite.train import scores as formulas

_BEYOND = 1e-6
"""How far the first and last thresholds of a curve may lie beyond what predictions are."""
_OLDER_ORDER = (
    "true_positives",
    "true_negatives",
    "false_positives",
    "false_negatives",
)
"""The order in which Keras had counts before its version 3."""


class Counts(Metric):
    """Counts of right and wrong predictions of yes and no, for each of some thresholds."""

    tells_given = True
    """Whether its configuration has the thresholds that a program gave."""
    kinds: ClassVar[tuple[str, ...]] = tuple(formulas.OUTCOMES)
    """The outcomes that are counted."""
    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def __init__(
        self,
        thresholds: Any,
        name: str | None,
        dtype: Any,
        top_k: int | None = None,
        class_id: int | None = None,
    ) -> None:
        super().__init__(name, dtype)
        self.top_k, self.class_id = top_k, class_id
        usual = 0.5 if top_k is None else -np.inf
        given = [usual] if thresholds is None else np.atleast_1d(thresholds).tolist()
        self.init_thresholds = thresholds
        self.thresholds = [float(x) for x in given]
        outside = [
            x for x in given if not -_BEYOND <= x <= 1 + _BEYOND and x != -np.inf
        ]
        if outside:
            raise InvalidArgumentError(
                f"Threshold values must be in [0, 1]. Received: {outside}"
            )
        self.is_single = thresholds is None or np.ndim(thresholds) == 0
        self.count_for(())

    def get_config(self) -> dict[str, Any]:
        own = super().get_config()
        return (
            {**own, "thresholds": self.init_thresholds} if self.tells_given else own
        )

    def count_for(self, labels: tuple[int, ...]) -> None:
        """Begin to count, for each of some labels."""
        sizes = (len(self.thresholds), *labels)
        in_turn = self.kinds
        if not naming.is_keras_3():
            in_turn = tuple(sorted(self.kinds, key=_OLDER_ORDER.index))
        for kind in in_turn:
            setattr(self, kind, self.add_weight(kind, sizes))

    def held(self, kind: str) -> Any:
        """Return the variable in which an outcome is counted."""
        return getattr(self, kind)

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        (y_true, y_pred), sample_weight = ranks.flat([y_true, y_pred], sample_weight)
        found, given = self._chosen(self.number(y_pred), converted(y_true))
        weights = None
        if sample_weight is not None:
            weights = self.number(sample_weight)
            known = ranks.of(weights, found)
            if known is None:
                weights = ranks.like(weights, found)
            for _ in range(known[1] - known[0] if known else 0):
                weights = weights[..., None]
        counts = self.outcomes(astype(given, tl.bool), found, weights)
        for kind, count in zip(self.kinds, counts, strict=True):
            self.held(kind).assign_add(count)

    def outcomes(self, true: Any, scores: Any, weights: Any) -> list[Any]:
        """Return how often each outcome occurs at each threshold."""
        return formulas.outcomes_by_threshold(
            true, scores, self.thresholds, weights, list(self.kinds)
        )

    def _chosen(self, scores: Any, true: Any) -> tuple[Any, Any]:
        """Return predictions and truth, of the best alone or of a class where so wanted."""
        if self.top_k is not None:
            _, places = tl.top_k(scores, self.top_k)
            best = tl.sum(
                tl.one_hot(places, scores.shape[-1], dtype=scores.dtype), axis=-2
            )
            scores = tl.where(best > 0, scores, tl.full_like(scores, -np.inf))
        if self.class_id is not None:
            if len(scores.shape) != 2:
                raise InvalidArgumentError(
                    "When class_id is provided, y_pred must be a 2D array with shape "
                    f"(num_samples, num_classes), found shape: {tuple(scores.shape)}"
                )
            scores, true = scores[..., self.class_id], true[..., self.class_id]
        return scores, true

    def _shown(self, values: Any) -> Any:
        return values[0] if self.is_single else values


class Precision(Counts):
    """The share of true ones among those that are predicted.

    thresholds say from where on something is predicted, 1/2 if None; top_k counts the k greatest
    only.
    """

    kinds = "true_positives", "false_positives"

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, name, dtype, top_k, class_id)

    def result(self) -> Any:
        """Return the share of true ones among those that were predicted."""
        positives = self.true_positives.value()
        return self._shown(
            divide_no_nan(positives, positives + self.false_positives.value())
        )


class Recall(Counts):
    """The share of predicted ones among those that are true.

    thresholds say from where on something is predicted, 1/2 if None; top_k counts the k greatest
    only.
    """

    kinds = "true_positives", "false_negatives"

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, name, dtype, top_k, class_id)

    def result(self) -> Any:
        """Return the share of predicted ones among those that were true."""
        positives = self.true_positives.value()
        return self._shown(
            divide_no_nan(positives, positives + self.false_negatives.value())
        )


class Outcome(Counts):
    """One of the counts."""

    def __init__(
        self, thresholds: Any = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(thresholds, name, dtype)

    def count_for(self, labels: tuple[int, ...]) -> None:
        sizes = (len(self.thresholds), *labels)
        self.accumulator = self.add_weight("accumulator", sizes)

    def held(self, kind: str) -> Any:
        return self.accumulator

    def result(self) -> Any:
        return self._shown(self.accumulator.value())


class TruePositives(Outcome):
    """How many are predicted and true."""

    kinds = ("true_positives",)


class TrueNegatives(Outcome):
    """How many are neither predicted nor true."""

    kinds = ("true_negatives",)


class FalsePositives(Outcome):
    """How many are predicted and not true."""

    kinds = ("false_positives",)


class FalseNegatives(Outcome):
    """How many are true and not predicted."""

    kinds = ("false_negatives",)


def _inner(count: Any, thresholds: Any) -> list[float]:
    """Return the thresholds of a curve between its ends, given or as many as told."""
    if thresholds is not None:
        return sorted(thresholds)
    if not isinstance(count, int) or count < 2:
        raise InvalidArgumentError(
            "Argument `num_thresholds` must be an integer > 1. Received: "
            f"num_thresholds={count}"
        )
    return list(formulas.inner_thresholds(count))


def _gain(odds: Any, wrong: Any, right: Any, at_none: float) -> Any:
    """Return by how much less is wrong than where all is taken, told for nothing that is right."""
    made = 1.0 - odds * divide_no_nan(wrong, right)
    return tl.where(right == 0.0, tl.asarray(at_none, dtype=made.dtype), made)


class AUC(Counts):
    """The area under the curve of recall over false alarms, or of precision over recall.

    "PRGAIN" is of the gains of both over a model that says yes to all (Flach and Kull, 2015).
    """

    tells_given = False

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        curve = curve.upper()
        if curve not in {"ROC", "PR", "PRGAIN"}:
            raise InvalidArgumentError(
                f'Invalid AUC curve value: "{curve}". Expected values are ["PR", "ROC", '
                '"PRGAIN"]'
            )
        if num_labels is not None and not multi_label:
            raise InvalidArgumentError(
                "AUC: `num_labels` is needed only when `multi_label` is True."
            )
        self.multi_label, self.num_labels = multi_label, num_labels
        self.label_weights = label_weights
        if summation_method not in {"interpolation", "minoring", "majoring"}:
            raise InvalidArgumentError(
                f'Invalid AUC summation method value: "{summation_method}". Expected values are '
                '["interpolation", "majoring", "minoring"]'
            )
        self.summation_method = summation_method
        given = _inner(num_thresholds, thresholds)
        self.num_thresholds = len(given) + 2
        super().__init__([-1e-7, *given, 1.0 + 1e-7], name, dtype)
        self.own_thresholds = None if thresholds is None else given
        self.curve, self.from_logits = curve, from_logits

    def get_config(self) -> dict[str, Any]:
        own = super().get_config()
        own.pop("thresholds", None)
        given = self.own_thresholds
        if given is None and not naming.is_keras_3():
            given = self.thresholds[1:-1]
        return own if given is None else {**own, "thresholds": given}

    def count_for(self, labels: tuple[int, ...]) -> None:
        """Make the counts for labels of a shape, as soon as that is known."""
        if not self.multi_label or labels:
            super().count_for(labels)
        elif self.num_labels is not None:
            super().count_for((self.num_labels,))
        else:  # the first scores say how many labels there are
            self.true_positives = None

    def outcomes(self, true: Any, scores: Any, weights: Any) -> list[Any]:
        """Return counts of right and wrong, by thresholds and labels."""
        if not self.multi_label:
            if self.label_weights is not None:
                shares = self.number(self.label_weights)
                weights = shares if weights is None else weights * shares
            return super().outcomes(true, scores, weights)
        labels = int(scores.shape[-1])
        if self.true_positives is None:
            self.count_for((labels,))
        if weights is not None:
            weights = weights * tl.ones_like(scores)
        by_label = [
            super(AUC, self).outcomes(
                true[:, i], scores[:, i], None if weights is None else weights[:, i]
            )
            for i in range(labels)
        ]
        return [tl.stack(counts, axis=1) for counts in zip(*by_label, strict=True)]

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Take a batch into account, of logits if so told."""
        scores = tl.nn.sigmoid(converted(y_pred)) if self.from_logits else y_pred
        super().update_state(y_true, scores, sample_weight)

    def result(self) -> Any:
        """Return the area, of several labels their weighted mean."""
        if self.true_positives is None:
            return tl.zeros((), dtype=self._kind)
        area = self._area()
        if not self.multi_label:
            return area
        if self.label_weights is None:
            return tl.mean(area)
        shares = self.number(self.label_weights)
        return divide_no_nan(tl.sum(area * shares), tl.sum(shares))

    def _area(self) -> Any:
        """Return the area under the curve, or that of each label."""
        right, wrong = self.true_positives.value(), self.false_positives.value()
        missed, rejected = self.false_negatives.value(), self.true_negatives.value()
        recall = divide_no_nan(right, right + missed)
        if self.curve == "PR":
            if self.summation_method == "interpolation":
                return formulas.area_under_precision(right, wrong, missed)
            y, x = divide_no_nan(right, right + wrong), recall
        elif self.curve == "PRGAIN":
            odds = divide_no_nan(right + missed, wrong + rejected)
            x = tl.maximum(_gain(odds, missed, right, 0.0), 0.0)
            y = _gain(odds, wrong, right, 1.0)
        else:
            y, x = recall, divide_no_nan(wrong, wrong + rejected)
        method = self.summation_method
        height = "trapezoidal" if method == "interpolation" else method
        return formulas.area_under_points(x, y, height)
