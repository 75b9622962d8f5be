"""Numbers as small integers between two limits, as TensorFlow's quantised dtypes hold them.

Rounding as if to them, which stays with floats, is in fake_quantised.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core.dtypes import DType, float32, float64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.rounding import (
    abs as magnitude,
    floor,
    round as nearest,
    sign,
)
from tensorlite.ops.nn.quantised_numbers import fitted, value_of

MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def quantized(
    x: Tensor,
    limits: tuple[Tensor, Tensor],
    dtype: DType,
    mode: str = "MIN_COMBINED",
    *,
    to_even: bool = False,
    narrow: bool = False,
    least_range: float = 0.01,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return numbers as integers, and the limits that these stand for.

    `least_range` is how wide these are at least, as a part of the larger of them.
    """
    first, last = _ends(dtype)
    _check(mode)
    low = minimum(limits[0], 0.0)
    size = maximum(1.0, maximum(magnitude(limits[0]), magnitude(limits[1])))
    high = maximum(0.0, maximum(limits[1], low + size * least_range))
    if mode == "SCALED":
        rounded = nearest if to_even else _away
        first += narrow
        scale = float(last) / high
        if first:
            below = float(first) / minimum(low, -np.finfo(np.float32).tiny)
            scale = minimum(scale, below)
        low, high = first / scale, last / scale
        return _fitted(rounded(clip(x, low, high) * scale), dtype), low, high
    steps = float(last - first)
    if mode == "MIN_FIRST":
        return fitted(x, (low, high), dtype), low, high
    scale = steps / (high - low)
    found = (clip(x, low, high) - low) * scale - _half(dtype)
    return _fitted(_away(found), dtype), low, high


def dequantized(
    x: Tensor,
    limits: tuple[Tensor, Tensor],
    mode: str = "MIN_COMBINED",
    narrow: bool = False,
) -> Tensor:
    """Return the numbers that integers between two limits stand for."""
    low, high = limits
    first, last = _ends(x.dtype)
    _check(mode)
    given = astype(x, float32)
    if mode == "SCALED":
        scale = high / float(last)
        return given * (maximum(scale, low / (first + narrow)) if first else scale)
    scale = (high - low) / float(last - first)
    if mode == "MIN_FIRST":
        return astype(value_of(x, limits), float32)
    return (given + _half(x.dtype)) * scale + low


def _check(mode: str) -> None:
    if mode not in MODES:
        raise InvalidArgumentError(f"mode={mode!r}; allowed are {', '.join(MODES)}")


def _ends(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest integer of a dtype."""
    if not dtype.is_integer:
        raise InvalidArgumentError(f"{dtype} holds no integers")
    ends = np.iinfo(dtype.numpy)
    return int(ends.min), int(ends.max)


def _half(dtype: DType) -> float:
    """Return how far zero is from the least integer, in the middle of those with a sign."""
    first, last = _ends(dtype)
    return (last - first + 1) / 2 if first else 0.0


def _away(x: Tensor) -> Tensor:
    """Return the nearest integer, of two the one that is farther from zero."""
    return sign(x) * floor(magnitude(x) + 0.5)


def _fitted(x: Tensor, dtype: DType) -> Tensor:
    """Return whole numbers as integers; float32 does not hold the last ones of 32 bits."""
    return astype(clip(astype(x, float64), *_ends(dtype)), dtype)
