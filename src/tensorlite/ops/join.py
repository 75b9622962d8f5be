"""Joining and cutting: concat, stack, split, unstack, and the slice and pad under their gradients.

Permuting and repeating elements is in arrange.py; indexing with brackets is in index.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole_numbers
from tensorlite.core.dispatch import call, calls, constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import (
    Dim,
    Dims,
    Known,
    TensorSpec,
    merge,
    normalise_axis,
    shape_text,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arithmetic import broadcast_to, subtract, sum
from tensorlite.ops.identity import apart
from tensorlite.ops.shape import astype, reshape, shape_of

__all__ = ["concat", "split", "stack", "unstack"]

SMALL = 64
"""Integer vectors up to this length carry their values in specs."""


class Slice(Op):
    """The block of a tensor that starts at `begin` and has `size`; -1 goes to the end."""

    host = (1, 2)
    aliases = True

    def infer(self, x: TensorSpec, begin: TensorSpec, size: TensorSpec) -> TensorSpec:
        """Return the sizes asked for; ShapeError when the block reaches beyond the tensor."""
        first, sizes = begin.vector(), size.vector()
        if x.shape is None or first is None or sizes is None:
            return x.with_shape(sizes if sizes is None or -1 not in sizes else None)
        if len(first) != len(x.shape) or len(sizes) != len(x.shape):
            raise ShapeError(
                f"Slice: {len(first)} starts and {len(sizes)} sizes for a tensor of shape "
                f"{shape_text(x.shape)}; give one of each per axis"
            )
        columns = zip(x.shape, first, sizes, strict=True)
        return x.with_shape([_sliced_size(*column) for column in columns])

    def kernel(self, xp: Xp, x: Array, begin: Array, size: Array) -> Array:
        """Return the block."""
        ends = np.where(size == -1, x.shape, begin + size)
        return x[tuple(map(slice, begin.tolist(), ends.tolist()))]

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with zeros around it."""
        x, begin, _ = call.inputs
        begin = astype(begin, dtypes.int32)
        after = subtract(subtract(shape_of(x), begin), shape_of(dy))
        return padded(dy, stack([begin, after], axis=1)), None, None


def _sliced_size(whole: Dim, first: Dim, size: Dim) -> Dim:
    if size is None or (size == -1 and (whole is None or first is None)):
        return None
    if size == -1 and whole is not None and first is not None:
        return whole - first
    if whole is not None and first is not None and not 0 <= first <= first + size <= whole:
        raise ShapeError(f"Slice: {size} elements from {first} on do not lie in an axis of {whole}")
    return size


class PadV2(Op):
    """A tensor with a constant put before and after it along each axis."""

    host = (1,)

    def infer(self, x: TensorSpec, paddings: TensorSpec, value: TensorSpec) -> TensorSpec:
        """Return a shape of the same rank; its sizes are told by the paddings' values."""
        if value.dtype is not x.dtype:
            raise DTypeError(f"PadV2: the value is {value}, the tensor {x}; cast one of them")
        return x.with_shape(padded_shape(x, paddings))

    def kernel(self, xp: Xp, x: Array, paddings: Array, value: Array) -> Array:
        """Return the tensor with the value around it."""
        before, after = paddings.T.tolist() if paddings.size else ([], [])
        shape = [b + n + a for b, n, a in zip(before, x.shape, after, strict=True)]
        out = xp.empty(shape, x.dtype)
        out[...] = value
        out[tuple([slice(b, b + n) for b, n in zip(before, x.shape, strict=True)])] = x
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient's inner block for the tensor, the sum of the rest for the value."""
        x, paddings, _ = call.inputs
        inner = sliced(dy, unstack_known(paddings, 2, axis=1)[0], shape_of(x))
        return inner, None, subtract(sum(dy), sum(inner))


def padded_shape(x: TensorSpec, paddings: TensorSpec) -> Dims | None:
    """Return the shape of a padded tensor; ShapeError when the paddings do not fit it."""
    if paddings.shape is not None and paddings.shape[1:] not in ((2,), (None,)):
        raise ShapeError(f"paddings have shape {shape_text(paddings.shape)}; allowed is [rank, 2]")
    rows = paddings.pairs()
    if x.shape is None or rows is None:
        return x.shape and (None,) * len(x.shape) if rows is None else (None,) * len(rows)
    if len(rows) != len(x.shape):
        raise ShapeError(
            f"{len(rows)} paddings for a tensor of shape {shape_text(x.shape)}; give one "
            "(before, after) per axis"
        )
    return tuple([_total((size, *row)) for size, row in zip(x.shape, rows, strict=True)])


