"""Commands: handed over at once and in order; who is lost is told once, and in its place."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.carrier import COMMAND, Carrier
from tensorlite.distributed.transport.messages import Limits
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.plane import Plane
from tensorlite.distributed.transport.wires import Wire
from tests.distributed.pairs import WAYS, key, pair, plane
from tests.threads import Background, until


class Served:
    """What a plane was told, in order."""

    def __init__(self, served: Carrier) -> None:
        self.carrier = served
        self.told: list[tuple[Any, ...]] = []
        served.serve(self.command, self.lost)

    def command(self, task: str, asked: Any, value: Any) -> None:
        value = value if value is None else value.tolist()
        self.told.append((task, asked[0], value))
        self.carrier.wake()

    def lost(self, task: str, reason: str) -> None:
        self.told.append((task, reason))
        self.carrier.wake()

    def wait(self, count: int) -> list[tuple[Any, ...]]:
        assert self.carrier.wait(lambda: len(self.told) >= count, 30)
        return self.told


@pytest.mark.parametrize("way", WAYS)
def test_commands_are_handed_over_and_never_kept(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path, limits=Limits(window=1 << 16)) as (a, b):
        served = Served(b)
        for i in range(500):
            a.send("b", COMMAND, key("run"), np.full(50, i, np.int32))
        a.send_all("b", COMMAND, [Parcel(key("end"), None, dead=True)])
        told = served.wait(501)
        assert told[:500] == [("a", "run", [i] * 50) for i in range(500)]
        assert told[500] == ("a", "end", None)
        assert len(b._arrivals) == 0


def test_what_comes_before_anybody_serves_is_kept_and_bounded(tmp_path: Path) -> None:
    with pair("unix", tmp_path, limits=Limits(window=1 << 16)) as (a, b):
        sent = []

        def send() -> None:
            for i in range(200):
                a.send("b", COMMAND, key("run"), np.full(1000, i))
                sent.append(i)

        sender = Background(send)
        until(lambda: len(sent) >= 7)
        served = Served(b)
        assert [value[0] for *_, value in served.wait(200)] == [*range(200)]
        assert len(sent) <= 200
        sender.result()


def test_what_comes_before_anybody_serves_holds_up_the_sender(tmp_path: Path) -> None:
    with pair("unix", tmp_path, limits=Limits(window=1 << 16)) as (a, b):
        a.connect("b")
        sender = Background(_send_many, a)
        until(lambda: b.traffic()["a"].messages_in >= 7)
        assert not a.wait(lambda: b.traffic()["a"].messages_in > 10, 0.05)
        b.close()
        with pytest.raises(UnavailableError):
            sender.result()


def _send_many(a: Plane) -> None:
    for i in range(200):
        a.send("b", COMMAND, key("run"), np.full(1000, i))


def test_a_lost_task_is_told_once_after_what_it_said(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        late = Served(b)
        a.send("b", COMMAND, key("first"), np.array(1))
        late.wait(1)
        b.send("a", COMMAND, key("last"), np.array(2))
        until(lambda: a.traffic()["b"].messages_in == 1)
        b.close()
        until(lambda: a._peers["b"].link is None)
        served = Served(a)
        told = served.wait(2)
        assert told[0] == ("b", "last", 2)
        assert told[1][0] == "b"
        assert "task b (incarnation 0x1)" in told[1][1]
        assert len(told) == 2
        assert late.wait(2)[0] == ("a", "first", 1)
        assert len(late.told) == 2


@pytest.mark.parametrize("calls", [True, False])
def test_a_new_incarnation_is_heard_after_the_old_is_lost(
    calls: bool, tmp_path: Path
) -> None:
    with pair("unix", tmp_path) as (a, b):
        served = Served(a)
        b.send("a", COMMAND, key("old"), np.array(1))
        served.wait(1)
        again = plane("b", "unix", tmp_path, incarnation=2)
        try:
            again.meet("a", a.address, 1)
            if not calls:
                a.meet("b", again.address, 2)
                a.connect("b")
            again.send("a", COMMAND, key("new"), np.array(2))
            told = served.wait(3)
            assert [one[1] for one in told[::2]] == ["old", "new"]
            assert "incarnation 0x1" in told[1][1]
        finally:
            again.close()
        assert "incarnation 0x2" in served.wait(4)[3][1]
        assert len(served.told) == 4


def test_a_handler_may_answer(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        served = Served(a)

        def echo(task: str, asked: Any, value: Any) -> None:
            b.send(task, COMMAND, asked, value)

        b.serve(echo, lambda *_: None)
        for i in range(300):
            a.send("b", COMMAND, key("ping", i), np.full(i * 100, i))
            told = served.wait(i + 1)[i]
            assert told == ("b", "ping", [i] * (i * 100))


def test_a_handler_that_fails_ends_the_link_and_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", shown.append)

    def fail(*_: Any) -> None:
        raise RuntimeError("handler")

    with pair("unix", tmp_path) as (a, b):
        served = Served(a)
        lost: list[str] = []
        b.serve(fail, lambda _, reason: lost.append(reason))
        a.send("b", COMMAND, key("x"), np.array(1))
        served.wait(1)
        until(lambda: bool(lost))
        assert "could not be handled: RuntimeError('handler')" in lost[0]
        assert [type(one.exc_value) for one in shown] == [RuntimeError]


def test_an_interrupt_holds_up_nobody_else(tmp_path: Path) -> None:
    """The thread that begins to serve hands over what waits: this one may be interrupted."""
    with pair("unix", tmp_path) as (a, b):
        told: list[Any] = []

        def command(_: str, asked: Any, __: Any) -> None:
            told.append(asked[0])
            if asked[0] == "first":
                raise KeyboardInterrupt

        for name in ("first", "second"):
            a.send("b", COMMAND, key(name), np.array(1))
        until(lambda: b.traffic()["a"].messages_in == 2)
        with pytest.raises(KeyboardInterrupt):
            b.serve(command, lambda *_: None)
        a.send("b", COMMAND, key("third"), np.array(1))
        until(lambda: len(told) == 3)
        assert told == ["first", "second", "third"]


def test_a_plane_is_a_carrier(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, _):
        carrier: Carrier = a
        assert carrier.task == "a"
        done: list[int] = []

        def work() -> None:
            done.append(1)
            carrier.wake()

        carrier.later(work, "/device:CPU:0")
        assert carrier.wait(lambda: bool(done), 30)


def test_another_may_serve(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        first, second = Served(b), Served(b)
        a.send("b", COMMAND, key("x"), np.array(1))
        second.wait(1)
        assert first.told == []


def test_silence_is_told_to_the_kernel(tmp_path: Path) -> None:
    with pair("tcp", tmp_path, silence=9.5) as (a, b):
        a.connect("b")
        until(lambda: b._peers["a"].link is not None)
        for one in (_wire(a, "b").socket, _wire(b, "a").socket):
            said = [
                one.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_USER_TIMEOUT")
            ]
            assert said == [3, 3, 9500]
        heard = _wire(a, "b").last_heard()
        assert heard is not None
        assert 0 <= heard < 30


def _wire(of: Plane, task: str) -> Wire:
    link = of._peers[task].link
    assert link is not None
    return link._wire
