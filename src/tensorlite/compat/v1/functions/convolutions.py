"""Convolutions and pooling of TensorFlow 1's tf.nn."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.compat.shared import nn
from tensorlite.compat.shared.arrays import expand_dims, squeeze
from tensorlite.compat.shared.nn import (
    CONVOLVED,
    spatial,
)
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.nn import conv, conv_forms, patches, pool as pools, volumes

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
        axis, wide = (2, "NCHW") if form == "NCW" else (1, "NHWC")
        images, windows = expand_dims(x, axis), expand_dims(filters, 0)
        ones, last = [1] * (axis + 1), [1] * (2 - axis)
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


def _spread(*given: Any, rate: Any = None, dilations: Any = None, **_: Any) -> str:
    """Return the name of what is behind a convolution of each channel, whose taps lie apart."""
    rates = given[4] if len(given) > 4 else rate
    return "BatchToSpaceND" if np.max(rates or dilations or 1) > 1 else ""


@named("depthwise", _spread)
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """Return images with each channel convolved alone: channels times multiplier outputs.

    filter is [height, width, channels, multiplier]; rate is the older name of dilations.
    """
    x, weights = agreeing(input, filter, ("tensor_in", "filter_in"))
    form = data_format or "NHWC"
    rates = spatial(renamed("rate", rate, "dilations", dilations), 2, form)
    _tell(weights)
    return conv.depthwise_conv2d(
        x, weights, spatial(strides, 2, form), padding, form, rates
    )


def _tell(weights: Any) -> None:
    """Make the constants that TensorFlow makes beside a convolution of each channel."""
    if active_graph() is not None and weights.spec.is_static:
        inner_named(constant(np.asarray(weights.spec.shape, np.int32)), "Shape")
        inner_named(constant(np.ones(2, np.int32)), "dilation_rate")


depthwise_conv2d_native = depthwise_conv2d


@named("separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """Return images with each channel convolved alone, then joined by a 1 x 1 filter.

    depthwise_filter is [height, width, channels, multiplier], pointwise_filter [1, 1, channels *
    multiplier, outputs].
    """
    form = data_format or "NHWC"
    rates = spatial(renamed("rate", rate, "dilations", dilations), 2, form)
    steps = spatial(strides, 2, form)
    names = ("input", "depthwise_filter")
    x, windows = agreeing(input, depthwise_filter, names)
    across = converted(pointwise_filter, x.dtype, "pointwise_filter")
    _tell(windows)
    middle = conv.depthwise_conv2d(x, windows, steps, padding, form, rates)
    middle = inner_named(middle, "depthwise")
    return conv.conv2d(middle, across, 1, "VALID", form)


def _behind(
    input: Any,
    filter: Any,
    padding: Any = None,
    strides: Any = None,
    dilation_rate: Any = None,
    *_: Any,
    dilations: Any = None,
    **__: Any,
) -> str:
    """Return the name of what is behind a convolution whose taps may lie apart."""
    return "BatchToSpaceND" if np.max(dilation_rate or dilations or 1) > 1 else ""


@named("convolution", _behind)
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
    x, weights = agreeing(input, _filters(filter, filters), CONVOLVED)
    rates = renamed("dilation_rate", dilation_rate, "dilations", dilations)
    return conv_forms.convolution(
        x, weights, strides or 1, padding, data_format, rates or 1
    )


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


max_pool2d, avg_pool2d = max_pool, avg_pool


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
    return patches.pool(converted(input), window, kind, *options)


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
    return patches.dilation2d(x, weights, steps, padding, apart)


@named("erosion2d", "Neg_1")
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
    x, weights = agreeing(value, kernel, CONVOLVED)
    sizes = spatial(strides, 2, "NHWC"), spatial(rates, 2, "NHWC")
    return patches.erosion2d(x, weights, sizes[0], padding, sizes[1])
