"""Heads of tf.contrib.learn for classes, and the functions that make heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, checks, cutting, elementwise, strings
from tensorlite.compat.shared.ragged_and_sparse import sparse_arranged
from tensorlite.compat.shared.tables.vocabularies import index_table_from_tensor
from tensorlite.compat.v1 import losses as v1_losses, metrics
from tensorlite.compat.v1.contrib.columns.base import is_sparse
from tensorlite.compat.v1.contrib.learning import head_parts as parts
from tensorlite.compat.v1.contrib.learning.heads import (
    Head as Head,
    LinkedRegressionHead,
    LossOnlyHead,
    MultiHead,
    PoissonRegressionHead,
    RegressionHead,
    SingleHead,
    no_op_train_fn as no_op_train_fn,
)
from tensorlite.compat.v1.contrib.learning.keys import (
    MetricKey,
    PredictionKey,
    ProblemType,
)
from tensorlite.compat.v1.contrib.lookup import index_to_string_table_from_tensor
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    nn_functions,
    nn_losses,
    numbers,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float32, int64
from tensorlite.core.errors import InvalidArgumentError


def _two_classes(logits: Any) -> Any:
    return arrays.concat([v1_arrays.zeros_like(logits), logits], 1)


class ClassHead(SingleHead):
    """A head for classes, judged from some thresholds on."""

    def __init__(
        self,
        logits_dimension: int,
        *args: Any,
        thresholds: Sequence[float] | None = None,
        metric_class_ids: Sequence[int] | None = None,
    ) -> None:
        super().__init__(logits_dimension, *args)
        self._thresholds = tuple(thresholds or (0.5,))
        self._class_ids = tuple(metric_class_ids or ())
        for one in self._class_ids:
            if not 0 <= one < logits_dimension:
                raise InvalidArgumentError(
                    f"Class ID {one} not in [0, {logits_dimension})."
                )

    def outputs(self, predictions: Any) -> dict[Any, Any]:
        """Return what is exported: probabilities, and the words of all classes."""
        chances = predictions[PredictionKey.PROBABILITIES]
        with framework.name_scope(None, "_classification_output_alternatives"):
            count = v1_arrays.shape(chances)[0]
            row = v1_arrays.expand_dims(self._words(chances), 0)
            classes = cutting.tile(
                row, arrays.stack([count, 1]), name="classes_tensor"
            )
        told = {
            PredictionKey.PROBABILITIES: chances,
            PredictionKey.CLASSES: classes,
        }
        return {self.head_name: (self.problem_type, told)}

    def _words(self, chances: Any) -> Any:
        return strings.as_string(arrays.range(v1_arrays.shape(chances)[1]))


class BinaryLogisticHead(ClassHead):
    """A head for two classes: one logit."""

    title, problem_type = "binary_logistic_head", ProblemType.LOGISTIC_REGRESSION

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of sigmoid cross entropies."""
        with framework.name_scope(None, "log_loss_with_two_classes") as scope:
            own = elementwise.cast(labels, float32)
            if own.get_shape().ndims == 1:
                own = v1_arrays.expand_dims(own, 1)
            each = nn_losses.sigmoid_cross_entropy_with_logits(
                labels=own, logits=logits, name=scope
            )
            return parts.weighted(each, weights)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities and the class."""
        both, key = _two_classes(logits), PredictionKey
        return {
            key.LOGITS: logits,
            key.LOGISTIC: elementwise.sigmoid(logits, name=key.LOGISTIC),
            key.PROBABILITIES: nn_functions.softmax(both, name=key.PROBABILITIES),
            key.CLASSES: numbers.argmax(both, 1, name=key.CLASSES),
        }

    def metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        """Return means, accuracies and areas."""
        chance = predictions[PredictionKey.LOGISTIC]
        given = (chance, labels, weights)
        found = {
            MetricKey.ACCURACY: metrics.accuracy(
                labels, predictions[PredictionKey.CLASSES], weights
            ),
            MetricKey.PREDICTION_MEAN: parts.mean_of(chance, weights),
            MetricKey.LABEL_MEAN: parts.mean_of(labels, weights),
            MetricKey.ACCURACY_BASELINE: parts.mean_of(labels, weights),
            MetricKey.AUC: parts.auc(*given),
            MetricKey.AUC_PR: parts.auc(*given, curve="PR"),
        }
        for at in self._thresholds:
            found[MetricKey.ACCURACY_MEAN % at] = parts.accuracy_at(*given, at)
            found[MetricKey.PRECISION_MEAN % at] = parts.at_threshold(
                metrics.precision_at_thresholds, *given, at
            )
            found[MetricKey.RECALL_MEAN % at] = parts.at_threshold(
                metrics.recall_at_thresholds, *given, at
            )
        return found


class BinarySvmHead(ClassHead):
    """A head for two classes: the hinge loss of one logit."""

    title, problem_type = "binary_svm_head", ProblemType.LOGISTIC_REGRESSION

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of hinge losses."""
        with framework.name_scope(None, "hinge_loss") as scope:
            told = ["labels shape should be either [batch_size, 1] or [batch_size]"]
            fits = checks.Assert(elementwise.less_equal(arrays.rank(labels), 2), told)
            with framework.control_dependencies([fits]):
                own = arrays.reshape(labels, [-1, 1])
            each = v1_losses.hinge_loss(
                own, logits, scope=scope, reduction=v1_losses.Reduction.NONE
            )
            return parts.weighted(each, weights)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits and the class."""
        classes = numbers.argmax(_two_classes(logits), 1, name=PredictionKey.CLASSES)
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        """Return the accuracy."""
        classes = predictions[PredictionKey.CLASSES]
        return {MetricKey.ACCURACY: metrics.accuracy(labels, classes, weights)}

    def outputs(self, predictions: Any) -> dict[Any, Any]:
        """Return what is exported: all predictions."""
        return {self.head_name: (self.problem_type, predictions)}


class MultiClassHead(ClassHead):
    """A head for several classes, of which each row has one; words of them may be given."""

    title, problem_type = "multi_class_head", ProblemType.CLASSIFICATION

    def __init__(
        self,
        n_classes: int,
        *args: Any,
        label_keys: Sequence[str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(n_classes, *args, **more)
        if label_keys and len(label_keys) != n_classes:
            raise InvalidArgumentError("Length of label_keys must equal n_classes.")
        self._keys = list(label_keys or ())

    def read(self, labels: Any) -> Any:
        """Return the labels and their numbers."""
        own = super().read(labels)
        if not self._keys:
            return own, own
        table = index_table_from_tensor(self._keys, name="label_id_lookup")
        return own, table.lookup(own)

    def loss(self, labels: Any, logits: Any, weights: Any) -> tuple[Any, Any]:
        """Return the loss, and its mean by the weights."""
        return self._loss_fn(labels[1], logits, weights)

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of softmax cross entropies."""
        with framework.name_scope(None, "softmax_cross_entropy_loss") as scope:
            if not labels.dtype.is_integer:
                raise InvalidArgumentError(
                    f"Labels dtype should be integer Instead got {labels.dtype}."
                )
            has_axis = labels.get_shape().ndims == 2
            flat = v1_arrays.squeeze(labels, axis=[1]) if has_axis else labels
            each = nn_losses.sparse_softmax_cross_entropy_with_logits(
                labels=flat, logits=logits, name=scope
            )
            rows = v1_arrays.expand_dims(each, 1) if has_axis else each
            return parts.weighted(rows, weights)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities and the class."""
        key = PredictionKey
        classes = numbers.argmax(logits, 1, name=key.CLASSES)
        if self._keys:
            table = index_to_string_table_from_tensor(
                self._keys, name="class_string_lookup"
            )
            classes = table.lookup(classes)
        chances = nn_functions.softmax(logits, name=key.PROBABILITIES)
        return {key.LOGITS: logits, key.PROBABILITIES: chances, key.CLASSES: classes}

    def metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        """Return the accuracy, and means of the classes that are asked."""
        own, numbered = labels
        classes = predictions[PredictionKey.CLASSES]
        found = {MetricKey.ACCURACY: metrics.accuracy(own, classes, weights)}
        for one in () if self._keys else self._class_ids:
            found[MetricKey.CLASS_PREDICTION_MEAN % one] = parts.share_of_class(
                classes, weights, one
            )
            found[MetricKey.CLASS_LABEL_MEAN % one] = parts.share_of_class(
                numbered, weights, one
            )
            found.update(_means(predictions, weights, one))
        return found

    def _words(self, chances: Any) -> Any:
        return self._keys or super()._words(chances)


def _means(predictions: Any, weights: Any, one: int) -> dict[str, Any]:
    pairs = {
        MetricKey.CLASS_PROBABILITY_MEAN: PredictionKey.PROBABILITIES,
        MetricKey.CLASS_LOGITS_MEAN: PredictionKey.LOGITS,
    }
    return {
        key % one: parts.mean_of(predictions[of], weights, one)
        for key, of in pairs.items()
    }


class MultiLabelHead(ClassHead):
    """A head for several classes, of which rows have any number."""

    title, problem_type = "multi_label_head", ProblemType.CLASSIFICATION

    def read(self, labels: Any) -> Any:
        """Return for each class whether a row has it."""
        own = parts.labels_of(labels, self.label_name)
        if not is_sparse(own):
            return own
        if self.logits_dimension < 2:
            raise InvalidArgumentError(
                "Must set num_classes >= 2 when passing labels as a SparseTensor."
            )
        marked = sparse_arranged.to_indicator(own, self.logits_dimension)
        return elementwise.cast(marked, int64)

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of sigmoid cross entropies."""
        with framework.name_scope(None, "sigmoid_cross_entropy_loss") as scope:
            each = nn_losses.sigmoid_cross_entropy_with_logits(
                labels=elementwise.cast(labels, float32), logits=logits, name=scope
            )
            return parts.weighted(each, weights)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities and which classes there are."""
        key = PredictionKey
        yes = elementwise.greater(logits, 0)
        return {
            key.LOGITS: logits,
            key.PROBABILITIES: elementwise.sigmoid(logits, name=key.PROBABILITIES),
            key.CLASSES: elementwise.cast(yes, int64, name=key.CLASSES),
        }

    def metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        """Return accuracy and areas, and those of the classes that are asked."""
        classes = predictions[PredictionKey.CLASSES]
        given = (predictions[PredictionKey.PROBABILITIES], labels, weights)
        found = {
            MetricKey.ACCURACY: metrics.accuracy(labels, classes, weights),
            MetricKey.AUC: parts.auc(*given),
            MetricKey.AUC_PR: parts.auc(*given, curve="PR"),
        }
        for one in self._class_ids:
            found[MetricKey.CLASS_PREDICTION_MEAN % one] = parts.mean_of(
                classes, weights, one
            )
            found[MetricKey.CLASS_LABEL_MEAN % one] = parts.mean_of(
                labels, weights, one
            )
            found.update(_means(predictions, weights, one))
            found[MetricKey.CLASS_AUC % one] = parts.auc(*given, one)
            found[MetricKey.CLASS_AUC_PR % one] = parts.auc(*given, one, "PR")
        return found


def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[..., Any] | None = None,
) -> RegressionHead:
    """Return a head for numbers: squared errors; link_fn makes scores of logits."""
    bias = enable_centered_bias
    given = (label_dimension, label_name, weight_column_name, bias, head_name)
    if link_fn is None:
        return RegressionHead(*given)
    return LinkedRegressionHead(link_fn, *given)


def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> PoissonRegressionHead:
    """Return a head for counts: Poisson losses."""
    bias = enable_centered_bias
    given = (label_dimension, label_name, weight_column_name, bias, head_name)
    return PoissonRegressionHead(*given)


def multi_class_head(
    n_classes: Any,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Any = None,
    metric_class_ids: Any = None,
    loss_fn: Any = None,
    label_keys: Any = None,
) -> ClassHead:
    """Return a head for classes, of which each row has one: one logit for two of them."""
    if n_classes is None or n_classes < 2:
        raise InvalidArgumentError(
            f"n_classes must be > 1 for classification: {n_classes}."
        )
    bias, loss = enable_centered_bias, parts.checked_loss(loss_fn)
    given = (label_name, weight_column_name, bias, head_name, loss)
    if n_classes > 2:
        return MultiClassHead(
            n_classes,
            *given,
            thresholds=thresholds,
            metric_class_ids=metric_class_ids,
            label_keys=label_keys,
        )
    if metric_class_ids:
        raise InvalidArgumentError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise InvalidArgumentError("label_keys is not supported for n_classes=2.")
    return BinaryLogisticHead(1, *given, thresholds=thresholds)


def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Any = None,
) -> BinarySvmHead:
    """Return a head for two classes: the hinge loss."""
    given = (label_name, weight_column_name, enable_centered_bias, head_name)
    return BinarySvmHead(1, *given, thresholds=thresholds)


def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Any = None,
    metric_class_ids: Any = None,
    loss_fn: Any = None,
) -> MultiLabelHead:
    """Return a head for classes, of which rows have any number."""
    if n_classes < 2:
        raise InvalidArgumentError("n_classes must be > 1 for classification.")
    bias, loss = enable_centered_bias, parts.checked_loss(loss_fn)
    given = (label_name, weight_column_name, bias, head_name, loss)
    return MultiLabelHead(
        n_classes, *given, thresholds=thresholds, metric_class_ids=metric_class_ids
    )


def loss_only_head(
    loss_fn: Callable[[], Any], head_name: str | None = None
) -> LossOnlyHead:
    """Return a head with a loss and nothing to answer."""
    return LossOnlyHead(loss_fn, head_name)


def multi_head(heads: Any, loss_weights: Any = None) -> MultiHead:
    """Return several heads as one, whose losses are added with weights."""
    return MultiHead(heads, loss_weights)