def _total(sizes: Sequence[Dim]) -> Dim:
    known = [size for size in sizes if size is not None]
    return int(np.sum(known)) if len(known) == len(sizes) else None


class Pack(Op):
    """Tensors of one shape joined along a new axis."""

    axis: int = 0

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the shape with the new axis; ShapeError or DTypeError when the tensors differ."""
        same_dtypes("stack", xs)
        shape = reduce(_merged, [x.shape for x in xs])
        if shape is None:
            return TensorSpec(None, xs[0].dtype)
        axis = normalise_axis(self.axis, len(shape) + 1)
        known = _packed(xs, axis) if xs[0].dtype.is_integer and len(shape) < 2 else None
        return TensorSpec((*shape[:axis], len(xs), *shape[axis:]), xs[0].dtype, known=known)

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the tensors joined."""
        return xp.stack(xs, axis=self.axis)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return each tensor's part of the gradient."""
        return unstack_known(dy, len(call.inputs), self.axis)


def _merged(a: Dims | None, b: Dims | None) -> Dims | None:
    try:
        return merge(a, b)
    except ShapeError as error:
        raise ShapeError(f"stack takes tensors of one shape: {error}") from None


def _packed(xs: Sequence[TensorSpec], axis: int) -> Known:
    """Return what is known of stacked scalars or vectors."""
    rows = [(x.scalar(),) if x.rank == 0 else x.vector() for x in xs]
    if any(row is None for row in rows) or any(x.shape is None for x in xs):
        return None
    columns = zip(*rows, strict=True) if axis else rows
    return small(tuple([size for row in columns for size in row or ()]))


def small(known: Dims) -> Known:
    """Return `known` unless it is too long to carry along, or tells nothing."""
    return known if len(known) <= SMALL and any(size is not None for size in known) else None


class Unpack(Op):
    """The parts of a tensor along an axis, which is gone from them."""

    num: int
    axis: int = 0

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return `num` specs without the axis; ShapeError when it has another size."""
        if x.shape is None:
            return (x.with_shape(None),) * self.num
        axis = normalise_axis(self.axis, len(x.shape))
        if x.shape[axis] not in (None, self.num):
            raise ShapeError(f"unstack: axis {axis} of {x} does not have {self.num} parts")
        part = x.with_shape(x.shape[:axis] + x.shape[axis + 1 :])
        values = x.vector() if x.known is not None else None
        if values is None:
            return (part,) * self.num
        return tuple([TensorSpec((), x.dtype, known=value) for value in values])

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return the parts."""
        if x.shape[self.axis] != self.num:
            raise ShapeError(f"unstack: axis {self.axis} of {x.shape} is not {self.num} long")
        return tuple(xp.moveaxis(x, self.axis, 0))

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return (stack(filled(dys, call.outputs), axis=self.axis),)


