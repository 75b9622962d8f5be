"""Images changed at random by a seed of two integers: `tf.image.stateless_random_...`.

What draws from a stream, as `tf.image.random_...` do, stands in image.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.images.image_boxes import distorted_box
from tensorlite.compat.shared.randoms.random import cropped
from tensorlite.ops.random.generators import Seed

__all__ = [
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box",
]


def _source(seed: Any) -> Seed:
    return Seed(converted(seed))


@named("stateless_random_brightness")
def stateless_random_brightness(
    image: Any, max_delta: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images with a number between -max_delta and max_delta added."""
    return tl.image.random_brightness(converted(image), max_delta, _source(seed))


@named("stateless_random_contrast")
def stateless_random_contrast(
    image: Any, lower: Any, upper: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images with contrast times a number between lower and upper."""
    return tl.image.random_contrast(converted(image), lower, upper, _source(seed))


@named("stateless_random_hue")
def stateless_random_hue(
    image: Any, max_delta: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images with hue turned by a part of the circle up to max_delta."""
    return tl.image.random_hue(converted(image), max_delta, _source(seed))


@named("stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(
    image: Any,
    min_jpeg_quality: int,
    max_jpeg_quality: int,
    seed: Any,
    name: str | None = None,
) -> Any:
    """Return images as they are after being JPEG of a quality drawn."""
    given = (converted(image), min_jpeg_quality, max_jpeg_quality)
    return tl.image.random_jpeg_quality(*given, _source(seed))


@named("stateless_random_saturation")
def stateless_random_saturation(
    image: Any, lower: Any, upper: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images with saturation times a number between two bounds."""
    return tl.image.random_saturation(converted(image), lower, upper, _source(seed))


@named("stateless_random_flip_left_right")
def stateless_random_flip_left_right(
    image: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images turned around from left to right, or not."""
    return tl.image.random_flip_left_right(converted(image), _source(seed))


@named("stateless_random_flip_up_down")
def stateless_random_flip_up_down(
    image: Any, seed: Any, name: str | None = None
) -> Any:
    """Return images turned upside down, or not, each by itself."""
    return tl.image.random_flip_up_down(converted(image), _source(seed))


@named("stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return begin, size and a box of a cut that a seed draws.

    Arguments are those of `sample_distorted_bounding_box`.
    """
    return distorted_box(
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        _source(seed),
    )


@named("random_crop")
def stateless_random_crop(
    value: Any, size: Any, seed: Any, name: str | None = None
) -> Any:
    """Return a part of a tensor, of a size, from a place that a seed draws."""
    return cropped(value, size, _source(seed))
