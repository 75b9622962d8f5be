"""Coordinators and the threads they stop, queues that threads fill, and deadlocks."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.deadlock import Parties
from tests.begun import fifo, in_line, state_of
from tests.threads import LONG, Background, until

errors = tl.errors


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    until(
        lambda: (
            not [
                thread
                for thread in set(threading.enumerate()) - before
                if not thread.name.startswith("tensorlite /")  # a device's own
            ]
        )
    )


def numbers(queue: tl.queue.QueueBase, most: int) -> Any:
    """Return a function that enqueues 0, 1, ... and then says that there are no more."""
    source = iter(range(most))
    lock = threading.Lock()

    def produce() -> None:
        with lock:
            number = next(source, None)
        if number is None:
            raise errors.OutOfRangeError("no more numbers")
        queue.enqueue(number)

    return produce


def drained(queue: tl.queue.QueueBase) -> list[int]:
    found = []
    while True:
        try:
            found.append(int(queue.dequeue()))
        except errors.OutOfRangeError:
            return found


def take_beside(
    queue: tl.queue.QueueBase,
    step: Any,
    name: str | None = None,
    deadlocks: Parties = "own threads",
) -> None:
    """Take from a queue that a thread fills, under a coordinator; other threads do not count."""
    with tl.queue.Coordinator(deadlocks=deadlocks) as coord:
        runner = tl.queue.QueueRunner(queue, [step], name=name)
        runner.create_threads(coord=coord, start=True)
        queue.dequeue()


# --- the coordinator ----------------------------------------------------------------------------


def test_a_stop_is_asked_for_and_taken_back() -> None:
    coord = tl.queue.Coordinator()
    assert not coord.should_stop()
    assert not coord.wait_for_stop(timeout=0)
    coord.request_stop()
    assert coord.should_stop()
    assert coord.wait_for_stop()
    coord.join()
    assert coord.joined
    coord.clear_stop()
    assert not coord.should_stop()
    assert not coord.joined


def test_join_raises_the_first_error_where_it_arose() -> None:
    coord = tl.queue.Coordinator()

    def breaks() -> None:
        with coord.stop_on_exception():
            raise OSError("disk on fire")

    thread = Thread(target=breaks)
    coord.register_thread(thread)
    thread.start()
    with pytest.raises(OSError, match="disk on fire") as caught:
        coord.join()
    coord.request_stop(ValueError("later"))
    assert "breaks" in [entry.name for entry in caught.traceback]
    with pytest.raises(OSError, match="disk on fire"):
        coord.raise_requested_exception()


def test_the_end_of_a_source_is_no_error() -> None:
    coord = tl.queue.Coordinator()
    with coord.stop_on_exception():
        raise errors.OutOfRangeError("no more")
    coord.join()
    other = tl.queue.Coordinator(clean_stop_exception_types=[OSError])
    other.request_stop(errors.OutOfRangeError("no more"))
    with pytest.raises(errors.OutOfRangeError):
        other.join()


def test_threads_that_do_not_stop_are_named() -> None:
    coord, go_on = tl.queue.Coordinator(), Event()
    thread = Thread(target=go_on.wait, name="deaf")
    thread.start()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="still running: deaf"):  # as TensorFlow's
        coord.join([thread], stop_grace_period_secs=0)
    coord.join([thread], stop_grace_period_secs=0, ignore_live_threads=True)
    go_on.set()
    coord.join([thread])


def test_a_context_stops_and_joins() -> None:
    with tl.queue.Coordinator() as coord:
        thread = Thread(target=coord.wait_for_stop)
        coord.register_thread(thread)
        thread.start()
    assert not thread.is_alive()


def test_a_context_raises_what_its_block_does_and_swallows_the_end() -> None:
    with pytest.raises(ValueError, match="mine"), tl.queue.Coordinator():
        raise ValueError("mine")
    with tl.queue.Coordinator():
        raise errors.OutOfRangeError("no more")


def test_an_end_that_comes_of_an_error_is_one() -> None:
    q, coord = fifo(), tl.queue.Coordinator()
    q.close(error=OSError("disk on fire"))
    with coord.stop_on_exception():
        q.dequeue()
    with pytest.raises(errors.OutOfRangeError, match="disk on fire"):
        coord.join()


def test_what_looks_for_deadlocks_is_one_of_three() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="'own threads' and None"):
        tl.queue.Coordinator(deadlocks="some")  # type: ignore[arg-type]


# --- threads that fill queues -------------------------------------------------------------------


def test_a_runner_fills_its_queue_and_closes_it() -> None:
    q = fifo(3)
    runner = tl.queue.QueueRunner(q, [numbers(q, 100)])
    (thread,) = runner.create_threads(start=True)
    assert thread.name == "fifo_queue filler"
    assert drained(q) == list(range(100))
    thread.join()
    assert runner.exceptions_raised == []


def test_the_last_of_several_threads_closes() -> None:
    q = fifo(3)
    produce = numbers(q, 100)
    runner = tl.queue.QueueRunner(q, [produce] * 3, name="input")
    threads = runner.create_threads(start=True)
    assert [x.name for x in threads] == [f"input filler {i}" for i in range(3)]
    assert sorted(drained(q)) == list(range(100))
    for thread in threads:
        thread.join()


def test_a_coordinator_stops_a_runner_that_waits() -> None:
    q = fifo(2)
    with tl.queue.Coordinator() as coord:
        runner = tl.queue.QueueRunner(q, [lambda: q.enqueue(1)])
        runner.create_threads(coord=coord, start=True)
        until(lambda: in_line(q) == 1)
    assert bool(q.is_closed())
    assert drained(q) == [1, 1]


def test_the_error_of_a_runner_is_told_to_who_takes_and_who_joins() -> None:
    q = fifo(2)
    broken = OSError("disk on fire")

    def breaks() -> None:
        q.enqueue(1)
        raise broken

    coord = tl.queue.Coordinator()
    tl.queue.QueueRunner(q, [breaks]).create_threads(coord=coord, start=True)
    assert int(q.dequeue()) == 1
    with pytest.raises(errors.OutOfRangeError, match="disk on fire") as caught:
        q.dequeue()
    assert caught.value.__cause__ is broken
    with pytest.raises(OSError, match="disk on fire") as joined:
        coord.join()
    assert "breaks" in [entry.name for entry in joined.traceback]


def test_an_error_comes_through_a_chain_of_queues() -> None:
    first, second = fifo(2, name="first"), fifo(2, name="second")
    broken = OSError("disk on fire")

    def breaks() -> None:
        raise broken

    def moves() -> None:
        second.enqueue(first.dequeue() + 1)

    runners = [
        tl.queue.QueueRunner(first, [breaks]),
        tl.queue.QueueRunner(second, [moves]),
    ]
    threads = [runner.create_threads(start=True)[0] for runner in runners]
    with pytest.raises(errors.OutOfRangeError, match="disk on fire") as caught:
        second.dequeue()
    assert caught.value.__cause__ is broken
    for thread in threads:
        thread.join()
    assert [runner.exceptions_raised for runner in runners] == [[broken], [broken]]


def test_a_block_that_finds_a_broken_queue_raises_what_broke_it() -> None:
    q = fifo(2)

    def breaks() -> None:
        raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        take_beside(q, breaks)


def test_a_runner_ends_when_somebody_closes_its_queue() -> None:
    q = fifo(1)
    runner = tl.queue.QueueRunner(q, [lambda: q.enqueue(1)])
    (thread,) = runner.create_threads(start=True)
    until(lambda: in_line(q) == 1)
    q.close(cancel_pending_enqueues=True)
    thread.join()
    assert runner.exceptions_raised == []
    assert runner.create_threads()


def test_a_runner_runs_traced_functions_and_nodes_of_a_graph() -> None:
    q, count = fifo(4), tl.Variable(0)

    @tl.function
    def step() -> None:
        count.assign_add(1)
        q.enqueue(count * 10)

    with tl.queue.Coordinator() as coord:
        runner = tl.queue.QueueRunner(q, [step])
        runner.create_threads(coord=coord, start=True)
        assert [int(q.dequeue()) for _ in range(3)] == [10, 20, 30]

    other, graph = fifo(4), tl.Graph()
    with graph.as_default():
        enqueue = other.enqueue(7)
    assert enqueue is not None
    runner = tl.queue.QueueRunner(other, [enqueue])
    with pytest.raises(errors.InvalidArgumentError, match="needs a session"):
        runner.create_threads()
    with tl.queue.Coordinator() as coord:
        runner.create_threads(tl.Session(graph), coord, start=True)
        assert [int(other.dequeue()) for _ in range(6)] == [7] * 6


def test_a_runner_that_cannot_be_is_refused() -> None:
    q = fifo(1)
    with pytest.raises(errors.DTypeError, match="fills a queue"):
        tl.queue.QueueRunner(3, [q.dequeue])  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="list of one or more"):
        tl.queue.QueueRunner(q, [])
    with pytest.raises(errors.InvalidArgumentError, match="list of one or more"):
        tl.queue.QueueRunner(q, q.dequeue)  # type: ignore[arg-type]


def test_a_runner_has_one_set_of_threads_at_a_time() -> None:
    q = fifo(1)
    runner = tl.queue.QueueRunner(q, [lambda: q.enqueue(1)])
    with tl.queue.Coordinator() as coord:
        runner.create_threads(coord=coord, start=True)
        with pytest.raises(errors.FailedPreconditionError, match="still run"):
            runner.create_threads(coord=coord)


# --- deadlocks ----------------------------------------------------------------------------------


def crossed() -> tuple[tl.queue.FIFOQueue, tl.queue.FIFOQueue, Any]:
    """Return two queues, and what puts six into the small one before it puts into the other."""
    a, b = fifo(10, name="a"), fifo(5, name="b")

    def produce() -> None:
        for i in range(6):
            b.enqueue(i)
        a.enqueue(b.size())

    return a, b, produce


def test_a_deadlock_is_told_as_who_waits_for_whom() -> None:
    a, b, produce = crossed()
    b.enqueue_many([[1, 2]])
    assert b.dequeue_many(2).tolist() == [1, 2]
    with pytest.raises(errors.DeadlockError) as caught:
        take_beside(a, produce, "x")
    text = str(caught.value)
    me = threading.current_thread().name
    assert f"{me} waits for an element of FIFOQueue 'a' (0 of 10 elements)" in text
    assert "which x filler fills [" in text
    assert "x filler waits for room in FIFOQueue 'b' (5 of 5 elements)" in text
    assert f"which {me} drains [" in text
    assert text.count("test_coordinator.py") == 2
    assert in_line(a) == in_line(b) == 0
    assert b.dequeue_many(5).tolist() == [0, 1, 2, 3, 4]


def test_a_deadlock_is_told_to_who_joins() -> None:
    a, _, produce = crossed()
    coord = tl.queue.Coordinator(deadlocks="own threads")
    tl.queue.QueueRunner(a, [produce]).create_threads(coord=coord, start=True)
    with pytest.raises(errors.DeadlockError, match="waits for the end of a filler"):
        coord.join()


def test_a_thread_that_ends_without_closing_leaves_a_deadlock() -> None:
    q, coord = fifo(1), tl.queue.Coordinator(deadlocks="own threads")
    coord.register_thread(Background(coord.wait_for_stop).thread)
    with pytest.raises(
        errors.DeadlockError, match="no other thread that lives fills"
    ):
        q.dequeue()
    coord.request_stop()


def test_a_traced_step_can_be_in_a_deadlock() -> None:
    a, _, produce = crossed()
    with pytest.raises(errors.DeadlockError, match="room in FIFOQueue 'b'"):
        take_beside(a, tl.function(produce))


def test_a_step_that_takes_can_be_in_a_deadlock() -> None:
    a, _, produce = crossed()

    @tl.function
    def step() -> Any:
        return a.dequeue() + a.dequeue()

    with tl.queue.Coordinator(deadlocks="own threads") as coord:
        runner = tl.queue.QueueRunner(a, [produce], name="x")
        runner.create_threads(coord=coord, start=True)
        with pytest.raises(errors.DeadlockError, match="which x filler fills"):
            step()
    assert in_line(a) == 0


def test_there_is_no_deadlock_while_a_thread_may_act() -> None:
    a, b, produce = crossed()
    go_on = Event()

    def acts_late() -> list[int]:
        assert go_on.wait(LONG)
        return [int(b.dequeue()) for _ in range(3)]

    late = Background(acts_late)
    with tl.queue.Coordinator() as coord:
        tl.queue.QueueRunner(a, [produce]).create_threads(coord=coord, start=True)
        with Background(a.dequeue) as waiting:
            until(lambda: in_line(a) == in_line(b) == 1)
            # All wait but the one that has touched nothing yet, and this one.
            assert not coord.wait_for_stop(timeout=0.3)
            go_on.set()
        assert int(waiting.result()) <= 5
    assert late.result() == [0, 1, 2]


def test_what_writes_summaries_helps_nobody(tmp_path: Path) -> None:
    a, _, produce = crossed()
    with (
        tl.summary.FileWriter(str(tmp_path)),
        pytest.raises(errors.DeadlockError),
    ):
        take_beside(a, produce, deadlocks="all threads")


def test_elements_that_are_ready_ahead_help_nobody() -> None:
    a, _, produce = crossed()
    elements = iter(tl.data.Dataset.range(9).prefetch(1))
    assert int(next(elements)) == 0
    with pytest.raises(errors.DeadlockError):
        take_beside(a, produce, deadlocks="all threads")
    assert [int(x) for x in elements] == list(range(1, 9))


def test_own_threads_are_judged_though_others_run() -> None:
    a, _, produce = crossed()
    stop = Event()
    with Background(stop.wait):
        with pytest.raises(errors.DeadlockError):
            take_beside(a, produce)
        stop.set()


ALL_WAIT = """
import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.runtime.devices import executor

