"""What the stand-in for CuPy has of streams and of memory; its arrays are in standin.py."""

from __future__ import annotations


class Stream:
    """What is given to a device in order; here all is done at once."""

    null: Stream

    def __init__(self, *, non_blocking: bool = False) -> None:
        self.waited: list[object] = []

    def record(self) -> object:
        """Return an event that is over when all that was given so far is done."""
        return self

    def wait_event(self, event: object) -> None:
        """Do what is given from now on after an event."""
        self.waited.append(event)

    def synchronize(self) -> None:
        """Wait until all is done."""


Stream.null = Stream()


class Pool:
    """The memory that arrays are made in."""

    @staticmethod
    def get_limit() -> int:
        """Return how many bytes it may take: 0 for all that there are."""
        return 0


def alloc_pinned_memory(size: int) -> bytearray:
    """Return host memory that is page-locked, and longer than what was asked for."""
    return bytearray(size + 512)
