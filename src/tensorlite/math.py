"""Special functions, and mathematics that TensorFlow has and the Array API standard has not.

The operators and functions stand in ops/.
"""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
