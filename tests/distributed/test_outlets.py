"""Outlets: whoever writes, and however little the wire takes, each message goes once and whole."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.carrier import COMMAND
from tensorlite.distributed.transport.outlets import Item, Outlet
from tensorlite.distributed.transport.plane import Plane
from tensorlite.distributed.transport.wires import Wire
from tests.distributed.pairs import WAYS, key, pair
from tests.distributed.test_commands import Served
from tests.threads import Background, until


class Narrow(Wire):
    """Takes a few bytes at a time, and none now and then."""

    def __init__(self, sock: socket.socket, most: int) -> None:
        super().__init__(sock)
        self.most = most
        self.calls = 0

    def put(self, data: bytes) -> int:
        return self.write([data], ())

    def write(self, parts: Any, descriptors: Any) -> int:
        self.calls += 1
        if self.calls % 3 == 0:
            return 0
        return super().write([b"".join(parts)[: self.most]], descriptors)


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_what_is_written_in_parts_comes_whole(most: int) -> None:
    near, far = socket.socketpair()
    woken: list[int] = []
    outlet = Outlet(Narrow(near, most), lambda: woken.append(1), pytest.fail)
    expected = b""
    with near, far:
        reader = Background(_all, far)
        for i in range(30):
            data = bytes([i]) * 20
            expected += data
            if i % 3:
                item = Item([data])
                outlet.queue.append(item)
                assert outlet.write(item)
            else:
                outlet.put(data)
        last = Item([b"end"])
        outlet.queue.append(last)
        assert outlet.write(last)
        assert not outlet.queue
        near.shutdown(socket.SHUT_WR)
        came = reader.result()
    assert came == expected + b"end"
    assert woken or most == 1000


def _all(sock: socket.socket) -> bytes:
    return b"".join(iter(lambda: sock.recv(1 << 16), b""))


def test_what_is_put_comes_after_what_is_queued() -> None:
    near, far = socket.socketpair()
    with near, far:
        outlet = Outlet(Wire(near), lambda: None, pytest.fail)
        outlet.queue.append(Item([b"first"]))
        outlet.put(b"second")
        outlet.put(b"third")
        assert far.recv(100) == b"firstsecondthird"
        assert not outlet.queue


class Broken(Wire):
    """Raises something when it has written."""

    error: BaseException

    def put(self, data: bytes) -> int:
        super().put(data)
        raise self.error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "writing was interrupted"),
        (BrokenPipeError("pipe"), "writing failed: pipe"),
    ],
)
def test_a_write_of_which_nothing_is_known_ends_the_link(
    error: BaseException, reason: str, tmp_path: Path
) -> None:
    """The message may have gone or not: it must not go twice, nor half of it be followed."""
    with pair("tcp", tmp_path) as (a, b):
        served = Served(b)
        a.connect("b")
        link = a._peers["b"].link
        assert link is not None
        broken = Broken(link._wire.socket)
        broken.error = error
        link._outlet._wire = broken
        expected = UnavailableError if isinstance(error, OSError) else type(error)
        with pytest.raises(expected):
            a.send("b", COMMAND, key("once"), np.array(1))
        assert reason in str(link.error)
        until(lambda: b._peers["a"].link is not None or len(served.told) > 0)
        a.send("b", COMMAND, key("again"), np.array(2))
        told = served.wait(1)
        until(lambda: ("a", "again", 2) in told)
        assert sum(one[1] == "once" for one in told) <= 1


EACH = 40
"""Values of each thread: TCP may take a tenth of a second for one that has little room."""


@pytest.mark.parametrize("way", WAYS)
def test_many_threads_send_through_a_narrow_socket(way: str, tmp_path: Path) -> None:
    """Small and large values, commands and tensors: those of each thread come in their order."""
    with pair(way, tmp_path) as (a, b):
        served = Served(b)
        a.connect("b")
        link = a._peers["b"].link
        assert link is not None
        link._wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)

        def send(plane: Plane, mine: int) -> None:
            for i in range(EACH):
                size = (3, 500, 9_000, 20_000)[(i + mine) % 4]
                plane.send("b", COMMAND, key("run", mine, i), np.full(size, i))

        for each in [Background(send, a, mine) for mine in range(4)]:
            each.result()
        told = served.wait(4 * EACH)
        assert len(told) == 4 * EACH
        assert all(len(set(value)) == 1 for _, _, value in told)
        assert sorted(value[0] for *_, value in told) == sorted([*range(EACH)] * 4)
