"""Devices and their threads: what is submitted runs there, in order, whatever happens to it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from threading import Event, Thread

import pytest

import tensorlite as tl
from tensorlite.runtime import devices
from tensorlite.runtime.devices import Executor
from tests.architecture.source import SOURCE

OWN = tl.DeviceName.parse("CPU:61")
"""A device that no other test has had a thread for."""


@pytest.fixture
def one() -> Iterator[Executor]:
    """Yield an executor of its own, whose thread has ended afterwards."""
    made = Executor(OWN)
    yield made
    made.close()


def threads() -> list[Thread]:
    return [x for x in threading.enumerate() if x.name == f"tensorlite {OWN}"]


def test_what_is_submitted_runs_in_order_on_one_thread_of_its_own(
    one: Executor,
) -> None:
    seen: list[tuple[int, Thread]] = []
    assert not threads()
    for i in range(100):
        one.submit(lambda i=i: seen.append((i, threading.current_thread())))  # type: ignore[misc]
    one.close()
    assert [i for i, _ in seen] == list(range(100))
    (thread,) = {thread for _, thread in seen}
    assert thread.name == f"tensorlite {OWN}"
    assert thread.daemon
    assert not threads()


def test_submitting_from_the_thread_itself_and_closing_there_does_not_hang(
    one: Executor,
) -> None:
    done = Event()

    def first() -> None:
        one.submit(second)
        one.close()

    def second() -> None:
        done.set()

    one.submit(first)
    assert done.wait(10)


def test_an_error_that_nobody_handles_is_told_and_ends_nothing(
    one: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", told.append)

    def fails() -> None:
        raise KeyError("lost")

    done = Event()
    one.submit(fails)
    one.submit(done.set)
    assert done.wait(10)
    assert [str(x.exc_value) for x in told] == ["'lost'"]
    assert len(threads()) == 1


def test_a_hook_that_fails_itself_ends_nothing(
    one: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: args.missing)
    monkeypatch.setattr(sys, "excepthook", lambda *args: told.append(args[0]))
    done = Event()
    one.submit(lambda: 1 // 0)
    one.submit(done.set)
    assert done.wait(10)
    assert told == [AttributeError]


def test_after_closing_a_new_thread_takes_over(one: Executor) -> None:
    one.submit(int)
    one.close()
    done = Event()
    one.submit(done.set)
    assert done.wait(10)


def test_many_threads_submit_at_once_and_nothing_is_lost(one: Executor) -> None:
    seen: list[int] = []

    def submit(start: int) -> None:
        for i in range(start, start + 200):
            one.submit(lambda i=i: seen.append(i))  # type: ignore[misc]

    submitting = [Thread(target=submit, args=(200 * i,)) for i in range(8)]
    for thread in submitting:
        thread.start()
    for thread in submitting:
        thread.join()
    one.close()
    assert sorted(seen) == list(range(1600))


def test_each_device_has_one_executor() -> None:
    whole = tl.DeviceName.parse("/job:worker/task:0/device:CPU:0")
    short = tl.DeviceName.parse("/device:CPU:0")
    assert devices.executor(whole) is devices.executor(short)
    with pytest.raises(tl.errors.DeviceError, match="/device:CPU:7 does not exist"):
        devices.executor(tl.DeviceName.parse("CPU:7"))


def test_devices_are_the_cpu_and_the_gpus() -> None:
    assert str(devices.physical_devices()[0]) == "/device:CPU:0"
    assert str(devices.logical_devices()[0]) == "/device:CPU:0"


PROGRAM = """
import os, threading, tensorlite as tl
from threading import Event
from tensorlite.runtime.devices import executor
here = executor(tl.DeviceName.parse("CPU:0"))
stuck, done = Event(), Event()
here.submit(done.set)
assert done.wait(10)
{rest}
"""


def ran(rest: str) -> str:
    """Return what a program of its own printed, on either stream."""
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM.format(rest=rest)],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return f"{made.returncode} {made.stdout}{made.stderr}"


def test_a_program_ends_while_a_device_is_at_work() -> None:
    assert ran("here.submit(stuck.wait); print('bye')") == "0 bye\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    rest = """
here.submit(stuck.wait)  # the parent's thread is busy, and the child has none
child = os.fork()
again = Event()
here.submit(again.set)
if child:
    stuck.set()
    _, status = os.waitpid(child, 0)
    print(again.wait(10), status)
else:
    os._exit(0 if again.wait(10) else 1)
"""
    assert ran(rest) == "0 True 0\n"
