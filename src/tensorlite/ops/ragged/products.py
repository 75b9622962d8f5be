"""Products of stacks of matrices that differ in size, kept as ragged tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import fill
from tensorlite.ops.arrays.gather import gather, size_at
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.segment import unsorted_segment_max
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.control.assertions import assert_equal
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.making import to_dense
from tensorlite.ops.ragged.tensor import RaggedTensor

__all__: list[str] = []


class _Stack(NamedTuple):
    """Matrices filled up with zeros to one size, and what sizes they have."""

    whole: Tensor
    rows: Tensor
    columns: Tensor

    def turned(self, transposed: bool) -> tuple[Tensor, Tensor]:
        """Return how many rows and columns each has, exchanged if it is transposed."""
        found = self.rows, self.columns
        return found[::-1] if transposed else found


def ragged_matmul(
    a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Return the products of matrices of two stacks of one rank, of which one or both are ragged.

    Where the matrices are two, and no stacks, the result is a tensor. InvalidArgumentError when
    one of them has rows of different lengths, or two do not fit.

    >>> a = tl.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
    >>> b = tl.constant([[[1], [1]], [[2], [2]]])
    >>> print(tl.ragged.matmul(a, b).to_list())
    [[[3]], [[14], [22]]]
    """
    x, y = [one if isinstance(one, RaggedParts) else to_tensor(one) for one in (a, b)]
    if x.dtype != y.dtype:
        raise DTypeError(
            f"matmul: operands of {x.dtype} and {y.dtype}; allowed is one dtype"
        )
    ranks = {
        one.rank if isinstance(one, RaggedParts) else one.spec.rank for one in (x, y)
    }
    known = [rank for rank in ranks if rank is not None]
    if len(known) != 1 or known[0] < 2:
        raise ShapeError(
            f"matmul: ragged operands of ranks {sorted(known)}; `a` and `b` must have the same rank"
        )
    if known[0] > 3:
        rows, others = _split(x), _split(y)
        assert_equal(
            rows.row_splits,
            astype(others.row_splits, rows.row_splits.dtype),
            "Batch dimensions of `a` and `b` do not have the same size.",
        )
        made = ragged_matmul(
            rows.values,
            others.values,
            transpose_a=transpose_a,
            transpose_b=transpose_b,
        )
        return rows.with_values(made)
    if known[0] == 2:
        left, right = _matrix(x), _matrix(y)
        return matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    return _products(x, y, transpose_a, transpose_b)


def _split(x: Any) -> Any:
    return x if isinstance(x, RaggedParts) else RaggedTensor.from_tensor(x)


def _matrix(x: Any) -> Tensor:
    if not isinstance(x, RaggedParts):
        return to_tensor(x)
    one = _stack(RaggedTensor.of(x, to_tensor([0, size_at(x.row_splits, 0) - 1])))
    return reshape(one.whole, [one.rows[0], one.columns[0]])


def _products(x: Any, y: Any, transpose_x: bool, transpose_y: bool) -> Any:
    left, right = _stack(x), _stack(y)
    rows, inner = left.turned(transpose_x)
    others, columns = right.turned(transpose_y)
    assert_equal(inner, others, "The inner sizes of matrices of `a` and `b` differ.")
    made = matmul(
        left.whole, right.whole, transpose_a=transpose_x, transpose_b=transpose_y
    )
    if not isinstance(y, RaggedParts) or (y.ragged_rank < 2 and not transpose_y):
        return RaggedTensor.from_tensor(made, rows)
    return RaggedTensor.from_tensor(made, (rows, repeat(columns, rows)))


def _stack(x: Any) -> _Stack:
    if not isinstance(x, RaggedParts):
        count = astype(reshape(size_at(x, 0), [1]), int64)
        sizes = [fill(count, astype(size_at(x, axis), int64)) for axis in (1, 2)]
        return _Stack(x, *sizes)
    rows = astype(x.row_lengths(), int64)
    widths = astype(x.row_lengths(2).values, int64)
    places, count = x.value_rowids(), size_at(rows, 0)
    columns = maximum(unsorted_segment_max(widths, places, count), 0)
    assert_equal(
        widths,
        gather(columns, places),
        "The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    )
    return _Stack(to_dense(x), rows, columns)
