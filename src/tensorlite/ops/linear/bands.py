"""Several diagonals of matrices at once: taken out, put together, put in; tridiagonal systems.

Single diagonals are in diagonal.py. Places are known from shapes, so that all is one gathering.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from tensorlite.core.dispatch import constant, promoted, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import check_rank_at_least
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, matrix_transpose, squeeze
from tensorlite.ops.arrays.gather import gather, sizes
from tensorlite.ops.arrays.repeat import pad
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.linear.diagonal import diag, diag_part
from tensorlite.ops.linear.solve import solve, triangular_solve
from tensorlite.ops.math.arithmetic import conjugated
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.reduce import prod as prod_of
from tensorlite.ops.operators import reshape

__all__ = [
    "banded_triangular_solve",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]

Diagonals = int | tuple[int, int]
Align = Literal["LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"]


def _ends(k: Diagonals) -> tuple[int, int]:
    low, high = (k, k) if isinstance(k, int) else tuple(k)
    if low > high:
        raise InvalidArgumentError(f"k={k!r}; the lower diagonal comes first")
    return low, high


def _places(rows: int, columns: int, low: int, high: int, align: str) -> Any:
    """Return for each element of the diagonals its place in a flat matrix, -1 where there is none.

    The highest diagonal comes first.
    """
    above, below = align.split("_")
    lengths = [
        min(rows + min(d, 0), columns - max(d, 0)) for d in range(high, low - 1, -1)
    ]
    if min(lengths) < 0:
        raise InvalidArgumentError(
            f"diagonals from {low} to {high} are not all in a matrix of {rows} by {columns}"
        )
    table = np.full((high - low + 1, max(lengths)), -1, np.int64)
    for i, (d, length) in enumerate(
        zip(range(high, low - 1, -1), lengths, strict=True)
    ):
        numbers = np.arange(int(length))
        found = (numbers + max(-d, 0)) * columns + numbers + max(d, 0)
        right = (above if d >= 0 else below) == "RIGHT"
        start = table.shape[1] - length if right else 0
        table[i, start : start + length] = found
    return table


def _gathered(flat: Tensor, table: Any, otherwise: TensorLike) -> Tensor:
    """Return elements of the last axis in the places of a table, and something where that is -1."""
    found = gather(flat, constant(np.maximum(table, 0)), axis=flat.ndim - 1)
    if (table >= 0).all():
        return found
    return where(constant(table >= 0), found, otherwise)


def _sides(x: Tensor) -> tuple[int, int]:
    rows, columns = x.shape[-2:]
    if rows is None or columns is None:
        raise ShapeError(f"diagonals need matrices of known sizes, not {x.spec}")
    return rows, columns


def matrix_diag_part(
    x: TensorLike,
    k: Diagonals = 0,
    padding_value: TensorLike = 0,
    align: Align = "RIGHT_LEFT",
) -> Tensor:
    """Return the diagonal `k`, or those from `k[0]` to `k[1]` as rows, the highest first.

    Short ones are filled up with `padding_value`, on the left or right as `align` says of those
    above and below the main one.

    >>> print(tl.linalg.matrix_diag_part([[1, 2], [3, 4]], (-1, 0)))
    [[1 4]
     [3 0]]
    """
    tensor = to_tensor(x)
    rows, columns = _sides(tensor)
    table = _places(rows, columns, *_ends(k), align)
    flat = reshape(tensor, [*sizes(tensor)[:-2], rows * columns])
    return _gathered(flat, table[0] if isinstance(k, int) else table, padding_value)


def _inverse(table: Any, count: int) -> Any:
    """Return for each place of a flat matrix which element of the diagonals it has, or -1."""
    found = np.full(count, -1, np.int64)
    there = table.ravel() >= 0
    found[table.ravel()[there]] = np.flatnonzero(there)
    return found


def matrix_diag(
    diagonals: TensorLike,
    k: Diagonals = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: TensorLike = 0,
    align: Align = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with given diagonals, laid out as `matrix_diag_part` returns them.

    >>> print(tl.linalg.matrix_diag([[1, 4], [3, 0]], (-1, 0)))
    [[1 0]
     [3 4]]
    """
    tensor = to_tensor(diagonals)
    low, high = _ends(k)
    several = low != high
    longest = tensor.shape[-1]
    if longest is None:
        raise ShapeError(
            f"matrix_diag needs diagonals of known length, not {tensor.spec}"
        )
    least = longest + max(-high, 0), longest + max(low, 0)
    rows, columns = num_rows, num_cols
    if rows == columns == -1:
        rows = columns = max(least)
    rows = least[0] if rows == -1 else rows
    columns = least[1] if columns == -1 else columns
    table = _inverse(_places(rows, columns, low, high, align), rows * columns)
    outer = sizes(tensor)[: -2 if several else -1]
    flat = reshape(tensor, [*outer, (high - low + 1) * longest])
    return reshape(_gathered(flat, table, padding_value), [*outer, rows, columns])


