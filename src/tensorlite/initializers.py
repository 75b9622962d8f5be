"""`tl.initializers`: initial values of weights. Names only; the code is in train/."""

from __future__ import annotations

from tensorlite.train.initializers import (
    fans,
    glorot_normal,
    glorot_uniform,
    he_normal,
    he_uniform,
    ones,
    orthogonal,
    zeros,
)

__all__ = [
    "fans",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "ones",
    "orthogonal",
    "zeros",
]


def __dir__() -> list[str]:
    return __all__
