"""Events: virtual time, in which a cluster runs in one process, in an order that a seed draws.

What goes wrong is drawn from the same seed, so that it can be seen again. Messages and links are
network.py's, tasks inprocess.py's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from heapq import heappop, heappush
from math import inf
from random import Random
from threading import Condition, Thread, current_thread
from time import monotonic
from typing import NamedTuple, Protocol, TypeAlias
from weakref import WeakSet

from tensorlite.core.deadlock import PERIOD, may_help
from tensorlite.core.errors import (
    DeadlockError,
    InvalidArgumentError,
)

Span: TypeAlias = tuple[float, float]
"""The least and the most seconds that something takes."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong in a simulated cluster, and how long things take there, in its own seconds.

    >>> Faults(kills=0.001, stragglers={"/job:worker/task:1": 10.0}).drops
    0.0
    """

    delay: Span = (0.0001, 0.001)
    """Of a message."""
    work: Span = (0.0001, 0.001)
    """Of what a task does later, since it may take long."""
    reorder: bool = True
    """Whether tensors overtake each other; commands of one link never do."""
    drops: float = 0.0
    """Probability for a message that it is lost, and comes when it was sent again."""
    again: Span = (0.2, 0.4)
    """Until a message that was lost comes."""
    cuts: float = 0.0
    """Probability for a message that it is lost with all that is on its link, which ends."""
    outage: Span = (0.0, 1.0)
    """For which no link between the two can be made."""
    kills: float = 0.0
    """Probability for a task to be killed, each time that it has something to do."""
    notice: Span = (0.01, 2.0)
    """Until it is known that a link or a task is lost."""
    restart: Span = (0.5, 3.0)
    """Until a task that was killed runs again."""
    stragglers: Mapping[str, float] = field(default_factory=dict)
    """By which factor all that comes to a task, and all that it does, takes longer."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, tuple):
                if not 0.0 <= value[0] <= value[1]:
                    raise InvalidArgumentError(
                        f"Faults: {each.name}={value!r}; give the least and the most seconds"
                    )
            elif isinstance(value, float | int) and not 0.0 <= value <= 1.0:
                raise InvalidArgumentError(
                    f"Faults: {each.name}={value!r}; give a probability, from 0.0 to 1.0"
                )
        for task, factor in self.stragglers.items():
            if not factor > 0.0:
                raise InvalidArgumentError(
                    f"Faults: stragglers has {factor!r} for {task}; give a factor, such as 10.0"
                )


class Happening(NamedTuple):
    """What went wrong, and when."""

    time: float
    what: str

    def __str__(self) -> str:
        return f"{self.what} at {self.time:.3f} s"


class Owner(Protocol):
    """Whose event it is: when this is over, it does not happen."""

    task: str
    alive: bool
    mortal: bool
    """Whether it may be killed."""


class _Event(NamedTuple):
    time: float
    number: int
    work: Callable[[], object]
    what: str
    owner: Owner | None


class _Waiter:
    """A thread that waits."""

    def __init__(self, thread: Thread, end: float) -> None:
        self.thread = thread
        self.end = end
        self.looked = 0
        """After how many changes it has looked whether it still has to."""


