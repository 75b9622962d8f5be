"""Arrivals: what came from other tasks, and who waits for it. How it came is links.py's.

Whoever comes first leaves word, as in runtime/rendezvous.py; the second finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Lock
from typing import NamedTuple, Protocol, TypeAlias

from tensorlite.core.errors import (
    InvalidArgumentError,
    ProtocolError,
    TensorliteError,
    UnavailableError,
)
from tensorlite.core.waiting import Cancel, ended
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.messages import DEAD, Message
from tensorlite.runtime.rendezvous import Key

_made = tuple.__new__
REMEMBERED = 4096
"""Steps that are over of which late values are known to be late."""


class Arrival(NamedTuple):
    """A value, or that it is dead."""

    value: Array | None
    dead: bool


Done: TypeAlias = Callable[[Arrival | TensorliteError], object]
"""Takes what came, or why nothing will; it may not wait."""


class Source(Protocol):
    """A link, as far as it matters here."""

    peer: str

    def claimed(self, message: Message) -> None:
        """Note that a message has been taken by whom it is for."""


class _Offer(NamedTuple):
    source: Source
    message: Message
    arrival: Arrival


_Word: TypeAlias = _Offer | Done
_Words: TypeAlias = dict[tuple[str, Key], _Word]


class Arrivals:
    """What came and is not taken yet, and what is waited for, by step, task and key."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: dict[int, _Words] = {}
        self._over: dict[int, None] = {}
        self._lost: dict[str, str] = {}
        self._current: dict[str, Source] = {}

    def receive(self, task: str, step: int, key: Key, done: Done) -> Cancel | None:
        """Call `done` with what `task` sends: from this call, or later from who receives.

        Returns what gives this up, or None when `done` has been called.
        """
        where = task, key
        with self._lock:
            words = self._steps.setdefault(step, {})
            found = words.setdefault(where, done)
            lost = self._lost.get(task)
            if found is done and lost is None:
                return partial(self._cancel, step, where, done)
            if found is done or isinstance(found, _Offer):
                self._drop(step, where)
        if isinstance(found, _Offer):
            found.source.claimed(found.message)
            done(found.arrival)
        elif lost is not None:
            done(ended(UnavailableError(lost)))
        else:
            raise InvalidArgumentError(
                f"{key[0]} of step {step} from {task} is waited for already"
            )
        return None

    def arrive(self, source: Source, message: Message, value: Array | None) -> None:
        """Hand over what came, or keep it until it is asked for; drop what comes too late."""
        _, _, step, key, _, _, _, flags, _ = message
        arrival = _made(Arrival, (value, flags & DEAD != 0))
        peer = source.peer
        where = peer, key
        done: Done | None = None
        with self._lock:
            if step not in self._over and self._current.get(peer) is source:
                words = self._steps.setdefault(step, {})
                found = words.pop(where, None)
                if found is None:
                    words[where] = _Offer(source, message, arrival)
                    return
                if isinstance(found, _Offer):
                    words[where] = found
                    raise ProtocolError(f"{key[0]} came twice")
                if not words:
                    del self._steps[step]
                done = found
        source.claimed(message)
        if done is not None:
            done(arrival)

    def begin(self, source: Source) -> Callable[[], None]:
        """Take what comes by a link, and from no earlier one of the same task.

        Returns what tells who waits for that one; call it when no lock is held.
        """
        return self._renew(source.peer, source)

    def renew(self, task: str) -> Callable[[], None]:
        """Drop what came from a task that has been started anew; returns the same."""
        return self._renew(task, None)

    def end(self, source: Source, reason: str) -> None:
        """Tell all who wait for a task, now and later, that its link is over."""
        with self._lock:
            if self._current.get(source.peer) is not source:
                return
            del self._current[source.peer]
            told = self._lose(source.peer, reason)
        _tell(told, reason)

    def lose(self, task: str, reason: str) -> None:
        """Tell all who wait for a task, now and later, that it is gone, unless it is linked."""
        with self._lock:
            told = [] if task in self._current else self._lose(task, reason)
        _tell(told, reason)

    def forget(self, step: int) -> None:
        """Drop what came and what is waited for in a step, now and later."""
        with self._lock:
            self._over[step] = None
            if len(self._over) > REMEMBERED:
                del self._over[next(iter(self._over))]
            words = self._steps.pop(step, {})
        _claim(words.values())

    def clear(self) -> None:
        """Drop all that came and was not taken."""
        with self._lock:
            words = [word for step in self._steps.values() for word in step.values()]
            self._steps.clear()
        _claim(words)

    def waiting(self, step: int) -> Iterator[tuple[str, Key]]:
        """Yield the task and key of each value of a step that is waited for."""
        with self._lock:
            words = list(self._steps.get(step, {}).items())
        for where, word in words:
            if not isinstance(word, _Offer):
                yield where

    def steps(self) -> list[int]:
        """Return the steps of which something came or is waited for."""
        with self._lock:
            return sorted(self._steps)

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._steps.values()))

    def _cancel(self, step: int, where: tuple[str, Key], done: Done) -> None:
        with self._lock:
            if self._steps.get(step, {}).get(where) is done:
                self._drop(step, where)

    def _drop(self, step: int, where: tuple[str, Key]) -> None:
        words = self._steps[step]
        del words[where]
        if not words:
            del self._steps[step]

    def _renew(self, task: str, source: Source | None) -> Callable[[], None]:
        reason = f"task {task} has been linked or started anew"
        with self._lock:
            told = self._lose(task, reason) if task in self._current else []
            self._current.pop(task, None)
            if source is not None:
                self._current[task] = source
            self._lost.pop(task, None)
            dropped = self._remove(task, waiting=False)
        _claim(dropped)
        return partial(_tell, told, reason)

    def _lose(self, task: str, reason: str) -> list[_Word]:
        self._lost[task] = reason
        return self._remove(task, waiting=True)

    def _remove(self, task: str, waiting: bool) -> list[_Word]:
        """Remove and return the words about a task, of those who wait or of what came."""
        found = [
            (step, where, word)
            for step, words in self._steps.items()
            for where, word in words.items()
            if where[0] == task and isinstance(word, _Offer) is not waiting
        ]
        for step, where, _ in found:
            self._drop(step, where)
        return [word for *_, word in found]


def _claim(words: Iterable[_Word]) -> None:
    """Let go of what came and is not wanted."""
    for word in words:
        if isinstance(word, _Offer):
            word.source.claimed(word.message)


def _tell(words: Iterable[_Word], reason: str) -> None:
    """Tell who waits why nothing will come."""
    for word in words:
        if not isinstance(word, _Offer):
            word(ended(UnavailableError(reason)))
