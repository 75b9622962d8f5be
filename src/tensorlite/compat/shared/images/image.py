"""Images: colours, sizes, files, boxes, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import Any

import tensorlite as tl
from tensorlite import image
from tensorlite.compat.calling import Inner, converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.making import same, without_gradient
from tensorlite.core.check import several
from tensorlite.core.dtypes import as_dtype, int32, uint8
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import stream
from tensorlite.ops.images.boxes import (
    non_max_suppression_overlaps as non_max_suppression_overlaps_of,
)
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.maps import map_numbers

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "central_crop",
    "combined_non_max_suppression",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

adjust_brightness = same(
    "adjust_brightness", image.adjust_brightness, "image delta", inner="Identity"
)
adjust_contrast = same(
    "adjust_contrast",
    without_gradient("AdjustContrastv2", image.adjust_contrast),
    "images contrast_factor",
    inner="Identity",
)
adjust_gamma = same(
    "adjust_gamma", image.adjust_gamma, "image gamma gain", inner="Identity"
)
adjust_hue = same("adjust_hue", image.adjust_hue, "image delta", inner="Identity")
adjust_saturation = same(
    "adjust_saturation",
    image.adjust_saturation,
    "image saturation_factor",
    inner="Identity",
)
central_crop = same(
    "central_crop", image.central_crop, "image central_fraction", inner="Slice"
)
_BOX = "image offset_height offset_width target_height target_width"
crop_to_bounding_box = same(
    "crop_to_bounding_box", image.crop_to_bounding_box, _BOX, inner="Slice"
)
pad_to_bounding_box = same(
    "pad_to_bounding_box", image.pad_to_bounding_box, _BOX, inner="Pad"
)
decode_bmp = same("DecodeBmp", image.decode_bmp, "contents channels")
decode_gif = same("DecodeGif", image.decode_gif, "contents")
encode_png = same("EncodePng", image.encode_png, "image compression")
encode_jpeg = same(
    "EncodeJpeg",
    image.encode_jpeg,
    "image format quality progressive optimize_size chroma_downsampling",
)
flip_left_right = same(
    "flip_left_right", image.flip_left_right, "image", inner="ReverseV2"
)
flip_up_down = same("flip_up_down", image.flip_up_down, "image", inner="ReverseV2")
grayscale_to_rgb = same("grayscale_to_rgb", image.grayscale_to_rgb, "images")
hsv_to_rgb = same("HSVToRGB", image.hsv_to_rgb, "images")
image_gradients = same("image_gradients", image.image_gradients, "image")
per_image_standardization = same(
    "per_image_standardization",
    image.per_image_standardization,
    "image",
    inner="Identity",
)
psnr = same("PSNR", image.psnr, "a b max_val", 2, "Identity_3")
rgb_to_grayscale = same("rgb_to_grayscale", image.rgb_to_grayscale, "images")
rgb_to_hsv = same("RGBToHSV", image.rgb_to_hsv, "images")
rgb_to_yiq = same("Tensordot", image.rgb_to_yiq, "images")
rgb_to_yuv = same("Tensordot", image.rgb_to_yuv, "images")
yiq_to_rgb = same("Tensordot", image.yiq_to_rgb, "images")
yuv_to_rgb = same("Tensordot", image.yuv_to_rgb, "images")
rot90 = same("rot90", image.rot90, "image k", inner="cond/Merge")
sobel_edges = same("Reshape", image.sobel_edges, "image")
ssim = same(
    "SSIM",
    image.ssim,
    "img1 img2 max_val filter_size filter_sigma k1 k2 return_index_map",
    2,
)
ssim_multiscale = same(
    "MS-SSIM",
    image.ssim_multiscale,
    "img1 img2 max_val power_factors filter_size filter_sigma k1 k2",
    2,
    inner="Mean",
)
total_variation = same(
    "total_variation", image.total_variation, "images", inner="add"
)
transpose = same("transpose", image.transpose, "image", inner="transpose")
resize_with_crop_or_pad = same(
    "resize_image_with_crop_or_pad",
    image.resize_with_crop_or_pad,
    "image target_height target_width",
    inner="control_dependency_1",
)
_THRESHOLDS = "iou_threshold", "score_threshold", "soft_nms_sigma"
combined_non_max_suppression = same(
    "combined_non_max_suppression",
    image.combined_non_max_suppression,
    "boxes scores max_output_size_per_class max_total_size iou_threshold score_threshold "
    "pad_per_class clip_boxes",
    2,
    "CombinedNonMaxSuppression",
    _THRESHOLDS,
)
_BOXES = "boxes scores max_output_size iou_threshold score_threshold"
non_max_suppression = same(
    "non_max_suppression",
    image.non_max_suppression,
    _BOXES,
    2,
    "NonMaxSuppressionV3",
    _THRESHOLDS,
)
non_max_suppression_overlaps = same(
    "non_max_suppression_overlaps",
    non_max_suppression_overlaps_of,
    "overlaps scores max_output_size overlap_threshold score_threshold",
    2,
    "NonMaxSuppressionWithOverlaps",
    ("overlap_threshold", "score_threshold"),
)
non_max_suppression_padded = same(
    "non_max_suppression_padded",
    image.non_max_suppression_padded,
    f"{_BOXES} pad_to_max_output_size",
    2,
    "NonMaxSuppressionV4",
    _THRESHOLDS,
)
non_max_suppression_with_scores = same(
    "non_max_suppression_with_scores",
    image.non_max_suppression_with_scores,
    f"{_BOXES} soft_nms_sigma",
    2,
    "NonMaxSuppressionV5",
    _THRESHOLDS,
)
extract_volume_patches = same(
    "ExtractVolumePatches",
    image.extract_volume_patches,
    "input ksizes strides padding",
)


@named("convert_image")
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Return images in another dtype, whose whole range counts as 0 to 1 of floats.

    With saturate=True what is beyond its range becomes its ends.
    """
    return tl.image.convert_image_dtype(converted(image), as_dtype(dtype), saturate)


