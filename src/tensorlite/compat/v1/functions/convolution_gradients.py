"""Gradients of convolutions, as TensorFlow 1's tf.nn has them for code that has no tape."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import agreeing, named
from tensorlite.compat.shared.arrays import concat, expand_dims, squeeze
from tensorlite.compat.shared.nn import spatial
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.nn import conv, conv_gradients

FORWARD = (1, 1, 1, 1)
FORWARD_3D = (1, 1, 1, 1, 1)


@named("Conv2DBackpropInput")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = FORWARD,
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Return the gradient of tf.nn.conv2d by its input, of shape input_sizes.

    use_cudnn_on_gpu has no effect; filters is the newer name of filter.
    """
    weights, flow = agreeing(
        renamed("filter", filter, "filters", filters),
        out_backprop,
        ("filter", "out_backprop"),
    )
    form = data_format or "NHWC"
    steps, rates = spatial(strides, 2, form), spatial(dilations, 2, form)
    return conv.conv2d_transpose(
        flow, weights, input_sizes, steps, padding, form, rates
    )


@named("Conv2DBackpropFilter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = FORWARD,
    name: str | None = None,
) -> Any:
    """Return the gradient of tf.nn.conv2d by its filter, of shape filter_sizes.

    use_cudnn_on_gpu has no effect.
    """
    x, flow = agreeing(input, out_backprop, ("input", "out_backprop"))
    form = data_format or "NHWC"
    steps, rates = spatial(strides, 2, form), spatial(dilations, 2, form)
    return conv_gradients.conv2d_backprop_filter(
        x, filter_sizes, flow, steps, padding, form, rates
    )


@named("DepthwiseConv2dNativeBackpropInput")
def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = FORWARD,
    name: str | None = None,
) -> Any:
    """Return the gradient of tf.nn.depthwise_conv2d by its input, of shape input_sizes."""
    weights, flow = agreeing(filter, out_backprop, ("filter", "out_backprop"))
    steps = spatial(strides, 2, data_format)
    rates = spatial(dilations, 2, data_format)
    return conv_gradients.depthwise_conv2d_backprop_input(
        input_sizes, weights, flow, steps, padding, data_format, rates
    )


@named("DepthwiseConv2dNativeBackpropFilter")
def depthwise_conv2d_native_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = FORWARD,
    name: str | None = None,
) -> Any:
    """Return the gradient of tf.nn.depthwise_conv2d by its filter, of shape filter_sizes."""
    x, flow = agreeing(input, out_backprop, ("input", "out_backprop"))
    steps = spatial(strides, 2, data_format)
    rates = spatial(dilations, 2, data_format)
    return conv_gradients.depthwise_conv2d_backprop_filter(
        x, filter_sizes, flow, steps, padding, data_format, rates
    )


@named("Conv3DBackpropFilterV2")
def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = FORWARD_3D,
    name: str | None = None,
) -> Any:
    """Return the gradient of tf.nn.conv3d by its filter, of shape filter_sizes."""
    x, flow = agreeing(input, out_backprop, ("input", "out_backprop"))
    steps = spatial(strides, 3, data_format)
    rates = spatial(dilations, 3, data_format)
    return conv_gradients.conv3d_backprop_filter(
        x, filter_sizes, flow, steps, padding, data_format, rates
    )


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
    """Return the transpose of a convolution of sequences, of output_shape.

    filters is of (width, outputs, channels).
    """
    form = data_format or "NWC"
    (step,), (rate,) = spatial(strides, 1, form), spatial(dilations, 1, form)
    if active_graph() is None:
        x, weights = agreeing(input, filters, ("input", "filters"))
        return conv.conv1d_transpose(
            x, weights, output_shape, step, padding, form, rate
        )
    is_first = form.startswith("NC")
    axis, wide = (2, "NCHW") if is_first else (1, "NHWC")
    with name_scope(name, "conv1d_transpose") as prefix:
        images, windows = expand_dims(input, axis), expand_dims(filters, 0)
        known = isinstance(output_shape, Operand)
        sizes = output_shape if known else list(output_shape)
        whole = concat([sizes[:axis], [1], sizes[axis:]], 0)
        steps, rates = [1, step], [1, rate]
        made = conv2d_backprop_input(
            whole, windows, images, steps, padding, True, wide, rates, name=prefix
        )
        return squeeze(made, axis)
