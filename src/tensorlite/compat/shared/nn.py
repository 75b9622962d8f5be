"""Functions of neural networks that TensorFlow 1 and 2 have by the same arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.calling import agreeing, converted, named, own_or
from tensorlite.compat.shared import elementwise, reductions
from tensorlite.compat.shared.picking import top_k as top_k
from tensorlite.compat.views import shown
from tensorlite.core.check import integers_of
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops import (
    activations,
    channels,
    conv_forms,
    ctc,
    losses,
    normalise,
    pool as pools,
    pool_argmax,
    search,
    trigonometric,
    volume_pool,
    volumes,
)
from tensorlite.ops.arrange import shape
from tensorlite.ops.join import concat
from tensorlite.ops.matmul import matmul
from tensorlite.ops.shape import astype


@named("Relu")
def relu(features: Any, name: str | None = None) -> Any:
    return activations.relu(converted(features))


@named("Relu6")
def relu6(features: Any, name: str | None = None) -> Any:
    return activations.relu6(converted(features))


@named("Elu")
def elu(features: Any, name: str | None = None) -> Any:
    return activations.elu(converted(features))


@named("Selu")
def selu(features: Any, name: str | None = None) -> Any:
    return activations.selu(converted(features))


@named("LeakyRelu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    return activations.leaky_relu(converted(features), alpha)


@named("CRelu", "Relu")
def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    x = converted(features)
    return activations.relu(concat([x, -x], axis=axis))


@named("Softplus")
def softplus(features: Any, name: str | None = None) -> Any:
    return activations.softplus(converted(features))


@named("Softsign")
def softsign(features: Any, name: str | None = None) -> Any:
    return activations.softsign(converted(features))


@named("Sigmoid")
def sigmoid(x: Any, name: str | None = None) -> Any:
    return activations.sigmoid(converted(x))


@named("LogSigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    return activations.log_sigmoid(converted(x))


@named("Tanh")
def tanh(x: Any, name: str | None = None) -> Any:
    return trigonometric.tanh(converted(x))


@named("IdentityN")
def swish(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    return activations.silu(converted(features), beta)


silu = swish


@named("Gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    return activations.gelu(converted(features), approximate)


@named("BiasAdd")
def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    x = converted(value)
    first = data_format is not None and data_format.startswith("NC")
    first = first and data_format != "NCHW_VECT_C"
    return channels.bias_add(x, converted(bias, x.dtype), "NCHW" if first else "NHWC")


@named("xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    return channels.bias_add(*_product_and_biases(x, weights, biases))


@named("relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    return activations.relu(
        channels.bias_add(*_product_and_biases(x, weights, biases))
    )


def _product_and_biases(x: Any, weights: Any, biases: Any) -> tuple[Any, Any]:
    """Return x times weights, and the biases, constants of them named after the arguments."""
    product = matmul(converted(x, None, "x"), converted(weights, None, "weights"))
    return product, converted(biases, None, "biases")


@named("L2Loss")
def l2_loss(t: Any, name: str | None = None) -> Any:
    return losses.l2_loss(converted(t))


@named("batchnorm", None)
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Any:
    given = converted(x)
    if active_graph() is None:
        return normalise.batch_normalization(
            given, mean, variance, offset, scale, variance_epsilon
        )
    return _normalised(given, mean, variance, offset, scale, variance_epsilon)


def _normalised(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float
) -> Any:
    """Return a tensor normalised by the nodes that TensorFlow makes for it."""
    is_array = isinstance(variance, np.ndarray)
    wide = variance if is_array else shown(converted(variance))
    factor = elementwise.rsqrt(wide + epsilon)
    if scale is not None:
        factor = factor * scale
    whole = shown(x) * elementwise.cast(factor, x.dtype)
    moved = shown(converted(mean)) * factor
    rest = -moved if offset is None else shown(converted(offset)) - moved
    return whole + elementwise.cast(rest, x.dtype)


@named("LRN")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    return conv_forms.local_response_normalization(
        converted(input), depth_radius, bias, alpha, beta
    )


lrn = local_response_normalization


@named("in_top_k", own_or("InTopKV2"))
def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    return search.in_top_k(converted(targets), converted(predictions), k)


@named("Conv3D")
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    x, weights = agreeing(input, filter if filters is None else filters, CONVOLVED)
    strides = spatial(strides, 3, data_format)
    return volumes.conv3d(
        x, weights, strides, padding, data_format, spatial(dilations, 3, data_format)
    )


CONVOLVED = ("input", "filter")
"""What operators call images and what they are convolved with."""


def spatial(sizes: Any, count: int, data_format: str | None) -> Any:
    """Return sizes of windows' axes alone, of what may be given for batch and channels as well."""
    if sizes is None:
        return (1,) * count
    if isinstance(sizes, int):
        return (sizes,) * count
    given = integers_of(sizes, "sizes of windows or steps")
    if len(given) == 1:
        return tuple(given) * count
    if len(given) == count:
        return tuple(given)
    if len(given) != count + 2:
        raise InvalidArgumentError(
            f"{given!r}: give 1, {count} or {count + 2} sizes, one for each axis"
        )
    first = str(data_format).startswith("NC")
    ends = given[:2] if first else [given[0], given[-1]]
    if ends != [1, 1]:
        raise InvalidArgumentError(
            f"{given!r}: windows and steps in the batch and channel axes are not served; give 1"
        )
    return tuple(given[2:] if first else given[1:-1])


