"""Sums over axes, and the mean and variance made of them, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import elementwise, reductions
from tensorlite.compat.shared.picking import top_k as top_k
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.spec import normalise_axes
from tensorlite.graph_mode.graph import titled
from tensorlite.ops.arrays.arrange import shape
from tensorlite.ops.arrays.shape import astype


@named("sufficient_statistics")
def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return count, sum, sum of squares and shift, for mean and variance along axes.

    The shift, subtracted before the sums are taken, is None unless given.
    """
    value = converted(x)
    moved, squared = value, elementwise.square
    count = _count(value, axes)
    squares: Any
    if shift is None:
        squares = squared(value)
    else:
        moved = elementwise.subtract(value, shift)
        squares = elementwise.squared_difference(value, shift)
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    sums = [
        reductions.reduce_sum(one, over, keepdims, name=title)
        for one, title in ((moved, "mean_ss"), (squares, "var_ss"))
    ]
    moved_by = None if shift is None else converted(shift, value.dtype, "shift")
    return count, *sums, moved_by


def _count(x: Any, axes: Any) -> Any:
    """Return how many elements lie along axes, in the dtype of all."""
    over = axes if isinstance(axes, (list, tuple)) else [axes]
    known = x.spec.shape
    if x.spec.rank is not None:
        normalise_axes(over, x.spec.rank)
    if known is not None and all(known[axis] is not None for axis in over):
        return converted(np.array(prod(known[i] for i in over), x.dtype.numpy))
    return titled(astype(_product(x, over), x.dtype), "count")


def _product(x: Any, axes: Any) -> Any:
    sizes = shape(x)
    count = to_tensor(1)
    for axis in axes:
        count = count * sizes[axis]
    return count


@named("normalize")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    """Return mean and variance, given the results of `sufficient_statistics`."""
    divisor = elementwise.reciprocal(counts, name="divisor")
    title = "mean" if shift is None else "shifted_mean"
    shifted = elementwise.multiply(mean_ss, divisor, name=title)
    mean = shifted
    if shift is not None:
        mean = elementwise.add(shifted, shift, name="mean")
    over = elementwise.multiply(variance_ss, divisor)
    return mean, elementwise.subtract(
        over, elementwise.square(shifted), name="variance"
    )
