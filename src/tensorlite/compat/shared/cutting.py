"""Functions that cut, repeat and turn tensors around, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import holds_operand, inner_named
from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.sizes import as_whole, placed, sizes_of
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import (
    int32,
    int64,
)
from tensorlite.core.errors import CompositeError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import broadcast
from tensorlite.ops.arrays import arrange, pieces
from tensorlite.ops.arrays.shape import as_shape as shape_tensor
from tensorlite.ops.arrays.slicing import StridedSlice


@named("Tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Return the tensor repeated along each axis as often as `multiples` says.

    ShapeError unless there is one number for each axis.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    counts: Any = sizes_of(multiples)
    if isinstance(counts, list) and any(isinstance(n, Operand) for n in counts):
        counts = shape_tensor(counts)
    x = converted(input)
    if isinstance(counts, list):
        is_nested = any(isinstance(n, (list, tuple)) for n in counts)
        if is_nested or x.spec.rank not in (None, len(counts)):
            raise ShapeError(
                f"Tile: {counts} for {x.spec}; give a number for each axis"
            )
    return tl.tile(x, counts)


@named("Slice")
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """Return the part of a tensor that begins at `begin` and has the shape `size`.

    Both have a number for each axis; a size of -1 takes what is left along its axis.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    given = [_sizes(x, name) for x, name in ((begin, "begin"), (size, "size"))]
    kinds = [x.__tensor__().dtype for x in given if isinstance(x, Operand)] or [int32]
    first, sizes = [placed(x, kinds[0]) for x in given]
    if first.dtype is not sizes.dtype:
        first, sizes = tl.astype(first, int64), tl.astype(sizes, int64)
    return pieces.sliced(converted(input_), first, sizes)


def _bounds(given: Any, name: str) -> Any:
    known = _sizes(given, name)
    is_open = isinstance(known, Operand) or any(isinstance(x, Operand) for x in known)
    return shape_tensor(known) if is_open else converted(list(known), int32, name)


def _sizes(given: Any, name: str) -> Any:
    """Return sizes as far as they are known; a tensor made of them bears the argument's name."""
    known = sizes_of(given)
    is_made = isinstance(known, Operand) and not isinstance(given, Operand)
    return inner_named(known.__tensor__(), name) if is_made else known


@named("StridedSlice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Return the part from begin to end, which is left out, in steps of strides.

    Bit i of a mask speaks of entry i: begin_mask and end_mask let the range be open, ellipsis_mask
    stands for all axes between, new_axis_mask puts in an axis, shrink_axis_mask takes one element
    and drops its axis. `var` has no effect.
    """
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    first, last = _bounds(begin, "begin"), _bounds(end, "end")
    steps = tl.ones_like(first) if strides is None else _bounds(strides, "strides")
    return call(StridedSlice(*masks), converted(input_), first, last, steps)


@named("BroadcastTo")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Return the tensor repeated along axes of size 1, and new first axes, to a shape.

    ShapeError if a size is neither 1 nor the one wanted.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.broadcast_to([[1], [2]], [2, 3]).numpy().tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    return tl.broadcast_to(converted(input), sizes_of(shape))


@named("BroadcastArgs")
def broadcast_dynamic_shape(
    shape_x: Any, shape_y: Any, name: str | None = None
) -> Any:
    """Return the shape, a vector, to which two shapes broadcast."""
    return call(arrange.BroadcastArgs(), *_sizes_alike(shape_x, shape_y))


def _sizes_alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Return shapes as tensors of one dtype; an empty list holds whole numbers, too."""
    if isinstance(x, nest.Composite) or isinstance(y, nest.Composite):
        raise CompositeError(x, "a shape with rows of different lengths")
    if not isinstance(x, Operand) and not isinstance(y, Operand):
        x = converted(x, None if len(x) else int32)
    return agreeing(x, y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """Return the TensorShape to which two shapes broadcast.

    It is unknown if one of them is. ShapeError if they do not fit.
    """
    x, y = (plain(TensorShape(shape)) for shape in (shape_x, shape_y))
    return as_shape(None if x is None or y is None else broadcast(x, y))


@named("ReverseV2")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Return the tensor with the order of its elements along the named axes reversed."""
    if holds_operand(axis):
        at = converted(axis, int32, "axis")
        return call(arrange.ReverseV2(), converted(tensor), at)
    axes = np.ravel(np.asarray(as_whole(axis)))
    return tl.flip(converted(tensor), axis=tuple(axes.tolist()))


@named("Roll")
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """Return the tensor with its elements moved along axes; those that leave come in again.

    `shift` and `axis` are numbers or lists of as many; positive shifts move to higher places.
    """
    return tl.roll(converted(input), shift, axis=axis)


@named("ReverseSequence")
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Any:
    """Return the tensor with the first elements of each sequence reversed.

    `seq_lengths` says for each place of batch_axis (0 unless given) how many elements along
    seq_axis are turned around; the rest stay.
    """
    lengths = converted(seq_lengths, int64 if holds_operand(seq_lengths) else None)
    return tl.reverse_sequence(converted(input), lengths, seq_axis, batch_axis or 0)
