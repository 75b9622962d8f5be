"""Threads that wait miss nothing; threads that work are as many as are needed, and no more."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tensorlite.distributed.transport.threads import Waiters, Workers
from tests.threads import Background, until


@contextmanager
def workers(most: int = 64) -> Iterator[Workers]:
    made = Workers("work", most)
    try:
        yield made
    finally:
        made.close()


def test_what_is_true_is_not_waited_for() -> None:
    assert Waiters().wait(lambda: True, 0)


def test_a_wait_has_an_end() -> None:
    waiters = Waiters()
    assert not waiters.wait(lambda: False, 0)
    assert not waiters.wait(lambda: False, 0.02)
    assert waiters._gates == ()


@pytest.mark.parametrize("pairs", [1, 4])
def test_no_wake_is_lost(pairs: int) -> None:
    """Two threads play each game by turns, thousands of times; all are woken by every move."""
    waiters = Waiters()
    moves = [0] * pairs

    def play(game: int, player: int) -> None:
        for turn in range(player, 2000, 2):
            assert waiters.wait(lambda: moves[game] == turn, 30)  # noqa: B023  within it
            moves[game] += 1
            waiters.wake()

    for each in [Background(play, game, p) for game in range(pairs) for p in (0, 1)]:
        each.result()
    assert moves == [2000] * pairs


def test_a_wait_can_be_interrupted() -> None:
    def interrupt() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    for timeout in (None, 30.0):
        timer = threading.Timer(0.05, interrupt)
        timer.start()
        waiters = Waiters()
        with pytest.raises(KeyboardInterrupt):
            waiters.wait(lambda: False, timeout)
        timer.join()
        assert waiters._gates == ()


def test_threads_are_used_again_and_more_come_when_all_are_busy() -> None:
    with workers(most=3) as pool:
        names: list[str] = []

        def note() -> None:
            names.append(threading.current_thread().name)

        for i in range(20):
            pool.do(note)
            until(lambda: len(names) == i + 1 and pool._spare == 1)  # noqa: B023
        assert set(names) == {"work-1"}
        gate = threading.Event()
        started: list[int] = []

        def block() -> None:
            started.append(1)
            gate.wait(30)

        for _ in range(5):
            pool.do(block)
        until(lambda: len(started) == 3)
        assert pool._count == 3
        gate.set()
        until(lambda: len(started) == 5)


def test_what_work_raises_is_shown_and_the_thread_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", shown.append)
    with workers() as pool:
        done = threading.Event()
        pool.do(lambda: 1 / 0)
        until(lambda: pool._spare == 1)
        pool.do(done.set)
        assert done.wait(30)
        assert [one.exc_type for one in shown] == [ZeroDivisionError]
        assert pool._count == 1


def test_work_that_comes_after_the_end_is_done() -> None:
    with workers() as pool:
        done = [threading.Event() for _ in range(3)]
        pool.do(done[0].set)
        pool.close()
        for each in done[1:]:
            pool.do(each.set)
        assert all(each.wait(30) for each in done)
