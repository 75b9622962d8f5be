"""Reception: one thread of a task receives for all its links, the one that waits if any does.

So what a thread waits for needs not be handed to it by another. While none waits, a thread of the
reception's own receives. Who receives looks again and again for a moment, if what came last came
soon: to be woken takes a system longer than a small message travels. In a process whose threads
wait, and do other things between, that thread does not: it would hold them up. For links see
links.py.
"""

from __future__ import annotations

# What `signal` wraps in enumerations, which takes thirty times as long.
import _signal  # type: ignore[import-not-found]
import os
import select
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from signal import SIGINT
from threading import Lock, Thread, current_thread, get_ident, main_thread
from time import monotonic
from typing import Any, Protocol

from tensorlite.distributed.transport.threads import Waiters, report

SPIN = 0.0005
"""Seconds for which is looked again and again."""
SOON = 0.01
"""Seconds within which something must have come last for that."""
CROWDED = 0.001
"""Seconds that who looks is kept from it, when others have much to do on the same core; a task that
takes its turn keeps it for less."""
CALM = 0.01
"""Seconds for which it is left to them then."""
GUESSES = 16
"""How often in turn is looked where something came twice, before it is asked where there is
something: to ask takes as long as to read."""
LINGER = 0.005
"""Seconds after a wait for which another is expected, and nobody receives."""
READ, WRITE = select.EPOLLIN, select.EPOLLOUT


class Source(Protocol):
    """A link, as far as it matters here."""

    def fileno(self) -> int:
        """Return the descriptor that tells when there is something."""

    def attend(self) -> bool:
        """Take in what there is, and write what waits; return whether there can be more."""

    def is_stuck(self) -> bool:
        """Return whether something waits until it can be written."""

    def finish(self) -> None:
        """Let go of everything."""


