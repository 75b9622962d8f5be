"""Models of tf.contrib.learn: networks, linear models, and both at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import nn
from tensorlite.compat.v1 import feature_column, summary
from tensorlite.compat.v1.contrib.columns.base import FeatureColumn
from tensorlite.compat.v1.contrib.columns.joining import (
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from tensorlite.compat.v1.contrib.columns.vectors import EmbeddingColumn
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.optimizing import (
    OPTIMIZER_CLS_NAMES,
    optimize_loss,
)
from tensorlite.compat.v1.contrib.shaping import dropout as dropped_out
from tensorlite.compat.v1.contrib.weighted import fully_connected
from tensorlite.compat.v1.functions import clipping, nn_functions
from tensorlite.compat.v1.graphs import framework, partitioned, scopes
from tensorlite.compat.v1.training import averages
from tensorlite.compat.v1.training.optimizer_classes import FtrlOptimizer
from tensorlite.compat.v1.training.sync_replicas import SyncReplicasOptimizer
from tensorlite.core.errors import InvalidArgumentError

_DNN_RATE, _LINEAR_RATE = 0.05, 0.2
_SLICES, _DNN_SLICES = 64 << 20, 256 << 10
_ACTIVATIONS = {"relu": nn.relu, "tanh": nn.tanh, "sigmoid": nn.sigmoid}


def _by_name(features: Any) -> dict[Any, Any]:
    return features if isinstance(features, dict) else {"": features}


def _made(optimizer: Any) -> Any:
    return optimizer() if callable(optimizer) else optimizer


def _activation(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given not in _ACTIVATIONS:
        raise InvalidArgumentError(
            f"Activation name should be one of [{', '.join(_ACTIVATIONS)}], you provided {given}."
        )
    return _ACTIVATIONS[given]


def _cut(config: Any, least: int) -> Any:
    """Return what cuts variables for servers; where there are none, each has one part."""
    servers = int(getattr(config, "num_ps_replicas", 0) or 0)
    made = partitioned.min_max_variable_partitioner
    return made(max_partitions=servers, min_slice_size=least)


def _are_own(columns: Sequence[Any]) -> bool:
    return all(isinstance(column, FeatureColumn) for column in columns)


def _told(values: Any, tag: str, separator: str) -> None:
    zeros = nn_functions.zero_fraction(values)
    summary.scalar(f"{tag}{separator}fraction_of_zero_values", zeros)
    summary.histogram(f"{tag}{separator}activation", values)


def _network(
    features: dict[Any, Any],
    columns: Sequence[Any],
    hidden_units: Sequence[int],
    outputs: int,
    mode: str,
    activation: Any,
    dropout: float | None,
    cut_input: Any,
    separator: str,
) -> tuple[Any, str]:
    """Return the logits of a network, and the scope of its first layer."""
    with scopes.variable_scope(
        "input_from_feature_columns", partitioner=cut_input
    ) as first:
        if _are_own(columns):
            net = input_from_feature_columns(features, columns, ["dnn"], scope=first)
        else:
            net = feature_column.input_layer(features, columns, ["dnn"])
    for i, width in enumerate(hidden_units):
        with scopes.variable_scope(f"hiddenlayer_{i}") as scope:
            net = _layer(net, width, activation, scope)
            if dropout is not None and mode == "train":
                net = dropped_out(net, keep_prob=1.0 - dropout)
        _told(net, scope.name, separator)
    with scopes.variable_scope("logits") as scope:
        logits = _layer(net, outputs, None, scope)
    _told(logits, scope.name, separator)
    return logits, first.name


def _layer(net: Any, width: int, activation: Any, scope: Any) -> Any:
    return fully_connected(
        net,
        width,
        activation_fn=activation,
        variables_collections=["dnn"],
        scope=scope,
    )


def _multipliers(given: Any, first: str) -> dict[Any, float] | None:
    """Return by how much the gradients of embeddings are multiplied."""
    if not given:
        return None
    found = {}
    for column, factor in given.items():
        if not isinstance(column, EmbeddingColumn):
            raise InvalidArgumentError(
                "learning rate multipler can only be defined for embedding columns. It is defined "
                f"for {column}"
            )
        own = scopes.get_collection("dnn", f"{first}/{column.name}")
        if not own:
            raise InvalidArgumentError(
                f"Couldn't find a variable for column {column}"
            )
        found.update(dict.fromkeys(own, factor))
    return found


def dnn_model_fn(
    features: Any, labels: Any, mode: str, params: Any, config: Any = None
) -> ModelFnOps:
    """Return a network of dense layers behind columns."""
    head, given = params["head"], _by_name(features)
    optimizer = params.get("optimizer") or "Adagrad"
    least = params.get("input_layer_min_slice_size") or _SLICES
    with scopes.variable_scope("dnn", partitioner=_cut(config, _DNN_SLICES)):
        logits, first = _network(
            given,
            params["feature_columns"],
            params["hidden_units"],
            head.logits_dimension,
            mode,
            _activation(params.get("activation_fn")),
            params.get("dropout"),
            _cut(config, least),
            "_",
        )

        def train_op_fn(loss: Any) -> Any:
            return optimize_loss(
                loss,
                averages.get_global_step(),
                _DNN_RATE,
                _made(optimizer) if not isinstance(optimizer, str) else optimizer,
                gradient_multipliers=_multipliers(
                    params.get("embedding_lr_multipliers"), first
                ),
                clip_gradients=params.get("gradient_clip_norm"),
                name="dnn",
                summaries=[],
            )

        made: ModelFnOps = head.create_model_fn_ops(
            given, mode, labels, train_op_fn, logits
        )
        return made


def _sums(
    features: Any, columns: Sequence[Any], outputs: int, scope: Any, joint: Any
) -> Any:
    """Return the logits of a linear model."""
    if not _are_own(columns):
        return feature_column.linear_model(
            features, columns, outputs, weight_collections=["linear"]
        )
    function = (
        joint_weighted_sum_from_feature_columns
        if joint
        else weighted_sum_from_feature_columns
    )
    return function(features, columns, outputs, ["linear"], scope=scope)[0]


def _linear_rate(columns: Sequence[Any]) -> float:
    return min(_LINEAR_RATE, 1.0 / math.sqrt(len(columns)))


def linear_model_fn(
    features: Any, labels: Any, mode: str, params: Any, config: Any = None
) -> ModelFnOps:
    """Return a linear model of columns."""
    head, given = params["head"], _by_name(features)
    columns = params["feature_columns"]
    optimizer, norm = params.get("optimizer"), params.get("gradient_clip_norm")
    with scopes.variable_scope("linear", partitioner=_cut(config, _SLICES)) as scope:
        joint = params.get("joint_weights")
        logits = _sums(given, columns, head.logits_dimension, scope, joint)

        def train_op_fn(loss: Any) -> Any:
            own = scopes.get_collection("linear")
            found = framework.gradients(loss, own)
            if norm:
                found, _ = clipping.clip_by_global_norm(found, norm)
            chosen = _linear_optimizer(optimizer, columns)
            pairs = list(zip(found, own, strict=True))
            return chosen.apply_gradients(pairs, averages.get_global_step())

        made: ModelFnOps = head.create_model_fn_ops(
            given, mode, labels, train_op_fn, logits
        )
        return made


def _linear_optimizer(given: Any, columns: Sequence[Any]) -> Any:
    if not given:
        return FtrlOptimizer(_linear_rate(columns))
    if isinstance(given, str):
        return OPTIMIZER_CLS_NAMES[given](learning_rate=_LINEAR_RATE)
    return _made(given)


def _not_in_step(optimizer: Any) -> Any:
    made = _made(optimizer)
    if isinstance(made, SyncReplicasOptimizer):
        raise InvalidArgumentError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to use "
            "this optimizer, please use either DNN or Linear model."
        )
    return made


def _deep_part(
    given: dict[Any, Any],
    columns: Sequence[Any],
    outputs: int,
    mode: str,
    params: Any,
    config: Any,
) -> tuple[Any, str]:
    cut = params.get("input_layer_partitioner") or _cut(config, _SLICES)
    activation = params.get("dnn_activation_fn") or nn.relu
    units, dropout = params.get("dnn_hidden_units"), params.get("dnn_dropout")
    if not units:
        raise InvalidArgumentError(
            "dnn_hidden_units must be defined when dnn_feature_columns is specified."
        )
    with scopes.variable_scope("dnn", partitioner=_cut(config, _DNN_SLICES)):
        rest = (mode, activation, dropout, cut, "/")
        return _network(given, columns, units, outputs, *rest)


def _wide_part(
    given: dict[Any, Any], columns: Any, outputs: int, params: Any, config: Any
) -> Any:
    cut = _cut(config, _SLICES)
    with scopes.variable_scope("linear", partitioner=cut) as scope:
        joint = params.get("joint_linear_weights")
        logits = _sums(given, columns, outputs, scope, joint)
        _told(logits, scope.name, "/")
        return logits


def combined_model_fn(
    features: Any, labels: Any, mode: str, params: Any, config: Any = None
) -> ModelFnOps:
    """Return a network and a linear model, whose logits are added."""
    head, given = params["head"], _by_name(features)
    wide = params.get("linear_feature_columns") or ()
    deep = params.get("dnn_feature_columns") or ()
    if not wide and not deep:
        raise InvalidArgumentError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    wide_optimizer = _not_in_step(params.get("linear_optimizer") or "Ftrl")
    deep_optimizer = _not_in_step(params.get("dnn_optimizer") or "Adagrad")
    found, first, outputs = [], "", head.logits_dimension
    if deep:
        logits, first = _deep_part(given, deep, outputs, mode, params, config)
        found.append(logits)
    if wide:
        found.append(_wide_part(given, wide, outputs, params, config))
    fixed = params.get("fix_global_step_increment_bug", True)

    def train_op_fn(loss: Any) -> Any:
        step, parts = averages.get_global_step(), []
        if deep:
            factors = _multipliers(params.get("embedding_lr_multipliers"), first)
            parts.append(("dnn", _DNN_RATE, deep_optimizer, factors))
        if wide:
            parts.append(("linear", _linear_rate(wide), wide_optimizer, None))
        norm = params.get("gradient_clip_norm")
        each = [_own_step(loss, step, *part, norm, not fixed) for part in parts]
        whole = framework.group(*each)
        if not fixed:
            return whole
        with framework.control_dependencies([whole]):
            return scopes.assign_add(step, 1).op

    total = found[0] if len(found) == 1 else found[0] + found[1]
    made: ModelFnOps = head.create_model_fn_ops(
        given, mode, labels, train_op_fn, total
    )
    return made


def _own_step(
    loss: Any,
    step: Any,
    name: str,
    rate: float,
    optimizer: Any,
    factors: Any,
    norm: float | None,
    counts: bool,
) -> Any:
    """Return a step that trains the variables of one part."""
    return optimize_loss(
        loss,
        step,
        rate,
        optimizer,
        gradient_multipliers=factors,
        clip_gradients=norm,
        variables=scopes.get_collection(name),
        name=name,
        summaries=[],
        increment_global_step=counts,
    )
