"""Layers of tf.contrib.layers that have weights, and what they have in common.

They are the layers of tf.layers under other names of variables: `weights` and `biases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import nn as shared_nn
from tensorlite.compat.v1 import layers
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
)
from tensorlite.compat.v1.contrib.regularizers import xavier_initializer
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.functions import channelwise
from tensorlite.compat.v1.functions.init_ops import Zeros
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.variable_stores import VariableScope

XAVIER, ZEROS = xavier_initializer(), Zeros()
_NAMES = {
    "kernel": "weights",
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}


def model_getter(getter: Callable[..., Any], name: str, **asked: Any) -> Any:
    """Return a variable of a layer, under the name that it has here, as one of the model."""
    prefix, _, short = name.rpartition("/")
    renamed = _NAMES.get(short, short)
    wanted = ("shape", "dtype", "initializer", "regularizer", "collections")
    given = {key: asked[key] for key in wanted if key in asked}
    return model_variable(
        f"{prefix}/{renamed}" if prefix else renamed,
        **given,
        trainable=asked.get("trainable") is not False,
        partitioner=asked.get("partitioner"),
        custom_getter=getter,
    )


@contextmanager
def layer_scope(
    scope: Any, default: str, reuse: Any = None
) -> Iterator[VariableScope]:
    """Open a layer's variable scope, whose variables the model keeps."""
    with scopes.variable_scope(
        scope, default, reuse=reuse, custom_getter=model_getter
    ) as opened:
        yield opened


def add_to_own(variable: Any, variables_collections: Any, name: str) -> None:
    """Add a variable to the collections that are given for its kind."""
    found = get_variable_collections(variables_collections, name)
    for collection in [found] if isinstance(found, str) else found or ():
        for part in getattr(variable, "parts", [variable]):
            if not any(x is part for x in scopes.get_collection(collection)):
                scopes.add_to_collection(collection, part)


