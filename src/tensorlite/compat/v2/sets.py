"""Sets in the last axis: `tf.sets`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
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


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
