"""Colours of images, by the nodes of TensorFlow 1: what it has as one operator is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import explained
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    identity,
    ones,
    rank,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    add,
    cast,
    floordiv,
    multiply,
    saturate_cast,
)
from tensorlite.compat.shared.images import image as shared
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.compat.v1.functions.contracting import tensordot
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.random import random_uniform
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.images import colours
from tensorlite.ops.images.random_images import HALF_A_TURN


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Return an image in another dtype, scaled: floating ones lie in [0, 1].

    Integers span their dtype's positive range. saturate cuts what does not fit.
    """
    if active_graph() is None:
        return shared.convert_image_dtype(image, dtype, saturate, name)
    x, wanted = convert_to_tensor(image, name="image"), as_dtype(dtype)
    if x.dtype is wanted:
        return identity(x, name=name)
    changed = saturate_cast if saturate else cast
    with name_scope(name, "convert_image") as whole:
        if not x.dtype.is_integer:
            scaled = multiply(x, wanted.max + 0.5) if wanted.is_integer else x
            return changed(scaled, wanted, name=whole)
        if not wanted.is_integer:
            return multiply(cast(x, wanted), 1.0 / x.dtype.max, name=whole)
        have, want = int(x.dtype.max) + 1, int(wanted.max) + 1
        if have > want:
            return changed(floordiv(x, have // want, name="div"), wanted, name=whole)
        return multiply(changed(x, wanted), want // have, name=whole)


def _adjusted(
    title: str, image: Any, change: Callable[[Any, str], Any], saturate: bool
) -> Any:
    """Return what a function makes of an image's floats, given the name of the whole, as before."""
    with name_scope(None, title) as whole:
        x = convert_to_tensor(image, name="image")
        wide = x if x.dtype.is_floating else convert_image_dtype(x, float32)
        return convert_image_dtype(change(wide, whole), x.dtype, saturate)


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Return images with delta added, in units of the range [0, 1] that floats have.

    Integers are scaled to it and back, and saturated.
    """
    if active_graph() is None:
        return shared.adjust_brightness(image, delta)

    def lighter(x: Any, whole: str) -> Any:
        return add(x, cast(delta, x.dtype), name=whole)

    return _adjusted("adjust_brightness", image, lighter, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Return images with each channel's distance from its mean times a factor."""
    if active_graph() is None:
        return shared.adjust_contrast(images, contrast_factor)

    def spread(x: Any, whole: str) -> Any:
        factor = given_constant(contrast_factor, float32, name="contrast_factor")
        return _of_colours(colours.AdjustContrastv2(), x, factor, name=whole)

    return _adjusted("adjust_contrast", images, spread, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Return RGB images with hues turned by delta, in turns: -1 to 1."""
    if active_graph() is None:
        return shared.adjust_hue(image, delta)

    def turned(x: Any, _: str) -> Any:
        return _of_colours(colours.AdjustHue(), x, delta, name="AdjustHue")

    return _adjusted(name or "adjust_hue", image, turned, saturate=False)


def adjust_saturation(
    image: Any, saturation_factor: Any, name: str | None = None
) -> Any:
    """Return RGB images with saturations times a factor, at most 1."""
    if active_graph() is None:
        return shared.adjust_saturation(image, saturation_factor)

    def stronger(x: Any, _: str) -> Any:
        op = colours.AdjustSaturation()
        return _of_colours(op, x, saturation_factor, name="AdjustSaturation")

    return _adjusted(name or "adjust_saturation", image, stronger, saturate=False)


@named("Adjust")
def _of_colours(op: Composite, x: Any, number: Any, name: str | None = None) -> Any:
    return composed(op, x, converted(number, float32))


@gradient_of("AdjustContrastv2", "AdjustHue", "AdjustSaturation")
def _refused(op: Any, _: Any) -> Any:
    raise LookupError(
        f"No gradient defined for operation '{op.name}' (op type: {op.type})"
    )


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Return gain * image ** gamma of images scaled to [0, 1], in their own dtype.

    A negative gamma raises an error.
    """
    if active_graph() is None or isinstance(gamma, Operand) or gamma < 0:
        return shared.adjust_gamma(image, gamma, gain)
    return _adjusted(
        "adjust_gamma", image, lambda x, _: gain * x**gamma, saturate=True
    )


def _has_rank(images: Any) -> bool:
    """Return whether it is known how many axes images of a graph have."""
    if active_graph() is None:
        return False
    return (
        not isinstance(images, Operand) or images.__tensor__().spec.rank is not None
    )


def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Return one channel, 0.2989 red + 0.587 green + 0.114 blue, in the images' dtype."""
    if not _has_rank(images):
        return shared.rgb_to_grayscale(images, name=name)
    with name_scope(name, "rgb_to_grayscale") as whole:
        x = convert_to_tensor(images, name="images")
        wide = convert_image_dtype(x, float32)
        grey = expand_dims(tensordot(wide, list(colours.GREY), [-1, -1]), -1)
        return convert_image_dtype(grey, x.dtype, name=whole)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Return three channels like the one that images have."""
    known = TensorShape(getattr(images, "shape", None)).known()
    if active_graph() is None or not known or known[-1] != 1:
        return shared.grayscale_to_rgb(images, name=name)
    with name_scope(name, "grayscale_to_rgb") as whole:
        x = identity(images, name="control_dependency")
        before = ones(expand_dims(rank(x) - 1, 0), int32)
        times = concat([before, expand_dims(3, 0)], 0)
        made = tile(x, times, name=whole)
    made.set_shape([*known[:-1], 3])
    return made


def _weighted(
    usual: Callable[..., Any], weights: tuple[tuple[float, ...], ...]
) -> Callable[..., Any]:
    def made(images: Any) -> Any:
        if not _has_rank(images):
            return usual(images)
        x = convert_to_tensor(images, name="images")
        kernel = convert_to_tensor(list(map(list, weights)), x.dtype, name="kernel")
        last = x.get_shape().ndims
        return tensordot(x, kernel, [[-1 if last is None else last - 1], [0]])

    before, _, after = usual.__name__.upper().partition("_TO_")
    help_text = f"Return {before} images, [..., 3], of floating numbers, in {after}."
    return explained(made, usual.__name__, help_text)


rgb_to_yiq = _weighted(shared.rgb_to_yiq, colours.YIQ)
yiq_to_rgb = _weighted(shared.yiq_to_rgb, colours.FROM_YIQ)
rgb_to_yuv = _weighted(shared.rgb_to_yuv, colours.YUV)
yuv_to_rgb = _weighted(shared.yuv_to_rgb, colours.FROM_YUV)


def _drawn(seed: int | None, low: Any, high: Any) -> Any:
    return random_uniform([], low, high, seed=seed)


def random_brightness(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Return images with a number drawn from [-max_delta, max_delta) added.

    A negative max_delta raises an error.
    """
    if active_graph() is None or max_delta < 0:
        return shared.random_brightness(image, max_delta, seed)
    return adjust_brightness(image, _drawn(seed, -max_delta, max_delta))


def random_contrast(
    image: Any, lower: Any, upper: Any, seed: int | None = None
) -> Any:
    """Return images with contrasts times a factor drawn from [lower, upper).

    A negative lower, or an upper that is not more, raises InvalidArgumentError.
    """
    if active_graph() is None or upper <= lower or lower < 0:
        return shared.random_contrast(image, lower, upper, seed)
    return adjust_contrast(image, _drawn(seed, lower, upper))


def random_hue(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Return RGB images with hues turned by a number drawn from [-max_delta, max_delta).

    max_delta is in [0, 0.5], else an error is raised.
    """
    if active_graph() is None or not 0 <= max_delta <= HALF_A_TURN:
        return shared.random_hue(image, max_delta, seed)
    return adjust_hue(image, _drawn(seed, -max_delta, max_delta))


def random_saturation(
    image: Any, lower: Any, upper: Any, seed: int | None = None
) -> Any:
    """Return RGB images with saturations times a factor drawn from [lower, upper).

    A negative lower, or an upper that is not more, raises InvalidArgumentError.
    """
    if active_graph() is None or upper <= lower or lower < 0:
        return shared.random_saturation(image, lower, upper, seed)
    return adjust_saturation(image, _drawn(seed, lower, upper))
