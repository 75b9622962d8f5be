"""Coordinator: threads that work together, and end together when one of them asks for it.

Threads that fill queues are made in queue_runner.py; how a deadlock is found is in
core/deadlock.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from threading import Event, Thread, current_thread
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeAlias

from tensorlite.core.deadlock import PERIOD, Parties, Stand, Want, Watch, standing
from tensorlite.core.errors import (
    CancelledError,
    DeadlineExceededError,
    DTypeError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.core.provenance import user_line
from tensorlite.core.waiting import ended

__all__ = ["Coordinator"]

Raised: TypeAlias = (
    BaseException
    | tuple[type[BaseException], BaseException, TracebackType]
    | tuple[None, None, None]
    | None
)
Kinds: TypeAlias = Sequence[type[BaseException]]
_MOMENT = 0.02
"""Seconds between two looks at whether threads have ended, which nothing else tells of."""


class ThreadsStillRunningError(DeadlineExceededError, RuntimeError):
    """Threads that were asked to stop, and had not ended when a coordinator's patience had."""


class Coordinator:
    """Says to threads when to stop, waits for them to end, and raises the first error of any.

    As a context it stops and joins its threads when the block ends. `clean_stop_exception_types`
    are those that stop it without being an error.

    While its threads live it looks for a deadlock: with `deadlocks="all threads"` there is one
    when no thread of the process can go on, each waiting for a queue, a lock of this library or
    a coordinator; with "own threads" when none of those registered here, and the thread that
    made this, can, which is right if no other thread touches what those wait for; with None it
    does not look. A DeadlockError then says who waits for what, to the thread that made this if
    it waits too, else to one of the others. What no thread stands for cannot be seen: a signal's
    handler, or foreign code that calls back; give None if those fill or drain a queue.

    Source: `tf.compat.v1.train.Coordinator`.

    >>> q = tl.queue.FIFOQueue(2, tl.int32)
    >>> with tl.queue.Coordinator() as coord:
    ...     threads = tl.queue.QueueRunner(q, [lambda: q.enqueue(1)]).create_threads(
    ...         coord=coord, start=True
    ...     )
    ...     print(q.dequeue())
    1
    >>> threads[0].is_alive()
    False
    """

    def __init__(
        self,
        clean_stop_exception_types: Kinds = (OutOfRangeError,),
        deadlocks: Parties | None = "all threads",
    ) -> None:
        if deadlocks not in ("all threads", "own threads", None):
            raise InvalidArgumentError(
                f"deadlocks={deadlocks!r}; allowed are 'all threads', 'own threads' and None"
            )
        self._clean = _kinds(clean_stop_exception_types)
        self._lock = threading.RLock()
        self._stop = Event()
        self._error: BaseException | None = None
        self._threads: list[Thread] = []
        self._at_stop: list[Callable[[BaseException | None], object]] = []
        self._watch = None if deadlocks is None else Watch(deadlocks)
        self.joined = False
        """Whether `join` has returned or raised since the last `clear_stop`."""

    def should_stop(self) -> bool:
        """Return whether threads should end.

        >>> tl.queue.Coordinator().should_stop()
        False
        """
        return self._stop.is_set()

    def request_stop(self, ex: Raised = None) -> None:
        """Ask all threads to end; the first `ex` given is raised by `join`.

        It is an exception, or what `sys.exc_info()` returns. After the first request others change
        nothing: what goes wrong while threads end mostly comes of their ending. If `join` has
        ended without one, and nobody calls it again, `ex` is raised here.
        """
        if isinstance(ex, tuple):
            ex = ex[1]
        if ex is not None and not isinstance(ex, BaseException):
            raise DTypeError(f"request_stop: ex={ex!r}; give an exception, or None")
        with self._lock:
            if self._stop.is_set():
                return
            if self.joined and ex is not None and not self._is_clean(ex):
                raise ex
            if ex is not None and not self._is_clean(ex):
                self._error = ex
            self._stop.set()
            hooks = list(self._at_stop)
        for hook in hooks:
            hook(self._error)

    def clear_stop(self) -> None:
        """Take a request to stop back, with its error, and be ready for other threads."""
        with self._lock:
            self._error = None
            self.joined = False
            self._at_stop.clear()
            self._stop.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Return whether a stop is requested, waiting for that up to `timeout` seconds."""
        if timeout is not None:
            return self._stop.wait(_seconds("wait_for_stop: timeout", timeout))
        stand = Stand(
            lambda: [Want("a request to stop")],
            self._stop.is_set,
            self.request_stop,
            user_line(),
        )
        with standing(stand) as look:
            while not self._stop.wait(PERIOD):
                if look is not None:
                    look()
        return True

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask all threads to end when the block raises; `join` raises it then, the block does not.

        >>> coord = tl.queue.Coordinator()
        >>> with coord.stop_on_exception():
        ...     raise OSError("no such file")
        >>> coord.should_stop()
        True
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001  join raises it
            self.request_stop(error)

    def register_thread(self, thread: Thread) -> None:
        """Count a thread among those that `join` waits for."""
        _check_thread("register_thread", thread)
        with self._lock:
            if thread not in self._threads:
                self._threads.append(thread)
        if self._watch is not None:
            self._watch.add(thread)

    def at_stop(self, hook: Callable[[BaseException | None], object]) -> None:
        """Call `hook` with the error, or None, when a stop is requested; at once if it is."""
        with self._lock:
            stopped = self._stop.is_set()
            if not stopped:
                self._at_stop.append(hook)
        if stopped:
            hook(self._error)

    def join(
        self,
        threads: Sequence[Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until the registered threads, and `threads`, have ended; raise the first error.

        They end by themselves, or when a stop is requested within `stop_grace_period_secs`: then
        DeadlineExceededError names those that live, unless they are to be ignored. Errors are
        raised with the traceback of where they arose; DeadlockError when nobody can go on.
        """
        grace = _seconds("join: stop_grace_period_secs", stop_grace_period_secs)
        given = () if threads is None else threads
        if isinstance(given, Thread) or not isinstance(given, Iterable):
            raise DTypeError(f"join: threads={threads!r}; give a list of threads")
        for thread in given:
            _check_thread("join", thread)
        here = current_thread()
        waited = [x for x in dict.fromkeys([*self._threads, *given]) if x is not here]
        self._wait(waited, None, self._stop, self.request_stop)
        until = monotonic() + grace
        self._wait(waited, until, threading.Event(), self._release)
        alive = [thread.name for thread in waited if thread.is_alive()]
        with self._lock:
            self.joined = True
            self._threads = []
            error = self._error
        if error is not None:
            raise error
        if alive and not ignore_live_threads:
            raise ThreadsStillRunningError(
                f"Coordinator stopped with threads still running: {', '.join(alive)}, "
                f"{stop_grace_period_secs} s after they were asked to stop. They must look at "
                "coord.should_stop(), and wait for nothing but queues that are closed when it stops"
            )

    def raise_requested_exception(self) -> None:
        """Raise the error that a stop was requested with, if there is one."""
        if self._error is not None:
            raise self._error

    def __enter__(self) -> Self:
        """Return this coordinator."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> bool:
        """Stop and join all threads; what stops cleanly is swallowed, the first error raised."""
        self.request_stop(error)
        self.join()
        return error is not None and isinstance(error, (*self._clean, CancelledError))

    def _is_clean(self, ex: BaseException) -> bool:
        """Return whether a thread that ends with `ex` has just come to the end of its work."""
        because = reason(ex)
        return isinstance(ex, self._clean) and (
            because is None or isinstance(because, self._clean)
        )

    def _release(self, deadlock: BaseException) -> None:
        """Give up the waits of threads that were asked to stop and wait for each other."""
        if self._watch is not None:
            self._watch.release(ended(CancelledError("asked to stop"), deadlock))

    def _wait(
        self,
        threads: Sequence[Thread],
        until: float | None,
        end: Event,
        told: Callable[[BaseException], None],
    ) -> None:
        """Wait until all threads have ended, `end` is set, or it is `until`."""

        def alive() -> list[str]:
            return [thread.name for thread in threads if thread.is_alive()]

        stand = Stand(
            lambda: [Want("the end of " + " and ".join(alive()))],
            lambda: end.is_set() or not alive(),
            told,
            user_line(),
        )
        with standing(stand) as look:
            while alive() and not end.wait(_MOMENT):
                if until is not None and monotonic() > until:
                    return
                if look is not None:
                    look()


def _kinds(given: Any) -> tuple[type[BaseException], ...]:
    kinds = tuple(given) if isinstance(given, Iterable) else (given,)
    if all(isinstance(x, type) and issubclass(x, BaseException) for x in kinds):
        return kinds
    raise DTypeError(
        f"clean_stop_exception_types={given!r}; give classes of exceptions"
    )


def _seconds(name: str, given: Any) -> float:
    if isinstance(given, Real) and not isinstance(given, bool):
        seconds = float(given)
        if seconds >= 0:
            return seconds
    raise InvalidArgumentError(f"{name}={given!r}; allowed are seconds, 0 and more")


def _check_thread(name: str, given: object) -> None:
    if not isinstance(given, Thread):
        raise DTypeError(f"{name}: {given!r} is no thread; give a threading.Thread")


def reason(end: BaseException) -> BaseException | None:
    """Return the error because of which there is no more of something; None: it is exhausted.

    A queue that was closed for an error says so as the cause of its OutOfRangeError.
    """
    cause = end.__cause__
    return None if isinstance(cause, StopIteration) else cause
