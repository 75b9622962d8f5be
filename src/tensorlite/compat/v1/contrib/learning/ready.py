"""Estimators of tf.contrib.learn whose models are there: DNNClassifier and its like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorlite.compat.shared import nn
from tensorlite.compat.v1.contrib.learning import class_heads as heads, models
from tensorlite.compat.v1.contrib.learning.estimators import Estimator
from tensorlite.compat.v1.contrib.learning.keys import (
    PredictionKey,
)
from tensorlite.compat.v1.contrib.learning.metric_specs import MetricSpec
from tensorlite.core.errors import InvalidArgumentError


def _those(predictions: Iterator[Any], key: str) -> Iterator[Any]:
    return (one[key] for one in predictions)


class _Answering(Estimator):
    """An estimator that answers with one of its predictions unless others are asked for."""

    _key: str

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Return classes, or scores of regressions; or the outputs that are asked for."""
        if not outputs:
            return self._one(self._key, x, input_fn, batch_size, as_iterable)
        given = (x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return super().predict(*given)

    def _one(
        self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool
    ) -> Any:
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return _those(found, key) if as_iterable else found[key]


class AnsweringClassifier(_Answering):
    """An estimator that says of which class rows are."""

    _key = PredictionKey.CLASSES

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Return the class of each row."""
        key = PredictionKey.CLASSES
        return self._one(key, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Return the probabilities of each row."""
        key = PredictionKey.PROBABILITIES
        return self._one(key, x, input_fn, batch_size, as_iterable)


class _Regressor(_Answering):
    _key = PredictionKey.SCORES

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Return the scores of each row."""
        key = PredictionKey.SCORES
        return self._one(key, x, input_fn, batch_size, as_iterable)


class ScoringRegressor(_Regressor):
    """An estimator that gives numbers; metrics without a key are of the scores."""

    def judged(
        self,
        input_fn: Callable[..., Any],
        steps: int | None,
        feed_fn: Any = None,
        metrics: Any = None,
        *args: Any,
    ) -> dict[str, Any]:
        """Return the metrics; those without a key are of the scores."""
        if isinstance(metrics, dict):
            metrics = {
                key
                if isinstance(key, tuple) or isinstance(metric, MetricSpec)
                else (key, PredictionKey.SCORES): metric
                for key, metric in metrics.items()
            }
        return super().judged(input_fn, steps, feed_fn, metrics, *args)


def _layers(
    hidden_units: Any,
    feature_columns: Any,
    optimizer: Any,
    activation_fn: Any,
    dropout: Any,
    gradient_clip_norm: Any,
    embedding_lr_multipliers: Any,
    input_layer_min_slice_size: Any,
) -> dict[str, Any]:
    return {
        "hidden_units": hidden_units,
        "feature_columns": tuple(feature_columns or []),
        "optimizer": optimizer,
        "activation_fn": activation_fn,
        "dropout": dropout,
        "gradient_clip_norm": gradient_clip_norm,
        "embedding_lr_multipliers": embedding_lr_multipliers,
        "input_layer_min_slice_size": input_layer_min_slice_size,
    }


class DNNClassifier(AnsweringClassifier):
    """A network that says of which class rows are."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        head = heads.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        given = _layers(
            hidden_units,
            feature_columns,
            optimizer,
            activation_fn,
            dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
        params = {"head": head, **given}
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.dnn_model_fn, *rest)


class DNNRegressor(ScoringRegressor):
    """A network that gives numbers for rows."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        head = heads.regression_head(
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
        )
        given = _layers(
            hidden_units,
            feature_columns,
            optimizer,
            activation_fn,
            dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
        params = {"head": head, **given}
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.dnn_model_fn, *rest)


class DNNEstimator(Estimator):
    """A network with a head of the program's choice."""

    def __init__(
        self,
        head: heads.Head,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        given = _layers(
            hidden_units,
            feature_columns,
            optimizer,
            activation_fn,
            dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
        params = {"head": head, **given}
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.dnn_model_fn, *rest)


def _sums(
    head: heads.Head, columns: Any, optimizer: Any, norm: Any, joint: bool
) -> dict[str, Any]:
    if not columns:
        raise InvalidArgumentError("feature_columns must not be empty.")
    return {
        "head": head,
        "feature_columns": tuple(columns),
        "optimizer": optimizer,
        "gradient_clip_norm": norm,
        "joint_weights": joint,
    }


class LinearClassifier(AnsweringClassifier):
    """A linear model that says of which class rows are."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        head = heads.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        params = _sums(
            head, feature_columns, optimizer, gradient_clip_norm, _joint_weight
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.linear_model_fn, *rest)


class LinearRegressor(_Regressor):
    """A linear model that gives numbers for rows."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        head = heads.regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        params = _sums(
            head, feature_columns, optimizer, gradient_clip_norm, _joint_weights
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.linear_model_fn, *rest)


class LinearEstimator(Estimator):
    """A linear model with a head of the program's choice; weight_column_name has no effect."""

    def __init__(
        self,
        feature_columns: Any,
        head: heads.Head,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        params = _sums(
            head, feature_columns, optimizer, gradient_clip_norm, _joint_weights
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.linear_model_fn, *rest)
