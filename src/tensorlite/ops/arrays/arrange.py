"""Where elements stand: axes permuted, added, dropped, reversed and rolled; sizes.

Joining and cutting is in join.py and stack.py, repeating and padding in repeat.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import several, whole_numbers
from tensorlite.core.dispatch import call, constant, integers, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import PlaceError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import (
    Dims,
    Known,
    TensorSpec,
    broadcast,
    normalise_axes,
    normalise_axis,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape, reshape_like, shape_of
from tensorlite.ops.math.arithmetic import (
    Range,
    Rank,
    as_axes,
    axis_tuple,
    broadcast_to,
    negative,
    subtract,
)

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "expand_dims",
    "flip",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "rank",
    "roll",
    "shape",
    "size",
    "squeeze",
    "transpose",
]


class Size(Op):
    """The number of elements, in host memory."""

    differentiable = False
    out_type: DType = dtypes.int32

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return a 0-d integer, known when the shape is."""
        return TensorSpec((), self.out_type, known=x.size)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the number of elements."""
        return np.asarray(x.size, self.out_type.numpy)


class Transpose(Op):
    """A tensor with its axes in another order."""

    by_dtype = True
    host = (1,)
    aliases = True

    def infer(self, x: TensorSpec, perm: TensorSpec) -> TensorSpec:
        """Return the sizes in their new order; ShapeError when `perm` does not fit."""
        order = perm.constant()
        if order is None or x.shape is None:
            known = x.rank if order is None else len(order)
            return x.with_shape(None if known is None else (None,) * known)
        axes = tuple([normalise_axis(axis, len(x.shape)) for axis in order])
        if sorted(axes) != list(range(len(x.shape))):
            raise ShapeError(
                f"{list(order)} does not order the axes of {x}: name each axis once"
            )
        return x.with_shape([x.shape[axis] for axis in axes])

    def kernel(self, xp: Xp, x: Array, perm: Array) -> Array:
        """Return a permuted view."""
        return x.transpose(perm.tolist())

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with its axes put back."""
        return permute_dims(dy, _inverse(call.inputs[1])), None


class InvertPermutation(Op):
    """The permutation that undoes one."""

    differentiable = False
    host = (0,)

    def infer(self, perm: TensorSpec) -> TensorSpec:
        """Return the same spec, with the value if it is known."""
        order = perm.constant()
        is_whole = order is not None and sorted(order) == [*range(len(order))]
        known = tuple(np.argsort(order).tolist()) if order and is_whole else None
        return TensorSpec(perm.shape, perm.dtype, known=known)

    def kernel(self, xp: Xp, perm: Array) -> Array:
        """Return the positions of 0, 1, 2 and so on; PlaceError unless all are there."""
        places, counts = np.unique(perm % max(perm.size, 1), return_counts=True)
        if perm.size and (counts > 1).any():
            raise PlaceError(
                f"invert_permutation: {places[counts > 1][0]} is duplicated in the input "
                f"{perm.tolist()}; each place from 0 to {perm.size - 1} is to be there once"
            )
        return np.argsort(perm % max(perm.size, 1)).astype(perm.dtype)


def _inverse(perm: Tensor) -> Tensor:
    order = perm.spec.constant()
    if order is None:
        return call(InvertPermutation(), perm)
    return integers(
        np.argsort(np.asarray(order, np.int32) % max(len(order), 1)).tolist()
    )


class ExpandDims(Op):
    """A tensor with an axis of size 1 put in."""

    by_dtype = True
    host = (1,)
    aliases = True

    def infer(self, x: TensorSpec, dim: TensorSpec) -> TensorSpec:
        """Return the shape with a 1 in it; ShapeError when there is no such place."""
        (at,) = (dim.vector() or (None,)) if dim.shape == (1,) else (dim.axis(),)
        if x.shape is None or at is None:
            return x.with_shape(
                None if x.shape is None else (None,) * (len(x.shape) + 1)
            )
        at = normalise_axis(at, len(x.shape) + 1)
        known = x.scalar()
        return TensorSpec(
            (*x.shape[:at], 1, *x.shape[at:]),
            x.dtype,
            inner=x.inner,
            known=None if known is None else (known,),
        )

    def kernel(self, xp: Xp, x: Array, dim: Array) -> Array:
        """Return a view."""
        return xp.expand_dims(x, int(dim.item()))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in the operand's shape."""
        return reshape_like(dy, call.inputs[0]), None


class Squeeze(Op):
    """A tensor without some axes of size 1: those named, or all when none is."""

    by_dtype = True
    aliases = True
    squeeze_dims: tuple[int, ...] = ()

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the shape without the axes; ShapeError when one is longer than 1."""
        if x.shape is None or (not self.squeeze_dims and None in x.shape):
            return x.with_shape(None)
        axes = normalise_axes(self.squeeze_dims, len(x.shape))
        for axis in axes:
            if x.shape[axis] not in (1, None):
                raise ShapeError(
                    f"squeeze: Can not squeeze dim[{axis}], expected a dimension of 1, got "
                    f"{x.shape[axis]}: of {x}"
                )
        kept = [
            n for i, n in enumerate(x.shape) if (i not in axes if axes else n != 1)
        ]
        return TensorSpec(
            tuple(kept), x.dtype, inner=x.inner, known=_squeezed(x, len(kept))
        )

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return a view."""
        return xp.squeeze(x, axis=self.squeeze_dims or None)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in the operand's shape."""
        return (reshape_like(dy, call.inputs[0]),)


