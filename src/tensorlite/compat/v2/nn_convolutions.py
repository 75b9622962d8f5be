"""Convolutions and pooling of `tf.nn`, in TensorFlow 2's order of arguments.

What they do stands with those of TensorFlow 1, which have the same results.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import fractional, nn as shared
from tensorlite.compat.v1 import convolutions as before
from tensorlite.core.dtypes import int64


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: str,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
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
    (step,) = shared.spatial(strides, 1, data_format)
    return tl.nn.conv1d_transpose(
        converted(input), converted(filters), output_shape, step, padding, data_format
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
    return before.conv2d_transpose(
        input, filters, output_shape, strides, padding, data_format, name
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
    return before.conv3d_transpose(
        input, filters, output_shape, strides, padding, data_format, name
    )


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
    return before.depthwise_conv2d(
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
    return before.separable_conv2d(
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
    return before.max_pool(input, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    return before.avg_pool(input, ksize, strides, padding, data_format, name)


def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    axes = len(converted(input).shape) - 2
    function: Any = (shared.max_pool1d, max_pool2d, shared.max_pool3d)[axes - 1]
    form = data_format or ("NWC", "NHWC", "NDHWC")[axes - 1]
    return function(input, ksize, strides, padding, form, name)


def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
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
    return before.dilation2d(
        input,
        strides=strides,
        padding=padding,
        filters=filters,
        dilations=dilations,
        name=name,
    )


def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    return before.erosion2d(value, filters, strides, dilations, padding, name)


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    return fractional.fractional_max_pool(
        value,
        _ratios(pooling_ratio),
        pseudo_random,
        overlapping,
        seed != 0,
        seed,
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
    return fractional.fractional_avg_pool(
        value,
        _ratios(pooling_ratio),
        pseudo_random,
        overlapping,
        seed != 0,
        seed,
        name=name,
    )


def _ratios(ratio: Any) -> Any:
    """Return the ratios of all axes, of one for both sides or one for each."""
    inner = [ratio] if isinstance(ratio, (int, float)) else list(ratio)
    if len(inner) == 4:
        return inner
    return [1.0, *(inner * 2 if len(inner) == 1 else inner), 1.0]
