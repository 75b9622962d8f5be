"""Fifty threads run ten thousand steps, many of which are made to fail, and nothing is lost.

Numbers go through two queues: producers compute on two devices and enqueue, workers take them,
work on them in a loop over two devices and put them into the second queue, and consumers take
batches of that and count them in shared state in four ways.

A step that fails is taken again until it succeeds. That is right because what fails has not
happened, and because a step here has no effect, or has one that all else in it comes before. With
its dequeue first, a step could fail with the element in its hands, as in TensorFlow; and behind a
loop over devices, an effect can happen while the loop still ends, and could fail, elsewhere.

Each operator on a variable is atomic, and so is each apply_grad; reading a variable and assigning
to it are two operators, which here need a critical section.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.runtime import program
from tests.threads import Background

PRODUCERS, WORKERS, CONSUMERS = 16, 18, 15
"""With the main thread they are fifty."""
BATCH = 4


@pytest.fixture
def three_devices() -> Iterator[None]:
    """Give three devices, whose threads are called at every kernel; no other is left over."""
    before = names()
    tl.config.set_logical_devices("CPU", 3)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    with patch.object(program, "HEAVY", 0):
        yield
    sys.setswitchinterval(interval)
    tl.config.set_logical_devices("CPU", 1)
    assert names() <= before


def names() -> set[str]:
    """Return the names of all threads but that of the first device, which always is there."""
    found = {thread.name for thread in threading.enumerate()}
    return found - {"tensorlite /device:CPU:0"}


def produced(x: Any) -> Any:
    """Return what producers compute; `x` are small whole numbers, so that all is exact."""
    return (x + 1) * (x + 2) - x


def worked(x: Any, y: Any) -> Any:
    """Return what workers compute."""
    return y + x * 2.0 * 5.0


class Pipeline:
    """The graph, functions and state that all threads share."""

    def __init__(self, items: int) -> None:
        self.items = items
        self.raw = tl.queue.FIFOQueue(8, [tl.int32, tl.float32], [(), ()])
        self.mixed = tl.queue.RandomShuffleQueue(
            20, 5, [tl.int32, tl.float32], [(), ()], seed=1
        )
        self.seen = tl.Variable(np.zeros(items, np.int32))
        self.count = tl.Variable(0)
        self.guarded = tl.Variable(0.0, dtype=tl.float64)
        self.section = tl.CriticalSection()
        self.gathered = tl.queue.ConditionalAccumulator(tl.float64, shape=())
        self.work = tl.function(self._work)
        self.put = tl.function(self._put)
        self.ways = [
            tl.function(way)
            for way in (self._see, self._add, self._guard, self._gather)
        ]
        graph = tl.Graph()
        with graph.as_default():
            self.item = tl.placeholder(tl.int32, ())
            with tl.device("CPU:1"):
                x = tl.astype(self.item, tl.float32)
                a = x + 1.0
            with tl.device("CPU:2"):
                b = x + 2.0
            self.produce = self.raw.enqueue((self.item, a * b - x))
            self.take = self.raw.dequeue()
            self.batch = self.mixed.dequeue_up_to(BATCH)
        self.sessions = [tl.Session(graph) for _ in range(3)]

    def _work(self, item: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> Any:
            with tl.device("CPU:1"):
                twice = x * 2.0
            with tl.device("CPU:2"):
                return i + 1, x, tl.cond(y < -1.0, lambda: y, lambda: y + twice)

        x = tl.astype(item, tl.float32)
        z = tl.while_loop(lambda i, *_: i < 5, turn, (tl.asarray(0), x, y))[2]
        return tl.multiply(z, 1.0)

    def _put(self, item: tl.Tensor, y: tl.Tensor) -> None:
        self.mixed.enqueue((item, y))

    def _see(self, items: tl.Tensor, values: tl.Tensor) -> None:
        with tl.device("CPU:1"):
            ones = tl.ones_like(items)
        self.seen.scatter_add(tl.IndexedSlices(ones, items, (self.items,)))

    def _add(self, items: tl.Tensor, values: tl.Tensor) -> None:
        with tl.device("CPU:2"):
            number = tl.sum(tl.ones_like(items))
        self.count.assign_add(number)

    def _guard(self, items: tl.Tensor, values: tl.Tensor) -> None:
        with tl.device("CPU:1"):
            more = tl.sum(tl.astype(values, tl.float64))

        def add() -> None:
            self.guarded.assign(self.guarded + more)

        self.section.execute(add)

    def _gather(self, items: tl.Tensor, values: tl.Tensor) -> None:
        with tl.device("CPU:2"):
            more = tl.sum(tl.astype(values, tl.float64))
        self.gathered.apply_grad(more)


class Crew:
    """Threads that do the same: how many steps they took, and how many of these failed."""

    def __init__(self) -> None:
        self.steps = 0
        self.failures = 0
        self._lock = threading.Lock()

    def done(self, step: Callable[..., Any], *args: Any) -> Any:
        """Return what a step gives, taking it again until it is not made to fail."""
        failures = 0
        while True:
            try:
                result = step(*args)
            except tl.errors.InjectedError:
                failures += 1
                continue
            with self._lock:
                self.steps += 1 + failures
                self.failures += failures
            return result


def trouble(k: int) -> AbstractContextManager[object]:
    """Return what a thread's steps suffer: two in three of them fail now and then."""
    if k % 3 == 0:
        return nullcontext()
    return tl.debugging.faults(k, delay=0.2, kernels=0.01, transfers=0.01)


