"""Critical sections: functions that run one at a time, whatever happens, and never a hang."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.op import Effect
from tensorlite.function.compile import Compiled
from tensorlite.graph.text import to_text
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.queues.mutex import MutexState
from tensorlite.passes.verify import verify
from tests.threads import Background

errors = tl.errors


def state_of(lock: tl.queue.Mutex | tl.CriticalSection) -> MutexState:
    state: MutexState = lock.handle.array
    return state


def waiting(lock: tl.queue.Mutex | tl.CriticalSection) -> int:
    return state_of(lock).waiting("holds")


def counted(section: tl.CriticalSection, total: tl.Variable) -> Any:
    @tl.function
    def count(x: tl.Tensor) -> Any:
        def body() -> Any:
            total.assign(total + x)
            return {"total": total.value(), "twice": 2 * x, "name": "count"}

        return section.execute(body)

    return count


def test_a_section_returns_what_its_function_returns() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    count = counted(section, total)
    found = count(tl.asarray(3))
    assert (int(found["total"]), int(found["twice"]), found["name"]) == (
        3,
        6,
        "count",
    )
    assert section.execute(lambda: 5) == 5
    assert section.execute(lambda: None) is None
    assert not state_of(section).locked


@pytest.mark.parametrize("traced", [False, True])
def test_threads_lose_nothing_in_a_section(traced: bool) -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    count = counted(section, total)

    def work() -> None:
        for _ in range(40):
            if traced:
                count(tl.asarray(1))
            else:
                section.execute(lambda: total.assign(total + 1))

    for one in [Background(work) for _ in range(8)]:
        one.result()
    assert int(total) == 320


def test_in_sessions_executions_are_one_at_a_time() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    graph = tl.Graph()

    def body() -> tl.Tensor:
        total.assign(total + 1)
        return tl.identity(total.value())

    with graph.as_default():
        first, second = section.execute(body), section.execute(body)
        nothing = section.execute(lambda: None)
    with tl.Session(graph) as session:
        assert session.run(nothing) is None
        session.run([first, second])
        session.run(first)
    assert not state_of(section).locked


def test_an_error_releases_the_lock() -> None:
    section, total = tl.CriticalSection(), tl.Variable(-1)

    def body() -> tl.Tensor:
        tl.debugging.assert_true(total >= 0, "negative")
        return total.value()

    traced = tl.function(lambda: section.execute(body))
    runs: list[Callable[[], Any]] = [traced, lambda: section.execute(body), traced]
    kept = []
    for run in runs:
        with pytest.raises(errors.AssertionFailedError, match="negative") as caught:
            run()
        kept.append(caught.value)
        assert not state_of(section).locked
    total.assign(7)
    assert int(traced()) == 7


def test_entering_again_is_an_error() -> None:
    section, total = tl.CriticalSection("once"), tl.Variable(0)
    count = counted(section, total)
    count(tl.asarray(1))
    again: list[Callable[[], object]] = [
        lambda: section.execute(lambda: section.execute(lambda: 1)),
        lambda: section.execute(lambda: count(tl.asarray(1))),
        tl.function(lambda: section.execute(lambda: section.execute(lambda: 1))),
        tl.function(lambda: section.execute(lambda: count(tl.asarray(1)))),
    ]
    for run in again:
        with pytest.raises(errors.InvalidArgumentError, match="wait for itself"):
            run()
        assert not state_of(section).locked
    assert int(total) == 1


def test_what_is_needed_from_around_is_computed_before_locking() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    count = counted(section, total)

    @tl.function
    def nested(x: tl.Tensor) -> Any:
        inner = count(x)["total"]
        return section.execute(lambda: total.value() + inner)

    assert int(nested(tl.asarray(2))) == 4


def test_two_sections_with_one_resource_are_refused() -> None:
    one, other, total = (
        tl.CriticalSection("one"),
        tl.CriticalSection("two"),
        tl.Variable(0),
    )

    def both(first: bool, second: bool) -> Any:
        @tl.function
        def run() -> tl.Tensor:
            a = one.execute(lambda: total.value() + 1, first)
            b = other.execute(
                lambda: total.value() + 2, exclusive_resource_access=second
            )
            return a + b

        return run

    for first, second in ((True, True), (True, False), (False, True)):
        with pytest.raises(errors.InvalidArgumentError, match="two and one both"):
            both(first, second)()
    assert int(both(False, False)()) == 3


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(errors.DTypeError, match="fn"):
        tl.CriticalSection().execute(5)  # type: ignore[arg-type]


def test_a_gradient_through_a_section_is_an_error_in_a_trace() -> None:
    section, w = tl.CriticalSection(), tl.Variable(3.0)

    def slope() -> Any:
        with tl.GradientTape() as tape:
            y = section.execute(lambda: w * w)
        return tape.gradient(y, w)

    assert float(slope()) == 6.0
    with pytest.raises(errors.GradientError, match="inside the function"):
        tl.function(slope)()

    def slope_inside() -> Any:
        with tl.GradientTape() as tape:
            y = w * w
        return tape.gradient(y, w)

    assert float(tl.function(lambda: section.execute(slope_inside))()) == 6.0


def test_effects_of_the_function_are_ordered_in_the_program() -> None:
    section = tl.CriticalSection()

    @tl.function
    def said() -> None:
        tl.print("before")
        section.execute(lambda: tl.print("inside"))
        tl.print("after")

    nodes = said.get_concrete_function().graph.nodes
    call = next(x for x in nodes if x.op.name == "ExecuteInCriticalSection")
    assert call.op.effect is Effect.IO
    prints = [x for x in nodes if x.op.name == "PrintPieces"]
    assert prints[0] in call.control
    assert call in prints[1].control


def test_a_graph_with_a_section_travels() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    graph = counted(section, total).get_concrete_function(tl.asarray(1)).graph
    found = verify(from_bytes(to_bytes(graph), Compiled))
    assert to_text(found) == to_text(graph)


def test_threads_whose_steps_fail_leave_the_section() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)

    @tl.function
    def add(x: tl.Tensor) -> Any:
        def body() -> tl.Tensor:
            before = total.value()
            total.assign(before + x)
            tl.debugging.assert_true(x != 1, "none of these")
            return before

        tl.debugging.assert_true(x != 0, "nothing to add")
        return section.execute(body)

    def work() -> list[Exception]:
        kept: list[Exception] = []
        for i in range(40):
            try:
                add(tl.asarray(i % 4))
            except errors.AssertionFailedError as error:
                kept.append(error)
        return kept

    for one in [Background(work) for _ in range(6)]:
        assert len(one.result()) == 20
    assert 6 * 10 * (2 + 3) <= int(total) <= 6 * 10 * (1 + 2 + 3)
    assert not state_of(section).locked
