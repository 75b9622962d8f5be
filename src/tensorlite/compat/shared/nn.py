"""Functions of neural networks that TensorFlow 1 and 2 have by the same arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.compat.calling import agreeing, converted, named, own_or
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.arrays import concat, expand_dims, squeeze
from tensorlite.compat.shared.picking import top_k as top_k
from tensorlite.compat.shared.sizes import as_whole
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.check import (
    integers_of,
    one_of,
)
from tensorlite.core.dtypes import as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import scope
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.arrays import search
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math import trigonometric
from tensorlite.ops.nn import (
    activations,
    channels,
    conv_forms,
    ctc,
    losses,
    normalise,
    pool as pools,
    pool_argmax,
    volume_pool,
    volumes,
)


@named("Relu")
def relu(features: Any, name: str | None = None) -> Any:
    """Return the elements, those below 0 as 0.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.relu([-1.0, 0.0, 2.0]).numpy().tolist()
    [0.0, 0.0, 2.0]
    """
    return activations.relu(converted(features))


@named("Relu6")
def relu6(features: Any, name: str | None = None) -> Any:
    """Return the elements between 0 and 6, those outside of it as its ends."""
    return activations.relu6(converted(features))


@named("Elu")
def elu(features: Any, name: str | None = None) -> Any:
    """Return the elements, those below 0 as exp(x) - 1."""
    return activations.elu(converted(features))


@named("Selu")
def selu(features: Any, name: str | None = None) -> Any:
    """Return scale * x above 0 and scale * alpha * (exp(x) - 1) below it.

    The two constants keep mean and variance: https://arxiv.org/abs/1706.02515.
    """
    return activations.selu(converted(features))


@named("LeakyRelu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """Return the elements, those below 0 times alpha."""
    return activations.leaky_relu(converted(features), alpha)


@named("CRelu", "Relu")
def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    """Return what `relu` makes of x and -x, joined along an axis, which is twice as long."""
    x = shown(converted(features))
    both = concat([x, -x], axis, name=f"{scope.get().name}/")
    return activations.relu(plain(both))


@named("Softplus")
def softplus(features: Any, name: str | None = None) -> Any:
    """Return log(exp(x) + 1), element by element."""
    return activations.softplus(converted(features))


@named("Softsign")
def softsign(features: Any, name: str | None = None) -> Any:
    """Return x / (1 + abs(x)), element by element."""
    return activations.softsign(converted(features))


@named("Sigmoid")
def sigmoid(x: Any, name: str | None = None) -> Any:
    """Return 1 / (1 + exp(-x)), element by element.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.sigmoid([0.0]).numpy().tolist()
    [0.5]
    """
    return activations.sigmoid(converted(x))


@named("LogSigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Return log(1 / (1 + exp(-x))), element by element."""
    return activations.log_sigmoid(converted(x))


@named("Tanh")
def tanh(x: Any, name: str | None = None) -> Any:
    """Return the hyperbolic tangent of each element.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.tanh([0.0]).numpy().tolist()
    [0.0]
    """
    return trigonometric.tanh(converted(x))


