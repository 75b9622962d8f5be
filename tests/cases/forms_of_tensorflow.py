"""Cases of operators that are one in TensorFlow and several here: matrices, windows of images."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.ops.linear.tridiagonal import TridiagonalMatMul, TridiagonalSolve
from tensorlite.ops.nn.fractional_draws import (
    FractionalAvgPoolGrad,
    FractionalMaxPoolGrad,
)
from tensorlite.ops.nn.morphology import (
    Dilation2D,
    Dilation2DBackpropFilter,
    Dilation2DBackpropInput,
)
from tests.cases.base import OpCase, arrays
from tests.cases.composites import one

WINDOWS = ((1, 1, 1, 1), (1, 1, 1, 1), "VALID")
IMAGE = np.arange(9.0).reshape(1, 3, 3, 1) * [[[[1.0]], [[-2.0]], [[1.0]]]]
HAT = np.array([[0.0, 0.5], [0.25, 0.125]])[..., None]
ROWS, COLUMNS = np.array([0, 2, 3]), np.array([0, 1, 3])


def dense(rows: Any) -> Any:
    upper, main, lower = rows
    return np.diag(main) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)


def heavy(rows: Any) -> Any:
    """Return diagonals of which the main one is the largest."""
    added = np.array([[0.0], [6.0], [0.0]])
    if isinstance(rows, np.ndarray):
        return rows + added.astype(rows.dtype)
    return rows + tl.asarray(added, dtype=rows.dtype)


def windows(x: Any, hat: Any = HAT) -> Any:
    """Return the four sums of each window of an image of 3 x 3: [window row, column, element]."""
    flat = [
        [x[0, i : i + 2, j : j + 2, 0] + hat[..., 0] for j in range(2)]
        for i in range(2)
    ]
    return np.array(flat).reshape(2, 2, 4)


def dilated(x: Any, hat: Any) -> Any:
    return windows(x, hat).max(-1)[None, ..., None]


def to_image(dy: Any) -> Any:
    """Return what flows from each window to the greatest element of it, in IMAGE."""
    found = np.zeros((1, 3, 3, 1), dy.dtype)
    for i, j in np.ndindex(2, 2):
        at = windows(IMAGE)[i, j].argmax()
        found[0, i + at // 2, j + at % 2, 0] += dy[0, i, j, 0]
    return found


def to_filters(dy: Any) -> Any:
    found = np.zeros(4, dy.dtype)
    for i, j in np.ndindex(2, 2):
        found[windows(IMAGE)[i, j].argmax()] += dy[0, i, j, 0]
    return found.reshape(2, 2, 1)


def meant(dy: Any) -> Any:
    """Return shares of what flows from windows of 2 x 1, 2 x 2, 1 x 1 and 1 x 2 elements."""
    (a, b), (c, d) = dy[0, ..., 0]
    rows = [[a / 2, b / 4, b / 4]] * 2 + [[c, d / 2, d / 2]]
    return np.array(rows)[None, ..., None]


def greatest(dy: Any) -> Any:
    """Return what flows back to the places 3, 5, 6 and 8 of an image that grows."""
    found = np.zeros(9, dy.dtype)
    found[[3, 5, 6, 8]] = dy.ravel()
    return found.reshape(1, 3, 3, 1)


def flows(kind: Any) -> Any:
    return lambda dy: one(kind(*WINDOWS))(
        tl.asarray(IMAGE, dtype=dy.dtype), tl.asarray(HAT, dtype=dy.dtype), dy
    )


GROWING = np.arange(9.0).reshape(1, 3, 3, 1)

CASES = (
    OpCase(
        "TridiagonalSolve",
        lambda rows, rhs: one(TridiagonalSolve())(heavy(rows), rhs),
        lambda rows, rhs: np.linalg.solve(dense(heavy(rows)), rhs),
        arrays((3, 4), (4, 2)),
        rtol=1e-4,
        needs_rank=True,
        needs_sizes=True,
    ),
    OpCase(
        "TridiagonalMatMul",
        one(TridiagonalMatMul()),
        lambda *parts: dense([x[0] for x in parts[:3]]) @ parts[3],
        arrays((1, 4), (1, 4), (1, 4), (4, 2)),
        needs_rank=True,
        needs_sizes=True,
    ),
    OpCase(
        "Dilation2D",
        lambda x, hat: one(Dilation2D(*WINDOWS))(
            x + tl.asarray(4 * IMAGE, dtype=x.dtype), hat
        ),
        lambda x, hat: dilated(x + (4 * IMAGE).astype(x.dtype), hat),
        arrays((1, 3, 3, 1), (2, 2, 1)),
        needs_rank=True,
        needs_sizes=True,
    ),
    OpCase(
        "Dilation2DBackpropInput",
        flows(Dilation2DBackpropInput),
        to_image,
        arrays((1, 2, 2, 1)),
        needs_rank=True,
    ),
    OpCase(
        "Dilation2DBackpropFilter",
        flows(Dilation2DBackpropFilter),
        to_filters,
        arrays((1, 2, 2, 1)),
        needs_rank=True,
    ),
    OpCase(
        "FractionalAvgPoolGrad",
        lambda dy: one(FractionalAvgPoolGrad())([1, 3, 3, 1], dy, ROWS, COLUMNS),
        meant,
        arrays((1, 2, 2, 1)),
        needs_rank=True,
    ),
    OpCase(
        "FractionalMaxPoolGrad",
        lambda dy: one(FractionalMaxPoolGrad())(
            tl.asarray(GROWING, dtype=dy.dtype), dy, dy, ROWS, COLUMNS
        ),
        greatest,
        arrays((1, 2, 2, 1)),
        needs_rank=True,
    ),
)
