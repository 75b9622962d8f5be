"""batch_norm and layer_norm of tf.contrib.layers, and other norms."""

from __future__ import annotations

from functools import partial
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1 import (
    arrays as v1_arrays,
    framework,
    init_ops,
    layers,
    nn_functions,
    numbers,
    scopes,
)
from tensorlite.compat.v1.averages import assign_moving_average
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import (
    add_to_own,
    channels_of,
    collections_of,
    layer_scope,
    named_output,
)
from tensorlite.compat.v1.layers_core import chosen, known_size, static_bool
from tensorlite.core.dtypes import float16
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.keys import GraphKeys

_FIRST: dict[str, Any] = {
    "beta": init_ops.Zeros(),
    "gamma": init_ops.Ones(),
    "moving_mean": init_ops.Zeros(),
    "moving_variance": init_ops.Ones(),
}


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: Any = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: Any = 0.99,
    adjustment: Any = None,
) -> Any:
    if renorm or adjustment is not None:
        raise UnimplementedError(
            "batch_norm: renorm and adjustment are not there; leave them out"
        )
    x = framework.convert_to_tensor(inputs)
    rank = x.get_shape().rank
    if rank is None:
        raise InvalidArgumentError(f"Inputs {x!r} has undefined rank.")
    able = fused is not False and batch_weights is None and rank in (2, 4)
    own_way = updates_collections != GraphKeys.UPDATE_OPS or zero_debias_moving_mean
    first = {**_FIRST, **(param_initializers or {})}
    if own_way or (able and rank == 2) or batch_weights is not None:
        with scopes.variable_scope(scope, "BatchNorm", reuse=reuse) as sc:
            made = _Norm(
                x,
                data_format,
                decay,
                epsilon,
                first,
                variables_collections,
                trainable,
            )
            made.variables(center, scale)
            outputs = made.normalized(
                is_training,
                updates_collections,
                batch_weights,
                (able, zero_debias_moving_mean),
            )
            if activation_fn is not None:
                outputs = activation_fn(outputs)
            return named_output(outputs_collections, sc.name, outputs)
    with layer_scope(scope, "BatchNorm", reuse) as sc:
        layer = _layer(sc, data_format, first, param_regularizers or {}, reuse)(
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            fused=fused,
            trainable=trainable,
        )
        outputs = layer.apply(x, training=is_training)
        for name in ("moving_mean", "moving_variance", "beta", "gamma"):
            if getattr(layer, name) is not None:
                add_to_own(getattr(layer, name), variables_collections, name)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return named_output(outputs_collections, sc.name, outputs)


def _layer(
    sc: Any, data_format: str, first: dict[str, Any], regularizers: Any, reuse: Any
) -> Any:
    """Return what makes the layer of tf.layers that normalizes batches."""
    firsts = {f"{name}_initializer": value for name, value in first.items()}
    return partial(
        layers.BatchNormalization,
        1 if channels_of(data_format) == "channels_first" else -1,
        beta_regularizer=regularizers.get("beta"),
        gamma_regularizer=regularizers.get("gamma"),
        name=sc.name,
        _scope=sc,
        _reuse=reuse,
        **firsts,
    )


