"""Rows of matrices as sets: their differences, intersections and unions, and their sizes.

The operators and functions stand in ops/.
"""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
