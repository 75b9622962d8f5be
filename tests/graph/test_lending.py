"""LendingLock: who waits for a lock that is lent takes it, and its holder goes on afterwards."""

from __future__ import annotations

from threading import Thread

import pytest

from tensorlite.graph.lending import LendingLock

pytestmark = pytest.mark.timeout(60)


def _run(function: object) -> None:
    assert callable(function)
    thread = Thread(target=function)
    thread.start()
    thread.join()


def test_a_lent_lock_is_taken_by_who_is_waited_for() -> None:
    lock, seen = LendingLock(), []

    def take() -> None:
        with lock, lock:
            seen.append("guest")

    with lock:
        with lock.lent():
            _run(take)
            with lock:
                seen.append("holder")
                with lock.lent():
                    _run(take)
        seen.append("behind")
    _run(take)
    assert seen == ["guest", "holder", "guest", "behind", "guest"]


def test_holders_wait_until_guests_have_given_back() -> None:
    lock, seen = LendingLock(), []

    def take() -> None:
        with lock:
            seen.append("begin")
            for _ in range(20000):
                pass
            seen.append("end")

    with lock:
        thread = Thread(target=take)
        with lock.lent():
            thread.start()
            while not seen:
                pass
        seen.append("holder")
    thread.join()
    assert seen == ["begin", "end", "holder"]


def test_locks_that_nobody_lends_exclude_others() -> None:
    lock, numbers = LendingLock(), [0]

    def count() -> None:
        for _ in range(2000):
            with lock:
                number = numbers[0]
                numbers[0] = number + 1

    threads = [Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers == [8000]


def test_lending_what_is_not_held_does_nothing() -> None:
    lock = LendingLock()
    with lock.lent(), lock:
        pass
    assert lock.lent_for(max, 1, 2) == 2
