"""Images: `tf.image`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.images.fractional import (
    extract_glimpse as extract_glimpse,
)
from tensorlite.compat.shared.images.image import *
from tensorlite.compat.shared.images.image import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_with_pad as resize_with_pad,
)
from tensorlite.compat.shared.images.image_boxes import (
    crop_and_resize as crop_and_resize,
    draw_bounding_boxes as draw_bounding_boxes,
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from tensorlite.compat.shared.images.image_draws import *
from tensorlite.compat.shared.randoms.random import random_crop as random_crop

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
