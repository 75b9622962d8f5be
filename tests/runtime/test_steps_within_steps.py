"""A step within a step ends when that fails, or is interrupted, whatever it is at."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime import cancel
from tests.begun import in_line
from tests.threads import until

Value = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    yield
    set_cpu_count(1)
    assert not cancel.asked
    assert not cancel._resting


def called(function: Callable[[Value], Value], x: tl.Tensor) -> tl.Tensor:
    """Return what a Python function gives when the graph runs: a float scalar."""
    made: tl.Tensor = tl.numpy_function(function, [x], tl.float32, stateful=False)
    return tl.reshape(made, ())


def fails() -> None:
    raise ZeroDivisionError("on purpose")


def interrupts() -> None:
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


ENDS = pytest.mark.parametrize(
    ("end", "error"),
    [(fails, tl.errors.KernelError), (interrupts, KeyboardInterrupt)],
    ids=["error", "interrupt"],
)


def beside(
    inner: Callable[[tl.Tensor], tl.Tensor],
    begun: Callable[[], bool],
    end: Callable[[], None],
) -> Any:
    """Return a step that ends while `inner` is under way on the thread of another device."""

    def ends(x: Value) -> Value:
        until(begun)
        assert threading.current_thread() is threading.main_thread()
        end()
        return x

    @tl.function
    def step(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            y = called(ends, x)
        with tl.device("CPU:2"):
            return y, inner(x)

    return step


@ENDS
def test_a_wait_in_a_critical_section_is_given_up(
    end: Callable[[], None], error: type[BaseException]
) -> None:
    queue = tl.queue.FIFOQueue(4, tl.float32, shapes=())
    section = tl.CriticalSection()
    step = beside(
        lambda x: section.execute(lambda: queue.dequeue() * x),
        lambda: in_line(queue) == 1,
        end,
    )
    for _ in range(3):
        with pytest.raises(error):
            step(tl.asarray(1.0))
        assert in_line(queue) == 0
    queue.enqueue(3.0)
    assert section.execute(queue.dequeue).item() == 3.0


@ENDS
@pytest.mark.parametrize(
    "places", [(2, 2), (2, 3)], ids=["one device", "two devices"]
)
@pytest.mark.parametrize("runner", [None, "frames"])
def test_a_loop_in_a_function_that_a_kernel_calls_stops(
    end: Callable[[], None],
    error: type[BaseException],
    places: tuple[int, int],
    runner: str | None,
) -> None:
    turning = threading.Event()

    def turns(x: Value) -> Value:
        turning.set()
        return x

    def turn(x: tl.Tensor) -> tl.Tensor:
        with tl.device(f"CPU:{places[0]}"):
            x = x * 1.0
        with tl.device(f"CPU:{places[1]}"):
            return called(turns, x) + 1.0

    @tl.function(runner=runner)
    def endless(x: tl.Tensor) -> tl.Tensor:
        made: tl.Tensor = tl.while_loop(lambda x: x > 0.0, turn, (x,))[0]
        return made

    step = beside(
        lambda x: called(lambda x: endless(tl.asarray(x)).numpy(), x),
        turning.is_set,
        end,
    )
    for _ in range(3):
        turning.clear()
        with pytest.raises(error):
            step(tl.asarray(1.0))
