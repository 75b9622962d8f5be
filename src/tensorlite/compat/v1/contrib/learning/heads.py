"""Heads of tf.contrib.learn: what is made of a model's logits. Those for classes are beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from tensorlite.compat.shared import arrays, cutting, elementwise, nn
from tensorlite.compat.v1 import metrics, summary
from tensorlite.compat.v1.contrib.learning import head_parts as parts
from tensorlite.compat.v1.contrib.learning.keys import (
    MetricKey,
    ModeKeys,
    PredictionKey,
    ProblemType,
)
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_losses
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError


class Head(ABC):
    """What makes of logits predictions, a loss, metrics and a step."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """How many logits each row has."""

    @abstractmethod
    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Any = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Return what a mode asks for; train_op_fn gives the step of a loss."""


def no_op_train_fn(loss: Any) -> Any:
    """Return a step that does nothing."""
    return framework.no_op()


def _check_mode(mode: str) -> None:
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
        raise InvalidArgumentError(f"mode={mode} unrecognized.")


def _told(head_name: str | None, loss: Any) -> None:
    with framework.name_scope(""):
        key = parts.titled(head_name, MetricKey.LOSS)
        summary.scalar(key, arrays.identity(loss))


class SingleHead(Head):
    """A head for one kind of labels; subclasses say what losses and predictions are."""

    title: ClassVar[str]
    problem_type: ClassVar[int]

    def __init__(
        self,
        logits_dimension: Any,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
        loss_fn: parts.Loss | None = None,
    ) -> None:
        if logits_dimension is None or logits_dimension < 1:
            raise InvalidArgumentError(
                f"Invalid logits_dimension {logits_dimension}."
            )
        self._dimension: int = logits_dimension
        self.label_name, self.head_name = label_name, head_name
        self.weight_column_name = weight_column_name
        self._has_bias = enable_centered_bias
        self._loss_fn = loss_fn or self.default_loss

    @property
    def logits_dimension(self) -> int:
        """How many logits each row has."""
        return self._dimension

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Any = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Return what a mode asks for; train_op_fn gives the step of a loss."""
        _check_mode(mode)
        with scopes.variable_scope(scope, self.head_name or self.title):
            asked = mode != ModeKeys.INFER and labels is not None
            own = self.read(labels) if asked else None
            found = parts.logits_of(logits_input, logits, self._dimension)
            bias = None
            if self._has_bias:
                bias = parts.centered_bias(self._dimension, self.head_name)
                found = nn.bias_add(found, bias)
            with framework.name_scope(None, "predictions"):
                predictions = self.predictions(found)
            given: dict[str, Any] = {}
            if asked:
                given = self._judged(
                    features, mode, own, found, predictions, train_op_fn, bias
                )
            told = self.outputs(predictions)
            return ModelFnOps(mode, predictions, output_alternatives=told, **given)

    def _judged(
        self,
        features: Any,
        mode: str,
        labels: Any,
        logits: Any,
        predictions: Any,
        train_op_fn: Any,
        bias: Any,
    ) -> dict[str, Any]:
        weights = parts.weights_of(features, self.weight_column_name)
        loss, average = self.loss(labels, logits, weights)
        _told(self.head_name, average)
        step = None
        if mode == ModeKeys.TRAIN:
            if train_op_fn is None:
                raise InvalidArgumentError(
                    "train_op_fn can not be None in TRAIN mode"
                )
            with framework.name_scope(None, "train_op"):
                step = train_op_fn(loss)
                if bias is not None:
                    count = v1_arrays.shape(logits)[0]
                    own = parts.centered_bias_step(
                        bias, count, labels, self.loss, weights
                    )
                    step = framework.group(step, own)
        with framework.name_scope("metrics"):
            found = {MetricKey.LOSS: metrics.mean(average)}
            found.update(self.metrics(predictions, labels, weights))
        named = {parts.titled(self.head_name, key): x for key, x in found.items()}
        return {"loss": loss, "train_op": step, "eval_metric_ops": named}

    def read(self, labels: Any) -> Any:
        """Return the labels that are this head's."""
        return parts.dense_labels_of(labels, self.label_name)

    def loss(self, labels: Any, logits: Any, weights: Any) -> tuple[Any, Any]:
        """Return the loss, and its mean by the weights."""
        return self._loss_fn(labels, logits, weights)

    @abstractmethod
    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the loss where the program gives none."""

    @abstractmethod
    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return what the model answers with."""

    def metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        """Return the metrics beside the loss."""
        return {}

    def outputs(self, predictions: Any) -> dict[Any, Any]:
        """Return what is exported: by the head's name, the kind of problem and tensors."""
        return {self.head_name: (self.problem_type, predictions)}


