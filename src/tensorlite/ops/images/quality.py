"""Measures of images: edges, variation, and how alike two images are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant, floating, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.padding import pad_ends
from tensorlite.ops.arrays.repeat import pad
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.images.colours import convert_image_dtype
from tensorlite.ops.math.arithmetic import broadcast_to, sum as sum_of
from tensorlite.ops.math.elementwise import log10, pow as power, square
from tensorlite.ops.math.reduce import mean, prod as prod_of
from tensorlite.ops.nn.activations import relu
from tensorlite.ops.nn.conv import depthwise_conv2d
from tensorlite.ops.nn.pool import avg_pool2d
from tensorlite.ops.operators import abs as abs_of, reshape

__all__ = [
    "image_gradients",
    "psnr",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "total_variation",
]

_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Return differences of neighbours of images down and across, 0 in the last row and column.

    >>> down, across = tl.image.image_gradients([[[[1.0], [3.0]], [[2.0], [7.0]]]])
    >>> print(down[0, :, :, 0])
    [[1. 4.]
     [0. 0.]]
    """
    x = to_tensor(image)
    if x.spec.rank != 4:
        raise ShapeError(f"images are (batch, height, width, channels), not {x.spec}")
    down = pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    across = pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, across


def sobel_edges(image: TensorLike) -> Tensor:
    """Return Sobel's slopes of images down and across, along a new last axis of size 2.

    >>> tl.image.sobel_edges(tl.ones((1, 3, 3, 2))).shape
    (1, 3, 3, 2, 2)
    """
    x = floating(to_tensor(image))
    wide = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="reflect")
    height, width = sizes(x)[1:3]
    part = [
        [wide[:, i : i + height, j : j + width] for j in range(3)] for i in range(3)
    ]
    down = [part[2][j] - part[0][j] for j in range(3)]
    across = [part[i][2] - part[i][0] for i in range(3)]
    slopes = [side[0] + 2.0 * side[1] + side[2] for side in (down, across)]
    return stack(slopes, axis=-1)


def total_variation(images: TensorLike) -> Tensor:
    """Return the sum of the magnitudes of differences of neighbours, for each image.

    >>> print(tl.image.total_variation([[[1.0], [3.0]], [[2.0], [7.0]]]))
    12.0
    """
    x = to_tensor(images)
    if x.spec.rank not in (3, 4):
        raise ShapeError(f"total_variation takes images of rank 3 or 4, not {x.spec}")
    down = abs_of(x[..., 1:, :, :] - x[..., :-1, :, :])
    across = abs_of(x[..., :, 1:, :] - x[..., :, :-1, :])
    axes = (-3, -2, -1)
    return sum_of(down, axis=axes) + sum_of(across, axis=axes)


def _same_scale(
    a: TensorLike, b: TensorLike, max_val: float
) -> tuple[Tensor, Tensor, float]:
    """Return two images as floats, and the greatest value that either may have."""
    x, y = to_tensor(a), to_tensor(b)
    whole = x.dtype.is_integer
    top = max_val / int(np.iinfo(x.dtype.numpy).max) if whole else max_val
    wide = [convert_image_dtype(one, dtypes.float32) for one in (x, y)]
    return wide[0], wide[1], float(top)


def psnr(a: TensorLike, b: TensorLike, max_val: float) -> Tensor:
    """Return the ratio of signal and noise between images, in decibels.

    >>> print(tl.image.psnr([[[0.0]]], [[[0.1]]], 1.0))
    20.0
    """
    x, y, top = _same_scale(a, b, max_val)
    error = mean(square(x - y), axis=(-3, -2, -1))
    return 20.0 * log10_of(top) - log10(error) * 10.0


def log10_of(number: float) -> float:
    """Return the decimal logarithm of a number."""
    return float(np.log10(number))


def _window(size: int, sigma: float, dtype: DType) -> Any:
    at = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 * np.square(at / sigma))
    grid = np.outer(weights, weights)
    return (grid / grid.sum()).astype(dtype.numpy)


def _likeness(
    x: Tensor, y: Tensor, top: float, window: Any, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Return the structural likeness at each place, and its part of contrast and structure."""
    channels = sizes(x)[-1]
    weights = broadcast_to(window[:, :, None, None], [*window.shape, channels, 1])

    def smoothed(z: Tensor) -> Tensor:
        flat = reshape(z, [-1, *sizes(z)[-3:]])
        found = depthwise_conv2d(flat, weights)
        return reshape(found, [*sizes(z)[:-3], *sizes(found)[1:]])

    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    mean_x, mean_y = smoothed(x), smoothed(y)
    product, squares = mean_x * mean_y * 2.0, square(mean_x) + square(mean_y)
    luminance = (product + c1) / (squares + c1)
    both = smoothed(x * y) * 2.0
    all_squares = smoothed(square(x) + square(y))
    structure = (both - product + c2) / (all_squares - squares + c2)
    return luminance * structure, structure


def ssim(
    a: TensorLike,
    b: TensorLike,
    max_val: float,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Return the structural similarity of images (Wang et al. 2004), 1 where they are equal.

    >>> image = tl.ones((1, 11, 11, 1))
    >>> print(tl.image.ssim(image, image, 1.0))
    [1.]
    """
    x, y, top = _same_scale(a, b, max_val)
    window = _window(filter_size, filter_sigma, x.dtype)
    found, _ = _likeness(x, y, top, window, k1, k2)
    if return_index_map:
        return mean(found, axis=-1)
    return mean(mean(found, axis=(-3, -2)), axis=-1)


def ssim_multiscale(
    a: TensorLike,
    b: TensorLike,
    max_val: float,
    power_factors: Sequence[float] = _SCALES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Return the structural similarity over several scales, each half of the last.

    >>> image = tl.ones((1, 22, 22, 1))
    >>> print(tl.image.ssim_multiscale(image, image, 1.0, (0.5, 0.5)))
    [1.]
    """
    x, y, top = _same_scale(a, b, max_val)
    window = _window(filter_size, filter_sigma, x.dtype)
    parts = []
    for number in range(len(power_factors)):
        if number:
            x, y = _halved(x), _halved(y)
        whole, structure = _likeness(x, y, top, window, k1, k2)
        last = number == len(power_factors) - 1
        parts.append(relu(mean(whole if last else structure, axis=(-3, -2))))
    weights = constant(power_factors, x.dtype)
    return mean(prod_of(power(stack(parts, axis=-1), weights), axis=-1), axis=-1)


def _halved(x: Tensor) -> Tensor:
    """Return images of half the size; a last odd row or column is mirrored."""
    flat = reshape(x, [-1, *sizes(x)[-3:]])
    height, width = sizes(flat)[1:3]
    ends = [(0, 0), (0, height % 2), (0, width % 2), (0, 0)]
    flat = pad_ends(flat, ends, mode="symmetric")
    found = avg_pool2d(flat, 2)
    return reshape(found, [*sizes(x)[:-3], *sizes(found)[1:]])
