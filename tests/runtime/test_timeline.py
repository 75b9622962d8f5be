"""Rows of a timeline, the file that viewers open, and the picture."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.profiler import Profile
from tensorlite.runtime import timeline
from tensorlite.runtime.rows import recording, rows
from tensorlite.runtime.timeline import Recorder, Span, Work
from tests.programs import INT, collatz

FIRST, SECOND = DeviceName.parse("/device:CPU:0"), DeviceName.parse("/device:CPU:1")


@tl.function
def affine(x: tl.Tensor) -> tl.Tensor:
    return tl.tanh(x * 3.0) + 1.0


def made(*notes: tuple[int, DeviceName, int, int], spans: Any = ()) -> Recorder:
    """Return a recorder that noted (thread, device, start, end) and spans."""
    recorder = Recorder()
    recorder.began = 0
    line = tl.function(collatz).get_concrete_function(INT).graph.nodes[0].line
    for i, (thread, device, start, end) in enumerate(notes):
        work = Work("node", f"n{i}", "Op", line, device)
        recorder.notes.append((work, thread, start, end, 0, ""))
    recorder.spans.extend(spans)
    return recorder


def test_rows_hold_what_does_not_overlap() -> None:
    """Threads that take turns on a device share its row; those that overlap do not."""
    recorded = recording(
        made(
            (1, FIRST, 0, 100),
            (1, FIRST, 10, 40),
            (1, FIRST, 20, 30),
            (2, FIRST, 100, 150),
            (1, FIRST, 120, 160),
            (2, FIRST, 155, 170),
            (3, SECOND, 0, 10),
        )
    )
    shown = {
        row.name: [(x.name, depth) for x, depth in row.boxes]
        for row in rows(recorded)
    }
    assert shown == {
        "/device:CPU:0": [("n0", 0), ("n1", 1), ("n2", 2), ("n3", 0), ("n5", 0)],
        "/device:CPU:0 #2": [("n4", 0)],
        "/device:CPU:1": [("n6", 0)],
    }
    own = {event.name: event.own for event in recorded.events}
    assert own == {
        "n0": 70, "n1": 20, "n2": 10, "n3": 50, "n4": 40, "n5": 15, "n6": 10
    }  # fmt: skip


def test_a_devices_thread_works_for_the_only_step_under_way() -> None:
    spans = [
        Span("call", "f", 0, 1, 0, 100),
        Span("call", "f", 1, 2, 50, 150),
    ]
    recorded = recording(
        made(
            (9, SECOND, 10, 20),
            (9, SECOND, 60, 70),
            (2, FIRST, 60, 70),
            (9, SECOND, 110, 120),
            (9, SECOND, 200, 210),
            spans=spans,
        )
    )
    found = {event.name: event.step for event in recorded.events}
    assert found == {"n0": 0, "n1": None, "n2": 1, "n3": 1, "n4": None}


def test_the_file_is_in_the_trace_event_format(tmp_path: Path) -> None:
    """Fields as the format's definition demands them, by phase."""
    path = tmp_path / "trace.json"
    with tl.profiler.trace(path) as profile, tl.profiler.annotate("all"):
        tl.function(collatz)(tl.asarray(6))
        recorder = timeline.current()
        assert recorder is not None
        now = timeline.clock()
        recorder.transfer("h:0", FIRST, SECOND, 8, now, now + 2000)
    loaded = json.loads(path.read_text())
    entries = loaded["traceEvents"]
    needed = {  # C: memory, where the process accounts for it
        "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
        "M": {"name", "pid", "tid", "args"},
        "s": {"name", "cat", "id", "ts", "pid", "tid"},
        "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"},
        "C": {"name", "pid", "ts", "args"},
    }
    for entry in entries:
        assert set(entry) == needed[entry["ph"]] | {"ph"}
    named = {
        entry["args"]["name"]: entry["tid"]
        for entry in entries
        if entry["name"] == "thread_name"
    }
    assert min(named.values()) > 1  # Perfetto merges rows 0 and 1, losing boxes
    assert set(named) == {"MainThread", "/device:CPU:0", "/device:CPU:1"}
    complete = [entry for entry in entries if entry["ph"] == "X"]
    nodes = [entry for entry in complete if entry["cat"] == "node"]
    assert len(nodes) == len(profile.events)
    assert {entry["tid"] for entry in nodes} == {named["/device:CPU:0"]}
    assert all(
        {"op", "line", "bytes", "step"} <= set(entry["args"]) for entry in nodes
    )
    assert nodes[0]["ts"] == pytest.approx(profile.events[0].start / 1e3)
    assert nodes[0]["dur"] == pytest.approx(profile.events[0].duration / 1e3)
    begin, end = [entry for entry in entries if entry["ph"] in "sf"]
    assert begin["tid"] == named["/device:CPU:0"]
    assert end["tid"] == named["/device:CPU:1"]
    assert begin["id"] == end["id"]
    assert end["ts"] - begin["ts"] == pytest.approx(2.0)
    for arrow in (begin, end):  # an arrow binds to the box that it lies in
        assert any(
            box["tid"] == arrow["tid"]
            and box["ts"] <= arrow["ts"] <= box["ts"] + box["dur"]
            for box in complete
        )
    profile.save(tmp_path / "again.json.gz")
    again = json.loads(gzip.decompress((tmp_path / "again.json.gz").read_bytes()))
    assert again == loaded


