"""Layers of tf.contrib.layers without weights, and those that repeat others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import (
    arrays,
    elementwise,
    grids,
    nn as shared_nn,
    picking,
)
from tensorlite.compat.shared.ragged_and_sparse import sparse_arranged
from tensorlite.compat.v1 import layers
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    get_variable_collections,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import (
    ZEROS,
    channels_of,
    layer_scope,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    convolutions,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.functions.init_ops import Constant, Ones
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.dtypes import float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape
from tensorlite.graph_mode.graph import active_graph, name_scope


def _pooling(kind: Any, default: str, form: str) -> Callable[..., Any]:
    """Return the function that pools as a layer does, without one."""
    known = (form.replace("C", "").replace("N", "NC"), form)

    @add_arg_scope
    def pooled(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = form,
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
        with name_scope(scope, default) as prefix:
            axes = channels_of(data_format, known)
            layer = kind(kernel_size, stride, padding, axes, _scope=prefix)
            outputs = layer.apply(framework.convert_to_tensor(inputs))
            return collect_named_outputs(outputs_collections, prefix, outputs)

    help_text = f"""Return {kind.__doc__[0].lower()}{kind.__doc__[1:]}

    Windows are kernel_size large and stride apart. data_format "{form}" may be "{known[0]}".
    """
    return explained(pooled, default.lower().replace("pool", "_pool"), help_text)


max_pool2d = _pooling(layers.MaxPooling2D, "MaxPool2D", "NHWC")
avg_pool2d = _pooling(layers.AveragePooling2D, "AvgPool2D", "NHWC")
max_pool3d = _pooling(layers.MaxPooling3D, "MaxPool3D", "NDHWC")
avg_pool3d = _pooling(layers.AveragePooling3D, "AvgPool3D", "NDHWC")


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Return inputs pooled in windows, by "MAX" or "AVG"; they have at least 3 axes.

    data_format says where the channels are ("NHWC" and its kin last, "NCHW" first).
    """
    x = framework.convert_to_tensor(inputs)
    count = (x.get_shape().rank or 2) - 2
    if count < 1:
        raise InvalidArgumentError(
            f"pool: the inputs have at least 3 axes, not {x.get_shape()}"
        )
    sizes = [_each(y, count) for y in (kernel_size, dilation_rate, stride)]
    with name_scope(scope, f"{pooling_type.lower()}_pool") as prefix:
        outputs = convolutions.pool(
            x,
            sizes[0],
            pooling_type,
            padding,
            sizes[1],
            sizes[2],
            prefix,
            data_format,
        )
        return collect_named_outputs(outputs_collections, prefix, outputs)


def _each(value: Any, count: int) -> list[int]:
    several = isinstance(value, (Sequence, AnyShape))
    given = list(value) if several else [value] * count
    return [int(x) for x in given]


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Return inputs as [batch, all other elements]."""
    with name_scope(scope, "Flatten") as prefix:
        outputs = layers.flatten(framework.convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, prefix, outputs)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Return inputs with a share 1 - keep_prob set to 0 and the rest over keep_prob.

    So only where is_training, which may be a tensor; else as they are.
    """
    with layer_scope(scope, "Dropout") as sc:
        layer = layers.Dropout(
            1 - keep_prob, noise_shape, seed, name=sc.name, _scope=sc
        )
        x = framework.convert_to_tensor(inputs)
        outputs = layer.apply(x, training=is_training)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Return inputs with a variable "biases", of a size for each channel, added."""
    with scopes.variable_scope(scope, "BiasAdd", reuse=reuse) as sc:
        x = framework.convert_to_tensor(inputs)
        sizes = x.get_shape().as_list()
        channels = sizes[1 if channels_of(data_format) == "channels_first" else -1]
        biases = model_variable(
            "biases",
            [channels],
            x.dtype,
            initializer,
            regularizer,
            trainable,
            get_variable_collections(variables_collections, "biases"),
        )
        outputs = shared_nn.bias_add(x, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Return on_value at each label's number and off_value elsewhere: [..., num_classes]."""
    with name_scope(scope, "OneHotEncoding") as prefix:
        classes = framework.convert_to_tensor(labels)
        if classes.dtype is int32:
            classes = elementwise.cast(classes, int64, name="ToInt64")
        outputs = picking.one_hot(
            classes, num_classes, on_value=on_value, off_value=off_value
        )
        return collect_named_outputs(outputs_collections, prefix, outputs)


