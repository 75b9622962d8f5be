"""Sums over the leading axes of an array, as those by channels are, taken along long rows.

NumPy adds such an array up row by row, and a row is no longer than there are channels. Several of
them taken as one make the rows as long as a vector unit likes, and the sums more exact, since
each is of fewer numbers. The operators are in arithmetic.py, reduce.py and nn/normalise.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from tensorlite.core.xp import Array, Xp

ROW = 4096
"""Numbers of a row that several are made into: as many sums stay near the processor."""
WORTH = 8 * ROW
"""With fewer numbers in all, NumPy's own way is as fast."""


def is_brief(x: Array) -> bool:
    """Return whether numbers have too few digits for sums, which are of float32 then: bfloat16."""
    return bool(x.dtype.itemsize == 2 and x.dtype.name == "bfloat16")


def widened(x: Array) -> Array:
    """Return numbers as float32."""
    return x.astype(np.float32)


def total(xp: Xp, x: Array, axis: Sequence[int], keepdims: bool = False) -> Array:
    """Return the sum over some axes, in the dtype of `x`."""
    if is_brief(x):
        return total(xp, widened(x), axis, keepdims).astype(x.dtype)
    kept = _kept(xp, x, axis)
    if not kept:
        return xp.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    rows = x.reshape(-1, kept)
    return _shaped(_folded(rows), x, axis, keepdims)


def average(xp: Xp, x: Array, axis: Sequence[int], keepdims: bool = False) -> Array:
    """Return the mean over some axes, in the dtype of `x`."""
    if is_brief(x):
        return average(xp, widened(x), axis, keepdims).astype(x.dtype)
    kept = _kept(xp, x, axis)
    if not kept:
        found = xp.mean(x, axis=axis, keepdims=keepdims)
        return found.astype(x.dtype, copy=False)
    rows = x.reshape(-1, kept)
    return _shaped(_folded(rows) / x.dtype.type(len(rows)), x, axis, keepdims)


def average_product(
    xp: Xp, x: Array, y: Array, axis: Sequence[int], keepdims: bool = False
) -> Array:
    """Return the mean of x * y over some axes, likewise; both are of one shape and dtype."""
    if is_brief(x):
        found = average_product(xp, widened(x), widened(y), axis, keepdims)
        return found.astype(x.dtype)
    kept = _kept(xp, x, axis)
    if not kept or not y.flags.c_contiguous:
        found = xp.mean(x * y, axis=axis, keepdims=keepdims)
        return found.astype(x.dtype, copy=False)
    rows = x.reshape(-1, kept)
    found = _folded(rows, y.reshape(-1, kept)) / x.dtype.type(len(rows))
    return _shaped(found, x, axis, keepdims)


def _kept(xp: Xp, x: Array, axis: Sequence[int]) -> int:
    """Return how many sums there are, if the axes are the first ones and it is worth folding."""
    if xp is not np or x.size < WORTH or x.dtype.char not in "fd":
        return 0
    leading = len(axis)
    first = sorted(i % x.ndim for i in axis) == list(range(leading))
    if not first or leading == x.ndim or not x.flags.c_contiguous:
        return 0
    kept = prod(x.shape[leading:])
    return kept if 2 * kept <= ROW else 0


def _folded(rows: Array, others: Array | None = None) -> Array:
    """Return the sums over the rows of a matrix, or over those of a product of two."""
    count, kept = rows.shape
    several = ROW // kept
    whole = count - count % several

    def part(matrix: Array, width: int, chosen: slice) -> Array:
        return matrix[chosen].reshape(-1, width)

    def added(width: int, chosen: slice) -> Array:
        if others is None:
            return part(rows, width, chosen).sum(0)
        both = part(rows, width, chosen), part(others, width, chosen)
        return np.einsum("ij,ij->j", *both)

    found = added(several * kept, slice(whole)).reshape(several, kept).sum(0)
    return found + added(kept, slice(whole, None)) if whole < count else found


def _shaped(found: Array, x: Array, axis: Sequence[int], keepdims: bool) -> Array:
    ones = (1,) * len(axis) if keepdims else ()
    return found.reshape(*ones, *x.shape[len(axis) :])
