"""Cases of operators that cut boxes and patches out of images, and see images moved."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.ops.images.framing_gradients import (
    CropAndResizeGradBoxes,
    CropAndResizeGradImage,
)
from tensorlite.ops.images.projections import (
    ImageProjectiveTransformV2,
    ImageProjectiveTransformV3,
)
from tensorlite.ops.nn.patches import ExtractVolumePatches
from tests.cases.base import OpCase, arrays
from tests.cases.composites import one

WHOLE = np.array([[0.0, 0.0, 1.0, 1.0]])
BOX = np.array([[0.1, 0.3, 0.6, 0.9]])
LEFT = np.array([[1.0, 0, 1, 0, 1, 0, 0, 0]], np.float32)


def cubes(x: Any) -> Any:
    """Return patches of two planes, rows and columns, at each place."""
    made = [
        [
            [
                x[:, i : i + 2, j : j + 2, k : k + 2].reshape(len(x), -1)
                for k in (0, 1)
            ]
            for j in (0, 1)
        ]
        for i in (0,)
    ]
    return np.moveaxis(np.array(made), 3, 0)


def moved(x: Any, filling: float) -> Any:
    """Return images one column to the left, and a number at their right edge."""
    return np.pad(
        x[:, :, 1:], ((0, 0), (0, 0), (0, 1), (0, 0)), constant_values=filling
    )


def slopes(dy: Any, x: Any) -> Any:
    """Return what flows to the ends of a box between elements, from samples in it."""
    ends = []
    for first, last, count, size in zip(
        BOX[0, :2], BOX[0, 2:], dy.shape[1:3], x.shape[1:3], strict=True
    ):
        share = np.linspace(0.0, 1.0, count)
        ends.append((share, (first * (1 - share) + last * share) * (size - 1)))
    (by_row, rows), (by_column, columns) = ends
    found = np.zeros(4)
    for i, j in np.ndindex(len(rows), len(columns)):
        top, left = int(rows[i]), int(columns[j])
        down, across = rows[i] - top, columns[j] - left
        (a, b), (c, d) = x[0, top : top + 2, left : left + 2]
        flow = dy[0, i, j]
        to_row = (flow * ((c - a) * (1 - across) + (d - b) * across)).sum()
        to_column = (flow * ((b - a) * (1 - down) + (d - c) * down)).sum()
        to_row, to_column = to_row * (x.shape[1] - 1), to_column * (x.shape[2] - 1)
        found += [
            to_row * (1 - by_row[i]),
            to_column * (1 - by_column[j]),
            to_row * by_row[i],
            to_column * by_column[j],
        ]
    return found[None]


CASES = (
    OpCase(
        "ExtractVolumePatches",
        one(ExtractVolumePatches((1, 2, 2, 2, 1), (1, 1, 1, 1, 1), "VALID")),
        cubes,
        arrays((2, 2, 3, 3, 2)),
        needs_rank=True,
    ),
    OpCase(
        "ImageProjectiveTransformV2",
        lambda x: one(ImageProjectiveTransformV2("BILINEAR"))(
            x, LEFT, tl.asarray([3, 4])
        ),
        lambda x: moved(x, 0.0),
        arrays((2, 3, 4, 2)),
        needs_rank=True,
    ),
    OpCase(
        "ImageProjectiveTransformV3",
        lambda x: one(ImageProjectiveTransformV3("NEAREST"))(
            x, LEFT, tl.asarray([3, 4]), 2.0
        ),
        lambda x: moved(x, 2.0),
        arrays((2, 3, 4, 2)),
        needs_rank=True,
    ),
    OpCase(
        "CropAndResizeGradImage",
        lambda dy: one(CropAndResizeGradImage(dy.dtype))(
            dy, tl.asarray(WHOLE, dtype=dy.dtype), [0], tl.asarray([1, 3, 4, 2])
        ),
        lambda dy: dy,
        arrays((1, 3, 4, 2)),
        needs_rank=True,
    ),
    OpCase(
        "CropAndResizeGradBoxes",
        lambda dy, x: one(CropAndResizeGradBoxes())(
            dy, x, tl.asarray(BOX, dtype=x.dtype), [0]
        ),
        slopes,
        arrays((1, 3, 2, 2), (1, 4, 5, 2)),
        needs_rank=True,
        rtol=1e-4,
    ),
)
