"""Counts of numbers in dense, sparse and ragged tensors, as dense and as sparse tensors.

Counts of one row are in scattering.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlite.core.dtypes import int64
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.gather import unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.sets import unique_inverse
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import logical_and, where
from tensorlite.ops.math.reduce import max as greatest
from tensorlite.ops.ragged.arrange import row_splits_to_segment_ids

Rows = tuple[Tensor | None, Tensor | None, Tensor, Tensor]
"""The row of each number, how many rows there are, the numbers, and what each counts."""
Split = Callable[..., Rows]


def _dense_rows(values: Tensor, weights: Tensor) -> Rows:
    """Return the rows of a matrix; a vector has none."""
    flat = reshape(values, [-1])
    if values.ndim == 1:
        return None, None, flat, weights
    rows, columns = [astype(shape_of(values)[i], int64) for i in (0, 1)]
    return repeat(arange(rows, dtype=int64), columns), rows, flat, weights


def _sparse_rows(
    indices: Tensor, values: Tensor, dense_shape: Tensor, weights: Tensor
) -> Rows:
    if indices.shape[1] == 1:
        return None, None, values, weights
    return indices[:, 0], dense_shape[0], values, weights


def _ragged_rows(splits: Tensor, values: Tensor, weights: Tensor) -> Rows:
    rows = astype(shape_of(splits)[0] - 1, int64)
    return row_splits_to_segment_ids(splits), rows, values, weights


def _each(values: Tensor, weights: Tensor) -> Tensor:
    """Return what each number counts: its weight, where there are weights."""
    if weights.spec.size != 0:
        return reshape(weights, [-1])
    return ones_like(values, dtype=weights.dtype)


def _counted(split: Split) -> Adapter:
    """Return what counts the numbers below a size in each row."""

    def adapter(given: Given) -> Values:
        is_binary = given.typed("binary_output", bool)

        def counted(*tensors: Tensor) -> Tensor:
            *parts, size, weights = tensors
            rows, count, values, weights = split(*parts, weights)
            size, numbers = astype(size, int64), astype(values, int64)
            counts = _each(values, weights)
            total, places = size, numbers
            if rows is not None and count is not None:
                total, places = count * size, rows * size + numbers
            # Numbers below zero are left out.
            places = where(logical_and(numbers >= 0, numbers < size), places, -1)
            made = unsorted_segment_sum(counts, places, total)
            if is_binary:
                made = astype(made != zeros_like(made), made.dtype)
            return made if count is None else reshape(made, stack([count, size]))

        return given.composed(counted, *given.tensors)

    return adapter


def _counted_sparsely(split: Split) -> Adapter:
    """Return what counts the numbers that are there, as a sparse tensor."""

    def adapter(given: Given) -> Values:
        is_binary = given.typed("binary_output", bool)
        least, most = [given.typed(x, int) for x in ("minlength", "maxlength")]

        def counted(*tensors: Tensor) -> Sequence[Tensor]:
            rows, count, values, weights = split(*tensors)
            numbers, counts = astype(values, int64), _each(values, weights)
            kept = (
                numbers >= 0
                if most < 0
                else logical_and(numbers >= 0, numbers < most)
            )
            numbers, counts = boolean_mask(numbers, kept), boolean_mask(counts, kept)
            size = _size(numbers, least, most)
            places = numbers
            if rows is not None:
                places = boolean_mask(astype(rows, int64), kept) * size + numbers
            there, inverse = unique_inverse(places)
            total = unsorted_segment_sum(counts, inverse, shape_of(there)[0])
            if is_binary:
                total = ones_like(total)
            if rows is None or count is None:
                return reshape(there, [-1, 1]), total, reshape(size, [1])
            indices = stack([there // size, there % size], axis=1)
            return indices, total, stack([astype(count, int64), size])

        return given.composed(counted, *given.tensors)

    return adapter


def _size(numbers: Tensor, least: int, most: int) -> Tensor:
    """Return how many numbers are told apart: up to the greatest, or as many as is said."""
    if most >= 0:
        return astype(zeros_like(shape_of(numbers)[0]) + most, int64)
    none = reshape(astype(zeros_like(shape_of(numbers)), int64) - 1, [1])
    return maximum(greatest(concat([numbers, none], axis=0)) + 1, max(least, 0))


TALLYING: dict[str, Adapter] = {
    "DenseCountSparseOutput": _counted_sparsely(_dense_rows),
    "RaggedBincount": _counted(_ragged_rows),
    "RaggedCountSparseOutput": _counted_sparsely(_ragged_rows),
    "SparseBincount": _counted(_sparse_rows),
    "SparseCountSparseOutput": _counted_sparsely(_sparse_rows),
}
