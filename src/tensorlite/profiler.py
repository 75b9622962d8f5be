"""What a program spends its time on: `tl.profiler.trace()` records, and a Profile tells.

Recording itself is runtime/timeline.py; files and pictures are made in runtime/chrome.py and
runtime/drawing.py.
"""

from __future__ import annotations

import gzip
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from tensorlite.core import remote
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import Interpreter, Tensors, current, run
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    TracingError,
)
from tensorlite.core.op import Op, Role
from tensorlite.core.provenance import user_line
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import CPU
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph.trace import outermost
from tensorlite.runtime import chrome, drawing, rows, timeline
from tensorlite.runtime.rows import Event, Recording
from tensorlite.runtime.table import Table, TableRow, table_of
from tensorlite.runtime.timeline import Recorder, Span, Transfer, Work, clock

__all__ = [
    "Event",
    "Profile",
    "Span",
    "Table",
    "TableRow",
    "Transfer",
    "annotate",
    "start",
    "step",
    "stop",
    "trace",
]


def __dir__() -> list[str]:
    return __all__


Pathlike = str | PathLike[str]


class Profile:
    """What `tl.profiler.trace()` recorded: a table, a file for a viewer, a picture, and the events.

    While recording goes on, it tells what there is until then.

    >>> @tl.function
    ... def double(x):
    ...     return x + x
    >>> with tl.profiler.trace() as profile:
    ...     for i in range(3):
    ...         x = double(tl.asarray(float(i)))
    >>> [event.op for event in profile.events if event.kind == "node"]
    ['AddV2', 'AddV2', 'AddV2']
    >>> [(step.name, step.number) for step in profile.steps]
    [('double', 0), ('double', 1), ('double', 2)]
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._final: Recording | None = None

    @property
    def _recorded(self) -> Recording:
        if self._final is not None:
            return self._final
        recorded = rows.recording(self._recorder)
        if timeline.current() is not self._recorder:
            self._final = recorded
        return recorded

    @property
    def events(self) -> list[Event]:
        """What ran, in the order in which it began."""
        return self._recorded.events

    @property
    def spans(self) -> list[Span]:
        """The calls of traced functions, the steps and the annotations, as they ended."""
        return self._recorded.spans

    @property
    def steps(self) -> list[Span]:
        """The steps marked with `tl.profiler.step`, or where none is, the outermost calls."""
        return rows.steps(self._recorded.spans)

    @property
    def transfers(self) -> list[Transfer]:
        """What went from a device to another, in the order in which it was received."""
        return self._recorded.transfers

    @property
    def dropped(self) -> int:
        """How many things were not recorded since there were more than `limit`."""
        return self._recorded.dropped

    @property
    def missing(self) -> Mapping[str, str]:
        """The tasks of clusters that have told nothing, such as those that were lost, and why."""
        return dict(self._recorder.missing)

    def table(self, by: str = "op") -> Table:
        """Return a table by "op", "node", "line" or "device", with what took longest first."""
        return table_of(self.events, by)

    def save(self, path: Pathlike) -> None:
        """Write a file that Chrome's about:tracing and Perfetto open; `.gz` compresses it.

        It is JSON in the Trace Event Format. InvalidArgumentError if it cannot be written.
        """
        made = chrome.trace_events(self._recorded, platform.node() or "machine")
        text = json.dumps(made, separators=(",", ":")).encode()
        _write(path, gzip.compress(text) if str(path).endswith(".gz") else text)

    def svg(self, step: int | None = None, width: int = 1000) -> str:
        """Return the timeline as a picture, `width` pixels wide, of one `step` or of all."""
        recorded = self._recorded
        transfers = recorded.transfers
        if step is not None:
            marks = [mark for mark in self.steps if mark.number == step]
            if not marks:
                numbers = sorted({mark.number for mark in self.steps})
                raise InvalidArgumentError(
                    f"step={step!r} was not recorded; there are {numbers}"
                )
            transfers = [
                x
                for x in transfers
                if any(m.start <= x.sent and x.received <= m.end for m in marks)
            ]
        _check_number(width, 300, f"width={width!r}: a picture's width in pixels")
        return drawing.svg(rows.rows(recorded, step), transfers, width)

    def plot(
        self, path: Pathlike, step: int | None = None, width: int = 1000
    ) -> None:
        """Write the timeline as a picture, an SVG file; see `svg`."""
        _write(path, self.svg(step, width).encode())

    def __repr__(self) -> str:
        devices = {event.device for event in self.events}
        more = f", dropped={self.dropped}" if self.dropped else ""
        more += f", missing={len(self.missing)}" if self.missing else ""
        return (
            f"<Profile: events={len(self.events)}, devices={len(devices)}, "
            f"transfers={len(self.transfers)}, steps={len(self.steps)}{more}>"
        )


def _write(path: Pathlike, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Pathlike, error: OSError) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{str(path)!r} cannot be written: {error.strerror or error}; give the path of a file in a "
        "folder that is there"
    )


class _Noting(Interpreter):
    """Notes how long eager operators take; whoever stands below runs them as ever."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, having noted the time if it ran at once."""
        below = self.below
        if isinstance(op, Const) and (below is None or below.observing):
            return (EagerTensor(op.value),)  # as dispatch does where nobody listens
        unnoted = self.tracer is not None or op.role is Role.CALL
        if unnoted or isinstance(op, Const) or not self.is_at_work():
            return run(below, op, inputs)
        start = clock()
        try:
            outputs = run(below, op, inputs)
        except BaseException as error:
            self.note(op, inputs, start, type(error).__name__)
            raise
        self.note(op, outputs, start)
        return outputs

    def note(self, op: Op, tensors: Tensors, start: int, error: str = "") -> None:
        """Note that `op`, begun at `start`, has made `tensors`, or was given them and failed."""
        device = tensors[0].device if tensors else CPU
        if device.job is not None:
            return  # its task takes note
        if device.kind != "CPU" and self.recorder.synchronize and not error:
            timeline.wait(device)
        end = clock()
        made = () if error else tuple([y.array for y in tensors])
        work = Work("eager", op.name, op.name, user_line(3), device)
        self.recorder.add(work, start, end, timeline.size_of(made), error)

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        """Hand the note down: asked only when the recording is over."""
        self.leave()
        if self.below is not None:
            self.below.observe(op, inputs, outputs)

    def is_at_work(self) -> bool:
        """Return whether the recording still goes on; else step aside as far as possible."""
        if timeline.current() is self.recorder:
            return True
        self.leave()
        return False

    def leave(self) -> None:
        """Make way: from the top, or where others stand above, by no longer listening."""
        self.observing = self.below is None or self.below.observing
        if current.get() is self:
            current.set(self.below)


