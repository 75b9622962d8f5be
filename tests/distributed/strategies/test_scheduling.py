"""Scheduled functions: done by workers that are free, again where one is lost, errors told once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    CancelledError,
    InvalidArgumentError,
    OutOfRangeError,
    UnavailableError,
)
from tensorlite.distributed.joined import Joined, joined
from tensorlite.distributed.strategies.placing import Placing, RoundRobin
from tensorlite.distributed.strategies.scheduling import (
    Call,
    PerWorker,
    Schedule,
    of_worker,
)
from tests.serving import Served
from tests.threads import until

SERVERS = ["/job:ps/task:0", "/job:ps/task:1"]
WORKERS = [DeviceName.parse(f"/job:worker/task:{i}/device:CPU:0") for i in range(2)]


@pytest.fixture
def served() -> Iterator[Served]:
    """Two servers and two workers."""
    with Served(ps=2, worker=2) as made:
        yield made


@pytest.fixture
def cluster(served: Served) -> Iterator[Joined]:
    """The program's way to them."""
    made = joined(served.addresses)
    yield made
    made.close()


@pytest.fixture
def schedule(cluster: Joined) -> Iterator[Schedule]:
    """Calls for the workers."""
    made = Schedule(cluster, WORKERS, SERVERS)
    yield made
    made.close()


def placing() -> Placing:
    """Return what puts variables on the servers in turn."""
    return Placing(
        [DeviceName.parse(f"{x}/device:CPU:0") for x in SERVERS], RoundRobin()
    )


def call(function: Any, *args: Any) -> Call:
    """Return a call of a traced function."""
    return Call(function, args, {})


def test_each_worker_is_given_its_own_values() -> None:
    given = ([PerWorker((1, 2))], {"x": (PerWorker((3, 4)), 5)})
    assert of_worker(given, 1) == ([2], {"x": (4, 5)})


def test_workers_share_the_work_and_the_variables(schedule: Schedule) -> None:
    with placing().scope():
        total = tl.Variable(0.0)

    @tl.function
    def add(x: Any, own: Any) -> Any:
        total.assign_add(x)
        return x + own

    own = PerWorker((tl.asarray(100.0), tl.asarray(200.0)))
    found = [schedule.put(call(add, tl.asarray(float(i)), own)) for i in range(20)]
    schedule.join()
    assert schedule.done()
    assert float(total) == sum(range(20))
    results = [each.result() for each in found]
    by_device = {WORKERS[0]: 100.0, WORKERS[1]: 200.0}
    assert [float(y) for y in results] == [
        i + by_device[y.device] for i, y in enumerate(results)
    ]
    assert add.trace_count == 1


def test_variables_made_while_tracing_are_placed_too(cluster: Joined) -> None:
    made: list[tl.Variable] = []

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        if not made:
            with (
                place.scope()
            ):  # as a strategy has it open, and opens it again for a replica
                made.append(tl.Variable(tl.ones(2) * 2.0))
                made.append(tl.Variable([1.0, 2.0]))
        return x * made[0] + made[1]

    place = placing()
    with place.scope():
        y = step(tl.asarray([1.0, 2.0]))
    assert y.tolist() == [3.0, 6.0]
    assert [str(each.device) for each in made] == [
        f"{x}/device:CPU:0" for x in SERVERS
    ]


def test_elements_are_read_here_and_used_there(schedule: Schedule) -> None:
    numbers = tl.data.Dataset.range(3)
    readers = PerWorker((iter(numbers), iter(numbers)))

    @tl.function
    def squared(numbers: Any) -> Any:
        x = next(numbers)
        return x * x

    found = [schedule.put(call(squared, readers)) for _ in range(3)]
    schedule.join()
    values = sorted(int(each.result()) for each in found)
    assert set(values) <= {0, 1, 4}
    for _ in range(4):  # two workers have six numbers
        schedule.put(call(squared, readers))
    with pytest.raises(OutOfRangeError):
        schedule.join()
    assert schedule.done()


def test_an_error_is_told_once_and_ends_what_was_to_follow(
    schedule: Schedule,
) -> None:
    @tl.function
    def fine(x: Any) -> Any:
        return x + 1.0

    bad = schedule.put(call(failing, tl.asarray(-1)))
    until(lambda: bad.is_over)
    with pytest.raises(InvalidArgumentError, match="below zero"):
        schedule.put(call(fine, tl.asarray(1.0)))
    with pytest.raises(InvalidArgumentError, match="below zero"):
        bad.result()
    good = schedule.put(call(fine, tl.asarray(1.0)))
    schedule.join()
    assert float(good.result()) == 2.0


@tl.function
def failing(x: Any) -> Any:
    """Return a number that is not negative."""
    tl.debugging.assert_true(x >= 0, "below zero")
    return x


@pytest.fixture
def queue(cluster: Joined) -> Any:
    """A queue on a server, for calls to wait at."""
    with tl.device(SERVERS[0]):
        return tl.queue.FIFOQueue(3, tl.float32, shapes=())


def taking(queue: Any) -> Any:
    """Return a function that waits at a queue."""

    @tl.function
    def take(x: Any) -> Any:
        return queue.dequeue() + x

    return take


def test_what_is_under_way_is_given_up_after_an_error(
    schedule: Schedule, queue: Any
) -> None:
    waiting = schedule.put(call(taking(queue), tl.asarray(1.0)))
    schedule.put(call(failing, tl.asarray(-1)))
    with pytest.raises(InvalidArgumentError, match="below zero"):
        schedule.join()
    with pytest.raises(CancelledError, match="schedule it anew"):
        waiting.result()
    assert schedule.done()


def test_what_waits_for_a_worker_is_given_up_after_an_error(
    cluster: Joined, queue: Any
) -> None:
    alone = Schedule(cluster, WORKERS[:1], SERVERS)
    first = alone.put(call(taking(queue), tl.asarray(1.0)))
    alone.put(call(failing, tl.asarray(-1)))
    late = alone.put(call(taking(queue), tl.asarray(2.0)))
    queue.enqueue(5.0)
    with pytest.raises(InvalidArgumentError, match="below zero"):
        alone.join()
    assert float(first.result()) == 6.0
    with pytest.raises(CancelledError, match="schedule it anew"):
        late.result()
    alone.close()


def test_calls_of_a_lost_worker_are_anothers(
    schedule: Schedule, served: Served
) -> None:
    with placing().scope():
        w = tl.Variable(np.zeros(2, np.float32))

    @tl.function
    def step(x: Any) -> Any:
        return w + x

    def done(count: int) -> list[Any]:
        found = [schedule.put(call(step, tl.asarray(float(i)))) for i in range(count)]
        schedule.join()
        results = [each.result() for each in found]
        assert [y.tolist() for y in results] == [[float(i)] * 2 for i in range(count)]
        return results

    done(4)
    served.stop("/job:worker/task:1")
    assert {y.device for y in done(10)} == {WORKERS[0]}
    served.start("/job:worker/task:1")
    until(lambda: len({y.device for y in done(10)}) == 2)


def test_a_lost_server_ends_the_work(schedule: Schedule, served: Served) -> None:
    with placing().scope():
        w = tl.Variable(1.0)

    @tl.function
    def step() -> Any:
        return w + 1.0

    schedule.put(call(step))
    schedule.join()
    served.stop(SERVERS[0])
    schedule.put(call(step))
    with pytest.raises(UnavailableError, match="had variables"):
        schedule.join()
