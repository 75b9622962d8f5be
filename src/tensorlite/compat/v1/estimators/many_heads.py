"""Heads of several labels, of several heads, of counts and of chances; metrics that are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import to_indicator
from tensorlite.compat.shared.tables.vocabularies import index_table_from_tensor
from tensorlite.compat.v1 import losses, metrics
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.compat.v1.estimators.checking import checked_labels
from tensorlite.compat.v1.estimators.heads import Head, RegressionHead
from tensorlite.compat.v1.estimators.measuring import at_threshold, in_range
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.estimators.steps import trained
from tensorlite.compat.v1.functions import nn_losses, numbers
from tensorlite.core.dtypes import float32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.train.feature_columns import models


class MultiLabelHead(Head):
    """Any number of several classes for each row."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if n_classes < 2:
            raise InvalidArgumentError(
                f"n_classes must be > 1 for multi-label classification. Given: {n_classes}"
            )
        self.n_classes, self.label_vocabulary = n_classes, label_vocabulary
        self.thresholds = () if thresholds is None else tuple(thresholds)
        words = list(label_vocabulary or ())
        self.single_classes = [
            words.index(x) if isinstance(x, str) else int(x)
            for x in classes_for_class_based_metrics or ()
        ]

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: one for each class."""
        return self.n_classes

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Any]:
        """Return logits and probabilities, by these names."""
        found = {"logits": logits, "probabilities": elementwise.sigmoid(logits)}
        return {key: found[key] for key in keys or found}

    def reshaped(self, labels: Any, logits: Any) -> Any:
        """Return labels in the shape of the logits; sparse ones as they are."""
        if isinstance(labels, SparseTensor):
            return labels
        return checked_labels(labels, logits, self.n_classes)

    def processed(self, labels: Any) -> Any:
        """Return labels as 0 and 1 for each class, which are checked when they run."""
        if isinstance(labels, SparseTensor):
            return elementwise.cast(
                to_indicator(self._ids(labels), self.n_classes), int64
            )
        return in_range(labels, 2)

    def _ids(self, labels: Any) -> Any:
        if self.label_vocabulary is None:
            return labels
        words = list(self.label_vocabulary)
        return index_table_from_tensor(words, name="class_id_lookup").lookup(labels)

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the mean of the classes' sigmoid cross entropies of each row."""
        each = losses.sigmoid_cross_entropy(
            labels, logits, reduction=losses.Reduction.NONE
        )
        return numbers.reduce_mean(each, axis=-1, keepdims=True)

    def judged(self, labels: Any, found: Mapping[str, Any], weights: Any) -> Any:
        """Return AUC, metrics at thresholds, and metrics of the classes asked for."""
        chances = found["probabilities"]
        measured = {
            "auc": metrics.auc(labels, chances, weights),
            "auc_precision_recall": self.area(labels, chances, weights),
        }
        for at in self.thresholds:
            measured |= at_threshold(labels, chances, weights, at)
        for number in self.single_classes:
            words = self.label_vocabulary
            told = f"class{number}" if words is None else words[number]
            chance, own = chances[:, number], labels[:, number]
            measured |= {
                f"probability_mean/{told}": metrics.mean(chance),
                f"auc/{told}": metrics.auc(own, chance),
                f"auc_precision_recall/{told}": self.area(own, chance),
            }
        return measured

    def outputs(self, found: Mapping[str, Any]) -> dict[str, ExportOutput]:
        """Return the signatures of an exported model: scores, and all predictions."""
        classified = ClassificationOutput(found["probabilities"])
        return {
            DEFAULT_KEY: classified,
            "classification": classified,
            "predict": PredictOutput(dict(found)),
        }


class PoissonRegressionHead(RegressionHead):
    """Counts, whose logarithms the logits are."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(
            label_dimension,
            weight_column,
            loss_reduction,
            inverse_link_fn=elementwise.exp,
            name=name,
        )
        self._full = compute_full_loss

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the Poisson losses of each row, whose rates' logarithms the logits are."""
        return nn_losses.log_poisson_loss(labels, logits, self._full)


class LogisticRegressionHead(RegressionHead):
    """Chances, of which labels are given as numbers between 0 and 1."""

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        name: str | None = None,
    ) -> None:
        super().__init__(
            1,
            weight_column,
            loss_reduction,
            inverse_link_fn=elementwise.sigmoid,
            name=name,
        )

    def each_loss(self, labels: Any, logits: Any) -> Any:
        """Return the sigmoid cross entropy of each row."""
        return nn_losses.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits
        )


