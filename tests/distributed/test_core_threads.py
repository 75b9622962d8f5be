"""Several threads of one program run steps over one cluster at once, tasks being lost or not."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.worker import Worker
from tests.distributed.fake_engine import FakeEngine
from tests.distributed.thread_engine import ThreadEngine
from tests.threads import until

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
TASKS = (PS, FIRST, SECOND)
SPEC = {"ps": 1, "worker": 2}
THREADS = 5
LOST = (
    tl.errors.UnavailableError,
    tl.errors.FailedPreconditionError,
    tl.errors.NotFoundError,
    tl.errors.CancelledError,
)


@pytest.fixture
def engine() -> ThreadEngine:
    return ThreadEngine()


@pytest.fixture
def cluster(engine: ThreadEngine) -> Iterator[Cluster]:
    with tl.distribute.connect(SPEC, engine=engine) as made:
        yield made


def together(work: Callable[[int], object]) -> None:
    """Do something in several threads; raise what one of them raises."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  it is raised below
            errors.append(error)

    threads = [Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class Program:
    """Steps of many kinds, each of which checks what it computes."""

    def __init__(self) -> None:
        with tl.device(PS):
            self.count = tl.Variable(0.0)
            self.queue = tl.queue.FIFOQueue(1000, tl.float32, shapes=())
        self.spans = tl.function(self._spans)
        self.fails = tl.function(self._fails)
        self.takes = tl.function(self._takes)
        self.loops = tl.function(self._loops)

    def _spans(self, x: tl.Tensor) -> list[tl.Tensor]:
        with tl.device(FIRST):
            y = x * 2.0
        with tl.device(SECOND):
            z = tl.sum(y)
        self.count.assign_add(1.0)
        with tl.device("/device:CPU:0"):
            return [y, z, z + 1.0]

    def _fails(self, x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            y = x * 2.0
            tl.debugging.assert_less(y, 0.0)
        with tl.device(SECOND):
            return y + 1.0

    def _takes(self) -> Any:
        with tl.device(FIRST):
            return self.queue.dequeue() + 0.0

    def _loops(self, n: tl.Tensor) -> Any:
        def body(i: Any, x: Any) -> Any:
            with tl.device(SECOND):
                return i + 1, x * 2.0

        start = tl.asarray(0), tl.asarray(1.0)
        return tl.while_loop(lambda i, x: i < n, body, start)[1]

    def step(self, dice: random.Random) -> int:
        """Do one of them; return how often it counts."""
        kind, size = dice.randrange(6), dice.choice([1, 10, 5_000, 100_000])
        x = np.ones(size, np.float32)
        if kind < 2:
            y, z, own = self.spans(tl.asarray(x))
            assert (float(z), float(own)) == (2 * size, 2 * size + 1)
            assert float(y.numpy()[-1]) == 2
        elif kind == 2:
            with pytest.raises(tl.errors.AssertionFailedError):
                self.fails(tl.asarray(x))
        elif kind == 3:
            self.queue.enqueue(1.0)
            assert float(self.takes()) == 1
        elif kind == 4:
            turns = dice.randrange(1, 5)
            assert float(self.loops(tl.asarray(turns))) == 2**turns
        else:
            with tl.device(dice.choice(TASKS)):
                there = tl.asarray(x) + 1.0
            with tl.device(dice.choice(TASKS)):
                assert float((there * 2.0).numpy()[-1]) == 4
        return int(kind < 2)


def test_threads_run_steps_at_once(cluster: Cluster, engine: ThreadEngine) -> None:
    program, counted = Program(), [0] * THREADS

    def work(number: int) -> None:
        dice = random.Random(number)  # noqa: S311  nothing is secret here
        for _ in range(40):
            counted[number] += program.step(dice)

    together(work)
    assert float(program.count) == sum(counted)
    nothing_is_left(cluster, engine)


def nothing_is_left(cluster: Cluster, engine: ThreadEngine) -> None:
    """See that neither the program nor a task keeps anything of steps that are over."""
    gc.collect()
    cluster.status()
    master = cluster.master
    assert not master._under
    assert not master._requests

    def over() -> bool:
        workers: list[Worker] = list(engine.workers.values())
        clients = [x for worker in workers for x in worker._clients.values()]
        carriers: list[Any] = [master.carrier, *[x.carrier for x in workers]]
        return not any(x.running or x.ending or x.deferred for x in clients) and all(
            len(carrier._arrivals) == 0 for carrier in carriers
        )

    until(over)


def test_threads_use_a_function_for_the_first_time_at_once(cluster: Cluster) -> None:
    for _ in range(10):

        @tl.function
        def spans(x: tl.Tensor) -> tl.Tensor:
            with tl.device(FIRST):
                y = x * 2.0
            with tl.device(SECOND):
                return y + 1.0

        def work(number: int, spans: Any = spans) -> None:
            assert float(spans(tl.asarray(float(number)))) == 2 * number + 1

        together(work)


def disturbed(cluster: Cluster, kill: Callable[[str], None], many: int) -> None:
    """Run steps in several threads while tasks are killed and found again."""
    program, over, done = Program(), [False], [0] * THREADS

    def work(number: int) -> None:
        dice = random.Random(number)  # noqa: S311  nothing is secret here
        while not over[0]:
            try:
                program.step(dice)
                done[number] += 1
            except LOST:
                cluster.master.carrier.wait(lambda: over[0], 0.01)

    def some_are_done() -> None:
        before = sum(done)
        until(lambda: sum(done) > before + 5)

    def disturb() -> None:
        dice = random.Random(THREADS)  # noqa: S311  nothing is secret here
        try:
            for _ in range(many):
                some_are_done()
                kill(dice.choice(TASKS))
                cluster.recover()
            some_are_done()
        finally:
            over[0] = True

    other = Thread(target=disturb)
    other.start()
    try:
        together(work)
    finally:
        over[0] = True
        other.join()
    assert sum(done) > 5 * many


def test_tasks_are_lost_while_threads_run_steps(
    cluster: Cluster, engine: ThreadEngine
) -> None:
    disturbed(cluster, engine.kill, 8)
    nothing_is_left(cluster, engine)


@pytest.mark.cluster
def test_processes_are_killed_while_threads_run_steps() -> None:
    engine = FakeEngine("Worker")
    with tl.distribute.connect(SPEC, engine=engine) as cluster:
        disturbed(cluster, engine.kill, 4)
        assert not cluster.master._under
