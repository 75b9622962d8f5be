"""Heads of classes: one of two for each row, or of several. What heads have is in heads.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise, strings
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.tables.vocabularies import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from tensorlite.compat.v1 import losses, metrics
from tensorlite.compat.v1.estimators.checking import checked_logits, checked_number
from tensorlite.compat.v1.estimators.heads import Head
from tensorlite.compat.v1.estimators.measuring import (
    at_threshold,
    in_range,
    mean_of,
    penalty,
)
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from tensorlite.compat.v1.functions import arrays, nn_functions, nn_losses, numbers
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.core.dtypes import string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph, name_scope


class _Classes(Head):
    """What heads of classes have in common."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise InvalidArgumentError(
                f'"label_vocabulary" has {len(label_vocabulary)} items, and there are '
                f"{n_classes} classes."
            )
        self.n_classes, self.label_vocabulary = n_classes, label_vocabulary

    def ids(self, labels: Any) -> Any:
        """Return labels as numbers of classes."""
        if self.label_vocabulary is None:
            return labels
        if labels.dtype is not string:
            raise DTypeError(
                "Labels dtype should be string if there is a vocabulary. "
                f"Instead got {labels.dtype}"
            )
        words = list(self.label_vocabulary)
        return index_table_from_tensor(words, name="class_id_lookup").lookup(labels)

    def every_class(self, logits: Any) -> tuple[Any, Any]:
        """Return the numbers and the names of all classes, for each row."""
        rows = arrays.shape(logits)[0]
        numbered = _for_each(shared_arrays.range(self.n_classes), rows)
        return numbered, self.every_name(logits)

    def every_name(self, logits: Any) -> Any:
        """Return the names of all classes, for each row."""
        rows = arrays.shape(logits)[0]
        words = self.label_vocabulary
        if words is None:
            words = strings.as_string(shared_arrays.range(self.n_classes))
        return _for_each(words, rows)

    def words(self, ids: Any) -> Any:
        """Return the names of classes."""
        if self.label_vocabulary is None:
            return strings.as_string(ids, name="str_classes")
        words = list(self.label_vocabulary)
        table = index_to_string_table_from_tensor(words, name="class_string_lookup")
        return table.lookup(ids)

    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        scores = found["probabilities"]
        classified = ClassificationOutput(scores, self.every_name(scores))
        return {
            DEFAULT_KEY: classified,
            "classification": classified,
            "predict": PredictOutput(dict(found)),
        }


def _for_each(listed: Any, rows: Any) -> Any:
    return tile(arrays.expand_dims(listed, 0), [rows, 1])


class MultiClassHead(_Classes):
    """One class of several for each row."""

    def __init__(self, n_classes: int, *args: Any, **kwargs: Any) -> None:
        if n_classes <= 2:
            raise InvalidArgumentError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(n_classes, *args, **kwargs)
        if active_graph() is not None:
            checked_number(n_classes)

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: one for each class."""
        return self.n_classes

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return logits, probabilities and the likeliest classes, by these names."""
        with name_scope(None, "predictions"):
            numbered, named = self.every_class(logits)
            chosen = numbers.argmax(logits, axis=-1, name="class_ids")
            chosen = arrays.expand_dims(chosen, -1)
            words = self.words(chosen)
            found = {
                "logits": logits,
                "probabilities": nn_functions.softmax(logits, name="probabilities"),
                "class_ids": chosen,
                "classes": words,
                "all_class_ids": numbered,
                "all_classes": named,
            }
        return {key: found[key] for key in keys or found}

    def processed(self, labels: Any) -> Any:
        """Return labels as numbers of classes, which are checked when they run.

        Dtypes that are not integers raise DTypeError.
        """
        found = self.ids(labels)
        if not found.dtype.is_integer:
            raise DTypeError(
                f"Labels dtype should be integer. Instead got {found.dtype}."
            )
        return in_range(found, self.n_classes)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the softmax cross entropy of each row."""
        each = losses.sparse_softmax_cross_entropy(
            labels, logits, reduction=losses.Reduction.NONE
        )
        return arrays.expand_dims(each, -1)

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return the accuracy."""
        ids = found["class_ids"]
        return {"accuracy": metrics.accuracy(labels, ids, weights, name="accuracy")}

    def measured(
        self, labels: Any, found: Any, each: Any, weights: Any, penalties: Any
    ) -> dict[str, Any]:
        """Return all metrics, by keys that do not tell heads apart."""
        with name_scope(None, "metrics"):
            told = {"average_loss": _average(each, weights)}
            told |= self.judged(labels, found, weights)
            return told | penalty(penalties)