@named("IdentityN")
def swish(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """Return x * sigmoid(beta * x), element by element."""
    return activations.silu(converted(features), beta)


silu = swish


@named("Gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Return x times the normal distribution's probability of being below x.

    approximate=True takes a formula with the hyperbolic tangent.
    """
    return activations.gelu(converted(features), approximate)


@named("BiasAdd")
def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """Return the tensor with a number for each channel added.

    Channels are the last axis, or with a data_format that begins with 'NC' the second.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).numpy().tolist()
    [[11.0, 22.0], [13.0, 24.0]]
    """
    x = converted(value)
    text = one_of(data_format, (str, type(None)), "data_format", "'NHWC' or 'NCHW'")
    first = text is not None and text.startswith("NC")
    first = first and text != "NCHW_VECT_C"
    return channels.bias_add(x, converted(bias, x.dtype), "NCHW" if first else "NHWC")


@named("xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return the product of matrices x and weights, with biases added to its columns."""
    return channels.bias_add(*_product_and_biases(x, weights, biases))


@named("relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return what `relu` makes of the product of x and weights, with biases added."""
    return activations.relu(
        channels.bias_add(*_product_and_biases(x, weights, biases))
    )


def _product_and_biases(x: Any, weights: Any, biases: Any) -> tuple[Any, Any]:
    """Return x times weights, and the biases, constants of them named after the arguments."""
    product = matmul(converted(x, None, "x"), converted(weights, None, "weights"))
    return product, converted(biases, None, "biases")


@named("L2Loss")
def l2_loss(t: Any, name: str | None = None) -> Any:
    """Return half the sum of squares of all elements, a scalar.

    >>> from tensorlite.compat import v2 as tf
    >>> float(tf.nn.l2_loss([3.0, 4.0]))
    12.5
    """
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
    """Return scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    `offset` and `scale` may be None. Sizes are those that broadcast to x's.
    """
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
    factor = elementwise.rsqrt(_operand(variance) + epsilon)
    if scale is not None:
        factor = factor * scale
    whole = shown(x) * elementwise.cast(factor, x.dtype)
    middle, below = _operand(mean), None if offset is None else _operand(offset)
    rest = -middle * factor if below is None else below - middle * factor
    return whole + elementwise.cast(rest, x.dtype)


def _operand(value: Any) -> Any:
    """Return what takes the dtype of what it meets, or is read, as it is; others as a tensor."""
    given = isinstance(value, (np.ndarray, GraphVariable, int, float, list, tuple))
    return value if given else shown(converted(value))


@named("LRN")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """Return images divided by a power of the squares of neighbouring channels.

    Neighbours are depth_radius channels on either side: input / (bias + alpha * sum)^beta.
    """
    return conv_forms.local_response_normalization(
        converted(input), depth_radius, bias, alpha, beta
    )


lrn = local_response_normalization


@named("in_top_k", own_or("InTopKV2"))
def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Return for each row whether the target's prediction is among the k largest."""
    return search.in_top_k(converted(as_whole(targets)), converted(predictions), k)


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
    """Return volumes [batch, depth, height, width, channels] convolved with filters.

    Filters are [depth, height, width, in, out]; `padding` is 'SAME' or 'VALID'. data_format is
    'NDHWC' or 'NCDHW'. Strides are one number, three, or five that are 1 for batch and channels.
    `filters` is another name for `filter`.
    """
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
    """Return the largest element of each window of volumes, for each channel.

    Sizes and strides are one number, three, or five that are 1 for batch and channels.
    """
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
    """Return the mean of each window of volumes, for each channel.

    Sizes and strides are one number, three, or five that are 1 for batch and channels.
    """
    sizes = [spatial(x, 3, data_format) for x in (ksize, strides)]
    window, step = sizes
    return volume_pool.avg_pool3d(
        converted(input), window, step, padding, data_format
    )


def _pool1d(
    function: Any, input: Any, sizes: Sequence[Any], padding: Any, form: str
) -> Any:
    window, step = [
        x if isinstance(x, int) else spatial(x, 1, form)[0] for x in sizes
    ]
    x = converted(input)
    if not isinstance(padding, str):
        place = 1 if form == "NWC" else 2
        padding = [*padding[:place], [0, 0], *padding[place:]]
    if active_graph() is None or form != "NWC":
        return function(x, window, step, padding, form)
    rows = plain(expand_dims(x, 1))
    here = f"{scope.get().name}/"
    pool = _POOLS_OF_ROWS[function]
    made = in_graph(lambda: pool(rows, (1, window), (1, step), padding), None, here)
    return squeeze(made, [1])


_POOLS_OF_ROWS = {
    pools.max_pool1d: pools.max_pool2d,
    pools.avg_pool1d: pools.avg_pool2d,
}
"""What pools images of one row, by what pools sequences."""


@named("MaxPool1d", None)
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window along the middle of three axes."""
    return _pool1d(pools.max_pool1d, input, (ksize, strides), padding, data_format)


@named("AvgPool1D", None)
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window along the middle of three axes."""
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
    """Return the largest element of each window, and its place in the flat image.

    With include_batch_in_index=True places count from the first image on, else within each one.
    Only the data_format 'NHWC' is allowed.
    """
    if data_format != "NHWC":
        raise InvalidArgumentError(
            f"max_pool_with_argmax: data_format={data_format!r}; allowed is 'NHWC': transpose the "
            "images by tf.transpose"
        )
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
    """Return images convolved with filters that have rate - 1 zeros between elements."""
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
    """Return the transpose of `atrous_conv2d`, of a shape that is given."""
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
    """Return the likeliest sequences of labels, sparse, and their log-probabilities.

    `inputs` are logits [time, batch, classes], the last class the blank. Of `beam_width` sequences
    that are followed `top_paths` are returned, as a list of sparse tensors and [batch, top_paths].
    """
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
    """Return the label sequences of the likeliest class at each time, and scores.

    `inputs` are logits [time, batch, classes]; the sequences are a list of one sparse tensor,
    scores the negative sums of the largest logits, [batch, 1]. The blank is the last class unless
    given.
    """
    blank = -1 if blank_index is None else blank_index
    return ctc.ctc_greedy_decoder(
        converted(inputs), sequence_length, merge_repeated, blank
    )