def finished(
    outputs: Any,
    normalizer_fn: Any,
    normalizer_params: Any,
    activation_fn: Any,
) -> Any:
    """Return outputs behind the functions that are called last."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)


def _applied(
    kind: Any,
    sc: VariableScope,
    inputs: Any,
    arguments: dict[str, Any],
    collections: Any,
    reuse: Any,
) -> Any:
    """Return what a new layer of an open scope makes of inputs."""
    layer = kind(
        **arguments,
        name=sc.name,
        dtype=inputs.dtype,
        _scope=sc,
        _reuse=reuse,
    )
    outputs = layer.apply(inputs)
    for name in ("kernel", "depthwise_kernel", "pointwise_kernel"):
        if getattr(layer, name, None) is not None:
            add_to_own(getattr(layer, name), collections, "weights")
    if layer.bias is not None:
        add_to_own(layer.bias, collections, "biases")
    return outputs


def _parts(
    weights: tuple[Any, Any],
    biases: tuple[Any, Any],
    normalizer_fn: Any,
    trainable: bool,
) -> dict[str, Any]:
    """Return arguments of layers of tf.layers: how kernel and bias begin and are regularised."""
    return {
        "use_bias": normalizer_fn is None and biases[0] is not None,
        "kernel_initializer": weights[0],
        "kernel_regularizer": weights[1],
        "bias_initializer": biases[0],
        "bias_regularizer": biases[1],
        "trainable": trainable,
    }


def channels_of(
    data_format: str | None, known: tuple[str, ...] = ("NCHW", "NHWC")
) -> str:
    """Return where an order of axes has the channels, as Keras says it."""
    every = ("NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")
    if data_format is not None and data_format not in every:
        raise InvalidArgumentError(
            f"Invalid data_format: {data_format!r}; data_format has to be either "
            f"{' or '.join(known)}."
        )
    first = data_format is not None and data_format.startswith("NC")
    return "channels_first" if first else "channels_last"


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: Any,
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
    """Return activation_fn(inputs times weights plus biases): [..., num_outputs].

    With a normalizer_fn there are no biases; it is called before activation_fn (relu unless given).
    The variables are "weights" and "biases". Units that are no integer raise InvalidArgumentError.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.fully_connected(tf.zeros([2, 3]), 4).get_shape().as_list()
    [2, 4]
    """
    count = getattr(num_outputs, "value", num_outputs)
    if not hasattr(count, "__index__"):
        raise InvalidArgumentError(
            f"num_outputs type should be an int, got {type(num_outputs)}."
        )
    with layer_scope(scope, "fully_connected", reuse) as sc:
        weights = weights_initializer, weights_regularizer
        biases = biases_initializer, biases_regularizer
        given = {
            "units": count,
            **_parts(weights, biases, normalizer_fn, trainable),
        }
        x = framework.convert_to_tensor(inputs)
        outputs = _applied(layers.Dense, sc, x, given, variables_collections, reuse)
        outputs = finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


_CONVOLUTIONS = {3: layers.Conv1D, 4: layers.Conv2D, 5: layers.Conv3D}


def _convolution_of(rank: int | None, count: int | None) -> Any:
    """Return the layer for inputs of a rank; InvalidArgumentError for one that does not fit."""
    if rank not in _CONVOLUTIONS or (count is not None and rank != count + 2):
        raise InvalidArgumentError(
            f"Convolution expects input with rank "
            f"{'3, 4 or 5' if count is None else count + 2}, got {rank}"
        )
    return _CONVOLUTIONS[rank]


def _convolution(count: int | None) -> Callable[..., Any]:
    """Return the convolution over so many axes, or as many as its inputs have."""

    @add_arg_scope
    def convolution(
        inputs: Any,
        num_outputs: Any,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str | None = None,
        rate: Any = 1,
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
        with layer_scope(scope, "Conv", reuse) as sc:
            x = framework.convert_to_tensor(inputs)
            kind = _convolution_of(x.get_shape().rank, count)
            weights = weights_initializer, weights_regularizer
            biases = biases_initializer, biases_regularizer
            given = {
                "filters": num_outputs,
                "kernel_size": kernel_size,
                "strides": stride,
                "padding": padding,
                "data_format": channels_of(data_format),
                "dilation_rate": rate,
                **_parts(weights, biases, normalizer_fn, trainable),
            }
            made = _applied(kind, sc, x, given, variables_collections, reuse)
            made = finished(made, normalizer_fn, normalizer_params, activation_fn)
            return collect_named_outputs(outputs_collections, sc.name, made)

    name = "convolution" if count is None else f"convolution{count}d"
    over = "their axes of space" if count is None else f"{count} axes of space"
    help_text = f"""Return activation_fn(inputs convolved over {over}, plus biases).

    With a normalizer_fn there are no biases; it is called before activation_fn (relu unless
    given). The variables are weights and biases; rate sets the kernel's elements apart.
    """
    return explained(convolution, name, help_text)


convolution = _convolution(None)
convolution1d = conv1d = _convolution(1)
convolution2d = conv2d = _convolution(2)
convolution3d = conv3d = _convolution(3)


def _transposed(kind: Any, default: str, form: str) -> Callable[..., Any]:
    @add_arg_scope
    def convolution(
        inputs: Any,
        num_outputs: Any,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str = form,
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
        with layer_scope(scope, default, reuse) as sc:
            weights = weights_initializer, weights_regularizer
            biases = biases_initializer, biases_regularizer
            given = {
                "filters": num_outputs,
                "kernel_size": kernel_size,
                "strides": stride,
                "padding": padding,
                "data_format": channels_of(data_format),
                **_parts(weights, biases, normalizer_fn, trainable),
            }
            x = framework.convert_to_tensor(inputs)
            made = _applied(kind, sc, x, given, variables_collections, reuse)
            made = finished(made, normalizer_fn, normalizer_params, activation_fn)
            return collect_named_outputs(outputs_collections, sc.name, made)

    name = f"convolution{2 if form == 'NHWC' else 3}d_transpose"
    help_text = """Return activation_fn(the reverse of a convolution, plus biases): strides enlarge.

    With a normalizer_fn there are no biases; it is called before activation_fn (relu unless
    given). The variables are weights and biases.
    """
    return explained(convolution, name, help_text)


convolution2d_transpose = conv2d_transpose = _transposed(
    layers.Conv2DTranspose, "Conv2d_transpose", "NHWC"
)
convolution3d_transpose = conv3d_transpose = _transposed(
    layers.Conv3DTranspose, "Conv3d_transpose", "NDHWC"
)


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: Any,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = shared_nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return inputs convolved in each channel, then across channels by 1 x 1 kernels.

    With num_outputs None only the first step is taken: depth_multiplier outputs for each channel. A
    normalizer_fn takes the place of biases; activation_fn is relu unless given.
    """
    with layer_scope(scope, "SeparableConv2d", reuse) as sc:
        x = framework.convert_to_tensor(inputs)
        form = kernel_size, depth_multiplier, stride, padding, data_format, rate
        weights = weights_initializer, weights_regularizer
        biased = normalizer_fn is None and biases_initializer is not None
        biases = (biases_initializer, biases_regularizer) if biased else None
        if num_outputs is None:
            outputs = _depthwise(
                x, form, weights, biases, variables_collections, trainable
            )
        else:
            given = {
                "filters": num_outputs,
                **_separable(form, weights, pointwise_initializer, biases),
                "trainable": trainable,
            }
            kind = layers.SeparableConv2D
            outputs = _applied(kind, sc, x, given, variables_collections, reuse)
        outputs = finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _separable(
    form: tuple[Any, ...],
    weights: tuple[Any, Any],
    pointwise_initializer: Any,
    biases: tuple[Any, Any] | None,
) -> dict[str, Any]:
    """Return arguments of the layer of tf.layers that convolves channels apart."""
    kernel_size, multiplier, stride, padding, data_format, rate = form
    bias_initializer, bias_regularizer = biases or (None, None)
    return {
        "kernel_size": kernel_size,
        "strides": stride,
        "padding": padding,
        "data_format": channels_of(data_format),
        "dilation_rate": rate,
        "depth_multiplier": multiplier,
        "use_bias": biases is not None,
        "depthwise_initializer": weights[0],
        "pointwise_initializer": pointwise_initializer or weights[0],
        "bias_initializer": bias_initializer,
        "depthwise_regularizer": weights[1],
        "pointwise_regularizer": weights[1],
        "bias_regularizer": bias_regularizer,
    }