class _Session:
    """A recording under way, and where it goes."""

    def __init__(
        self, path: Pathlike | None, eager: bool, synchronize: bool, limit: int
    ) -> None:
        _check(path, limit)
        self.path = path
        self.recorder = Recorder(limit, synchronize)
        self.profile = Profile(self.recorder)
        timeline.begin(self.recorder)
        self._endings = self._begin_elsewhere()
        self.noting = _Noting(self.recorder)
        if eager:
            self.noting.__enter__()
        _sessions.append(self)

    def _begin_elsewhere(self) -> list[Callable[[], None]]:
        """Have the tasks of clusters take notes, too; return what ends that."""
        endings: list[Callable[[], None]] = []
        try:
            for home in remote.homes():
                endings.append(home.record(self.recorder))  # noqa: PERF401  others end if it fails
        except BaseException:
            timeline.end(self.recorder)
            for end in endings:
                end()
            raise
        return endings

    def finish(self) -> None:
        """End the recording and write it; a second time, do nothing."""
        if self not in _sessions:
            return
        _sessions.remove(self)
        timeline.end(self.recorder)
        self.noting.leave()
        for end in self._endings:
            end()
        self.recorder.trim()
        if self.path is not None:
            self.profile.save(self.path)


_sessions: list[_Session] = []
"""The recording under way, or nothing: `timeline.begin` allows no second."""


