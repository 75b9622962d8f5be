"""A recording in the Trace Event Format, which Chrome's about:tracing and Perfetto open.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
Of it are used complete events (X), flows (s, f), counters (C) and names (M); times are in
microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.runtime.rows import Box, Event, Recording, Row, rows
from tensorlite.runtime.timeline import Level, Transfer

Entry = dict[str, Any]
PROCESS = 1
ROWS = 2
"""Numbers of rows begin here: Perfetto takes 0 for the idle thread, and 1 for the process's own."""
INSTANT = 0.001
"""How long the ends of a transfer are shown: an arrow needs something to begin and end on."""


def trace_events(recorded: Recording, machine: str) -> Entry:
    """Return what is to be written as JSON: a row per device, and an arrow per transfer."""
    shown = rows(recorded)
    return {
        "displayTimeUnit": "ns",
        "otherData": {"dropped": recorded.dropped},
        "traceEvents": [
            _name("process_name", PROCESS, machine),
            *[entry for i, row in enumerate(shown, ROWS) for entry in _row(i, row)],
            *_flows(recorded.transfers, shown),
            *map(_counter, recorded.levels),
        ],
    }


def _row(number: int, row: Row) -> Iterator[Entry]:
    yield _name("thread_name", number, row.name)
    yield {
        **_name("thread_sort_index", number, ""),
        "args": {"sort_index": number},
    }
    for box, _ in row.boxes:
        kind, arguments = box.kind, _arguments(box)
        yield _complete(
            number,
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


def _flows(transfers: list[Transfer], shown: list[Row]) -> Iterator[Entry]:
    """Yield both ends of each transfer, and the arrow from the one to the other."""
    place: dict[DeviceName, int] = {}
    for i, row in enumerate(shown, ROWS):
        if row.device is not None:
            place.setdefault(row.device, i)
    for number, x in enumerate(transfers):
        arguments = {"bytes": x.nbytes, "from": str(x.source), "to": str(x.target)}
        for phase, what, device, time in (
            ("s", "Send", x.source, x.sent),
            ("f", "Recv", x.target, x.received),
        ):
            tid, name = place[device], f"{what} {x.name}"
            yield _complete(tid, "transfer", name, time / 1e3, INSTANT, arguments)
            yield {
                "ph": phase,
                "id": number,
                "name": x.name,
                "cat": "transfer",
                "pid": PROCESS,
                "tid": tid,
                "ts": time / 1e3,
                **({"bp": "e"} if phase == "f" else {}),
            }


def _counter(level: Level) -> Entry:
    return {
        "ph": "C",
        "name": f"live bytes on {level.device}",
        "pid": PROCESS,
        "ts": level.time / 1e3,
        "args": {"bytes": level.live},
    }


def _complete(
    row: int, kind: str, name: str, start: float, duration: float, arguments: Entry
) -> Entry:
    return {
        "ph": "X",
        "name": name,
        "cat": kind,
        "pid": PROCESS,
        "tid": row,
        "ts": start,
        "dur": duration,
        "args": arguments,
    }


def _name(what: str, row: int, name: str) -> Entry:
    return {
        "ph": "M",
        "name": what,
        "pid": PROCESS,
        "tid": row,
        "args": {"name": name},
    }
