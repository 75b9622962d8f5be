"""Steps that go wrong on purpose: the same seed, the same run; what failed has not happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count
from tests.begun import in_line
from tests.threads import Background, until

Value = np.ndarray[Any, Any]
Function = Callable[[tl.Tensor], tl.Tensor]


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(3)
    order.clear()
    yield
    set_cpu_count(1)


order: list[str] = []
"""The kernels that have run."""


def told(name: str, x: tl.Tensor) -> tl.Tensor:
    """Return `x` plus one, noting that this has been computed."""

    def kernel(x: Value) -> Value:
        order.append(f"{name}({x.item()})")
        return x + 1

    made: tl.Tensor = tl.numpy_function(kernel, [x], tl.float32, stateful=False)
    return tl.reshape(made, ())


def fan(x: tl.Tensor) -> tl.Tensor:
    """Compute much that is independent, on three devices."""
    parts = []
    for i in range(9):
        with tl.device(f"CPU:{i % 3}"):
            parts.append(told(f"second {i}", told(f"first {i}", x * float(i))))
    return tl.add_n(parts)


def loop(x: tl.Tensor) -> tl.Tensor:
    """Take turns of which some overlap, on two devices."""

    def turn(i: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> Any:
        with tl.device("CPU:1"):
            x = told("left", x)
        with tl.device("CPU:2"):
            return i + 1, x, y + told("right", x)

    start = (tl.asarray(0), x, tl.asarray(0.0))
    made: tl.Tensor = tl.while_loop(lambda i, *_: i < 6, turn, start)[2]
    return made


def choice(x: tl.Tensor) -> tl.Tensor:
    """Choose between ways that lie on several devices."""
    made: tl.Tensor = tl.cond(x > 0.0, lambda: loop(x), lambda: fan(x))
    return made + fan(x)


GRAPHS = pytest.mark.parametrize("function", [fan, loop, choice])


def ran(step: Any, seed: int, times: int = 5, **chances: float) -> list[str]:
    """Return the order of kernels, and what came of each step."""
    order.clear()
    with tl.debugging.faults(seed, **chances):
        for k in range(times):
            try:
                order.append(f"gives {step(tl.asarray(float(k - 2))).item()}")
            except tl.errors.InjectedError as error:
                order.append(f"fails: {error}")
    return order.copy()


@GRAPHS
def test_the_same_seed_gives_the_same_order(function: Function) -> None:
    step = tl.function(function)
    runs = [ran(step, seed) for seed in range(5)]
    assert [ran(step, seed) for seed in range(5)] == runs
    assert len({tuple(run) for run in runs}) == 5
    assert len({tuple(sorted(run)) for run in runs}) == 1


@GRAPHS
def test_the_same_seed_gives_the_same_errors(function: Function) -> None:
    step = tl.function(function)
    chances = {"kernels": 0.01, "transfers": 0.01, "delay": 0.5}
    runs = [ran(step, seed, 10, **chances) for seed in range(5)]
    assert [ran(step, seed, 10, **chances) for seed in range(5)] == runs
    ends = " ".join(end for run in runs for end in run)
    assert "gives" in ends
    assert "was made to fail" in ends


@GRAPHS
def test_steps_of_one_seed_differ(function: Function) -> None:
    step = tl.function(function)
    with tl.debugging.faults(1):
        orders = set()
        for _ in range(5):
            order.clear()
            step(tl.asarray(1.0))
            orders.add(tuple(order))
    assert len(orders) > 2


@GRAPHS
def test_after_faults_a_step_is_as_it_was(function: Function) -> None:
    step = tl.function(function)
    expected = step(tl.asarray(1.0)).item()
    for seed in range(10):
        ran(step, seed, kernels=0.1)
    order.clear()
    assert step(tl.asarray(1.0)).item() == expected


def test_a_transfer_that_fails_is_named() -> None:
    with (
        pytest.raises(tl.errors.InjectedError) as caught,
        tl.debugging.faults(0, transfers=1.0),
    ):
        tl.function(fan)(tl.asarray(1.0))
    assert "the transfer to " in str(caught.value)
    assert "on /device:CPU:" in str(caught.value)
    assert "test_faults.py" in str(caught.value)


@pytest.mark.parametrize("name", ["delay", "kernels", "transfers"])
@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_what_is_no_probability_is_refused(name: str, value: float) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=f"{name}="):
        tl.debugging.faults(0, **{name: value}).__enter__()


def fifo() -> tl.queue.FIFOQueue:
    return tl.queue.FIFOQueue(10, tl.float32, shapes=())


def test_a_seed_is_a_whole_number_and_a_probability_a_number() -> None:
    wrong: Any
    for wrong in ("x", None, 1.5):
        with (
            pytest.raises(
                tl.errors.InvalidArgumentError, match=r"seed=.*whole number"
            ),
            tl.debugging.faults(wrong),
        ):
            pass
    wrong = "often"
    with (
        pytest.raises(tl.errors.InvalidArgumentError, match="give a probability"),
        tl.debugging.faults(1, delay=wrong),
    ):
        pass


def test_an_operator_on_a_queue_that_fails_has_not_happened() -> None:
    queue = fifo()
    queue.enqueue_many([[1.0, 2.0]])
    put, take = tl.function(queue.enqueue), tl.function(queue.dequeue)
    with tl.debugging.faults(0, kernels=1.0):
        with pytest.raises(tl.errors.InjectedError, match="QueueEnqueueV2"):
            put(tl.asarray(3.0))
        with pytest.raises(tl.errors.InjectedError, match="QueueDequeueV2"):
            take()
    assert queue.size().item() == 2


def test_an_assignment_that_fails_has_not_happened() -> None:
    total = tl.Variable(1.0)

    @tl.function
    def add(x: tl.Tensor) -> None:
        total.assign_add(x)

    with (
        tl.debugging.faults(0, kernels=1.0),
        pytest.raises(tl.errors.InjectedError, match="AssignAddVariableOp"),
    ):
        add(tl.asarray(1.0))
    assert total.numpy() == 1.0


def test_a_step_that_fails_has_taken_an_element_or_not() -> None:
    queue = fifo()

    @tl.function
    def step() -> tl.Tensor:
        with tl.device("CPU:1"):
            x = queue.dequeue()
        with tl.device("CPU:2"):
            return tl.exp(tl.sin(x))

    outcomes = set()
    for seed in range(60):
        if queue.size().item() == 0:
            queue.enqueue(float(seed))
        try:
            with tl.debugging.faults(seed, kernels=0.3, transfers=0.1):
                step()
            outcome = "succeeded"
        except tl.errors.InjectedError:
            outcome = "failed"
        outcomes.add((outcome, queue.size().item()))
    assert outcomes == {("succeeded", 0), ("failed", 0), ("failed", 1)}


def test_answers_of_other_threads_are_neither_late_nor_lost() -> None:
    queue = fifo()

    @tl.function
    def step() -> tl.Tensor:
        with tl.device("CPU:1"):
            return tl.reshape(queue.dequeue(), ())

    def takes() -> tl.Tensor:
        with tl.debugging.faults(0, delay=1.0, transfers=1.0):
            return step()

    for k in range(10):
        with Background(takes) as taking:
            until(lambda: in_line(queue) == 1)
            queue.enqueue(float(k))
        assert taking.result().item() == k