@named("adjust_jpeg_quality", "convert_image_1")
def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Any:
    """Return images as they are after being written as JPEG of a quality, 0 to 100.

    `dct_method` has no effect.
    """
    return tl.image.adjust_jpeg_quality(converted(image), converted(jpeg_quality))


@named("DecodeAndCropJpeg")
def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """Return the window [y, x, height, width] of a JPEG file as [height, width, channels].

    Arguments behind `ratio` have no effect.
    """
    window = converted(crop_window, int32)
    return tl.image.decode_and_crop_jpeg(converted(contents), window, channels, ratio)


@named("ExtractJpegShape")
def extract_jpeg_shape(
    contents: Any, output_type: Any = int32, name: str | None = None
) -> Any:
    """Return [height, width, channels] of a JPEG file."""
    return tl.image.extract_jpeg_shape(converted(contents), output_type)


@named("DecodeJpeg")
def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """Return a JPEG file as uint8 [height, width, channels].

    `channels` 0 is as many as it has, 1 gray, 3 colours; `ratio` 1, 2, 4 or 8 makes it smaller.
    Arguments behind these have no effect.
    """
    return tl.image.decode_jpeg(converted(contents), channels, ratio)


@named("DecodePng")
def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Any:
    """Return a PNG file as uint8 or uint16 [height, width, channels].

    `channels` 0 is as many as it has, 1 gray, 3 colours, 4 colours and opacity.
    """
    return tl.image.decode_png(converted(contents), channels, as_dtype(dtype))


@named("decode_image", "cond_jpeg/Merge")
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """Return a BMP, GIF, JPEG or PNG file as [height, width, channels].

    Of GIF it is [frames, height, width, 3], the first frame alone if expand_animations=False.
    """
    options = (channels or 0, as_dtype(dtype), expand_animations)
    return tl.image.decode_image(converted(contents), *options)