class Reception:
    """Receives for the links of one task."""

    def __init__(self, name: str) -> None:
        self._ready = select.epoll()
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._ready.register(self._woken, READ)
        self._sources: dict[int, Source] = {}
        self._lock = Lock()
        self._turn = Lock()
        """Held by the thread that receives."""
        self._receiver = 0
        self._main = main_thread().ident
        self._waiters = Waiters()
        self._context = Context()
        """What whoever receives works in; what the thread does else is none of its business."""
        self._sleeps = False
        """Whether who receives may not see that something has become true."""
        self._brisk = False
        """Whether what came last came soon."""
        self._guess = -1
        """The link by which something came last."""
        self._guesses = 0
        """How often that may be looked at before the others."""
        self._crowded = 0.0
        """Until when the core is left to others."""
        self._left: float | None = None
        """When a thread that waited received last, if one ever has."""
        self._pause = Lock()
        self._pause.acquire()
        self._closed = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, source: Source) -> None:
        """Receive for a link, from now until it is over."""
        with self._lock:
            closed = self._closed
            if not closed:
                number = source.fileno()
                self._sources[number] = source
                self._ready.register(number, READ | WRITE)
        if closed:
            source.finish()

    def look(self, number: int) -> None:
        """Have a link attended to as soon as it can be written to. Takes no lock."""
        with suppress(OSError, ValueError):  # it is over
            self._ready.modify(number, READ | WRITE)

    def is_here(self) -> bool:
        """Return whether this thread receives, and must go on."""
        return self._receiver == get_ident()

    def attend(self) -> None:
        """Have something received soon, though no thread waits that could."""
        with suppress(RuntimeError):
            self._pause.release()

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Receive until `until()` is true; return whether it was in time.

        Whoever makes it true elsewhere calls `wake` after that.
        """
        end = None if timeout is None else monotonic() + timeout
        while not until():
            left = None if end is None else end - monotonic()
            if left is not None and left <= 0:
                return False
            if not self._closed and self._turn.acquire(blocking=False):
                self._lead(until, end)
            else:
                self._waiters.wait(lambda: until() or self._is_free(), left)
        return True

    def wake(self) -> None:
        """Let those who wait look again."""
        if self._sleeps and not self.is_here():
            self._rouse()
        self._waiters.wake()

    def close(self) -> None:
        """End all; links are to be over by themselves soon."""
        with self._lock:
            self._closed = True
        self._rouse()
        self.attend()
        self._waiters.wake()
        if not self.is_here() and current_thread() is not self._thread:
            self._thread.join()

    def _is_free(self) -> bool:
        """Return whether nobody receives, which a thread that does so for others will see to."""
        if self._closed:
            return False
        if not self._leads():
            self._rouse()
        return not self._turn.locked()

    def _leads(self) -> bool:
        """Return whether it is a thread that waits which receives."""
        return self._receiver != self._thread.ident

    def _rouse(self) -> None:
        """Have who receives look at more than what comes."""
        with suppress(OSError):  # it is awake, or over
            self._waker.send(b"w")

    def _lead(self, until: Callable[[], bool], end: float | None) -> None:
        """Receive on a thread that waits, which has the turn.

        SIGINT is noted meanwhile and does what it does after that: no message is handled by half.
        """
        interrupts: list[Any] = []

        def note(*given: Any) -> None:
            interrupts.append(given)
            self._rouse()

        handler = None
        if get_ident() == self._main:
            handler = _signal.getsignal(SIGINT)
        if callable(handler):
            _signal.signal(SIGINT, note)
        try:
            self._context.run(self._receive, until, end, interrupts)
        finally:
            self._left = monotonic()
            self._turn.release()
            self._waiters.wake()
            if callable(handler):
                _signal.signal(SIGINT, handler)
            if interrupts:
                _signal.raise_signal(SIGINT)

    def _run(self) -> None:
        """Receive while no thread waits that could."""
        while not self._closed:
            led = self._left is not None and monotonic() - self._left < LINGER
            if led or not self._turn.acquire(False):
                self._pause.acquire(timeout=LINGER)
                continue
            try:
                self._receive(lambda: bool(self._waiters))
            except BaseException as error:  # noqa: BLE001  the thread is for others too
                report(error)
            finally:
                self._turn.release()
                self._waiters.wake()
        with self._turn:
            self._finish()

    def _receive(
        self,
        until: Callable[[], bool],
        end: float | None = None,
        interrupts: Sequence[Any] = (),
    ) -> None:
        """Receive until something is so, until there are interrupts, or until the end."""
        self._receiver = get_ident()
        try:
            while not (until() or interrupts or self._closed):
                if self._guessed(until):
                    return
                for number, ready in self._next(until, end):
                    source = self._sources.get(number)
                    if source is not None:
                        again = number == self._guess
                        self._guess, self._guesses = number, GUESSES * again
                        self._attend(number, source, ready)
                    elif number == self._woken.fileno():
                        self._woken.recv(4096)
                if end is not None and monotonic() >= end:
                    return
        finally:
            self._receiver = 0

    def _guessed(self, until: Callable[[], bool]) -> bool:
        """Look where something came last, without asking where there is something now.

        Return whether `until()` is true with that. No link is favoured for long.
        """
        source = self._sources.get(self._guess)
        if source is None or not (self._brisk and self._guesses):
            return False
        self._guesses -= 1
        self._attend(self._guess, source, READ)
        if until():
            return True
        self._guesses = 0
        return False

    def _attend(self, number: int, source: Source, ready: int) -> None:
        goes_on = False
        try:
            goes_on = source.attend()
            if goes_on and ready & WRITE and not source.is_stuck():
                self._ready.modify(number, READ)
                if source.is_stuck():  # meanwhile
                    self._ready.modify(number, READ | WRITE)
        except Exception as error:  # noqa: BLE001  the thread is for others too
            report(error)
        finally:
            if not goes_on:
                self._end(number, source)

    def _end(self, number: int, source: Source) -> None:
        with self._lock:
            del self._sources[number]
            self._ready.unregister(number)
        source.finish()

    def _next(
        self, until: Callable[[], bool], end: float | None
    ) -> list[tuple[int, int]]:
        """Return what is ready; nothing when `until()` is true, or at the end."""
        ready = self._ready
        found = ready.poll(0)
        if not found and self._brisk and (self._leads() or self._left is None):
            found = self._spin(until)
        if found:
            return found
        self._sleeps = True
        try:
            if until():
                return found
            begin = monotonic()
            found = ready.poll(None if end is None else max(0.0, end - begin))
            self._brisk = monotonic() - begin < SOON
        finally:
            self._sleeps = False
        return found

    def _spin(self, until: Callable[[], bool]) -> list[tuple[int, int]]:
        """Look again and again for a moment, unless others need the core; return what is ready."""
        poll, rest = self._ready.poll, os.sched_yield
        found: list[tuple[int, int]] = []
        now = monotonic()
        end = now + SPIN if now > self._crowded else now
        while now < end and not until():
            rest()
            found = poll(0)
            before, now = now, monotonic()
            if now - before > CROWDED:
                self._crowded = now + CALM
            elif not found:
                continue
            break
        return found

    def _finish(self) -> None:
        """Let go of everything."""
        for number, source in tuple(self._sources.items()):
            self._end(number, source)
        with self._lock:
            self._ready.close()
            self._woken.close()
            self._waker.close()
