"""What layers of convolutions compute: those of tf.layers, and Keras' in graphs.

A layer is asked for `kernel`, `bias`, `kernel_size`, `strides`, `padding`, `dilation_rate` and
`data_format`; the layers themselves are in convolutions.py and in v1/keras.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tensorlite.compat.shared import arrays, nn as shared_nn
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    channelwise,
    convolutions,
)
from tensorlite.compat.v1.functions.spreading import base_paddings, lies_apart, spread
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import init_scope
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import active_graph

FORMS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
"""The names of the order of axes, by how many of them are of space: channels last, and first."""


def is_first(layer: Any) -> bool:
    """Return whether the channels are the second axis of what a layer takes."""
    return bool(layer.data_format == "channels_first")


def form_of(layer: Any) -> str:
    """Return the name of the order of axes of what a layer takes."""
    return FORMS[len(layer.kernel_size)][is_first(layer)]


def whole(layer: Any, sizes: Sequence[int]) -> list[int]:
    """Return sizes of all axes: ones for batch and channels."""
    return [1, 1, *sizes] if is_first(layer) else [1, *sizes, 1]


def padded(layer: Any, inputs: Any) -> tuple[Any, str]:
    """Return inputs and the padding that is left to do, so that no output knows later inputs."""
    if layer.padding != "causal":
        return inputs, layer.padding.upper()
    pads = [[0, 0], [0, 0], [0, 0]]
    before = layer.dilation_rate[0] * (layer.kernel_size[0] - 1)
    pads[2 if is_first(layer) else 1] = [before, 0]
    return pad(inputs, pads), "VALID"


def convolved(layer: Any, inputs: Any, padding: str) -> Any:
    """Return inputs convolved, by way of blocks where the kernel's elements lie apart."""
    rates, noted = layer.dilation_rate, _noted_rate(layer)
    dims = layer.kernel.get_shape().as_list()
    if not lies_apart(dims, rates, layer.strides, padding):
        return _moved(layer, inputs, padding, rates)
    least = base_paddings(dims, rates, padding)
    ones = (1,) * len(rates)
    return spread(
        *(inputs, noted, least, form_of(layer)),
        lambda x: _moved(layer, x, "VALID", ones),
    )


_notes: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()
"""What is noted of layers, with the graph that it is noted in."""


def _noted_rate(layer: Any) -> Any:
    """Return how far apart the kernel's elements are, in the node TensorFlow makes of it once.

    Seeds of random numbers count the nodes before them, so that later layers begin alike.
    """
    graph = active_graph()
    if graph is None:
        return None
    known = _notes.get(layer)
    if known is None or known[0] is not graph:
        with init_scope():
            made = constant(list(layer.dilation_rate), int32, name="dilation_rate")
        known = _notes[layer] = graph, made
    return known[1]


def _moved(layer: Any, inputs: Any, padding: str, rates: Sequence[int]) -> Any:
    """Return inputs over which the kernel was moved, its elements so far apart."""
    form = form_of(layer)
    if len(rates) == 1:
        return convolutions.conv1d(
            inputs,
            layer.kernel,
            layer.strides[0],
            padding,
            data_format=form,
            dilations=rates[0],
        )
    move: Any = convolutions.conv2d if len(rates) == 2 else shared_nn.conv3d
    return move(
        inputs,
        layer.kernel,
        whole(layer, layer.strides),
        padding,
        data_format=form,
        dilations=whole(layer, rates),
    )


def biased(layer: Any, outputs: Any) -> Any:
    """Return outputs with the layer's bias, if it has one."""
    if layer.bias is None:
        return outputs
    form = "NCHW" if is_first(layer) else "NHWC"
    return shared_nn.bias_add(outputs, layer.bias, data_format=form)


def transposed(
    layer: Any, inputs: Any, padding: str, longer: Callable[[Any, int], Any]
) -> Any:
    """Return what a convolution would give inputs for; `longer` says the sizes of its axes."""
    count = len(layer.kernel_size)
    first = 2 if is_first(layer) else 1
    axes = range(first, first + count)
    known = inputs.get_shape().as_list()
    found = known if active_graph() is None else v1_arrays.shape(inputs)
    batch, *sizes = [found[x] for x in (0, *axes)]
    given = [longer(n, i) for i, n in enumerate(sizes)]
    static = [
        None if known[x] is None else longer(known[x], i) for i, x in enumerate(axes)
    ]
    shape = arrays.stack(_ordered(layer, batch, given))
    if count == 2 and active_graph() is not None:
        shape[0]  # as TensorFlow does, in vain
    kinds = convolutions.conv2d_transpose, convolutions.conv3d_transpose
    outputs = kinds[count - 2](
        inputs,
        layer.kernel,
        shape,
        whole(layer, layer.strides),
        padding,
        form_of(layer),
    )
    if hasattr(outputs, "set_shape"):
        outputs.set_shape(_ordered(layer, known[0], static))
    return outputs


def longer(layer: Any, size: Any, i: int) -> Any:
    """Return the size of an axis of a transposed convolution's outputs."""
    made = size * layer.strides[i]
    if layer.padding == "valid":
        made += max(layer.kernel_size[i] - layer.strides[i], 0)
    return made


def _ordered(layer: Any, batch: Any, sizes: list[Any]) -> list[Any]:
    if is_first(layer):
        return [batch, layer.filters, *sizes]
    return [batch, *sizes, layer.filters]


def separated(layer: Any, inputs: Any) -> Any:
    """Return inputs each of whose channels is convolved alone, then all of them, with the bias."""
    inputs, padding = padded(layer, inputs)
    if len(layer.kernel_size) == 2:
        return biased(layer, _separated(layer, inputs, padding))
    axis = 2 if is_first(layer) else 1
    wide = v1_arrays.expand_dims(inputs, axis)
    outputs = biased(layer, _separated(layer, wide, padding))
    return v1_arrays.squeeze(outputs, [axis])


def _separated(layer: Any, inputs: Any, padding: str) -> Any:
    kernels = [layer.depthwise_kernel, layer.pointwise_kernel]
    steps, rates = layer.strides, layer.dilation_rate
    if len(steps) == 1:
        kernels = [v1_arrays.expand_dims(x, 0) for x in kernels]
        steps, rates = steps * 2, rates * 2
    return channelwise.separable_conv2d(
        inputs,
        kernels[0],
        kernels[1],
        strides=whole(layer, steps),
        padding=padding,
        rate=list(rates),
        data_format=FORMS[2][is_first(layer)],
    )
