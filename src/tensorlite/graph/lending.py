"""LendingLock: a lock that its holder lends while it runs code of a program.

Such code may wait for a thread that needs the lock, and would do so for ever. Whoever waits for a
lock that is lent takes it after a while, and its holder goes on when it has been given back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock, local
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 0.5
"""Seconds for which a lent lock is waited for, so that threads mostly build one after another."""


class _Borrowed(local):
    """How often a thread has taken the lock that another one lends."""

    depth = 0


class LendingLock:
    """A reentrant lock.

    >>> lock = LendingLock()
    >>> with lock, lock.lent():
    ...     pass  # where another thread may take it
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._guests = RLock()
        """Held by who uses a lock that is lent, its holder among them."""
        self._depth = 0
        """How often its holder has taken it."""
        self._lending = 0
        """How many blocks its holder is in that lend it."""
        self._used = 0
        """How often its holder has taken it in the innermost of these."""
        self._borrowed = _Borrowed()

    def __enter__(self) -> None:
        while not self._lock.acquire(blocking=False):
            if self._borrowed.depth or self._lock.acquire(timeout=PATIENCE):
                break
            if self._borrows():
                return
        if self._borrowed.depth:
            self._borrowed.depth += 1
            return
        self._depth += 1
        if self._lending:
            self._guests.acquire()
            self._used += 1

    def _borrows(self) -> bool:
        """Return whether the lock is lent, and taken now."""
        if not self._lending:
            return False
        self._guests.acquire()
        if self._lending:
            self._borrowed.depth = 1
            return True
        self._guests.release()
        return False

    def __exit__(self, *error: object) -> None:
        if self._borrowed.depth:
            self._borrowed.depth -= 1
            if not self._borrowed.depth:
                self._guests.release()
            return
        if self._lending:
            self._used -= 1
            self._guests.release()
        self._depth -= 1
        self._lock.release()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let others take the lock while the block runs, which this thread holds."""
        if self._borrowed.depth or not self._is_held():
            yield
            return
        used, self._used = self._used, 0
        for _ in range(used):
            self._guests.release()
        self._lending += 1
        try:
            yield
        finally:
            self._guests.acquire()  # when nobody else uses it
            self._lending -= 1
            self._used = used
            for _ in range(used):
                self._guests.acquire()
            self._guests.release()

    def lent_for(
        self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what a function of a program returns, for which the lock is lent."""
        with self.lent():
            return function(*args, **kwargs)

    def _is_held(self) -> bool:
        """Return whether this thread holds the lock."""
        if not self._lock.acquire(blocking=False):
            return False
        held = self._depth > 0
        self._lock.release()
        return held
