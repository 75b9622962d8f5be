"""Threads for tests: what they return or raise, and waiting until they have come somewhere."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep
from typing import Any, Self

LONG = 30.0
"""Seconds after which a test gives up, which is never while all is well."""


class Background:
    """A call on a thread of its own; as a context it is over when the block ends."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self._outcome: list[Any] = []
        self._error: BaseException | None = None

        def run() -> None:
            try:
                self._outcome.append(function(*args))
            except BaseException as error:  # noqa: BLE001  `result` raises it
                self._error = error

        self.thread = Thread(target=run, daemon=True)
        self.thread.start()

    def result(self) -> Any:
        """Return what the call returned, or raise what it raised."""
        self.thread.join(LONG)
        assert not self.thread.is_alive(), "the thread still runs"
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.thread.join(LONG)
            assert not self.thread.is_alive(), "the thread still runs"


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds that another thread brings about."""
    end = monotonic() + LONG
    while not condition():
        assert monotonic() < end, "the condition never held"
        sleep(0.001)
