"""What was recorded, put in order: what ran within what and in which step, and rows to show it on.

Recording is timeline.py; pictures and files are made of these rows in drawing.py and chrome.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tensorlite.core.device import DeviceName
from tensorlite.core.provenance import Line
from tensorlite.runtime.rendezvous import ends_of
from tensorlite.runtime.timeline import (
    Ending,
    Level,
    Note,
    Recorder,
    Span,
    Transfer,
)


class Event(NamedTuple):
    """One run of an operator. Times are in nanoseconds since the recording began.

    >>> with tl.profiler.trace() as profile:
    ...     x = tl.ones(2)
    >>> event = profile.events[0]
    >>> event.op, str(event.device), event.nbytes, event.duration > 0
    ('Fill', '/device:CPU:0', 8, True)
    """

    name: str
    """The node's name; an eager operator has its own."""
    op: str
    kind: str
    """"node" of a graph, or "eager"."""
    line: Line
    """Where in the user's program it was made."""
    device: DeviceName
    thread: int
    step: int | None
    start: int
    end: int
    inside: int
    """How long operators ran within this one, which a loop or a branch consists of."""
    nbytes: int
    """Of the outputs."""
    error: str
    """The class of the error that it failed with, or nothing."""

    @property
    def duration(self) -> int:
        """How long it ran."""
        return self.end - self.start

    @property
    def own(self) -> int:
        """How long it ran itself, without what ran within it."""
        return self.end - self.start - self.inside


Box: TypeAlias = "Event | Span"


@dataclass(frozen=True)
class Row:
    """One line of a timeline: what never overlaps unless it lies within another."""

    name: str
    device: DeviceName | None
    """None where it shows what Python did on a thread."""
    boxes: list[tuple[Box, int]] = field(default_factory=list)
    """What is shown, and within how many others it lies."""
    task: str = ""
    """The task of a cluster that it belongs to, if another than this process."""

    @property
    def depth(self) -> int:
        """How many boxes lie within each other at most."""
        return 1 + max([depth for _, depth in self.boxes], default=0)


class Recording(NamedTuple):
    """All that a recorder noted, times counted from when it began."""

    events: list[Event]
    spans: list[Span]
    transfers: list[Transfer]
    levels: list[Level]
    threads: dict[int, str]
    tasks: dict[int, str]
    """The task of each thread that is another task's."""
    dropped: int


def recording(recorder: Recorder) -> Recording:
    """Return what `recorder` has noted until now."""
    began = recorder.began
    spans = [
        span._replace(start=span.start - began, end=span.end - began)
        for span in tuple(recorder.spans)
    ]
    notes = [
        (work, thread, start - began, end - began, nbytes, error)
        for work, thread, start, end, nbytes, error in tuple(recorder.notes)
    ]
    transfers = [
        x._replace(sent=x.sent - began, received=x.received - began)
        for x in (*recorder.transfers, *_between(tuple(recorder.endings)))
    ]
    transfers.sort(key=lambda x: x.received)
    levels = [x._replace(time=x.time - began) for x in tuple(recorder.levels)]
    return Recording(
        _events(notes, spans),
        spans,
        transfers,
        levels,
        dict(recorder.threads),
        dict(recorder.tasks),
        recorder.dropped,
    )


def _between(endings: Sequence[Ending]) -> Iterator[Transfer]:
    """Yield the transfers between tasks of which both ends were noted."""
    sent = {(x.step, x.name, x.tag): x for x in endings if x.is_sent}
    for x in endings:
        found = None if x.is_sent else sent.get((x.step, x.name, x.tag))
        if found is not None:
            name, source, target = ends_of(x.name)
            yield Transfer(name, source, target, found.nbytes, found.time, x.time)


def steps(spans: Iterable[Span]) -> list[Span]:
    """Return the steps in the order of their beginning: those marked, or else the calls.

    A call that lies within another is part of that one's step.
    """
    ordered = sorted(spans, key=lambda span: (span.start, -span.end))
    marked = [span for span in ordered if span.kind == "step"]
    if marked:
        return marked
    ends: dict[int, int] = defaultdict(int)
    outer = []
    for span in ordered:
        if span.kind == "call" and span.start >= ends[span.thread]:
            ends[span.thread] = span.end
            outer.append(span)
    return outer