def filled(dys: Sequence[Any], outputs: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of several outputs, zeros for those that have none."""
    return [
        broadcast_to(constant(np.zeros((), y.dtype.numpy)), shape_of(y)) if dy is None else dy
        for dy, y in zip(dys, outputs, strict=True)
    ]


class ConcatV2(Op):
    """Tensors joined along an axis that they have; the axis comes last."""

    N: int

    @property
    def host(self) -> tuple[int, ...]:  # type: ignore[override]
        """The axis is structure; where it stands depends on the number of tensors."""
        return (self.N,)

    def infer(self, *specs: TensorSpec) -> TensorSpec:
        """Return the shape with the sizes along the axis added; errors when others differ."""
        *xs, axis = specs
        same_dtypes("concat", xs)
        given = axis.scalar()
        shapes = [x.shape for x in xs if x.shape is not None]
        if given is None or len(shapes) < len(xs):
            return xs[0].with_shape((None,) * len(shapes[0]) if shapes else None)
        return TensorSpec(_concatenated(shapes, given), xs[0].dtype, known=_joined(xs))

    def kernel(self, xp: Xp, *arrays: Array) -> Array:
        """Return the tensors joined."""
        return xp.concatenate(arrays[:-1], axis=int(arrays[-1]))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return each tensor's part of the gradient."""
        *xs, axis = call.inputs
        sizes = _sizes_along(xs, axis)
        if sizes is not None:
            return (*split(dy, sizes, axis), None)
        starts = calls(ConcatOffset(self.N), axis, *[shape_of(x) for x in xs])
        return (*[sliced(dy, s, shape_of(x)) for s, x in zip(starts, xs, strict=True)], None)


def _sizes_along(xs: Sequence[Tensor], axis: Tensor) -> list[int] | None:
    at = axis.spec.scalar()
    if at is None or any(x.spec.shape is None for x in xs):
        return None
    sizes = [x.shape[at] for x in xs]
    return None if None in sizes else sizes


def _concatenated(shapes: Sequence[Dims], axis: int) -> Dims:
    ranks = {len(shape) for shape in shapes}
    listed = " and ".join(map(shape_text, shapes))
    if ranks == {0} or len(ranks) > 1:
        raise ShapeError(f"concat takes tensors of one rank, 1 or more, not {listed}")
    at = normalise_axis(axis, ranks.pop())
    rest: list[Dims | None] = [(*shape[:at], None, *shape[at + 1 :]) for shape in shapes]
    try:
        whole = reduce(merge, rest)
    except ShapeError:
        raise ShapeError(f"concat: {listed} differ beside axis {at}") from None
    return tuple(
        [_total([s[i] for s in shapes]) if i == at else n for i, n in enumerate(whole or ())]
    )


def _joined(xs: Sequence[TensorSpec]) -> Known:
    if not xs[0].dtype.is_integer or xs[0].rank != 1:
        return None
    rows = [x.vector() for x in xs]
    if any(row is None for row in rows):
        return None
    return small(tuple([size for row in rows for size in row or ()]))


class ConcatOffset(Op):
    """Where each of the joined tensors starts, given the axis and their shapes."""

    differentiable = False
    N: int

    @property
    def host(self) -> tuple[int, ...]:  # type: ignore[override]
        """Everything here is structure."""
        return tuple(range(self.N + 1))

    def infer(self, axis: TensorSpec, *shapes: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return one vector per shape."""
        return tuple([shape.without_value() for shape in shapes])

    def kernel(self, xp: Xp, axis: Array, *shapes: Array) -> tuple[Array, ...]:
        """Return the starts: zeros, but for the axis."""
        starts = np.zeros((self.N, shapes[0].size), shapes[0].dtype)
        starts[1:, axis] = np.cumsum([shape[axis] for shape in shapes[:-1]])
        return tuple(starts)


def _unsized(x: TensorSpec) -> TensorSpec:
    return x.with_shape(None if x.shape is None else (None,) * len(x.shape))


class Split(Op):
    """A tensor cut into equal parts along an axis, which comes first."""

    host = (0,)
    num_split: int

    def infer(self, axis: TensorSpec, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return equal specs; ShapeError when the axis does not divide."""
        at = axis.scalar()
        if x.shape is None or at is None:
            return (_unsized(x),) * self.num_split
        at = normalise_axis(at, len(x.shape))
        size = x.shape[at]
        if size is not None and size % self.num_split:
            raise ShapeError(
                f"split: axis {at} of {x} does not divide into {self.num_split} equal parts; give "
                "the sizes of the parts instead"
            )
        part = None if size is None else size // self.num_split
        return (x.with_shape((*x.shape[:at], part, *x.shape[at + 1 :])),) * self.num_split

    def kernel(self, xp: Xp, axis: Array, x: Array) -> tuple[Array, ...]:
        """Return the parts."""
        return tuple(xp.split(x, self.num_split, axis=int(axis)))

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return None, concat(filled(dys, call.outputs), axis=call.inputs[0])


class SplitV(Op):
    """A tensor cut along an axis into parts of given sizes, of which one may be -1."""

    host = (1, 2)
    num_split: int

    def infer(self, x: TensorSpec, sizes: TensorSpec, axis: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return one spec per part; ShapeError when the sizes do not add up to the axis's."""
        at, parts = axis.scalar(), sizes.vector() or (None,) * self.num_split
        if x.shape is None or at is None:
            return (_unsized(x),) * self.num_split
        at = normalise_axis(at, len(x.shape))
        cut = _parts(parts, x.shape[at])
        return tuple([x.with_shape((*x.shape[:at], n, *x.shape[at + 1 :])) for n in cut])

    def kernel(self, xp: Xp, x: Array, sizes: Array, axis: Array) -> tuple[Array, ...]:
        """Return the parts."""
        at = int(axis)
        parts = _parts(sizes.tolist(), x.shape[at])
        return tuple(xp.split(x, np.cumsum(np.asarray(parts))[:-1].tolist(), axis=at))

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return concat(filled(dys, call.outputs), axis=call.inputs[2]), None, None


def _parts(sizes: Sequence[Dim], whole: Dim) -> list[Dim]:
    """Return the sizes of the parts of an axis, -1 resolved; ShapeError when they do not fit."""
    rest = [size for size in sizes if size != -1]
    taken = _total(rest)
    open_ends = len(sizes) - len(rest)
    if taken is None or whole is None:
        return [None if size == -1 else size for size in sizes]
    if open_ends > 1 or taken > whole or (not open_ends and taken != whole):
        raise ShapeError(f"split: sizes {list(sizes)} do not add up to an axis of {whole}")
    return [whole - taken if size == -1 else size for size in sizes]


def sliced(x: Tensor, begin: TensorLike, size: TensorLike) -> Tensor:
    """Return the block of `x` from `begin` on (TensorFlow's Slice); -1 goes to the end."""
    return call(Slice(), x, begin, size)


def padded(x: Tensor, paddings: TensorLike, value: TensorLike = 0) -> Tensor:
    """Return `x` with `value` around it; `paddings` holds (before, after) per axis."""
    return call(PadV2(), x, paddings, astype(value, x.dtype))


def same_dtypes(what: str, xs: Sequence[TensorSpec]) -> None:
    """Check that there are tensors, of one dtype."""
    if not xs:
        raise InvalidArgumentError(f"{what} of no tensors: give at least one")
    if any(x.dtype is not xs[0].dtype for x in xs):
        listed = ", ".join(x.dtype.name for x in xs)
        raise DTypeError(f"{what} takes tensors of one dtype, not {listed}; cast with tl.astype")


def together(xs: Sequence[TensorLike], what: str) -> list[Tensor]:
    """Return values as tensors of the dtype that they all promote to."""
    tensors = [to_tensor(x) for x in xs]
    if not tensors:
        raise InvalidArgumentError(f"{what} of no tensors: give at least one")
    dtype: DType = reduce(dtypes.promote, [x.dtype for x in tensors])
    return [astype(x, dtype) for x in tensors]


def concat(xs: Sequence[TensorLike], /, *, axis: int | Tensor | None = 0) -> Tensor:
    """Return tensors joined along an axis that they have; None joins them flattened.

    Dtypes are promoted. Raises ShapeError when the sizes of other axes differ.

    >>> print(tl.concat([[[1, 2]], [[3, 4]]], axis=1))
    [[1 2 3 4]]
    """
    tensors = together(xs, "concat")
    if axis is None:
        return concat([reshape(x, (-1,)) for x in tensors])
    if len(tensors) == 1 and tensors[0].spec.rank not in (0, None):
        return apart(tensors[0], tensors[0])
    return call(ConcatV2(len(tensors)), *tensors, axis)


def stack(xs: Sequence[TensorLike], /, *, axis: int = 0) -> Tensor:
    """Return tensors of one shape joined along a new axis.

    Dtypes are promoted. Raises ShapeError when the shapes differ.

    >>> print(tl.stack([[1, 2], [3, 4]], axis=1))
    [[1 3]
     [2 4]]
    """
    return call(Pack(axis), *together(xs, "stack"))


def unstack(x: TensorLike, /, *, axis: int = 0, num: int | None = None) -> tuple[Tensor, ...]:
    """Return the parts of `x` along `axis`, which they lack.

    `num`, the size of the axis, need only be given where a trace does not know it.

    >>> a, b = tl.unstack([[1, 2], [3, 4]])
    >>> print(b)
    [3 4]
    """
    tensor = to_tensor(x)
    if num is None:
        num = tensor.shape[normalise_axis(axis, tensor.ndim)]
    if num is None:
        raise ShapeError(
            f"unstack: the size of axis {axis} of {tensor.spec} is not known in this trace; give "
            "`num`, or the argument a TensorSpec that fixes the size"
        )
    return calls(Unpack(num, axis), tensor)


def unstack_known(x: TensorLike, number: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the `number` parts of `x` along `axis`, its size being known from elsewhere."""
    return calls(Unpack(number, axis), x)


def split(
    x: TensorLike, /, num_or_sizes: int | Sequence[int] | Tensor, axis: int | Tensor = 0
) -> tuple[Tensor, ...]:
    """Return `x` cut along `axis`: into a number of equal parts, or into parts of given sizes.

    One size may be -1. Raises ShapeError when the parts do not make up the axis.

    >>> for part in tl.split([1, 2, 3, 4, 5], [2, -1]):
    ...     print(part)
    [1 2]
    [3 4 5]
    """
    if isinstance(num_or_sizes, int):
        if num_or_sizes < 1:
            raise InvalidArgumentError(f"split into {num_or_sizes} parts: give 1 or more")
        return calls(Split(num_or_sizes), axis, x)
    if not isinstance(num_or_sizes, Tensor):
        whole_numbers(num_or_sizes, "split: num_or_sizes")
    sizes = to_tensor(num_or_sizes)
    number = sizes.spec.dims[0]
    if number is None:
        raise ShapeError("split: the number of sizes must be known in a trace")
    return calls(SplitV(number), x, sizes, axis)
