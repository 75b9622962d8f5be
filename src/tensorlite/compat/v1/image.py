"""Images: `tf.image`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.images.image import *
from tensorlite.compat.shared.randoms.random import random_crop as random_crop
from tensorlite.compat.v1.functions.image_colours import (
    adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma,
    adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation,
    convert_image_dtype as convert_image_dtype,
    grayscale_to_rgb as grayscale_to_rgb,
    random_brightness as random_brightness,
    random_contrast as random_contrast,
    random_hue as random_hue,
    random_saturation as random_saturation,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from tensorlite.compat.v1.functions.image_files import (  # type: ignore[assignment]  # less
    adjust_jpeg_quality as adjust_jpeg_quality,
    decode_image as decode_image,
    random_jpeg_quality as random_jpeg_quality,
)
from tensorlite.compat.v1.functions.image_frames import (
    central_crop as central_crop,
    crop_to_bounding_box as crop_to_bounding_box,
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    image_gradients as image_gradients,
    pad_to_bounding_box as pad_to_bounding_box,
    per_image_standardization as per_image_standardization,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
    rot90 as rot90,
    sobel_edges as sobel_edges,
    transpose as transpose,
)
from tensorlite.compat.v1.functions.image_likeness import (
    psnr as psnr,
    ssim as ssim,
    ssim_multiscale as ssim_multiscale,
    total_variation as total_variation,
)
from tensorlite.compat.v1.functions.image_older import (
    ResizeMethod as ResizeMethod,
    crop_and_resize as crop_and_resize,
    draw_bounding_boxes as draw_bounding_boxes,
    extract_glimpse as extract_glimpse,
    extract_image_patches as extract_image_patches,
    resize as resize,
    resize_area as resize_area,
    resize_bicubic as resize_bicubic,
    resize_bilinear as resize_bilinear,
    resize_image_with_pad as resize_image_with_pad,
    resize_images as resize_images,
    resize_nearest_neighbor as resize_nearest_neighbor,
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)

resize_with_crop_or_pad = resize_image_with_crop_or_pad
transpose_image = transpose


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
