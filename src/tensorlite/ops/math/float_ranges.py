"""Ranges of fractions, which are counted and added up as TensorFlow's kernel does it."""

from __future__ import annotations

import numpy as np

from tensorlite.core.xp import Array, Xp


def added_up(xp: Xp, start: Array, limit: Array, delta: Array) -> Array:
    """Return the numbers from start up to limit, each the one before and delta."""
    count = max(0, int(np.ceil((limit - start) / delta)))
    steps = xp.full(count, delta.item(), start.dtype)
    steps[:1] = start.item()
    return xp.cumsum(steps, dtype=start.dtype)
