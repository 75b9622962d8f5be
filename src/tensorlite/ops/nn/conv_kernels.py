"""Convolutions of arrays by windows, columns and matrix products. The operators are in conv.py.

Images are NHWC here. Columns (im2col: one row per place, one column per element of the window) are
built in blocks that fit the cache, which measures twice as fast as building all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tensorlite.core.xp import Array, Xp
from tensorlite.ops.nn.windows import Window

HOST_BLOCK = 1 << 20
DEVICE_BLOCK = 1 << 28
"""Bytes of columns built at a time: half a core's cache; on a GPU, launches must be few."""
NARROW = 16
"""With fewer elements in a row of the window, columns are built place by place along the image."""


def convolve(xp: Xp, x: Array, filters: Array, window: Window) -> Array:
    """Return the convolution of images (n, h, w, c) with filters (kh, kw, c / groups, o)."""
    groups = x.shape[3] // filters.shape[2]
    if groups > 1:
        return _by_groups(
            xp, lambda part, w: convolve(xp, part, w, window), groups, x, filters
        )
    kernel = filters.reshape(-1, filters.shape[3])
    out = xp.empty((x.shape[0], *window.places, filters.shape[3]), x.dtype)
    for images, rows, columns in _columns(xp, x, window):
        # A block is of whole images or of rows of one, so that this is a view of the result.
        part = out[images, rows].reshape(-1, filters.shape[3])
        xp.matmul(columns, kernel, out=part)
    return out


def _by_groups(
    xp: Xp,
    function: Callable[[Array, Array], Array],
    groups: int,
    first: Array,
    second: Array,
) -> Array:
    """Return a function's results for groups of channels, the last axis, side by side."""
    ones = xp.split(first, groups, axis=3)
    others = xp.split(second, groups, axis=3)
    found = [function(one, other) for one, other in zip(ones, others, strict=True)]
    return xp.concatenate(found, axis=3)


def filter_gradient(xp: Xp, x: Array, dy: Array, depth: int, window: Window) -> Array:
    """Return the gradient for filters that take `depth` channels each, given that of the result."""
    groups = x.shape[3] // depth
    if groups > 1:
        return _by_groups(
            xp,
            lambda part, flow: filter_gradient(xp, part, flow, depth, window),
            groups,
            x,
            dy,
        )
    height, width = window.size
    total = xp.zeros((height * width * depth, dy.shape[3]), x.dtype)
    for images, rows, columns in _columns(xp, x, window):
        total += xp.matmul(columns.T, dy[images, rows].reshape(-1, dy.shape[3]))
    return total.reshape(height, width, depth, dy.shape[3])


def image_gradient(
    xp: Xp, dy: Array, filters: Array, window: Window, channels: int
) -> Array:
    """Return the gradient for the images, given that of the result (n, oh, ow, o)."""
    depth = filters.shape[2]
    groups = channels // depth
    if groups > 1:
        return _by_groups(
            xp,
            lambda flow, w: image_gradient(xp, flow, w, window, depth),
            groups,
            dy,
            filters,
        )
    turned = _turned(window)
    if turned is not None and filters.shape[3] <= 2 * depth:
        return convolve(
            xp, dy, xp.ascontiguousarray(filters[::-1, ::-1].swapaxes(2, 3)), turned
        )
    return _scattered(xp, dy, filters, window)


def _turned(window: Window) -> Window | None:
    """Return the window that a convolution's transpose is a convolution by, if there is one.

    With steps of one it is the same window turned round, its padding made up to its reach. Few
    results make few columns of it, and nothing need be scattered.
    """
    if window.strides != (1, 1):
        return None
    reach = [(n - 1) * d for n, d in zip(window.size, window.dilations, strict=True)]
    (top, bottom), (left, right) = window.pads
    rows, columns = (
        (reach[0] - top, reach[0] - bottom),
        (reach[1] - left, reach[1] - right),
    )
    if min(*rows, *columns) < 0:
        return None
    return Window(
        window.size,
        (1, 1),
        window.dilations,
        (rows, columns),
        window.places,
        window.image,
    )


def _scattered(xp: Xp, dy: Array, filters: Array, window: Window) -> Array:
    """Return the gradient for the images as columns that are added up where they overlap."""
    depth = filters.shape[2]
    dx = xp.zeros((dy.shape[0], *window.image, depth), dy.dtype)
    kernel = filters.reshape(-1, filters.shape[3]).T
    each = (
        dy[:1].size // max(filters.shape[3], 1) * kernel.shape[1] * dy.dtype.itemsize
    )
    step = max(1, _block(xp) // max(each, 1))
    for first in range(0, dy.shape[0], step):
        flow = dy[first : first + step]
        columns = xp.matmul(flow.reshape(-1, flow.shape[3]), kernel)
        columns = columns.reshape(*flow.shape[:3], *window.size, depth)
        target = dx[first : first + step]
        for i, j, (rows, cols), (out_rows, out_cols) in window.taps:
            target[:, rows, cols] += columns[:, out_rows, out_cols, i, j]
    return dx


def _block(xp: Xp) -> int:
    return HOST_BLOCK if xp is np else DEVICE_BLOCK


def _columns(
    xp: Xp, x: Array, window: Window
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield blocks of columns: which images, which rows of places, and a matrix of these."""
    if window.size == window.strides == (1, 1) and not any(map(any, window.pads)):
        yield slice(None), slice(None), x.reshape(-1, x.shape[3])
        return
    view = windows(xp, padded(xp, x, window), window)
    count, height, width, *element = view.shape
    row = max(1, width * int(np.prod(element)) * x.dtype.itemsize)
    rows = min(height, max(1, _block(xp) // row))
    images = max(1, _block(xp) // (row * max(rows, 1))) if rows == height else 1
    narrow = element[1] * element[2] < NARROW
    for image in range(0, count, images):
        for first in range(0, height, max(rows, 1)):
            part = view[image : image + images, first : first + rows]
            yield (
                slice(image, image + images),
                slice(first, first + rows),
                _matrix(part, narrow),
            )


def _matrix(part: Array, narrow: bool) -> Array:
    """Return windows as a matrix, one row per place, copied along the longer of the two runs."""
    places = part.shape[0] * part.shape[1] * part.shape[2]
    size = part.shape[3] * part.shape[4] * part.shape[5]
    if narrow:
        return part.transpose(3, 4, 5, 0, 1, 2).reshape(size, places).T
    return part.reshape(places, size)


def padded(xp: Xp, x: Array, window: Window) -> Array:
    """Return images with the window's zeros around them."""
    (top, bottom), (left, right) = window.pads
    if not (top or bottom or left or right):
        return x
    count, height, width, channels = x.shape
    out = xp.zeros(
        (count, top + height + bottom, left + width + right, channels), x.dtype
    )
    out[:, top : top + height, left : left + width] = x
    return out


def windows(xp: Xp, x: Array, window: Window) -> Array:
    """Return a view (n, oh, ow, kh, kw, c) of padded images: the window at each of its places."""
    image, row, column, channel = x.strides
    shape = (x.shape[0], *window.places, *window.size, x.shape[3])
    (down, across), (below, beside) = window.strides, window.dilations
    steps = (
        image,
        row * down,
        column * across,
        row * below,
        column * beside,
        channel,
    )
    return xp.lib.stride_tricks.as_strided(x, shape, steps)
