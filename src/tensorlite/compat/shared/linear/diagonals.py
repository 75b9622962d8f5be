"""Diagonals of matrices: several at a time, in any alignment, as TensorFlow has them."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.composite import composed
from tensorlite.ops.linear.diagonal import (
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
)


def _band(k: Any) -> tuple[int, int]:
    if isinstance(k, Operand):
        k = _known(k.__tensor__().spec)
    if np.size(k) not in {1, 2}:
        raise InvalidArgumentError(
            f"k={k}: give one diagonal, or the lower and upper"
        )
    low, high = (k, k) if np.ndim(k) == 0 else (k[0], k[-1])
    if low > high:
        raise InvalidArgumentError(
            f"k={k}: the lower diagonal is above the upper one"
        )
    return int(low), int(high)


def _known(k: TensorSpec) -> Any:
    """Return which diagonals a tensor asks for; UnimplementedError where only a run tells it."""
    found = k.constant()
    if found is None:
        raise UnimplementedError(
            f"diagonals k of {k}, which only a run knows, are not implemented; give numbers"
        )
    return np.asarray(found).tolist()


def _to_the_left(align: str, k: int) -> bool:
    """Return whether a diagonal stands at the left of its row."""
    above, below = align.split("_")
    return (above if k >= 0 else below) == "LEFT"


def _least(x: Any, y: Any) -> Any:
    """Return the smaller one of two sizes, which a tensor tells where it is not known yet."""
    known = isinstance(x, int) and isinstance(y, int)
    return min(x, y) if known else tl.minimum(x, y)


def _most(x: Any, y: Any) -> Any:
    known = isinstance(x, int) and isinstance(y, int)
    return max(x, y) if known else tl.maximum(x, y)


def _length(rows: Any, columns: Any, k: int) -> Any:
    return _least(rows + min(k, 0), columns - max(k, 0))


@named("diag")
def on_main_diagonal(diagonal: Any, name: str | None = None) -> Any:
    """Return matrices with vectors on their main diagonals, by one node."""
    return composed(MatrixDiag(), converted(diagonal))


@named("set_diag")
def with_main_diagonal(input: Any, diagonal: Any, name: str | None = None) -> Any:
    """Return matrices with other numbers on their main diagonals, by one node."""
    return composed(
        MatrixSetDiag(), *agreeing(input, diagonal, ("input", "diagonal"))
    )


@named("diag_part")
def main_diagonal(input: Any, name: str | None = None) -> Any:
    """Return the main diagonals of matrices, by one node."""
    return composed(MatrixDiagPart(), converted(input))


@named("diag_part")
def matrix_diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return the diagonals of matrices, [..., n], or several, [..., bands, n].

    k is one or the lowest and the highest, 0 the main one and 1 the one above. Shorter ones are
    filled up with padding_value, at the side that `align` says for those above and below.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    x = converted(input)
    low, high = _band(k)
    if low == high:
        return tl.diag_part(x, low)
    rows, columns = sizes(x)[-2:]
    lengths = [_length(rows, columns, i) for i in range(low, high + 1)]
    longest = reduce(_most, lengths)
    value = _padding(padding_value, x.dtype)
    made = [
        _padded(tl.diag_part(x, i), longest, value, _to_the_left(align, i))
        for i in range(high, low - 1, -1)
    ]
    return tl.stack(made, axis=-2)


def _padding(value: Any, dtype: Any) -> Any:
    """Return what stands beside diagonals; of bools a number says whether it is 0."""
    is_number = isinstance(value, (int, float)) and dtype.kind == "b"
    return converted(bool(value) if is_number else value, dtype)


def _padded(x: Any, size: Any, value: Any, left: bool) -> Any:
    missing = size - sizes(x)[-1]
    ends = (0, missing) if left else (missing, 0)
    numbers = [*[0, 0] * (x.ndim - 1), *ends]
    known = isinstance(missing, int)
    listed = np.asarray(numbers, np.int32) if known else tl.stack(numbers)
    return tl.pad(x, tl.reshape(listed, (-1, 2)), "constant", value)


@named("diag")
def matrix_diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return matrices that have diagonals, and padding_value elsewhere.

    k is one or the lowest and the highest; sizes are the least that will do unless given.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = converted(diagonal)
    low, high = _band(k)
    if low == high and num_rows == num_cols == -1 and padding_value == 0:
        return tl.diag(x, low)
    *outer, longest = sizes(x)
    rows, columns = _sizes(longest, low, high, num_rows, num_cols)
    batch = outer if low == high else outer[:-1]
    value = _padding(padding_value, x.dtype)
    whole = tl.broadcast_to(value, [*batch, rows, columns])
    return _set(whole, x, low, high, align)


def _sizes(
    longest: Any, low: int, high: int, rows: int, columns: int
) -> tuple[Any, Any]:
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows == -1 and columns == -1:
        return (_most(least_rows, least_columns),) * 2
    return (
        least_rows if rows == -1 else rows,
        least_columns if columns == -1 else columns,
    )


@named("set_diag")
def matrix_set_diag(
    input: Any,
    diagonal: Any,
    name: str | None = "set_diag",
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return matrices with diagonals replaced.

    k is one or the lowest and the highest, 0 the main one; `align` says where shorter ones stand.
    """
    x = converted(input)
    return _set(x, converted(diagonal, x.dtype), *_band(k), align)


def _set(x: Any, diagonals: Any, low: int, high: int, align: str) -> Any:
    if low == high:
        return tl.set_diag(x, diagonals, low)
    rows, columns = sizes(x)[-2:]
    for place, k in enumerate(range(high, low - 1, -1)):
        row, length = diagonals[..., place, :], _length(rows, columns, k)
        part = (
            row[..., :length]
            if _to_the_left(align, k)
            else row[..., sizes(row)[-1] - length :]
        )
        x = tl.set_diag(x, part, k)
    return x
