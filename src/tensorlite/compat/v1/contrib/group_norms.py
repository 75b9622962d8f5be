"""instance_norm and group_norm of tf.contrib.layers; batches are normalizing.py's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import channels_of, finished
from tensorlite.compat.v1.functions import arrays as v1_arrays, init_ops, nn_functions
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.errors import InvalidArgumentError


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Return inputs whose channels are normalised in each example by itself."""
    x = framework.convert_to_tensor(inputs)
    sizes = _sizes(x)
    axis = 1 if channels_of(data_format) == "channels_first" else len(sizes) - 1
    if sizes[axis] is None:
        raise InvalidArgumentError(
            f"Inputs {x.name} has undefined channels dimension {x.get_shape()}."
        )
    with scopes.variable_scope(scope, "InstanceNorm", reuse=reuse) as sc:
        is_last = axis == len(sizes) - 1
        shape = [sizes[axis] if i == axis else 1 for i in range(len(sizes))]
        beta, gamma = _learnt(
            (center, scale),
            *(sizes[axis], x.dtype, param_initializers or {}),
            *(variables_collections, trainable),
        )
        over = [i for i in range(1, len(sizes)) if i != axis]
        spread = None if is_last else shape
        outputs = _normed(x, over, (beta, gamma), spread, epsilon, "instancenorm")
        outputs.set_shape(x.get_shape())
        outputs = finished(outputs, None, None, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Return inputs normalised over groups of channels; moments are computed in one way only."""
    x = framework.convert_to_tensor(inputs)
    sizes = _sizes(x)
    axis = _channels(x, sizes, channels_axis)
    over = [_reduced(x, sizes, given) for given in reduction_axes]
    if axis in over:
        raise InvalidArgumentError(
            "reduction_axis must be mutually exclusive with channels_axis"
        )
    _check_groups(groups, sizes[axis])
    each = sizes[axis] // groups
    dynamic = v1_arrays.shape(x)
    whole = [dynamic[i] if size is None else size for i, size in enumerate(sizes)]
    apart = arrays.reshape(x, [*whole[:axis], groups, each, *whole[axis + 1 :]])
    with scopes.variable_scope(scope, "GroupNorm", reuse=reuse) as sc:
        beta, gamma = _learnt(
            (center, scale),
            *(sizes[axis], x.dtype, param_initializers or {}),
            *(variables_collections, trainable),
        )
        shape = [1] * (len(sizes) + 1)
        shape[axis : axis + 2] = [groups, each]
        inner = [i + (i > axis) for i in over]
        over = [*inner, axis + 1]
        outputs = _by_groups(apart, over, (beta, gamma), shape, epsilon)
        outputs = arrays.reshape(outputs, whole)
        outputs.set_shape(x.get_shape())
        outputs = finished(outputs, None, None, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _sizes(x: Any) -> list[Any]:
    if x.get_shape().rank is None:
        raise InvalidArgumentError(f"Inputs {x.name} has undefined rank.")
    sizes: list[Any] = x.get_shape().as_list()
    return sizes


def _channels(x: Any, sizes: list[Any], given: int) -> int:
    """Return the axis of channels, of which there is a known number."""
    axis = _inside(sizes, given)
    if sizes[axis] is None:
        raise InvalidArgumentError(
            f"Inputs {x.name} has undefined channel dimension: {axis}."
        )
    return axis


def _check_groups(groups: int, channels: int) -> None:
    if groups > channels:
        raise InvalidArgumentError(
            f"Invalid groups {groups} for {channels} channels."
        )
    if channels % groups:
        raise InvalidArgumentError(
            f"{channels} channels is not commensurate with {groups} groups."
        )


def _reduced(x: Any, sizes: list[Any], given: int) -> int:
    axis = _inside(sizes, given)
    if sizes[axis] is None:
        raise InvalidArgumentError(
            f"Inputs {x.name} has undefined dimensions {axis}."
        )
    return axis


def _inside(sizes: list[Any], axis: int) -> int:
    if not -len(sizes) <= axis < len(sizes):
        raise InvalidArgumentError("Axis is out of bounds.")
    return axis % len(sizes)


def _learnt(
    wanted: tuple[bool, bool],
    size: int,
    dtype: Any,
    first: dict[str, Any],
    collections: Any,
    trainable: bool,
) -> list[Any]:
    """Return what is added and what is multiplied by, None for what is not wanted."""
    begun = {"beta": init_ops.Zeros(), "gamma": init_ops.Ones(), **first}
    return [
        model_variable(
            name,
            [size],
            dtype,
            begun[name],
            trainable=trainable,
            collections=get_variable_collections(collections, name),
        )
        if is_wanted
        else None
        for name, is_wanted in zip(("beta", "gamma"), wanted, strict=True)
    ]


def _by_groups(
    x: Any, over: list[int], learnt: tuple[Any, Any], shape: list[int], epsilon: float
) -> Any:
    beta, gamma = (None if y is None else arrays.reshape(y, shape) for y in learnt)
    mean, variance = nn_functions.moments(x, over, keep_dims=True)
    gain = elementwise.rsqrt(variance + epsilon)
    offset = -mean * gain
    if gamma is not None:
        gain, offset = gain * gamma, offset * gamma
    return x * gain + (offset if beta is None else offset + beta)


def _normed(
    x: Any,
    over: list[int],
    learnt: tuple[Any, Any],
    shape: list[int] | None,
    epsilon: float,
    name: str,
) -> Any:
    """Return a tensor normalised over axes; what is learnt is given a shape, if there is one."""
    beta, gamma = (
        y if y is None or shape is None else arrays.reshape(y, shape) for y in learnt
    )
    mean, variance = nn_functions.moments(x, over, keep_dims=True)
    return shared_nn.batch_normalization(
        x, mean, variance, beta, gamma, epsilon, name=name
    )
