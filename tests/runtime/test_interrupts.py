"""Ctrl-C at any point of a step ends that step, and leaves threads and queues as they should be."""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

import pytest

import tensorlite as tl
from tensorlite.core import deadlock
from tensorlite.core.device import local
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime import cancel, program as frame_programs
from tensorlite.runtime.devices import Executor, executor
from tests.begun import in_line
from tests.threads import LONG

POINTS = {
    dis.opmap[name]
    for name in ("CALL", "CALL_FUNCTION_EX", "RESUME", "JUMP_BACKWARD")
}
"""After these instructions Python looks whether a signal has come."""
FOLDERS = tuple(
    str(Path(module.__file__ or "").parent) for module in (frame_programs, deadlock)
)


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    with patch.object(frame_programs, "HEAVY", 0):
        yield
    set_cpu_count(1)


class Interrupt:
    """Interrupts this thread at one of the points where Python would; else it counts them."""

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self.points = 0
        self.before: dict[FrameType, int] = {}

    def __call__(self, step: Callable[[], Any]) -> Any:
        """Return what a step returns, if it is not interrupted."""
        tracing = sys.gettrace()
        sys.settrace(self.trace)
        try:
            return step()
        finally:
            sys.settrace(tracing)
            self.before.clear()

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """Take note of an instruction."""
        name = frame.f_code.co_filename
        if not name.startswith(FOLDERS) and name != threading.__file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            before = self.before.get(frame)
            self.before[frame] = frame.f_lasti
            if before is not None and is_point(frame.f_code, before, frame.f_lasti):
                self.points += 1
                if self.points == self.at:
                    raise KeyboardInterrupt
        return self.trace


@cache
def handler(code: CodeType, at: int) -> int | None:
    """Return where an exception is handled that arises at an instruction."""
    entries = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    inner = [entry.target for entry in entries if entry.start <= at < entry.end]
    return inner[0] if inner else None


def is_point(code: CodeType, before: int, now: int) -> bool:
    """Return whether an exception may arise between two instructions, as if from the first."""
    return code.co_code[before] in POINTS and handler(code, before) == handler(
        code, now
    )


def swept(step: Callable[[], Any], stride: int) -> Iterator[None]:
    """Interrupt a step at every `stride`-th point, each time before this goes on."""
    count = Interrupt()
    count(step)
    for at in range(1, count.points, stride):
        with suppress(KeyboardInterrupt):
            Interrupt(at)(step)
        assert not cancel.asked
        assert not deadlock._stands
        yield


def all_work() -> bool:
    """Return whether the threads of all devices do what they are asked."""
    done = [threading.Event() for _ in range(4)]
    for i, event in enumerate(done):
        executor(local("CPU", i)).submit(event.set)
    return all(event.wait(LONG) for event in done)


def relay(x: tl.Tensor) -> tl.Tensor:
    """Go around the devices, and take turns over two of them."""
    for i in range(4):
        with tl.device(f"CPU:{i}"):
            x = x + float(i)

    def turn(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            y = x + 1.0
        with tl.device("CPU:2"):
            return i + 1, y * 0.5

    result: tl.Tensor = tl.while_loop(lambda i, _: i < 2, turn, (tl.asarray(0), x))[1]
    return result


def test_ctrl_c_anywhere_in_a_step_leaves_all_threads_at_work() -> None:
    step = tl.function(relay, autograph=False)
    x = tl.asarray(3.0)
    expected = relay(x).item()
    assert step(x).item() == expected
    for _ in swept(lambda: step(x), stride=5):
        assert step(x).item() == expected
        assert all_work()


def test_ctrl_c_anywhere_in_a_step_that_waits_leaves_no_wait_behind() -> None:
    queue = tl.queue.FIFOQueue(4, tl.float32, shapes=())
    answers = Executor(local("CPU", 0))

    @tl.function(autograph=False)
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y: tl.Tensor = queue.dequeue() * x
        return y

    def answered() -> Any:
        answers.submit(lambda: queue.enqueue(3.0))
        return step(tl.asarray(2.0))

    try:
        assert answered().item() == 6.0
        for _ in swept(answered, stride=1):
            done = threading.Event()
            answers.submit(done.set)
            assert done.wait(LONG)
            assert in_line(queue) == 0
            while queue.size().item() > 0:
                queue.dequeue()
            assert answered().item() == 6.0
    finally:
        answers.close()


def test_a_thread_that_could_not_be_started_is_started_by_the_next_call() -> None:
    works = Executor(local("CPU", 0))
    done = threading.Event()
    with (
        patch.object(threading.Thread, "start", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        works.submit(lambda: None)
    works.submit(done.set)
    assert done.wait(LONG)
    works.close()


def test_what_ends_a_program_on_a_devices_thread_ends_the_step() -> None:
    both = threading.Barrier(2)

    def meets(x: Any) -> Any:
        both.wait(LONG)
        if threading.current_thread() is not threading.main_thread():
            raise SystemExit(3)
        return x

    def called(x: tl.Tensor) -> tl.Tensor:
        made: tl.Tensor = tl.numpy_function(meets, [x], tl.float32, stateful=False)
        return made

    @tl.function
    def step(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("CPU:1"):
            y = called(x)
        with tl.device("CPU:2"):
            return y, called(x + 1.0)

    with pytest.raises(SystemExit) as caught:
        step(tl.asarray(1.0))
    assert caught.value.code == 3
    assert all_work()
