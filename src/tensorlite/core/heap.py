"""Keeping the memory of freed arrays for the next ones. Bytes are counted in accounts.py."""

from __future__ import annotations

import numpy as np

LARGEST = (32 << 20) - (64 << 10)
"""Bytes just below which glibc lets its thresholds move."""


def keep_freed() -> None:
    """Make the C library keep what is freed, up to 64 MiB, rather than give it back each time.

    Without it an array of some hundred kilobytes is mapped anew at every operation, and each of its
    pages faults: a chain of them took five times as long. glibc raises its thresholds when it
    frees a large block; other libraries do not mind one. No page of the block is touched.
    """
    np.empty(LARGEST, np.uint8)