class RegressionHead(SingleHead):
    """A head for numbers."""

    title, problem_type = "regression_head", ProblemType.LINEAR_REGRESSION

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of squared differences."""
        with framework.name_scope(None, "mean_squared_loss") as scope:
            own, found = parts.of_one_shape(labels, logits)
            floats = elementwise.cast(own, float32)
            each = elementwise.squared_difference(found, floats, name=scope)
            return parts.weighted(each, weights)

    def link(self, logits: Any) -> Any:
        """Return the scores of logits."""
        return arrays.identity(logits)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return the scores."""
        key = PredictionKey.SCORES
        if self.logits_dimension == 1:
            logits = v1_arrays.squeeze(logits, axis=[1], name=key)
        return {key: self.link(logits)}


class LinkedRegressionHead(RegressionHead):
    """A head for numbers that a function makes of logits."""

    def __init__(self, link_fn: Callable[..., Any], *args: Any) -> None:
        super().__init__(*args)
        self._link = link_fn

    def link(self, logits: Any) -> Any:
        """Return what the function gives."""
        return self._link(logits)


class PoissonRegressionHead(RegressionHead):
    """A head for counts."""

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of Poisson losses, the logits being logarithms."""
        with framework.name_scope(None, "_poisson_loss") as scope:
            own, found = parts.of_one_shape(labels, logits)
            each = nn_losses.log_poisson_loss(
                own, found, compute_full_loss=True, name=scope
            )
            return parts.weighted(each, weights)

    def link(self, logits: Any) -> Any:
        """Return the counts that are expected."""
        return elementwise.exp(logits)


class LossOnlyHead(Head):
    """A head that has a loss and nothing to answer."""

    def __init__(
        self, loss_fn: Callable[[], Any], head_name: str | None = None
    ) -> None:
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """0."""
        return 0

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Any = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Return the loss, and its step in training."""
        _check_mode(mode)
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, {})
        step = None
        with scopes.variable_scope(scope, self.head_name):
            loss = self._loss_fn()
            if isinstance(loss, list):
                loss = elementwise.add_n(loss)
            _told(self.head_name, loss)
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise InvalidArgumentError(
                        "train_op_fn can not be None in TRAIN mode"
                    )
                with framework.name_scope(None, "train_op"):
                    step = train_op_fn(loss)
        return ModelFnOps(mode, {}, loss, step, {})


class MultiHead(Head):
    """Several heads of one model, whose losses are added."""

    def __init__(self, heads: Any, loss_weights: Any = None) -> None:
        self._heads, self._weights = list(heads), list(loss_weights or ())
        if self._weights and len(self._weights) != len(self._heads):
            raise InvalidArgumentError("heads and loss_weights must have same size")
        if not all(head.head_name for head in self._heads):
            raise InvalidArgumentError("Members of MultiHead must have names.")

    @property
    def logits_dimension(self) -> int:
        """How many logits each row has, those of all heads."""
        return sum(head.logits_dimension for head in self._heads)

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Any = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Return what a mode asks for, of all heads."""
        _check_mode(mode)
        if mode == ModeKeys.TRAIN and train_op_fn is None:
            raise InvalidArgumentError("train_op_fn can not be None in TRAIN mode.")
        each = [
            head.create_model_fn_ops(
                features, mode, labels, no_op_train_fn, own, logits_input, scope
            )
            for head, own in zip(self._heads, self._apart(logits), strict=True)
        ]
        predictions = {
            (head.head_name, key): x
            for head, one in zip(self._heads, each, strict=True)
            for key, x in (one.predictions or {}).items()
        }
        measured = {k: x for one in each for k, x in one.eval_metric_ops.items()}
        if mode == ModeKeys.INFER:
            told = [one.output_alternatives or {} for one in each]
            joined = {key: pair for one in told for key, pair in one.items()}
            return ModelFnOps(mode, predictions, output_alternatives=joined)
        loss = self._whole([one.loss for one in each])
        if mode == ModeKeys.EVAL:
            return ModelFnOps(mode, predictions, loss, eval_metric_ops=measured)
        step = framework.group(train_op_fn(loss), *[one.train_op for one in each])
        return ModelFnOps(mode, None, loss, step, measured)

    def _whole(self, losses: list[Any]) -> Any:
        if self._weights:
            pairs = zip(losses, self._weights, strict=True)
            losses = [elementwise.multiply(loss, weight) for loss, weight in pairs]
        return elementwise.add_n(losses)

    def _apart(self, logits: Any) -> list[Any]:
        """Return the logits of each head."""
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, dict):
            return [
                None if isinstance(head, LossOnlyHead) else logits[head.head_name]
                for head in self._heads
            ]
        found, before = [], 0
        for head in self._heads:
            width = head.logits_dimension
            found.append(cutting.slice(logits, [0, before], [-1, width]))
            before += width
        return found
