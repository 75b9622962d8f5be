"""batch_norm and layer_norm of tf.contrib.layers, and other norms."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, nn as shared_nn
from tensorlite.compat.v1 import layers
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.batch_norms import Asked, FusedNorm, Norm
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import (
    add_to_own,
    channels_of,
    finished,
    layer_scope,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    init_ops,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.dtypes import float16, int32
from tensorlite.core.errors import InvalidArgumentError
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
    """Return inputs with mean 0 and variance 1 over the batch, then moved by beta and gamma.

    Variables beta, gamma (if scale), moving_mean and moving_variance; updates of the moving ones go
    to updates_collections, or happen at once if that is None. is_training may be a tensor. Ioffe
    and Szegedy 2015.
    """
    x = framework.convert_to_tensor(inputs)
    rank = _known_rank(x)
    _check_channels(x, data_format)
    first = {**_FIRST, **(param_initializers or {})}
    into = variables_collections
    asked = Asked(decay, epsilon, center, scale, first, data_format, into, trainable)
    corrections = _corrections(renorm, renorm_clipping, renorm_decay, adjustment)
    able = fused is not False and batch_weights is None and rank in (2, 4)
    able = able and not corrections
    own_way = updates_collections != GraphKeys.UPDATE_OPS or zero_debias_moving_mean
    own_way = own_way or (able and rank == 2) or batch_weights is not None
    if own_way:
        _check_none(corrections)
        with scopes.variable_scope(scope, "BatchNorm", reuse=reuse) as sc:
            norm = (FusedNorm if able else Norm)(x, asked, zero_debias_moving_mean)
            made = norm.normalized(is_training, updates_collections, batch_weights)
            made = finished(made, None, None, activation_fn)
            return collect_named_outputs(outputs_collections, sc.name, made)
    with layer_scope(scope, "BatchNorm", reuse) as sc:
        given = param_regularizers or {}
        layer = _layer(sc, asked, given, reuse, fused, **corrections)
        made = layer.apply(x, training=is_training)
        _add_to_own(layer, into)
        made = finished(made, None, None, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, made)


def _corrections(
    renorm: bool, clipping: Any, momentum: Any, adjustment: Any
) -> dict[str, Any]:
    """Return what a layer is asked for to correct batches, if anything."""
    if not renorm and adjustment is None:
        return {}
    return {
        "renorm": renorm,
        "renorm_clipping": clipping,
        "renorm_momentum": momentum,
        "adjustment": adjustment,
    }


def _check_none(corrections: dict[str, Any]) -> None:
    if corrections:
        raise InvalidArgumentError(
            "renorm and adjustment are not supported with batch_weights, updates_collections or "
            "zero_debias_moving_mean"
        )


def _known_rank(x: Any) -> int:
    rank: int | None = x.get_shape().rank
    if rank is None:
        raise InvalidArgumentError(f"Inputs {x!r} has undefined rank.")
    return rank


def _check_channels(x: Any, data_format: str) -> None:
    """Raise InvalidArgumentError for inputs whose number of channels is not known."""
    last = channels_of(data_format) == "channels_last"
    if x.get_shape().as_list()[-1 if last else 1] is None:
        raise InvalidArgumentError(
            f"Inputs {x!r} has undefined channels dimension: {x.get_shape()}."
        )


def _add_to_own(layer: Any, collections: Any) -> None:
    """Add a layer's variables to the collections that are given for them."""
    for name in ("moving_mean", "moving_variance", "beta", "gamma"):
        if getattr(layer, name) is not None:
            add_to_own(getattr(layer, name), collections, name)


def _layer(
    sc: Any, asked: Asked, regularizers: Any, reuse: Any, fused: Any, **more: Any
) -> Any:
    """Return the layer of tf.layers that normalizes batches."""
    firsts = {f"{name}_initializer": value for name, value in asked.first.items()}
    return layers.BatchNormalization(
        asked.axis(-1),
        asked.decay,
        asked.epsilon,
        asked.center,
        asked.scale,
        beta_regularizer=regularizers.get("beta"),
        gamma_regularizer=regularizers.get("gamma"),
        fused=fused,
        trainable=asked.trainable,
        name=sc.name,
        _scope=sc,
        _reuse=reuse,
        **firsts,
        **more,
    )


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
    """Return inputs with mean 0 and variance 1 over each example's axes from begin_norm_axis.

    Variables beta and gamma have the sizes of the axes from begin_params_axis. Ba et al. 2016.
    """
    with scopes.variable_scope(scope, "LayerNorm", reuse=reuse) as sc:
        x = framework.convert_to_tensor(inputs)
        axes, sizes = _normed(x, begin_norm_axis, begin_params_axis)

        def own(name: str) -> Any:
            into = get_variable_collections(variables_collections, name)
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
        mean, variance = nn_functions.moments(x, axes, keep_dims=True)
        least = 1e-3 if x.dtype is float16 else 1e-12
        outputs = shared_nn.batch_normalization(
            x, mean, variance, beta, gamma, least, name="batchnorm"
        )
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(x.get_shape())
        outputs = finished(outputs, None, None, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _normed(x: Any, begun: int, of_parameters: int) -> tuple[list[int], list[int]]:
    """Return the axes that a layer norm is over, and the sizes of its parameters."""
    rank = _known_rank(x)
    first = begun + rank if begun < 0 else begun
    if of_parameters >= rank or first >= rank:
        raise InvalidArgumentError(
            f"begin_params_axis ({of_parameters}) and begin_norm_axis ({first}) must be < "
            f"rank(inputs) ({rank})"
        )
    sizes = x.get_shape().as_list()[of_parameters:]
    if None in sizes:
        raise InvalidArgumentError(
            f"Inputs {x!r}: shape(inputs)[{of_parameters}:] is not fully defined: "
            f"{x.get_shape()}"
        )
    return list(range(first, rank)), sizes


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Return inputs over the root of epsilon and their squares' sums along dim.

    An unknown rank, or a dim that is negative or too large, raises InvalidArgumentError.
    """
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
        lengths = elementwise.sqrt(epsilon + squares)
        sizes = v1_arrays.shape(inputs)
        times = [v1_arrays.strided_slice(sizes, [dim], [dim + 1])]
        if dim > 0:
            times.insert(0, arrays.ones([dim], int32))
        if dim < rank - 1:
            times.append(arrays.ones([rank - 1 - dim], int32))
        whole = cutting.tile(lengths, arrays.concat(times, 0))
        return elementwise.div(inputs, whole)


def poincare_normalize(
    x: Any, axis: Any = 1, epsilon: float = 1e-5, name: str | None = None
) -> Any:
    """Return x shortened along an axis to a length of at most 1 - epsilon.

    Nickel and Kiela 2017.
    """
    value = framework.convert_to_tensor(x)
    squares = numbers.reduce_sum(elementwise.square(value), axis=axis, keepdims=True)
    by = elementwise.minimum((1.0 - epsilon) * elementwise.rsqrt(squares), 1.0)
    return elementwise.multiply(value, by, name=name)
