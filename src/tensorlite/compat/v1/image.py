"""Images: `tf.image`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import image
from tensorlite.compat.shared.image import *
from tensorlite.compat.shared.random import random_crop as random_crop
from tensorlite.compat.v1.image_older import (
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

resize_image_with_crop_or_pad = image.resize_with_crop_or_pad
transpose_image = image.transpose


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
