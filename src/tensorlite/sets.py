"""Rows of matrices as sets: their differences, intersections and unions, and their sizes.

The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.arrays.set_operations import (
    set_difference as difference,
    set_intersection as intersection,
    set_size as size,
    set_union as union,
)

__all__ = ["difference", "intersection", "size", "union"]


def __dir__() -> list[str]:
    return __all__
