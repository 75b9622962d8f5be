"""Heads: the loss, the predictions and the metrics of a model, given its logits.

Heads of several labels, and of several heads, are in many_heads.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise, strings
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.tables.feature_columns import numeric_column
from tensorlite.compat.shared.tables.vocabularies import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from tensorlite.compat.v1 import losses, metrics, summary
from tensorlite.compat.v1.estimators.measuring import (
    as_floats,
    at_threshold,
    in_range,
)
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.estimators.steps import trained
from tensorlite.compat.v1.functions import arrays, nn_functions, nn_losses, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float32, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

_REDUCTIONS = {
    "sum": losses.Reduction.SUM,
    "sum_over_batch_size": losses.Reduction.SUM_OVER_BATCH_SIZE,
    "auto": losses.Reduction.SUM_OVER_BATCH_SIZE,
}
"""What version 2 calls the ways in which losses become one."""


class Head(ABC):
    """The last part of a model, which knows what its logits mean."""

    area_method = "careful_interpolation"
    """How the area below a curve of precision over recall is summed up."""

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        self.weight_column, self.loss_fn, self.name = weight_column, loss_fn, name
        self.loss_reduction = _REDUCTIONS.get(loss_reduction, loss_reduction)

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row."""

    @abstractmethod
    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return what logits mean."""

    @abstractmethod
    def processed(self, labels: Any) -> Any:
        """Return labels as the loss takes them."""

    @abstractmethod
    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the loss of each row."""

    @abstractmethod
    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return the metrics of this kind of model, by their keys."""

    @abstractmethod
    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        """Return what an exported model answers with."""

    def key(self, name: str) -> str:
        """Return the key of a metric, which the head's name tells from those of others."""
        return f"{name}/{self.name}" if self.name else name

    def area(self, labels: Any, chances: Any, weights: Any = None) -> Any:
        """Return the area below the curve of precision over recall, as a metric."""
        return metrics.auc(
            labels, chances, weights, curve="PR", summation_method=self.area_method
        )

    def weights(self, features: Any) -> Any:
        """Return what each row counts for."""
        if self.weight_column is None:
            return 1.0
        column = self.weight_column
        column = numeric_column(column) if isinstance(column, str) else column
        given = framework.convert_to_tensor(features[column.key])
        if column.normalizer_fn is not None:
            given = column.normalizer_fn(given)
        found = elementwise.cast(given, float32)
        one_axis = len(found.get_shape().as_list()) == 1
        return arrays.expand_dims(found, -1) if one_axis else found

    def parts(self, labels: Any, logits: Any, features: Any) -> tuple[Any, Any, Any]:
        """Return the labels, the loss of each row, and the weights."""
        if labels is None:
            raise InvalidArgumentError(
                "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: "
                "Check that your data contain your label feature. Check that your input_fn "
                "properly parses and returns labels."
            )
        own = self.processed(self.reshaped(labels, logits))
        each = (
            self.each_loss(own, logits)
            if self.loss_fn is None
            else _called(self.loss_fn, own, logits, features)
        )
        return own, each, self.weights(features)

    def reshaped(self, labels: Any, logits: Any) -> Any:
        """Return labels with an axis for those of one row."""
        found = framework.convert_to_tensor(labels)
        known, wanted = found.get_shape(), logits.get_shape()
        if known.rank is not None and wanted.rank == known.rank + 1:
            return arrays.expand_dims(found, -1)
        return found

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """Return the weighted loss of labels and logits, with regularization losses added."""
        _, each, weights = self.parts(labels, logits, features)
        return self._whole(self._reduced(each, weights), regularization_losses)

    def _reduced(self, each: Any, weights: Any) -> Any:
        return losses.compute_weighted_loss(
            each, weights, reduction=self.loss_reduction
        )

    @staticmethod
    def _whole(loss: Any, regularization_losses: Any) -> Any:
        given = list(regularization_losses or ())
        return elementwise.add_n([loss, *given]) if given else loss

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[..., Any] | None = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """Return the EstimatorSpec of a mode: predictions, loss, metrics, a step of training.

        Training takes an optimizer or train_op_fn; evaluation and training need labels.
        """
        with name_scope(self.name, "head"):
            return self._spec(
                (features, mode, framework.convert_to_tensor(logits), labels),
                (optimizer, train_op_fn, update_ops, trainable_variables),
                regularization_losses,
            )

    def _spec(
        self,
        given: tuple[Any, str, Any, Any],
        training: tuple[Any, Any, Any, Any],
        regularization_losses: Any,
    ) -> EstimatorSpec:
        features, mode, logits, labels = given
        found = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, found, export_outputs=self.outputs(found))
        own, each, weights = self.parts(labels, logits, features)
        plain_loss = self._reduced(each, weights)
        loss = self._whole(plain_loss, regularization_losses)
        if mode == ModeKeys.EVAL:
            measured = self._measured(
                own, found, each, weights, regularization_losses
            )
            return EstimatorSpec(mode, found, loss, eval_metric_ops=measured)
        self._summed_up(loss, plain_loss, each, weights)
        step = trained(loss, *training)
        return EstimatorSpec(mode, found, loss, step)

    def _measured(
        self, labels: Any, found: Any, each: Any, weights: Any, penalties: Any
    ) -> dict[str, Any]:
        measured = {"average_loss": metrics.mean(each, weights)}
        if penalties:
            whole = elementwise.add_n(list(penalties))
            measured["regularization_loss"] = metrics.mean(whole)
        measured |= self.judged(labels, found, weights)
        return {self.key(name): metric for name, metric in measured.items()}

    def _summed_up(self, loss: Any, plain_loss: Any, each: Any, weights: Any) -> None:
        average = None
        if self.loss_reduction == losses.Reduction.SUM:
            count = numbers.reduce_sum(weights * arrays.ones_like(each))
            average = plain_loss / count
        with name_scope(""):
            summary.scalar(self.key("loss"), loss)
            if average is not None:
                summary.scalar(self.key("average_loss"), average)