@named("ExtractImagePatches")
def extract_patches(
    images: Any,
    sizes: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Any:
    """Return windows of images, [batch, rows, columns, elements of the window].

    Sizes, strides and rates are lists of four, of which the middle two count.
    """
    window, steps, gaps = (tuple(map(int, x[1:3])) for x in (sizes, strides, rates))
    return tl.image.extract_patches(converted(images), window, steps, gaps, padding)


@named("is_jpeg", "Equal")
def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Return whether bytes begin as those of a JPEG file do."""
    return tl.equal(tl.strings.substr(converted(contents), 0, 3), b"\xff\xd8\xff")


def sizes_of(size: Any) -> Any:
    """Return height and width as functions of images take them."""
    if isinstance(size, Operand):
        found = size.__tensor__().spec.vector()
        if found is not None and None not in found:
            return tuple(found)
        return size.__tensor__()
    return tuple(several(size, "size", "height and width"))


@named("resize", None)
def resize(
    images: Any,
    size: Any,
    method: Any = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Return images with another height and width, as float32 unless method is 'nearest'.

    `method` is one of ResizeMethod's. preserve_aspect_ratio=True fits them into the size;
    antialias=True filters before they become smaller.
    """
    options = (str(method), preserve_aspect_ratio, antialias)
    is_node = isinstance(size, Operand) and active_graph() is not None
    sizes = converted(size if is_node else sizes_of(size), int32, "size")
    if isinstance(images, RaggedParts):
        return _resized_rows(images, sizes, options)
    return tl.image.resize(converted(images), sizes, *options)


def _resized_rows(images: Any, sizes: Any, options: Any) -> Any:
    """Return images of different sizes at one size; ShapeError unless they are a batch."""
    if images.shape.rank != 4:
        raise ShapeError(
            f"tf.image.resize: images.shape.rank is {images.shape.rank}; it must be 4 if images is "
            "ragged"
        )

    def resized(place: Any) -> list[Any]:
        image = images[place]
        whole = image.to_tensor() if hasattr(image, "to_tensor") else image
        return [tl.image.resize(whole, sizes, *options)]

    return map_numbers(resized, images.nrows(), [False])[0]


@named("resize_image_with_pad", "pad_to_bounding_box/Pad")
def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = "bilinear",
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Return images resized to fit into a size, the rest of it zeros on either side."""
    sizes = (target_height, target_width)
    return tl.image.resize_with_pad(converted(image), *sizes, str(method), antialias)


def _of_flipped(given: list[Any], **_: Any) -> str:
    """Return the name of images that are flipped or not, each by itself, or of one."""
    return "add" if converted(given[0]).spec.rank == _MANY else "Merge"


_MANY = 4
"""How many axes a batch of images has."""


def _drawn(
    default: str,
    function: Callable[..., Any],
    names: str,
    title: str = "",
    inner: Inner = "",
) -> Callable[..., Any]:
    """Return a function that draws, whose last argument but for the name is a seed.

    `title` is the name of what it makes where that is another.
    """

    def seeded(*given: Any) -> Any:
        *values, seed = given
        return function(*values, stream(seed, default))

    known = list(signature(function).parameters.values())
    last = known[-1].replace(name="seed", default=None)
    of_seed: Any = seeded
    of_seed.__signature__ = Signature([*known[:-1], last])
    made = same(title or default, of_seed, f"{names} seed", inner=inner)
    return documented(made, function)


random_brightness = _drawn(
    "random_brightness",
    image.random_brightness,
    "image max_delta",
    "adjust_brightness",
    "Identity",
)
random_contrast = _drawn(
    "random_contrast",
    image.random_contrast,
    "image lower upper",
    "adjust_contrast",
    "Identity",
)
random_saturation = _drawn(
    "random_saturation",
    image.random_saturation,
    "image lower upper",
    "adjust_saturation",
    "Identity",
)
random_jpeg_quality = _drawn(
    "random_jpeg_quality",
    image.random_jpeg_quality,
    "image min_jpeg_quality max_jpeg_quality",
    "adjust_jpeg_quality",
    "convert_image_1",
)
random_hue = _drawn(
    "random_hue", image.random_hue, "image max_delta", "adjust_hue", "Identity"
)
random_flip_left_right = _drawn(
    "random_flip_left_right",
    image.random_flip_left_right,
    "image",
    inner=_of_flipped,
)
random_flip_up_down = _drawn(
    "random_flip_up_down", image.random_flip_up_down, "image", inner=_of_flipped
)


class ResizeMethod:
    """How sizes of images are changed."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"
