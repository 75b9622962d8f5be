"""tl.profiler: all that runs is recorded once, computes what it would, and is told rightly."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import current
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.profiler import Event, Profile
from tensorlite.runtime import timeline
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.programs import FLOAT, collatz

FIRST, SECOND = DeviceName.parse("/device:CPU:0"), DeviceName.parse("/device:CPU:1")


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """Assert that no test leaves a recording, or an interpreter, behind."""
    yield
    assert timeline.current() is None
    assert current.get() is None


@tl.function
def affine(x: tl.Tensor) -> tl.Tensor:
    return tl.tanh(x * 3.0) + 1.0


@tl.function
def failing(x: tl.Tensor) -> tl.Tensor:
    tl.debugging.assert_less(x, 0.0)
    return x


def ops(profile: Profile, kind: str = "node") -> Counter[str]:
    """Return how often each operator ran, nodes or eager ones."""
    return Counter(event.op for event in profile.events if event.kind == kind)


def test_nodes_are_recorded_with_their_lines_and_sizes() -> None:
    with tl.profiler.trace() as profile:
        affine(tl.ones((2, 3)))
    nodes = [event for event in profile.events if event.kind == "node"]
    assert [event.op for event in nodes] == ["Mul", "Tanh", "AddV2"]
    for event in nodes:
        assert event.line.file == __file__
        assert event.line.function == "affine"
        assert event.nbytes == 24
        assert event.device == FIRST
        assert event.step == 0
        assert 0 <= event.start <= event.end
        assert event.own == event.duration


@pytest.mark.parametrize("runner", ["structured", "frames"])
def test_every_runner_is_recorded(runner: str) -> None:
    turns = tl.function(collatz, runner=runner)
    with tl.profiler.trace() as profile:
        found = turns(tl.asarray(6))
    assert found == 8
    counted = ops(profile)
    assert counted["Greater"] == 9
    assert counted["FloorDiv"] == 6
    assert counted["While"] == (runner == "structured")


def test_hand_made_graphs_are_recorded() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = graph.add_input(FLOAT)
        y = tl.exp(x)
        with tl.profiler.trace() as profile:
            z = tl.sin(y)
            assert isinstance(z, SymbolicTensor)
            run_plan(compile_plan(graph, [x], [z]), [np.asarray(1.0, "f")])
    assert ops(profile) == {"Exp": 1, "Sin": 1}
    assert not ops(profile, "eager")


def test_eager_operators_are_recorded_with_the_users_line() -> None:
    x = tl.ones((4,))
    with tl.profiler.trace() as profile:
        y = tl.exp(x + 1) * 2.0
    np.testing.assert_allclose(y.numpy(), np.exp(2) * 2, rtol=1e-6)
    assert ops(profile, "eager") == {"AddV2": 1, "Exp": 1, "Mul": 1}
    for event in profile.events:
        assert event.line.file == __file__
        assert event.line.function.startswith("test_eager_operators")
    with tl.profiler.trace(eager=False) as profile:
        tl.exp(x)
    assert not profile.events


@pytest.mark.parametrize("order", ["tape outside", "tape inside"])
def test_tapes_see_what_they_would(order: str) -> None:
    x = tl.asarray(2.0)

    def gradient(watching: Any, recording: Any) -> tl.Tensor:
        with watching, recording:
            tape.watch(x)
            y = affine(x * x) + tl.sin(x)
        found = tape.gradient(y, x)
        assert isinstance(found, tl.Tensor)
        return found

    tape = tl.GradientTape()
    with tape:
        tape.watch(x)
        y = affine(x * x) + tl.sin(x)
    expected = tape.gradient(y, x)
    tape = tl.GradientTape()
    trace = tl.profiler.trace()
    outside = order == "tape outside"
    found = gradient(tape, trace) if outside else gradient(trace, tape)
    assert found.numpy().tobytes() == expected.numpy().tobytes()


def test_tracing_is_not_recorded_and_gives_the_same_graph() -> None:
    def program(x: tl.Tensor) -> tl.Tensor:
        return tl.exp(x + 1.0)

    before = tl.function(program).get_concrete_function(FLOAT).text()
    with tl.profiler.trace() as profile:
        inside = tl.function(program).get_concrete_function(FLOAT).text()
    assert inside == before
    assert not profile.events


def test_all_threads_are_recorded() -> None:
    affine(tl.asarray(0.0))
    barrier = Barrier(4)

    def work() -> None:
        barrier.wait()
        for _ in range(50):
            affine(tl.asarray(1.0))

    threads = [Thread(target=work, name=f"worker {i}") for i in range(4)]
    with tl.profiler.trace() as profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert ops(profile) == {"Mul": 200, "Tanh": 200, "AddV2": 200}
    assert len(profile.steps) == 200
    assert sorted({step.number for step in profile.steps}) == list(range(200))
    assert Counter(event.step for event in profile.events) == dict.fromkeys(
        range(200), 3
    )


def test_a_plan_is_instrumented_once_for_all_recordings() -> None:
    with tl.profiler.trace() as first:
        affine(tl.asarray(1.0))
    affine(tl.asarray(1.0))
    with tl.profiler.trace() as second:
        affine(tl.asarray(1.0))
    plan = affine.get_concrete_function(FLOAT).plan
    assert "timeline" not in plan.prepared["timeline"].prepared
    assert ops(first) == ops(second) == {"Mul": 1, "Tanh": 1, "AddV2": 1}


def test_what_runs_within_is_not_counted_twice() -> None:
    with tl.profiler.trace() as profile:
        tl.function(collatz)(tl.asarray(27))
    (loop,) = [event for event in profile.events if event.op == "While"]
    assert 0 < loop.inside <= loop.duration
    table = profile.table("op")
    whole = sum(event.own for event in profile.events)
    assert sum(row.own for row in table) == whole
    assert sum(row.share for row in table) == pytest.approx(1.0)
    (row,) = [row for row in table if row.key == "While"]
    assert row.total == loop.duration
    assert row.own == loop.duration - loop.inside


def test_steps_marked_by_hand_count_before_calls() -> None:
    with tl.profiler.trace() as profile:
        for i in (5, 6):
            with tl.profiler.step(i):
                affine(tl.asarray(1.0))
                affine(tl.asarray(1.0))
        affine(tl.asarray(1.0))
    assert [step.number for step in profile.steps] == [5, 6]
    assert Counter(event.step for event in profile.events) == {5: 6, 6: 6, None: 3}


def test_calls_within_calls_are_of_one_step() -> None:
    @tl.function
    def outer(x: tl.Tensor) -> tl.Tensor:
        y = tl.py_function(affine, [x], tl.float32)
        assert isinstance(y, tl.Tensor)
        return y

    with tl.profiler.trace() as profile:
        outer(tl.asarray(1.0))
    assert [span.name for span in profile.spans] == ["affine", "outer"]
    assert [step.name for step in profile.steps] == ["outer"]
    assert {event.step for event in profile.events} == {profile.steps[0].number}


def test_tables_are_by_what_is_asked() -> None:
    x = tl.ones(1000)
    with tl.profiler.trace(eager=False) as profile:
        for _ in range(3):
            affine(x)
    table = profile.table("op")
    assert {row.key: (row.count, row.nbytes) for row in table} == {
        "Mul": (3, 12000),
        "Tanh": (3, 12000),
        "AddV2": (3, 12000),
    }
    owns = [row.own for row in table]
    assert owns == sorted(owns, reverse=True)
    assert all(row.mean == row.total / 3 for row in table)
    (line,) = profile.table("line")
    assert line.key == str(profile.events[0].line)
    (device,) = profile.table("device")
    assert (device.key, device.count) == ("/device:CPU:0", 9)
    assert {row.key for row in profile.table("node")} == {
        event.name for event in profile.events
    }
    lines = str(table).splitlines()
    assert lines[0].split() == [
        *["op", "count", "total", "ms", "own", "ms", "mean", "ms"],
        *["share", "bytes", "mostly", "from"],
    ]
    assert len(lines) == 4
    assert "12,000" in lines[1]
    assert "test_profiler.py" in lines[1]
    assert len(str(table[:1]).splitlines()) == 2
    with pytest.raises(tl.errors.InvalidArgumentError, match="'op', 'node'"):
        profile.table("colour")


def test_an_error_is_recorded_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    with (
        pytest.raises(tl.errors.AssertionFailedError),
        tl.profiler.trace(path) as profile,
    ):
        failing(tl.asarray(1.0))
    failed = [event.op for event in profile.events if event.error]
    assert failed == ["Assert"]
    arguments = [
        x.get("args", {}) for x in json.loads(path.read_text())["traceEvents"]
    ]
    assert "AssertionFailedError" in [x.get("error") for x in arguments]
    with tl.profiler.trace() as profile, pytest.raises(tl.errors.ShapeError):
        tl.matmul(tl.ones((2, 3)), tl.ones((2, 3)))
    assert [x.error for x in profile.events if x.op.endswith("MatMul")] == [
        "ShapeError"
    ]


def test_no_more_than_the_limit_is_kept() -> None:
    with tl.profiler.trace(limit=10) as profile:
        for _ in range(20):
            affine(tl.asarray(1.0))
    assert len(profile.events) == 10
    assert profile.dropped == 60 - 10 + 20 - 10
    assert "dropped=60" in repr(profile)


def test_one_recording_at_a_time() -> None:
    with tl.profiler.trace() as profile:
        with (
            pytest.raises(tl.errors.FailedPreconditionError, match="already"),
            tl.profiler.trace(),
        ):
            pass
        with pytest.raises(tl.errors.FailedPreconditionError, match="already"):
            tl.profiler.start()
        affine(tl.asarray(1.0))
    assert len(profile.events) == 3
    with pytest.raises(tl.errors.FailedPreconditionError, match="nothing is being"):
        tl.profiler.stop()


def test_a_path_is_checked_before_anything_runs(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "trace.json", tmp_path):
        ran = []
        with (
            pytest.raises(tl.errors.InvalidArgumentError, match="cannot be written"),
            tl.profiler.trace(path),
        ):
            ran.append(path)
        assert not ran
    with tl.profiler.trace() as profile:
        affine(tl.asarray(1.0))
    with pytest.raises(tl.errors.InvalidArgumentError, match="cannot be written"):
        profile.save(tmp_path)


def test_arguments_that_make_no_sense() -> None:
    bad = tl.errors.InvalidArgumentError
    for limit in (0, -1, 2.5, "many"):
        with pytest.raises(bad, match="limit="), tl.profiler.trace(limit=limit):  # type: ignore[arg-type]
            pass
    for number in (-1, 1.5, None):
        with pytest.raises(bad, match="step"), tl.profiler.step(number):  # type: ignore[arg-type]
            pass
    with pytest.raises(bad, match="a name is a str"), tl.profiler.annotate(3):  # type: ignore[arg-type]
        pass
    with tl.profiler.trace() as profile, tl.profiler.step(1):
        affine(tl.asarray(1.0))
    with pytest.raises(bad, match=r"there are \[1\]"):
        profile.svg(step=2)
    with pytest.raises(bad, match="width=10"):
        profile.svg(width=10)


def test_it_is_not_for_traced_functions() -> None:
    @tl.function
    def traced(x: tl.Tensor) -> tl.Tensor:
        with tl.profiler.trace():
            return x + 1.0

    with pytest.raises(tl.errors.TracingError, match="around the call"):
        traced(tl.asarray(1.0))


def test_start_and_stop_need_not_nest_with_tapes() -> None:
    x = tl.asarray(3.0)
    tl.profiler.start()
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        profile = tl.profiler.stop()
        y = y * x
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 27.0)
    assert ops(profile, "eager") == {"Mul": 1}
    tl.exp(x)
    assert current.get() is None


def test_marks_without_a_recording_do_nothing() -> None:
    with tl.profiler.annotate("load"), tl.profiler.step(3):
        assert affine(tl.asarray(0.0)) == 1.0
    with tl.profiler.trace() as profile:
        assert not profile.events
        affine(tl.asarray(0.0))
        assert len(profile.events) == 3
    assert isinstance(profile.events[0], Event)
