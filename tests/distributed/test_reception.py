"""Reception: who waits receives, one thread at a time, and no message is handled by half."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from threading import current_thread, main_thread
from time import monotonic

import pytest

from tensorlite.distributed.transport.reception import GUESSES, LINGER, Reception
from tests.threads import LONG, Background, until

WORD: ContextVar[str] = ContextVar("WORD", default="none")


class Ear:
    """A source that notes what comes, by which thread, and in which context."""

    def __init__(self, reception: Reception) -> None:
        self.sock, self.far = socket.socketpair()
        self.sock.setblocking(False)
        self.heard: list[bytes] = []
        self.threads: list[threading.Thread] = []
        self.words: list[str] = []
        self.finished = 0
        self.held = threading.Event()
        self.held.set()
        reception.begin(self)

    def fileno(self) -> int:
        return self.sock.fileno()

    def attend(self) -> bool:
        try:
            data = self.sock.recv(100)
        except BlockingIOError:
            return True
        if data:
            self.threads.append(current_thread())
            self.words.append(WORD.get())
            assert self.held.wait(LONG)
            if data == b"wrong":
                raise ValueError(data)
            self.heard.append(data)
        return bool(data)

    def is_stuck(self) -> bool:
        return False

    def finish(self) -> None:
        self.finished += 1
        self.sock.close()
        self.far.close()


@pytest.fixture
def reception() -> Iterator[Reception]:
    made = Reception("receive")
    yield made
    made.close()


def test_without_a_wait_a_thread_of_its_own_receives(reception: Reception) -> None:
    ear = Ear(reception)
    ear.far.send(b"a")
    until(lambda: ear.heard == [b"a"])
    assert ear.threads == [reception._thread]


def test_no_link_is_favoured_for_long(reception: Reception) -> None:
    """What comes by another is heard, though each wait ends with what comes by the first."""
    chatty, other = Ear(reception), Ear(reception)
    for count in range(1, 10 * GUESSES):
        chatty.far.send(b"a")
        if count == 3 * GUESSES:
            other.far.send(b"b")
        assert reception.wait(lambda: len(chatty.heard) == count, LONG)  # noqa: B023  at once
    assert other.heard == [b"b"]


def test_who_waits_receives_in_a_context_of_its_own(reception: Reception) -> None:
    ear = Ear(reception)
    token = WORD.set("user's")
    try:
        for count in range(1, 200):
            ear.far.send(b"a")
            assert reception.wait(lambda: len(ear.heard) == count, LONG)  # noqa: B023  within it
    finally:
        WORD.reset(token)
    assert main_thread() in ear.threads
    assert set(ear.words) == {"none"}


def test_what_comes_after_a_wait_is_received_soon(reception: Reception) -> None:
    ear = Ear(reception)
    for _ in range(5):
        before = len(ear.heard)
        ear.far.send(b"a")
        assert reception.wait(lambda: len(ear.heard) > before, LONG)  # noqa: B023  within it
        ear.far.send(b"b")
        until(lambda: len(ear.heard) == before + 2)  # noqa: B023  within it
    assert reception._thread in ear.threads


def test_a_wait_ends_in_time_and_when_it_is_woken(reception: Reception) -> None:
    begin = monotonic()
    assert not reception.wait(lambda: False, 0.02)
    assert monotonic() - begin >= 0.02
    assert not reception.wait(lambda: False, 0)
    told: list[int] = []

    def tell() -> None:
        told.append(1)
        reception.wake()

    for _ in range(50):
        told.clear()
        teller = Background(tell)
        assert reception.wait(lambda: bool(told), LONG)
        teller.result()


@pytest.mark.parametrize("count", [2, 5])
def test_many_wait_at_once_and_each_gets_its_own(
    reception: Reception, count: int
) -> None:
    """Whoever leads is gone when its own has come; another takes over."""
    ears = [Ear(reception) for _ in range(count)]

    def play(number: int) -> None:
        ear = ears[number]
        for turn in range(1, 300):
            ear.far.send(b"a")
            assert reception.wait(lambda: b"".join(ear.heard) == b"a" * turn, LONG)  # noqa: B023  within it

    for each in [Background(play, number) for number in range(count)]:
        each.result()


def test_a_wait_takes_over_from_the_thread_that_receives(
    reception: Reception,
) -> None:
    ear = Ear(reception)
    until(lambda: reception._receiver == reception._thread.ident)
    waiter = Background(lambda: reception.wait(lambda: len(ear.heard) == 2, LONG))
    until(lambda: reception._receiver not in (0, reception._thread.ident))
    ear.far.send(b"a")
    until(lambda: ear.heard == [b"a"])
    ear.far.send(b"b")
    assert waiter.result()
    assert reception._thread not in ear.threads


def test_an_interrupt_waits_until_a_message_is_handled(reception: Reception) -> None:
    """What a handler does is not torn, and the wait ends with the interrupt after that."""
    ear = Ear(reception)
    handler = signal.getsignal(signal.SIGINT)
    ear.held.clear()

    def interrupt() -> None:
        ear.far.send(b"a")
        until(lambda: len(ear.threads) == 1)
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        threading.Timer(0.05, ear.held.set).start()

    until(lambda: reception._receiver == reception._thread.ident)
    timer = threading.Timer(10 * LINGER, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        reception.wait(lambda: False, LONG)
    timer.join()
    assert ear.heard == [b"a"]
    assert ear.threads == [main_thread()]
    assert signal.getsignal(signal.SIGINT) is handler
    ear.far.send(b"b")
    assert reception.wait(lambda: ear.heard == [b"a", b"b"], LONG)


def test_a_handler_of_interrupts_may_go_on(reception: Reception) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        timer = threading.Timer(
            0.02,
            lambda: signal.pthread_kill(main_thread().ident or 0, signal.SIGINT),
        )
        timer.start()
        assert reception.wait(lambda: bool(told), LONG)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == [signal.SIGINT]


def test_a_source_that_raises_is_over_and_others_are_not(
    reception: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda x: shown.append(x.exc_type))
    bad, good = Ear(reception), Ear(reception)
    bad.far.send(b"wrong")
    until(lambda: bad.finished == 1)
    good.far.send(b"a")
    until(lambda: good.heard == [b"a"])
    assert shown == [ValueError]
    good.far.close()
    until(lambda: good.finished == 1)
    assert not reception._sources


def test_at_the_end_all_sources_are_over() -> None:
    reception = Reception("receive")
    ears = [Ear(reception) for _ in range(3)]
    waiter = Background(lambda: reception.wait(lambda: ears[2].finished == 1, LONG))
    reception.close()
    reception.wake()
    assert waiter.result()
    assert [ear.finished for ear in ears] == [1, 1, 1]
    late = Ear(reception)
    assert late.finished == 1
    assert not reception.wait(lambda: False, 0.01)
