"""Numbers of few bits: rounding that trains through, and conversion to and from integers.

The operators and functions stand in ops/.
"""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
