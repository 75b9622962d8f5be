"""Layers of tf.contrib.layers that few programs use: in planes, older ones, images as sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorlite.compat.shared import arrays, cutting, nn as shared_nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.python import custom_gradient
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
    last_dimension,
    two_element_tuple,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import XAVIER, ZEROS, channels_of
from tensorlite.compat.v1.functions import arrays as v1_arrays, channelwise
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.graph_mode.keys import GraphKeys


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = shared_nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return images whose channels are each convolved by one and the same kernel.

    The variables are "weights", [height, width, 1, 1], and "biases"; normalizer_fn is called with
    normalizer_params in the place of adding biases.
    """
    with scopes.variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        channels = last_dimension(inputs.get_shape(), min_rank=4)

        def made(name: str, shape: Any, first: Any, regularizer: Any) -> Any:
            return model_variable(
                name,
                shape=shape,
                dtype=inputs.dtype.base_dtype,
                initializer=first,
                regularizer=regularizer,
                collections=get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        sizes = [*two_element_tuple(kernel_size), 1, 1]
        weights = made("weights", sizes, weights_initializer, weights_regularizer)
        every = cutting.tile(weights, [1, 1, channels, 1])
        steps = [1, *two_element_tuple(stride), 1]
        outputs = channelwise.depthwise_conv2d(inputs, every, steps, padding)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = made(
                "biases", [channels], biases_initializer, biases_regularizer
            )
            outputs = shared_nn.bias_add(outputs, biases)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Callable[[Any], Any] | None = None,
    weight_init: Any = XAVIER,
    bias_init: Any = ZEROS,
    name: str | None = None,
    weight_collections: Sequence[str] | None = (GraphKeys.WEIGHTS,),
    bias_collections: Sequence[str] | None = (GraphKeys.BIASES,),
    output_collections: Sequence[str] | None = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """Return activation_fn(x @ weights + bias), over the last axis of x.

    It has no bias if bias_init is None. Variables and the result are added to the collections.
    """
    with scopes.variable_scope(name, "fully_connected", [x]):
        x = framework.convert_to_tensor(x)
        units = last_dimension(x.get_shape(), min_rank=2)

        def made(short: str, shape: Any, first: Any, kinds: Any, rule: Any) -> Any:
            return scopes.get_variable(
                short,
                shape,
                x.dtype.base_dtype,
                first,
                rule,
                trainable,
                {*(kinds or ()), GraphKeys.GLOBAL_VARIABLES},
            )

        shape = [units, num_output_units]
        weights = made(
            "weights", shape, weight_init, weight_collections, weight_regularizer
        )
        is_flat = x.get_shape().ndims == 2
        rows = x if is_flat else arrays.reshape(x, [-1, units])
        y = matrices.matmul(rows, weights)
        if bias_init is not None:
            shape = [num_output_units]
            bias = made("bias", shape, bias_init, bias_collections, bias_regularizer)
            y = shared_nn.bias_add(y, bias)
        if not is_flat:
            *outer, _ = arrays.unstack(v1_arrays.shape(x))
            y = arrays.reshape(y, arrays.stack([*outer, num_output_units]))
            y.set_shape([*x.get_shape().as_list()[:-1], num_output_units])
        y = y if activation_fn is None else activation_fn(y)
        names = [*(output_collections or ()), GraphKeys.ACTIVATIONS]
        scopes.add_to_collections(names, y)
        return y


legacy_linear = partial(legacy_fully_connected, activation_fn=None)
legacy_relu = partial(legacy_fully_connected, activation_fn=shared_nn.relu)


@add_arg_scope
def images_to_sequence(
    inputs: Any,
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Return the columns of images as steps: [width, images * height, channels]."""
    channels = channels_of(data_format)
    with framework.name_scope(scope, "ImagesToSequence") as prefix:
        x = framework.convert_to_tensor(inputs)
        if channels == "channels_first":
            x = arrays.transpose(x, [0, 2, 3, 1])
        *_, width, depth = x.get_shape().as_list()
        sizes = v1_arrays.shape(x)
        columns = arrays.transpose(x, [2, 0, 1, 3])
        outputs = arrays.reshape(columns, [width, sizes[0] * sizes[1], depth])
        return collect_named_outputs(outputs_collections, prefix, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Return steps, [width, images * height, channels], as images of that height."""
    with framework.name_scope(scope, "SequenceToImages") as prefix:
        x = framework.convert_to_tensor(inputs)
        width, rows, depth = x.get_shape().as_list()
        count = -1 if rows is None else rows // height
        columns = arrays.reshape(x, [width, count, height, depth])
        is_first = output_data_format == "channels_first"
        outputs = arrays.transpose(
            columns, [1, 3, 2, 0] if is_first else [1, 2, 0, 3]
        )
        return collect_named_outputs(outputs_collections, prefix, outputs)


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """Return a tensor as it is; what flows back through it is times gradient_multiplier."""
    return _scaled(*map(framework.convert_to_tensor, (inputs, gradient_multiplier)))


@custom_gradient
def _scaled(x: Any, multiplier: Any) -> Any:
    return arrays.identity(x), lambda dy: (dy * multiplier, None)
