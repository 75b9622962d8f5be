"""tf.keras.ops.nn over windows: convolutions, forward and transposed, and pooling."""

from __future__ import annotations

from math import prod
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.checking import sizes
from tensorlite.compat.v2.keras.ops.making import (
    fraction,
    operation,
    tensor,
    together,
)
from tensorlite.compat.v2.keras.src.layers.convolutions import sizes_of
from tensorlite.ops.arrays.shape import shape_of


def _form(data_format: str | None, axes: int) -> str:
    last = data_format != "channels_first"
    letters = "DHW"[3 - axes :]
    return f"N{letters}C" if last else f"NC{letters}"


@operation
def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Return the convolution of lines, images or volumes by a kernel.

    A kernel of (*window, channels in a group, outputs) parts the channels in groups. padding is
    "valid" or "same", data_format "channels_last" or "channels_first".
    """
    value, weights = together(fraction(inputs), fraction(kernel))
    form = _form(data_format, len(value.shape) - 2)
    channels = value.shape[form.index("C")]
    groups = channels // weights.shape[-2]
    axis = form.index("C")
    parts = tl.split(value, groups, axis=axis) if groups > 1 else [value]
    kernels = tl.split(weights, groups, axis=-1) if groups > 1 else [weights]
    made = [
        tl.nn.convolution(x, w, strides, padding.upper(), form, dilation_rate)
        for x, w in zip(parts, kernels, strict=True)
    ]
    return tl.concat(made, axis=axis) if groups > 1 else made[0]


@operation
def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Return the transpose of a convolution, by a kernel of (*window, outputs, channels)."""
    value, weights = together(fraction(inputs), fraction(kernel))
    axes = len(value.shape) - 2
    form = _form(data_format, axes)
    steps, rates = sizes_of(strides, axes), sizes_of(dilation_rate, axes)
    sizes = list(shape_of(value))
    extra = (
        [None] * axes if output_padding is None else sizes_of(output_padding, axes)
    )
    for i, letter in enumerate(form.strip("NC")):
        at = form.index(letter)
        reach = (weights.shape[i] - 1) * rates[i] + 1
        sizes[at] = _grown(sizes[at], reach, steps[i], padding, extra[i])
    sizes[form.index("C")] = weights.shape[-2]
    return tl.nn.conv_transpose(
        value,
        weights,
        tl.stack([tensor(n) for n in sizes]),
        steps,
        padding.upper(),
        form,
        rates,
    )


def _grown(size: Any, reach: int, step: int, padding: str, extra: Any) -> Any:
    """Return the size of what a transposed convolution makes along an axis."""
    if extra is None:
        return size * step + (max(reach - step, 0) if padding == "valid" else 0)
    border = reach // 2 if padding == "same" else 0
    return (size - 1) * step + reach - 2 * border + extra


@operation
def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Return the convolution of each channel by itself, by (*window, channels, multiplier)."""
    value, weights = together(fraction(inputs), fraction(kernel))
    is_line = len(value.shape) == 3
    if data_format == "channels_first":
        value = tl.moveaxis(value, 1, -1)
    if is_line:
        value, weights = value[:, None], weights[None]
    made = tl.nn.depthwise_conv2d(
        value,
        weights,
        _square(strides),
        padding.upper(),
        "NHWC",
        _square(dilation_rate),
    )
    made = made[:, 0] if is_line else made
    return tl.moveaxis(made, -1, 1) if data_format == "channels_first" else made


def _square(sizes: Any) -> Any:
    """Return the sizes for an image, of those for a line."""
    if isinstance(sizes, int):
        return (sizes, sizes)
    return tuple(sizes) if len(sizes) == 2 else (sizes[0], sizes[0])


@operation
def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Return the convolution of each channel by itself, then of all at each place."""
    deep = depthwise_conv(
        inputs, depthwise_kernel, strides, padding, data_format, dilation_rate
    )
    return conv(deep, pointwise_kernel, 1, "valid", data_format)


def _pooled(
    kind: Any, inputs: Any, pool_size: Any, strides: Any, padding: str, form: Any
) -> Any:
    value = fraction(inputs)
    axes = len(value.shape) - 2
    window = sizes_of(pool_size, axes)
    steps = window if strides is None else sizes_of(strides, axes)
    return tl.nn.pool(value, window, kind, steps, padding.upper(), _form(form, axes))


@operation
def max_pool(
    inputs: Any,
    pool_size: Any,
    strides: Any = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Return the greatest element of each window, by default window by window."""
    return _pooled("MAX", inputs, pool_size, strides, padding, data_format)


@operation
def average_pool(
    inputs: Any,
    pool_size: Any,
    strides: Any = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Return the mean of each window, by default window by window."""
    return _pooled("AVG", inputs, pool_size, strides, padding, data_format)


def _adapted(reduce: Any, inputs: Any, output_size: Any, form: Any) -> Any:
    """Return a tensor pooled to sizes: each window goes from one share of the size to the next."""
    value = fraction(inputs)
    axes = len(value.shape) - 2
    start = 2 if form == "channels_first" else 1
    for axis, count in enumerate(sizes_of(output_size, axes), start):
        size = value.shape[axis]
        ends = [
            (i * size // count, -((i + 1) * -size // count)) for i in range(count)
        ]
        index = [slice(None)] * axis
        parts = [
            reduce(value[(*index, slice(a, b))], axis=axis, keepdims=True)
            for a, b in ends
        ]
        value = tl.concat(parts, axis=axis)
    return value


@operation
def adaptive_average_pool(
    inputs: Any, output_size: Any, data_format: str | None = None
) -> Any:
    """Return means of as many parts of the places as output_size says."""
    return _adapted(tl.mean, inputs, output_size, data_format)


@operation
def adaptive_max_pool(
    inputs: Any, output_size: Any, data_format: str | None = None
) -> Any:
    """Return the greatest elements of as many parts of the places as output_size says."""
    return _adapted(tl.max, inputs, output_size, data_format)


@operation
def unfold(
    x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Return the windows over (N, C, H, W) as columns: (N, C * window, places)."""
    return _unfolded(tensor(x), *_four(kernel_size, dilation, padding, stride))


@operation
def fold(
    x: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Return images of which windows are columns, added up where windows overlap."""
    columns = tensor(x)
    windows = _four(kernel_size, dilation, padding, stride)
    channels = int(columns.shape[1]) // prod(windows[0])
    shape = [shape_of(columns)[0], channels, *sizes_of(output_size, 2)]
    empty = tl.zeros(shape, dtype=columns.dtype)
    with tl.GradientTape() as tape:
        tape.watch(empty)
        columns_of = _unfolded(empty, *windows)
    return tape.gradient(columns_of, empty, output_gradients=columns)


def _four(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> list[Any]:
    kernel, rates = sizes_of(kernel_size, 2), sizes_of(dilation, 2)
    return [kernel, rates, sizes("padding", padding, 2, 0), sizes_of(stride, 2)]


def _unfolded(x: Any, kernel: Any, rates: Any, borders: Any, steps: Any) -> Any:
    tall, wide = borders
    value = tl.pad(x, [[0, 0], [0, 0], [tall, tall], [wide, wide]])
    value = tl.moveaxis(value, 1, -1)
    made = tl.image.extract_patches(value, kernel, steps, rates, "VALID")
    known = made.shape[1:3]
    places = -1 if None in known else prod(known)
    count, channels, window = shape_of(made)[0], int(x.shape[1]), prod(kernel)
    rows = tl.reshape(made, [count, places, window, channels])
    rows = tl.permute_dims(rows, (0, 3, 2, 1))
    return tl.reshape(rows, [count, channels * window, places])
