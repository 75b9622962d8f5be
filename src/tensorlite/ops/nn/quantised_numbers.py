"""Integers between limits, exactly: which integer a number is, and which number an integer is.

The arithmetic is in 64 bits, as that of quantised layers has to be; quantised.py has what makes
integers of whole tensors.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, float32, float64, int32, uint8
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import clip
from tensorlite.ops.math.rounding import abs as magnitude, floor, sign

__all__: list[str] = []

Limits: TypeAlias = tuple[Tensor, Tensor]
"""What the least and the greatest integer stand for."""


def step(limits: Limits, dtype: DType) -> Tensor:
    """Return how far the numbers of neighbouring integers are from each other."""
    low, high = (astype(limit, float64) for limit in limits)
    first, last = ends_of(dtype)
    return (high - low) / float(last - first)


def of_number(x: TensorLike, limits: Limits, dtype: DType) -> Tensor:
    """Return the whole number that stands for a number, which may be none that a dtype holds.

    >>> from tensorlite.ops.nn.quantised_numbers import of_number
    >>> print(of_number(0.0, (tl.asarray(-1.0), tl.asarray(1.0)), tl.uint8))
    128.0
    """
    low, high = (astype(limit, float64) for limit in limits)
    first, last = ends_of(dtype)
    steps = float(last - first + 1)
    scale = steps / ((high - low) * (steps / (steps - 1.0)))
    value = astype(to_tensor(x), float64)
    return _nearest(value * scale) - _nearest(low * scale) + float(first)


def fitted(x: TensorLike, limits: Limits, dtype: DType) -> Tensor:
    """Return the integer of a dtype that stands for a number, the last one for those beyond."""
    first, last = ends_of(dtype)
    return astype(clip(of_number(x, limits, dtype), first, last), dtype)


def value_of(x: Tensor, limits: Limits) -> Tensor:
    """Return the float64 numbers that integers stand for.

    >>> from tensorlite.ops.nn.quantised_numbers import value_of
    >>> print(value_of(tl.asarray([0, 255], dtype=tl.uint8), (tl.asarray(0.0), tl.asarray(1.0))))
    [0. 1.]
    """
    size = step(limits, x.dtype)
    single = astype(
        size, float32
    )  # the least number is rounded to whole steps of this
    least = astype(_nearest(limits[0] / single) * single, float64)
    return (astype(x, float64) - float(ends_of(x.dtype)[0])) * size + least


def changed(x: Tensor, limits: Limits, wanted: Limits, dtype: DType) -> Tensor:
    """Return integers of another dtype and other limits that stand for the same numbers.

    From 32 bits to 8 the least number is no whole number of steps from zero, as TensorFlow has it.
    """
    if x.dtype is not int32 or dtype is not uint8:
        return fitted(value_of(x, limits), wanted, dtype)
    low, high, least, most = (astype(end, float64) for end in (*limits, *wanted))
    values = astype(x, float64) * ((high - low) / 2.0**32) + (low + high) / 2.0
    found = floor((values - least) * (255.0 / (most - least)) + 0.5)
    return astype(clip(found, 0, 255), dtype)


def ends_of(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest integer of a dtype."""
    ends = np.iinfo(dtype.numpy)
    return int(ends.min), int(ends.max)


def _nearest(x: Tensor) -> Tensor:
    """Return the nearest integer, of two the one that is farther from zero."""
    return sign(x) * floor(magnitude(x) + 0.5)
