"""Images: `tf.image`."""

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.image import *
from tensorlite.compat.shared.image import (
    ResizeMethod as ResizeMethod,
    crop_and_resize as crop_and_resize,
    draw_bounding_boxes as draw_bounding_boxes,
    resize as resize,
    resize_with_pad as resize_with_pad,
    sample_distorted_bounding_box as sample_distorted_bounding_box,
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down,
    stateless_random_hue as stateless_random_hue,
    stateless_random_saturation as stateless_random_saturation,
)
from tensorlite.compat.shared.image_draws import *
from tensorlite.compat.shared.random import random_crop as random_crop
from tensorlite.compat.shared.seeds import (
    stateless_random_crop as stateless_random_crop,
)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
