"""Images cut, turned and mirrored, by the nodes of TensorFlow 1.

What of their sizes is checked, and when, is in image_checks.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.shared.choices import case
from tensorlite.compat.shared.control_flow import cond
from tensorlite.compat.shared.elementwise import (
    cast,
    divide,
    less,
    maximum,
    minimum,
    round as rounded,
    rsqrt,
)
from tensorlite.compat.shared.images import image as shared
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.reductions import reduce_prod, reduce_std
from tensorlite.compat.v1.functions.arrays import shape, squeeze
from tensorlite.compat.v1.functions.channelwise import depthwise_conv2d
from tensorlite.compat.v1.functions.image_checks import (
    MANY,
    ONE,
    above,
    after,
    as_batch,
    at_least_an_image,
    checked,
    demanded,
    dimensions,
    is_tensor,
    no_less,
    rank_of,
    static,
)
from tensorlite.compat.v1.functions.image_colours import convert_image_dtype
from tensorlite.compat.v1.functions.numbers import reduce_mean
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.random import random_uniform
from tensorlite.core.dtypes import float16, float32, float64, int32
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope


def _mirroring(
    title: str, usual: Callable[..., Any], axis: int
) -> Callable[[Any], Any]:
    def made(image: Any) -> Any:
        if active_graph() is None:
            return usual(image)
        with name_scope(None, title):
            x = checked(image)
            if rank_of(x) == MANY:
                return cutting.reverse(x, [axis + 1])
            return _in_shape(x, cutting.reverse(x, [axis]))

    sides = "left and right" if axis else "top and bottom"
    help_text = f"Return images, [h, w, c] or [batch, h, w, c], with {sides} swapped."
    return explained(made, title, help_text)


def _in_shape(image: Any, made: Any) -> Any:
    """Return what was made of an image, which has its shape."""
    known = image.get_shape()
    made.set_shape([None] * ONE if known.rank is None else known)
    return made


flip_left_right = _mirroring("flip_left_right", shared.flip_left_right, 1)
flip_up_down = _mirroring("flip_up_down", shared.flip_up_down, 0)


def transpose(image: Any, name: str | None = None) -> Any:
    """Return images with height and width swapped; they are [h, w, c] or [batch, h, w, c]."""
    if active_graph() is None:
        return shared.transpose(image, name=name)
    with name_scope(name, "transpose"):
        x = checked(image)
        order = [1, 0, 2] if rank_of(x) == ONE else [0, 2, 1, 3]
        return arrays.transpose(x, order, name=name)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Return images turned by k times 90 degrees, against the clock."""
    if active_graph() is None:
        return shared.rot90(image, k, name)
    with name_scope(name, "rot90") as whole:
        x = checked(image)
        turns = elementwise.floormod(convert_to_tensor(k, int32, name="k"), 4)
        first = rank_of(x) - ONE
        order = [*range(first), first + 1, first, first + 2]

        def once() -> Any:
            return arrays.transpose(cutting.reverse(x, [first + 1]), order)

        def twice() -> Any:
            return cutting.reverse(x, [first, first + 1])

        def thrice() -> Any:
            return cutting.reverse(arrays.transpose(x, order), [first + 1])

        ways = [
            (elementwise.equal(turns, i), way)
            for i, way in enumerate((once, twice, thrice), 1)
        ]
        made = case(ways, default=lambda: x, exclusive=True, name=whole)
        known = x.get_shape()
        if known.rank is None:
            made.set_shape([None] * ONE)
        else:
            sizes = known.as_list()
            made.set_shape([*sizes[:first], None, None, sizes[-1]])
        return made


def _random_mirroring(
    title: str, usual: Callable[..., Any], axis: int
) -> Callable[..., Any]:
    def made(image: Any, seed: int | None = None) -> Any:
        if active_graph() is None:
            return usual(image, seed)
        with name_scope(None, title) as whole:
            x = checked(image)
            if rank_of(x) == ONE:
                found = cond(
                    less(random_uniform([], 0.0, 1.0, seed=seed), 0.5),
                    lambda: cutting.reverse(x, [axis]),
                    lambda: x,
                    name=whole,
                )
                return _in_shape(x, found)
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
    if (
        active_graph() is None
        or isinstance(central_fraction, Operand)
        or not 0 < central_fraction <= 1
    ):
        return shared.central_crop(image, central_fraction)
    with name_scope(None, "central_crop"):
        x = convert_to_tensor(image, name="image")
        if central_fraction == 1:
            return x
        checked(x)
        rank = x.get_shape().rank
        if rank not in (ONE, MANY):
            raise ShapeError(
                f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}."
            )
        sizes = x.get_shape().as_list()
        whole = [_size(x, i) for i in (rank - 3, rank - 2)]
        lost = [_lost(n, central_fraction) for n in whole]
        kept = [n - cut * 2 for n, cut in zip(whole, lost, strict=True)]
        before, every = ([0], [-1]) if rank == MANY else ([], [])
        begin = arrays.stack([*before, *lost, 0])
        made = cutting.slice(x, begin, arrays.stack([*every, *kept, -1]))
        made.set_shape([*sizes[: rank - ONE], *static(kept), sizes[-1]])
        return made


def _size(x: Any, axis: int) -> Any:
    """Return a size: a number, or a tensor where it is not known."""
    known = x.get_shape().as_list()[axis]
    return shape(x)[axis] if known is None else known


