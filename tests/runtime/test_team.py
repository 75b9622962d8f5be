"""Threads that drive the machines of a step: none is lost, left behind, or woken in vain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime import cancel, program as frame_programs
from tensorlite.runtime.devices import settings
from tensorlite.runtime.team import Team
from tests.threads import LONG, Background, until

Value = np.ndarray[Any, Any]
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    yield
    set_cpu_count(1)
    assert not cancel.asked


def called(function: Callable[[Value], Value], x: tl.Tensor) -> tl.Tensor:
    """Return what a Python function gives when the graph runs: a float scalar."""
    made: tl.Tensor = tl.numpy_function(function, [x], tl.float32, stateful=False)
    return tl.reshape(made, ())


class Endless:
    """A step with an endless loop on one device, and on another a kernel that sees it begin."""

    def __init__(self, then: Callable[[], None], runner: str | None, nested: bool):
        self.then = then
        self.turning = threading.Event()
        self.threads: dict[str, str] = {}
        turn = self.deep if nested else self.turn

        @tl.function(runner=runner)
        def step(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            with tl.device("CPU:0"):
                y = called(self.waits, x)
            with tl.device("CPU:1"):
                z = tl.while_loop(lambda z: z > 0.0, turn, (x,))
            return y, *z

        self.step = step

    def turn(self, z: tl.Tensor) -> tl.Tensor:
        return called(self.turns, z)

    def deep(self, z: tl.Tensor) -> tl.Tensor:
        again = tl.while_loop(lambda z: z > 1.0, lambda z: z * 0.5, (z,))
        return called(self.turns, *again) + 1.0

    def turns(self, z: Value) -> Value:
        self.threads["loop"] = threading.current_thread().name
        self.turning.set()
        return z

    def waits(self, x: Value) -> Value:
        self.threads["kernel"] = threading.current_thread().name
        assert self.turning.wait(LONG)
        self.then()
        return x


FORMS = pytest.mark.parametrize(
    ("runner", "nested"),
    [(None, False), (None, True), ("frames", False), ("frames", True)],
    ids=["structured", "structured nested", "tight", "frames"],
)


@FORMS
def test_a_loop_stops_when_another_part_fails(
    runner: str | None, nested: bool
) -> None:
    def fails() -> None:
        raise ZeroDivisionError("on purpose")

    endless = Endless(fails, runner, nested)
    with pytest.raises(tl.errors.KernelError, match="on purpose"):
        endless.step(tl.asarray(1.0))
    assert len(set(endless.threads.values())) == 2


@FORMS
def test_ctrl_c_stops_a_loop_on_a_thread_of_a_device(
    runner: str | None, nested: bool
) -> None:
    def interrupts() -> None:
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)

    endless = Endless(interrupts, runner, nested)
    with pytest.raises(KeyboardInterrupt):
        endless.step(tl.asarray(1.0))
    assert len(set(endless.threads.values())) == 2


@contextmanager
def restless() -> Iterator[None]:
    """Call devices' threads for every kernel, and switch between threads as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with patch.object(frame_programs, "HEAVY", 0):
            yield
    finally:
        sys.setswitchinterval(before)


def relay(x: tl.Tensor) -> tl.Tensor:
    """Go around the devices three times."""
    for i in range(12):
        with tl.device(f"CPU:{i % 4}"):
            x = x + float(i)
    return x


def fan(x: tl.Tensor) -> tl.Tensor:
    """Go to all devices at once, and come together."""
    parts = []
    for i in range(8):
        with tl.device(f"CPU:{i % 4}"):
            parts.append(x * float(i) + 1.0)
    with tl.device("CPU:0"):
        return tl.add_n(parts)


