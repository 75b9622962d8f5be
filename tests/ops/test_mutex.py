"""Mutexes: one at a time, released whatever happens, never a hang."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.ops.queues.mutex import MutexLock, MutexState
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
