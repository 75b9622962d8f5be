"""Convolution by one kernel in every plane of images, as tf.contrib.layers has it."""

from __future__ import annotations

from functools import partial
from typing import Any

from tensorlite.compat.shared import cutting, nn as shared_nn
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
    last_dimension,
    two_element_tuple,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import XAVIER, ZEROS
from tensorlite.compat.v1.functions import channelwise
from tensorlite.compat.v1.graphs import scopes


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

        made = partial(
            model_variable, dtype=inputs.dtype.base_dtype, trainable=trainable
        )
        collected = partial(get_variable_collections, variables_collections)
        weights = made(
            "weights",
            shape=[*two_element_tuple(kernel_size), 1, 1],
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            collections=collected("weights"),
        )
        every = cutting.tile(weights, [1, 1, channels, 1])
        steps = [1, *two_element_tuple(stride), 1]
        outputs = channelwise.depthwise_conv2d(inputs, every, steps, padding)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = made(
                "biases",
                shape=[channels],
                initializer=biases_initializer,
                regularizer=biases_regularizer,
                collections=collected("biases"),
            )
            outputs = shared_nn.bias_add(outputs, biases)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


conv2d_in_plane = convolution2d_in_plane
