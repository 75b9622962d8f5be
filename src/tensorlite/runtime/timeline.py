"""Recorder: what ran when, on which device and thread. Reading and showing it happens elsewhere.

While one records, steps run instrumented plans whose kernels note their times; nothing else knows
of it. Recording one event is one tuple appended to a list, which threads may do at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from operator import attrgetter, itemgetter
from threading import Lock, current_thread, get_ident
from time import perf_counter_ns
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core import accounts
from tensorlite.core.device import DeviceName, local
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.provenance import Line
from tensorlite.core.remote import here
from tensorlite.core.xp import Array, Xp, on_device, xp_for
from tensorlite.runtime.plan import Kernel, Task

clock = perf_counter_ns
ndarray = np.ndarray
Mark = Literal["step", "call", "annotation"]


class Work(NamedTuple):
    """What was done: an operator, at one place of a program."""

    kind: Literal["node", "eager"]
    name: str
    """The node's name; an eager operator has its own."""
    op: str
    line: Line
    device: DeviceName


_START = itemgetter(2)
Note: TypeAlias = tuple[Work, int, int, int, int, str]
"""One run of a kernel: what, on which thread, start, end, bytes of the outputs, class of the error.

Times are those of `clock`. It is no class of its own, which would take three times as long to make.
"""


class Span(NamedTuple):
    """A stretch of a thread's time with a name: a call of a function, a step, an annotation.

    >>> with tl.profiler.trace() as profile, tl.profiler.step(7):
    ...     x = tl.ones(2)
    >>> profile.spans[0].kind, profile.spans[0].number
    ('step', 7)
    """

    kind: Mark
    name: str
    number: int
    thread: int
    start: int
    end: int


class Transfer(NamedTuple):
    """One value that went from a device to another.

    >>> here, there = tl.DeviceName.parse("/cpu:0"), tl.DeviceName.parse("/cpu:1")
    >>> move = tl.profiler.Transfer("x", here, there, nbytes=8, sent=0, received=500)
    >>> move.received - move.sent
    500
    """

    name: str
    source: DeviceName
    target: DeviceName
    nbytes: int
    sent: int
    received: int


class Level(NamedTuple):
    """How many bytes lived on a device, at one time."""

    device: DeviceName
    time: int
    live: int


class Ending(NamedTuple):
    """One end of a transfer between tasks: both together are a Transfer."""

    step: int
    name: str
    """That of the transfer, with both devices; see rendezvous.py."""
    tag: tuple[int, ...]
    is_sent: bool
    nbytes: int
    time: int


