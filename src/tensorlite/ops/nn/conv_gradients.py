"""The gradients of convolutions as functions, for what computes gradients without a tape.

The operators are in conv.py and volumes.py, where those for images are transposed convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.dispatch import call, floating, promoted
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.shape import as_shape
from tensorlite.ops.nn.conv import (
    Conv2DBackpropFilter,
    DepthwiseConv2dNativeBackpropFilter,
    DepthwiseConv2dNativeBackpropInput,
    Padding,
    configured,
)
from tensorlite.ops.nn.volumes import (
    Conv3DBackpropFilterV2,
    configured as configured_volumes,
)

__all__ = [
    "conv2d_backprop_filter",
    "conv3d_backprop_filter",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
]


def conv2d_backprop_filter(
    x: TensorLike,
    filter_sizes: TensorLike,
    dy: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "VALID",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the gradient of a convolution for its filters, whose shape is `filter_sizes`.

    `dy` is the gradient for the convolution's result.

    >>> from tensorlite.ops.nn.conv_gradients import conv2d_backprop_filter
    >>> image = tl.reshape(tl.arange(9, dtype=tl.float32), (1, 3, 3, 1))
    >>> print(conv2d_backprop_filter(image, (2, 2, 1, 1), tl.ones((1, 2, 2, 1)))[:, :, 0, 0])
    [[ 8. 12.]
     [20. 24.]]
    """
    images, flow = promoted(x, dy)
    op = configured(Conv2DBackpropFilter, strides, padding, data_format, dilations)
    return call(op, floating(images), as_shape(filter_sizes), floating(flow))


def depthwise_conv2d_backprop_filter(
    x: TensorLike,
    filter_sizes: TensorLike,
    dy: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "VALID",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the gradient of a depthwise convolution for its filters, of shape `filter_sizes`.

    >>> from tensorlite.ops.nn.conv_gradients import depthwise_conv2d_backprop_filter as gradient
    >>> print(gradient(tl.ones((1, 3, 3, 1)), (2, 2, 1, 1), tl.ones((1, 2, 2, 1)))[:, :, 0, 0])
    [[4. 4.]
     [4. 4.]]
    """
    images, flow = promoted(x, dy)
    kind = DepthwiseConv2dNativeBackpropFilter
    op = configured(kind, strides, padding, data_format, dilations)
    return call(op, floating(images), as_shape(filter_sizes), floating(flow))


def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filters: TensorLike,
    dy: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "VALID",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the gradient of a depthwise convolution for its images, of shape `input_sizes`.

    >>> from tensorlite.ops.nn.conv_gradients import depthwise_conv2d_backprop_input as gradient
    >>> print(gradient((1, 3, 3, 1), tl.ones((2, 2, 1, 1)), tl.ones((1, 2, 2, 1)))[0, :, :, 0])
    [[1. 2. 1.]
     [2. 4. 2.]
     [1. 2. 1.]]
    """
    kernel, flow = promoted(filters, dy)
    kind = DepthwiseConv2dNativeBackpropInput
    op = configured(kind, strides, padding, data_format, dilations)
    return call(op, as_shape(input_sizes), floating(kernel), floating(flow))


def conv3d_backprop_filter(
    x: TensorLike,
    filter_sizes: TensorLike,
    dy: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the gradient of a convolution of volumes for its filters, of shape `filter_sizes`.

    >>> from tensorlite.ops.nn.conv_gradients import conv3d_backprop_filter
    >>> volume, flow = tl.ones((1, 3, 3, 3, 1)), tl.ones((1, 2, 2, 2, 1))
    >>> print(conv3d_backprop_filter(volume, (2, 2, 2, 1, 1), flow)[0, 0, 0])
    [[8.]]
    """
    volumes, flow = promoted(x, dy)
    op = configured_volumes(
        Conv3DBackpropFilterV2, strides, padding, data_format, dilations
    )
    return call(op, floating(volumes), as_shape(filter_sizes), floating(flow))
