"""Colours of images: other scales of numbers, other spaces of colour, brightness and its kin.

Sizes are in resize.py, crops and turns in framing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack, unstack_known
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.linear.einsum import tensordot
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.elementwise import pow as power, rsqrt, sqrt, square
from tensorlite.ops.math.reduce import mean, prod
from tensorlite.ops.operators import abs as abs_of, astype, remainder

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "convert_image_dtype",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "per_image_standardization",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "saturate_cast",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

GREY = (0.2989, 0.5870, 0.1140)
YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
FROM_YIQ = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
FROM_YUV = (
    (1.0, 1.0, 1.0),
    (0.0, -0.394642334, 2.03206185),
    (1.13988303, -0.58062185, 0.0),
)


def saturate_cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """Return `x` in another dtype, its elements limited to what that can hold.

    >>> print(tl.image.saturate_cast([-1.0, 300.0], tl.uint8))
    [  0 255]
    """
    tensor, target = to_tensor(x), as_dtype(dtype)
    if target.is_integer:
        limits = np.iinfo(target.numpy)
        low, high = float(limits.min), float(limits.max)
        if tensor.dtype.is_integer:
            own = np.iinfo(tensor.dtype.numpy)
            bounds = (
                max(int(limits.min), int(own.min)),
                min(int(limits.max), int(own.max)),
            )
            return astype(clip(tensor, *bounds), target)
        if tensor.dtype.is_floating:
            # The greatest float that is no greater than the limit: casting must not overflow.
            kind = tensor.dtype.numpy
            top = np.asarray(high, kind)
            high = float(
                np.nextafter(top, np.asarray(0, kind)) if float(top) > high else top
            )
            return astype(clip(tensor, low, high), target)
    return astype(tensor, target)


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False
) -> Tensor:
    """Return images in another dtype, scaled: floats are of [0, 1], integers of [0, greatest].

    >>> print(tl.image.convert_image_dtype(tl.asarray([0, 255], dtype=tl.uint8), tl.float32))
    [0. 1.]
    """
    x, target = to_tensor(image), as_dtype(dtype)
    if x.dtype is target:
        return x
    cast = saturate_cast if saturate else astype
    if x.dtype.is_integer and target.is_integer:
        have, want = int(np.iinfo(x.dtype.numpy).max), int(np.iinfo(target.numpy).max)
        if have > want:
            return cast(x // ((have + 1) // (want + 1)), target)
        return cast(x, target) * ((want + 1) // (have + 1))
    if x.dtype.is_integer:
        return astype(x, target) * (1.0 / int(np.iinfo(x.dtype.numpy).max))
    if target.is_integer:
        return cast(x * (int(np.iinfo(target.numpy).max) + 0.5), target)
    return astype(x, target)


def _adjusted(image: TensorLike, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return a function of images as floats, in the images' own dtype."""
    x = to_tensor(image)
    wide = x if x.dtype.is_floating else convert_image_dtype(x, dtypes.float32)
    return convert_image_dtype(function(wide), x.dtype, saturate=True)


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Return images with `delta` added, as to images of [0, 1].

    >>> print(tl.image.adjust_brightness([[[0.25]]], 0.5))
    [[[0.75]]]
    """
    return _adjusted(image, lambda x: x + astype(to_tensor(delta), x.dtype))


def adjust_contrast(image: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Return images whose distance from each channel's mean is multiplied by a factor.

    >>> print(tl.image.adjust_contrast([[[0.0], [1.0]]], 0.5)[0, :, 0])
    [0.25 0.75]
    """

    def spread(x: Tensor) -> Tensor:
        middle = mean(x, axis=(-3, -2), keepdims=True)
        return (x - middle) * astype(to_tensor(contrast_factor), x.dtype) + middle

    return _adjusted(image, spread)


def adjust_gamma(
    image: TensorLike, gamma: TensorLike = 1.0, gain: TensorLike = 1.0
) -> Tensor:
    """Return gain * image ** gamma, as of images of [0, 1].

    >>> print(tl.image.adjust_gamma([[[0.5]]], 2.0))
    [[[0.25]]]
    """
    if isinstance(gamma, Real) and gamma < 0:
        raise InvalidArgumentError(
            f"Gamma should be a non-negative real number, not {gamma}"
        )
    return _adjusted(image, lambda x: power(x, gamma) * gain)


def adjust_hue(image: TensorLike, delta: TensorLike) -> Tensor:
    """Return images (red, green, blue) with their colours turned by `delta` of a whole turn.

    >>> print(tl.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5))
    [[[0. 1. 1.]]]
    """

    def turned(x: Tensor) -> Tensor:
        h, s, v = unstack_known(rgb_to_hsv(x), 3, axis=-1)
        return hsv_to_rgb(stack([remainder(h + delta, 1.0), s, v], axis=-1))

    return _adjusted(image, turned)


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike) -> Tensor:
    """Return images (red, green, blue) whose saturation is multiplied by a factor.

    >>> print(tl.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0))
    [[[1. 1. 1.]]]
    """

    def saturated(x: Tensor) -> Tensor:
        h, s, v = unstack_known(rgb_to_hsv(x), 3, axis=-1)
        return hsv_to_rgb(
            stack([h, clip(s * saturation_factor, 0.0, 1.0), v], axis=-1)
        )

    return _adjusted(image, saturated)


