"""A recording in the Trace Event Format, which Chrome's about:tracing and Perfetto open.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
Of it are used complete events (X), flows (s, f), counters (C) and names (M); times are in
microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.runtime.rows import Box, Event, Recording, Row, rows, task_of
from tensorlite.runtime.timeline import Level, Transfer

Entry = dict[str, Any]
Place = tuple[int, int]
"""The numbers of a process and of a row."""
PROCESSES = 1
"""Numbers of processes begin here: this one's, then those of the tasks of a cluster."""
ROWS = 2
"""Numbers of rows begin here: Perfetto takes 0 for the idle thread, and 1 for the process's own."""
INSTANT = 0.001
"""How long the ends of a transfer are shown: an arrow needs something to begin and end on."""


def trace_events(recorded: Recording, machine: str) -> Entry:
    """Return what is to be written as JSON: a row per device, and an arrow per transfer."""
    shown = rows(recorded)
    of_levels = [task_of(level.device) for level in recorded.levels]
    tasks = dict.fromkeys(["", *[row.task for row in shown], *of_levels])
    numbers = {task: i for i, task in enumerate(tasks, PROCESSES)}
    places = [(numbers[row.task], i) for i, row in enumerate(shown, ROWS)]
    return {
        "displayTimeUnit": "ns",
        "otherData": {"dropped": recorded.dropped},
        "traceEvents": [
            *[_name("process_name", (numbers[x], 0), x or machine) for x in numbers],
            *[
                entry
                for place, row in zip(places, shown, strict=True)
                for entry in _row(place, row)
            ],
            *_flows(recorded.transfers, shown, places),
            *[_counter(x, numbers[task_of(x.device)]) for x in recorded.levels],
        ],
    }


def _row(place: Place, row: Row) -> Iterator[Entry]:
    yield _name("thread_name", place, row.name)
    yield {
        **_name("thread_sort_index", place, ""),
        "args": {"sort_index": place[1]},
    }
    for box, _ in row.boxes:
        kind, arguments = box.kind, _arguments(box)
        yield _complete(
            place,
            kind,
            box.name,
            box.start / 1e3,
            (box.end - box.start) / 1e3,
            arguments,
        )


def _arguments(box: Box) -> Entry:
    if not isinstance(box, Event):
        return {} if box.number < 0 else {"step": box.number}
    told = {
        "op": box.op,
        "line": str(box.line),
        "bytes": box.nbytes,
        "step": box.step,
        "error": box.error,
    }
    return {key: value for key, value in told.items() if value not in (None, "")}


def _flows(
    transfers: list[Transfer], shown: list[Row], places: list[Place]
) -> Iterator[Entry]:
    """Yield both ends of each transfer, and the arrow from the one to the other."""
    where: dict[DeviceName, Place] = {}
    for place, row in zip(places, shown, strict=True):
        if row.device is not None:
            where.setdefault(row.device, place)
    for number, x in enumerate(transfers):
        arguments = {"bytes": x.nbytes, "from": str(x.source), "to": str(x.target)}
        for phase, what, device, time in (
            ("s", "Send", x.source, x.sent),
            ("f", "Recv", x.target, x.received),
        ):
            place, name = where[device], f"{what} {x.name}"
            yield _complete(place, "transfer", name, time / 1e3, INSTANT, arguments)
            yield {
                "ph": phase,
                "id": number,
                "name": x.name,
                "cat": "transfer",
                "pid": place[0],
                "tid": place[1],
                "ts": time / 1e3,
                **({"bp": "e"} if phase == "f" else {}),
            }


def _counter(level: Level, process: int) -> Entry:
    return {
        "ph": "C",
        "name": f"live bytes on {level.device}",
        "pid": process,
        "ts": level.time / 1e3,
        "args": {"bytes": level.live},
    }


def _complete(
    place: Place,
    kind: str,
    name: str,
    start: float,
    duration: float,
    arguments: Entry,
) -> Entry:
    return {
        "ph": "X",
        "name": name,
        "cat": kind,
        "pid": place[0],
        "tid": place[1],
        "ts": start,
        "dur": duration,
        "args": arguments,
    }


def _name(what: str, place: Place, name: str) -> Entry:
    return {
        "ph": "M",
        "name": what,
        "pid": place[0],
        "tid": place[1],
        "args": {"name": name},
    }