def test_the_file_shows_memory_while_it_is_counted(tmp_path: Path) -> None:
    tl.config.count_memory(True)
    try:
        with tl.profiler.trace(tmp_path / "trace.json") as profile:
            for _ in range(3):
                affine(tl.ones(1000))
    finally:
        tl.config.count_memory(False)
    entries = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    counters = [entry for entry in entries if entry["ph"] == "C"]
    assert {entry["name"] for entry in counters} == {"live bytes on /device:CPU:0"}
    assert len(counters) == len(profile.events)
    assert all(set(entry["args"]) == {"bytes"} for entry in counters)
    levels = [entry["args"]["bytes"] for entry in counters]
    assert max(levels) >= min(levels) + 4000


def test_boxes_of_a_row_nest_or_lie_apart(tmp_path: Path) -> None:
    """What viewers demand of complete events of a thread, however many threads there were."""
    threads = [
        Thread(target=lambda: tl.function(collatz)(tl.asarray(27))) for _ in range(3)
    ]
    with tl.profiler.trace() as profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    shown = rows(recording(profile._recorder))
    assert sum(len(row.boxes) for row in shown) == len(profile.events) + len(
        profile.spans
    )
    for row in shown:
        ends: list[int] = []
        for box, depth in row.boxes:
            while ends and ends[-1] <= box.start:
                ends.pop()
            assert not ends or box.end <= ends[-1]
            assert depth == len(ends)
            ends.append(box.end)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  it is the library's own


def test_the_picture_shows_every_row(tmp_path: Path) -> None:
    with tl.profiler.trace() as profile:
        for i in range(2):
            with tl.profiler.step(i):
                affine(tl.ones(100))
        recorder = timeline.current()
        assert recorder is not None
        now = timeline.clock()
        recorder.transfer("<h>", FIRST, SECOND, 8, now, now + 2000)
    profile.plot(tmp_path / "all.svg")
    root = parsed((tmp_path / "all.svg").read_text())
    space = "{http://www.w3.org/2000/svg}"
    texts = [node.text for node in root.iter(f"{space}text")]
    assert {"MainThread", "/device:CPU:0", "/device:CPU:1"} <= set(texts)
    arrows = [x for x in root.iter(f"{space}path") if x.get("class") == "a"]
    assert [x[0].text for x in arrows] == ["<h>, 8 bytes"]
    for rect in root.iter(f"{space}rect"):
        assert 0 <= float(rect.get("x", 0)) <= 1000
        assert 0 < float(rect.get("width", 0)) <= 1000
    one = parsed(profile.svg(step=1))
    told = [node.text or "" for node in one.iter(f"{space}title")]
    assert sum("(Tanh)" in text for text in told) == 1
    assert parsed(Profile(Recorder()).svg()).tag == f"{space}svg"
