"""Steps on several devices: what runs beside what, errors, interrupts, waits, and what is left."""

from __future__ import annotations

import gc
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime.devices import settings


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(3)
    yield
    set_cpu_count(1)


def called(function: Callable[..., Any], *inputs: tl.Tensor) -> tl.Tensor:
    """Return what a Python function gives when the graph runs, a float of unknown shape."""
    result: tl.Tensor = tl.numpy_function(
        function, inputs, tl.float32, stateful=False
    )
    return result


def test_kernels_of_two_devices_run_at_the_same_time() -> None:
    both = threading.Barrier(2)

    def meets(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        both.wait(timeout=20)
        return x + 1

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            a = called(meets, x)
        with tl.device("CPU:2"):
            b = called(meets, x + 0.0)
        return a + b

    assert f(tl.asarray(1.0)).item() == 4.0
    assert f(tl.asarray(2.0)).item() == 6.0


def test_equal_transfers_are_made_once() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = tl.exp(x)
        return tl.sin(y) + tl.cos(y) * y

    partitions = f.get_concrete_function(tl.TensorSpec((3,))).partitions
    names = [node.op.name for graph in partitions.values() for node in graph.nodes]
    assert names.count("Send") == names.count("Recv") == 1


def test_an_error_ends_the_step_and_says_where_it_arose() -> None:
    def fails(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if x > 3:
            raise ZeroDivisionError("too far")
        return x + 1

    @tl.function
    def f(x: tl.Tensor, n: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:0"):
            i = tl.asarray(0)
        while i < n:
            with tl.device("CPU:1"):
                x = tl.reshape(called(fails, x), ())
            i += 1
        return x

    assert f(tl.asarray(0.0), tl.asarray(3)).item() == 3.0
    with pytest.raises(tl.errors.KernelError, match="too far") as caught:
        f(tl.asarray(0.0), tl.asarray(100))
    notes = "\n".join(caught.value.__notes__)
    assert "on /device:CPU:1" in notes
    assert "test_parts.py" in notes
    assert f(tl.asarray(0.0), tl.asarray(4)).item() == 4.0


def test_no_device_runs_ahead_of_another_by_more_than_the_iterations_allowed() -> (
    None
):
    begun, ended, ahead = [0], [0], []

    def first(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        begun[0] += 1
        ahead.append(begun[0] - ended[0])
        return x + 1

    def second(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        ended[0] += 1
        return x * 2

    def body(
        i: tl.Tensor, x: tl.Tensor, y: tl.Tensor
    ) -> tuple[tl.Tensor, tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            x = tl.reshape(called(first, x), ())
        with tl.device("CPU:2"):
            y = y + tl.reshape(called(second, x), ())
        return i + 1, x, y

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        start = (tl.asarray(0), x, tl.asarray(0.0))
        return tl.while_loop(
            lambda i, *_: i < 200, body, start, parallel_iterations=4
        )[2]

    assert f(tl.asarray(0.0)).item() == 2.0 * sum(range(1, 201))
    assert ended[0] == 200
    assert 1 < max(ahead) <= 5


def test_ctrl_c_ends_a_long_step_and_the_next_one_works() -> None:
    def interrupts(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if x == 50:
            signal.raise_signal(signal.SIGINT)
        return x

    @tl.function
    def f(n: tl.Tensor) -> tl.Tensor:
        i = tl.asarray(0.0)
        y = tl.asarray(0.0)
        while i < n:
            i = tl.reshape(called(interrupts, i), ()) + 1.0
            with tl.device("CPU:1"):
                y = y + 1.0
        return y

    assert f(tl.asarray(20.0)).item() == 20.0
    with pytest.raises(KeyboardInterrupt):
        f(tl.asarray(1e9))
    assert f(tl.asarray(20.0)).item() == 20.0


class _Never(Waiting):
    """Waits until it is given up."""

    key: int

    def infer(self, x: tl.TensorSpec) -> tl.TensorSpec:
        """Return the spec of the input."""
        return x

    def start(self, done: Done, *arrays: Any) -> Cancel:
        """Wait."""
        given_up[self.key] = False
        return lambda: given_up.__setitem__(self.key, True)


given_up: dict[int, bool] = {}


def test_a_step_that_waits_too_long_says_what_for() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = tl.extend.call(_Never(1), x)
        return y + 1.0

    settings.step_timeout = 0.05
    try:
        with pytest.raises(tl.errors.DeadlineExceededError) as caught:
            f(tl.asarray(1.0))
    finally:
        settings.step_timeout = None
    assert "'_Never' (_Never) on /device:CPU:1" in str(caught.value)
    assert "not sent yet" in str(caught.value)
    assert given_up == {1: True}


def test_what_waits_is_given_up_when_another_part_fails() -> None:
    def fails(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        raise ZeroDivisionError("on purpose")

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        y = tl.extend.call(_Never(2), x)
        with tl.device("CPU:1"):
            z = called(fails, x)
        return y + z

    with pytest.raises(tl.errors.KernelError, match="on purpose"):
        f(tl.asarray(1.0))
    assert given_up[2]


class _Later(Waiting):
    """Answers from another thread."""

    def infer(self, x: tl.TensorSpec) -> tl.TensorSpec:
        """Return the spec of the input."""
        return x

    def start(self, done: Done, *arrays: Any) -> Cancel:
        """Answer twice the input soon."""
        threading.Thread(target=done, args=(arrays[0] * 2,)).start()
        return lambda: None


def test_what_waits_holds_up_nothing_else() -> None:
    order: list[str] = []

    def told(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        order.append("beside")
        return x

    @tl.function
    def f(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        i = tl.asarray(0)
        y = x
        while i < 3:
            y = tl.extend.call(_Later(), y)
            i += 1
        return y, called(told, x)

    for _ in range(20):
        y, x = f(tl.asarray(1.0))
        assert (y.item(), x.item()) == (8.0, 1.0)
    assert len(order) == 20


def test_many_threads_may_run_one_step_at_once() -> None:
    w = tl.Variable(0.0)

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = x * 2.0
        return y + w

    found: list[float] = []

    def run(k: int) -> None:
        found.extend([f(tl.asarray(float(k * 100 + i))).item() for i in range(20)])

    f(tl.asarray(0.0))
    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(
        [2.0 * (k * 100 + i) for k in range(8) for i in range(20)]
    )


def test_nothing_of_a_step_lives_on_when_it_is_over() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = x * 2.0
        return tl.sum(y + 1.0)

    @tl.function(runner="frames")
    def g(x: tl.Tensor) -> tl.Tensor:
        return tl.sum(x * 2.0 + 1.0)

    gc.collect()
    gc.disable()
    try:
        for run in (f, g):
            x = np.ones(1000, np.float32)
            kept = weakref.ref(x)
            run(EagerTensor(x))
            del x
            assert kept() is None
    finally:
        gc.enable()
