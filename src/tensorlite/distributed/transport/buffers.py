"""Buffers: shared memory that a task computes large values into, so that they are sent uncopied.

A value in a buffer may be lent to several tasks of this host at once, which read it in place; it is
never written again. The memory is used anew when nobody has the value any more. How it is lent on
a link is segments.py's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from tensorlite.core.containers import Room
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.segments import Lease, Segment, are_there

MOST = 64
"""Buffers of a task: each has a descriptor, of which a process has not many."""
KEPT = 8
"""Buffers that are kept though nobody uses them."""


class Buffers:
    """The buffers of one task."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._count = 0
        self._free: deque[Segment] = deque()
        self._closed = False

    def room(self) -> Room | None:
        """Return what gives arrays in buffers, if this system has shared memory."""
        return self.empty if are_there() else None

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array | None:
        """Return an array in a buffer, whatever it holds; None when there are too many."""
        size = prod(shape) * dtype.itemsize
        with self._lock:
            buffer = self._fitting(size)
            if buffer is None:
                if self._count >= self._most:
                    return None
                self._count += 1
                buffer = Segment(0, size)
            while len(self._free) > KEPT:
                self._drop(self._free.popleft())
        lease = np.ndarray.__new__(Lease, (size,), np.uint8, buffer.memory)
        lease.buffer = buffer
        lease.begin = _begin(lease)
        lease.give_back = partial(self._back, buffer)
        return lease.view(np.ndarray).view(dtype).reshape(tuple(shape))

    def close(self) -> None:
        """Let go of the buffers, of those that are used when nobody uses them any more."""
        self._closed = True
        with self._lock:
            while self._free:
                self._drop(self._free.popleft())

    def _fitting(self, size: int) -> Segment | None:
        """Return a free buffer in which this is not lost, the one that came back last first."""
        for _ in range(len(self._free)):
            buffer = self._free.pop()
            if (
                size <= buffer.size <= max(4 * size, Segment.least)
                and not buffer.spoiled
            ):
                return buffer
            if buffer.spoiled:
                self._drop(buffer)
            else:
                self._free.appendleft(buffer)
        return None

    def _drop(self, buffer: Segment) -> None:
        self._count -= 1
        buffer.close()

    def _back(self, buffer: Segment) -> None:
        """Take a buffer back that no array is over. Runs anywhere, and takes no lock."""
        if self._closed:
            buffer.close()
        else:
            self._free.append(buffer)


def buffer_of(array: Array) -> Segment | None:
    """Return the buffer that an array begins in, if it is in one."""
    base: Any = array.base
    while type(base) is np.ndarray:
        base = base.base
    if type(base) is not Lease or base.buffer is None:
        return None
    whole = array.nbytes == base.nbytes
    return base.buffer if whole or base.begin == _begin(array) else None


def _begin(array: Array) -> int:
    """Return the address of an array."""
    return int(array.__array_interface__["data"][0])