def _check_number(value: object, least: int, told: str) -> None:
    if not isinstance(value, int) or value < least:
        raise InvalidArgumentError(f"{told} is a whole number of at least {least}")


def _check(path: Pathlike | None, limit: int) -> None:
    _check_number(limit, 1, f"limit={limit!r}: the most events that are kept")
    found = outermost()
    if found is not None and not isinstance(found.graph, ManualGraph):
        raise TracingError(
            "tl.profiler records what runs, and in a traced function nothing runs yet; begin "
            "around the call of the function"
        )
    if path is None:
        return
    try:
        with Path(path).open("ab"):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def trace(
    path: Pathlike | None = None,
    *,
    eager: bool = True,
    synchronize: bool = True,
    limit: int = 1_000_000,
) -> Iterator[Profile]:
    """Return a `with` block in which what runs is recorded; yields the Profile.

    Recorded are traced functions and sessions on all threads, and, with `eager`, the operators that
    this thread runs eagerly. What the tasks of clusters run to which this program is connected
    comes when the block is over, its times by the clock here. With a `path` the profile is written
    there at the end, also when the block fails; see `Profile.save`. GPUs are waited for after each
    operator, so that times are the operator's own, unless `synchronize` is False. After `limit`
    events, more are only counted.

    Raises FailedPreconditionError if a trace is being recorded already, InvalidArgumentError if
    the path cannot be written, TracingError in a traced function.

    >>> with tl.profiler.trace() as profile:
    ...     with tl.profiler.annotate("start"):
    ...         x = tl.ones((2, 3)) * 2.0
    >>> [(event.op, event.nbytes) for event in profile.events]
    [('Fill', 24), ('Mul', 24)]
    """
    session = _Session(path, eager, synchronize, limit)
    try:
        yield session.profile
    finally:
        session.finish()


def start(
    path: Pathlike | None = None,
    *,
    eager: bool = True,
    synchronize: bool = True,
    limit: int = 1_000_000,
) -> Profile:
    """Return the Profile of a recording that goes on until `stop`; else it is as `trace`.

    >>> profile = tl.profiler.start()
    >>> x = tl.ones(2)
    >>> tl.profiler.stop() is profile
    True
    """
    return _Session(path, eager, synchronize, limit).profile


def stop() -> Profile:
    """Return the Profile of the recording that this ends; FailedPreconditionError if none goes on.

    >>> profile = tl.profiler.start()
    >>> tl.profiler.stop()
    <Profile: events=0, devices=0, transfers=0, steps=0>
    """
    if not _sessions:
        raise FailedPreconditionError(
            "nothing is being recorded; begin with tl.profiler.start() or tl.profiler.trace()"
        )
    session = _sessions[0]
    session.finish()
    return session.profile


@contextmanager
def annotate(name: str) -> Iterator[None]:
    """Return a `with` block that the timeline shows under a name; without a trace it does nothing.

    >>> with tl.profiler.trace() as profile:
    ...     with tl.profiler.annotate("load"):
    ...         x = tl.ones(2)
    >>> profile.spans[0].name
    'load'
    """
    if not isinstance(name, str):
        raise InvalidArgumentError(f"annotate({name!r}): a name is a str")
    recorder = timeline.current()
    if recorder is None:
        yield
    else:
        with recorder.marked("annotation", name):
            yield


@contextmanager
def step(number: int) -> Iterator[None]:
    """Return a `with` block that is one step, such as of a training loop.

    Without such blocks each call of a traced function, and each run of a session, is a step.

    >>> with tl.profiler.trace() as profile:
    ...     for i in range(2):
    ...         with tl.profiler.step(i):
    ...             x = tl.ones(2) + 1.0
    >>> [(event.op, event.step) for event in profile.events]
    [('Fill', 0), ('AddV2', 0), ('Fill', 1), ('AddV2', 1)]
    """
    _check_number(number, 0, f"step({number!r}): the number of a step")
    recorder = timeline.current()
    if recorder is None:
        yield
    else:
        with recorder.marked("step", "step", number):
            yield
