"""Joining along an axis that is there, and cutting it again: concat and split.

A new axis is made and taken apart in stack.py; Slice and PadV2 are in pieces.py. Permuting and
repeating elements is in arrange.py; indexing with brackets is in index.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate, pairwise

import numpy as np

from tensorlite.core.check import whole_numbers
from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import (
    Dim,
    Dims,
    Known,
    TensorSpec,
    all_known,
    merge,
    normalise_axis,
    shape_text,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.pieces import sliced, total
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.arrays.stack import SMALL, filled, same_dtypes, small, together

__all__ = ["concat", "split"]


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
        known = [x.shape for x in xs if x.shape is not None]
        if not known:
            return xs[0].with_shape(None)
        unsized = (None,) * _one_rank(known)
        given = axis.axis()
        if given is None:
            return xs[0].with_shape(unsized)
        shapes = [unsized if x.shape is None else x.shape for x in xs]
        return TensorSpec(
            _concatenated(shapes, given), xs[0].dtype, known=_joined(xs, given)
        )

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
        return (
            *[sliced(dy, s, shape_of(x)) for s, x in zip(starts, xs, strict=True)],
            None,
        )


def _sizes_along(xs: Sequence[Tensor], axis: Tensor) -> list[int] | None:
    at = axis.spec.scalar()
    if at is None or any(x.spec.shape is None for x in xs):
        return None
    sizes = [x.shape[at] for x in xs]
    return None if None in sizes else sizes


def _many(sizes: Iterable[int | None]) -> bool:
    return len(set(sizes) - {None}) > 1


def _one_rank(shapes: Sequence[Dims]) -> int:
    """Return the rank of all shapes; ShapeError where they differ, and for scalars."""
    ranks = {len(shape) for shape in shapes}
    if ranks == {0} or len(ranks) > 1:
        listed = " and ".join(map(shape_text, shapes))
        raise ShapeError(f"concat takes tensors of one rank, 1 or more, not {listed}")
    return ranks.pop()


def _concatenated(shapes: Sequence[Dims], axis: int) -> Dims:
    listed = " and ".join(map(shape_text, shapes))
    at = normalise_axis(axis, len(shapes[0]))
    rest: list[Dims | None] = [
        (*shape[:at], None, *shape[at + 1 :]) for shape in shapes
    ]
    try:
        whole = reduce(merge, rest)
    except ShapeError:
        odd = next(
            i for i, sizes in enumerate(zip(*rest, strict=True)) if _many(sizes)
        )
        raise ShapeError(
            f"Dimension {odd} in both shapes must be equal: concat: {listed} differ beside axis "
            f"{at}"
        ) from None
    return tuple(
        [
            total([s[i] for s in shapes]) if i == at else n
            for i, n in enumerate(whole or ())
        ]
    )


def _joined(xs: Sequence[TensorSpec], axis: int) -> Known:
    """Return what is known of vectors one behind the other, or of the rows of matrices."""
    if not xs[0].dtype.is_integer:
        return None
    if xs[0].rank == 2 and axis in (0, -2):
        return _rows_joined(xs)
    if xs[0].rank != 1:
        return None
    rows = [x.vector() for x in xs]
    if any(row is None for row in rows):
        return None
    return small(tuple([size for row in rows for size in row or ()]))


def _rows_joined(xs: Sequence[TensorSpec]) -> Known:
    found: list[Dim] = []
    for x in xs:
        if x.size is None or x.size > SMALL:
            return None
        found += x.known if isinstance(x.known, tuple) else [None] * x.size
    return small(tuple(found))


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
        _check_joined(int(axis), shapes)
        starts = np.zeros((self.N, shapes[0].size), shapes[0].dtype)
        starts[1:, axis] = np.cumsum([shape[axis] for shape in shapes[:-1]])
        return tuple(starts)


def _check_joined(axis: int, shapes: Sequence[Array]) -> None:
    """Raise unless shapes are those of tensors that can be joined along an axis."""
    first = shapes[0]
    if any(shape.ndim != 1 or shape.shape != first.shape for shape in shapes):
        raise ShapeError(
            f"ConcatOffset: {[x.tolist() for x in shapes]}; shapes are vectors of one size"
        )
    at = normalise_axis(axis, len(first))
    for shape in shapes:
        if (np.delete(shape, at) != np.delete(first, at)).any():
            raise ShapeError(
                f"ConcatOffset: {first.tolist()} and {shape.tolist()} differ beside axis {at}"
            )


def _unsized(x: TensorSpec) -> TensorSpec:
    return x.with_shape(None if x.shape is None else (None,) * len(x.shape))


class Split(Op):
    """A tensor cut into equal parts along an axis, which comes first."""

    host = (0,)
    num_split: int

    def infer(self, axis: TensorSpec, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return equal specs; ShapeError when the axis does not divide."""
        at = axis.axis()
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
        return (
            x.with_shape((*x.shape[:at], part, *x.shape[at + 1 :])),
        ) * self.num_split

    def kernel(self, xp: Xp, axis: Array, x: Array) -> tuple[Array, ...]:
        """Return the parts."""
        at = normalise_axis(int(axis), x.ndim)
        if x.shape[at] % self.num_split:
            raise ShapeError(
                f"split: an axis of {x.shape[at]} does not divide into {self.num_split} equal parts"
            )
        return _pieces(x, at, [x.shape[at] // self.num_split] * self.num_split)

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return None, concat(filled(dys, call.outputs), axis=call.inputs[0])


class SplitV(Op):
    """A tensor cut along an axis into parts of given sizes, of which one may be -1."""

    host = (1, 2)
    num_split: int

    def infer(
        self, x: TensorSpec, sizes: TensorSpec, axis: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return one spec per part; ShapeError when the sizes do not add up to the axis's."""
        at, parts = axis.axis(), sizes.vector() or (None,) * self.num_split
        if x.shape is None or at is None:
            return (_unsized(x),) * self.num_split
        at = normalise_axis(at, len(x.shape))
        cut = tuple(_parts(parts, x.shape[at]))
        numbers = x.vector() if len(x.shape) == 1 else None
        if numbers is not None and all_known(cut):
            known = _pieces_of(numbers, cut)
            return tuple([TensorSpec((len(n),), x.dtype, known=n) for n in known])
        return tuple(
            [x.with_shape((*x.shape[:at], n, *x.shape[at + 1 :])) for n in cut]
        )

    def kernel(
        self, xp: Xp, x: Array, sizes: Array, axis: Array
    ) -> tuple[Array, ...]:
        """Return the parts."""
        at = normalise_axis(int(axis), x.ndim)
        parts = _parts(sizes.tolist(), x.shape[at])
        return _pieces(x, at, [n or 0 for n in parts])

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return concat(filled(dys, call.outputs), axis=call.inputs[2]), None, None


def _pieces(x: Array, at: int, sizes: Sequence[int]) -> tuple[Array, ...]:
    """Return an array cut along an axis; NumPy's own function takes ten times as long."""
    ends = [*accumulate(sizes, initial=0)]
    whole = (slice(None),) * at
    return tuple([x[(*whole, slice(*pair))] for pair in pairwise(ends)])


def _pieces_of(numbers: Dims, sizes: Sequence[int]) -> list[Dims]:
    """Return what is known of the parts of a vector."""
    ends = [*accumulate(sizes, initial=0)]
    return [numbers[slice(*pair)] for pair in pairwise(ends)]


def _parts(sizes: Sequence[Dim], whole: Dim) -> list[Dim]:
    """Return the sizes of the parts of an axis, -1 resolved; ShapeError when they do not fit."""
    for place, size in enumerate(sizes):
        if size is not None and size < -1:
            raise ShapeError(
                f"split: Split size at index {place} must be >= 0, or -1 for what is left. Got: "
                f"{size}"
            )
    rest = [size for size in sizes if size != -1]
    taken = total(rest)
    open_ends = len(sizes) - len(rest)
    if taken is None or whole is None:
        return [None if size == -1 else size for size in sizes]
    if open_ends > 1 or taken > whole or (not open_ends and taken != whole):
        raise ShapeError(
            f"split: sizes {list(sizes)} do not add up to an axis of {whole}"
        )
    return [whole - taken if size == -1 else size for size in sizes]


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


def split(
    x: TensorLike,
    /,
    num_or_sizes: int | Sequence[int] | Tensor,
    axis: int | Tensor = 0,
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
            raise InvalidArgumentError(
                f"split into {num_or_sizes} parts: give 1 or more"
            )
        return calls(Split(num_or_sizes), axis, x)
    if not isinstance(num_or_sizes, Tensor):
        whole_numbers(num_or_sizes, "split: num_or_sizes")
    sizes = to_tensor(num_or_sizes)
    if sizes.spec.rank == 0:
        raise ShapeError(
            "split: Rank-0 tensors are not supported as sizes; give a vector of them, or a number "
            "of parts that is no tensor"
        )
    number = sizes.spec.dims[0]
    if number is None:
        raise ShapeError("split: the number of sizes must be known in a trace")
    return calls(SplitV(number), x, sizes, axis)
