"""Parts of images: crops, borders, mirror images, turns, and boxes cut out and resized."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import (
    broadcast_arrays,
    expand_dims,
    flip,
    permute_dims,
    squeeze,
)
from tensorlite.ops.arrays.gather import gather_nd, sizes
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.arrays.padding import pad_ends
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.control.branches import switch_case
from tensorlite.ops.images.resize import batched, filled_sizes
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.rounding import ceil, floor, remainder
from tensorlite.ops.operators import astype, reshape

__all__ = [
    "central_crop",
    "crop_and_resize",
    "crop_to_bounding_box",
    "flip_left_right",
    "flip_up_down",
    "pad_to_bounding_box",
    "rot90",
    "transpose_image",
]


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Return the part of images that begins at an offset and has a height and width.

    >>> image = tl.reshape(tl.arange(9), (3, 3, 1))
    >>> print(tl.image.crop_to_bounding_box(image, 1, 0, 1, 2)[0, :, 0])
    [3 4]
    """
    x, single = batched(image)
    have = filled_sizes(x)
    rows = _part("height", have[1], offset_height, target_height)
    columns = _part("width", have[2], offset_width, target_width)
    y = x[:, rows, columns]
    return squeeze(y, 0) if single else y


def _part(side: str, size: Any, offset: Any, target: Any) -> slice:
    """Return the part of a side from an offset on; InvalidArgumentError when it is not there."""
    _check_side(side, offset, target)
    end = offset + target
    if isinstance(size, int) and isinstance(end, int) and end > size:
        raise InvalidArgumentError(
            f"{side} must be >= target + offset: {size} is less than {target} + {offset}"
        )
    return slice(offset, end)


def _check_side(side: str, offset: Any, target: Any) -> None:
    if isinstance(offset, int) and offset < 0:
        raise InvalidArgumentError(f"offset_{side} must be >= 0, and is {offset}")
    if isinstance(target, int) and target <= 0:
        raise InvalidArgumentError(f"target_{side} must be > 0, and is {target}")


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """Return images with zeros around them: an offset before, the rest behind.

    >>> print(tl.image.pad_to_bounding_box(tl.ones((1, 1, 1)), 0, 1, 1, 3)[0, :, 0])
    [0. 1. 0.]
    """
    x, single = batched(image)
    have = filled_sizes(x)
    rows = _border("height", have[1], offset_height, target_height)
    columns = _border("width", have[2], offset_width, target_width)
    y = pad_ends(x, [(0, 0), rows, columns, (0, 0)])
    y = reshape(y, [have[0], target_height, target_width, have[3]])
    return squeeze(y, 0) if single else y


def _border(side: str, size: Any, offset: Any, target: Any) -> tuple[Any, Any]:
    """Return what stands before and behind a side; InvalidArgumentError when it does not fit."""
    _check_side(side, offset, target)
    behind = target - offset - size
    if isinstance(behind, int) and behind < 0:
        raise InvalidArgumentError(
            f"{side} must be <= target - offset: {size} is more than {target} - {offset}"
        )
    return offset, behind


def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """Return the middle of images: that fraction of their height and width.

    >>> print(tl.image.central_crop(tl.reshape(tl.arange(16), (4, 4, 1)), 0.5)[:, :, 0])
    [[ 5  6]
     [ 9 10]]
    """
    if not 0.0 < central_fraction <= 1.0:
        raise InvalidArgumentError(
            f"central_fraction={central_fraction}; allowed are numbers above 0 up to 1"
        )
    x, single = batched(image)
    if central_fraction == 1.0:
        return squeeze(x, 0) if single else x
    parts = []
    for size in sizes(x)[1:3]:
        if isinstance(size, int):
            start: Any = int((size - size * central_fraction) / 2)
        else:
            whole = astype(size, dtypes.float64)
            start = astype((whole - whole * central_fraction) / 2.0, dtypes.int32)
        parts.append(slice(start, size - start))
    y = x[:, parts[0], parts[1]]
    return squeeze(y, 0) if single else y


def flip_left_right(image: TensorLike) -> Tensor:
    """Return images, or one, with their columns in reverse.

    >>> print(tl.image.flip_left_right([[[1], [2]]])[0, :, 0])
    [2 1]
    """
    return flip(image, axis=-2)


def flip_up_down(image: TensorLike) -> Tensor:
    """Return images, or one, with their rows in reverse.

    >>> print(tl.image.flip_up_down([[[1]], [[2]]])[:, 0, 0])
    [2 1]
    """
    return flip(image, axis=-3)


def transpose_image(image: TensorLike) -> Tensor:
    """Return images, or one, with rows and columns exchanged.

    >>> tl.image.transpose(tl.ones((2, 3, 1))).shape
    (3, 2, 1)
    """
    x, single = batched(image)
    y = permute_dims(x, (0, 2, 1, 3))
    return squeeze(y, 0) if single else y


