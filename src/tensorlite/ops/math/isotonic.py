"""Isotonic regression: the nearest numbers that only fall, or only rise, along an axis."""

from __future__ import annotations

import numpy as np

from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import float32, float64, int32
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import gather, size_at, unsorted_segment_sum
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, reshape, shape_of

__all__: list[str] = []


class IsotonicSegments(Op):
    """In which run of equal numbers each of a row is, whose numbers are to fall or to rise."""

    differentiable = False
    decreasing: bool = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of one number for each."""
        return TensorSpec(x.shape, int32)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the numbers of the runs, from 0 in each row."""
        rows = to_host(x)
        made = np.empty(rows.shape, np.int32)
        for place in np.ndindex(*rows.shape[:-1]):
            row = rows[place]
            lengths = _pooled(-row if self.decreasing else row)
            made[place] = np.repeat(np.arange(len(lengths)), lengths)
        return xp.asarray(made)


def _pooled(row: np.ndarray[tuple[int], np.dtype[np.floating]]) -> list[int]:
    """Return the lengths of runs whose means rise: neighbours that fall are pooled."""
    totals: list[float] = []
    lengths: list[int] = []
    for number in row.tolist():
        total, length = number, 1
        while totals and totals[-1] * length > total * lengths[-1]:
            total += totals.pop()
            length += lengths.pop()
        totals.append(total)
        lengths.append(length)
    return lengths


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """Return the nearest numbers that only fall along an axis, and in which run of equals each is.

    They only rise if `decreasing` is False. Runs are numbered from 0.

    >>> found, runs = tl.nn.isotonic_regression([3.0, 1.0, 2.0, 1.0])
    >>> print(found, runs)
    [3.  1.5 1.5 1. ] [0 1 1 2]
    """
    given = to_tensor(inputs)
    if not given.dtype.is_floating:
        small = given.dtype.numpy.itemsize < 4
        given = astype(given, float32 if small else float64)
    rows = moveaxis(given, axis, -1)
    runs = call(IsotonicSegments(bool(decreasing)), rows)
    made = _means(rows, runs)
    return moveaxis(made, -1, axis), moveaxis(runs, -1, axis)


def _means(rows: Tensor, runs: Tensor) -> Tensor:
    """Return, for each number, the mean of its run; so its gradient is that of all of them."""
    count = shape_of(runs)[-1]
    flat, ids = reshape(rows, [-1, count]), reshape(runs, [-1, count])
    begins = arange(size_at(flat, 0), dtype=int32)
    places = reshape(ids + reshape(begins, [-1, 1]) * astype(count, int32), [-1])
    numbers = reshape(flat, [-1])
    most = size_at(numbers, 0)
    totals = unsorted_segment_sum(numbers, places, most)
    lengths = unsorted_segment_sum(ones_like(numbers), places, most)
    means = gather(totals, places) / gather(lengths, places)
    return reshape(means, shape_of(rows))
