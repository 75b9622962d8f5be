"""Matrices that resample an axis: which elements each new one is made of. Resizing is in resize.py.

A row has the weights of one new element. All rules are TensorFlow's, those of its first version
(corners aligned, or samples at left edges) and those of its second (samples at centres).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Matrix: TypeAlias = Any
TABLE = 1024
"""Cubic weights are rounded to this many positions between two elements, as in TensorFlow."""


def scale_of(have: int, want: int, align_corners: bool) -> np.float32:
    """Return how many old elements one new one steps over."""
    if align_corners and want > 1:
        return np.float32((have - 1) / (want - 1))
    return np.float32(have / want) if want else np.float32(1)


def _positions(have: int, want: int, align_corners: bool, half_pixel: bool) -> Matrix:
    scale = scale_of(have, want, align_corners)
    numbers = np.arange(want, dtype=np.float32)
    if half_pixel:
        numbers = numbers + np.float32(0.5)
        return numbers * scale - np.float32(0.5)
    return numbers * scale


def _made(have: int, places: Matrix, weights: Matrix) -> Matrix:
    """Return the matrix with weights added at places, both (new, taps)."""
    matrix = np.zeros((places.shape[0], have))
    rows = np.arange(places.shape[0])[:, None]
    np.add.at(matrix, (rows, np.clip(places, 0, max(have - 1, 0))), weights)
    return matrix


def nearest(have: int, want: int, align_corners: bool, half_pixel: bool) -> Matrix:
    """Return which old element is nearest to each new one, as a vector."""
    scale = scale_of(have, want, align_corners)
    at = (np.arange(want, dtype=np.float32) + np.float32(0.5 * half_pixel)) * scale
    rounded = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    return np.clip(rounded.astype(np.int64), 0, max(have - 1, 0))


def nearest_matrix(
    have: int, want: int, align_corners: bool, half_pixel: bool
) -> Matrix:
    """Return the same as a matrix."""
    places = nearest(have, want, align_corners, half_pixel)[:, None]
    return _made(have, places, np.ones(places.shape))


def bilinear(have: int, want: int, align_corners: bool, half_pixel: bool) -> Matrix:
    """Return the weights of the two neighbours."""
    at = _positions(have, want, align_corners, half_pixel)
    low = np.floor(at)
    share = (at - low).astype(np.float64)
    first = low.astype(np.int64)
    return _made(
        have, np.stack([first, first + 1], 1), np.stack([1 - share, share], 1)
    )


def _cubic(x: Matrix, a: float) -> Matrix:
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, far)


def bicubic(have: int, want: int, align_corners: bool, half_pixel: bool) -> Matrix:
    """Return the weights of four neighbours, by Keys' cubic where samples lie at centres."""
    at = _positions(have, want, align_corners, half_pixel)
    low = np.floor(at)
    share = (np.rint((at - low) * np.float32(TABLE)) / TABLE).astype(np.float64)
    places = low.astype(np.int64)[:, None] + np.arange(-1, 3)
    apart = np.stack([1 + share, share, 1 - share, 2 - share], 1)
    weights = _cubic(apart, -0.5 if half_pixel else -0.75)
    if half_pixel:
        weights = np.where((places >= 0) & (places < have), weights, 0.0)
        total = weights.sum(axis=1, keepdims=True)
        weights = weights / np.where(np.abs(total) < 1e-30, 1.0, total)
    return _made(have, places, weights)


def area(have: int, want: int, align_corners: bool, _: bool) -> Matrix:
    """Return how much of each new element's interval each old one covers."""
    scale = float(scale_of(have, want, align_corners))
    start = np.arange(want)[:, None] * scale
    end = start + scale
    count = int(np.ceil(scale)) + 2
    places = np.floor(start).astype(np.int64) + np.arange(count)
    covered = np.minimum(places + 1, end) - np.maximum(places, start)
    return _made(have, places, np.maximum(covered, 0) / scale)


def _lanczos(radius: float) -> Callable[[Matrix], Matrix]:
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


def _gaussian(x: Matrix) -> Matrix:
    return np.where(x < 1.5, np.exp(-2 * x * x), 0.0)


def _triangle(x: Matrix) -> Matrix:
    return np.maximum(1 - x, 0)


def _box(x: Matrix) -> Matrix:
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


def _keys(x: Matrix) -> Matrix:
    return np.where(x >= 2, 0.0, _cubic(x, -0.5))


def _mitchell(x: Matrix) -> Matrix:
    far = (((-7 / 18) * x + 2) * x - 10 / 3) * x + 16 / 9
    near = ((7 / 6) * x - 2) * x * x + 8 / 9
    return np.where(x >= 2, 0.0, np.where(x >= 1, far, near))


KERNELS: dict[str, tuple[float, Callable[[Matrix], Matrix]]] = {
    "box": (0.5, _box),
    "gaussian": (1.5, _gaussian),
    "keyscubic": (2.0, _keys),
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "mitchellcubic": (2.0, _mitchell),
    "triangle": (1.0, _triangle),
}
"""Radius and weight of each sampling kernel."""


def sampled(
    have: int, want: int, kernel: str, scale: float, offset: float, antialias: bool
) -> Matrix:
    """Return the weights of a kernel over an axis that is scaled and moved."""
    radius, weigh = KERNELS[kernel]
    inverse = np.float32(1) / np.float32(scale)
    centres = np.arange(want, dtype=np.float32) + np.float32(0.5)
    at = (centres * inverse - inverse * np.float32(offset))[:, None]
    wide = max(inverse, np.float32(1)) if antialias else np.float32(1)
    reach = np.float32(radius) * wide
    places = np.arange(have, dtype=np.float32)[None, :]
    near = (places >= np.ceil(at - reach - np.float32(0.5))) & (
        places <= np.floor(at + reach - np.float32(0.5))
    )
    apart = np.abs(places + np.float32(0.5) - at) * (np.float32(1) / wide)
    weights = np.where(near, weigh(apart), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(
        np.abs(total) > 1e-30, weights / np.where(total, total, 1), 0.0
    )
    inside: Matrix = np.where((at >= 0) & (at <= have), weights, 0.0)
    return inside
