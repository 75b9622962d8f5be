"""Threads that work for datasets: elements made ahead, and functions called side by side.

Whoever reads gets the elements in their order. A thread ends when the iterator it works for does:
it holds only what it shares with its reader, never the reader.
"""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from os import cpu_count
from threading import Condition, Thread
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.deadlock import attends
from tensorlite.data.resuming import Outcome, outcomes

AUTOTUNE = -1
"""As many as this machine is good for."""


def threads_for(asked: int) -> int:
    """Return how many threads are to work where `asked` are asked for."""
    whole(asked, "num_parallel_calls")
    return min(cpu_count() or 1, 16) if asked < 1 else asked


class _Shared:
    """What a thread that makes elements ahead shares with who reads them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.ready: deque[Outcome | None] = deque()
        self.changed = Condition()
        self.stopped = False
        self._has_room = True

    def is_busy(self) -> bool:
        """Return whether the thread does something: it does not while there is no room."""
        return self._has_room

    def put(self, outcome: Outcome | None) -> bool:
        """Add an element when there is room, or the end; return whether to go on."""
        with self.changed:
            self._has_room = self.stopped or len(self.ready) < self.most
            self.changed.wait_for(lambda: self.stopped or len(self.ready) < self.most)
            self.ready.append(outcome)
            self.changed.notify_all()
            return not self.stopped

    def take(self) -> Outcome | None:
        """Return the next element when it is there; None at the end."""
        with self.changed:
            self.changed.wait_for(lambda: bool(self.ready))
            outcome = self.ready.popleft()
            self._has_room = True
            self.changed.notify_all()
        return outcome

    def stop(self) -> None:
        """Let the thread end."""
        with self.changed:
            self.stopped = self._has_room = True
            self.changed.notify_all()


def _work(shared: _Shared, begin: Callable[[], Iterator[Any]]) -> None:
    try:
        items = begin()
        for outcome in outcomes(items):
            if not shared.put(outcome):
                break
        close: Callable[[], None] | None = getattr(items, "close", None)
        if close is not None:
            close()
    except BaseException as error:  # noqa: BLE001  raised where the elements are read
        shared.put(Outcome(error=error))
    shared.put(None)


def ahead(begin: Callable[[], Iterator[Any]], most: int) -> Iterator[Any]:
    """Return the elements of a source, up to `most` of which a thread makes beforehand."""
    return builtins.map(Outcome.value, _ahead(begin, most))


def _ahead(begin: Callable[[], Iterator[Any]], most: int) -> Iterator[Outcome]:
    shared = _Shared(most)
    context = copy_context()
    thread = Thread(
        target=context.run,
        args=(_work, shared, begin),
        name="tensorlite-prefetch",
        daemon=True,
    )
    attends(thread, shared.is_busy)
    thread.start()
    try:
        while (outcome := shared.take()) is not None:
            yield outcome
    finally:
        shared.stop()


def in_parallel(
    fn: Callable[[Any], Any], items: Iterator[Any], asked: int, ordered: bool
) -> Iterator[Any]:
    """Return `fn` of each item, called by several threads; in the items' order if asked."""
    return builtins.map(Future.result, _futures(fn, items, asked, ordered))


def _futures(
    fn: Callable[[Any], Any], items: Iterator[Any], asked: int, ordered: bool
) -> Iterator[Future[Any]]:
    def called(outcome: Outcome) -> Any:
        return fn(outcome.value())

    count = threads_for(asked)
    pool = ThreadPoolExecutor(count, "tensorlite-map")
    going: deque[Future[Any]] = deque()
    try:
        for outcome in outcomes(items):
            going.append(pool.submit(copy_context().run, called, outcome))
            if len(going) >= 2 * count:
                yield _next_of(going, ordered)
        while going:
            yield _next_of(going, ordered)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _next_of(going: deque[Future[Any]], ordered: bool) -> Future[Any]:
    """Return the first of those under way, or whichever is done first."""
    if ordered:
        return going.popleft()
    done, _ = wait(going, return_when=FIRST_COMPLETED)
    first = next(one for one in going if one in done)
    going.remove(first)
    return first
