"""What the tests of swapping share: numbers, and a disk that is full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape or (16, 16))


def full_disk(**_: Any) -> Any:
    """Return a file in which there is never any space."""
    return Path("/dev/full").open("r+b", buffering=0)