def _lost(size: Any, share: float) -> Any:
    """Return how much is cut off at one side."""
    if not isinstance(size, Operand):
        return int((size - size * share) / 2)
    whole = cast(size, float64)
    return cast((whole - whole * share) / 2, int32)


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
    if active_graph() is None:
        return shared.crop_to_bounding_box(image, *box)
    with name_scope(None, "crop_to_bounding_box"):
        x, is_batch = as_batch(image)
        checks = at_least_an_image(x)
        batch, height, width, depth = dimensions(x)
        for name, at in (("width", offset_width), ("height", offset_height)):
            checks += demanded(no_less(at, 0), f"offset_{name} must be >= 0.")
        for name, n in (("width", target_width), ("height", target_height)):
            checks += demanded(above(n, 0), f"target_{name} must be > 0.")
        ends = target_width + offset_width, target_height + offset_height
        for name, n, end in (("width", width, ends[0]), ("height", height, ends[1])):
            said = f"{name} must be >= target + offset."
            checks += demanded(no_less(n, end), said)
        x = after(checks, x)
        begin = arrays.stack([0, *box[:2], 0])
        made = cutting.slice(x, begin, arrays.stack([-1, *box[2:], -1]))
        made.set_shape(static([batch, *box[2:], depth]))
        return made if is_batch else squeeze(made, [0])


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
    if active_graph() is None:
        return shared.pad_to_bounding_box(image, *box)
    with name_scope(None, "pad_to_bounding_box"):
        x, is_batch = as_batch(image)
        checks = at_least_an_image(x)
        batch, height, width, depth = dimensions(x)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks += demanded(no_less(offset_height, 0), "offset_height must be >= 0")
        checks += demanded(no_less(offset_width, 0), "offset_width must be >= 0")
        checks += demanded(no_less(right, 0), "width must be <= target - offset")
        checks += demanded(no_less(below, 0), "height must be <= target - offset")
        x = after(checks, x)
        rows = [0, 0, offset_height, below, offset_width, right, 0, 0]
        made = pad(x, arrays.reshape(arrays.stack(rows), [MANY, 2]))
        made.set_shape(static([batch, *box[2:], depth]))
        return made if is_batch else squeeze(made, [0])


def resize_image_with_crop_or_pad(
    image: Any, target_height: Any, target_width: Any
) -> Any:
    """Return images cut, or with zeros around, to a size about the same middle."""
    targets = [target_height, target_width]
    if active_graph() is None:
        return shared.resize_with_crop_or_pad(image, *targets)
    with name_scope(None, "resize_image_with_crop_or_pad"):
        x, is_batch = as_batch(image)
        checks = at_least_an_image(x)
        for name, n in (("width", targets[1]), ("height", targets[0])):
            checks += demanded(above(n, 0), f"target_{name} must be > 0.")
        x = after(checks, x)
        targets = [after(checks, n) if is_tensor(n) else n for n in targets]
        height, width = dimensions(x)[1:-1]
        right, left = _sides(targets[1] - width)
        below, over = _sides(targets[0] - height)
        kept = [_least(targets[0], height), _least(targets[1], width)]
        x = crop_to_bounding_box(x, below, right, *kept)
        x = pad_to_bounding_box(x, over, left, *targets)
        found = dimensions(x)[1:-1]
        checks = []
        for name, n, wanted in zip(("height", "width"), found, targets, strict=True):
            either = is_tensor(n) or is_tensor(wanted)
            same = elementwise.equal(n, wanted) if either else n == wanted
            checks += demanded(same, f"resized {name} is not correct.")
        x = after(checks, x)
        return x if is_batch else squeeze(x, [0])


def _sides(more: Any) -> tuple[Any, Any]:
    """Return how much is cut, and how much added, at one side where so much is lacking."""
    return _most(-more // 2, 0), _most(more // 2, 0)


def _most(x: Any, y: Any) -> Any:
    return maximum(x, y) if is_tensor(x) or is_tensor(y) else max(x, y)


def _least(x: Any, y: Any) -> Any:
    return minimum(x, y) if is_tensor(x) or is_tensor(y) else min(x, y)


def per_image_standardization(image: Any) -> Any:
    """Return each image with mean 0 and variance 1, as floating numbers.

    The deviation is taken to be at least 1 / sqrt(number of elements).
    """
    if active_graph() is None:
        return shared.per_image_standardization(image)
    with name_scope(None, "per_image_standardization") as whole:
        x = checked(image)
        kind, axes = x.dtype, [-1, -2, -3]
        if kind not in (float16, float32):
            x = convert_image_dtype(x, float32)
        count = reduce_prod(shape(x)[-ONE:])
        middle = reduce_mean(x, axis=axes, keepdims=True)
        spread = reduce_std(x, axes, True)
        least = rsqrt(cast(count, x.dtype))
        spread = maximum(spread, least)
        scaled = divide(x - middle, spread, name=whole)
        return convert_image_dtype(scaled, kind, saturate=True)


def image_gradients(image: Any) -> Any:
    """Return (dy, dx) of images [batch, h, w, c]: differences to the next pixel, 0 at the end."""
    if active_graph() is None or image.get_shape().rank != MANY:
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
    is_batch = active_graph() is not None and image.get_shape().rank == MANY
    if not is_batch or image.dtype is not float32:
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
