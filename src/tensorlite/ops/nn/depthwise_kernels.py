"""Depthwise convolutions of arrays: each channel by itself. The operators are in conv.py.

Images are NHWC here. A row of an image, all its columns and channels, is one run of numbers, which
an element of the filters meets at once. Where windows step over columns, the images' columns are
sorted by their remainders first, so that those that the element meets are one run again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensorlite.core.xp import Array, Xp
from tensorlite.ops.nn.windows import Window

HOST_BLOCK = 1 << 18
"""Bytes of images taken at a time: with what is made of them a core's cache holds these."""


def depthwise(xp: Xp, x: Array, filters: Array, window: Window) -> Array:
    """Return each channel convolved with its own filters (kh, kw, c, multiplier)."""
    wide, rows = _repeated(xp, x, filters.shape[3]), _as_rows(xp, filters, window)
    height, width = window.places
    out = xp.zeros((len(x), height, width * wide.shape[3]), x.dtype)
    for images in _blocks(xp, wide):
        padded = _sorted(xp, wide[images], window)
        for i, j, met in _taps(padded, window):
            out[images] += met * rows[i, j]
    return out.reshape(len(x), height, width, wide.shape[3])


def depthwise_image_gradient(
    xp: Xp, dy: Array, filters: Array, window: Window
) -> Array:
    """Return the gradient of a depthwise convolution for the images."""
    channels, multiplier = filters.shape[2:]
    rows, flow = _as_rows(xp, filters, window), _lines(dy)
    dx = xp.empty((len(dy), *window.image, channels * multiplier), dy.dtype)
    for images in _blocks(xp, dx):
        padded = xp.moveaxis(_empty_sorted(xp, dx[images], window), 3, 0)
        padded = xp.ascontiguousarray(padded)
        for i, j, met in _taps(padded, window):
            xp.add(met, flow[images] * rows[i, j], out=met)
        dx[images] = _inner(xp.moveaxis(padded, 0, 3), window)
    parts = dx.reshape(*dx.shape[:3], channels, multiplier)
    return parts[..., 0] if multiplier == 1 else xp.sum(parts, -1, dtype=dy.dtype)


def depthwise_filter_gradient(
    xp: Xp, x: Array, dy: Array, multiplier: int, window: Window
) -> Array:
    """Return the gradient of a depthwise convolution for the filters."""
    wide, flow = _repeated(xp, x, multiplier), _lines(dy)
    total = xp.zeros((*window.size, flow.shape[2]), x.dtype)
    for images in _blocks(xp, wide):
        padded = _sorted(xp, wide[images], window)
        for i, j, met in _taps(padded, window):
            total[i, j] += _products(xp, met, flow[images])
    each = total.reshape(*window.size, window.places[1], x.shape[3], multiplier)
    return xp.sum(each, axis=2, dtype=x.dtype)


def _products(xp: Xp, x: Array, y: Array) -> Array:
    """Return the sums of x * y over the first two axes, without an array of the products."""
    if x.dtype.kind not in "fc":
        return xp.sum(x * y, axis=(0, 1), dtype=x.dtype)
    return xp.einsum("nhk,nhk->k", x, y)


def _repeated(xp: Xp, x: Array, multiplier: int) -> Array:
    """Return images with each channel as often as it has filters."""
    return x if multiplier == 1 else xp.repeat(x, multiplier, axis=3)


def _lines(images: Array) -> Array:
    """Return images with columns and channels as one axis."""
    count, height, width, channels = images.shape
    return images.reshape(count, height, width * channels)


def _as_rows(xp: Xp, filters: Array, window: Window) -> Array:
    """Return for each element of the window what a row of the result is multiplied by."""
    each = filters.reshape(*window.size, -1)
    return xp.tile(each, (1, 1, window.places[1]))


def _blocks(xp: Xp, x: Array) -> Iterator[slice]:
    each = max(1, x[:1].size * x.dtype.itemsize)
    step = max(1, HOST_BLOCK // each) if xp is np else max(1, len(x))
    for first in range(0, len(x), step):
        yield slice(first, first + step)


def _columns(window: Window) -> int:
    """Return how many columns of padded images have one remainder."""
    return -(-sum((*window.pads[1], window.image[1])) // window.strides[1])


def _empty_sorted(xp: Xp, like: Array, window: Window) -> Array:
    """Return zeros (n, rows, columns, remainder, channels) where padded images find room."""
    rows = sum((*window.pads[0], window.image[0]))
    columns, step = _columns(window), window.strides[1]
    return xp.zeros((len(like), rows, columns, step, like.shape[3]), like.dtype)


def _sorted(xp: Xp, x: Array, window: Window) -> Array:
    """Return padded images as (remainder, n, rows, columns, channels)."""
    out = _empty_sorted(xp, x, window)
    _inner(out, window)[...] = x
    return xp.ascontiguousarray(xp.moveaxis(out, 3, 0))


def _inner(padded: Array, window: Window) -> Array:
    """Return the view of what is within the padding, of images in their own order."""
    (top, _), (left, _) = window.pads
    height, width = window.image
    count, rows, columns, step, channels = padded.shape
    whole = padded.reshape(count, rows, columns * step, channels)
    return whole[:, top : top + height, left : left + width]


def _taps(x: Array, window: Window) -> Iterator[tuple[int, int, Array]]:
    """Yield each element of the window, and the view of what it meets at all places."""
    (down, across), (below, beside) = window.strides, window.dilations
    height, width = window.places
    step, count, rows, columns, channels = x.shape
    lines = x.reshape(step, count, rows, columns * channels)
    for i in range(window.size[0]):
        met = slice(i * below, i * below + down * (height - 1) + 1, down)
        for j in range(window.size[1]):
            first, remainder = divmod(j * beside, across)
            run = slice(first * channels, (first + width) * channels)
            yield i, j, lines[remainder, :, met, run]
