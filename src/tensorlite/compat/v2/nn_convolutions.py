"""Convolutions and pooling of `tf.nn`, in TensorFlow 2's order of arguments.

What they do stands with those of TensorFlow 1, which have the same results.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.shared import nn as shared
from tensorlite.compat.shared.images import fractional
from tensorlite.compat.v1.functions import channelwise, convolutions as before
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.streams import get_seed


@deferring
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: str,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of lines of (batch, width, channels) by filters.

    filters is of (width, channels, outputs), padding "SAME" or "VALID".
    """
    return before.conv1d(
        input,
        filters,
        stride,
        padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of images of (batch, height, width, channels) by filters.

    filters is of (height, width, channels, outputs); padding "SAME", "VALID" or a pair for each
    axis; strides and dilations are a number, two or four. data_format "NCHW" has channels second.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    spread = (1, 1, 1, 1) if dilations is None else dilations
    return before.conv2d(
        input,
        filters,
        strides,
        padding,
        data_format=data_format,
        dilations=spread,
        name=name,
    )


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of volumes of (batch, depth, height, width, channels).

    filters is of (depth, height, width, channels, outputs), padding "SAME" or "VALID".
    """
    spread = (1, 1, 1, 1, 1) if dilations is None else dilations
    return shared.conv3d(input, filters, strides, padding, data_format, spread, name)


@named("conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of lines, of output_shape.

    filters is of (width, outputs, channels).
    """
    (step,) = shared.spatial(strides, 1, data_format)
    (rate,) = shared.spatial(dilations, 1, data_format)
    x, weights = converted(input), converted(filters)
    return tl.nn.conv1d_transpose(
        x, weights, output_shape, step, padding, data_format, rate
    )


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of images, of output_shape.

    filters is of (height, width, outputs, channels).
    """
    return before.conv2d_transpose(
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format,
        name,
        dilations=dilations,
    )


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of volumes, of output_shape.

    filters is of (depth, height, width, outputs, channels).
    """
    return before.conv3d_transpose(
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format,
        name,
        dilations=dilations,
    )


@deferring
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of lines, images or volumes, of output_shape."""
    axes = len(converted(input).shape) - 2
    function: Any = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[axes - 1]
    form = data_format or ("NWC", "NHWC", "NDHWC")[axes - 1]
    return function(
        input, filters, output_shape, strides, padding, form, dilations, name
    )


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of lines, images or volumes by filters.

    One of strides and dilations may be above 1.
    """
    return before.convolution(
        input,
        filters,
        padding,
        strides,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of each channel of images by filters of its own.

    filter is of (height, width, channels, multiplier).
    """
    return channelwise.depthwise_conv2d(
        input,
        filter,
        strides,
        padding,
        name=name,
        data_format=data_format,
        dilations=dilations,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of each channel by itself, then of all at each place."""
    return channelwise.separable_conv2d(
        input,
        depthwise_filter,
        pointwise_filter,
        strides,
        padding,
        name=name,
        data_format=data_format,
        dilations=dilations,
    )


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the greatest element of each window of images.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.max_pool2d([[[[1.0], [5.0]], [[2.0], [3.0]]]], 2, 2, "VALID").numpy().tolist()
    [[[[5.0]]]]
    """
    return before.max_pool(input, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of images."""
    return before.avg_pool(input, ksize, strides, padding, data_format, name)


@deferring
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the greatest element of each window of lines, images or volumes."""
    axes = len(converted(input).shape) - 2
    function: Any = (shared.max_pool1d, max_pool2d, shared.max_pool3d)[axes - 1]
    form = data_format or ("NWC", "NHWC", "NDHWC")[axes - 1]
    return function(input, ksize, strides, padding, form, name)


@deferring
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the mean of each window of lines, images or volumes."""
    axes = len(converted(input).shape) - 2
    function: Any = (shared.avg_pool1d, avg_pool2d, shared.avg_pool3d)[axes - 1]
    form = data_format or ("NWC", "NHWC", "NDHWC")[axes - 1]
    return function(input, ksize, strides, padding, form, name)


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
    """Return the greatest element of each window, and its index in the whole image.

    Indices count through the batch too if include_batch_in_index.
    """
    return shared.max_pool_with_argmax(
        input,
        ksize,
        strides,
        padding,
        data_format,
        output_dtype,
        include_batch_in_index,
        name,
    )


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the greatest element, "MAX", or the mean, "AVG", of each window."""
    return before.pool(
        input,
        window_shape,
        pooling_type,
        padding,
        strides=strides,
        name=name,
        data_format=data_format,
        dilations=dilations,
    )


def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the greatest sum of each window of images with filters, channel by channel.

    data_format must be "NHWC", else InvalidArgumentError is raised.
    """
    _check_last(data_format)
    return before.dilation2d(
        input,
        strides=strides,
        padding=padding,
        filters=filters,
        dilations=dilations,
        name=name,
    )


def _check_last(data_format: str) -> None:
    if data_format != "NHWC":
        raise InvalidArgumentError(
            "`data_format` values other than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )


@deferring
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the least difference of each window and filters, channel by channel.

    data_format must be "NHWC", else InvalidArgumentError is raised.
    """
    _check_last(data_format)
    return before.erosion2d(value, filters, strides, dilations, padding, name)


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Return the greatest element of each window, of sizes that vary (Graham, 2014).

    Returned are also where rows and columns of windows begin.
    """
    return fractional.fractional_max_pool(
        value,
        _ratios(pooling_ratio),
        pseudo_random,
        overlapping,
        *_seeded(seed),
        name=name,
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Return the mean of each window, of sizes that vary (Graham, 2014).

    Returned are also where rows and columns of windows begin.
    """
    return fractional.fractional_avg_pool(
        value,
        _ratios(pooling_ratio),
        pseudo_random,
        overlapping,
        *_seeded(seed),
        name=name,
    )


def _seeded(seed: int) -> tuple[bool, int, int]:
    """Return whether windows are the same in every run, and the two seeds they are drawn by."""
    first, second = get_seed(seed) if seed else (None, None)
    return bool(seed), first or 0, second or 0


def _ratios(ratio: Any) -> Any:
    """Return the ratios of all axes, of one for both sides or one for each."""
    inner = [ratio] if isinstance(ratio, (int, float)) else list(ratio)
    if len(inner) == 4:
        return inner
    return [1.0, *(inner * 2 if len(inner) == 1 else inner), 1.0]
