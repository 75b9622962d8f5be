"""Wires: when a poll tells of what has come, over TCP."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tensorlite.distributed.transport.wires import Wire, wire_of
from tests.distributed.pairs import Receiver, key, pair


@pytest.fixture
def ends() -> Iterator[tuple[Wire, socket.socket]]:
    """Give a wire, and the socket at the other end."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as other,
    ):
        wire = wire_of(server.accept()[0])
        yield wire, other
        wire.close()


def ready(wire: Wire, seconds: float) -> bool:
    found = select.poll()
    found.register(wire.socket, select.POLLIN)
    return bool(found.poll(1000 * seconds))


def test_a_poll_tells_of_much_at_once(ends: tuple[Wire, socket.socket]) -> None:
    wire, other = ends
    wire.expect(1000)
    other.sendall(b"x" * 999)
    assert not ready(wire, 0.2)
    other.sendall(b"x")
    assert ready(wire, 60)
    assert wire.read(memoryview(bytearray(2000))) == 1000
    wire.expect(0)
    other.sendall(b"x")
    assert ready(wire, 60)


def test_the_end_is_told_though_more_was_due(
    ends: tuple[Wire, socket.socket],
) -> None:
    wire, other = ends
    wire.expect(1 << 30)
    other.sendall(b"x")
    assert not ready(wire, 0.2)
    other.shutdown(socket.SHUT_WR)
    assert ready(wire, 60)
    space = memoryview(bytearray(10))
    assert wire.read(space) == 1
    assert wire.read(space) == 0


@pytest.mark.parametrize("way", ["tcp", "tls"])
def test_small_values_come_after_large_ones(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        receiver = Receiver(b, "a")
        for step in range(1, 20):
            sent = np.arange(step * 50_001, dtype=np.int64)
            a.send("b", step, key("large"), sent)
            a.send("b", step, key("small"), np.array(step))
            np.testing.assert_array_equal(receiver.take(step, key("large")), sent)
            assert receiver.take(step, key("small")) == step
