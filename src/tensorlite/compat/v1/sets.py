"""Sets in the last axis: `tf.sets`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.sets import (
    difference,
    difference as set_difference,
    intersection,
    intersection as set_intersection,
    size,
    size as set_size,
    union,
    union as set_union,
)

__all__ = [
    "difference",
    "intersection",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "size",
    "union",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
