"""tf.keras.ops.image: sizes, colours, patches, and pixels moved by maps."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.ops.making import fraction, operation, tensor
from tensorlite.compat.v2.keras.src.layers.convolutions import sizes_of
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.images.projections import projected


def channels_last(images: Any, data_format: str | None) -> Any:
    """Return images whose channels are last."""
    value = tensor(images)
    return tl.moveaxis(value, -3, -1) if data_format == "channels_first" else value


def channels_back(images: Any, data_format: str | None) -> Any:
    """Return images with the channels where data_format says, which were last."""
    return tl.moveaxis(images, -1, -3) if data_format == "channels_first" else images


@operation
def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Return images in another size, (height, width), with their dtype.

    interpolation is "bilinear", "nearest", "bicubic", "lanczos3", "lanczos5" or "area". A part of
    the same shape is cut out, or a border of fill_value added, by crop_to_aspect_ratio and
    pad_to_aspect_ratio; fill_mode has no effect.
    """
    value = channels_last(images, data_format)
    height, width = (int(n) for n in size)
    if crop_to_aspect_ratio:
        value = _cropped_to(value, height / width)
    if pad_to_aspect_ratio:
        value = _padded_to(value, height / width, fill_value)
    made = tl.image.resize(value, (height, width), interpolation, antialias=antialias)
    whole = tensor(images).dtype
    if whole.is_integer:
        made = tl.image.saturate_cast(tl.round(made), whole)
    return channels_back(astype(made, whole), data_format)


def _cropped_to(value: Any, ratio: float) -> Any:
    rows, columns = shape_of(value)[-3:-1]
    height = _chosen(min, rows, columns * ratio)
    width = _chosen(min, columns, rows / ratio)
    top, left = (rows - height) // 2, (columns - width) // 2
    return value[..., top : top + height, left : left + width, :]


def _padded_to(value: Any, ratio: float, filling: float) -> Any:
    rows, columns = shape_of(value)[-3:-1]
    height = _chosen(max, rows, columns * ratio)
    width = _chosen(max, columns, rows / ratio)
    top, left = (height - rows) // 2, (width - columns) // 2
    widths = [[0, 0]] * (len(value.shape) - 3)
    widths += [[top, height - rows - top], [left, width - columns - left], [0, 0]]
    sizes = tl.stack([tl.stack([tensor(n, int32) for n in pair]) for pair in widths])
    return tl.pad(value, sizes, "constant", tensor(filling, value.dtype))


def _chosen(function: Any, size: Any, other: Any) -> Any:
    """Return one of two sizes, which may be tensors; the second is cut to a whole number."""
    if isinstance(size, int) and isinstance(other, float):
        return function(size, int(other))
    either = {min: tl.minimum, max: tl.maximum}[function]
    return either(tensor(size, int32), astype(tensor(other), int32))


@operation
def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Any:
    """Return images with one channel, how bright they look."""
    value = channels_last(images, data_format)
    made = tl.image.rgb_to_grayscale(value)
    return channels_back(astype(made, value.dtype), data_format)


@operation
def rgb_to_hsv(images: Any, data_format: str | None = None) -> Any:
    """Return colours as hue, saturation and value, all from 0 to 1."""
    return channels_back(
        tl.image.rgb_to_hsv(channels_last(images, data_format)), data_format
    )


@operation
def hsv_to_rgb(images: Any, data_format: str | None = None) -> Any:
    """Return hue, saturation and value as red, green and blue, all from 0 to 1."""
    return channels_back(
        tl.image.hsv_to_rgb(channels_last(images, data_format)), data_format
    )