def matrix_set_diag(
    x: TensorLike,
    diagonals: TensorLike,
    k: Diagonals = 0,
    align: Align = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with diagonals replaced, laid out as `matrix_diag_part` returns them.

    >>> print(tl.linalg.matrix_set_diag([[1, 2], [3, 4]], [[8, 9], [7, 0]], (-1, 0)))
    [[8 2]
     [7 9]]
    """
    tensor, parts = promoted(x, diagonals)
    rows, columns = _sides(tensor)
    low, high = _ends(k)
    placed = _places(rows, columns, low, high, align)
    table = _inverse(placed, rows * columns)
    outer = sizes(tensor)[:-2]
    flat = reshape(parts, [*outer, placed.size])
    found = gather(flat, constant(np.maximum(table, 0)), axis=len(outer))
    whole = reshape(found, [*outer, rows, columns])
    return where(constant((table >= 0).reshape(rows, columns)), whole, tensor)


def tensor_diag(x: TensorLike) -> Tensor:
    """Return a tensor of twice the rank with the elements of `x` where both indices are equal.

    >>> print(tl.linalg.tensor_diag([1, 2]))
    [[1 0]
     [0 2]]
    """
    tensor = to_tensor(x)
    check_rank_at_least("tensor_diag", tensor.spec, 1)
    have = sizes(tensor)
    return reshape(diag(reshape(tensor, (-1,))), [*have, *have])


def tensor_diag_part(x: TensorLike) -> Tensor:
    """Return the elements of a tensor of even rank whose indices are the same twice.

    >>> print(tl.linalg.tensor_diag_part([[1, 2], [3, 4]]))
    [1 4]
    """
    tensor = to_tensor(x)
    half = tensor.ndim // 2
    if not half or tensor.ndim % 2 or tensor.shape[:half] != tensor.shape[half:]:
        raise ShapeError(
            f"tensor_diag_part takes the same sizes twice, not {tensor.spec}"
        )
    have = sizes(tensor)[:half]
    count = prod_of(stack(have)) if any_tensor(have) else prod(have)
    return reshape(diag_part(reshape(tensor, [count, count])), have)


def any_tensor(values: Sequence[Any]) -> bool:
    """Return whether sizes are not all known."""
    return any(isinstance(value, Tensor) for value in values)


def _compact(
    diagonals: TensorLike | Sequence[TensorLike], layout: str
) -> list[Tensor]:
    """Return the upper, main and lower diagonal of tridiagonal matrices, all of one length."""
    if layout == "sequence":
        assert isinstance(diagonals, (list, tuple))
        upper, main, lower = map(to_tensor, diagonals)
        size = main.shape[-1]
        return [_lengthened(upper, size, 0), main, _lengthened(lower, size, 1)]
    x = to_tensor(diagonals)
    if layout == "compact":
        return [x[..., i, :] for i in range(3)]
    if layout != "matrix":
        raise InvalidArgumentError(
            f"diagonals_format={layout!r}; allowed: 'compact', 'matrix', 'sequence'"
        )
    bands = matrix_diag_part(x, (-1, 1), align="LEFT_RIGHT")
    return [bands[..., i, :] for i in range(3)]


def _lengthened(x: Tensor, size: int | None, before: int) -> Tensor:
    """Return a diagonal beside the main one, of whose length it is then; a 0 may be missing."""
    have = x.shape[-1]
    if have is None or size is None or have != size - 1:
        return x
    return pad(x, [*[[0, 0]] * (x.ndim - 1), [before, 1 - before]])


def _dense(parts: Sequence[Tensor]) -> Tensor:
    upper, main, lower = parts
    if main.shape[-1] is None:
        return diag(upper[..., :-1], 1) + diag(main) + diag(lower[..., 1:], -1)
    bands = stack(parts, axis=-2)
    return matrix_diag(bands, (-1, 1), align="LEFT_RIGHT")


def tridiagonal_solve(
    diagonals: TensorLike | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
) -> Tensor:
    """Return the solutions of tridiagonal systems, as rows where `rhs` has rows (transpose_rhs).

    `diagonals` has the upper, main and lower diagonal as rows ("compact"; the last element of the
    upper and the first of the lower do not count), as three tensors ("sequence", where these two
    may be missing), or as "matrix".

    >>> print(tl.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]))
    [1. 1.]
    """
    parts = _compact(diagonals, diagonals_format)
    right = to_tensor(rhs)
    right = conjugated(right) if conjugate_rhs else right
    if parts[1].shape[-1] == 0:
        return right
    matrix = _dense(parts)
    if right.ndim == matrix.ndim - 1:
        return squeeze(solve(matrix, expand_dims(right, -1)), -1)
    if transpose_rhs:
        return matrix_transpose(solve(matrix, matrix_transpose(right)))
    return solve(matrix, right)


def tridiagonal_matmul(
    diagonals: TensorLike | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
) -> Tensor:
    """Return products of tridiagonal matrices, as `tridiagonal_solve` takes them, with others.

    >>> print(tl.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [[1.0], [1.0]]))
    [[3.]
     [3.]]
    """
    upper, main, lower = _compact(diagonals, diagonals_format)
    right = to_tensor(rhs)
    ends = [[0, 0]] * (right.ndim - 2)
    after = pad(right[..., 1:, :], [*ends, [0, 1], [0, 0]])
    before = pad(right[..., :-1, :], [*ends, [1, 0], [0, 0]])
    parts = zip((upper, main, lower), (after, right, before), strict=True)
    first, second, third = [expand_dims(part, -1) * rows for part, rows in parts]
    return first + second + third


def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, *, lower: bool = True, adjoint: bool = False
) -> Tensor:
    """Return the solutions of equations of triangular matrices with few bands.

    `bands` is [..., bands, n], from the main diagonal down, or if not `lower` from the uppermost to
    the main one. ShapeError if how many there are is not known.

    >>> print(tl.linalg.banded_triangular_solve([[2.0, 4.0], [0.0, 1.0]], [[2.0], [5.0]]))
    [[1.]
     [1.]]
    """
    rows = to_tensor(bands)
    check_rank_at_least("banded_triangular_solve: bands", rows.spec, 2)
    count = rows.spec.dims[-2]
    if count is None:
        raise ShapeError(
            f"banded_triangular_solve: how many bands {rows.spec} has is open"
        )
    low, high = (1 - count, 0) if lower else (0, count - 1)
    if count == 1:
        matrix = matrix_diag(rows[..., 0, :])
    else:
        matrix = matrix_diag(rows, (low, high), align="LEFT_RIGHT")
    return triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)
