"""Images cut, turned and mirrored, by the nodes of TensorFlow 1, where their sizes are known.

Of others TensorFlow checks the sizes as it runs: they are made as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import arrays, cutting
from tensorlite.compat.shared.control_flow import cond
from tensorlite.compat.shared.elementwise import (
    cast,
    divide,
    less,
    maximum,
    round as rounded,
    rsqrt,
)
from tensorlite.compat.shared.images import image as shared
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.reductions import reduce_prod, reduce_std
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.channelwise import depthwise_conv2d
from tensorlite.compat.v1.functions.image_colours import convert_image_dtype
from tensorlite.compat.v1.functions.numbers import reduce_mean
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.random import random_uniform
from tensorlite.core.dtypes import float32
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope

_ONE, _MANY = 3, 4
"""How many axes an image has, and a batch of images."""


def _known(image: Any) -> list[int] | None:
    """Return the sizes of an image or batch of a graph, if those of its images are known."""
    if active_graph() is None or not isinstance(image, Operand):
        return None
    sizes = list(image.__tensor__().spec.shape or ())
    own = [n for n in sizes[-_ONE:] if n]
    is_known = len(sizes) in (_ONE, _MANY) and len(own) == _ONE
    return [-1 if n is None else n for n in sizes] if is_known else None


def _checked(image: Any) -> Any:
    """Return an image as it is behind TensorFlow's checks, of which none is left to the run."""
    return arrays.identity(
        convert_to_tensor(image, name="image"), name="control_dependency"
    )


def _mirroring(
    title: str, usual: Callable[..., Any], axis: int
) -> Callable[[Any], Any]:
    def made(image: Any) -> Any:
        sizes = _known(image)
        if sizes is None:
            return usual(image)
        with name_scope(None, title):
            return cutting.reverse(_checked(image), [len(sizes) - _ONE + axis])

    sides = "left and right" if axis else "top and bottom"
    help_text = f"Return images, [h, w, c] or [batch, h, w, c], with {sides} swapped."
    return explained(made, title, help_text)


flip_left_right = _mirroring("flip_left_right", shared.flip_left_right, 1)
flip_up_down = _mirroring("flip_up_down", shared.flip_up_down, 0)


def transpose(image: Any, name: str | None = None) -> Any:
    """Return images with height and width swapped; they are [h, w, c] or [batch, h, w, c]."""
    sizes = _known(image)
    if sizes is None:
        return shared.transpose(image, name=name)
    with name_scope(name, "transpose"):
        order = [1, 0, 2] if len(sizes) == _ONE else [0, 2, 1, 3]
        return arrays.transpose(_checked(image), order)


def _random_mirroring(
    title: str, usual: Callable[..., Any], axis: int
) -> Callable[..., Any]:
    def made(image: Any, seed: int | None = None) -> Any:
        sizes = _known(image)
        if sizes is None:
            return usual(image, seed)
        with name_scope(None, title) as whole:
            x = _checked(image)
            if len(sizes) == _ONE:
                found = cond(
                    less(random_uniform([], 0.0, 1.0, seed=seed), 0.5),
                    lambda: cutting.reverse(x, [axis]),
                    lambda: x,
                    name=whole,
                )
                found.set_shape(image.get_shape())
                return found
            count = shape(x)[0]
            drawn = random_uniform([count], 0.0, 1.0, seed=seed)
            flips = cast(rounded(arrays.reshape(drawn, [count, 1, 1, 1])), x.dtype)
            flipped = cutting.reverse(x, [axis + 1])
            return flips * flipped + (1 - flips) * x

    sides = "left and right" if axis else "top and bottom"
    help_text = (
        f"Return images with {sides} swapped or not, each with the chance 1/2."
    )
    return explained(made, title, help_text)


random_flip_left_right = _random_mirroring(
    "random_flip_left_right", shared.random_flip_left_right, 1
)
random_flip_up_down = _random_mirroring(
    "random_flip_up_down", shared.random_flip_up_down, 0
)


def central_crop(image: Any, central_fraction: Any) -> Any:
    """Return the middle of images, a share central_fraction, in (0, 1], of both sizes."""
    sizes = _known(image)
    if (
        sizes is None
        or isinstance(central_fraction, Operand)
        or not 0 < central_fraction < 1
    ):
        return shared.central_crop(image, central_fraction)
    with name_scope(None, "central_crop"):
        x = convert_to_tensor(image, name="image")
        _checked(x)
        lost = [int((n - n * central_fraction) / 2) for n in sizes[-_ONE:-1]]
        kept = [n - 2 * cut for n, cut in zip(sizes[-_ONE:-1], lost, strict=True)]
        before, whole = ([0], [-1]) if len(sizes) == _MANY else ([], [])
        begin = arrays.stack([*before, *lost, 0])
        return cutting.slice(x, begin, arrays.stack([*whole, *kept, -1]))


def crop_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Any:
    """Return the part of images that begins at the offsets and has the target's size.

    What lies beyond the image raises an error.
    """
    box = (offset_height, offset_width, target_height, target_width)
    sizes = _known(image)
    if sizes is None or not _is_within(box, sizes[-_ONE:-1]):
        return shared.crop_to_bounding_box(image, *box)

    def cropped(x: Any) -> Any:
        begin = arrays.stack([0, *box[:2], 0])
        return cutting.slice(x, begin, arrays.stack([-1, *box[2:], -1]))

    return _framed("crop_to_bounding_box", image, cropped)


