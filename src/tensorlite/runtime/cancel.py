"""Cancel: threads that are asked to stop what they run for a step that has failed.

The dataflow machine asks its step whether that has failed. A loop that runs as a Python loop knows
no step: it looks here, once in every turn. Kernels are not interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import get_ident

from tensorlite.core.errors import CancelledError

asked: set[tuple[int, object]] = set()
"""Threads, each with the step that wants it to stop; empty but for moments, so quick to pass by."""


def ask(step: object, threads: Iterable[int]) -> None:
    """Ask threads to stop what they run for a step."""
    asked.update([(thread, step) for thread in threads])


def back(step: object) -> None:
    """Note that this thread runs nothing for a step any more."""
    asked.discard((get_ident(), step))


def heed() -> None:
    """Raise CancelledError if this thread was asked to stop; call it when `asked` is not empty."""
    me = get_ident()
    if any(thread == me for thread, _ in tuple(asked)):
        raise CancelledError("another part of this step has failed")
