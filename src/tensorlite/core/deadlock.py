"""Deadlock: threads that stand still, and the judgement that none of them can ever go on.

A thread says what it waits for with `standing`. It is judged only where a `Watch` asks for it,
which a `tl.queue.Coordinator` does, and only when every thread that may act stands: no thread
that runs, sleeps or waits for something else can be left out, since it may yet act. What waits
and how is in waiting.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Thread, current_thread
from typing import Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from tensorlite.core.errors import DeadlockError
from tensorlite.core.provenance import Line

Parties: TypeAlias = Literal["all threads", "own threads"]
PERIOD = 0.1
"""Seconds between two looks of a thread that stands while somebody watches."""


class Want(NamedTuple):
    """What is waited for, as the message of a deadlock says it."""

    what: str
    """Such as "an element of FIFOQueue 'a' (0 of 10)"."""
    helps: str = ""
    """What another thread would do about it: "fills", "drains", "holds"."""
    helpers: Collection[int] = ()
    """Identifiers of the threads that have done so before, as far as known."""
    source: str = ""
    """The task of a cluster that is to send it, if one is."""


class Stand(NamedTuple):
    """A thread that cannot go on by itself."""

    wants: Callable[[], Sequence[Want]]
    """Return what would let it go on: any one of these."""
    over: Callable[[], bool]
    """Return whether it may go on already, though it has not noticed yet."""
    fail: Callable[[BaseException], None]
    """Let it go on with an error."""
    line: Line | None = None
    """Where the user's program waits."""


class Leave:
    """Leave to wait, which whoever gives it takes back: waits then end with an error."""

    def __init__(self) -> None:
        self.error: Callable[[], BaseException] | None = None
        self.stands: list[Stand] = []

    def take_back(self, error: Callable[[], BaseException]) -> None:
        """End all waits that go on, and those that begin from now on, each with an error."""
        with _lock:
            self.error = error
            stands = list(self.stands)
        for stand in stands:
            stand.fail(error())


leave: ContextVar[Leave | None] = ContextVar("leave", default=None)
"""What lets a thread wait; None: it waits for as long as it likes."""

_lock = Lock()
_stands: dict[Thread, Stand] = {}
_watches: WeakSet[Watch] = WeakSet()
_attendants: WeakKeyDictionary[Thread, Callable[[], bool]] = WeakKeyDictionary()


@contextmanager
def standing(stand: Stand) -> Iterator[Callable[[], None] | None]:
    """Say that this thread stands still inside the block.

    Yields what to call every `PERIOD` seconds, which looks for a deadlock; None: nobody watches.
    """
    thread, given = current_thread(), leave.get()
    before = _stands.get(thread)  # of a wait that a signal's handler interrupted
    try:
        with _lock:
            _stands[thread] = stand
            if given is not None:
                given.stands.append(stand)
        if given is not None and given.error is not None:
            stand.fail(given.error())
        yield _look if _watches else None
    finally:
        with _lock:
            if given is not None:
                given.stands.remove(stand)
            if before is None:
                _stands.pop(thread, None)
            else:
                _stands[thread] = before


def attends(thread: Thread, busy: Callable[[], bool]) -> None:
    """Say that a thread acts only when it is asked to, and how to tell whether it has been.

    `busy` must hold from before whoever asks goes on until what was asked for is done.
    """
    with _lock:
        _attendants[thread] = busy


def _may_act(thread: Thread) -> bool:
    """Return whether a thread may do something by itself."""
    busy = _attendants.get(thread)
    return thread.is_alive() and (busy is None or busy())


def may_help(thread: Thread) -> bool:
    """Return whether a thread may let another go on: it neither stands nor waits to be asked."""
    with _lock:
        stand = _stands.get(thread)
        return _may_act(thread) and (stand is None or stand.over())


class Watch:
    """Threads that are watched for a deadlock: the one that makes this, and those added.

    With "all threads" it is judged when every thread of the process stands; with "own threads"
    when those of this watch do, since the user promises that no other touches what they use.
    """

    def __init__(self, parties: Parties) -> None:
        self.parties = parties
        self.owner = current_thread()
        self._threads: WeakSet[Thread] = WeakSet()
        with _lock:
            _watches.add(self)

    def add(self, thread: Thread) -> None:
        """Watch `thread` too."""
        with _lock:
            self._threads.add(thread)

    def verdict(self) -> tuple[Stand, DeadlockError] | None:
        """Return whom to tell of a deadlock, and the error; None when there is none.

        Nobody can begin or end a stand meanwhile: whoever lets another thread go on does it
        before it stands itself, so that one that is seen to stand, and not to be over, stands.
        """
        own = {thread for thread in self._threads if thread.is_alive()}
        if not own:
            return None
        alive = threading.enumerate()
        acting = alive if self.parties == "all threads" else [*own, self.owner]
        for thread in filter(_may_act, acting):
            stand = _stands.get(thread)
            if stand is None or stand.over():
                return None
        here = [x for x in alive if x in _stands and x in {*acting}]
        told = self.owner if self.owner in here else _first(here, own)
        error = DeadlockError(_graph(here, alive))
        error.__notes__ = []  # where the thread stands that looks is of no interest
        return _stands[told], error

    def release(self, error: BaseException) -> None:
        """Let every thread that was added and stands go on with `error`."""
        with _lock:
            stands = [_stands[x] for x in self._threads if x in _stands]
        for stand in stands:
            stand.fail(error)


def _first(here: Sequence[Thread], own: Collection[Thread]) -> Thread:
    """Return the thread to tell when the owner has ended: one from outside, if there is any."""
    outside = [thread for thread in here if thread not in own]
    return (outside or list(here))[0]


def _look() -> None:
    """Look for a deadlock, and tell one thread of it."""
    with _lock:
        found = [watch.verdict() for watch in tuple(_watches)]
    for verdict in found:
        if verdict is not None:
            stand, error = verdict
            stand.fail(error)


def _graph(here: Sequence[Thread], alive: Sequence[Thread]) -> str:
    """Return who waits for what, and who could bring it."""
    names = {thread.ident: thread.name for thread in alive}
    lines = [
        f"{thread.name} waits for "
        + _said(
            _stands[thread], {k: v for k, v in names.items() if k != thread.ident}
        )
        for thread in here
    ]
    return (
        "deadlock, every thread waits for another:\n  "
        + ";\n  ".join(lines)
        + ".\nMake a queue larger, take from it more often, or close it when nothing more comes"
    )


def _said(stand: Stand, names: dict[int | None, str]) -> str:
    """Return what a thread waits for, where in the program, and which others could bring it."""
    said = []
    for want in stand.wants():
        known = sorted(names[ident] for ident in want.helpers if ident in names)
        who = " or ".join(known) or "no other thread that lives"
        said.append(want.what + (f", which {who} {want.helps}" if want.helps else ""))
    where = f" [{stand.line}]" if stand.line is not None else ""
    return " or ".join(said) + where