def _depthwise(
    x: Any,
    form: tuple[Any, ...],
    weights: tuple[Any, Any],
    biases: tuple[Any, Any] | None,
    collections: Any,
    trainable: bool,
) -> Any:
    """Return a convolution of each channel alone."""
    kernel_size, multiplier, stride, padding, data_format, rate = form
    first = channels_of(data_format) == "channels_first"
    channels = x.get_shape().as_list()[1 if first else 3]
    kernel = model_variable(
        "depthwise_weights",
        [*_pair(kernel_size), channels, multiplier],
        x.dtype,
        *weights,
        trainable,
        get_variable_collections(collections, "weights"),
    )
    steps = [1, 1, *_pair(stride)] if first else [1, *_pair(stride), 1]
    outputs = channelwise.depthwise_conv2d(
        x, kernel, steps, padding, list(_pair(rate)), data_format=data_format
    )
    if biases is None:
        return outputs
    added = model_variable(
        "biases",
        [channels * multiplier],
        x.dtype,
        *biases,
        trainable,
        get_variable_collections(collections, "biases"),
    )
    return shared_nn.bias_add(outputs, added, data_format=data_format)


def _pair(value: Any) -> tuple[int, int]:
    first, second = value if isinstance(value, (list, tuple)) else (value, value)
    return int(first), int(second)


separable_conv2d = separable_convolution2d
relu = partial(fully_connected, activation_fn=shared_nn.relu)
relu6 = partial(fully_connected, activation_fn=shared_nn.relu6)
elu = partial(fully_connected, activation_fn=shared_nn.elu)
linear = partial(fully_connected, activation_fn=None)