@add_arg_scope
def dense_to_sparse(
    tensor: Any,
    eos_token: Any = 0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Return a SparseTensor of the elements that are not eos_token."""
    with scopes.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        x = framework.convert_to_tensor(tensor)
        made = sparse_arranged.without(x, eos_token)
        return collect_named_outputs(outputs_collections, sc.name, made)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """Return softmax along the last axis, of inputs of any rank.

    A last axis of unknown size raises InvalidArgumentError.
    """
    with scopes.variable_scope(scope, "softmax"):
        x = framework.convert_to_tensor(logits)
        if x.get_shape().rank and x.get_shape().as_list()[-1] is None:
            raise InvalidArgumentError(
                f"softmax: the last axis of {x.get_shape()} is undefined"
            )
        sizes = x.get_shape()
        if not sizes.rank:
            return nn_functions.softmax(x)
        rows = arrays.reshape(x, [-1, sizes.as_list()[-1]])
        made = arrays.reshape(nn_functions.softmax(rows), v1_arrays.shape(x))
        if active_graph() is not None:
            made.set_shape(sizes)
        return made


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """Return the largest of each group of features: num_units are left along the axis.

    A number of features that num_units does not divide raises InvalidArgumentError.
    """
    with scopes.variable_scope(scope, "MaxOut"):
        x = framework.convert_to_tensor(inputs)
        sizes: list[Any] = x.get_shape().as_list()
        if sizes[axis] % num_units:
            raise InvalidArgumentError(
                f"number of features({sizes[axis]}) is not a multiple of num_units({num_units})"
            )
        each = sizes[axis] // num_units
        sizes[axis] = num_units
        whole = [
            v1_arrays.shape(x)[i] if size is None else size
            for i, size in enumerate(sizes)
        ]
        return numbers.reduce_max(arrays.reshape(x, [*whole, each]), -1)


@add_arg_scope
def spatial_softmax(
    features: Any,
    temperature: float | None = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Any:
    """Return where on average each channel's softmax over the image lies, x before y."""
    with scopes.variable_scope(name, "spatial_softmax"):
        is_first = channels_of(data_format) == "channels_first"
        sizes = v1_arrays.shape(features)
        height, width = [sizes[i] for i in ((2, 3) if is_first else (1, 2))]
        channels = features.get_shape().as_list()[1 if is_first else 3]
        if channels is None:
            raise InvalidArgumentError(
                f"spatial_softmax: the number of channels of {features.get_shape()} is known"
            )
        into = get_variable_collections(variables_collections, "temperature")

        def heated() -> Any:
            return model_variable(
                "temperature",
                [],
                float32,
                Ones() if temperature is None else Constant(temperature),
                trainable=trainable,
                collections=into if trainable else None,
            )

        with name_scope("spatial_softmax_op"):
            return _mean_places(features, is_first, heated, (channels, height, width))


def _mean_places(x: Any, is_first: bool, heated: Any, sizes: Any) -> Any:
    """Return the means of rows and of columns, by a softmax over each channel."""
    channels, height, width = sizes
    rows, columns = grids.meshgrid(
        arrays.linspace(-1.0, 1.0, height),
        arrays.linspace(-1.0, 1.0, width),
        indexing="ij",
    )
    places = [arrays.reshape(place, [height * width]) for place in (rows, columns)]
    heat = heated()
    x = x if is_first else arrays.transpose(x, [0, 3, 1, 2])
    flat = arrays.reshape(x, [-1, height * width])
    where = nn_functions.softmax(flat / heat)
    ends = [
        numbers.reduce_sum(place * where, axis=[1], keepdims=True) for place in places
    ]
    found = arrays.reshape(arrays.concat(ends, 1), [-1, channels * 2])
    found.set_shape([None, channels * 2])
    return found


def _layer_name(layer: Any, default: str) -> str:
    inner = getattr(layer, "func", layer)
    return str(getattr(layer, "__name__", getattr(inner, "__name__", default)))


def repeat(
    inputs: Any, repetitions: int, layer: Any, *args: Any, **kwargs: Any
) -> Any:
    """Return the outputs of a layer applied so many times, each with its own variables."""
    scope = kwargs.pop("scope", None)
    with scopes.variable_scope(scope, "Repeat"):
        outputs = framework.convert_to_tensor(inputs)
        name = _layer_name(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs


def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    """Return the outputs of one layer applied once for each of stack_args, one after another.

    Each of them is a first argument, or a list of arguments. Others than lists raise
    InvalidArgumentError.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise InvalidArgumentError("stack_args need to be a list or tuple")
    with scopes.variable_scope(scope, "Stack"):
        outputs = framework.convert_to_tensor(inputs)
        name = _layer_name(layer, "stack") if scope is None else scope
        for i, given in enumerate(stack_args):
            own = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *own, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs
