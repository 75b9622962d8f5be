"""Tensors as sets: their distinct elements, and whether elements are among others.

Sorting and searching in sorted vectors are in search.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, promoted
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.places import distinct
from tensorlite.ops.math.compare import logical_not

__all__ = [
    "isin",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class Unique(Op):
    """The distinct elements of a vector in order of appearance, and which of them each one is."""

    differentiable = False
    out_idx: DType = dtypes.int32

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return two vectors; ShapeError unless the operand is one."""
        if x.rank not in (1, None):
            raise ShapeError(
                f"unique takes a vector, not {x}; unique_values takes any shape"
            )
        numbers = TensorSpec((None,) if x.shape is None else x.shape, self.out_idx)
        return x.with_shape((None,)), numbers

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return the elements and numbers."""
        values, numbers = distinct(xp, x)
        return values, numbers.astype(self.out_idx.numpy)


class UniqueWithCountsV2(Op):
    """The distinct slices along an axis in order of appearance, which one each is, how often.

    Without an axis the operand is a vector.
    """

    differentiable = False
    host = (1,)

    def infer(self, x: TensorSpec, axis: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return slices, numbers and counts; ShapeError for tensors where an axis is due."""
        no_axis, along = axis.shape == (0,), axis.constant()
        if no_axis and x.rank not in (1, None):
            raise ShapeError(
                f"unique takes a vector, not {x}; say along which axis slices are compared"
            )
        counts = TensorSpec((None,), dtypes.int32)
        if x.shape is None or not (along or no_axis):
            unknown = None if x.shape is None else (None,) * len(x.shape)
            return x.with_shape(unknown), counts, counts
        place = normalise_axis(along[0], len(x.shape)) if along else 0
        shape = (*x.shape[:place], None, *x.shape[place + 1 :])
        return (
            x.with_shape(shape),
            TensorSpec((x.shape[place],), dtypes.int32),
            counts,
        )

    def kernel(self, xp: Xp, x: Array, axis: Array) -> tuple[Array, ...]:
        """Return them."""
        place = normalise_axis(int(axis[0]), x.ndim) if axis.size else 0
        here = to_host(x)
        slices = np.moveaxis(here, place, 0)
        known: dict[object, int] = {}
        rows = slices.reshape(len(slices), math.prod(slices.shape[1:])).tolist()
        numbers = [known.setdefault(tuple(row), len(known)) for row in rows]
        found = np.array(numbers, np.int32)
        _, first, counts = np.unique(found, return_index=True, return_counts=True)
        kept = np.take(here, first, axis=place)
        return (
            xp.asarray(kept),
            xp.asarray(found),
            xp.asarray(counts.astype(np.int32)),
        )


class UniqueAll(Op):
    """The distinct elements in order, where each is first, which one each element is, how often."""

    differentiable = False

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return values, first places, numbers in the operand's shape, and counts."""
        places = TensorSpec((None,), dtypes.int64)
        return x.with_shape((None,)), places, x.with_dtype(dtypes.int64), places

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return them; every NaN counts as distinct, as the Array API standard has it."""
        values, first, numbers, counts = xp.unique(
            x,
            return_index=True,
            return_inverse=True,
            return_counts=True,
            equal_nan=False,
        )
        numbers = numbers.reshape(x.shape)
        return (
            values,
            first.astype("int64"),
            numbers.astype("int64"),
            counts.astype("int64"),
        )


class IsIn(Op):
    """Whether each element of one tensor is among those of another."""

    differentiable = False

    def infer(self, x: TensorSpec, among: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype bool."""
        return x.with_dtype(dtypes.bool_)

    def kernel(self, xp: Xp, x: Array, among: Array) -> Array:
        """Return the answers."""
        return xp.isin(x, among)


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def unique(x: TensorLike, /) -> tuple[Tensor, Tensor]:
    """Return the distinct elements of a vector as they appear, and each element's number there.

    >>> values, numbers = tl.unique([7, 5, 7])
    >>> print(values, numbers)
    [7 5] [0 1 0]
    """
    values, numbers = calls(Unique(), x)
    return values, numbers


def unique_all(x: TensorLike, /) -> UniqueAllResult:
    """Return the distinct elements in ascending order, and where, which and how often they are.

    The four parts: values, indices of first occurrence, inverse_indices in the shape of `x`,
    counts; the last three as int64. Every NaN is distinct.

    >>> print(tl.unique_all([7, 5, 7]).inverse_indices)
    [1 0 1]
    """
    return UniqueAllResult(*calls(UniqueAll(), x))


def unique_counts(x: TensorLike, /) -> UniqueCountsResult:
    """Return the distinct elements in ascending order, and how often each is there.

    >>> print(tl.unique_counts([7, 5, 7]).counts)
    [1 2]
    """
    values, _, _, counts = calls(UniqueAll(), x)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: TensorLike, /) -> UniqueInverseResult:
    """Return the distinct elements in ascending order, and each element's number there.

    >>> print(tl.unique_inverse([7, 5, 7]).inverse_indices)
    [1 0 1]
    """
    values, _, numbers, _ = calls(UniqueAll(), x)
    return UniqueInverseResult(values, numbers)


def unique_values(x: TensorLike, /) -> Tensor:
    """Return the distinct elements in ascending order.

    >>> print(tl.unique_values([7, 5, 7]))
    [5 7]
    """
    return calls(UniqueAll(), x)[0]


def isin(x1: TensorLike, x2: TensorLike, /, *, invert: bool = False) -> Tensor:
    """Return whether each element of `x1` is among the elements of `x2`.

    >>> print(tl.isin([1, 2, 3], [3, 1]))
    [ True False  True]
    """
    found = call(IsIn(), *promoted(x1, x2))
    return logical_not(found) if invert else found