def _is_within(box: tuple[Any, ...], sizes: list[int]) -> bool:
    """Return whether a box of numbers lies within sizes, which are numbers as well."""
    if not all(isinstance(n, int) and n >= 0 for n in (*box, *sizes)):
        return False
    ends = zip(box[:2], box[2:], sizes, strict=True)
    return min(box[2:]) > 0 and all(begin + n <= size for begin, n, size in ends)


def pad_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Any:
    """Return images with zeros around: the image begins at the offsets in the target's size.

    An image that does not fit raises an error.
    """
    box = (offset_height, offset_width, target_height, target_width)
    sizes = _known(image)
    have = (sizes or [])[-_ONE:-1]
    if sizes is None or not _is_within((*box[:2], *have), list(box[2:])):
        return shared.pad_to_bounding_box(image, *box)
    behind = [box[2] - box[0] - have[0], box[3] - box[1] - have[1]]

    def padded(x: Any) -> Any:
        rows = [0, 0, box[0], behind[0], box[1], behind[1], 0, 0]
        made = pad(x, arrays.reshape(arrays.stack(rows), [_MANY, 2]))
        made.set_shape([x.get_shape().as_list()[0], *box[2:], sizes[-1]])
        return made

    return _framed("pad_to_bounding_box", image, padded)


def _framed(title: str, image: Any, change: Callable[[Any], Any]) -> Any:
    """Return what is made of a batch, or of an image as the only one in a batch."""
    with name_scope(None, title):
        x = convert_to_tensor(image, name="image")
        is_one = x.get_shape().ndims == _ONE
        made = change(_checked(arrays.expand_dims(x, 0) if is_one else x))
        return arrays.squeeze(made, [0]) if is_one else made


def resize_image_with_crop_or_pad(
    image: Any, target_height: Any, target_width: Any
) -> Any:
    """Return images cut, or with zeros around, to a size about the same middle."""
    sizes, targets = _known(image), (target_height, target_width)
    if sizes is None or not all(isinstance(n, int) and n > 0 for n in targets):
        return shared.resize_with_crop_or_pad(image, *targets)
    with name_scope(None, "resize_image_with_crop_or_pad"):
        x = convert_to_tensor(image, name="image")
        is_one = len(sizes) == _ONE
        x = _checked(arrays.expand_dims(x, 0) if is_one else x)
        have = sizes[-_ONE:-1]
        over = [n - wanted for n, wanted in zip(have, targets, strict=True)]
        cuts = [max(n // 2, 0) for n in over]
        gaps = [max(-n // 2, 0) for n in over]
        kept = [min(n, wanted) for n, wanted in zip(have, targets, strict=True)]
        x = crop_to_bounding_box(x, *cuts, *kept)
        made = arrays.identity(
            pad_to_bounding_box(x, gaps[0], gaps[1], *targets),
            name="control_dependency",
        )
        return arrays.squeeze(made, [0]) if is_one else made


def per_image_standardization(image: Any) -> Any:
    """Return each image with mean 0 and variance 1, as floating numbers.

    The deviation is taken to be at least 1 / sqrt(number of elements).
    """
    if _known(image) is None:
        return shared.per_image_standardization(image)
    with name_scope(None, "per_image_standardization") as whole:
        x = _checked(image)
        kind, axes = x.dtype, [-1, -2, -3]
        count = reduce_prod(shape(x)[-_ONE:])
        x = cast(x, float32)
        middle = reduce_mean(x, axis=axes, keepdims=True)
        spread = reduce_std(x, axes, True)
        least = rsqrt(cast(count, float32))
        scaled = divide(x - middle, maximum(spread, least), name=whole)
        return convert_image_dtype(scaled, kind, saturate=True)


def image_gradients(image: Any) -> Any:
    """Return (dy, dx) of images [batch, h, w, c]: differences to the next pixel, 0 at the end."""
    sizes = _known(image)
    if sizes is None or len(sizes) != _MANY:
        return shared.image_gradients(image)
    whole = shape(image)
    batch, height, width, depth = arrays.unstack(whole)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = arrays.zeros(arrays.stack([batch, 1, width, depth]), image.dtype)
    down = arrays.reshape(arrays.concat([down, last], 1), whole)
    last = arrays.zeros(arrays.stack([batch, height, 1, depth]), image.dtype)
    return down, arrays.reshape(arrays.concat([across, last], 2), whole)


_SOBEL = [[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]]


def sobel_edges(image: Any) -> Any:
    """Return Sobel's slopes of images [batch, h, w, c], as [..., 2]: dy and dx."""
    sizes = _known(image)
    if sizes is None or len(sizes) != _MANY or image.dtype is not float32:
        return shared.sobel_edges(image)
    whole = shape(image)
    turned = [list(row) for row in zip(*_SOBEL, strict=True)]
    pairs = [
        [[list(pair)] for pair in zip(*rows, strict=True)]
        for rows in zip(_SOBEL, turned, strict=True)
    ]
    filters = cutting.tile(
        constant(pairs, float32), [1, 1, whole[-1], 1], name="sobel_filters"
    )
    wide = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    slopes = depthwise_conv2d(wide, filters, [1, 1, 1, 1], "VALID")
    made = arrays.reshape(slopes, arrays.concat([whole, [2]], 0))
    made.set_shape([*image.get_shape().as_list(), 2])
    return made