class Events:
    """What is to happen, and the threads that wait for it: one of them at a time lets it happen.

    With one thread the order is the seed's alone. `stuck` says in words who waits for what.
    """

    def __init__(
        self, seed: int, faults: Faults, stuck: Callable[[], DeadlockError]
    ) -> None:
        self.seed = seed
        self.faults = faults
        self.now = 0.0
        self.random = Random(seed)  # noqa: S311
        self.log: list[Happening] = []
        self.strike: Callable[[Owner], object] | None = None
        """Kills a task."""
        self.listener: Callable[[float, str], object] | None = None
        """Is told of each event."""
        self._stuck = stuck
        self._queue: list[_Event] = []
        self._count = 0
        self._state = Condition()
        self._changes = 0
        self._pumps: Thread | None = None
        """The thread that lets events happen."""
        self._waiting: list[_Waiter] = []
        self._before = WeakSet(threading.enumerate())
        self._seen = WeakSet([current_thread()])
        """Threads that have had something to do with the cluster."""

    def draw(self, span: Span) -> float:
        """Return how long something takes."""
        return self.random.uniform(*span)

    def happens(self, probability: float) -> bool:
        """Return whether something goes wrong."""
        return probability > 0.0 and self.random.random() < probability

    def note(self, what: str) -> None:
        """Remember what went wrong."""
        self.log.append(Happening(self.now, what))

    def when(self) -> str:
        """Return what time it is, so that it can be seen again."""
        return f"{self.now:.3f} s of seed {self.seed}"

    def post(
        self,
        time: float,
        work: Callable[[], object],
        what: str,
        owner: Owner | None = None,
    ) -> None:
        """Let something happen at a time, unless its owner is over by then."""
        with self._state:
            self._count += 1
            heappush(self._queue, _Event(time, self._count, work, what, owner))
            thread = current_thread()
            if thread is not self._pumps:
                self._seen.add(thread)
                self._change()

    def wake(self) -> None:
        """Let those who wait look again."""
        with self._state:
            self._change()

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Let events happen until `until()` is true; return whether it was in time.

        Without a timeout, raises DeadlockError when nothing is left that could happen.
        """
        end = inf if timeout is None else self.now + timeout
        with self._waits(end) as waiter:
            while True:
                changes = self._changes
                if until():
                    return True
                if self.now >= end:
                    return False
                waiter.looked = changes
                with self._turn(waiter) as mine:
                    if mine:
                        self._go_on(waiter)

    def clear(self) -> None:
        """Let nothing of what was to happen happen."""
        with self._state:
            self._queue.clear()
            self._change()

    def _change(self) -> None:
        self._changes += 1
        self._state.notify_all()

    @contextmanager
    def _waits(self, end: float) -> Iterator[_Waiter]:
        """Note that this thread waits, so that no other waits for it."""
        waiter = _Waiter(current_thread(), end)
        with self._state:
            self._seen.add(waiter.thread)
            self._waiting.append(waiter)
            self._change()
        try:
            yield waiter
        finally:
            with self._state:
                self._waiting.remove(waiter)
                self._change()

    @contextmanager
    def _turn(self, waiter: _Waiter) -> Iterator[bool]:
        """Give whether this thread is to let events happen; if not, it is to look again."""
        with self._state:
            before = self._pumps
            mine = before is None or before is waiter.thread
            if mine:
                self._pumps = waiter.thread
            else:
                self._state.notify_all()  # who lets events happen waits until all have looked
                self._state.wait_for(
                    lambda: self._changes != waiter.looked or self._pumps is None
                )
        try:
            yield mine
        finally:
            if mine:
                with self._state:
                    self._pumps = before
                    self._state.notify_all()

    def _go_on(self, waiter: _Waiter) -> None:
        """Let the next event happen, or time pass until a thread has waited for long enough."""
        with self._state:
            end = min(each.end for each in self._innermost().values())
            event = self._queue[0] if self._queue else None
            if event is None or event.time > end:
                if self._changes == waiter.looked:
                    self._pass(end)
                return
            heappop(self._queue)
        try:
            self._happen(event)
        finally:
            self.wake()

    def _pass(self, end: float) -> None:
        """Let time pass: as it does, while another thread may do something, else until `end`."""
        if any(map(self._may_help, threading.enumerate())):
            began = monotonic()
            self._state.wait(PERIOD)
            end = min(end, self.now + monotonic() - began)
        elif end == inf:
            raise self._stuck()
        self.now = max(self.now, end)
        self._change()

    def _innermost(self) -> dict[Thread, _Waiter]:
        """Return the wait of each thread that waits: what happens in one may wait itself."""
        return {each.thread: each for each in self._waiting}

    def _may_help(self, thread: Thread) -> bool:
        """Return whether a thread may let those go on who wait: one that others have begun may."""
        waiter = self._innermost().get(thread)
        if waiter is not None:
            return waiter.looked != self._changes or waiter.end <= self.now
        known = thread in self._seen or thread not in self._before
        return known and may_help(thread)

    def _happen(self, event: _Event) -> None:
        self.now = max(self.now, event.time)
        owner = event.owner
        if owner is not None and not owner.alive:
            return
        strike = self.strike if owner is not None and owner.mortal else None
        if owner is not None and strike and self.happens(self.faults.kills):
            strike(owner)
            return
        if self.listener is not None:
            self.listener(self.now, event.what)
        try:
            event.work()
        except Exception as error:
            error.add_note(f"in: {event.what}, at {self.when()}")
            raise
