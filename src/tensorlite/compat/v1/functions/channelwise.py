"""Convolutions of each channel alone, of TensorFlow 1's tf.nn."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import agreeing, named
from tensorlite.compat.shared.nn import spatial
from tensorlite.compat.v1.functions.convolutions import conv2d
from tensorlite.compat.v1.functions.spreading import (
    base_paddings,
    lies_apart,
    operands,
    spread,
)
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.nn import conv


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
    form = data_format or "NHWC"
    rates = spatial(renamed("rate", rate, "dilations", dilations), 2, form)
    options = (spatial(strides, 2, form), padding, form)
    if active_graph() is None:
        return _depthwise(input, filter, *options, rates)
    with name_scope(name, "depthwise") as prefix:
        x, weights = operands(input, filter, ("tensor_in", "filter_in"))
        return _each_channel(x, weights, options, rates, prefix)


@named("depthwise")
def _depthwise(
    input: Any,
    filter: Any,
    steps: Any,
    padding: Any,
    form: str,
    rates: Any = 1,
    name: str | None = None,
) -> Any:
    x, weights = agreeing(input, filter, ("tensor_in", "filter_in"))
    return conv.depthwise_conv2d(x, weights, steps, padding, form, rates)


def _each_channel(x: Any, weights: Any, options: Any, rates: Any, name: str) -> Any:
    """Return images with each channel convolved alone by a node of a name, and others around."""
    steps, padding, form = options
    dims = weights.get_shape().as_list()
    if None not in dims:
        constant(dims, int32, name="Shape")
        apart = constant(list(rates), int32, name="dilation_rate")
        if lies_apart(dims, rates, steps, padding):
            known = base_paddings(dims, rates, padding, notes=False)
            return spread(
                *(x, apart, known, form),
                lambda y: _depthwise(y, weights, steps, "VALID", form, name=name),
            )
    return _depthwise(x, weights, steps, padding, form, rates, name=name)


@named("DepthwiseConv2dNative")
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return images with each channel convolved alone: TensorFlow's operator itself."""
    x, weights = agreeing(input, filter, ("input", "filter"))
    steps, rates = (
        spatial(strides, 2, data_format),
        spatial(dilations, 2, data_format),
    )
    return conv.depthwise_conv2d(x, weights, steps, padding, data_format, rates)


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
    options = (spatial(strides, 2, form), padding, form)
    if active_graph() is None:
        middle = _depthwise(input, depthwise_filter, *options, rates)
        return conv2d(middle, pointwise_filter, 1, "VALID", data_format=form)
    with name_scope(name, "separable_conv2d") as prefix:
        x, windows = operands(input, depthwise_filter, ("input", "depthwise_filter"))
        across = convert_to_tensor(pointwise_filter, x.dtype, name="pointwise_filter")
        middle = _each_channel(x, windows, options, rates, "depthwise")
        return conv2d(middle, across, 1, "VALID", data_format=form, name=prefix)
