"""Sparse tensors joined, cut, turned, reshaped, and reduced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.gather import gather, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.arrays.segment import unsorted_segment_max
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.reduce import all as all_of, max as max_of, prod as prod_of
from tensorlite.ops.operators import astype, remainder, reshape, stack
from tensorlite.ops.sparse.dense import coalesced
from tensorlite.ops.sparse.layout import FittingShape, SparseReshape
from tensorlite.ops.sparse.tensor import SparseTensor, numbers_of, reorder

__all__ = [
    "sparse_concat",
    "sparse_expand_dims",
    "sparse_eye",
    "sparse_fill_empty_rows",
    "sparse_maximum",
    "sparse_minimum",
    "sparse_reduce_max",
    "sparse_reduce_sum",
    "sparse_reset_shape",
    "sparse_reshape",
    "sparse_retain",
    "sparse_slice",
    "sparse_split",
    "sparse_transpose",
]

Axes = int | Sequence[int] | None


def rank_of(sp: SparseTensor) -> int:
    """Return the number of axes, which must be known."""
    if sp.rank is None:
        raise ShapeError(
            "the rank of this SparseTensor is unknown, and is needed here"
        )
    return sp.rank


def axis_of(axis: int, rank: int) -> int:
    """Return an axis counted from the front."""
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"axis={axis}; allowed: {-rank} to {rank - 1}")
    return axis % rank


def sparse_concat(
    axis: int, tensors: Sequence[SparseTensor], expand_nonconcat_dims: bool = False
) -> SparseTensor:
    """Return sparse tensors one behind the other along an axis.

    With `expand_nonconcat_dims` the other sizes may differ: the greatest of each counts.

    >>> x = tl.sparse.SparseTensor([[0]], [5], (2,))
    >>> print(tl.sparse.concat(0, [x, x]).indices)
    [[0]
     [2]]
    """
    if not tensors:
        raise InvalidArgumentError("sparse.concat: give one sparse tensor or more")
    at = axis_of(axis, rank_of(tensors[0]))
    offset: Any = 0
    places, shapes = [], [sp.dense_shape for sp in tensors]
    unit = constant(np.eye(rank_of(tensors[0]), dtype=np.int64)[at])
    for sp in tensors:
        places.append(sp.indices + offset * unit)
        offset = offset + sp.dense_shape[at]
    if not expand_nonconcat_dims:
        check = FittingShape(free_axis=at)
        shapes[1:] = [call(check, other, shapes[0]) for other in shapes[1:]]
    shape = stack(shapes)
    others = max_of(shape, axis=0) if expand_nonconcat_dims else shape[0]
    whole = others * (1 - unit) + offset * unit
    return reorder(
        SparseTensor(concat(places), concat([sp.values for sp in tensors]), whole)
    )


def sparse_slice(
    sp: SparseTensor, start: TensorLike, size: TensorLike
) -> SparseTensor:
    """Return the part of a sparse tensor that begins at `start` and has `size`, cut at its end.

    >>> x = tl.sparse.SparseTensor([[0], [2]], [5, 6], (4,))
    >>> print(tl.sparse.slice(x, [1], [3]).indices)
    [[1]]
    """
    first = astype(to_tensor(start), dtypes.int64)
    wanted = astype(to_tensor(size), dtypes.int64)
    shape = clip(sp.dense_shape - first, 0, wanted)
    places = sp.indices - first
    inside = all_of((places >= 0) & (places < shape), axis=1)
    return SparseTensor(
        boolean_mask(places, inside), boolean_mask(sp.values, inside), shape
    )


def sparse_split(sp: SparseTensor, num_split: int, axis: int) -> list[SparseTensor]:
    """Return a sparse tensor in parts along an axis; the first are longer by one if it must be.

    >>> x = tl.sparse.SparseTensor([[0], [2]], [5, 6], (3,))
    >>> [part.shape for part in tl.sparse.split(x, 2, 0)]
    [(2,), (1,)]
    """
    rank = rank_of(sp)
    at = axis_of(axis, rank)
    unit = constant(np.eye(rank, dtype=np.int64)[at])
    whole = sp.dense_shape[at]
    parts, first = [], constant(np.zeros((), np.int64))
    for i in range(num_split):
        length = whole // num_split + astype(
            i < remainder(whole, num_split), dtypes.int64
        )
        parts.append(
            sparse_slice(
                sp, first * unit, sp.dense_shape * (1 - unit) + length * unit
            )
        )
        first = first + length
    return parts


def sparse_transpose(
    sp: SparseTensor, perm: Sequence[int] | None = None
) -> SparseTensor:
    """Return a sparse tensor with its axes in another order: reversed, or as `perm` says.

    >>> x = tl.sparse.SparseTensor([[0, 2]], [5], (2, 3))
    >>> print(tl.sparse.transpose(x).indices)
    [[2 0]]
    """
    order = list(range(rank_of(sp)))[::-1] if perm is None else list(perm)
    turned = SparseTensor(
        gather(sp.indices, order, axis=1), sp.values, gather(sp.dense_shape, order)
    )
    return reorder(turned)


def sparse_reshape(sp: SparseTensor, shape: TensorLike) -> SparseTensor:
    """Return the elements at the places of another shape, of which one size may be -1.

    >>> x = tl.sparse.SparseTensor([[0, 2], [1, 0]], [5, 6], (2, 3))
    >>> print(tl.sparse.reshape(x, (-1,)).indices)
    [[2]
     [3]]
    """
    wanted = astype(as_shape(shape), dtypes.int64)
    places, whole = calls(SparseReshape(), sp.indices, sp.dense_shape, wanted)
    return SparseTensor(places, sp.values, whole)


def sparse_expand_dims(sp: SparseTensor, axis: int = -1) -> SparseTensor:
    """Return a sparse tensor with an axis of size 1 put in.

    >>> tl.sparse.expand_dims(tl.sparse.SparseTensor([[1]], [5], (3,)), 0).shape
    (1, 3)
    """
    at = axis_of(axis, rank_of(sp) + 1)
    column = zeros_like(sp.indices[:, :1])
    one = constant([1], dtypes.int64)
    places = concat([sp.indices[:, :at], column, sp.indices[:, at:]], axis=1)
    return SparseTensor(
        places, sp.values, concat([sp.dense_shape[:at], one, sp.dense_shape[at:]])
    )


def sparse_eye(
    num_rows: int, num_columns: int | None = None, dtype: DTypeLike = dtypes.float32
) -> SparseTensor:
    """Return the unit matrix.

    >>> print(tl.sparse.eye(2).values)
    [1. 1.]
    """
    columns = num_rows if num_columns is None else num_columns
    numbers = arange(min(num_rows, columns), dtype=dtypes.int64)
    return SparseTensor(
        stack([numbers, numbers], axis=1),
        ones_like(astype(numbers, dtype)),
        (num_rows, columns),
    )


def sparse_retain(sp: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """Return the elements for which `to_retain`, a vector of bools, is true.

    >>> x = tl.sparse.SparseTensor([[0], [2]], [5, 6], (3,))
    >>> print(tl.sparse.retain(x, [False, True]).values)
    [6]
    """
    kept = to_tensor(to_retain)
    if kept.spec.shape is None:
        kept = reshape(kept, (-1,))
    return SparseTensor(
        boolean_mask(sp.indices, kept), boolean_mask(sp.values, kept), sp.dense_shape
    )


def sparse_reset_shape(
    sp: SparseTensor, new_shape: TensorLike | None = None
) -> SparseTensor:
    """Return a sparse tensor of another shape, or of the least that holds all elements.

    >>> print(tl.sparse.reset_shape(tl.sparse.SparseTensor([[1]], [5], (9,))).dense_shape)
    [2]
    """
    if new_shape is None:
        # Of no elements the least shape is that of nothing.
        none = reshape(zeros_like(sp.dense_shape) - 1, (1, -1))
        shape = max_of(concat([none, sp.indices]), axis=0) + 1
    else:
        wanted = astype(as_shape(new_shape), dtypes.int64)
        shape = call(FittingShape(may_grow=True), wanted, sp.dense_shape)
    return SparseTensor(sp.indices, sp.values, shape)


def sparse_fill_empty_rows(
    sp: SparseTensor, default_value: TensorLike
) -> tuple[SparseTensor, Tensor]:
    """Return a sparse matrix whose empty rows have `default_value`, and which rows these were.

    >>> x = tl.sparse.SparseTensor([[1, 1]], [5], (2, 2))
    >>> filled, empty = tl.sparse.fill_empty_rows(x, 0)
    >>> print(filled.values, empty)
    [0 5] [ True False]
    """
    rows, filled = arange(sp.dense_shape[0]), sp.indices[:, 0]
    counts = unsorted_segment_sum(ones_like(filled), filled, sp.dense_shape[0])
    empty = equal(counts, 0)
    missing = boolean_mask(rows, empty)
    zero = zeros_like(missing)
    places = concat(
        [stack([missing, *[zero] * (rank_of(sp) - 1)], axis=1), sp.indices]
    )
    value = to_tensor(default_value)
    value = value if value.dtype is sp.dtype else astype(value, sp.dtype)
    fill = broadcast_to(value, shape_of(missing))
    order = argsort(places[:, 0])
    found = SparseTensor(
        gather(places, order),
        gather(concat([fill, sp.values]), order),
        sp.dense_shape,
    )
    return found, empty


def _kept_axes(sp: SparseTensor, axis: Axes) -> list[int]:
    rank = rank_of(sp)
    given = (
        range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    )
    dropped = {axis_of(one, rank) for one in given}
    return [i for i in range(rank) if i not in dropped]


def _reduced(
    sp: SparseTensor, axis: Axes, keepdims: bool, reduction: Callable[..., Tensor]
) -> Tensor:
    kept = _kept_axes(sp, axis)
    shape = gather(sp.dense_shape, constant(kept, dtypes.int64)) if kept else None
    if shape is None:
        ids, count = zeros_like(sp.indices[:, 0]), constant(np.asarray(1, np.int64))
    else:
        columns = gather(sp.indices, constant(kept, dtypes.int64), axis=1)
        ids, count = numbers_of(columns, shape), prod_of(shape)
    flat = reduction(sp.values, ids, count)
    if keepdims:
        every = [sp.dense_shape[i] if i in kept else 1 for i in range(rank_of(sp))]
        return reshape(flat, every)
    return reshape(flat, [sp.dense_shape[i] for i in kept])


def sparse_reduce_sum(
    sp: SparseTensor, axis: Axes = None, keepdims: bool = False
) -> Tensor:
    """Return sums along axes, as a dense tensor.

    >>> x = tl.sparse.SparseTensor([[0, 0], [0, 2]], [5, 6], (2, 3))
    >>> print(tl.sparse.reduce_sum(x, 1))
    [11  0]
    """
    return _reduced(sp, axis, keepdims, unsorted_segment_sum)


def sparse_reduce_max(
    sp: SparseTensor, axis: Axes = None, keepdims: bool = False
) -> Tensor:
    """Return the greatest elements along axes, as a dense tensor: 0 where there are none.

    >>> x = tl.sparse.SparseTensor([[0, 0], [0, 2]], [5, 6], (2, 3))
    >>> print(tl.sparse.reduce_max(x, 1))
    [6 0]
    """

    def greatest(values: Tensor, ids: Tensor, count: Tensor) -> Tensor:
        there = unsorted_segment_sum(ones_like(ids), ids, count) > 0
        return where(there, unsorted_segment_max(values, ids, count), 0)

    return _reduced(sp, axis, keepdims, greatest)


def sparse_maximum(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """Return the greater of two elements, where at least one tensor has one; the other is 0 there.

    >>> a = tl.sparse.SparseTensor([[0]], [-5], (3,))
    >>> print(tl.sparse.maximum(a, tl.sparse.SparseTensor([[1]], [6], (3,))).values)
    [0 6]
    """
    return _joined(a, b, maximum)


def sparse_minimum(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """Return the lesser of two elements, where at least one tensor has one; the other is 0 there.

    >>> a = tl.sparse.SparseTensor([[0]], [-5], (3,))
    >>> print(tl.sparse.minimum(a, tl.sparse.SparseTensor([[1]], [6], (3,))).values)
    [-5  0]
    """
    return _joined(a, b, minimum)


def _joined(
    a: SparseTensor, b: SparseTensor, function: Callable[[Tensor, Tensor], Tensor]
) -> SparseTensor:
    shape = call(FittingShape(), a.dense_shape, b.dense_shape)
    places = concat([a.indices, b.indices])
    ours = concat([a.values, zeros_like(b.values)])
    theirs = concat([zeros_like(a.values), b.values])
    first, second = (coalesced(places, x, shape) for x in (ours, theirs))
    values = function(first.values, second.values)
    return SparseTensor(first.indices, values, a.dense_shape)
