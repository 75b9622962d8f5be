"""Cancel: threads that are asked to stop what they run for a step that has failed.

The dataflow machine asks its step whether that has failed. A loop that runs as a Python loop knows
no step: it looks here, once in every turn. A thread that rests in a step within the step is woken.
Kernels are not interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import get_ident

from tensorlite.core.errors import CancelledError

asked: set[tuple[int, object]] = set()
"""Threads, each with the step that wants it to stop; empty but for moments, so quick to pass by."""
_resting: dict[int, Callable[[BaseException], None]] = {}
"""Threads that rest, each with what ends that with an error."""


def stopped() -> CancelledError:
    """Return the error of what stops because its step has failed."""
    return CancelledError("another part of this step has failed")


def ask(step: object, threads: Iterable[int]) -> None:
    """Ask threads to stop what they run for a step."""
    for thread in threads:
        asked.add((thread, step))
        fail = _resting.get(thread)
        if fail is not None:
            fail(stopped())


def back(step: object) -> None:
    """Note that this thread runs nothing for a step any more."""
    asked.discard((get_ident(), step))


def heed() -> None:
    """Raise CancelledError if this thread was asked to stop; call it when `asked` is not empty."""
    me = get_ident()
    if any(thread == me for thread, _ in tuple(asked)):
        raise stopped()


@contextmanager
def resting(fail: Callable[[BaseException], None]) -> Iterator[None]:
    """Say that this thread rests inside the block, and that `fail` ends this with an error.

    Raises CancelledError at once if the thread was asked to stop already.
    """
    me = get_ident()
    before = _resting.get(me)  # of a rest that a signal's handler interrupted
    _resting[me] = fail
    try:
        if asked:
            heed()
        yield
    finally:
        if before is None:
            del _resting[me]
        else:
            _resting[me] = before
