"""Threads that work for datasets: elements made ahead, and functions called side by side.

Whoever reads gets the elements in their order. A thread ends when the iterator it works for does:
it holds only what it shares with its reader, never the reader.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from os import cpu_count
from threading import Condition, Thread
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.deadlock import attends

AUTOTUNE = -1
"""As many as this machine is good for."""
END = object()


def threads_for(asked: int) -> int:
    """Return how many threads are to work where `asked` are asked for."""
    whole(asked, "num_parallel_calls")
    return min(cpu_count() or 1, 16) if asked < 1 else asked


class _Shared:
    """What a thread that makes elements ahead shares with who reads them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.ready: deque[tuple[Any, BaseException | None]] = deque()
        self.changed = Condition()
        self.stopped = False
        self._has_room = True

    def is_busy(self) -> bool:
        """Return whether the thread does something: it does not while there is no room."""
        return self._has_room

    def put(self, item: Any, error: BaseException | None = None) -> bool:
        """Add an element when there is room; return whether the thread is to go on."""
        with self.changed:
            self._has_room = self.stopped or len(self.ready) < self.most
            self.changed.wait_for(lambda: self.stopped or len(self.ready) < self.most)
            self.ready.append((item, error))
            self.changed.notify_all()
            return not self.stopped

    def take(self) -> Any:
        """Return the next element when it is there, END at the end; raise what went wrong."""
        with self.changed:
            self.changed.wait_for(lambda: bool(self.ready))
            item, error = self.ready.popleft()
            self._has_room = True
            self.changed.notify_all()
        if error is not None:
            raise error
        return item

    def stop(self) -> None:
        """Let the thread end."""
        with self.changed:
            self.stopped = self._has_room = True
            self.changed.notify_all()


def _work(shared: _Shared, begin: Callable[[], Iterator[Any]]) -> None:
    try:
        items = begin()
        for item in items:
            if not shared.put(item):
                break
        close: Callable[[], None] | None = getattr(items, "close", None)
        if close is not None:
            close()
    except BaseException as error:  # noqa: BLE001  raised where the elements are read
        shared.put(END, error)
    else:
        shared.put(END)


def ahead(begin: Callable[[], Iterator[Any]], most: int) -> Iterator[Any]:
    """Yield the elements of a source, up to `most` of which a thread makes before they are read."""
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
        while (item := shared.take()) is not END:
            yield item
    finally:
        shared.stop()


def in_parallel(
    fn: Callable[[Any], Any], items: Iterator[Any], asked: int, ordered: bool
) -> Iterator[Any]:
    """Yield `fn` of each item, called by several threads; in the items' order if that is asked."""
    count = threads_for(asked)
    pool = ThreadPoolExecutor(count, "tensorlite-map")
    going: deque[Future[Any]] = deque()
    try:
        for item in items:
            going.append(pool.submit(copy_context().run, fn, item))
            if len(going) >= 2 * count:
                yield _next_of(going, ordered)
        while going:
            yield _next_of(going, ordered)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _next_of(going: deque[Future[Any]], ordered: bool) -> Any:
    """Return the first result of those under way, or whichever is there first."""
    if ordered:
        return going.popleft().result()
    done, _ = wait(going, return_when=FIRST_COMPLETED)
    first = next(one for one in going if one in done)
    going.remove(first)
    return first.result()
