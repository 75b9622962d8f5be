"""Boards: memory of a task that the other tasks of its host may look into at any time.

A link hands each end the other's board. What is put up where, and for whom, is for those who use
them to agree on by messages (collectives/standing.py); large values lie in segments.py's memory.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import platform
from threading import Lock
from typing import Any

from tensorlite.core.errors import ProtocolError
from tensorlite.distributed.transport.segments import FIXED, Segment, are_there

SIZE = 1 << 20
"""Bytes of a board; what is not written takes no memory."""
ALIGNED = 64
"""Places begin at multiples of this many bytes, so that no two share a line of a cache."""
MACHINES = ("x86_64", "AMD64")
"""Where what one core writes is seen by the others in the order of writing."""


class Board:
    """The board of one task."""

    def __init__(self) -> None:
        self._segment = Segment(0, SIZE)
        self._lock = Lock()
        self._used = 0
        self.uses: dict[Any, Any] = {}
        """What those who put something up keep of it."""

    @property
    def memory(self) -> mmap.mmap:
        """What is put up; only its own task writes to it."""
        return self._segment.memory

    @property
    def descriptor(self) -> int:
        """By which other processes map it."""
        return self._segment.descriptor

    def reserve(self, size: int) -> int | None:
        """Return where there is a place of so many bytes, for good; None when there is none."""
        with self._lock:
            end = self._used + -(-size // ALIGNED) * ALIGNED
            if end > SIZE:
                return None
            begin, self._used = self._used, end
            return begin

    def close(self) -> None:
        """Let go of it; whoever looks into it may go on."""
        self._segment.close()


def made() -> Board | None:
    """Return a board, if this system can have such."""
    return Board() if are_there() and platform.machine() in MACHINES else None


def mapped(descriptor: int) -> mmap.mmap:
    """Return another task's board to be read; ProtocolError for what is none."""
    try:
        sealed = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) & FIXED
        if not sealed or os.fstat(descriptor).st_size != SIZE:
            raise ProtocolError("a board has another size, or could shrink")
        return mmap.mmap(descriptor, SIZE, prot=mmap.PROT_READ)
    except (OSError, ValueError) as error:
        raise ProtocolError(f"a board is no memory: {error}") from None
    finally:
        os.close(descriptor)
