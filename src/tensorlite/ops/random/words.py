"""Random words one after the other, for what is chosen on the host: an element of a buffer, a row.

They are Philox's, in TensorFlow's order, so that equal seeds shuffle as TensorFlow does. Numbers by
the tensor are draws.py's.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tensorlite.core.check import whole
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.random import philox

Seeds: TypeAlias = tuple[int, int]
DEFAULT_SEED = 87654321
"""TensorFlow's first seed where only an operation has one."""
_BLOCKS = 32
"""Counters worked on at once; each gives four words."""
_MASK = (1 << 64) - 1


def seeds_of(seed: object) -> Seeds:
    """Return TensorFlow's two seeds: as given, or with its first one; errors for what is none.

    >>> seeds_of(5), seeds_of((1, 2))
    ((87654321, 5), (1, 2))
    """
    if not isinstance(seed, tuple):
        return DEFAULT_SEED, int(whole(seed, "seed"))
    if len(seed) != 2:
        raise InvalidArgumentError(
            f"seed={seed!r}; allowed are an integer, or two of them as a tuple"
        )
    first, second = seed
    return int(whole(first, "seed")), int(whole(second, "seed"))


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

    def share(self) -> float:
        """Return a number of [0, 1)."""
        key, counter = philox.mixed(self.seeds())
        return float(philox.doubles(np, key, counter, 1)[0])

    def seeds(self) -> Seeds:
        """Return seeds for other words."""
        return self.next(), self.next()
