"""Integers that stand for evenly spaced numbers, by a scale and a zero point, as TensorFlow 2 has.

Those between limits are in quantised.py. Scales of several channels stand along an axis.
"""

from __future__ import annotations

from typing import NamedTuple

from tensorlite.core.dtypes import float32, float64, int32, int64
from tensorlite.core.errors import ShapeError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.bits import bitwise_left_shift, bitwise_right_shift
from tensorlite.ops.math.bounds import clip
from tensorlite.ops.math.elementwise import log2
from tensorlite.ops.math.rounding import floor

__all__: list[str] = []


class Spacing(NamedTuple):
    """How numbers are spaced: their scales and zero points, and the axis that these stand along."""

    scales: Tensor
    zeros: Tensor
    axis: int = -1

    def along(self, rank: int | None) -> Spacing:
        """Return the same for tensors of a rank, to which scales and zero points broadcast."""
        if self.axis < 0:
            return self
        if rank is None or self.axis >= rank:
            raise ShapeError(
                f"quantization_axis={self.axis} for a tensor of {rank} axes"
            )
        shape = [-1 if i == self.axis else 1 for i in range(rank)]
        return Spacing(
            reshape(self.scales, shape), reshape(self.zeros, shape), self.axis
        )


class Range(NamedTuple):
    """The least and the greatest integer."""

    low: int
    high: int


def quantized(x: Tensor, spacing: Spacing, limits: Range) -> Tensor:
    """Return the int32 that stand for numbers, the last ones for those beyond."""
    by = spacing.along(x.spec.rank)
    steps = floor(astype(x, float32) * (1.0 / by.scales) + 0.5)
    return clip(astype(steps, int32) + by.zeros, *limits)


def dequantized(x: Tensor, spacing: Spacing) -> Tensor:
    """Return the numbers that integers stand for."""
    by = spacing.along(x.spec.rank)
    return astype(astype(x, int32) - by.zeros, float32) * by.scales


def requantized(x: Tensor, before: Spacing, after: Spacing, limits: Range) -> Tensor:
    """Return the int32 that stand for the same numbers when these are spaced otherwise."""
    rank = x.spec.rank
    old, new = before.along(rank), after.along(rank)
    ratio = astype(old.scales, float64) / astype(new.scales, float64)
    return clip(_multiplied(astype(x, int32) - old.zeros, ratio) + new.zeros, *limits)


def _multiplied(x: Tensor, ratio: Tensor) -> Tensor:
    """Return integers times a number of which 31 bits are taken, rounded once."""
    exponent = floor(log2(ratio)) + 1.0
    bits = astype(floor(ratio / 2.0**exponent * 2.0**31 + 0.5), int64)
    shift = astype(31.0 - exponent, int64)
    half = bitwise_left_shift(shift * 0 + 1, shift - 1)
    wide = astype(x, int64) * bits + half
    return astype(clip(bitwise_right_shift(wide, shift), -(2**31), 2**31 - 1), int32)


def added(
    x: Tensor,
    y: Tensor,
    spacings: tuple[Spacing, Spacing, Spacing],
    limits: Range,
    narrow: Range,
) -> Tensor:
    """Return sums: both are spaced as the result first, around 0, as their dtype holds them."""
    first, second, result = spacings
    wanted = Spacing(result.scales, result.zeros * 0, result.axis)
    both = [
        requantized(one, by, wanted, narrow) for one, by in ((x, first), (y, second))
    ]
    total = both[0] + both[1]
    return clip(total + result.along(total.spec.rank).zeros, *limits)


def product(
    x: Tensor, y: Tensor, spacings: tuple[Spacing, Spacing, Spacing], limits: Range
) -> Tensor:
    """Return products of matrices; the second one's columns may be spaced on their own."""
    first, second, result = spacings
    left = astype(x, int32) - first.zeros
    right = astype(y, int32) - second.along(2).zeros
    total = matmul(left, right)
    columns, after = second.along(2), result.along(2)
    scales = astype(first.scales, float64) * astype(columns.scales, float64)
    ratio = scales / astype(after.scales, float64)
    return clip(_multiplied(total, ratio) + after.zeros, *limits)
