"""Models of tf.estimator: networks, linear models, both at once, and a constant to compare with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared import arrays as shared_arrays, elementwise, nn
from tensorlite.compat.v1 import feature_column, layers, summary
from tensorlite.compat.v1.estimators.heads import Head
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.functions import (
    arrays,
    control_flow,
    init_ops,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.graphs import framework, partitioned, scopes
from tensorlite.compat.v1.training import averages, optimizer_classes as optimizers
from tensorlite.core.dtypes import float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.graph_mode.keys import GraphKeys

DNN_RATE, LINEAR_RATE, BASELINE_RATE = 0.05, 0.2, 0.3
COMBINED_DNN_RATE, COMBINED_LINEAR_RATE = 0.001, 0.005
"""How fast optimizers learn that are given by their names."""
_SLICES = 64 << 20

_OPTIMIZERS: dict[str, Callable[[float], Any]] = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": optimizers.FtrlOptimizer,
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}


def optimizer_of(given: Any, rate: float) -> Any:
    """Return an optimizer, which may be given by its name or as what makes it."""
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise InvalidArgumentError(
                f"Unsupported optimizer name: {given}. Supported names are: {sorted(_OPTIMIZERS)}"
            )
        return _OPTIMIZERS[given](rate)
    made = given() if callable(given) else given
    if not hasattr(made, "minimize"):
        raise InvalidArgumentError(
            f"The given object is not an Optimizer instance. Given: {made}"
        )
    return made


@contextmanager
def _part(name: str, servers: int, least: int = 256 << 10) -> Iterator[str]:
    """Open the scope of a part of a model, whose variables are cut for servers.

    Without servers each has one part, by which its slots are called in files.
    """
    made = partitioned.min_max_variable_partitioner
    partitioner = made(servers, min_slice_size=least)
    with scopes.variable_scope(name, partitioner=partitioner) as scope:
        yield scope.name


def dnn_logits(
    units: int,
    hidden_units: Sequence[int],
    columns: Any,
    features: Any,
    mode: str,
    activation: Any = nn.relu,
    dropout: float | None = None,
    batch_norm: bool = False,
) -> Any:
    """Return what a network of dense layers gives."""
    training = mode == ModeKeys.TRAIN
    with scopes.variable_scope("input_from_feature_columns"):
        net = feature_column.input_layer(features, columns)
    outer = scopes.get_variable_scope().name
    with _resources():
        for i, width in enumerate(hidden_units):
            name = f"hiddenlayer_{i}"
            net = layers.dense(net, width, activation, name=name, **_glorot())
            if dropout is not None and training:
                net = layers.dropout(net, dropout, training=True)
            if batch_norm:
                own = f"{name}/batchnorm_{i}"
                net = layers.batch_normalization(
                    net, momentum=0.999, training=training, name=own
                )
            _told(net, f"{outer}/{name}")
        found = layers.dense(net, units, None, name="logits", **_glorot())
    _told(found, f"{outer}/logits")
    return found


@contextmanager
def _resources() -> Iterator[None]:
    """Let variables be resources, in the scope that there is."""
    scope = scopes.get_variable_scope()
    before = scope.use_resource
    scope.set_use_resource(True)
    try:
        yield
    finally:
        scope.set_use_resource(before)


def _glorot() -> dict[str, Any]:
    return {"kernel_initializer": init_ops.GlorotUniform()}


def _told(values: Any, tag: str) -> None:
    summary.scalar(
        f"{tag}/fraction_of_zero_values", nn_functions.zero_fraction(values)
    )
    summary.histogram(f"{tag}/activation", values)


def linear_logits(units: int, columns: Any, features: Any, combiner: str) -> Any:
    """Return what a linear model gives."""
    logits, weights, bias = feature_column.linear_layer(
        features, columns, units, combiner
    )
    if units > 1:
        summary.histogram("bias", bias)
    else:
        summary.scalar("bias", bias[0][0])
    summary.scalar("fraction_of_zero_weights", _share_of_zeros(weights))
    return logits


def _share_of_zeros(variables: Sequence[Any]) -> Any:
    """Return which share of the elements of variables is 0."""
    with name_scope("zero_fraction"):
        with name_scope("total_size"):
            sizes = [arrays.size(x, out_type=int64) for x in variables]
            total = elementwise.add_n(sizes)
        with name_scope("total_zero"):
            pairs = zip(variables, sizes, strict=True)
            zeros = elementwise.add_n([_zeros(x, size) for x, size in pairs])
        with name_scope("compute"):
            share = zeros / elementwise.cast(total, float32, name="float32_size")
        return shared_arrays.identity(share, name="zero_fraction_or_nan")


def _zeros(x: Any, size: Any) -> Any:
    """Return how many elements of a variable are 0."""
    return control_flow.cond(
        elementwise.equal(size, framework.constant(0, int64)),
        lambda: framework.constant(0, float32),
        lambda: nn_functions.zero_fraction(x) * numbers.to_float(size),
        name="zero_count",
    )


def _servers(config: Any) -> int:
    return int(getattr(config, "num_ps_replicas", 0) or 0)


def _check(features: Any) -> None:
    if not isinstance(features, dict):
        raise InvalidArgumentError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


Model = Callable[..., EstimatorSpec]


def dnn_model(head: Head, hidden_units: Any, columns: Any, **given: Any) -> Model:
    """Return the function that builds a network."""
    chosen = given.pop("optimizer")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check(features)
        optimizer = optimizer_of(chosen, DNN_RATE)
        with _part("dnn", _servers(config)):
            logits = dnn_logits(
                head.logits_dimension, hidden_units, columns, features, mode, **given
            )
            return head.create_estimator_spec(
                features, mode, logits, labels, optimizer
            )

    return model_fn


def linear_model(head: Head, columns: Any, optimizer: Any, combiner: str) -> Model:
    """Return the function that builds a linear model."""
    rate = min(LINEAR_RATE, 1.0 / math.sqrt(len(columns)))
    chosen = "Ftrl" if optimizer is None else optimizer

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check(features)
        own = optimizer_of(chosen, rate if optimizer is None else LINEAR_RATE)
        with _part("linear", _servers(config), _SLICES):
            units = head.logits_dimension
            logits = linear_logits(units, columns, features, combiner)
            return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def combined_model(
    head: Head,
    linear: tuple[Any, Any, str],
    dnn: tuple[Any, Any, Any],
    **given: Any,
) -> Model:
    """Return the function that builds a network and a linear model, whose logits are added."""
    linear_columns, linear_optimizer, combiner = linear
    dnn_columns, dnn_optimizer, hidden_units = dnn
    if not linear_columns and not dnn_columns:
        raise InvalidArgumentError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    if dnn_columns and not hidden_units:
        raise InvalidArgumentError(
            "dnn_hidden_units must be defined when dnn_feature_columns is specified."
        )

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check(features)
        parts, units, servers = [], head.logits_dimension, _servers(config)
        if dnn_columns:
            with _part("dnn", servers) as scope:
                logits = dnn_logits(
                    units, hidden_units, dnn_columns, features, mode, **given
                )
            parts.append(
                (logits, scope, optimizer_of(dnn_optimizer, COMBINED_DNN_RATE))
            )
        if linear_columns:
            with _part("linear", servers, _SLICES) as scope:
                logits = linear_logits(units, linear_columns, features, combiner)
                _told(logits, scope)
            rate = min(COMBINED_LINEAR_RATE, 1.0 / math.sqrt(len(linear_columns)))
            parts.append((logits, scope, optimizer_of(linear_optimizer, rate)))
        total = sum((x for x, _, _ in parts[1:]), parts[0][0])

        def train_op_fn(loss: Any) -> Any:
            return _each_by_its_own(loss, [(scope, x) for _, scope, x in parts])

        return head.create_estimator_spec(
            features, mode, total, labels, train_op_fn=train_op_fn
        )

    return model_fn


def _each_by_its_own(loss: Any, parts: Sequence[tuple[str, Any]]) -> Any:
    """Return a step in which each part of a model is trained by an optimizer of its own."""
    steps = []
    for scope, optimizer in parts:
        own = scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, f"{scope}/")
        steps.append(optimizer.minimize(loss, var_list=own))
    with framework.control_dependencies(steps):
        return scopes.assign_add(averages.get_global_step(), 1)


def baseline_model(head: Head, optimizer: Any) -> Model:
    """Return the function that builds a model which gives the same for every row."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check(features)
        own = optimizer_of(optimizer, BASELINE_RATE)
        rows, units = _rows(next(iter(features.values()))), head.logits_dimension
        with scopes.variable_scope("baseline"):
            bias = scopes.get_variable("bias", [units], initializer=init_ops.Zeros())
            every = shared_arrays.ones([rows, units])
            logits = elementwise.multiply(bias, every)
        return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def _rows(feature: Any) -> Any:
    """Return how many rows a feature has, which may be a sparse one."""
    if hasattr(feature, "dense_shape"):
        return elementwise.cast(feature.dense_shape[0], int32)
    return arrays.shape(feature)[0]
