"""Images and boxes: cutting them out, drawing them, drawing some at random, in both versions."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import float32
from tensorlite.graph_mode.streams import stream
from tensorlite.ops.composite import composed
from tensorlite.ops.images.boxes import DrawBoundingBoxes, DrawBoundingBoxesV2


@named("CropAndResize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Any:
    """Return the boxes of images, each resized to crop_size, [boxes, height, width, channels].

    Boxes are [y1, x1, y2, x2] between 0 and 1, box_indices say of which image; `method` is
    'bilinear' or 'nearest', and extrapolation_value is what lies outside of the image.
    """
    parts = converted(boxes), converted(box_indices)
    options: Any = (crop_size, method, extrapolation_value)
    return tl.image.crop_and_resize(converted(image), *parts, *options)


def draw_bounding_boxes(
    images: Any, boxes: Any, colors: Any = None, name: str | None = None
) -> Any:
    """Return images with the edges of boxes [y1, x1, y2, x2], 0 to 1, drawn on them.

    `colors` are taken by turns.
    """
    if colors is None:
        return _boxed(images, boxes, name=name)
    return _boxed_in(images, boxes, colors, name=name)


@named("DrawBoundingBoxes")
def _boxed(images: Any, boxes: Any, name: str | None = None) -> Any:
    return composed(DrawBoundingBoxes(), converted(images), converted(boxes))


@named("DrawBoundingBoxesV2")
def _boxed_in(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    return call(DrawBoundingBoxesV2(), *map(converted, (images, boxes, colors)))


def distorted_box(
    image_size: Any,
    boxes: Any,
    covered: Any,
    ratios: Any,
    areas: Any,
    attempts: int | None,
    without_boxes: bool | None,
    source: Any,
) -> Any:
    """Return a box drawn from a source, with TensorFlow's bounds where none are given."""
    below = "SampleDistortedBoundingBoxV2"
    return tl.image.sample_distorted_bounding_box(
        converted(image_size, None, f"{below}/image_size"),
        converted(boxes, None, f"{below}/bounding_boxes"),
        converted(covered, float32, f"{below}/min_object_covered"),
        ratios or (0.75, 1.33),
        areas or (0.05, 1.0),
        attempts or 100,
        bool(without_boxes),
        source,
    )


@named("sample_distorted_bounding_box", "SampleDistortedBoundingBoxV2")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return begin, size and a box [1, 1, 4] for a cut drawn at random.

    The cut covers at least min_object_covered of one of the boxes, and has an aspect ratio and an
    area within bounds; after max_attempts it is the whole image.
    """
    return distorted_box(
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        stream(seed or None, "SampleDistortedBoundingBoxV2"),
    )
