"""Threads of a task: those that wait for something, and those that work for it.

Which of them receives is reception.py's. None of these is joined: a thread that works may be long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import TypeAlias

Work: TypeAlias = Callable[[], object]

MOST = 64
"""Threads that work at once; what comes beyond waits for one of them."""


class Waiters:
    """Threads that wait until something is true."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._gates: tuple[threading.Lock, ...] = ()
        """One for each that waits: it passes when another thread opens it."""

    def __bool__(self) -> bool:
        return bool(self._gates)

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Hold up this thread until `until()` is true; return whether it was in time.

        Whoever makes it true calls `wake` after that.
        """
        if until():
            return True
        end = None if timeout is None else monotonic() + timeout
        gate = Lock()
        gate.acquire()
        with self._lock:
            self._gates = (*self._gates, gate)
        try:
            while not until():
                left = -1.0 if end is None else end - monotonic()
                if end is not None and left <= 0:
                    return False
                gate.acquire(timeout=left)
            return True
        finally:
            with self._lock:
                self._gates = tuple(each for each in self._gates if each is not gate)

    def wake(self) -> None:
        """Let those who wait look again."""
        for gate in self._gates:
            if gate.locked():
                try:
                    gate.release()
                except RuntimeError:  # another thread was faster
                    continue


class Workers:
    """Threads that do what may take long. There are as many as there is work at once."""

    def __init__(self, name: str, most: int = MOST) -> None:
        self._name = name
        self._most = most
        self._lock = Lock()
        self._work: SimpleQueue[Work | None] = SimpleQueue()
        self._count = 0
        self._spare = 0
        """Threads that have nothing to do, less the work that waits for one."""
        self._closed = False

    def do(self, work: Work) -> None:
        """Have a thread do some work; what it raises goes to `threading.excepthook`."""
        with self._lock:
            self._spare -= 1
            fresh = self._closed or (self._spare < 0 and self._count < self._most)
            if fresh:
                self._count += 1
                self._spare += 1
            self._work.put(work)
            if self._closed:
                self._work.put(None)
        if fresh:
            name = f"{self._name}-{self._count}"
            Thread(target=self._run, name=name, daemon=True).start()

    def close(self) -> None:
        """Let each thread end when it has nothing to do; work that comes later is done too."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in range(self._count):
                    self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001  the thread is for others too
                report(error)
            del work
            with self._lock:
                self._spare += 1


def report(error: BaseException) -> None:
    """Tell of an error that ended nothing but what a thread was doing."""
    thread = threading.current_thread()
    threading.excepthook(
        threading.ExceptHookArgs((type(error), error, error.__traceback__, thread))
    )
