"""Threads that drive the machines of a step: none is lost, left behind, or woken in vain."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime import cancel
from tensorlite.runtime import program as frame_programs
from tests.threads import LONG, Background

Value = np.ndarray[Any, Any]


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
            return y, z

        self.step = step

    def turn(self, z: tl.Tensor) -> tl.Tensor:
        return called(self.turns, z)

    def deep(self, z: tl.Tensor) -> tl.Tensor:
        again: tl.Tensor = tl.while_loop(lambda z: z > 1.0, lambda z: z * 0.5, (z,))
        return called(self.turns, again) + 1.0

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
