"""Strings: joined, split, searched, hashed, converted to numbers and back.

The operators and functions stand in ops/.
"""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
