"""Rows as sets: differences, intersections, unions. A tensor's distinct elements are in sets.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.masks import Where
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.operators import reshape
from tensorlite.ops.sparse.layout import check_places
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["set_difference", "set_intersection", "set_size", "set_union"]

Sets = TensorLike | SparseTensor


class SparseToSparseSetOperation(Op):
    """The sets that an operation makes of pairs of rows, as a sparse tensor, sorted."""

    differentiable = False
    host = (0, 1, 2, 3, 4, 5)
    set_operation: str
    validate_indices: bool = True
    """Whether places out of order, and those that come twice, are refused."""

    def infer(self, *parts: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return places, elements and shape."""
        if parts[1].dtype is not parts[4].dtype:
            raise DTypeError(
                f"sets of {parts[1]} and {parts[4]}; they must be of one dtype"
            )
        rank = parts[2].shape and parts[2].shape[0]
        return (
            TensorSpec((None, rank or None), dtypes.int64),
            TensorSpec((None,), parts[1].dtype),
            TensorSpec((rank or None,), dtypes.int64),
        )

    def kernel(self, xp: Xp, *parts: Array) -> tuple[Array, ...]:
        """Return them."""
        if self.validate_indices:
            for indices, _, shape in (parts[:3], parts[3:]):
                check_places(indices, shape.tolist())
        ours, theirs = _rows(*parts[:2]), _rows(*parts[3:5])
        combine = _OPERATIONS[self.set_operation]
        places, values, longest = [], [], 0
        for place in sorted({*ours, *theirs}):
            found = sorted(combine(ours.get(place, set()), theirs.get(place, set())))
            places += [(*place, i) for i in range(len(found))]
            values += found
            longest = max(longest, len(found))
        outer = np.maximum(parts[2][:-1], parts[5][:-1]).tolist()
        elements = np.empty(len(values), parts[1].dtype)
        elements[:] = values
        indices = np.asarray(places, np.int64).reshape(-1, len(outer) + 1)
        return indices, elements, np.asarray([*outer, longest], np.int64)


Combine = Callable[[set[Any], set[Any]], set[Any]]
_OPERATIONS: dict[str, Combine] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _rows(indices: Array, values: Array) -> dict[tuple[int, ...], set[Any]]:
    found: dict[tuple[int, ...], set[Any]] = {}
    for place, value in zip(indices.tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), set()).add(value)
    return found


def _sparse(x: Sets) -> SparseTensor:
    """Return a dense tensor's every element as those of a sparse one."""
    if isinstance(x, SparseTensor):
        return x
    dense = to_tensor(x)
    places = call(Where(), ones_like(dense, dtype=dtypes.bool_))
    return SparseTensor(places, reshape(dense, (-1,)), shape_of(dense, dtypes.int64))


def combined(a: Sets, b: Sets, operation: str, validated: bool) -> SparseTensor:
    """Return what an operation makes of pairs of rows."""
    given = (operation, validated)
    if isinstance(a, SparseTensor):
        op = SparseToSparseSetOperation(*given)
        return SparseTensor(*calls(op, *a, *_sparse(b)))
    if isinstance(b, SparseTensor):
        return SparseTensor(*composed(DenseToSparseSetOperation(*given), a, *b))
    return SparseTensor(*composed(DenseToDenseSetOperation(*given), a, b))


class DenseToDenseSetOperation(Composite):
    """The sets that an operation makes of pairs of rows of two tensors."""

    differentiable = False
    set_operation: str
    validate_indices: bool = True

    def compose(self, a: Tensor, b: Tensor) -> Sequence[Tensor]:
        """Return places, elements and shape."""
        op = SparseToSparseSetOperation(self.set_operation, self.validate_indices)
        return calls(op, *_sparse(a), *_sparse(b))


class DenseToSparseSetOperation(Composite):
    """The sets that an operation makes of pairs of rows, of which the second are sparse."""

    differentiable = False
    set_operation: str
    validate_indices: bool = True

    def compose(self, a: Tensor, *b: Tensor) -> Sequence[Tensor]:
        """Return places, elements and shape."""
        op = SparseToSparseSetOperation(self.set_operation, self.validate_indices)
        return calls(op, *_sparse(a), *b)


def set_difference(
    a: Sets, b: Sets, aminusb: bool = True, validate_indices: bool = False
) -> SparseTensor:
    """Return for each row, along the last axis, the elements of one that the other lacks.

    `validate_indices` refuses sparse tensors whose places are out of order, or come twice.

    >>> print(tl.sets.difference([[1, 2, 3]], [[2, 5, 5]]).values)
    [1 3]
    """
    return combined(a, b, "a-b" if aminusb else "b-a", validate_indices)


def set_intersection(
    a: Sets, b: Sets, validate_indices: bool = False
) -> SparseTensor:
    """Return for each row the elements that both have; `validate_indices` as in `set_difference`.

    >>> print(tl.sets.intersection([[1, 2, 3]], [[2, 5, 5]]).values)
    [2]
    """
    return combined(a, b, "intersection", validate_indices)


def set_union(a: Sets, b: Sets, validate_indices: bool = False) -> SparseTensor:
    """Return for each row the elements that either has; `validate_indices` as in `set_difference`.

    >>> print(tl.sets.union([[1, 2, 3]], [[2, 5, 5]]).values)
    [1 2 3 5]
    """
    return combined(a, b, "union", validate_indices)


class SetSize(Op):
    """How many distinct elements each row of a sparse tensor has."""

    validate_indices: bool = True
    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, indices: TensorSpec, values: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return the shape without its last axis."""
        sizes = shape.vector()
        return TensorSpec(None if sizes is None else sizes[:-1], dtypes.int32)

    def kernel(self, xp: Xp, indices: Array, values: Array, shape: Array) -> Array:
        """Return the numbers."""
        if self.validate_indices:
            check_places(indices, shape.tolist())
        found = np.zeros(shape[:-1], np.int32)
        for place, members in _rows(indices, values).items():
            found[place] = len(members)
        return xp.asarray(found)


def set_size(a: SparseTensor, validate_indices: bool = False) -> Tensor:
    """Return how many distinct elements each row has; `validate_indices` as in `set_difference`.

    >>> print(tl.sets.size(tl.sparse.SparseTensor([[0, 0], [0, 1]], [7, 7], (2, 2))))
    [1 0]
    """
    return call(SetSize(validate_indices), *a)
