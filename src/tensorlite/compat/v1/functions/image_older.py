"""Images with the arguments of TensorFlow 1, where TensorFlow 2 has others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import explained
from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared.arrays import expand_dims, squeeze
from tensorlite.compat.shared.elementwise import (
    cast,
    floor,
    maximum,
    minimum,
    round as rounded,
)
from tensorlite.compat.shared.images import image, image_boxes
from tensorlite.compat.shared.images.fractional import glimpsed
from tensorlite.compat.v1.functions.image_checks import (
    ONE,
    above,
    after,
    as_batch,
    at_least_an_image,
    demanded,
    dimensions,
)
from tensorlite.compat.v1.functions.image_frames import pad_to_bounding_box
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import float32, float64, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.arrays.ensure import ensure_shape
from tensorlite.ops.images.glimpses import ExtractGlimpse

_METHODS = ("bilinear", "nearest", "bicubic", "area")


class ResizeMethod:
    """How sizes of images are changed."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


def _method(method: Any) -> str:
    known = isinstance(method, int) and 0 <= method < len(_METHODS)
    return _METHODS[method] if known else str(method)


@at_home
def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Return images [h, w, c] or [batch, h, w, c] in another size (height, width).

    method is a ResizeMethod: BILINEAR, NEAREST_NEIGHBOR, BICUBIC or AREA. align_corners lets the
    corners' middles coincide. All but NEAREST_NEIGHBOR give float32.
    """
    kind = _method(method)
    if active_graph() is None or kind not in _METHODS:
        options = (kind, preserve_aspect_ratio, align_corners)
        return _resized(images, size, options, name=name)
    with name_scope(name, "resize"):
        x = convert_to_tensor(images, name="images")
        is_single = x.get_shape().rank == ONE
        batch = expand_dims(x, 0) if is_single else x
        given = size if isinstance(size, Operand) else image.sizes_of(size)
        sizes = convert_to_tensor(given, name="size")
        if preserve_aspect_ratio:
            sizes = _fitting(batch, sizes)
        known = sizes.spec.constant()
        if known is None or list(known) != list((batch.spec.shape or ())[1:3]):
            batch = _RESIZED[kind](batch, sizes, align_corners)
        return squeeze(batch, [0]) if is_single else batch


def _fitting(batch: Any, sizes: Any) -> Any:
    """Return the largest sizes of images' ratio that fit into others, which are known."""
    known = sizes.spec.constant()
    if known is None:
        raise InvalidArgumentError(
            "resize_images: size is known only when it runs; with preserve_aspect_ratio it must be "
            "numbers"
        )
    have = dimensions(batch)[1:-1]
    shares = [
        cast(int(n), float32) / cast(own, float32)
        for n, own in zip(known, have, strict=True)
    ]
    share = minimum(*shares)
    scaled = [cast(rounded(share * cast(own, float32)), int32) for own in have]
    return convert_to_tensor(scaled, int32, name="size")


@named("resize", "ResizeBilinear")
def _resized(
    images: Any, size: Any, options: tuple[Any, ...], name: str | None = None
) -> Any:
    kind, keeps, align_corners = options
    x, sizes = converted(images), image.sizes_of(size)
    return tl.image.resize(x, sizes, kind, keeps, False, align_corners, False)


resize = resize_images


def _resizing(default: str, method: str, title: str, how: str) -> Callable[..., Any]:
    @named(default)
    def made(
        images: Any,
        size: Any,
        align_corners: bool = False,
        name: str | None = None,
        half_pixel_centers: bool = False,
    ) -> Any:
        options = (False, False, align_corners, half_pixel_centers)
        sizes = converted(size, None, "size")
        x = converted(images)
        if x.spec.rank is None:
            x = ensure_shape(x, (None,) * 4)
        return tl.image.resize(x, sizes, method, *options)

    help_text = f"""Return images [batch, h, w, c] in another size (height, width): {how}.

    align_corners lets the corners' middles coincide, half_pixel_centers those of pixels.
    """
    return explained(made, f"resize_{title}", help_text)


