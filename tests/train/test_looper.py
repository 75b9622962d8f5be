"""Threads that do something again and again."""

from __future__ import annotations

from threading import Event

import pytest

import tensorlite as tl
from tensorlite.train.looper import LooperThread
from tests.threads import LONG


def test_the_function_is_called_at_once_however_long_the_pause() -> None:
    coord, called = tl.queue.Coordinator(), Event()
    thread = LooperThread.loop(coord, 10.0 * LONG, called.set)
    assert called.wait(LONG)
    coord.request_stop()
    coord.join()
    assert not thread.is_alive()


def test_subclasses_say_what_is_done_first_and_last() -> None:
    class Told(LooperThread):
        def start_loop(self) -> None:
            said.append("start")

        def run_loop(self) -> None:
            said.append("run")
            coord.request_stop()

        def stop_loop(self) -> None:
            said.append("stop")

    coord, said = tl.queue.Coordinator(), list[str]()
    Told(coord, None).start()
    coord.join()
    assert said == ["start", "run", "stop"]


def test_an_error_of_the_function_is_raised_where_threads_are_joined() -> None:
    def fail(message: str, *, kind: type[Exception]) -> None:
        raise kind(message)

    coord = tl.queue.Coordinator()
    LooperThread.loop(coord, None, fail, ["no more"], {"kind": ValueError})
    with pytest.raises(ValueError, match="no more"):
        coord.join()