@named("MaxPool3D")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    sizes = [spatial(x, 3, data_format) for x in (ksize, strides)]
    window, step = sizes
    return volume_pool.max_pool3d(
        converted(input), window, step, padding, data_format
    )


@named("AvgPool3D")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    sizes = [spatial(x, 3, data_format) for x in (ksize, strides)]
    window, step = sizes
    return volume_pool.avg_pool3d(
        converted(input), window, step, padding, data_format
    )


def _pool1d(
    function: Any, input: Any, sizes: Sequence[Any], padding: str, form: str
) -> Any:
    window, step = [
        x if isinstance(x, int) else spatial(x, 1, form)[0] for x in sizes
    ]
    return function(converted(input), window, step, padding, form)


@named("MaxPool1d")
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    return _pool1d(pools.max_pool1d, input, (ksize, strides), padding, data_format)


@named("AvgPool1D")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    return _pool1d(pools.avg_pool1d, input, (ksize, strides), padding, data_format)


@named("MaxPoolWithArgmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    sizes = [spatial(x, 2, data_format) for x in (ksize, strides)]
    window, step = sizes
    return pool_argmax.max_pool_with_argmax(
        converted(input),
        window,
        step,
        padding,
        include_batch_in_index,
        as_dtype(output_dtype),
    )


@named("convolution", "BatchToSpaceND")
def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    x, weights = agreeing(value, filters, CONVOLVED)
    return conv_forms.atrous_conv2d(x, weights, rate, padding)


@named("atrous_conv2d_transpose", "BatchToSpaceND")
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Any:
    x, weights = agreeing(value, filters, CONVOLVED)
    return conv_forms.atrous_conv2d_transpose(x, weights, output_shape, rate, padding)


@named("CTCBeamSearchDecoder")
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = False,
    name: str | None = None,
) -> Any:
    return ctc.ctc_beam_search_decoder(
        converted(inputs), sequence_length, beam_width, top_paths, merge_repeated
    )


@named("CTCGreedyDecoder")
def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    name: str | None = None,
    blank_index: int | None = None,
) -> Any:
    blank = -1 if blank_index is None else blank_index
    return ctc.ctc_greedy_decoder(
        converted(inputs), sequence_length, merge_repeated, blank
    )


@named("sufficient_statistics")
def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    value = converted(x)
    moved, squared = value, elementwise.square
    count = _count(value, axes)
    squares: Any
    if shift is None:
        squares = squared(value)
    else:
        moved = elementwise.subtract(value, shift)
        squares = elementwise.squared_difference(value, shift)
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    sums = [
        reductions.reduce_sum(one, over, keepdims, name=title)
        for one, title in ((moved, "mean_ss"), (squares, "var_ss"))
    ]
    return count, *sums, None if shift is None else to_tensor(shift)


def _count(x: Any, axes: Any) -> Any:
    """Return how many elements lie along axes, in the dtype of all."""
    over = axes if isinstance(axes, (list, tuple)) else [axes]
    known = x.spec.shape
    if known is not None and all(known[axis] is not None for axis in over):
        return converted(np.array(prod(known[i] for i in over), x.dtype.numpy))
    return astype(_product(x, over), x.dtype)


def _product(x: Any, axes: Any) -> Any:
    sizes = shape(x)
    count = to_tensor(1)
    for axis in axes:
        count = count * sizes[axis]
    return count


@named("normalize")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    divisor = elementwise.reciprocal(counts, name="divisor")
    title = "mean" if shift is None else "shifted_mean"
    shifted = elementwise.multiply(mean_ss, divisor, name=title)
    mean = shifted
    if shift is not None:
        mean = elementwise.add(shifted, shift, name="mean")
    over = elementwise.multiply(variance_ss, divisor)
    return mean, elementwise.subtract(
        over, elementwise.square(shifted), name="variance"
    )