resize_bilinear = _resizing(
    "ResizeBilinear", "bilinear", "bilinear", "linear between pixels"
)
resize_bicubic = _resizing(
    "ResizeBicubic", "bicubic", "bicubic", "cubic between pixels"
)
resize_area = _resizing("ResizeArea", "area", "area", "means over areas")
resize_nearest_neighbor = _resizing(
    "ResizeNearestNeighbor", "nearest", "nearest_neighbor", "the nearest pixels"
)
_RESIZED = dict(
    zip(
        _METHODS,
        (resize_bilinear, resize_nearest_neighbor, resize_bicubic, resize_area),
        strict=True,
    )
)


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Any:
    """Return images resized with their aspect ratio kept, and zeros around."""
    targets = target_height, target_width
    if active_graph() is None:
        given = *targets, _method(method), False, align_corners, False
        return tl.image.resize_with_pad(converted(image), *given)
    with name_scope(None, "resize_image_with_pad"):
        x, is_batch = as_batch(image)
        checks = at_least_an_image(x)
        for title, n in (("width", target_width), ("height", target_height)):
            checks += demanded(above(n, 0), f"target_{title} must be > 0.")
        x = after(checks, x)
        kept, before = _inside(dimensions(x)[1:-1], targets)
        x = resize_images(x, kept, method, align_corners=align_corners)
        x = pad_to_bounding_box(x, before[0], before[1], *targets)
        dimensions(x)
        return x if is_batch else squeeze(x, [0])


def _inside(have: Any, targets: Any) -> tuple[list[Any], list[Any]]:
    """Return in which sizes images fit into others, and how much is before them there."""
    height, width = [cast(n, float64) for n in have]
    tall, wide = [cast(n, float64) for n in targets]
    ratio = maximum(width / wide, height / tall)
    fitted = height / ratio, width / ratio
    kept = [cast(floor(n), int32) for n in fitted]
    gaps = [(tall - fitted[0]) / 2, (wide - fitted[1]) / 2]
    gaps = [floor(gap) for gap in gaps]
    return kept, [maximum(0, cast(gap, int32)) for gap in gaps]


def crop_and_resize(
    image_: Any = None,
    boxes: Any = None,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
    **named_image: Any,
) -> Any:
    """Return parts of images in one size: [boxes, crop height, crop width, channels].

    boxes are [y1, x1, y2, x2], in [0, 1] of the image, box_ind the images' numbers. method is
    "bilinear" or "nearest"; extrapolation_value is taken beyond the image.
    """
    given = named_image.pop("image", image_)
    places = renamed("box_ind", box_ind, "box_indices", box_indices)
    options = (crop_size, method, extrapolation_value, name)
    return image_boxes.crop_and_resize(given, boxes, places, *options)


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Return images with frames of boxes [batch, boxes, 4] (y1, x1, y2, x2 in [0, 1]).

    colors has a row for each box, in turn; a fixed list if None.
    """
    return image_boxes.draw_bounding_boxes(images, boxes, colors, name)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Any:
    """Return windows of images side by side: [batch, rows, columns, h * w * channels].

    ksizes, strides and rates have four sizes, the first and last 1; sizes is the newer name of
    ksizes.
    """
    windows = renamed("sizes", sizes, "ksizes", ksizes)
    return image.extract_patches(images, windows, strides, rates, padding, name)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return (begin, size, box) of a part of an image, drawn with bounds on area and aspect.

    begin and size are what tf.slice takes; the box is [1, 1, 4]. seed2 has no effect.
    """
    return image_boxes.sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        seed,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        name,
    )


@named("ExtractGlimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Any:
    """Return windows of one size of images, [batch, height, width, channels], at offsets.

    Offsets are from the middle if centered, and in [-1, 1] if normalized. Beyond the image there is
    uniform noise, whatever `uniform_noise` is.
    """
    op = ExtractGlimpse(bool(centered), bool(normalized), bool(uniform_noise))
    return glimpsed(op, input, size, offsets)
