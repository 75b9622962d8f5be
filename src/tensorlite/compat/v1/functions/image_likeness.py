"""How alike images are, in graphs: nodes and names are those of TensorFlow 1.

What runs at once is in shared/images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    identity,
    range as counted,
    reshape,
    shape_n,
    stack,
)
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    abs as magnitude,
    cast,
    equal,
    greater_equal,
    log,
    not_equal,
    pow as power,
    square,
    squared_difference,
    subtract,
)
from tensorlite.compat.shared.images import image
from tensorlite.compat.shared.nn import relu
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.functions.arrays import shape, size
from tensorlite.compat.v1.functions.channelwise import depthwise_conv2d
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.convolutions import avg_pool
from tensorlite.compat.v1.functions.image_colours import convert_image_dtype
from tensorlite.compat.v1.functions.nn_functions import softmax
from tensorlite.compat.v1.functions.numbers import (
    reduce_all,
    reduce_any,
    reduce_mean,
    reduce_prod,
    reduce_sum,
)
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Of likeness at five scales, after Wang and others, 2003."""


def total_variation(images: Any, name: str | None = None) -> Any:
    """Return the sum of the magnitudes of differences of neighbours, of images or one."""
    if active_graph() is None:
        return image.total_variation(images, name=name)
    with name_scope(name, "total_variation"):
        x = convert_to_tensor(images)
        rank, axes = x.get_shape().rank, None
        if rank not in (3, 4):
            raise ShapeError(
                f"total_variation takes images of rank 3 or 4, not {rank}"
            )
        if rank == 3:
            down = x[1:, :, :] - x[:-1, :, :]
            across = x[:, 1:, :] - x[:, :-1, :]
        else:
            down = x[:, 1:, :, :] - x[:, :-1, :, :]
            across = x[:, :, 1:, :] - x[:, :, :-1, :]
            axes = [1, 2, 3]
        parts = [reduce_sum(magnitude(y), axis=axes) for y in (down, across)]
        return parts[0] + parts[1]


def _is_written(*images: Any) -> bool:
    """Return whether images are tensors of a graph that may be alike; others' errors tell."""
    if active_graph() is None or not all(isinstance(x, Operand) for x in images):
        return False
    known = [x.__tensor__().spec.shape for x in images]
    return all(x is not None and len(x) > 2 for x in known) and all(
        m == n or None in (m, n)
        for m, n in zip(known[0][-3:], known[1][-3:], strict=True)
    )


def _checks(x: Any, y: Any) -> tuple[list[Any], list[Any]]:
    """Return the shapes of images, and what fails unless they are of one size."""
    sizes = shape_n([x, y])
    first, second = sizes
    are_images = Assert(greater_equal(size(first), 3), sizes, summarize=10)
    alike = reduce_all(equal(first[-3:], second[-3:]))
    return list(sizes), [are_images, Assert(alike, sizes, summarize=10)]


