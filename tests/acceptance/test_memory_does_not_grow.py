"""A thousand traced training steps keep their peak of memory; ten thousand eager ones leak nothing.

Memory is what Python's allocator and NumPy's report to tracemalloc; the process's own peak is
looked at beside it. Objects are counted by the garbage collector.
"""

from __future__ import annotations

import gc
import resource
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.tensor import EagerTensor
from tensorlite.graph.tape import Record

FEATURES, HIDDEN, CLASSES, BATCH = 16, 32, 4, 32
SLACK = 64 * 1024
"""Bytes that caches of the interpreter itself may add over a whole test."""


@pytest.fixture
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def training(traced: bool) -> Callable[[int], float]:
    """Return a step of training a small network on a batch that its number decides."""
    tl.random.set_seed(0)
    model = tl.layers.Sequential(
        [
            tl.layers.Dense(HIDDEN, activation=tl.tanh, inputs=FEATURES),
            tl.layers.Dense(CLASSES, inputs=HIDDEN),
        ]
    )
    optimizer = tl.optimizers.Adam(0.01)
    rng = np.random.default_rng(0)
    images = rng.normal(size=(8, BATCH, FEATURES)).astype(np.float32)
    labels = rng.integers(0, CLASSES, (8, BATCH))

    def step(x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(y, model(x)))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    run = tl.function(step) if traced else step
    return lambda i: float(run(tl.asarray(images[i % 8]), tl.asarray(labels[i % 8])))


def living(kind: type) -> int:
    """Return how many objects of a class there are."""
    gc.collect()
    return sum(type(found) is kind for found in gc.get_objects())


def peaks(step: Callable[[int], float], first: int, last: int) -> int:
    """Return the peak of traced memory over some steps."""
    gc.collect()
    tracemalloc.reset_peak()
    for i in range(first, last):
        step(i)
    return tracemalloc.get_traced_memory()[1]


@pytest.mark.usefixtures("traced_memory")
def test_the_peak_of_traced_training_does_not_grow_from_step_ten_on() -> None:
    step = training(traced=True)
    peaks(step, 0, 10)
    early = peaks(step, 10, 30)
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    late = max(peaks(step, 30, 980), peaks(step, 980, 1000))
    assert late <= early + SLACK
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= process + 2048


@pytest.mark.usefixtures("traced_memory")
@pytest.mark.slow
def test_ten_thousand_eager_steps_leak_nothing() -> None:
    hold_still(10_000)


@pytest.mark.usefixtures("traced_memory")
def test_a_thousand_eager_steps_leak_nothing() -> None:
    hold_still(1_000)


def hold_still(steps: int) -> None:
    """Assert that eager training leaves as many objects and as much memory as it finds."""
    step = training(traced=False)
    for i in range(10):
        step(i)
    tensors, records = living(EagerTensor), living(Record)
    assert tensors > 0
    held = tracemalloc.get_traced_memory()[0]
    for i in range(10, 10 + steps):
        step(i)
    assert (living(EagerTensor), living(Record)) == (tensors, records)
    assert tracemalloc.get_traced_memory()[0] <= held + SLACK


def test_tensors_of_a_step_are_freed_without_the_collector() -> None:
    """No cycles: what a step makes is gone when the step is over, not at some later collection."""
    step = training(traced=False)
    for i in range(3):
        step(i)
    gc.collect()
    gc.disable()
    try:
        for i in range(20):
            step(i)
        assert gc.collect() < 20
    finally:
        gc.enable()