executor(DeviceName.parse("/device:CPU:0")).submit(lambda: None)  # its thread lives, and idles
a, b = tl.queue.FIFOQueue(1, tl.int32, name="a"), tl.queue.FIFOQueue(1, tl.int32, name="b")
try:
    with tl.queue.Coordinator() as coord:
        move = lambda: a.enqueue(b.dequeue())
        tl.queue.QueueRunner(a, [move]).create_threads(coord=coord, start=True)
        a.dequeue()
except tl.errors.DeadlockError as deadlock:
    print(deadlock)
"""


def test_a_process_in_which_every_thread_waits_is_told() -> None:
    """It runs by itself: in a process of tests other threads may live, and then nothing is told."""
    command = [sys.executable, "-c", ALL_WAIT]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=2 * LONG, check=True
    )
    assert "MainThread waits for an element of FIFOQueue 'a'" in found.stdout
    assert "a filler waits for an element of FIFOQueue 'b'" in found.stdout


def test_a_coordinator_may_be_told_not_to_look() -> None:
    a, b, produce = crossed()
    with tl.queue.Coordinator(deadlocks=None) as coord:
        tl.queue.QueueRunner(a, [produce]).create_threads(coord=coord, start=True)
        until(lambda: in_line(b) == 1)
        assert not coord.wait_for_stop(timeout=0.3)
        b.close(cancel_pending_enqueues=True)


def test_busy_threads_are_never_taken_for_a_deadlock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Everybody waits most of the time, for a queue of one element, and looks all the time."""
    monkeypatch.setattr("tensorlite.core.waiting.PERIOD", 1e-6)
    ring = [fifo(1, name=str(i)) for i in range(3)]

    def moves(i: int) -> Any:
        return lambda: ring[(i + 1) % 3].enqueue(ring[i].dequeue())

    with tl.queue.Coordinator() as coord:
        for i in (0, 1):
            runner = tl.queue.QueueRunner(ring[i + 1], [moves(i)])
            runner.create_threads(coord=coord, start=True)
        for _ in range(300):
            ring[0].enqueue(5)
            assert int(ring[2].dequeue()) == 5
    assert all(state_of(queue).error is None for queue in ring)


def test_a_thread_is_not_told_that_it_could_help_itself() -> None:
    one, two = tl.queue.Mutex(name="one"), tl.queue.Mutex(name="two")
    coord, both = tl.queue.Coordinator(deadlocks="own threads"), threading.Barrier(2)

    def lock(first: Any, second: Any) -> None:
        with coord.stop_on_exception():
            held = first.acquire()
            both.wait()
            with coord.stop_on_exception():
                second.release(second.acquire())
            first.release(held)

    threads = [
        Thread(target=lock, args=pair, name=name)
        for name, pair in (("up", (one, two)), ("down", (two, one)))
    ]
    for thread in threads:
        coord.register_thread(thread)
        thread.start()
    with pytest.raises(errors.DeadlockError) as caught:
        coord.join()
    text = str(caught.value)
    assert "up waits for mutex 'two', which is locked, which down has locked" in text
    assert "down waits for mutex 'one', which is locked, which up has locked" in text
