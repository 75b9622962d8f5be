"""Networks and linear models at once, and logistic regressions of a program's own model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import elementwise, nn
from tensorlite.compat.v1 import metrics as v1_metrics
from tensorlite.compat.v1.contrib.learning import class_heads as heads, models
from tensorlite.compat.v1.contrib.learning.estimators import Estimator
from tensorlite.compat.v1.contrib.learning.keys import (
    MetricKey,
    ModeKeys,
    ProblemType,
)
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.learning.ready import (
    AnsweringClassifier,
    ScoringRegressor,
)
from tensorlite.compat.v1.graphs.partitioned import min_max_variable_partitioner
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError


def _both(
    head: heads.Head,
    linear_feature_columns: Any,
    linear_optimizer: Any,
    joint: bool,
    dnn_feature_columns: Any,
    dnn_optimizer: Any,
    dnn_hidden_units: Any,
    dnn_activation_fn: Any,
    dnn_dropout: Any,
    gradient_clip_norm: Any,
    embedding_lr_multipliers: Any,
    fix_global_step_increment_bug: bool,
    input_layer_partitioner: Any,
) -> dict[str, Any]:
    wide = tuple(linear_feature_columns or [])
    deep = tuple(dnn_feature_columns or [])
    if not wide + deep:
        raise InvalidArgumentError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    return {
        "head": head,
        "linear_feature_columns": wide,
        "linear_optimizer": linear_optimizer,
        "joint_linear_weights": joint,
        "dnn_feature_columns": deep,
        "dnn_optimizer": dnn_optimizer,
        "dnn_hidden_units": dnn_hidden_units,
        "dnn_activation_fn": dnn_activation_fn,
        "dnn_dropout": dnn_dropout,
        "gradient_clip_norm": gradient_clip_norm,
        "embedding_lr_multipliers": embedding_lr_multipliers,
        "fix_global_step_increment_bug": fix_global_step_increment_bug,
        "input_layer_partitioner": input_layer_partitioner,
    }


def _cut(least: int | None, config: Any) -> Any:
    if least is None:
        return None
    servers = int(getattr(config, "num_ps_replicas", 0) or 0)
    return min_max_variable_partitioner(servers, min_slice_size=least)


class DNNLinearCombinedEstimator(Estimator):
    """A network and a linear model, whose logits are added, with a head of the program's choice."""

    def __init__(
        self,
        head: heads.Head,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        params = _both(
            head,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
            input_layer_partitioner,
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.combined_model_fn, *rest)


class DNNLinearCombinedClassifier(AnsweringClassifier):
    """A network and a linear model that say of which class rows are."""

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = heads.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        params = _both(
            head,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
            _cut(input_layer_min_slice_size, config),
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.combined_model_fn, *rest)


class DNNLinearCombinedRegressor(ScoringRegressor):
    """A network and a linear model that give numbers for rows."""

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = heads.regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        params = _both(
            head,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
            _cut(input_layer_min_slice_size, config),
        )
        rest = (model_dir, config, params, feature_engineering_fn)
        super().__init__(models.combined_model_fn, *rest)


def LogisticRegressor(
    model_fn: Callable[..., Any],
    thresholds: Any = None,
    model_dir: str | None = None,
    config: Any = None,
    feature_engineering_fn: Any = None,
) -> Estimator:
    """Return an estimator of a function that gives probabilities, a loss and a step."""

    def built(features: Any, labels: Any, mode: str, params: Any) -> ModelFnOps:
        predictions, loss, step = model_fn(features, labels, mode)
        at = params["thresholds"] or [0.5]
        judged = mode == ModeKeys.EVAL
        measured = _logistic_metrics(labels, predictions, at) if judged else None
        problem = ProblemType.LOGISTIC_REGRESSION
        told = {"head": (problem, {"predictions": predictions})}
        return ModelFnOps(mode, predictions, loss, step, measured, told)

    params = {"thresholds": thresholds}
    return Estimator(built, model_dir, config, params, feature_engineering_fn)


def _logistic_metrics(labels: Any, predictions: Any, at: Any) -> dict[str, Any]:
    own = labels
    if isinstance(labels, dict) and len(labels) == 1:
        own = next(iter(labels.values()))
    found = {
        MetricKey.PREDICTION_MEAN: v1_metrics.mean(predictions),
        MetricKey.LABEL_MEAN: v1_metrics.mean(own),
        MetricKey.ACCURACY_BASELINE: v1_metrics.mean(own),
        MetricKey.AUC: v1_metrics.auc(own, predictions),
    }
    for threshold in at:
        yes = elementwise.greater_equal(predictions, threshold)
        given = (own, elementwise.cast(yes, float32))
        found[MetricKey.ACCURACY_MEAN % threshold] = v1_metrics.accuracy(*given)
        found[MetricKey.PRECISION_MEAN % threshold] = v1_metrics.precision(*given)
        found[MetricKey.RECALL_MEAN % threshold] = v1_metrics.recall(*given)
    return found