def _called(
    function: Callable[..., Any], labels: Any, logits: Any, features: Any
) -> Any:
    given = (
        {"features": features} if "features" in signature(function).parameters else {}
    )
    return function(labels=labels, logits=logits, **given)


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

    def classes(self, logits: Any, chosen: Any) -> dict[str, Any]:
        """Return the class of each row, and all that there are."""
        rows = arrays.shape(logits)[0]
        every = shared_arrays.range(self.n_classes)
        words = (
            strings.as_string(every)
            if self.label_vocabulary is None
            else framework.constant(list(self.label_vocabulary))
        )
        return {
            "class_ids": chosen,
            "classes": self._words(chosen),
            "all_class_ids": _for_each(every, rows),
            "all_classes": _for_each(words, rows),
        }

    def _words(self, ids: Any) -> Any:
        if self.label_vocabulary is None:
            return strings.as_string(ids)
        words = list(self.label_vocabulary)
        return index_to_string_table_from_tensor(words).lookup(ids)

    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        classified = ClassificationOutput(
            found["probabilities"], found["all_classes"]
        )
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

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: one for each class."""
        return self.n_classes

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return logits, probabilities and the likeliest classes, by these names."""
        chosen = arrays.expand_dims(numbers.argmax(logits, axis=-1), -1)
        found = {
            "logits": logits,
            "probabilities": nn_functions.softmax(logits),
            **self.classes(logits, chosen),
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
        return {"accuracy": metrics.accuracy(labels, found["class_ids"], weights)}


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
        both = shared_arrays.concat([arrays.zeros_like(logits), logits], -1)
        chosen = arrays.expand_dims(numbers.argmax(both, axis=-1), -1)
        found = {
            "logits": logits,
            "logistic": elementwise.sigmoid(logits),
            "probabilities": nn_functions.softmax(both),
            **self.classes(logits, chosen),
        }
        return {key: found[key] for key in keys or found}

    def processed(self, labels: Any) -> Any:
        """Return labels as floating 0 and 1, which are checked when they run."""
        return in_range(as_floats(self.ids(labels)), 2)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the sigmoid cross entropy of each row."""
        return nn_losses.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits
        )

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return accuracy, precision, recall, AUC and means, also at the thresholds asked for."""
        ids, chance = found["class_ids"], found["logistic"]
        mean, update = metrics.mean(labels, weights)
        measured = {
            "accuracy": metrics.accuracy(labels, ids, weights),
            "precision": metrics.precision(labels, ids, weights),
            "recall": metrics.recall(labels, ids, weights),
            "prediction/mean": metrics.mean(chance, weights),
            "label/mean": (mean, update),
            "accuracy_baseline": (
                elementwise.maximum(mean, 1.0 - mean),
                elementwise.maximum(update, 1.0 - update),
            ),
            "auc": metrics.auc(labels, chance, weights),
            "auc_precision_recall": self.area(labels, chance, weights),
        }
        for at in self.thresholds:
            measured |= at_threshold(labels, chance, weights, at)
        return measured


class RegressionHead(Head):
    """Numbers for each row, by the squares of their errors unless another loss is given."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise InvalidArgumentError(f"Invalid label_dimension {label_dimension}.")
        self.label_dimension, self.inverse_link_fn = label_dimension, inverse_link_fn

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: label_dimension."""
        return self.label_dimension

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return the predictions, inverse_link_fn of the logits if that was given."""
        if self.inverse_link_fn is None:
            return {"predictions": logits}
        return {"predictions": self.inverse_link_fn(logits), "logits": logits}

    def processed(self, labels: Any) -> Any:
        """Return labels as floating numbers."""
        return as_floats(labels)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the squared errors of each row."""
        return losses.mean_squared_error(
            labels, logits, reduction=losses.Reduction.NONE
        )

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return the means of predictions and labels."""
        return {
            "prediction/mean": metrics.mean(found["predictions"], weights),
            "label/mean": metrics.mean(labels, weights),
        }

    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        """Return the signatures of an exported model: numbers, and all predictions."""
        told = RegressionOutput(found["predictions"])
        return {
            DEFAULT_KEY: told,
            "regression": told,
            "predict": PredictOutput(dict(found)),
        }


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
