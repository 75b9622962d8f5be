"""Heads: the loss, the predictions and the metrics of a model, given its logits.

Heads of classes are in class_heads.py, of several labels and of several heads in many_heads.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1 import losses, metrics, summary
from tensorlite.compat.v1.estimators.checking import (
    called,
    checked_labels,
    checked_logits,
    checked_weights,
)
from tensorlite.compat.v1.estimators.measuring import mean_of, penalty
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.estimators.steps import trained
from tensorlite.compat.v1.functions import arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import InvalidArgumentError
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
    losses_of_row = 1
    """How many labels and losses a row has."""
    judges_labels_as_given = False
    """Whether metrics take labels that are not made to fit the loss."""

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

    def area(
        self, labels: Any, chances: Any, weights: Any = None, name: str | None = None
    ) -> Any:
        """Return the area below the curve of precision over recall, as a metric."""
        method = self.area_method
        return metrics.auc(
            labels,
            chances,
            weights,
            curve="PR",
            name=name,
            summation_method=method,
        )

    def parts(self, labels: Any, logits: Any, features: Any) -> tuple[Any, Any, Any]:
        """Return the labels, the loss of each row, and the weights."""
        own = self.processed(self.reshaped(labels, logits))
        each = (
            self.each_loss(own, logits)
            if self.loss_fn is None
            else called(self.loss_fn, own, logits, features, self.losses_of_row)
        )
        return own, each, checked_weights(features, self.weight_column, logits)

    def reshaped(self, labels: Any, logits: Any) -> Any:
        """Return labels with an axis for those of one row, which is checked."""
        return checked_labels(labels, logits, self.losses_of_row)

    def understood(self, logits: Any) -> tuple[dict[str, Any], Any]:
        """Return what logits mean, and these as they are checked."""
        checked = checked_logits(logits, self.logits_dimension)
        return self.predictions(checked), checked

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
        plain_loss = self._reduced(each, weights)
        return self._whole(plain_loss, self._penalties(regularization_losses))

    def _reduced(self, each: Any, weights: Any) -> Any:
        return losses.compute_weighted_loss(
            each, weights, reduction=self.loss_reduction
        )

    @staticmethod
    def _whole(loss: Any, penalties: Any) -> Any:
        return loss if penalties is None else elementwise.add_n([loss, penalties])

    @staticmethod
    def _penalties(given: Any) -> Any:
        """Return the sum of regularization losses, None where there are none."""
        return elementwise.add_n(list(given)) if given else None

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
        training = optimizer, train_op_fn, update_ops, trainable_variables
        with name_scope(self.name, "head"):
            found, logits = self.understood(framework.convert_to_tensor(logits))
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, found, export_outputs=self.outputs(found))
            own, each, weights = self.parts(labels, logits, features)
            plain_loss = self._reduced(each, weights)
            penalties = self._penalties(regularization_losses)
            loss = self._whole(plain_loss, penalties)
            average = step = None
            if mode == ModeKeys.TRAIN:
                step = trained(loss, *training)
                average = self._average(plain_loss, each, weights)
        if mode == ModeKeys.TRAIN:
            self._summed_up(loss, average, penalties)
            return EstimatorSpec(mode, found, loss, step)
        told = labels if self.judges_labels_as_given else own
        measured = self.measured(told, found, each, weights, penalties)
        named = {self.key(name): metric for name, metric in measured.items()}
        return EstimatorSpec(mode, found, loss, eval_metric_ops=named)

    def measured(
        self, labels: Any, found: Any, each: Any, weights: Any, penalties: Any
    ) -> dict[str, Any]:
        """Return all metrics, by keys that do not tell heads apart."""
        measured = {"average_loss": metrics.mean(each, weights)}
        measured |= self.judged(labels, found, weights)
        return measured | penalty(penalties)

    def _average(self, plain_loss: Any, each: Any, weights: Any) -> Any:
        """Return the loss of a row in the mean, where that of a batch is the sum."""
        if self.loss_reduction != losses.Reduction.SUM:
            return None
        return plain_loss / numbers.reduce_sum(weights * arrays.ones_like(each))

    def _summed_up(self, loss: Any, average: Any, penalties: Any) -> None:
        with name_scope(""):
            summary.scalar(self.key("loss"), loss)
            if average is not None:
                summary.scalar(self.key("average_loss"), average)
            if penalties is not None:
                summary.scalar(self.key("regularization_loss"), penalties)


class RegressionHead(Head):
    """Numbers for each row, by the squares of their errors unless another loss is given."""

    judges_labels_as_given = True

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
        self.losses_of_row = label_dimension

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
        return numbers.to_float(labels)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the squared errors of each row."""
        return losses.mean_squared_error(
            labels, logits, reduction=losses.Reduction.NONE
        )

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return the means of predictions and labels."""
        return {
            "prediction/mean": mean_of(
                found["predictions"], weights, "prediction/mean", "predictions"
            ),
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