def produces(pipeline: Pipeline, crew: Crew, k: int) -> None:
    session = pipeline.sessions[k % 3]
    with trouble(k):
        for item in range(k, pipeline.items, PRODUCERS):
            crew.done(session.run, pipeline.produce, {pipeline.item: item})


def works(pipeline: Pipeline, crew: Crew, k: int) -> None:
    session = pipeline.sessions[k % 3]
    with trouble(k):
        while True:
            try:
                item, y = crew.done(session.run, pipeline.take)
            except tl.errors.OutOfRangeError:
                return
            assert y == produced(item)
            z = crew.done(pipeline.work, tl.asarray(item), tl.asarray(y))
            crew.done(pipeline.put, tl.asarray(item), z)


def consumes(pipeline: Pipeline, crew: Crew, k: int) -> None:
    session = pipeline.sessions[k % 3]
    with trouble(k):
        while True:
            try:
                items, values = crew.done(session.run, pipeline.batch)
            except tl.errors.OutOfRangeError:
                return
            assert values.tolist() == worked(items, produced(items)).tolist()
            for way in pipeline.ways:
                crew.done(way, tl.asarray(items), tl.asarray(values))


def run(items: int) -> Crew:
    """Run the whole program, and check what came of it."""
    pipeline, crew = Pipeline(items), Crew()
    stages = [
        (produces, PRODUCERS, pipeline.raw),
        (works, WORKERS, pipeline.mixed),
        (consumes, CONSUMERS, None),
    ]
    begun = [
        ([Background(stage, pipeline, crew, k) for k in range(number)], queue)
        for stage, number, queue in stages
    ]
    for threads, queue in begun:
        for thread in threads:
            thread.thread.join(LONGEST)
            thread.result()
        if queue is not None:
            queue.close()
    everything = np.arange(items, dtype=np.float64)
    total = worked(everything, produced(everything)).sum()
    assert pipeline.seen.numpy().tolist() == [1] * items
    assert pipeline.count.item() == items
    assert pipeline.guarded.item() == total
    batches = int(pipeline.gathered.num_accumulated())
    mean = pipeline.gathered.take_grad(batches).item()
    assert mean * batches == pytest.approx(total, rel=1e-12)
    assert pipeline.raw.size().item() == pipeline.mixed.size().item() == 0
    return crew


LONGEST = 600.0
"""Seconds after which a thread is taken to hang."""


@pytest.mark.usefixtures("three_devices")
def test_fifty_threads_lose_and_duplicate_nothing_in_ten_thousand_steps() -> None:
    crew = run(2000)
    assert crew.steps >= 10_000
    assert crew.failures > 200