class _Norm:
    """A batch norm that says itself when its averages move."""

    def __init__(
        self,
        x: Any,
        data_format: str,
        decay: Any,
        epsilon: float,
        first: dict[str, Any],
        collections: Any,
        trainable: bool,
    ) -> None:
        self.x, self.decay, self.epsilon = x, decay, epsilon
        self.first, self.collections, self.trainable = first, collections, trainable
        rank = x.get_shape().rank
        self.axis = 1 if channels_of(data_format) == "channels_first" else rank - 1
        self.over = [i for i in range(rank) if i != self.axis]
        self.shape = [-1 if i == self.axis else 1 for i in range(rank)]

    def _variable(self, name: str, trainable: bool) -> Any:
        return model_variable(
            name,
            [known_size(self.x.get_shape(), self.axis, "batch_norm")],
            self.x.dtype,
            self.first[name],
            trainable=trainable,
            collections=collections_of(self.collections, name),
        )

    def variables(self, center: bool, scale: bool) -> None:
        self.beta = self._variable("beta", self.trainable) if center else None
        self.gamma = self._variable("gamma", self.trainable) if scale else None
        self.mean = self._variable("moving_mean", False)
        self.variance = self._variable("moving_variance", False)

    def normalized(
        self, training: Any, updates: Any, weights: Any, how: tuple[bool, bool]
    ) -> Any:
        mean, variance = chosen(
            training,
            lambda: self._batch(training, updates, weights, how),
            lambda: (arrays.identity(self.mean), arrays.identity(self.variance)),
        )
        if static_bool(training) is not False and updates is not None:
            self._later(training, updates, mean, variance, how)
        fit = self._fitted
        outputs = shared_nn.batch_normalization(
            self.x,
            fit(mean),
            fit(variance),
            fit(self.beta),
            fit(self.gamma),
            self.epsilon,
            name="batchnorm/add_1",
        )
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(self.x.get_shape())
        return outputs

    def _fitted(self, x: Any) -> Any:
        if x is None or self.axis == len(self.shape) - 1:
            return x
        return arrays.reshape(x, self.shape)

    def _batch(
        self, training: Any, updates: Any, weights: Any, how: tuple[bool, bool]
    ) -> Any:
        """Return the batch's moments; without a collection for updates the averages move first."""
        if weights is None:
            mean, variance = nn_functions.moments(self.x, self.over)
        else:
            rest = [1] * (self.x.get_shape().rank - 1)
            shaped = arrays.reshape(framework.convert_to_tensor(weights), [-1, *rest])
            mean, variance = nn_functions.weighted_moments(self.x, self.over, shaped)
        if updates is not None:
            return mean, variance
        with framework.control_dependencies(
            self._moves(mean, variance, self.decay, how)
        ):
            return arrays.identity(mean), arrays.identity(variance)

    def _moves(
        self, mean: Any, variance: Any, decay: Any, how: tuple[bool, bool]
    ) -> list[Any]:
        fused, debias = how
        if fused:
            count = elementwise.cast(
                v1_arrays.size(self.x) / v1_arrays.size(mean), mean.dtype
            )
            variance = variance * (count / elementwise.maximum(count - 1.0, 1.0))
        return [
            assign_moving_average(self.mean, mean, decay, debias),
            assign_moving_average(self.variance, variance, decay, False),
        ]

    def _later(
        self,
        training: Any,
        updates: Any,
        mean: Any,
        variance: Any,
        how: tuple[bool, bool],
    ) -> None:
        decay = self.decay
        if static_bool(training) is None:
            decay = v1_arrays.where(
                training,
                elementwise.cast(decay, mean.dtype),
                elementwise.cast(1.0, mean.dtype),
            )
        for move in self._moves(mean, variance, decay, how):
            scopes.add_to_collections(updates, move)


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    with scopes.variable_scope(scope, "LayerNorm", reuse=reuse) as sc:
        x = framework.convert_to_tensor(inputs)
        rank = x.get_shape().rank
        begun = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or begun >= rank:
            raise InvalidArgumentError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begun}) must be < "
                f"rank(inputs) ({rank})"
            )
        sizes = x.get_shape().as_list()[begin_params_axis:]
        if None in sizes:
            raise InvalidArgumentError(
                f"Inputs {x!r}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{x.get_shape()}"
            )

        def own(name: str) -> Any:
            into = collections_of(variables_collections, name)
            return model_variable(
                name,
                sizes,
                x.dtype,
                _FIRST[name],
                trainable=trainable,
                collections=into,
            )

        beta = own("beta") if center else None
        gamma = own("gamma") if scale else None
        axes = list(range(begun, rank))
        mean, variance = nn_functions.moments(x, axes, keep_dims=True)
        least = 1e-3 if x.dtype is float16 else 1e-12
        outputs = shared_nn.batch_normalization(
            x, mean, variance, beta, gamma, least, name="batchnorm/add_1"
        )
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(x.get_shape())
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return named_output(outputs_collections, sc.name, outputs)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    with scopes.variable_scope(scope, "UnitNorm"):
        rank = inputs.get_shape().rank
        if rank is None:
            raise InvalidArgumentError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise InvalidArgumentError(
                "dim must be positive but smaller than the input rank."
            )
        squares = numbers.reduce_sum(
            elementwise.square(inputs), axis=dim, keepdims=True
        )
        return elementwise.divide(
            inputs, elementwise.sqrt(epsilon + squares), name="div"
        )


def poincare_normalize(
    x: Any, axis: Any = 1, epsilon: float = 1e-5, name: str | None = None
) -> Any:
    value = framework.convert_to_tensor(x)
    squares = numbers.reduce_sum(elementwise.square(value), axis=axis, keepdims=True)
    by = elementwise.minimum((1.0 - epsilon) * elementwise.rsqrt(squares), 1.0)
    return elementwise.multiply(value, by, name=name)
