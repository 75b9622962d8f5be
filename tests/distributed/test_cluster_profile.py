"""Timelines of clusters: what all tasks do, on one clock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.provenance import Line
from tensorlite.distributed import tracing
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.tracing import ahead, common_clock, packed, unpack_into
from tensorlite.distributed.worker import Worker
from tensorlite.runtime import rows, timeline
from tensorlite.runtime.timeline import (
    Ending,
    Level,
    Recorder,
    Span,
    Transfer,
    Work,
)

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
SPEC = {"ps": 1, "worker": 2}
CPU = "/device:CPU:0"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect(SPEC, engine="inprocess") as made:
        yield made


def spanning() -> Any:
    """Return a function that goes from the client over two tasks and back."""
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0, 3.0])

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            y = x * w
        with tl.device(SECOND):
            z = tl.exp(y)
        with tl.device(CPU):
            return z + 1.0

    return step


def recorded(step: Any, times: int = 3) -> tl.profiler.Profile:
    x = tl.ones(3)
    step(x)
    with tl.profiler.trace() as profile:
        for _ in range(times):
            step(x)
    return profile


def check(profile: tl.profiler.Profile, times: int = 3) -> None:
    """Hold a recording of `spanning` against what it does."""
    ran = {(str(event.device), event.op) for event in profile.events}
    assert {
        (f"{FIRST}{CPU}", "Mul"),
        (f"{SECOND}{CPU}", "Exp"),
        (f"{PS}{CPU}", "ReadVariableOp"),
        (CPU, "AddV2"),
    } <= ran
    assert [(span.name, span.number) for span in profile.steps] == [
        ("step", i) for i in range(times)
    ]
    between = [
        x
        for x in profile.transfers
        if str(x.source) == f"{FIRST}{CPU}" and str(x.target) == f"{SECOND}{CPU}"
    ]
    assert len(between) == times
    assert all(x.sent < x.received for x in between)
    for span, move in zip(profile.steps, between, strict=True):
        assert span.start < move.sent < move.received < span.end
        mine = [x for x in profile.events if span.start < x.start < span.end]
        (mul,) = [x for x in mine if x.op == "Mul"]
        (exp,) = [x for x in mine if x.op == "Exp"]
        assert mul.end <= move.sent
        assert move.received <= exp.start
        assert exp.end < span.end
        assert {x.step for x in mine} == {span.number}
        assert "test_cluster_profile.py" in mul.line.file
    assert {x.nbytes for x in between} == {12}


def test_what_all_tasks_do_is_in_one_timeline(cluster: Cluster) -> None:
    profile = recorded(spanning())
    check(profile)
    assert not profile.missing
    table = {row.key: row.count for row in profile.table("device")}
    assert table.keys() == {CPU, *(f"{task}{CPU}" for task in cluster.tasks)}


def test_the_file_has_a_process_for_each_task(
    cluster: Cluster, tmp_path: Path
) -> None:
    profile = recorded(spanning())
    profile.save(tmp_path / "trace.json")
    entries = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {
        x["pid"]: x["args"]["name"] for x in entries if x["name"] == "process_name"
    }
    assert list(names.values())[1:] == [PS, FIRST, SECOND]
    (exp,) = {(x["pid"], x["tid"]) for x in entries if x["name"] == "Exp"}
    assert names[exp[0]] == SECOND
    flows: dict[int, list[str]] = {}
    for x in entries:
        if x["ph"] in "sf":
            flows.setdefault(x["id"], []).append(names[x["pid"]])
    assert [FIRST, SECOND] in flows.values()


def test_the_picture_shows_all_tasks(cluster: Cluster) -> None:
    profile = recorded(spanning())
    for step in (None, 1):
        picture = profile.svg(step=step)
        ET.fromstring(picture)  # noqa: S314  it was made here
        for task in cluster.tasks:
            assert f">{task}{CPU}<" in picture


def between_client_and(task: str, profile: tl.profiler.Profile) -> None:
    """Hold what goes to a task and comes back against what is noted of it."""
    found = [
        (x.name, str(x.source), str(x.target), x.nbytes) for x in profile.transfers
    ]
    assert found == [
        ("feed 0", CPU, f"{task}{CPU}", 40_000),
        ("fetch 0", f"{task}{CPU}", CPU, 40_000),
    ]
    feed, fetch = profile.transfers
    (mul,) = [x for x in profile.events if x.op == "Mul"]
    assert feed.sent < feed.received <= mul.start
    assert mul.end <= fetch.sent < fetch.received


def fed() -> tl.profiler.Profile:
    x = tl.ones((100, 100))
    with tl.device(FIRST):
        (x * 2.0).numpy()
        with tl.profiler.trace() as profile:
            assert float((x * 2.0).numpy()[0, 0]) == 2
    return profile


def test_large_values_that_come_and_go_are_transfers(cluster: Cluster) -> None:
    between_client_and(FIRST, fed())


def test_eager_operators_are_their_tasks_and_have_their_lines(
    cluster: Cluster,
) -> None:
    with tl.device(FIRST):
        x = tl.ones(3)
        with tl.profiler.trace() as profile:
            y = x * 2.0
            y = y * 2.0
    muls = [x for x in profile.events if x.op == "Mul"]
    assert [str(x.device) for x in muls] == [f"{FIRST}{CPU}"] * 2
    assert muls[1].line.number == muls[0].line.number + 1
    assert y.tolist() == [4, 4, 4]
    assert profile.steps == []


def test_memory_of_tasks_of_one_process_is_that_of_the_process(
    cluster: Cluster,
) -> None:
    tl.config.memory_info("/device:CPU:0")
    step = spanning()
    profile = recorded(step)
    levels = profile._recorded.levels
    assert {str(level.device) for level in levels} == {CPU}
    assert all(level.live > 0 for level in levels)


def test_a_cluster_that_is_closed_meanwhile_leaves_what_came() -> None:
    with tl.profiler.trace():
        pass
    with tl.distribute.connect(SPEC, engine="inprocess") as cluster:
        step = spanning()
        step(tl.ones(3))
        with tl.profiler.trace() as profile:
            step(tl.ones(3))
            cluster.close()
    assert any(event.op == "Exp" for event in profile.events)


# Clocks and what is handed over.


def test_the_quickest_round_trip_tells_the_time() -> None:
    trips = [(0, 10_400, 1000), (2000, 12_105, 2200), (4000, 14_900, 5000)]
    assert ahead(trips) == (12_105, 10_005)


def test_a_clock_that_may_be_the_same_is() -> None:
    assert ahead([(100, 190, 200)]).ahead == 0
    assert ahead([(100, 210, 200)]).ahead == 60


def test_a_clock_that_goes_faster_is_slowed_down() -> None:
    rate, begin = 1.0001, 5_000_000

    def theirs(time: int) -> int:
        return round(begin + time * rate)

    first = ahead([(0, theirs(50), 100)])
    last = ahead([(10**9, theirs(10**9 + 50), 10**9 + 100)])
    common = common_clock(first, last)
    for time in (0, 10**8, 10**9):
        assert abs(common(theirs(time)) - time) <= 1
    assert common_clock(first, first)(theirs(0)) == -0


def noted(limit: int = 100) -> Recorder:
    """Return a recorder that holds one of everything."""
    recorder = Recorder(limit)
    here = tl.DeviceName.parse(CPU)
    work = Work("node", "y", "Mul", Line("train.py", 88, "step"), here)
    recorder.threads[17] = "work-1"
    recorder.notes.append((work, 17, 1000, 2000, 12, "KernelError"))
    recorder.spans.append(Span("call", "step", 3, 17, 900, 2100))
    other = tl.DeviceName.parse("/device:CPU:1")
    recorder.transfers.append(Transfer("x", here, other, 8, 1100, 1200))
    name = f"z from {PS}{CPU} to {FIRST}{CPU}"
    recorder.endings.append(Ending(1 << 61, name, (2, 5), True, 16, 1900))
    recorder.levels.append(Level(here, 1500, 640))
    recorder.dropped = 4
    return recorder


def test_notes_come_over_whole_and_on_the_clock_here() -> None:
    into = Recorder(100)
    unpack_into(into, packed(noted(), PS), PS, lambda time: time - 1000)
    ((work, thread, *rest),) = into.notes
    assert work == (
        "node",
        "y",
        "Mul",
        Line("train.py", 88, "step"),
        tl.DeviceName.parse(f"{PS}{CPU}"),
    )
    assert rest == [0, 1000, 12, "KernelError"]
    assert into.threads[thread] == f"{PS} work-1"
    assert into.tasks[thread] == PS
    assert into.spans == [Span("annotation", "step", -1, thread, -100, 1100)]
    (move,) = into.transfers
    assert str(move.target) == f"{PS}/device:CPU:1"
    assert (move.nbytes, move.sent, move.received) == (8, 100, 200)
    name = f"z from {PS}{CPU} to {FIRST}{CPU}"
    assert into.endings == [Ending(1 << 61, name, (2, 5), True, 16, 900)]
    assert into.levels == [Level(tl.DeviceName.parse(f"{PS}{CPU}"), 500, 640)]
    assert into.dropped == 4


def test_both_ends_make_a_transfer_and_one_alone_does_not() -> None:
    recorder = noted()
    name = f"z from {PS}{CPU} to {FIRST}{CPU}"
    assert len(rows.recording(recorder).transfers) == 1
    recorder.endings.append(Ending(1 << 61, name, (2, 6), False, 0, 2500))
    assert len(rows.recording(recorder).transfers) == 1
    recorder.endings.append(Ending(1 << 61, name, (2, 5), False, 0, 2500))
    move = rows.recording(recorder).transfers[-1]
    assert (move.name, str(move.source), str(move.target)) == (
        "z",
        f"{PS}{CPU}",
        f"{FIRST}{CPU}",
    )
    assert (move.nbytes, move.received - move.sent) == (16, 600)


def test_no_more_is_kept_than_the_limit_and_the_rest_is_counted() -> None:
    into = Recorder(2)
    for i in range(3):
        unpack_into(into, packed(noted(), PS), PS, lambda time, i=i: time - i)  # type: ignore[misc]
    into.trim()
    assert [note[2] for note in into.notes] == [998, 999]
    assert (len(into.spans), len(into.transfers)) == (2, 2)
    assert into.dropped == 3 * 4 + 3


# Tasks that are processes of their own, as far as they know.


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> dict[str, Recorder]:
    """Let tasks take notes as if they were alone in their process, and give where."""
    recorders: dict[str, Recorder] = {}

    def begin(recorder: Recorder) -> None:
        recorders[f"recorder {len(recorders)}"] = recorder

    begun = tracing.Recording.begin

    def strange(self: Any, client: str, asked: dict[str, Any]) -> bool:
        return begun(self, client, {**asked, "process": "another"})

    monkeypatch.setattr(tracing.Recording, "begin", strange)
    monkeypatch.setattr(timeline, "begin", begin)
    monkeypatch.setattr(timeline, "end", lambda _: None)
    return recorders


def recording_of(cluster: Cluster) -> Any:
    recorder = Recorder(100)
    return recorder, cluster.record(recorder)


def test_a_lost_task_is_missing_and_the_others_are_not(
    cluster: Cluster, apart: dict[str, Recorder]
) -> None:
    recorder, end = recording_of(cluster)
    for each in apart.values():
        each.notes += noted().notes
    engine: Any = cluster.engine
    engine.kill(FIRST)
    cluster.master.carrier.wait(lambda: FIRST in cluster.lost)
    end()
    assert {str(work.device) for work, *_ in recorder.notes} == {
        f"{PS}{CPU}",
        f"{SECOND}{CPU}",
    }
    assert recorder.missing.keys() == {FIRST}
    assert "killed" in recorder.missing[FIRST]


def test_a_task_that_was_started_anew_is_missing(
    cluster: Cluster, apart: dict[str, Recorder]
) -> None:
    recorder, end = recording_of(cluster)
    engine: Any = cluster.engine
    engine.kill(PS)
    cluster.master.carrier.wait(lambda: PS in cluster.lost)
    cluster.recover()
    end()
    assert "started anew" in recorder.missing[PS]
    assert len(apart) == 3


def test_one_client_at_a_time(cluster: Cluster, apart: dict[str, Recorder]) -> None:
    _, end = recording_of(cluster)
    with pytest.raises(
        tl.errors.FailedPreconditionError, match="one client at a time"
    ):
        recording_of(cluster)
    end()
    _, end = recording_of(cluster)
    end()
    assert len(apart) == 6


def test_a_client_that_goes_ends_its_recording(
    cluster: Cluster, apart: dict[str, Recorder]
) -> None:
    recording_of(cluster)
    engine: Any = cluster.engine
    worker: Worker = engine._tasks[PS].worker
    assert worker._recording._client == cluster.client
    cluster.close()
    worker._lost(cluster.client, "gone")
    assert worker._recording._client == ""
    assert timeline.current() is None


@pytest.mark.cluster
def test_processes_have_one_timeline(tmp_path: Path) -> None:
    with tl.distribute.connect(SPEC) as cluster:
        profile = recorded(spanning(), times=20)
        check(profile, times=20)
        assert not profile.missing
        again = recorded(spanning())
        check(again)
        between_client_and(FIRST, fed())
        with tl.profiler.trace(tmp_path / "trace.json.gz") as lost:
            with tl.device(FIRST):
                assert np.asarray(tl.ones(3) + 1.0).tolist() == [2, 2, 2]
            cluster.engine.kill(SECOND)
            cluster.master.carrier.wait(lambda: SECOND in cluster.lost, 30)
        assert lost.missing.keys() == {SECOND}
        assert {str(event.device) for event in lost.events} == {f"{FIRST}{CPU}"}
        assert "missing=1" in repr(lost)
