"""Sets in the last axis: `tf.sets`."""

from __future__ import annotations

from tensorlite.compat.shared.sets import (
    difference,
    intersection,
    size,
    union,
)

__all__ = [
    "difference",
    "intersection",
    "size",
    "union",
]