def _same_scale(x: Any, y: Any, max_val: Any) -> tuple[Any, Any, Any]:
    top = convert_image_dtype(cast(max_val, x.dtype), float32)
    return convert_image_dtype(x, float32), convert_image_dtype(y, float32), top


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Return the ratio of signal and noise between images, in decibels."""
    if not _is_written(a, b):
        return image.psnr(a, b, max_val, name=name)
    with name_scope(name, "PSNR"):
        x, y, top = _same_scale(a, b, max_val)
        error = reduce_mean(squared_difference(x, y), [-3, -2, -1])
        most = 20 * log(top) / log(10.0)
        noise = np.float32(10 / np.log(10)) * log(error)
        found = subtract(most, noise, name="psnr")
        with control_dependencies(_checks(x, y)[1]):
            return identity(found)


def _window(count: Any, sigma: Any) -> Any:
    """Return a window of Gaussian weights."""
    places = cast(counted(count), sigma.dtype)
    places -= cast(count - 1, sigma.dtype) / 2.0
    weights = square(places)
    weights *= -0.5 / square(sigma)
    grid = reshape(weights, [1, -1]) + reshape(weights, [-1, 1])
    whole = softmax(reshape(grid, [1, -1]))
    return reshape(whole, [count, count, 1, 1])


def _by_channel(
    x: Any, y: Any, top: Any, options: Sequence[float]
) -> tuple[Any, Any]:
    """Return likeness, and that of contrast and structure alone, of each channel."""
    filter_size, filter_sigma, k1, k2 = options
    count = constant(filter_size, int32)
    sigma = constant(filter_sigma, x.dtype)
    sizes = shape_n([x, y])
    checks = [
        Assert(
            reduce_all(greater_equal(one[-3:-1], count)), [one, count], summarize=8
        )
        for one in sizes
    ]
    with control_dependencies(checks):
        x = identity(x)
    weights = tile(_window(count, sigma), [1, 1, sizes[0][-1], 1])

    def smoothed(z: Any) -> Any:
        own = shape(z)
        flat = reshape(z, concat([[-1], own[-3:]], 0))
        found = depthwise_conv2d(flat, weights, strides=[1] * 4, padding="VALID")
        return reshape(found, concat([own[:-3], shape(found)[1:]], 0))

    luminance, rest = _parts(x, y, smoothed, ((k1 * top) ** 2, (k2 * top) ** 2))
    axes = constant([-3, -2], int32)
    return reduce_mean(luminance * rest, axes), reduce_mean(rest, axes)


def _parts(
    x: Any, y: Any, smoothed: Callable[[Any], Any], least: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Return likeness of luminance, and of contrast and structure, at each place."""
    first, second = least
    mean_x, mean_y = smoothed(x), smoothed(y)
    product = mean_x * mean_y * 2.0
    squares = square(mean_x) + square(mean_y)
    luminance = (product + first) / (squares + first)
    both = smoothed(x * y) * 2.0
    all_squares = smoothed(square(x) + square(y))
    second *= 1.0
    return luminance, (both - product + second) / (all_squares - squares + second)


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """Return the structural likeness of images, 1 for those that are the same.

    Windows are filter_size wide, weighted by a Gaussian of width filter_sigma; k1 and k2 are shares
    of max_val that keep quotients finite.
    """
    options = (filter_size, filter_sigma, k1, k2)
    if not _is_written(img1, img2):
        return image.ssim(img1, img2, max_val, *options)
    with control_dependencies(_checks(img1, img2)[1]):
        first = identity(img1)
    x, y, top = _same_scale(first, img2, max_val)
    return reduce_mean(_by_channel(x, y, top, options)[0], [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = _POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """Return the structural likeness of images at several scales, each half of the one before.

    power_factors say how much each scale counts; the other arguments are those of `ssim`.
    """
    options = (filter_size, filter_sigma, k1, k2)
    if not _is_written(img1, img2):
        return image.ssim_multiscale(img1, img2, max_val, power_factors, *options)
    with name_scope(None, "MS-SSIM"):
        x = convert_to_tensor(img1, name="img1")
        y = convert_to_tensor(img2, name="img2")
        sizes, checks = _checks(x, y)
        with control_dependencies(checks):
            x = identity(x)
        x, y, top = _same_scale(x, y, max_val)
        return _at_scales([x, y], sizes, top, (power_factors, options))


def _at_scales(images: list[Any], sizes: list[Any], top: Any, how: Any) -> Any:
    powers, options = how
    heads, tails = [one[:-3] for one in sizes], [one[-3:] for one in sizes]
    halves = constant([2, 2, 1], int32)
    parts: list[Any] = []
    likeness: Any = None
    for number in range(len(powers)):
        with name_scope(None, f"Scale{number}"):
            if number:
                images, tails = _halved(images, heads, tails, halves)
            first, second = images
            likeness, rest = _by_channel(first, second, top, options)
            parts.append(relu(rest))
    all_parts = stack([*parts[:-1], relu(likeness)], -1)
    return reduce_mean(reduce_prod(power(all_parts, powers), [-1]), [-1])


def _halved(
    images: list[Any], heads: list[Any], tails: list[Any], halves: Any
) -> tuple[list[Any], list[Any]]:
    """Return images of half the size, and the sizes that they have without those of the batch."""
    flat = [
        reshape(x, concat([[-1], tail], 0))
        for x, tail in zip(images, tails, strict=True)
    ]
    over = tails[0] % halves

    def filled() -> list[Any]:
        ends = pad(expand_dims(over, -1), [[1, 0], [1, 0]])
        return [pad(x, ends, mode="SYMMETRIC") for x in flat]

    even = cond(reduce_any(not_equal(over, 0)), filled, lambda: flat)
    window = [1, 2, 2, 1]
    down = [avg_pool(x, ksize=window, strides=window, padding="VALID") for x in even]
    tails = [x[1:] for x in shape_n(down)]
    joined = zip(down, heads, tails, strict=True)
    return [reshape(x, concat([head, tail], 0)) for x, head, tail in joined], tails