class RGBToHSV(Composite):
    """Hue, saturation and value of red, green and blue."""

    def compose(self, images: Tensor) -> Tensor:
        """Return hue, saturation and value."""
        r, g, b = unstack_known(_floats(images), 3, axis=-1)
        v = maximum(maximum(r, g), b)
        reach = v - minimum(minimum(r, g), b)
        grey = reach <= 0
        s = where(v > 0, reach / where(v > 0, v, 1.0), 0.0)
        unit = 1.0 / (6.0 * where(grey, 1.0, reach))
        rest = where(equal(g, v), unit * (b - r) + 2 / 6, unit * (r - g) + 4 / 6)
        h = where(grey, 0.0, where(equal(r, v), unit * (g - b), rest))
        return stack([where(h < 0, h + 1.0, h), s, v], axis=-1)


class HSVToRGB(Composite):
    """Red, green and blue of hue, saturation and value."""

    def compose(self, images: Tensor) -> Tensor:
        """Return red, green and blue."""
        h, s, v = unstack_known(_floats(images), 3, axis=-1)
        turn = h * 6.0
        red = clip(abs_of(turn - 3.0) - 1.0, 0.0, 1.0)
        green = clip(2.0 - abs_of(turn - 2.0), 0.0, 1.0)
        blue = clip(2.0 - abs_of(turn - 4.0), 0.0, 1.0)
        parts = [(1.0 - s + s * part) * v for part in (red, green, blue)]
        return stack(parts, axis=-1)


class AdjustContrastv2(Composite):
    """Images of floats whose distance from each channel's mean is multiplied by a factor."""

    def compose(self, images: Tensor, factor: Tensor) -> Tensor:
        """Return the images."""
        return adjust_contrast(images, factor)


class AdjustHue(Composite):
    """Images of floats whose hue is turned."""

    def compose(self, images: Tensor, delta: Tensor) -> Tensor:
        """Return the images."""
        return adjust_hue(images, delta)


class AdjustSaturation(Composite):
    """Images of floats whose saturation is multiplied by a factor."""

    def compose(self, images: Tensor, scale: Tensor) -> Tensor:
        """Return the images."""
        return adjust_saturation(images, scale)


def rgb_to_hsv(images: TensorLike) -> Tensor:
    """Return hue, saturation and value of red, green and blue, all of [0, 1].

    >>> print(tl.image.rgb_to_hsv([0.0, 1.0, 0.0]))
    [0.333333 1.       1.      ]
    """
    made: Tensor = composed(RGBToHSV(), images)
    return made


def hsv_to_rgb(images: TensorLike) -> Tensor:
    """Return red, green and blue of hue, saturation and value, all of [0, 1].

    >>> print(tl.image.hsv_to_rgb([1 / 3, 1.0, 1.0]))
    [0. 1. 0.]
    """
    made: Tensor = composed(HSVToRGB(), images)
    return made


def _floats(images: TensorLike) -> Tensor:
    x = to_tensor(images)
    if not x.dtype.is_floating:
        raise DTypeError(
            f"colours are floats of [0, 1], not {x.spec}; use tl.image.convert_image_dtype"
        )
    return x


def _mixed(images: TensorLike, weights: Sequence[Sequence[float]]) -> Tensor:
    x = _floats(images)
    return tensordot(x, constant(weights, x.dtype), axes=1)


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Return luminance and chrominance (YIQ) of red, green and blue.

    >>> print(tl.image.rgb_to_yiq([1.0, 0.0, 0.0]))
    [0.299    0.595901 0.2115  ]
    """
    return _mixed(images, YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Return red, green and blue of luminance and chrominance (YIQ).

    >>> print(tl.image.yiq_to_rgb([1.0, 0.0, 0.0]))
    [1. 1. 1.]
    """
    return _mixed(images, FROM_YIQ)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Return luminance and chrominance (YUV) of red, green and blue.

    >>> print(tl.image.rgb_to_yuv([1.0, 0.0, 0.0]))
    [ 0.299    -0.147141  0.614975]
    """
    return _mixed(images, YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Return red, green and blue of luminance and chrominance (YUV).

    >>> print(tl.image.yuv_to_rgb([1.0, 0.0, 0.0]))
    [1. 1. 1.]
    """
    return _mixed(images, FROM_YUV)


def rgb_to_grayscale(images: TensorLike) -> Tensor:
    """Return the brightness of images (..., 3) as images (..., 1) of the same dtype.

    >>> print(tl.image.rgb_to_grayscale([[[1.0, 0.0, 0.0]]]))
    [[[0.2989]]]
    """
    x = to_tensor(images)
    wide = convert_image_dtype(x, dtypes.float32) if x.dtype.is_integer else x
    weights = expand_dims(constant(GREY, wide.dtype), -1)
    return convert_image_dtype(matmul(wide, weights), x.dtype)


def grayscale_to_rgb(images: TensorLike) -> Tensor:
    """Return images (..., 1) with their channel three times.

    >>> print(tl.image.grayscale_to_rgb([[[5]]]))
    [[[5 5 5]]]
    """
    x = to_tensor(images)
    if x.spec.rank is not None and x.shape[-1] not in (1, None):
        raise ShapeError(
            f"grayscale_to_rgb takes images of one channel, not {x.spec}"
        )
    return concat([x, x, x], axis=-1)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Return images less their mean, over their deviation, each for itself.

    The deviation counts as 1 / sqrt(elements) at least, so that even images divide.

    >>> print(tl.image.per_image_standardization([[[0.0], [2.0]]])[0, :, 0])
    [-1.  1.]
    """
    x = to_tensor(image)
    x = x if x.dtype.is_floating else astype(x, dtypes.float32)
    axes = (-3, -2, -1)
    count = astype(prod(shape_of(x)[-3:]), x.dtype)
    middle = mean(x, axis=axes, keepdims=True)
    deviation = sqrt(mean(square(x - middle), axis=axes, keepdims=True))
    return (x - middle) / maximum(deviation, rsqrt(count))
