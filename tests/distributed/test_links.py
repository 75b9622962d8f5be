"""Links: a peer that knows the secret and breaks the rules loses its link, and no more."""

from __future__ import annotations

import array
import fcntl
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from tensorlite.core import dtypes
from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport import boards
from tensorlite.distributed.transport.handshake import Hello, call
from tensorlite.distributed.transport.messages import (
    DEAD,
    HEADER,
    NEW,
    SEGMENT,
    Kind,
    Limits,
    Message,
)
from tensorlite.distributed.transport.plane import Plane
from tensorlite.distributed.transport.segments import SLOTS
from tests.distributed.pairs import SECRET, Receiver, key, pair
from tests.threads import LONG, until

WINDOW = 1 << 16
BOARD = Message(Kind.BOARD, 1).encode()


def tensor(name: str = "x", size: int = 4, flags: int = 0, segment: int = 0) -> bytes:
    message = Message(
        *(Kind.TENSOR, 1, 1, (name, ()), dtypes.uint8, (size,), size),
        flags=flags,
        segment=segment,
    )
    return message.encode() + (b"" if flags & SEGMENT else b"v" * size)


@contextmanager
def member(target: Plane) -> Iterator[socket.socket]:
    """Give the socket of a task `c` that is linked with a plane, and is none itself."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(LONG)
        sock.connect(target.address.path)
        call(sock, Hello("c", 1, 0), target.task, SECRET, LONG)
        until(lambda: "c" in target._peers and target._peers["c"].link is not None)
        if target.board is not None:
            word, rights, _, _ = sock.recvmsg(HEADER.size, socket.CMSG_SPACE(4))
            assert word == BOARD
            os.close(int.from_bytes(rights[0][2], sys.byteorder))
        yield sock


def give(sock: socket.socket, data: bytes, *descriptors: int) -> None:
    rights = array.array("i", descriptors)
    sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    for descriptor in descriptors:
        os.close(descriptor)


def memory(size: int = 4096, sealed: bool = True) -> int:
    descriptor = os.memfd_create("test", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if sealed:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return descriptor


def _two_boards(sock: socket.socket) -> None:
    for _ in range(2):
        give(sock, BOARD, memory(boards.SIZE))


def _filled_again(sock: socket.socket) -> None:
    give(sock, tensor("x1", flags=SEGMENT | NEW), memory())
    sock.sendall(tensor("x2", flags=SEGMENT))


BREACHES: dict[str, tuple[Callable[[socket.socket], object], str]] = {
    "garbage": (lambda sock: sock.sendall(b"garbage" * 10), "no message"),
    "hello": (
        lambda sock: sock.sendall(Message(Kind.HELLO).encode()),
        "a HELLO came",
    ),
    "twice": (lambda sock: sock.sendall(tensor() * 2), "x came twice"),
    "credit": (
        lambda sock: sock.sendall(Message(Kind.CREDIT, step=1).encode()),
        "more was taken",
    ),
    "release": (
        lambda sock: sock.sendall(Message(Kind.RELEASE, segment=3).encode()),
        "segment 3 came back",
    ),
    "window": (
        lambda sock: sock.sendall(b"".join(tensor(f"x{i}", 9000) for i in range(9))),
        "more came than was granted",
    ),
    "no descriptor": (
        lambda sock: sock.sendall(tensor(flags=SEGMENT | NEW)),
        "without its descriptor",
    ),
    "no segment": (
        lambda sock: sock.sendall(tensor(flags=SEGMENT)),
        "are not in segment 0",
    ),
    "small segment": (
        lambda sock: give(sock, tensor(size=5000, flags=SEGMENT | NEW), memory()),
        "are not in segment 0",
    ),
    "segment that may shrink": (
        lambda sock: give(sock, tensor(flags=SEGMENT | NEW), memory(sealed=False)),
        "could shrink",
    ),
    "empty segment": (
        lambda sock: give(sock, tensor(flags=SEGMENT | NEW), memory(0)),
        "is no memory",
    ),
    "file": (
        lambda sock: give(
            sock, tensor(flags=SEGMENT | NEW), os.open("/dev/null", os.O_RDWR)
        ),
        "is no memory",
    ),
    "segment of no slot": (
        lambda sock: give(sock, tensor(flags=SEGMENT | NEW, segment=99), memory()),
        "one too many",
    ),
    "descriptors": (
        lambda sock: give(sock, tensor(), *[memory() for _ in range(SLOTS + 1)]),
        "more descriptors",
    ),
    "board of no memory": (
        lambda sock: sock.sendall(BOARD),
        "without its descriptor",
    ),
    "small board": (lambda sock: give(sock, BOARD, memory()), "another size"),
    "board that may shrink": (
        lambda sock: give(sock, BOARD, memory(boards.SIZE, sealed=False)),
        "could shrink",
    ),
    "two boards": (_two_boards, "a BOARD came"),
    "filled again": (_filled_again, "before it was free"),
    "end": (lambda sock: sock.shutdown(socket.SHUT_WR), "closed by it"),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_ends_one_link(breach: str, tmp_path: Path) -> None:
    act, error = BREACHES[breach]
    with pair("unix", tmp_path, limits=Limits(window=WINDOW)) as (a, b):
        a.connect("b")
        with member(b) as sock:
            receiver = Receiver(b, "c")
            receiver.ask(7, key("never"))
            with suppress(BrokenPipeError):
                act(sock)
            with pytest.raises(UnavailableError, match=error):
                receiver.get()
        a.send("b", 1, key("x"), np.ones(20_000))
        assert Receiver(b, "a").take(1, key("x")).sum() == 20_000


def test_what_an_old_incarnation_says_is_dropped(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (_, b), member(b) as sock:
        for incarnation in (0, 1):
            message = Message(
                *(Kind.TENSOR, incarnation, 1, key("x", incarnation)), flags=DEAD
            )
            sock.sendall(message.encode())
        until(lambda: len(b._arrivals) == 1)
        assert Receiver(b, "c").take(1, key("x", 1)) is None
        assert b.traffic()["c"].dropped == 1


def test_what_is_taken_is_told_to_the_sender(tmp_path: Path) -> None:
    """Half of a window is told at once; segments are told together, or with what is sent."""
    with (
        pair("unix", tmp_path, limits=Limits(window=WINDOW)) as (_, b),
        member(b) as sock,
    ):
        receiver = Receiver(b, "c")
        for i in range(4):
            sock.sendall(tensor(f"x{i}", 9000))
            receiver.take(1, key(f"x{i}"))
        credit = sock.recv(1 << 16)
        assert credit == Message(Kind.CREDIT, 1, step=4 * 9256).encode()
        give(sock, tensor("y", flags=SEGMENT | NEW, segment=5), memory())
        assert receiver.take(1, key("y")).tobytes() == bytes(4)
        b.send("c", 1, key("z"), None, dead=True)
        told = sock.recv(1 << 16)
        release = Message(Kind.RELEASE, 1, segment=5).encode()
        assert told.endswith(release)


def test_a_peer_that_leaves_something_unread_has_closed_the_link(
    tmp_path: Path,
) -> None:
    """Of which a system says that the connection was reset."""
    with pair("unix", tmp_path) as (_, b), member(b) as sock:
        receiver = Receiver(b, "c")
        receiver.ask(7, key("never"))
        b.send("c", 1, key("x"), np.ones(3))
        sock.close()
        with pytest.raises(UnavailableError, match="closed by it"):
            receiver.get()
