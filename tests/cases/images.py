"""Cases of images: sizes, crops, colours."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.ops.images.glimpses import extract_glimpse
from tests.cases.base import OpCase, arrays

BOXES = np.asarray([[0.1, 0.2, 0.8, 0.9], [0.9, 0.1, 0.2, 1.3]])


def sampled(x: Any, rows: Any, columns: Any) -> Any:
    """Return an image at positions between its elements, one at a time; the border goes on."""
    height, width = x.shape[:2]
    out = np.zeros((len(rows), len(columns), x.shape[2]))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            for down, weight in (
                (np.floor(row), 1 - row % 1),
                (np.floor(row) + 1, row % 1),
            ):
                for across, share in (
                    (np.floor(column), 1 - column % 1),
                    (np.floor(column) + 1, column % 1),
                ):
                    at = (
                        int(np.clip(down, 0, height - 1)),
                        int(np.clip(across, 0, width - 1)),
                    )
                    out[i, j] += weight * share * x[at]
    return out


def bilinear(x: Any) -> Any:
    rows, columns = (
        (np.arange(2) + 0.5) * 3 / 2 - 0.5,
        (np.arange(7) + 0.5) * 4 / 7 - 0.5,
    )
    return np.stack([sampled(one, rows, columns) for one in x])


def aligned(x: Any) -> Any:
    rows, columns = np.arange(5) * 2 / 4, np.arange(3) * 3 / 2
    return np.stack([sampled(one, rows, columns) for one in x])


def cropped(x: Any) -> Any:
    out = []
    for top, left, bottom, right in BOXES:
        rows = top * 3 + np.arange(3) * (bottom - top) * 3 / 2
        columns = left * 4 + np.arange(2) * (right - left) * 4
        part = sampled(x[0], rows, columns)
        part[:, columns > 4] = -1.0
        out.append(part)
    return np.stack(out)


def glimpses(x: Any) -> Any:
    """Return parts that begin at (-1, 1) and (1, 3), with nothing beyond the images."""
    wide = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)))
    return np.stack([wide[0, 0:3, 1:3], wide[1, 2:5, 3:5]])


def hsv(x: Any) -> Any:
    flat = x.reshape(-1, 3).tolist()
    return np.asarray([colorsys.rgb_to_hsv(*one) for one in flat]).reshape(x.shape)


def rgb(x: Any) -> Any:
    flat = x.reshape(-1, 3).tolist()
    return np.asarray([colorsys.hsv_to_rgb(*one) for one in flat]).reshape(x.shape)


CASES = (
    OpCase(
        "resize_bilinear",
        lambda x: tl.image.resize(x, (2, 7)),
        bilinear,
        arrays((2, 3, 4, 2)),
        needs_rank=True,
        ops=("ResizeBilinearGrad",),
    ),
    OpCase(
        "resize_aligned",
        lambda x: tl.image.resize(
            x, (5, 3), align_corners=True, half_pixel_centers=False
        ),
        aligned,
        arrays((2, 3, 4, 2)),
        needs_rank=True,
    ),
    OpCase(
        "resize_nearest",
        lambda x: tl.image.resize(x, (6, 2), "nearest"),
        lambda x: np.repeat(x, 2, 1)[:, :, 1::2],
        arrays((2, 3, 4, 2)),
        needs_rank=True,
        ops=("ResizeNearestNeighborGrad",),
    ),
    OpCase(
        "resize_area",
        lambda x: tl.image.resize(x, (2, 4), "area"),
        lambda x: (x[:, 0::2] + x[:, 1::2]) / 2,
        arrays((2, 4, 4, 2)),
        needs_rank=True,
        ops=("ResizeAreaGrad",),
    ),
    OpCase(
        "resize_bicubic",
        lambda x: tl.image.resize(x, (3, 4), "bicubic"),
        lambda x: x,
        arrays((2, 3, 4, 2)),
        needs_rank=True,
        ops=("ResizeBicubicGrad",),
    ),
    OpCase(
        "scale_and_translate",
        lambda x: tl.image.scale_and_translate(
            x, (3, 4), (1.0, 1.0), (1.0, 0.0), "triangle"
        ),
        lambda x: np.pad(x, ((0, 0), (1, 0), (0, 0), (0, 0)))[:, :3],
        arrays((2, 3, 4, 2)),
        needs_rank=True,
        ops=("ScaleAndTranslateGrad",),
    ),
    OpCase(
        "crop_and_resize",
        lambda x: tl.image.crop_and_resize(
            x, BOXES, [0, 0], (3, 2), extrapolation_value=-1.0
        ),
        cropped,
        arrays((1, 4, 5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "glimpses",
        lambda x: extract_glimpse(x, (3, 2), [[-1.0, 0.0], [0.5, 1.0]], noise="zero"),
        glimpses,
        arrays((2, 4, 4, 3)),
        differentiable=False,
        needs_rank=True,
    ),
    OpCase(
        "glimpses_by_corner",
        lambda x: extract_glimpse(
            x, (3, 2), [[1, 0], [2, 3]], False, False, "zero", by_corner=True
        ),
        lambda x: np.pad(x, ((0, 0), (0, 1), (0, 1), (0, 0)))[
            np.arange(2)[:, None, None],
            np.asarray([[1, 2, 3], [2, 3, 4]])[:, :, None],
            np.asarray([[0, 1], [3, 4]])[:, None],
        ],
        arrays((2, 4, 4, 3)),
        differentiable=False,
        needs_rank=True,
    ),
    OpCase(
        "rgb_to_hsv",
        tl.image.rgb_to_hsv,
        hsv,
        arrays((4, 3), low=0.05, high=1.0),
        needs_sizes=True,
    ),
    OpCase(
        "hsv_to_rgb",
        tl.image.hsv_to_rgb,
        rgb,
        arrays((4, 3), low=0.05, high=0.95),
        needs_sizes=True,
    ),
    OpCase(
        "rot90",
        lambda x: tl.image.rot90(x, 3),
        lambda x: np.rot90(x, 3),
        arrays((2, 3, 1)),
        needs_rank=True,
    ),
)
