"""Convolutions and pooling of TensorFlow 1's tf.nn."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.compat.shared import nn
from tensorlite.compat.shared.arrays import expand_dims, squeeze
from tensorlite.compat.shared.cutting import reverse
from tensorlite.compat.shared.elementwise import negative
from tensorlite.compat.shared.nn import (
    CONVOLVED,
    spatial,
)
from tensorlite.compat.v1.functions import arrays
from tensorlite.compat.v1.functions.convolution_gradients import conv2d_backprop_input
from tensorlite.compat.v1.functions.spreading import (
    lies_apart,
    operands,
    reach_of,
    spaced,
)
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.nn import (
    conv,
    conv_forms,
    morphology,
    patches,
    pool as pools,
    volumes,
)

FORWARD = (1, 1, 1, 1)


def _filters(filter: Any, filters: Any) -> Any:
    return renamed("filter", filter, "filters", filters)


@named("Conv2D")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = FORWARD,
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Return images convolved with a filter [height, width, inputs, outputs].

    Images are [batch, height, width, channels], or "NCHW". padding is "SAME", "VALID" or pairs for
    each axis; strides and dilations are one size, one for each of two axes, or for all four.
    use_cudnn_on_gpu has no effect. TensorFlow's operator Conv2D.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     x, w = tf.zeros([1, 8, 8, 3]), tf.zeros([3, 3, 3, 16])
    ...     tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME").get_shape().as_list()
    [1, 4, 4, 16]
    """
    x, weights = agreeing(input, _filters(filter, filters), CONVOLVED)
    if padding is None:
        raise InvalidArgumentError("conv2d: give padding, 'SAME' or 'VALID'")
    form = data_format or "NHWC"
    steps, rates = spatial(strides, 2, form), spatial(dilations, 2, form)
    return conv.conv2d(x, weights, steps, padding, form, rates)


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Any:
    """Return sequences convolved with filters [width, inputs, outputs].

    Sequences are [batch, width, channels] ("NWC", also called "NHWC" here), or "NCW".
    use_cudnn_on_gpu has no effect.
    """
    x = renamed("value", value, "input", input)
    form = {None: "NWC", "NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
    steps, rates = spatial(stride, 1, form)[0], spatial(dilations, 1, form)[0]
    if active_graph() is None:
        return conv.conv1d(
            *agreeing(x, filters), steps, padding, form or "NWC", rates
        )
    with name_scope(name, "conv1d") as prefix:
        axis, wide = (-2, "NCHW") if form == "NCW" else (-3, "NHWC")
        images, windows = expand_dims(x, axis), expand_dims(filters, 0)
        ones, last = [1] * (axis + 5), [1] * (-2 - axis)
        made = conv2d(
            images,
            windows,
            [*ones, steps, *last],
            padding,
            data_format=wide,
            dilations=[*ones, rates, *last],
            name=prefix or None,
        )
        return squeeze(made, [axis])


@named("conv2d_transpose")
def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Return the gradient of a convolution by its images, with value as what flows back.

    filter is [height, width, outputs, inputs]; output_shape has all four sizes.
    """
    x, weights = agreeing(
        renamed("value", value, "input", input),
        _filters(filter, filters),
        CONVOLVED,
    )
    steps, rates = (
        spatial(strides, 2, data_format),
        spatial(dilations, 2, data_format),
    )
    return conv.conv2d_transpose(
        x, weights, output_shape, steps, padding, data_format, rates
    )


@named("conv3d_transpose")
def conv3d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Return the gradient of a convolution by its volumes, with value as what flows back.

    filter is [depth, height, width, outputs, inputs]; output_shape has all five sizes.
    """
    x, weights = agreeing(
        renamed("value", value, "input", input),
        _filters(filter, filters),
        CONVOLVED,
    )
    steps, rates = (
        spatial(strides, 3, data_format),
        spatial(dilations, 3, data_format),
    )
    return volumes.conv3d_transpose(
        x, weights, output_shape, steps, padding, data_format, rates
    )


def convolution(
    input: Any,
    filter: Any,
    padding: str,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Return x convolved over its axes of space, of which the filter's rank tells the number.

    data_format ("NWC", "NCHW", ...) says where the channels are, last if None. The filter has 3, 4
    or 5 axes, else an error is raised.
    """
    rates = renamed("dilation_rate", dilation_rate, "dilations", dilations) or 1
    options = (padding, strides or 1, data_format)
    weights = _filters(filter, filters)
    if active_graph() is None:
        return _convolution(input, weights, *options, rates)
    with name_scope(name, "convolution") as prefix:
        x, windows = operands(input, weights, CONVOLVED)
        return spaced(x, windows, options, rates, _convolution, prefix)


@named("convolution")
def _convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any,
    data_format: Any,
    rates: Any = 1,
    name: str | None = None,
) -> Any:
    x, weights = agreeing(input, filter, CONVOLVED)
    return conv_forms.convolution(x, weights, strides, padding, data_format, rates)


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    """Return images convolved with filters that have rate - 1 zeros between elements."""
    return convolution(value, filters, padding, None, [rate, rate], name)


def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Any:
    """Return the transpose of `atrous_conv2d`, of a shape that is given."""
    windows: Any = getattr(getattr(filters, "shape", None), "as_list", list)()
    if not windows or not lies_apart(windows, [rate], [1], padding):
        return nn.atrous_conv2d_transpose(
            value, filters, output_shape, rate, padding, name
        )
    with name_scope(name, "atrous_conv2d_transpose"):
        x, weights = operands(value, filters, ("value", "filters"))
        sizes = output_shape
        if isinstance(sizes, Operand):
            sizes = convert_to_tensor(sizes, name="output_shape")
        else:
            sizes = [int(n) for n in sizes]
            convert_to_tensor(sizes, name="output_shape")  # to be checked, there
        pads = reach_of(windows[:2], [rate, rate], padding)
        whole = [sizes[i + 1] + sum(ends) for i, ends in enumerate(pads)]
        more = [(rate - size % rate) % rate for size in whole]
        x = arrays.space_to_batch(x, [[0, n] for n in more], rate)
        inner = [
            rate * rate * sizes[0],
            *[(size + n) // rate for size, n in zip(whole, more, strict=True)],
            sizes[3],
        ]
        ones = [1, 1, 1, 1]
        made = conv2d_backprop_input(inner, weights, x, ones, "VALID")
        crops = [[a, b + n] for (a, b), n in zip(pads, more, strict=True)]
        return arrays.batch_to_space(made, crops, rate)


def _pooled(
    function: Any, value: Any, ksize: Any, strides: Any, padding: Any, form: Any
) -> Any:
    form = form or "NHWC"
    sizes = spatial(ksize, 2, form), spatial(strides, 2, form)
    return function(converted(value), *sizes, padding, form)


@named("MaxPool")
def max_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """Return the largest element of each window: "VALID" inside, "SAME" over the border.

    ksize and strides have a size for each of four axes, one of two axes, or one for both. Windows
    over channels are allowed where they cover no pixels. TensorFlow's operator MaxPool.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.zeros([1, 8, 8, 3])
    ...     tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME").get_shape().as_list()
    [1, 4, 4, 3]
    """
    x = renamed("value", value, "input", input)
    deep = pools.depth_of(ksize, strides, data_format)
    if deep is not None:
        return pools.max_pool_in_depth(converted(x), deep)
    return _pooled(pools.max_pool2d, x, ksize, strides, padding, data_format)


@named("AvgPool")
def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """Return the mean of each window; elements beyond the border do not count.

    ksize and strides have a size for each of four axes, one of two axes, or one for both. padding
    is "VALID" or "SAME". TensorFlow's operator AvgPool.
    """
    x = renamed("value", value, "input", input)
    return _pooled(pools.avg_pool2d, x, ksize, strides, padding, data_format)


@named("MaxPool2d")
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window; padding is "VALID" or "SAME".

    ksize and strides have a size for height and width, or for each axis, or are one size.
    """
    return _pooled(pools.max_pool2d, input, ksize, strides, padding, data_format)


avg_pool2d = avg_pool


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """Return (largest elements of windows, their places in the flattened images).

    Places are counted within each image, or within the batch with include_batch_in_index, as int64
    unless output_dtype (Targmax) is given.
    """
    dtype = renamed("output_dtype", output_dtype, "Targmax", Targmax) or int64
    return nn.max_pool_with_argmax(
        input,
        ksize,
        strides,
        padding,
        data_format,
        dtype,
        include_batch_in_index,
        name,
    )


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: Any,
    padding: str,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """Return x pooled in windows over its axes of space, by "MAX" or "AVG".

    window_shape, strides and dilations have a size for each of these axes.
    """
    rates = renamed("dilation_rate", dilation_rate, "dilations", dilations)
    options = (strides, padding, data_format, rates)
    pooled = _POOLS.get(str(pooling_type).upper(), _POOLS["MAX"])
    return pooled(input, window_shape, pooling_type, options, name=name)


def _pool(
    input: Any, window: Any, kind: Any, options: Any, name: str | None = None
) -> Any:
    x = converted(input)
    strides, padding, form, rates = options
    if active_graph() is not None and x.spec.rank is not None:
        apart = spatial(rates, x.spec.rank - 2, None)
        convert_to_tensor(list(apart), name="dilation_rate")  # as there
    is_of_images = x.spec.rank == 4 and str(kind).upper() in _OF_IMAGES
    if (
        not is_of_images
        or not isinstance(padding, str)
        or max(spatial(rates, 2, None)) > 1
    ):
        return patches.pool(x, window, kind, *options)
    pooled = _OF_IMAGES[str(kind).upper()]
    sizes = spatial(window, 2, None), spatial(strides, 2, None)
    return pooled(x, *sizes, padding.upper(), form or "NHWC")


_OF_IMAGES = {"MAX": pools.max_pool2d, "AVG": pools.avg_pool2d}


_POOLS = {kind: named(f"{kind.lower()}_pool")(_pool) for kind in ("MAX", "AVG")}


@named("Dilation2D")
def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Return the largest sum of pixels and filter in each window (morphological dilation).

    filter is [height, width, channels]; rates (or dilations) set its elements apart.
    """
    x, weights = agreeing(input, _filters(filter, filters), CONVOLVED)
    steps = spatial(strides, 2, "NHWC")
    apart = spatial(renamed("rates", rates, "dilations", dilations), 2, "NHWC")
    return morphology.dilation2d(x, weights, steps, padding, apart)


def erosion2d(
    value: Any,
    kernel: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Any:
    """Return the smallest difference of pixels and kernel in each window (erosion).

    kernel is [height, width, channels] and is mirrored; rates set its elements apart.
    """
    if active_graph() is None:
        x, weights = agreeing(value, kernel, CONVOLVED)
        sizes = spatial(strides, 2, "NHWC"), spatial(rates, 2, "NHWC")
        return morphology.erosion2d(x, weights, sizes[0], padding, sizes[1])
    with name_scope(name, "erosion2d") as whole:
        turned = reverse(kernel, [0, 1])
        options = (strides, rates, padding)
        return negative(dilation2d(negative(value), turned, *options, name=whole))
