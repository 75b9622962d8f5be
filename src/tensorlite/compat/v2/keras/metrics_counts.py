"""Metrics of keras made of counts: precision, recall, AUC, mean intersection over union."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.base_metric import Metric
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.shape import astype


def ratio(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where y is."""
    safe = tl.where(y == 0, tl.ones_like(y), y)
    return tl.where(y == 0, tl.zeros_like(x), x / safe)


class _Counts(Metric):
    """Counts of right and wrong predictions of yes and no, for each of some thresholds."""

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
        self.thresholds = [float(x) for x in given]
        self._single = thresholds is None or np.ndim(thresholds) == 0
        sizes = (len(self.thresholds),)
        self.true_positives = self.add_weight("true_positives", sizes)
        self.false_positives = self.add_weight("false_positives", sizes)
        self.false_negatives = self.add_weight("false_negatives", sizes)
        self.true_negatives = self.add_weight("true_negatives", sizes)

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        found, given = self._chosen(self.number(y_pred), converted(y_true))
        scores = tl.reshape(found, [1, -1])
        true = tl.reshape(astype(given, tl.bool), [1, -1])
        limits = np.asarray(self.thresholds, scores.dtype.numpy)[:, None]
        chosen = scores > converted(limits)
        weights: Any = tl.ones_like(scores)
        if sample_weight is not None:
            own = self.number(sample_weight)
            while len(own.shape) < len(found.shape):
                own = own[..., None]
            weights = tl.reshape(own * tl.ones_like(found), [1, -1])

        def count(which: Any) -> Any:
            return tl.sum(astype(which, scores.dtype) * weights, axis=1)

        self.true_positives.assign_add(count(chosen & true))
        self.false_positives.assign_add(count(chosen & ~true))
        self.false_negatives.assign_add(count(~chosen & true))
        self.true_negatives.assign_add(count(~chosen & ~true))

    def _chosen(self, scores: Any, true: Any) -> tuple[Any, Any]:
        """Return predictions and truth, of the best alone or of a class where so wanted."""
        if self.top_k is not None:
            _, places = tl.top_k(scores, self.top_k)
            best = tl.sum(
                tl.one_hot(places, scores.shape[-1], dtype=scores.dtype), axis=-2
            )
            scores = tl.where(best > 0, scores, tl.full_like(scores, -np.inf))
        if self.class_id is not None:
            scores, true = scores[..., self.class_id], true[..., self.class_id]
        return scores, true

    def _shown(self, values: Any) -> Any:
        return values[0] if self._single else values


class Precision(_Counts):
    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = "precision",
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, name, dtype, top_k, class_id)

    def result(self) -> Any:
        positives = self.true_positives.value()
        return self._shown(ratio(positives, positives + self.false_positives.value()))


class Recall(_Counts):
    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = "recall",
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, name, dtype, top_k, class_id)

    def result(self) -> Any:
        positives = self.true_positives.value()
        return self._shown(ratio(positives, positives + self.false_negatives.value()))


class _One(_Counts):
    """One of the counts."""

    which = ""

    def __init__(
        self, thresholds: Any = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(thresholds, name or self.which, dtype)

    def result(self) -> Any:
        return self._shown(getattr(self, self.which).value())


class TruePositives(_One):
    which = "true_positives"


class TrueNegatives(_One):
    which = "true_negatives"


class FalsePositives(_One):
    which = "false_positives"


class FalseNegatives(_One):
    which = "false_negatives"


class AUC(_Counts):
    """The area under the curve of recall over false alarms, or of precision over recall."""

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = "auc",
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        if multi_label or curve not in {"ROC", "PR"}:
            raise InvalidArgumentError(
                "AUC: curve is 'ROC' or 'PR', and multi_label is not served"
            )
        if summation_method not in {"interpolation", "minoring", "majoring"}:
            raise InvalidArgumentError(
                f"AUC: summation_method={summation_method!r}; it is interpolation, minoring or "
                "majoring"
            )
        self.summation_method = summation_method
        inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        given = inner if thresholds is None else sorted(thresholds)
        super().__init__([-1e-7, *given, 1.0 + 1e-7], name, dtype)
        self._curve, self._from_logits = curve, from_logits

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        scores = tl.nn.sigmoid(converted(y_pred)) if self._from_logits else y_pred
        super().update_state(y_true, scores, sample_weight)

    def result(self) -> Any:
        right, wrong = self.true_positives.value(), self.false_positives.value()
        missed, rejected = self.false_negatives.value(), self.true_negatives.value()
        recall = ratio(right, right + missed)
        if self._curve == "PR":
            if self.summation_method == "interpolation":
                return self._under_precision(right, wrong, missed)
            y, x = ratio(right, right + wrong), recall
        else:
            y, x = recall, ratio(wrong, wrong + rejected)
        heights = {
            "interpolation": (y[:-1] + y[1:]) / 2.0,
            "minoring": tl.minimum(y[:-1], y[1:]),
            "majoring": tl.maximum(y[:-1], y[1:]),
        }
        return tl.sum((x[:-1] - x[1:]) * heights[self.summation_method])

    def _under_precision(self, right: Any, wrong: Any, missed: Any) -> Any:
        """Return the area by interpolation (Davis and Goadrich 2006)."""
        chosen = right + wrong
        step, gained = chosen[:-1] - chosen[1:], right[:-1] - right[1:]
        slope = ratio(gained, tl.maximum(step, 0.0))
        begin = right[1:] - slope * chosen[1:]
        both = (chosen[:-1] > 0) & (chosen[1:] > 0)
        quotient = tl.where(
            both, ratio(chosen[:-1], tl.maximum(chosen[1:], 0.0)), 1.0
        )
        area = slope * (gained + begin * tl.log(quotient))
        return tl.sum(ratio(area, tl.maximum(right[1:] + missed[1:], 0.0)))
