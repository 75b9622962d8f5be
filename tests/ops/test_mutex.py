"""Mutexes and critical sections: one at a time, released whatever happens, never a hang."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.op import Effect
from tensorlite.function.compile import Compiled
from tensorlite.graph.text import to_text
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.mutex import MutexLock, MutexState
from tensorlite.passes.verify import verify
from tests.threads import Background, until

errors = tl.errors


def state_of(lock: tl.queue.Mutex | tl.CriticalSection) -> MutexState:
    state: MutexState = lock.handle.array
    return state


def waiting(lock: tl.queue.Mutex | tl.CriticalSection) -> int:
    return state_of(lock).waiting("holds")


def test_a_lock_is_held_until_it_is_released() -> None:
    mutex = tl.queue.Mutex()
    lock = mutex.acquire()
    assert repr(lock.array) == "<lock of mutex 'mutex'>"
    with Background(mutex.acquire) as second:
        until(lambda: waiting(mutex) == 1)
        mutex.release(lock)
        mutex.release(second.result())
    assert not state_of(mutex).locked
    assert repr(lock.array) == "<released lock of mutex 'mutex'>"


def test_a_lock_that_is_dropped_is_released() -> None:
    mutex = tl.queue.Mutex()
    lock = mutex.acquire()
    with Background(mutex.acquire) as second:
        until(lambda: waiting(mutex) == 1)
        del lock
        mutex.release(second.result())
    assert not state_of(mutex).locked


def test_a_lock_dropped_while_the_mutex_is_busy_is_released_then() -> None:
    """As when the garbage collector finds it in the middle of something."""
    mutex = tl.queue.Mutex()
    lock = mutex.acquire()
    with state_of(mutex).lock:
        del lock
        assert state_of(mutex).locked
    answers: list[Any] = []
    MutexLock().start(answers.append, state_of(mutex))
    assert len(answers) == 1


def test_those_who_wait_are_served_in_their_order() -> None:
    mutex, answers = tl.queue.Mutex(), list[Any]()
    lock = mutex.acquire()

    def note(name: str) -> Callable[[Any], None]:
        return lambda held: answers.append((name, held))

    cancels = [MutexLock().start(note(name), state_of(mutex)) for name in "abc"]
    assert all(cancel is not None for cancel in cancels)
    cancels[1]()  # type: ignore[misc]
    mutex.release(lock)
    assert [name for name, _ in answers] == ["a"]
    answers[0][1].release()
    assert [name for name, _ in answers] == ["a", "c"]
    answers[1][1].release()
    assert not state_of(mutex).locked


def test_a_block_unlocks_whatever_happens() -> None:
    mutex = tl.queue.Mutex()
    with pytest.raises(errors.ShapeError), mutex:
        tl.reshape(tl.ones(3), (int(state_of(mutex).locked) + 1,))
    assert not state_of(mutex).locked


def test_locking_again_in_a_block_is_an_error() -> None:
    mutex, other = tl.queue.Mutex(), tl.queue.Mutex("other")
    with mutex, other:
        with (
            pytest.raises(errors.InvalidArgumentError, match="wait for itself"),
            mutex,
        ):
            pass
        with pytest.raises(errors.InvalidArgumentError, match="wait for itself"):
            other.acquire()
    assert not state_of(mutex).locked
    assert not state_of(other).locked


def test_locking_again_in_a_function_called_in_a_block_is_an_error() -> None:
    mutex = tl.queue.Mutex()
    total = tl.Variable(0)

    @tl.function
    def add() -> None:
        with mutex:
            total.assign_add(1)

    add()
    with mutex, pytest.raises(errors.InvalidArgumentError, match="wait for itself"):
        add()
    add()
    assert int(total) == 2


def test_wrong_releases_are_refused() -> None:
    mutex, other = tl.queue.Mutex("one"), tl.queue.Mutex("two")
    lock = mutex.acquire()
    with pytest.raises(errors.InvalidArgumentError, match="'two' is to be released"):
        other.release(lock)
    with pytest.raises(errors.DTypeError, match="no lock"):
        mutex.release(tl.ones(2))
    array = tl.TensorArray(tl.float32, size=1)
    with pytest.raises(errors.DTypeError, match="no lock"):
        mutex.release(array.flow)
    assert state_of(mutex).locked
    mutex.release(lock)
    with pytest.raises(errors.FailedPreconditionError, match="been released"):
        mutex.release(lock)
    assert not state_of(mutex).locked


def test_a_wait_says_for_what() -> None:
    wants = MutexLock().waits_for(state_of(tl.queue.Mutex("m")))
    assert wants.what == "mutex 'm', which is locked"
    section = tl.CriticalSection("s")
    assert (
        MutexLock().waits_for(state_of(section)).what.startswith("critical section")
    )


def adding(total: tl.Variable, mutex: tl.queue.Mutex) -> Any:
    @tl.function
    def add(x: tl.Tensor) -> tl.Tensor:
        with mutex:
            total.assign(total + x)
        return total.value()

    return add


def test_in_a_trace_reads_and_writes_of_the_block_are_under_the_lock() -> None:
    add = adding(tl.Variable(0), tl.queue.Mutex())
    graph = verify(add.get_concrete_function(tl.asarray(1)).graph)
    nodes = {node.name: node for node in graph.nodes}
    lock, unlock = nodes["MutexLock"], nodes["ConsumeMutexLock"]
    inside = [nodes["ReadVariableOp"], nodes["AssignVariableOp"]]
    assert all(lock in node.control for node in inside)
    assert all(node in unlock.control for node in inside)
    assert lock not in nodes["ReadVariableOp_1"].control


@pytest.mark.parametrize("times", [1, 3])
def test_in_a_trace_a_mutex_is_locked_again_and_again(times: int) -> None:
    mutex, total = tl.queue.Mutex(), tl.Variable(0)

    @tl.function
    def add(n: tl.Tensor) -> tl.Tensor:
        for i in tl.range(n):
            with mutex:
                total.assign_add(i)
        with mutex:
            total.assign_add(100)
        with mutex:
            total.assign(total * 2)
        return total.value()

    for _ in range(times):
        total.assign(0)
        assert int(add(tl.asarray(4))) == 212
    assert not state_of(mutex).locked


def test_a_step_that_fails_releases_its_locks() -> None:
    mutex, total = tl.queue.Mutex(), tl.Variable(0)

    @tl.function
    def check(x: tl.Tensor) -> None:
        with mutex:
            tl.debugging.assert_true(total + x >= 0, "negative")

    kept = []
    for x in (1, -5, 1, -5):
        try:
            check(tl.asarray(x))
        except errors.AssertionFailedError as error:
            kept.append(error)
        assert not state_of(mutex).locked
    assert len(kept) == 2


def test_a_step_that_fails_elsewhere_releases_its_locks() -> None:
    mutex, queue = tl.queue.Mutex(), tl.queue.FIFOQueue(1, tl.int32, shapes=())

    @tl.function
    def stuck() -> None:
        with mutex:
            queue.dequeue()

    with Background(stuck) as running:
        until(lambda: state_of(mutex).locked and bool(queue.handle.array.taking))
        queue.close()
        with pytest.raises(errors.OutOfRangeError) as caught:
            running.result()
    assert caught.value is not None
    assert not state_of(mutex).locked


def test_threads_add_under_a_mutex_and_lose_nothing() -> None:
    total = tl.Variable(0)
    add = adding(total, tl.queue.Mutex())

    def work() -> None:
        for _ in range(60):
            add(tl.asarray(1))

    for one in [Background(work) for _ in range(8)]:
        one.result()
    assert int(total) == 480


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


def test_threads_add_eagerly_under_a_mutex_and_lose_nothing() -> None:
    mutex, total = tl.queue.Mutex(), tl.Variable(0)

    def work() -> None:
        for _ in range(60):
            with mutex:
                total.assign(total + 1)

    for one in [Background(work) for _ in range(8)]:
        one.result()
    assert int(total) == 480


def test_in_sessions_a_mutex_guards_what_is_fetched() -> None:
    mutex, total = tl.queue.Mutex(), tl.Variable(0)
    graph = tl.Graph()
    with graph.as_default():
        lock = mutex.acquire()
        total.assign(total + 1)
        done = mutex.release(lock)
        with pytest.raises(errors.FailedPreconditionError, match="fetch what"), mutex:
            pass
    with tl.Session(graph) as session:

        def work() -> None:
            for _ in range(40):
                session.run(done)

        for one in [Background(work) for _ in range(6)]:
            one.result()
    assert int(total) == 240
    assert not state_of(mutex).locked


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
    prints = [x for x in nodes if x.op.name == "Print"]
    assert prints[0] in call.control
    assert call in prints[1].control


def test_a_graph_with_a_section_travels() -> None:
    section, total = tl.CriticalSection(), tl.Variable(0)
    graph = counted(section, total).get_concrete_function(tl.asarray(1)).graph
    found = verify(from_bytes(to_bytes(graph), Compiled))
    assert to_text(found) == to_text(graph)


def test_failed_steps_hold_no_lock_though_their_errors_are_kept() -> None:
    mutex, total = tl.queue.Mutex(), tl.Variable(0)
    kept: list[Exception] = []

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with mutex:
            total.assign(total + 1)
        return tl.sin(x * 2.0)

    def run(k: int) -> int:
        done = 0
        for i in range(40):
            try:
                with tl.debugging.faults(40 * k + i, kernels=0.1):
                    step(tl.asarray(1.0))
                done += 1
            except errors.InjectedError as error:
                kept.append(error)
        return done

    threads = [Background(run, k) for k in range(6)]
    done = sum([thread.result() for thread in threads])
    assert done + len(kept) == 240
    assert len(kept) > 20
    assert done <= total.item() <= 240
    assert not state_of(mutex).locked