def rot90(image: TensorLike, k: int | Tensor = 1) -> Tensor:
    """Return images, or one, turned against the clock by `k` quarters, which a run may draw.

    >>> print(tl.image.rot90([[[1], [2]]])[:, 0, 0])
    [2 1]
    """
    x, single = batched(image)
    if isinstance(k, Operand):
        quarter = remainder(astype(k, dtypes.int32), 4)
        x = switch_case(quarter, [partial(_turned, x, i) for i in range(4)])
    else:
        x = _turned(x, k % 4)
    return squeeze(x, 0) if single else x


def _turned(x: Tensor, quarters: int) -> Tensor:
    """Return images turned by 0 to 3 quarters."""
    if quarters == 2:
        return flip(x, axis=(1, 2))
    if quarters == 0:
        return x
    return permute_dims(flip(x, axis=2 if quarters == 1 else 1), (0, 2, 1, 3))


class CropAndResize(Composite):
    """Boxes cut out of images, all of one size."""

    host = (3,)
    method: str = "bilinear"
    extrapolation_value: float = 0.0

    def compose(
        self, image: Tensor, boxes: Tensor, box_ind: Tensor, crop_size: Tensor
    ) -> Tensor:
        """Return the boxes' contents; what lies outside of an image has the value for that."""
        x = image if image.dtype.is_floating else astype(image, dtypes.float32)
        corners = astype(boxes, x.dtype)
        height, width = _sides(crop_size)
        rows = _samples(corners[:, 0], corners[:, 2], sizes(x)[1], height)
        columns = _samples(corners[:, 1], corners[:, 3], sizes(x)[2], width)
        inside = expand_dims(rows[1], 2) & expand_dims(columns[1], 1)
        which = astype(box_ind, dtypes.int32)
        if self.method == "nearest":
            found = _picked(x, which, _half_up(rows[0]), _half_up(columns[0]))
        else:
            found = _blended(x, which, rows[0], columns[0])
        return where(expand_dims(inside, 3), found, self.extrapolation_value)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: Sequence[int] | Tensor,
    method: Literal["bilinear", "nearest"] = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Return boxes cut out of images, all of one size.

    `boxes` are (top, left, bottom, right) as fractions of height and width less one, and may be
    turned over; `box_indices` say which image each is of. What lies outside of an image has
    `extrapolation_value`. Gradients flow to the images and to the boxes.

    >>> image = tl.reshape(tl.arange(9, dtype=tl.float32), (1, 3, 3, 1))
    >>> print(tl.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 0.5]], [0], (2, 2))[0, :, :, 0])
    [[0. 1.]
     [3. 4.]]
    """
    if method not in ("bilinear", "nearest"):
        raise InvalidArgumentError(
            f"method={method!r}; allowed: 'bilinear', 'nearest'"
        )
    size = crop_size
    if not isinstance(size, Operand):
        size = constant(np.array(list(size), np.int32))
    op = CropAndResize(method, float(extrapolation_value))
    made: Tensor = composed(op, image, boxes, box_indices, size)
    return made


def _sides(sides: Tensor) -> list[Any]:
    """Return height and width: ints, or 0-d tensors where only a run knows them."""
    known = sides.spec.vector() or (None, None)
    return [sides[i] if side is None else side for i, side in enumerate(known)]


def _half_up(at: Tensor) -> Tensor:
    """Return positions rounded, halves away from 0."""
    return floor(at + 0.5)


def _samples(
    start: Tensor, end: Tensor, size: Any, count: Any
) -> tuple[Tensor, Tensor]:
    """Return where samples of boxes lie along an axis, (box, sample), and which are inside."""
    reach = astype(to_tensor(size - 1), start.dtype)
    numbers = astype(arange(count), start.dtype)
    steps = astype(maximum(to_tensor(count) - 1, 1), start.dtype)
    step = (end - start) * reach / steps
    first = where(to_tensor(count) > 1, start, 0.5 * (start + end)) * reach
    at = expand_dims(first, 1) + expand_dims(step, 1) * numbers
    inside = (at >= 0) & (at <= reach)
    return where(inside, at, 0.0), inside


def _picked(x: Tensor, which: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return the elements of images at rows (box, row) and columns (box, column)."""
    at = [
        expand_dims(expand_dims(which, 1), 2),
        expand_dims(astype(rows, dtypes.int32), 2),
        expand_dims(astype(columns, dtypes.int32), 1),
    ]
    return gather_nd(x, stack(broadcast_arrays(*at), axis=-1))


def _blended(x: Tensor, which: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return the same between elements, by the four around."""
    top, left = floor(rows), floor(columns)
    bottom, right = ceil(rows), ceil(columns)
    down = expand_dims(expand_dims(rows - stop_gradient(top), 2), 3)
    across = expand_dims(expand_dims(columns - stop_gradient(left), 1), 3)
    above = [_picked(x, which, top, side) for side in (left, right)]
    below = [_picked(x, which, bottom, side) for side in (left, right)]
    first = above[0] + (above[1] - above[0]) * across
    second = below[0] + (below[1] - below[0]) * across
    return first + (second - first) * down
