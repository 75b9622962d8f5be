"""Outlets: what is queued to be written on a wire, and whichever thread writes it.

A thread writes what is queued until its own messages are written, so that what comes together
travels together. What may go, and when, is links.py's to say.
"""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable
from threading import Lock

from tensorlite.distributed.transport.wires import Bytes, Wire

TOGETHER = 64
"""Messages that are written at once."""


class Item:
    """Bytes to be written, and the descriptors that go with the first of them."""

    __slots__ = ("cost", "descriptors", "parts")

    def __init__(
        self, parts: list[Bytes], descriptors: tuple[int, ...] = (), cost: int = 0
    ) -> None:
        self.parts = parts
        self.descriptors = descriptors
        self.cost = cost


class Outlet:
    """Writes for all threads of a task that send by one link.

    `wake` has the thread that receives look, which writes when no other can wait to; `fail` is told
    why nothing can be written any more, and sets `over`.
    """

    def __init__(
        self, wire: Wire, wake: Callable[[], None], fail: Callable[[str], None]
    ) -> None:
        self.queue: deque[Item] = deque()
        self.stuck = False
        """Whether who receives is to write when the wire takes more."""
        self.over = False
        self._wire = wire
        self._wake = wake
        self._fail = fail
        self._writing = Lock()
        self._torn = False
        """Whether it is not known how much of a message was written."""

    def put(self, data: bytes) -> None:
        """Write a few bytes, without waiting: now, or after what is before them."""
        if not self._writing.acquire(blocking=False):
            self.queue.append(Item([data]))
            self.write(None)
            return
        try:
            if self.queue:
                self.queue.append(Item([data]))
                return
            self._torn = True
            count = self._wire.put(data)
            if count < len(data):
                self.queue.appendleft(Item([data[count:]]))
            self._torn = False
        except BaseException as error:
            self._failed(error)
            if not isinstance(error, OSError):
                raise
        finally:
            self._writing.release()
            if self.queue:  # the rest, or what others left to this thread
                self.write(None)

    def write(self, until: Item | None) -> bool:
        """Write what is queued, waiting until `until` is written; None: without waiting.

        Whoever finds another thread writing leaves it to that: it looks again when it is done.
        Returns whether `until` was written.
        """
        while self.queue:
            waits = until is not None and bool(until.parts)
            if not self._writing.acquire(blocking=waits):
                break
            try:
                if not self._drain(waits):
                    break
            except BaseException as error:
                self._failed(error)
                if not isinstance(error, OSError):
                    raise
            finally:
                self._writing.release()
        return until is None or not until.parts

    def close(self) -> None:
        """Drop what is queued, and close the wire."""
        with self._writing:
            self.queue.clear()
            self._wire.close()

    def _failed(self, error: BaseException) -> None:
        """End the link, or after an interrupt have its own thread go on, if it can know where."""
        if isinstance(error, OSError):
            self._fail(self._wire.failure("writing", error))
        elif self._torn:
            self._fail("writing was interrupted")
        self.stuck = True
        self._wake()

    def _drain(self, waits: bool) -> bool:
        """Write all that is queued; return False when that would be waiting."""
        while self.queue and not self.over:
            items = self._next()
            parts = [part for item in items for part in item.parts]
            self._torn = True
            count = self._wire.write(parts, items[0].descriptors)
            if count:
                self._written(items, count)
            self._torn = False
            if count:
                continue
            if not waits:
                self.stuck = True
                self._wake()
                return False
            writable = select.poll()
            writable.register(self._wire.socket, select.POLLOUT)
            writable.poll()
        self.stuck = False
        if self.over:
            self.queue.clear()
        return True

    def _next(self) -> list[Item]:
        """Return what is written at once: descriptors go with the first byte of their message.

        Whoever begins a link reads no further than its first message, and takes no descriptors.
        """
        items = [self.queue[0]]
        for i in range(1, min(TOGETHER, len(self.queue))):
            if self.queue[i].descriptors:
                break
            items.append(self.queue[i])
        return items

    def _written(self, items: list[Item], count: int) -> None:
        items[0].descriptors = ()
        for item in items:
            while item.parts:
                size = len(item.parts[0])
                if size > count:
                    item.parts[0] = memoryview(item.parts[0])[count:]
                    return
                count -= size
                item.parts.pop(0)
            self.queue.popleft()