class MultiHead:
    """Several heads of one model, each with labels of its own."""

    name = None

    def __init__(
        self, heads: Sequence[Head], head_weights: Sequence[float] | None = None
    ) -> None:
        names = [head.name for head in heads]
        if not heads or None in names or len(set(names)) != len(names):
            raise InvalidArgumentError(
                f"MultiHead: heads need names that differ from each other, got {names}"
            )
        self._heads = list(heads)
        self._shares = (
            [1.0] * len(heads) if head_weights is None else list(head_weights)
        )

    @property
    def logits_dimension(self) -> int:
        """How many numbers a model gives for a row: those of all heads."""
        return sum(head.logits_dimension for head in self._heads)

    def _parts(self, logits: Any) -> list[Any]:
        if isinstance(logits, dict):
            return [logits[head.name] for head in self._heads]
        widths = [head.logits_dimension for head in self._heads]
        return list(shared_arrays.split(logits, widths, -1))

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
        """Return the EstimatorSpec of a mode, its loss the weighted sum of the heads'.

        labels are by the heads' names; predictions are by pairs of a head's name and a key.
        """

        def built(head: Head, own: Any) -> EstimatorSpec:
            given = None if labels is None else labels[head.name]
            return head.create_estimator_spec(
                features, mode, own, given, train_op_fn=lambda loss: loss
            )

        parts = zip(self._heads, self._parts(logits), strict=True)
        specs = [built(head, own) for head, own in parts]
        found = {
            (head.name, key): value
            for head, spec in zip(self._heads, specs, strict=True)
            for key, value in spec.predictions.items()
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, found, export_outputs=self._outputs(specs))
        shares = zip(self._shares, specs, strict=True)
        loss = elementwise.add_n(
            [share * spec.loss for share, spec in shares]
            + list(regularization_losses or ())
        )
        if mode == ModeKeys.EVAL:
            measured: dict[str, Any] = {}
            for head, spec in zip(self._heads, specs, strict=True):
                measured |= dict(spec.eval_metric_ops or {})
                measured[head.key("loss")] = metrics.mean(spec.loss)
            return EstimatorSpec(mode, found, loss, eval_metric_ops=measured)
        step = trained(loss, optimizer, train_op_fn, update_ops, trainable_variables)
        return EstimatorSpec(mode, found, loss, step)

    def _outputs(self, specs: Sequence[EstimatorSpec]) -> dict[str, ExportOutput]:
        found: dict[str, ExportOutput] = {}
        whole: dict[str, Any] = {}
        for head, spec in zip(self._heads, specs, strict=True):
            for key, output in spec.export_outputs.items():
                if key == DEFAULT_KEY:
                    found[str(head.name)] = output
                else:
                    found[f"{head.name}/{key}"] = output
            whole |= {f"{head.name}/{key}": x for key, x in spec.predictions.items()}
        first = self._heads[0].name
        return {
            **found,
            DEFAULT_KEY: found[str(first)],
            "predict": PredictOutput(whole),
        }


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """Return an estimator that is judged by more metrics."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.built_with(features, labels, mode)
        if mode != ModeKeys.EVAL:
            return spec
        offered = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        taken = signature(metric_fn).parameters
        more = metric_fn(**{key: x for key, x in offered.items() if key in taken})
        return spec._replace(eval_metric_ops={**(spec.eval_metric_ops or {}), **more})

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def classifier_parse_example_spec(
    feature_columns: Any,
    label_key: str,
    label_dtype: Any = int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """Return the features that tf.io.parse_example needs: of the columns, labels, weights.

    Labels are int64 or string.
    """
    spec = models.parse_example_spec(feature_columns)
    given = (label_key, label_dtype, label_default, weight_column)
    return models.labelled(spec, *given, "int64 string")


def regressor_parse_example_spec(
    feature_columns: Any,
    label_key: str,
    label_dtype: Any = float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """Return the features that tf.io.parse_example needs: of the columns, labels, weights.

    Labels are float32, float64 or int64, label_dimension of them for each example.
    """
    spec = models.parse_example_spec(feature_columns)
    given = (label_key, label_dtype, label_default, weight_column)
    found = models.labelled(spec, *given, "float32 float64 int64")
    found[label_key] = found[label_key]._replace(shape=(label_dimension,))
    return found