class BinaryClassHead(_Classes):
    """One class of two for each row."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            2, weight_column, label_vocabulary, loss_reduction, loss_fn, name
        )
        self.thresholds = () if thresholds is None else tuple(thresholds)
        if any(not 0.0 < x < 1.0 for x in self.thresholds):
            raise InvalidArgumentError(
                f"thresholds not in (0, 1): {self.thresholds}."
            )

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: 1."""
        return 1

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return logits, probabilities and the likelier classes, by these names."""
        found, _ = self._read(logits, lambda x: x)
        return {key: found[key] for key in keys or found}

    def understood(self, logits: Any) -> tuple[dict[str, Any], Any]:
        """Return what logits mean, and these as they are checked."""
        return self._read(logits, lambda x: checked_logits(x, 1))

    def _read(
        self, given: Any, check: Callable[[Any], Any]
    ) -> tuple[dict[str, Any], Any]:
        with name_scope(None, "predictions"):
            logits = check(given)
            logistic = elementwise.sigmoid(logits, name="logistic")
            zeros = arrays.zeros_like(logits)
            both = shared_arrays.concat([zeros, logits], -1, name="two_class_logits")
            shares = nn_functions.softmax(both, name="probabilities")
            chosen = numbers.argmax(both, axis=-1, name="class_ids")
            chosen = arrays.expand_dims(chosen, -1)
            numbered, named = self.every_class(logits)
            found = {
                "logits": logits,
                "logistic": logistic,
                "probabilities": shares,
                "class_ids": chosen,
                "classes": self.words(chosen),
                "all_class_ids": numbered,
                "all_classes": named,
            }
        return found, logits

    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        """Return what an exported model answers with, a chance alone, too."""
        chance = {"regression": RegressionOutput(found["logistic"])}
        return super().outputs(found) | chance

    def processed(self, labels: Any) -> Any:
        """Return labels as floating 0 and 1, which are checked when they run."""
        return in_range(numbers.to_float(self.ids(labels)), 2)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the sigmoid cross entropy of each row."""
        return nn_losses.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits
        )

    def measured(
        self, labels: Any, found: Any, each: Any, weights: Any, penalties: Any
    ) -> dict[str, Any]:
        """Return all metrics, by keys that do not tell heads apart."""
        with name_scope(None, "metrics"):
            mean = mean_of(labels, weights, "label/mean", "labels")
            told = {"label/mean": mean, "average_loss": _average(each, weights)}
            told |= self.judged(labels, found, weights)
            told["accuracy_baseline"] = _of_likelier(mean)
            told |= self._areas(labels, found["logistic"], weights)
            told |= penalty(penalties)
            for at in self.thresholds:
                told |= at_threshold(labels, found["logistic"], weights, at)
            return told

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return accuracy, precision, recall, and the chance in the mean."""
        ids, chance = found["class_ids"], found["logistic"]
        accuracy = metrics.accuracy(labels, ids, weights, name="accuracy")
        precision = metrics.precision(labels, ids, weights, name="precision")
        recall = metrics.recall(labels, ids, weights, name="recall")
        mean = mean_of(chance, weights, "prediction/mean", "predictions")
        return {
            "accuracy": accuracy,
            "precision": precision,
            "recall": recall,
            "prediction/mean": mean,
        }

    def _areas(self, labels: Any, chance: Any, weights: Any) -> dict[str, Any]:
        """Return the areas below the curves of rates and of precision over recall."""
        found = {}
        for key, area in (("auc", metrics.auc), ("auc_precision_recall", self.area)):
            with name_scope(key) as prefix:
                given = numbers.to_float(chance, name="predictions")
                shares = broadcast_weights(weights, given)
                found[key] = area(labels, given, shares, name=prefix)
        return found


def _average(each: Any, weights: Any) -> Any:
    return metrics.mean(each, weights, name="average_loss")


def _of_likelier(mean: Any) -> tuple[Any, Any]:
    """Return how often the likelier class is there, of the mean of labels."""
    with name_scope(None, "accuracy_baseline"):
        value, update = mean
        return (
            elementwise.maximum(value, 1.0 - value, name="value"),
            elementwise.maximum(update, 1 - update, name="update_op"),
        )


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Head:
    """Return the head of two classes, or of more, that models have which are there."""
    own = {
        "weight_column": weight_column,
        "label_vocabulary": label_vocabulary,
        "loss_reduction": loss_reduction,
    }
    if n_classes == 2:
        two = BinaryClassHead(**own)
        two.area_method = "trapezoidal"  # as those models had before there were heads
        return two
    return MultiClassHead(n_classes, **own)