@operation
def pad_images(
    images: Any,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """Return images with zeros around them, by widths or up to target sizes."""
    value = channels_last(images, data_format)
    rows, columns = value.shape[-3:-1]
    tall = _borders(top_padding, bottom_padding, rows, target_height)
    wide = _borders(left_padding, right_padding, columns, target_width)
    widths = [*[(0, 0)] * (len(value.shape) - 3), tall, wide, (0, 0)]
    return channels_back(tl.pad(value, widths), data_format)


def _borders(before: Any, after: Any, size: int, target: Any) -> tuple[int, int]:
    """Return how much is added, two of which three numbers say."""
    if [before, after, target].count(None) != 1:
        raise InvalidArgumentError(
            "give exactly two of: the border before, the border behind, the size wanted"
        )
    if before is None:
        before = target - size - after
    return before, target - size - before if after is None else after


@operation
def crop_images(
    images: Any,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """Return images with borders cut off, by widths or down to target sizes."""
    value = channels_last(images, data_format)
    rows, columns = value.shape[-3:-1]
    top, bottom = _cut(top_cropping, bottom_cropping, rows, target_height)
    left, right = _cut(left_cropping, right_cropping, columns, target_width)
    made = value[..., top : rows - bottom, left : columns - right, :]
    return channels_back(made, data_format)


def _cut(before: Any, after: Any, size: int, target: Any) -> tuple[int, int]:
    negated = [None if n is None else -n for n in (before, after)]
    first, last = _borders(negated[0], negated[1], size, target)
    return -first, -last


@operation
def extract_patches(
    images: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Return windows of images, the elements of each as channels.

    Windows are steps apart, by default next to each other; padding is "valid" or "same".
    """
    value = channels_last(images, data_format)
    window = sizes_of(size, 2)
    steps = window if strides is None else sizes_of(strides, 2)
    single = len(value.shape) == 3
    made = tl.image.extract_patches(
        value[None] if single else value,
        window,
        steps,
        sizes_of(dilation_rate, 2),
        padding.upper(),
    )
    return channels_back(made[0] if single else made, data_format)


@operation
def extract_patches_3d(
    volumes: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Return the blocks of volumes, each as a row of its elements, channels last among them."""
    first = data_format == "channels_first"
    given = tensor(volumes)
    single = len(given.shape) == 4
    value = given[None] if single else given
    value = tl.moveaxis(value, 1, -1) if first else value
    window = sizes_of(size, 3)
    steps = window if strides is None else sizes_of(strides, 3)
    channels = int(value.shape[-1])
    length = prod(window) * channels
    rows = np.eye(length).reshape(*window, channels, length)
    kernel = tl.asarray(rows, dtype=value.dtype)
    rates = sizes_of(dilation_rate, 3)
    made = tl.nn.conv3d(value, kernel, steps, padding.upper(), dilations=rates)
    made = tl.moveaxis(made, -1, 1) if first else made
    return made[0] if single else made


@operation
def sobel_edges(images: Any, data_format: str | None = None) -> Any:
    """Return how fast values rise downward and to the right, along a new last axis."""
    return tl.image.sobel_edges(channels_last(images, data_format))


@operation
def map_coordinates(
    inputs: Any,
    coordinates: Any,
    order: int,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
) -> Any:
    """Return what lies at coordinates; `order` 0 takes the nearest element, 1 goes between them."""
    value = tensor(inputs)
    places = list(tl.unstack(fraction(coordinates)))
    low = [tl.floor(x) if order else tl.round(x) for x in places]
    total: Any = 0.0
    for corner in product((0, 1), repeat=len(places) if order else 0):
        at = [a + c for a, c in zip(low, corner, strict=True)] if order else low
        share: Any = 1.0
        for x, a, c in zip(places, low, corner, strict=False):
            share = share * ((x - a) if c else (1.0 - (x - a)))
        found = astype(_looked_up(value, at, fill_mode, fill_value), places[0].dtype)
        total = total + found * share
    if value.dtype.is_integer:
        total = tl.round(total)
    return astype(total, value.dtype)


def _looked_up(value: Any, places: list[Any], mode: str, filling: float) -> Any:
    sizes = shape_of(value)
    inside: Any = None
    found = []
    for x, size in zip(places, sizes, strict=True):
        count = astype(tl.asarray(size), x.dtype)
        within = tl.logical_and(x >= 0, x < count)
        inside = within if inside is None else tl.logical_and(inside, within)
        found.append(astype(_bounded(x, count, mode), int32))
    made = tl.gather_nd(value, tl.stack(found, axis=-1))
    if mode != "constant":
        return made
    return tl.where(inside, made, tl.zeros_like(made) + tensor(filling, made.dtype))


def _bounded(x: Any, count: Any, mode: str) -> Any:
    """Return places inside, which places outside stand for."""
    if mode in {"constant", "nearest"}:
        return tl.clip(x, tl.zeros_like(count), count - 1)
    if mode == "wrap":
        return tl.remainder(x, count)
    if mode == "mirror":
        round_trip = tl.maximum(2 * (count - 1), 1)
        there = tl.remainder(x, round_trip)
        return tl.minimum(there, round_trip - there)
    if mode == "reflect":
        there = tl.remainder(x, 2 * count)
        return tl.minimum(there, 2 * count - 1 - there)
    raise InvalidArgumentError(
        f"fill_mode={mode!r}; it is constant, nearest, wrap, mirror or reflect"
    )


@operation
def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Return images whose pixel (x, y) is that of (a x + b y + c, d x + e y + f).

    A transform is [a, b, c, d, e, f, 0, 0]; pixels outside are found by fill_mode.
    """
    value = channels_last(images, data_format)
    maps = fraction(transform)
    single = len(value.shape) == 3
    maps = maps[None] if len(maps.shape) == 1 else maps
    batch = value[None] if single else value
    whole = projected(batch, maps, interpolation, fill_mode, fill_value)
    return channels_back(whole[0] if single else whole, data_format)


@operation
def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Return images of which four points have gone to others; both are (..., 4, 2), x first."""
    value = channels_last(images, data_format)
    single = len(value.shape) == 3
    start, end = (_corners(x) for x in (start_points, end_points))
    batch = value[None] if single else value
    maps = _homography(start, end)
    made = projected(batch, maps, interpolation, "constant", fill_value)
    return channels_back(made[0] if single else made, data_format)


def _corners(points: Any) -> Any:
    value = fraction(points)
    if tuple(value.shape[-2:]) != (4, 2) or len(value.shape) not in {2, 3}:
        raise InvalidArgumentError(
            "perspective_transform: points are (4, 2) for a single image or (N, 4, 2) for a batch, "
            f"not {tuple(value.shape)}"
        )
    return value[None] if len(value.shape) == 2 else value


def _homography(start: Any, end: Any) -> Any:
    """Return the eight numbers of each map that takes four points back to where they were."""
    x, y = end[..., 0], end[..., 1]
    one, zero = tl.ones_like(x), tl.zeros_like(x)
    rows = []
    for axis in (0, 1):
        own = start[..., axis]
        plane = [x, y, one]
        empty = [zero, zero, zero]
        both = [*plane, *empty] if axis == 0 else [*empty, *plane]
        rows.append(tl.stack([*both, -own * x, -own * y], axis=-1))
    coefficients = tl.concat(rows, axis=1)
    wanted = tl.concat([start[..., 0], start[..., 1]], axis=1)[..., None]
    return tl.linalg.solve(coefficients, wanted)[..., 0]


@operation
def gaussian_blur(
    images: Any,
    kernel_size: Any = (3, 3),
    sigma: Any = (1.0, 1.0),
    data_format: str | None = None,
) -> Any:
    """Return images blurred by a bell of a width sigma, cut off at kernel_size."""
    value = channels_last(images, data_format)
    single = len(value.shape) == 3
    batch = fraction(value[None] if single else value)
    sizes, spreads = sizes_of(kernel_size, 2), tl.unstack(fraction(sigma))
    across, down = (_bell(n, s) for n, s in zip(sizes, spreads, strict=True))
    kernel = tl.reshape(down[:, None] * across, [*sizes, 1, 1])  # in Keras' order
    filters = astype(tl.tile(kernel, [1, 1, batch.shape[-1], 1]), batch.dtype)
    made = tl.nn.depthwise_conv2d(batch, filters, 1, "SAME")
    made = astype(made[0] if single else made, value.dtype)
    return channels_back(made, data_format)


def _bell(size: int, spread: Any) -> Any:
    at = tl.asarray(np.arange(size) - (size - 1) / 2, dtype=spread.dtype)
    weights = tl.exp(-0.5 * (at / spread) ** 2)
    return weights / tl.sum(weights)


@operation
def scale_and_translate(
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Any:
    """Return images of a shape, made larger by scale and moved by translation."""
    kinds = {"linear": "triangle", "bilinear": "triangle", "cubic": "keyscubic"}
    value = tensor(images)
    single = len(value.shape) == 3
    made = tl.image.scale_and_translate(
        value[None] if single else value,
        tuple(int(output_shape[i]) for i in spatial_dims),
        scale,
        translation,
        kinds.get(method, method),
        antialias,
    )
    return made[0] if single else made


@operation
def ssim(
    image1: Any,
    image2: Any,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: str | None = None,
) -> Any:
    """Return the structural similarity of images (Wang et al., 2004), 1 where they are alike."""
    a, b = (channels_last(tensor(x), data_format) for x in (image1, image2))
    return tl.image.ssim(a, b, max_val, filter_size, filter_sigma, k1, k2)
