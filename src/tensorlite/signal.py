"""Signals: frames, windows, short-time Fourier transforms, cosine transforms, mel scales.

The operators and functions stand in ops/.
"""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
