"""Segments: memory that two tasks of one host share, for large tensors. Notices are links.py's.

The sender has a pool of at most 16 for each link. What is filled is the receiver's until it says
that the segment is free again, which it does when the last array over it is gone: never before.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Callable

import numpy as np

from tensorlite.core.errors import ProtocolError
from tensorlite.core.xp import Array

SLOTS = 16
SMALLEST = 1 << 20
"""Bytes of the smallest segment; what is not written takes no memory."""
FIXED = getattr(fcntl, "F_SEAL_SHRINK", 0)
SEALS = FIXED | getattr(fcntl, "F_SEAL_GROW", 0)
"""Held by the kernel: a segment that shrank would kill whoever reads it."""


def are_there() -> bool:
    """Return whether this system has such memory."""
    return hasattr(os, "memfd_create")


class Segment:
    """One segment, as its sender has it."""

    least = SMALLEST
    spoiled = False
    """Whether somebody may still read it who cannot be asked: it is not filled again."""

    def __init__(self, slot: int, size: int) -> None:
        self.slot = slot
        self.size = max(SMALLEST, 1 << (size - 1).bit_length())
        self.known = False
        """Whether the receiver has been given it."""
        self.descriptor = os.memfd_create(
            "tensorlite", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
        )
        try:
            os.ftruncate(self.descriptor, self.size)
            fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, SEALS)
            self.memory = mmap.mmap(self.descriptor, self.size)
        except BaseException:
            os.close(self.descriptor)
            raise
        self.array = np.frombuffer(self.memory, np.uint8)

    def close(self) -> None:
        """Let go of it; the receiver keeps what it has."""
        os.close(self.descriptor)


class Loan:
    """A buffer in the place of a segment: what it holds is sent as it is (buffers.py)."""

    def __init__(self, slot: int, buffer: Segment) -> None:
        self.slot = slot
        self.buffer = buffer
        self.size = 0
        """None that could be filled."""
        self.known = False
        self.held: Array | None = None
        """The value, which lives as long as it is lent."""

    @property
    def descriptor(self) -> int:
        """That of the buffer."""
        return self.buffer.descriptor

    def close(self) -> None:
        """Let go of it; whoever reads it may go on."""
        if self.held is not None:
            self.buffer.spoiled = True
            self.held = None


class Pool:
    """The segments that one end of a link sends by. Its user sees to it that one thread does."""

    def __init__(self) -> None:
        self._free: list[Segment | Loan] = []
        self._out: dict[int, Segment | Loan] = {}

    def take(self, size: int) -> Segment | None:
        """Return a segment of `size` bytes or more, or None when all are out.

        The one that came back last is taken if it fits, as it is the likeliest to be in a cache.
        """
        for i in reversed(range(len(self._free))):
            found = self._free[i]
            if isinstance(found, Segment) and found.size >= size:
                del self._free[i]
                self._out[found.slot] = found
                return found
        slot = self._slot()
        if slot is None:
            return None
        made = self._out[slot] = Segment(slot, size)
        return made

    def lend(self, buffer: Segment, value: Array) -> Loan | None:
        """Return a buffer's value in the place of a segment, or None when all are out."""
        for i, found in enumerate(self._free):
            if isinstance(found, Loan) and found.buffer is buffer:
                del self._free[i]
                loan = found
                break
        else:
            slot = self._slot()
            if slot is None:
                return None
            loan = Loan(slot, buffer)
        loan.held = value
        self._out[loan.slot] = loan
        return loan

    def _slot(self) -> int | None:
        """Return a free number, or that of one that is given up; None: all are out."""
        slot = len(self._free) + len(self._out)
        if slot < SLOTS:
            return slot
        if not self._free:
            return None
        given_up = self._free.pop(0)
        given_up.close()
        return given_up.slot

    def back(self, slot: int) -> None:
        """Take back what the receiver needs no more; ProtocolError when it has no such."""
        segment = self._out.pop(slot, None)
        if segment is None:
            raise ProtocolError(f"segment {slot} came back, which is not out")
        if isinstance(segment, Loan):
            segment.held = None
        self._free.append(segment)

    def close(self) -> None:
        """Let go of all segments."""
        for segment in (*self._free, *self._out.values()):
            segment.close()
        self._free.clear()
        self._out.clear()


class Lease(np.ndarray):
    """The bytes of a segment on loan. Arrays over it keep it alive, and with it the loan.

    NumPy lets a view keep the array alive that it is a view of, but not the memoryview: it
    would take the memory behind that.
    """

    give_back: Callable[[], None] | None = None
    buffer: Segment | None = None
    """What a value of this task lies in, if it does (buffers.py)."""
    begin = 0
    """The address of that."""

    def __del__(self) -> None:
        if self.give_back is not None:
            self.give_back()


class Mappings:
    """The segments that one end of a link receives by."""

    def __init__(self) -> None:
        self._memory: dict[int, mmap.mmap] = {}

    def attach(self, slot: int, descriptor: int) -> None:
        """Map a segment, and close its descriptor; ProtocolError when it is not as it must be."""
        try:
            seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
            if slot >= SLOTS or not seals & FIXED:
                raise ProtocolError(
                    f"segment {slot} could shrink, or is one too many"
                )
            size = os.fstat(descriptor).st_size
            self._memory[slot] = mmap.mmap(descriptor, size)
        except (OSError, ValueError) as error:
            if isinstance(error, ProtocolError):
                raise
            raise ProtocolError(f"segment {slot} is no memory: {error}") from None
        finally:
            os.close(descriptor)

    def array(self, slot: int, size: int, give_back: Callable[[], None]) -> Array:
        """Return the bytes in a segment; `give_back` is called when nothing holds them any more.

        It is called by any thread, wherever that is: it takes no lock.
        """
        memory = self._memory.get(slot)
        if memory is None or size > len(memory):
            raise ProtocolError(f"{size} bytes are not in segment {slot}")
        lease = np.ndarray.__new__(Lease, (size,), np.uint8, memory)
        lease.give_back = give_back
        return lease