def _squeezed(x: TensorSpec, rank: int) -> Known:
    if isinstance(x.known, tuple) and rank == 0:
        return x.known[0]
    return x.known if rank == 1 else None


class ReverseV2(Op):
    """A tensor with its elements in reverse order along some axes."""

    host = (1,)
    aliases = True

    def infer(self, x: TensorSpec, axis: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError when an axis is not there."""
        axes = axis.constant()
        if axes is not None and x.shape is not None:
            normalise_axes(axes, len(x.shape))
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return a view."""
        return xp.flip(x, axis=axis_tuple(axis))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient reversed likewise."""
        return _reversed(dy, call.inputs[1]), None


class Roll(Op):
    """A tensor with its elements moved along axes; what falls off comes in at the other end."""

    host = (1, 2)

    def infer(self, x: TensorSpec, shift: TensorSpec, axis: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError when an axis is not there, or has no shift."""
        for what, given in (("shift", shift), ("axis", axis)):
            if given.rank not in (None, 0, 1):
                raise ShapeError(
                    f"roll: {what} must be a scalar or a 1-D vector, not {given}"
                )
        counts = [1 if one.shape == () else one.size for one in (shift, axis)]
        if None not in counts and counts[0] != counts[1]:
            raise ShapeError(
                f"roll: shift and axis must have the same size: there are {counts[0]} shifts for "
                f"{counts[1]} axes"
            )
        axes = axis.constant()
        if axes is not None and x.shape is not None:
            for one in axes:
                normalise_axis(one, len(x.shape))
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, shift: Array, axis: Array) -> Array:
        """Return the moved elements."""
        if shift.size != axis.size:
            raise ShapeError(
                f"roll: shift and axis must have the same size: there are {shift.size} shifts for "
                f"{axis.size} axes"
            )
        return xp.roll(x, shift.tolist(), axis=axis.tolist())

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient moved back."""
        return _rolled(dy, negative(call.inputs[1]), call.inputs[2]), None, None


class BroadcastArgs(Op):
    """The shape that two shapes broadcast to."""

    differentiable = False
    host = (0, 1)

    def infer(self, a: TensorSpec, b: TensorSpec) -> TensorSpec:
        """Return a vector; ShapeError when the shapes do not broadcast."""
        both = a.vector(), b.vector()
        shape = broadcast(*both)
        return TensorSpec(
            (None if shape is None else len(shape),), a.dtype, known=shape
        )

    def kernel(self, xp: Xp, a: Array, b: Array) -> Array:
        """Return the shape."""
        return np.asarray(
            np.broadcast_shapes(tuple(a.tolist()), tuple(b.tolist())), a.dtype
        )


def _reversed(x: Tensor, axes: Tensor) -> Tensor:
    return call(ReverseV2(), x, axes)


def _rolled(x: Tensor, shift: TensorLike, axis: TensorLike) -> Tensor:
    return call(Roll(), x, shift, axis)


def shape(x: TensorLike, /) -> Tensor:
    """Return the shape of `x` as a tensor of int32, whether a trace knows it or not.

    >>> print(tl.shape([[1, 2, 3]]))
    [1 3]
    """
    return shape_of(x)


def rank(x: TensorLike, /) -> Tensor:
    """Return the number of axes of `x` as a 0-d tensor of int32.

    >>> print(tl.rank([[1, 2, 3]]))
    2
    """
    tensor = to_tensor(x)
    known = tensor.spec.rank
    return call(Rank(), tensor) if known is None else constant(known)


def size(x: TensorLike, /) -> Tensor:
    """Return the number of elements of `x` as a 0-d tensor of int32.

    >>> print(tl.size([[1, 2, 3]]))
    3
    """
    tensor = to_tensor(x)
    known = tensor.spec.size
    return call(Size(), tensor) if known is None else constant(known, dtypes.int32)


def permute_dims(x: TensorLike, /, axes: Sequence[int] | Tensor) -> Tensor:
    """Return `x` with its axes in the order `axes`; ShapeError when these are not its axes.

    >>> tl.permute_dims(tl.ones((1, 2, 3)), (2, 0, 1)).shape
    (3, 1, 2)
    """
    if not isinstance(axes, Tensor):
        order = tuple(several(axes, "axes", "integers, one for each axis"))
        axes = integers(map(int, whole_numbers(order, "axes")))
    return call(Transpose(), x, axes)


def transpose(x: TensorLike, /, perm: Sequence[int] | Tensor | None = None) -> Tensor:
    """Return `x` with its axes in the order `perm`, or in reverse order for None.

    >>> tl.transpose(tl.ones((1, 2, 3))).shape
    (3, 2, 1)
    """
    if perm is not None:
        return permute_dims(x, perm)
    tensor = to_tensor(x)
    if tensor.spec.rank is not None:
        return permute_dims(tensor, range(tensor.ndim)[::-1])
    return permute_dims(tensor, call(Range(), subtract(rank(tensor), 1), -1, -1))


def reverse_axes(x: TensorLike, /) -> Tensor:
    """Return `x` with its axes in reverse order, for any rank: what `x.T` is, as in NumPy."""
    return transpose(x)


def matrix_transpose(x: TensorLike, /) -> Tensor:
    """Return `x` with its last two axes exchanged; ShapeError when it has fewer.

    >>> tl.matrix_transpose(tl.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    tensor = to_tensor(x)
    axes = tensor.spec.rank
    if axes is None:
        count = rank(tensor)
        last = subtract(count, constant([1, 2]))
        return permute_dims(
            tensor, concat([call(Range(), 0, subtract(count, 2), 1), last])
        )
    if axes < 2:
        raise ShapeError(
            f"matrix_transpose: {tensor.spec} should be a matrix or a stack of them"
        )
    return permute_dims(tensor, (*range(axes - 2), axes - 1, axes - 2))


def moveaxis(
    x: TensorLike, source: int | Sequence[int], destination: int | Sequence[int], /
) -> Tensor:
    """Return `x` with the axes `source` moved to the places `destination`.

    >>> tl.moveaxis(tl.ones((1, 2, 3)), 0, -1).shape
    (2, 3, 1)
    """
    tensor = to_tensor(x)
    come = normalise_axes(_several(source), tensor.ndim)
    go = normalise_axes(_several(destination), tensor.ndim)
    if len(come) != len(go):
        raise ShapeError(f"moveaxis: {len(come)} axes cannot go to {len(go)} places")
    order = [axis for axis in range(tensor.ndim) if axis not in come]
    for place, axis in sorted(zip(go, come, strict=True)):
        order.insert(place, axis)
    return permute_dims(tensor, order)


def _several(axis: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, Sequence) else (axis,)


def expand_dims(x: TensorLike, /, axis: int | Sequence[int] = 0) -> Tensor:
    """Return `x` with an axis of size 1 put in at each place of `axis` in the result.

    >>> tl.expand_dims(tl.ones((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    tensor = to_tensor(x)
    axes = _several(axis)
    if len(axes) != 1:
        axes = tuple(sorted(normalise_axes(axes, tensor.ndim + len(axes))))
    for one in axes:
        tensor = call(ExpandDims(), tensor, one)
    return apart(tensor, x)


def squeeze(x: TensorLike, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return `x` without the axes of `axis`, all of size 1; without every such axis for None.

    Raises ShapeError when an axis named is longer.

    >>> tl.squeeze(tl.ones((1, 2, 1)), axis=0).shape
    (2, 1)
    """
    axes = () if axis is None else _several(axis)
    nothing = axis is not None and not axes
    return apart(to_tensor(x), x) if nothing else call(Squeeze(axes), x)


def flip(x: TensorLike, /, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return `x` with its elements reversed along `axis`, along every axis for None.

    >>> print(tl.flip([1, 2, 3]))
    [3 2 1]
    """
    tensor = to_tensor(x)
    return _reversed(tensor, as_axes(axis, tensor))


def roll(
    x: TensorLike,
    /,
    shift: int | Sequence[int] | Tensor,
    *,
    axis: int | Sequence[int] | None = None,
) -> Tensor:
    """Return `x` with its elements moved by `shift` along `axis`, around the end.

    Without an axis the elements are moved in their flattened order.

    >>> print(tl.roll([1, 2, 3], 1))
    [3 1 2]
    """
    tensor = to_tensor(x)
    if axis is None:
        return reshape_like(_rolled(reshape(tensor, (-1,)), shift, 0), tensor)
    if isinstance(shift, int) and not isinstance(axis, int):
        shift = [shift] * len(_several(axis))
    return _rolled(tensor, shift, axis)


def broadcast_shapes(*shapes: Dims) -> Dims:
    """Return the shape that `shapes` broadcast to; ShapeError when they do not.

    >>> tl.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    return broadcast(*shapes) or ()


def broadcast_arrays(*arrays: TensorLike) -> tuple[Tensor, ...]:
    """Return the tensors stretched to the shape that they broadcast to; dtypes stay.

    >>> a, b = tl.broadcast_arrays([[1], [2]], [10, 20])
    >>> print(a)
    [[1 1]
     [2 2]]
    """
    tensors = [to_tensor(x) for x in arrays]
    common = broadcast(*[x.spec.shape for x in tensors])
    if common is not None and None not in common:
        return tuple([broadcast_to(x, common) for x in tensors])
    sizes = reduce(lambda a, b: call(BroadcastArgs(), a, b), map(shape_of, tensors))
    return tuple([broadcast_to(x, sizes) for x in tensors])