def _events(notes: list[Note], spans: Sequence[Span]) -> list[Event]:
    """Return what ran, in the order of its beginning."""
    order = sorted(range(len(notes)), key=lambda i: (notes[i][2], -notes[i][3]))
    inside = [0] * len(notes)
    within: dict[int, list[int]] = defaultdict(list)
    for i in order:
        _, thread, start, end, _, _ = notes[i]
        around = within[thread]
        while around and notes[around[-1]][3] <= start:
            around.pop()
        if around:
            inside[around[-1]] += end - start
        around.append(i)
    numbers = _numbers([notes[i] for i in order], steps(spans))
    made = []
    for i, step in zip(order, numbers, strict=True):
        (kind, name, op, line, device), thread, start, end, nbytes, error = notes[i]
        made.append(
            Event(
                name,
                op,
                kind,
                line,
                device,
                thread,
                step,
                start,
                end,
                inside[i],
                nbytes,
                error,
            )
        )
    return made


def _numbers(notes: list[Note], marks: list[Span]) -> Iterator[int | None]:
    """Yield the step of each note: its thread's, or that under way, if there is only one."""
    coming, under_way = 0, list[Span]()
    for _, thread, start, _, _, _ in notes:
        while coming < len(marks) and marks[coming].start <= start:
            under_way.append(marks[coming])
            coming += 1
        under_way = [mark for mark in under_way if mark.end > start]
        own = [mark for mark in under_way if mark.thread == thread]
        if own:
            yield own[-1].number
        else:
            yield under_way[0].number if len(under_way) == 1 else None


class _Lane:
    """A row being filled, and the boxes that are open at the time that it has come to."""

    def __init__(self) -> None:
        self.boxes: list[tuple[Box, int]] = []
        self._open: list[Box] = []

    def close(self, time: int) -> None:
        """Go on to `time`."""
        while self._open and self._open[-1].end <= time:
            self._open.pop()

    def holds(self, box: Box) -> bool:
        """Return whether `box` would lie within what is open."""
        if not self._open:
            return False
        around = self._open[-1]
        return around.thread == box.thread and around.end >= box.end

    def is_free(self) -> bool:
        """Return whether nothing is open."""
        return not self._open

    def put(self, box: Box) -> None:
        """Add a box."""
        self.boxes.append((box, len(self._open)))
        self._open.append(box)


def _lanes(boxes: Iterable[Box]) -> list[_Lane]:
    """Return as few lanes as hold the boxes of a device, whichever threads they ran on."""
    lanes: list[_Lane] = []
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        for lane in lanes:
            lane.close(box.start)
        fitting = [lane for lane in lanes if lane.holds(box)]
        fitting += [lane for lane in lanes if lane.is_free()]
        if not fitting:
            fitting = [_Lane()]
            lanes += fitting
        fitting[0].put(box)
    return lanes


def rows(recorded: Recording, step: int | None = None) -> list[Row]:
    """Return the rows of a timeline, of one `step` or of all: Python's threads, then devices.

    Those of this process come first, then those of one task after the other. A device has one
    row, and more where several threads work on it at the same time.
    """
    by_thread: dict[int, list[Box]] = defaultdict(list)
    by_device: dict[DeviceName, list[Box]] = defaultdict(list)
    for span in _in_step(recorded.spans, step):
        by_thread[span.thread].append(span)
    for event in recorded.events:
        if step is None or event.step == step:
            by_device[event.device].append(event)
    shown = {x.source for x in recorded.transfers} | {
        x.target for x in recorded.transfers
    }
    for device in shown if step is None else ():
        by_device[device].extend(())
    made = []
    for thread, boxes in by_thread.items():
        name = recorded.threads.get(thread, str(thread))
        made += _named(name, None, boxes, recorded.tasks.get(thread, ""))
    for device in sorted(by_device, key=str):
        made += _named(str(device), device, by_device[device], task_of(device))
    return sorted(made, key=lambda row: row.task)


def task_of(device: DeviceName) -> str:
    """Return the task of a device, or nothing if it is this process's own."""
    return "" if device.job is None else f"/job:{device.job}/task:{device.task}"


def _in_step(spans: Sequence[Span], step: int | None) -> list[Span]:
    if step is None:
        return list(spans)
    marks = [mark for mark in steps(spans) if mark.number == step]
    return [
        span
        for span in spans
        if any(mark.start <= span.start and span.end <= mark.end for mark in marks)
    ]


def _named(
    name: str, device: DeviceName | None, boxes: Iterable[Box], task: str
) -> list[Row]:
    lanes = _lanes(boxes) or [_Lane()]
    return [
        Row(name if i == 0 else f"{name} #{i + 1}", device, lane.boxes, task)
        for i, lane in enumerate(lanes)
    ]
