"""Python's collector of cycles, put off while graphs are made: nothing they hold can be freed yet.

Each object that is made and stays counts toward the next collection, which looks at all that there
is; with large graphs that takes longer than making them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Collections:
    """How many blocks are open in which nothing is collected, and what is to be after the last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._go_on = False

    def stop(self) -> None:
        with self._lock:
            if not self._open:
                self._go_on = gc.isenabled()
                gc.disable()
            self._open += 1

    def go_on(self) -> None:
        with self._lock:
            self._open -= 1
            if not self._open and self._go_on:
                gc.enable()


_COLLECTIONS = _Collections()


@contextmanager
def uncollected() -> Iterator[None]:
    """Put off collections within a block, unless the program has switched them off itself.

    >>> import gc
    >>> from tensorlite.core.collecting import uncollected
    >>> with uncollected():
    ...     print(gc.isenabled())
    False
    >>> print(gc.isenabled())
    True
    """
    _COLLECTIONS.stop()
    try:
        yield
    finally:
        _COLLECTIONS.go_on()
