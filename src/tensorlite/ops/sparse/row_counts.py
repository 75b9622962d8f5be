"""How often each number occurs, in all or in each row, of dense, sparse and ragged tensors.

A plain count of a dense tensor is also in arrays/search.py (bincount), histograms are in
math/counting.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims, size
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import sizes, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.sets import unique_inverse
from tensorlite.ops.arrays.shape import as_shape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.reduce import max as max_of
from tensorlite.ops.operators import astype, reshape
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["counts", "sparse_counts"]

_NONE = constant(np.asarray([-1], np.int32))


class NonNegative(Op):
    """Numbers as they are, if none is negative."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the same spec."""
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the numbers; InvalidArgumentError if one is negative."""
        if x.size and int(x.min()) < 0:
            raise InvalidArgumentError(
                f"Input arr must be non-negative! It has {int(x.min())}; what is counted are the "
                "integers from 0 on"
            )
        return x


class _Rows(NamedTuple):
    """Numbers one behind the other, in which row each is, and how many rows there are."""

    numbers: Tensor
    row: Tensor
    count: Any


def counts(
    x: TensorLike | SparseTensor | RaggedTensor,
    weights: Any = None,
    minlength: TensorLike = 0,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    by_rows: bool = False,
    binary: bool = False,
) -> Tensor:
    """Return how often each integer from 0 on is in `x`, or the sums of the weights beside it.

    There are as many counts as the largest number asks for, at least `minlength` and at most
    `maxlength`: larger numbers are not counted. With `by_rows` each row of a matrix is counted by
    itself; with `binary` a count is 1 for whatever occurs. Raises InvalidArgumentError for binary
    counts with weights and for negative numbers, ShapeError for rows of what is no matrix.
    Source: TensorFlow's DenseBincount.

    >>> print(counts([[1, 1], [0, 2]], by_rows=True))
    [[0 2 0]
     [1 0 1]]
    """
    if binary and weights is not None:
        raise InvalidArgumentError(
            "counts with weights are not binary: leave one out"
        )
    found, by_rows = _rows(x), by_rows and not _is_vector(x)
    numbers = astype(call(NonNegative(), found.numbers), dtypes.int32)
    length = maximum(max_of(concat([numbers, _NONE])) + 1, to_tensor(minlength))
    if maxlength is not None:
        length = minimum(length, to_tensor(maxlength))
    inside = numbers < length
    places = (
        numbers + astype(found.row, dtypes.int32) * length if by_rows else numbers
    )
    each = _weights(x, weights, numbers, dtype)
    total = length * found.count if by_rows else length
    kept = boolean_mask(each, inside), boolean_mask(places, inside)
    summed = unsorted_segment_sum(*kept, total)
    if binary:
        summed = minimum(summed, ones_like(summed))
    return reshape(summed, as_shape([found.count, length])) if by_rows else summed


def sparse_counts(
    x: TensorLike | SparseTensor | RaggedTensor,
    weights: Any = None,
    minlength: int = 0,
    maxlength: int | None = None,
    by_rows: bool = False,
    binary: bool = False,
) -> SparseTensor:
    """Return what `counts` does, of the numbers that occur alone.

    The counts have the dtype of the numbers. Raises ShapeError where there are not as many weights
    as numbers, DTypeError where one of both is sparse or ragged, InvalidArgumentError for negative
    numbers. Source: TensorFlow's DenseCountSparseOutput.

    >>> print(sparse_counts([7, 5, 7]).values)
    [1 2]
    """
    found, by_rows = _rows(x), by_rows and not _is_vector(x)
    numbers = astype(call(NonNegative(), found.numbers), dtypes.int64)
    row = astype(found.row, dtypes.int64)
    each = _weights(x, weights, numbers, found.numbers.dtype)
    if maxlength is not None:
        inside = numbers < maxlength
        numbers, row, each = [
            boolean_mask(part, inside) for part in (numbers, row, each)
        ]
    none = constant(np.asarray([minlength - 1], np.int64))
    length = max_of(concat([numbers, none])) + 1
    if maxlength is not None:
        length = to_tensor(np.int64(maxlength))
    places, which = unique_inverse(row * length + numbers if by_rows else numbers)
    summed = unsorted_segment_sum(each, which, size(places))
    summed = ones_like(summed) if binary else summed
    if not by_rows:
        return SparseTensor(expand_dims(places, 1), summed, reshape(length, (1,)))
    width = maximum(length, 1)
    indices = stack([places // width, places % width], axis=1)
    return SparseTensor(
        indices, summed, stack([astype(found.count, dtypes.int64), length])
    )


def _weights(x: Any, weights: Any, numbers: Tensor, dtype: DTypeLike) -> Tensor:
    """Return what each number counts."""
    if weights is None:
        return ones_like(numbers, dtype=dtype)
    for kind in (SparseTensor, RaggedTensor):
        if isinstance(x, kind) is not isinstance(weights, kind):
            raise DTypeError(
                f"Argument `weights` must be a {kind.__name__} if, and only if, the numbers that "
                f"are counted are one, not {weights!r}"
            )
    given = _values(weights) if _is_composite(weights) else to_tensor(weights)
    each = reshape(given, (-1,))
    have, wanted = each.spec.size, numbers.spec.size
    if have is not None and wanted is not None and have != wanted:
        raise ShapeError(f"there are {have} weights for {wanted} numbers")
    return each


def _is_vector(x: Any) -> bool:
    """Return whether there are no rows to be counted each by itself."""
    rank = x.rank if isinstance(x, SparseTensor) else None
    if not _is_composite(x):
        rank = to_tensor(x).spec.rank
    return rank == 1


def _is_composite(x: Any) -> bool:
    return isinstance(x, (SparseTensor, RaggedTensor))


def _values(x: Any) -> Tensor:
    """Return the numbers of a sparse or ragged tensor, without their places."""
    found: Tensor = x.flat_values if isinstance(x, RaggedTensor) else x.values
    return found


def _rows(x: Any) -> _Rows:
    """Return the numbers of a tensor by rows; those of a vector are in one."""
    if isinstance(x, RaggedTensor) and x.ragged_rank > 1:
        return _rows(x.flat_values)
    if isinstance(x, RaggedTensor):
        return _Rows(x.values, x.value_rowids(), astype(x.nrows(), dtypes.int32))
    if isinstance(x, SparseTensor):
        if x.rank == 1:
            return _Rows(x.values, x.indices[:, 0] * 0, 1)
        count = astype(x.dense_shape[0], dtypes.int32)
        return _Rows(x.values, x.indices[:, 0], count)
    tensor = to_tensor(x)
    numbers = reshape(tensor, (-1,))
    if tensor.spec.rank == 2:
        height, width = sizes(tensor)
        return _Rows(numbers, repeat(arange(height), width), height)
    return _Rows(numbers, arange(size(numbers)) * 0, 1)