def loop(x: tl.Tensor) -> tl.Tensor:
    """Take turns whose halves lie on two devices."""

    def turn(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            y = x + 1.0
        with tl.device("CPU:2"):
            return i + 1, y * 0.5

    with tl.device("CPU:0"):
        start = tl.asarray(0)
    result: tl.Tensor = tl.while_loop(lambda i, _: i < 10, turn, (start, x))[1]
    return result


def chosen(x: tl.Tensor) -> tl.Tensor:
    """Take one of two ways, each on a device of its own, one with a loop on two."""

    def other() -> tl.Tensor:
        with tl.device("CPU:3"):
            return x - 1.0

    with tl.device("CPU:0"):
        result: tl.Tensor = tl.cond(x > 2.0, lambda: loop(x), other)
    return result


SHAPES: tuple[Callable[[tl.Tensor], tl.Tensor], ...] = (relay, fan, loop, chosen)


def hammered(shape: Callable[[tl.Tensor], tl.Tensor], times: int) -> None:
    """Run a step many times, from three threads at once, and check every result."""
    step = tl.function(shape, autograph=False)
    expected = {float(k): shape(tl.asarray(float(k))).item() for k in range(5)}

    def run(first: int) -> None:
        for k in range(first, first + times):
            x = float(k % 5)
            assert step(tl.asarray(x)).item() == expected[x]

    run(0)
    threads = [Background(run, k) for k in range(3)]
    for thread in threads:
        thread.result()


@pytest.mark.parametrize("shape", SHAPES)
def test_no_step_hangs_or_errs_on_many_threads(
    shape: Callable[[tl.Tensor], tl.Tensor],
) -> None:
    with restless():
        hammered(shape, 30)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_no_step_of_thousands_hangs_or_errs_on_many_threads(
    shape: Callable[[tl.Tensor], tl.Tensor],
) -> None:
    with restless():
        hammered(shape, 2000)


def test_one_of_several_errors_is_raised_and_nothing_begins_after_it() -> None:
    all_in = threading.Barrier(3)
    begun: list[str] = []

    def fails(name: str) -> Callable[[Value], Value]:
        def kernel(x: Value) -> Value:
            all_in.wait(LONG)
            raise ZeroDivisionError(name)

        return kernel

    def late(x: Value) -> Value:
        begun.append("late")
        return x

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        ends = []
        for i in range(3):
            with tl.device(f"CPU:{i}"):
                ends.append(called(late, called(fails(f"on {i}"), x)))
        return tl.add_n(ends)

    for _ in range(20):
        with pytest.raises(tl.errors.KernelError, match=r"on [012]"):
            step(tl.asarray(1.0))
    assert not begun


def test_a_step_waits_for_the_threads_that_are_still_in_kernels() -> None:
    both, over = threading.Barrier(2), []

    def slow(x: Value) -> Value:
        both.wait(LONG)
        for _ in range(50):
            np.sort(np.arange(1000.0)[::-1])
        over.append(True)
        return x

    def fails(x: Value) -> Value:
        both.wait(LONG)
        raise ZeroDivisionError("on purpose")

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            a = called(slow, x)
        with tl.device("CPU:2"):
            return a + called(fails, x)

    for k in range(1, 6):
        with pytest.raises(tl.errors.KernelError, match="on purpose"):
            step(tl.asarray(1.0))
        assert len(over) == k


@pytest.fixture
def resting() -> Iterator[threading.Event]:
    """Give what tells that the thread of a step waits for others."""
    rests = threading.Event()
    rest = Team._rest

    def told(team: Team, until: float | None) -> None:
        rests.set()
        rest(team, until)

    with patch.object(Team, "_rest", told):
        yield rests


def failing_beside(
    last: Callable[[tl.Tensor], tl.Tensor],
    resting: threading.Event,
    late: Callable[[Value], Value] = np.asarray,
) -> Any:
    """Return a step that fails while `late` runs on another thread, before `last` there."""
    begun = threading.Event()

    def fails(x: Value) -> Value:
        assert begun.wait(LONG)
        resting.clear()
        raise ZeroDivisionError("on purpose")

    def is_late(x: Value) -> Value:
        begun.set()
        return late(x)

    @tl.function
    def step(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            y = called(fails, x)
        with tl.device("CPU:2"):
            z = called(is_late, x)
            with tl.control_dependencies([z]):
                return y, last(z)

    return step


def test_nothing_that_may_wait_begins_in_a_step_that_has_failed(
    resting: threading.Event,
) -> None:
    queue = tl.queue.FIFOQueue(4, tl.float32, shapes=())
    queue.enqueue(5.0)

    def late(x: Value) -> Value:
        until(lambda: bool(cancel.asked))
        return x

    step = failing_beside(lambda z: queue.dequeue(), resting, late)
    with pytest.raises(tl.errors.KernelError, match="on purpose"):
        step(tl.asarray(1.0))
    assert queue.size().item() == 1


class _SlowToBegin(Waiting):
    """Has not begun to wait when its step waits for no more than that."""

    def infer(self, x: tl.TensorSpec) -> tl.TensorSpec:
        """Return the spec of the input."""
        return x

    def start(self, done: Done, *arrays: Any) -> Cancel:
        """Wait for ever, a little later."""
        until(lambda: bool(cancel.asked))
        assert rests[-1].wait(LONG)
        return lambda: given_up.append(True)


rests: list[threading.Event] = []
given_up: list[bool] = []


def test_what_begins_to_wait_while_its_step_ends_is_given_up(
    resting: threading.Event,
) -> None:
    rests.append(resting)
    step = failing_beside(lambda z: tl.extend.call(_SlowToBegin(), z), resting)
    with pytest.raises(tl.errors.KernelError, match="on purpose"):
        step(tl.asarray(1.0))
    assert given_up == [True]


def test_a_step_that_waits_too_long_names_kernels_that_run() -> None:
    begun = threading.Event()

    def long(x: Value) -> Value:
        begun.set()
        until(lambda: bool(cancel.asked))
        return x

    def short(x: Value) -> Value:
        assert begun.wait(LONG)
        return x

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = called(short, x)
        with tl.device("CPU:2"):
            return tl.add(called(long, x), y)

    settings.step_timeout = 0.01
    try:
        with pytest.raises(tl.errors.DeadlineExceededError, match="kernels that run"):
            step(tl.asarray(1.0))
    finally:
        settings.step_timeout = None


def test_steps_of_many_threads_fail_each_for_itself() -> None:
    def may_fail(x: Value) -> Value:
        if x % 3 == 0:
            raise ZeroDivisionError(f"for {int(x)}")
        return x

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = called(may_fail, x)
        with tl.device("CPU:2"):
            return y * 2.0

    def run(first: int) -> None:
        for k in range(first, first + 60):
            if k % 3:
                assert step(tl.asarray(float(k))).item() == 2.0 * k
            else:
                with pytest.raises(tl.errors.KernelError, match=f"for {k}"):
                    step(tl.asarray(float(k)))

    with restless():
        step(tl.asarray(1.0))
        for thread in [Background(run, 100 * k) for k in range(6)]:
            thread.result()


PROGRAM = """
import os, sys, threading, tensorlite as tl
from tensorlite.runtime import program
tl.config.set_logical_devices("CPU", 3)
program.HEAVY = 0
@tl.function
def step(x):
    with tl.device("CPU:1"):
        y = x + 1.0
    with tl.device("CPU:2"):
        z = x * 2.0
    return y + z
def names():
    return sorted({t.name for t in threading.enumerate()} - {"MainThread"})
def run(times):
    return {step(tl.asarray(1.0)).item() for _ in range(times)}
print(run(300), len(names()) > 0)
"""


def ran(rest: str) -> str:
    """Return what a program of its own printed, on either stream."""
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM + rest],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return f"{made.returncode} {made.stdout}{made.stderr}"


@pytest.mark.parametrize("end", ["pass", "sys.exit(0)"])
def test_a_program_ends_quietly_after_a_step_on_several_threads(end: str) -> None:
    assert ran(end) == "0 {4.0} True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_runs_steps_on_threads_of_its_own() -> None:
    rest = """
sys.stdout.flush()
child = os.fork()
if not child:
    print(names(), run(300), len(names()) > 0)
    sys.stdout.flush()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), run(300))
"""
    assert ran(rest) == "0 {4.0} True\n[] {4.0} True\n0 {4.0}\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_processes_that_multiprocessing_forks_run_steps() -> None:
    rest = """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(run, [50, 50]), run(50))
"""
    assert ran(rest) == "0 {4.0} True\n[{4.0}, {4.0}] {4.0}\n"