class Recorder:
    """Takes note of what runs, up to `limit` things; the rest is counted."""

    def __init__(self, limit: int = 1_000_000, synchronize: bool = True) -> None:
        self.limit = limit
        self.synchronize = synchronize
        """Whether a GPU is waited for after each kernel, so that times are the kernel's own."""
        self.notes: list[Note] = []
        self.levels: list[Level] = []
        self.spans: list[Span] = []
        self.transfers: list[Transfer] = []
        self.endings: list[Ending] = []
        self.threads: dict[int, str] = {}
        self.tasks: dict[int, str] = {}
        """The task of each thread that is another task's."""
        self.missing: dict[str, str] = {}
        """Tasks that have not told what they noted, and why."""
        self.dropped = 0
        self.counts_memory = accounts.active()
        self.began = clock()
        self._calls = count()
        self._lock = Lock()

    def add(self, work: Work, start: int, end: int, nbytes: int, error: str) -> None:
        """Note that this thread has done something."""
        if len(self.notes) < self.limit:
            self.notes.append((work, self.thread(), start, end, nbytes, error))
            if self.counts_memory and work.device.kind == "CPU":
                device = local("CPU", work.device.index or 0)
                live = accounts.account(device).live
                self.levels.append(Level(device, end, live))
        else:
            self.drop()

    def transfer(
        self,
        name: str,
        source: DeviceName,
        target: DeviceName,
        nbytes: int,
        sent: int,
        received: int,
    ) -> None:
        """Note that a value, sent at one time of `clock`, was received at another."""
        if len(self.transfers) < self.limit:
            self.transfers.append(
                Transfer(name, source, target, nbytes, sent, received)
            )
        else:
            self.drop()

    def ending(
        self, step: int, key: tuple[str, tuple[int, ...]], is_sent: bool, nbytes: int
    ) -> None:
        """Note that a value is sent to another task now, or received."""
        if len(self.endings) < 2 * self.limit:
            self.endings.append(Ending(step, *key, is_sent, nbytes, clock()))
        else:
            self.drop()

    @contextmanager
    def marked(self, kind: Mark, name: str, number: int = -1) -> Iterator[None]:
        """Note how long the block takes."""
        start = clock()
        try:
            yield
        finally:
            self.span(kind, name, number, start)

    def span(self, kind: Mark, name: str, number: int, start: int) -> None:
        """Note that this thread was at something since `start`."""
        if len(self.spans) < self.limit:
            thread = self.thread()
            self.spans.append(Span(kind, name, number, thread, start, clock()))
        else:
            self.drop()

    def step(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        """Return `run`, with a note that its call is a step; steps are numbered as they begin.

        What a task of a cluster calls is part of a step of whoever asked for it.
        """

        def stepping(*args: Any, **kwargs: Any) -> Any:
            if here.get() is not None:
                with self.marked("annotation", name):
                    return run(*args, **kwargs)
            with self.marked("call", name, next(self._calls)):
                return run(*args, **kwargs)

        return stepping

    def thread(self) -> int:
        """Return this thread's number; its name is kept, for the thread may end before."""
        number = get_ident()
        if number not in self.threads:
            self.threads[number] = current_thread().name
        return number

    def drop(self, many: int = 1) -> None:
        """Count things that there was no room for."""
        with self._lock:
            self.dropped += many

    def trim(self) -> None:
        """Keep the first `limit` things, since others have added theirs."""
        self.notes.sort(key=_START)
        self.spans.sort(key=attrgetter("end"))
        for kept in (self.notes, self.spans, self.transfers):
            self.drop(max(0, len(kept) - self.limit))
            del kept[self.limit :]

    @staticmethod
    def wrap(task: Task, kernel: Kernel) -> Kernel:
        """Return a kernel that notes its times with the recorder that there is when it runs."""
        known = Work("node", task.name, task.op.name, task.line, task.device)
        is_away = known.device.kind != "CPU"
        places: dict[DeviceName | None, Work] = {None: known}

        def noted(xp: Xp, *arrays: Array) -> Any:
            recorder = _running[0]
            if recorder is None:
                return kernel(xp, *arrays)
            own = here.get()
            work = places.get(own)
            if work is None:
                device = placed(known.device)
                work = places[own] = known._replace(device=device)
            start = clock()
            try:
                made = kernel(xp, *arrays)
                if is_away and recorder.synchronize:
                    wait(known.device)
            except BaseException as error:
                recorder.add(work, start, clock(), 0, type(error).__name__)
                raise
            recorder.add(work, start, clock(), size_of(made), "")
            return made

        return noted


_running: list[Recorder | None] = [None]
_starting = Lock()


def current() -> Recorder | None:
    """Return the recorder that is at work, or None."""
    return _running[0]


def begin(recorder: Recorder) -> None:
    """Let `recorder` take note of all that runs; FailedPreconditionError if another one does."""
    with _starting:
        if _running[0] is not None:
            raise FailedPreconditionError(
                "a trace is being recorded already, and there is only one at a time; end it with "
                "tl.profiler.stop(), or name parts of it with tl.profiler.annotate()"
            )
        _running[0] = recorder


def end(recorder: Recorder) -> None:
    """Let `recorder` rest, if it is the one at work."""
    with _starting:
        if _running[0] is recorder:
            _running[0] = None


def placed(device: DeviceName) -> DeviceName:
    """Return the full name of a device of the task that this thread works for, if it does."""
    own = here.get()
    return device if own is None or device.job is not None else own.merge(device)


def wait(device: DeviceName) -> None:
    """Return when a GPU has done what it was told to do."""
    with on_device(device):
        xp_for(device).cuda.get_current_stream().synchronize()


def size_of(made: Any) -> int:
    """Return the bytes of what a kernel returned; handles have none."""
    if type(made) is ndarray:
        return made.nbytes
    if isinstance(made, tuple):
        return sum([size_of(y) for y in made])
    return int(getattr(made, "nbytes", 0))
