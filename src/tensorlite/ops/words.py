"""Random words one after the other, for what is chosen on the host: an element of a buffer, a row.

They are Philox's, in TensorFlow's order, so that equal seeds shuffle as TensorFlow does. Numbers by
the tensor are random.py's.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tensorlite.ops import philox

Seeds: TypeAlias = tuple[int, int]
DEFAULT_SEED = 87654321
"""TensorFlow's first seed where only an operation has one."""
_BLOCKS = 32
"""Counters worked on at once; each gives four words."""
_MASK = (1 << 64) - 1


class Words:
    """The words of 32 random bits that two seeds begin.

    >>> words = Words((DEFAULT_SEED, 1))
    >>> words.next()
    2870909127
    >>> words.below(10)
    9
    """

    def __init__(self, seeds: Seeds) -> None:
        first, second = seeds
        self._key = np.uint64(first & _MASK)
        self._second = second & _MASK
        self._counter = 0
        self._ready: list[int] = []

    def next(self) -> int:
        """Return the next word."""
        if not self._ready:
            counter = np.array([self._counter, self._second], np.uint64)
            words = philox.bits(np, self._key, counter, 4 * _BLOCKS)
            self._ready = words.tolist()[::-1]
            self._counter += _BLOCKS
        return self._ready.pop()

    def below(self, count: int) -> int:
        """Return a number of [0, count)."""
        return self.next() % count

    def seeds(self) -> Seeds:
        """Return seeds for other words."""
        return self.next(), self.next()
