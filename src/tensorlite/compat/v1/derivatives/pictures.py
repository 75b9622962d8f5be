"""Gradients of images: of boxes cut out of them, and of the patches that windows see."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import mul
from typing import Any, NamedTuple

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    ones,
    range,
    reshape,
    shape,
    transpose,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    slice as part_of,
    sparse_dense_matmul,
)
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.dtypes import int32, int64
from tensorlite.ops.images.framing_gradients import (
    CropAndResizeGradBoxes,
    CropAndResizeGradImage,
)
from tensorlite.ops.nn.patches import ExtractImagePatches, ExtractVolumePatches


@gradient_of("CropAndResize")
def _crop_and_resize(op: Any, dy: Any) -> Any:
    image, boxes, places = op.inputs[:3]
    of_boxes = (dy, image, boxes, places)
    if not image.dtype.is_floating:
        return None, operator(CropAndResizeGradBoxes(), *of_boxes)
    known = image.get_shape()
    size = known.as_list() if known.is_fully_defined() else shape(image)
    size = convert_to_tensor(size, int32, name="CropAndResizeGradImage/image_size")
    kind = CropAndResizeGradImage(image.dtype.base_dtype, op.node.op.method)
    to_images = operator(kind, dy, boxes, places, size)
    return to_images, operator(CropAndResizeGradBoxes(), *of_boxes)


@gradient_of("ExtractImagePatches")
def _image_patches(op: Any, dy: Any) -> Any:
    kind: ExtractImagePatches = op.node.op
    given = shape(op.inputs[0], out_type=int64)
    batch, rows, columns, channels = [given[i] for i in (0, 1, 2, 3)]
    count = 1 + rows * columns
    numbers = reshape(range(1, count, dtype=int64), (1, rows, columns, 1))
    seen = operator(kind, numbers)
    made = shape(op.outputs[0], out_type=int64)
    places = made[1], made[2]
    sides = rows, columns
    return _spread(dy, count, seen, _Windows(batch, channels, sides, places, kind))


@gradient_of("ExtractVolumePatches")
def _volume_patches(op: Any, dy: Any) -> Any:
    kind: ExtractVolumePatches = op.node.op
    x, y = op.inputs[0], op.outputs[0]
    given = shape(x)
    batch, channels = given[0], given[4]
    sides, places = [z.get_shape().as_list()[1:4] for z in (x, y)]
    count = 1 + prod(sides)
    numbers = reshape(range(1, count, dtype=int64), (1, *sides, 1))
    seen = operator(kind, numbers)
    return _spread(dy, count, seen, _Windows(batch, channels, sides, places, kind))


class _Windows(NamedTuple):
    """What was seen through windows that moved: how much of it there is."""

    batch: Any
    channels: Any
    sides: Sequence[Any]
    places: Sequence[Any]
    """How many places the windows had on each axis."""
    kind: ExtractImagePatches | ExtractVolumePatches


def _spread(dy: Any, count: Any, seen: Any, windows: _Windows) -> Any:
    """Return flows to the elements that windows saw, which are numbered from 1 in `seen`.

    A sparse matrix has a one where an element, or else padding in row 0, is seen.
    """
    window = windows.kind.ksizes[1:-1]
    wide = reduce(mul, (*windows.places, *window))
    whole = reshape(range(wide, dtype=int64), (1, *windows.places, prod(window)))
    pairs = concat([expand_dims(seen, axis=-1), expand_dims(whole, axis=-1)], axis=-1)
    entries = reshape(pairs, (-1, 2))
    size = count, wide
    ones_there = SparseTensor(entries, ones([wide], dtype=dy.dtype), size)
    without_padding = part_of(ones_there, (1, 0), (count - 1, wide))
    batch, channels, rank = windows.batch, windows.channels, len(window)
    parts = reshape(dy, (batch, *windows.places, *window, channels))
    by_place = (*[i + 1 for i in _numbers(2 * rank)], 0, 2 * rank + 1)
    flat = reshape(transpose(parts, by_place), (-1, batch * channels))
    found = sparse_dense_matmul(without_padding, flat)
    by_side = reshape(found, (*windows.sides, batch, channels))
    return transpose(by_side, (rank, *_numbers(rank), rank + 1))


def _numbers(count: int) -> list[int]:
    return list(builtins.range(count))
