"""Between sparse and dense tensors: conversion, products, sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, matrix_transpose, size
from tensorlite.ops.arrays.gather import gather, gather_nd, unsorted_segment_sum
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import Where, boolean_mask
from tensorlite.ops.arrays.scatter import tensor_scatter_nd_add
from tensorlite.ops.arrays.segment import unsorted_segment_max
from tensorlite.ops.arrays.sets import isin, unique_all
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.math.arithmetic import conjugated
from tensorlite.ops.math.compare import not_equal
from tensorlite.ops.math.elementwise import exp
from tensorlite.ops.math.reduce import prod as prod_of
from tensorlite.ops.operators import abs as abs_of, astype
from tensorlite.ops.sparse.layout import SparseToDense
from tensorlite.ops.sparse.tensor import SparseTensor, numbers_of, places_of

__all__ = [
    "from_dense",
    "map_values",
    "sparse_add",
    "sparse_dense_matmul",
    "sparse_mask",
    "sparse_softmax",
    "sparse_to_dense",
    "to_dense",
    "to_indicator",
]


def sparse_to_dense(
    indices: TensorLike,
    dense_shape: TensorLike,
    values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = False,
) -> Tensor:
    """Return a tensor that has `values` at `indices` and `default_value` elsewhere.

    `indices` is a place, a vector of places, or a matrix with one place a row. The last of equal
    places counts; `validate_indices` refuses these, and places that are out of order, with
    InvalidArgumentError.

    >>> print(tl.sparse.sparse_to_dense([[0, 1], [1, 0]], (2, 2), [5, 6], -1))
    [[-1  5]
     [ 6 -1]]
    """
    elements, empty = to_tensor(values), to_tensor(default_value)
    if empty.dtype is not elements.dtype:
        empty = astype(empty, elements.dtype)
    shape = astype(as_shape(dense_shape), dtypes.int64)
    places = astype(indices, dtypes.int64)
    return call(SparseToDense(validate_indices), places, shape, elements, empty)


def to_dense(
    sp: SparseTensor,
    default_value: TensorLike | None = None,
    validate_indices: bool = False,
) -> Tensor:
    """Return a sparse tensor as a dense one, with `default_value` (0, "") where it has nothing.

    >>> print(tl.sparse.to_dense(tl.sparse.SparseTensor([[1]], [5], (3,))))
    [0 5 0]
    """
    empty = default_value
    if empty is None:
        empty = constant(b"") if sp.dtype is dtypes.string else 0
    return sparse_to_dense(
        sp.indices, sp.dense_shape, sp.values, empty, validate_indices
    )


def from_dense(x: TensorLike) -> SparseTensor:
    """Return the elements of a tensor that are not 0 (or "").

    >>> print(tl.sparse.from_dense([[0, 5], [6, 0]]).indices)
    [[0 1]
     [1 0]]
    """
    tensor = to_tensor(x)
    nothing = constant(b"") if tensor.dtype is dtypes.string else 0
    filled = (
        not_equal(tensor, nothing) if tensor.dtype is not dtypes.bool_ else tensor
    )
    places = call(Where(), filled)
    return SparseTensor(
        places, gather_nd(tensor, places), shape_of(tensor, dtypes.int64)
    )


def map_values(
    function: Callable[..., TensorLike], *args: Any, **kwargs: Any
) -> SparseTensor:
    """Return a function of the elements, at the places of the sparse tensors among its operands.

    >>> x = tl.sparse.SparseTensor([[1]], [5.0], (3,))
    >>> print(tl.sparse.map_values(tl.square, x).values)
    [25.]
    """
    found = [a for a in (*args, *kwargs.values()) if isinstance(a, SparseTensor)]
    if not found:
        raise InvalidArgumentError(
            "map_values needs a SparseTensor among its operands"
        )
    plain = [a.values if isinstance(a, SparseTensor) else a for a in args]
    named = {
        key: a.values if isinstance(a, SparseTensor) else a
        for key, a in kwargs.items()
    }
    return found[0].with_values(function(*plain, **named))


def sparse_dense_matmul(
    a: SparseTensor | TensorLike,
    b: SparseTensor | TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Tensor:
    """Return the product of a sparse and a dense matrix, in either order.

    >>> a = tl.sparse.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], (2, 2))
    >>> print(tl.sparse.sparse_dense_matmul(a, [[1.0, 2.0], [3.0, 4.0]]))
    [[6. 8.]
     [3. 6.]]
    """
    if not isinstance(a, SparseTensor):
        other = one_of(b, SparseTensor, "b", "a SparseTensor, as sp_a is none")
        dense = (
            matrix_transpose(to_tensor(a))
            if not adjoint_a
            else conjugated(to_tensor(a))
        )
        turned = _product(other, dense, not adjoint_b, conjugate=adjoint_b)
        return matrix_transpose(turned)
    assert not isinstance(b, SparseTensor)
    dense = to_tensor(b)
    if adjoint_b:
        dense = conjugated(matrix_transpose(dense))
    return _product(a, dense, adjoint_a, conjugate=adjoint_a)


def _product(a: SparseTensor, b: Tensor, turned: bool, conjugate: bool) -> Tensor:
    """Return sums of rows of `b`, one for each element of `a`."""
    row, column = (1, 0) if turned else (0, 1)
    values = conjugated(a.values) if conjugate else a.values
    sizes = a.dense_shape.spec.vector() or (None, None)
    inner = (sizes[column], b.spec.dims[0] if b.spec.rank else None)
    if None not in inner and inner[0] != inner[1]:
        raise ShapeError(
            f"sparse_dense_matmul: Dimensions must be equal, but are {inner[0]} and {inner[1]}"
        )
    parts = gather(b, a.indices[:, column]) * expand_dims(values, 1)
    return unsorted_segment_sum(parts, a.indices[:, row], a.dense_shape[row])


@overload
def sparse_add(
    a: SparseTensor, b: SparseTensor, threshold: float | Tensor = 0
) -> SparseTensor: ...
@overload
def sparse_add(
    a: SparseTensor, b: TensorLike, threshold: float | Tensor = 0
) -> SparseTensor | Tensor: ...
@overload
def sparse_add(
    a: TensorLike, b: SparseTensor, threshold: float | Tensor = 0
) -> SparseTensor | Tensor: ...
def sparse_add(
    a: SparseTensor | TensorLike,
    b: SparseTensor | TensorLike,
    threshold: float | Tensor = 0,
) -> SparseTensor | Tensor:
    """Return the sum: sparse of two sparse tensors, dense where one is dense.

    Sums of a magnitude below `threshold` are left out of a sparse result.

    >>> a = tl.sparse.SparseTensor([[0], [2]], [1, 2], (3,))
    >>> print(tl.sparse.add(a, a).values, tl.sparse.add(a, [1, 1, 1]))
    [2 4] [2 1 3]
    """
    if not isinstance(a, SparseTensor):
        a, b = b, a
    assert isinstance(a, SparseTensor)
    if not isinstance(b, SparseTensor):
        return tensor_scatter_nd_add(to_tensor(b), a.indices, a.values)
    found = coalesced(
        concat([a.indices, b.indices]), concat([a.values, b.values]), a.dense_shape
    )
    if not isinstance(threshold, Tensor) and not threshold:
        return found
    kept = abs_of(found.values) >= threshold
    return SparseTensor(
        boolean_mask(found.indices, kept),
        boolean_mask(found.values, kept),
        a.dense_shape,
    )


def coalesced(indices: Tensor, values: Tensor, dense_shape: Tensor) -> SparseTensor:
    """Return elements in order, those of one place added up."""
    found = unique_all(numbers_of(indices, dense_shape))
    summed = unsorted_segment_sum(values, found.inverse_indices, size(found.values))
    return SparseTensor(places_of(found.values, dense_shape), summed, dense_shape)


def sparse_softmax(sp: SparseTensor) -> SparseTensor:
    """Return the softmax along the last axis, over the elements that are there.

    >>> x = tl.sparse.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 1.0, 7.0], (2, 3))
    >>> print(tl.sparse.softmax(x).values)
    [0.5 0.5 1. ]
    """
    rows = sp.dense_shape[:-1]
    ids = numbers_of(sp.indices[:, :-1], rows)
    count = prod_of(rows)
    highest = stop_gradient(unsorted_segment_max(sp.values, ids, count))
    powers = exp(sp.values - gather(highest, ids))
    total = unsorted_segment_sum(powers, ids, count)
    return sp.with_values(powers / gather(total, ids))


def to_indicator(sp: SparseTensor, vocab_size: int) -> Tensor:
    """Return bools: along a last axis of `vocab_size`, whether a number is among a row's elements.

    >>> x = tl.sparse.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], (2, 2))
    >>> print(tl.sparse.to_indicator(x, 3))
    [[False False  True]
     [ True  True False]]
    """
    numbers = expand_dims(astype(sp.values, dtypes.int64), 1)
    places = concat([sp.indices[:, :-1], numbers], axis=1)
    shape = concat([sp.dense_shape[:-1], constant([vocab_size], dtypes.int64)])
    return sparse_to_dense(
        places, shape, constant(np.asarray(True)), constant(np.asarray(False))
    )


def sparse_mask(slices: IndexedSlices, mask_indices: TensorLike) -> IndexedSlices:
    """Return the rows of IndexedSlices whose numbers are not among `mask_indices`.

    >>> rows = tl.IndexedSlices(tl.ones((3, 2)), tl.asarray([4, 7, 9]), (10, 2))
    >>> print(tl.sparse.mask(rows, [7]).indices)
    [4 9]
    """
    one_of(slices, IndexedSlices, "a", "IndexedSlices")
    left = ~isin(slices.indices, mask_indices)
    return IndexedSlices(
        boolean_mask(slices.values, left),
        boolean_mask(slices.indices, left),
        slices.dense_shape,
    )
