"""Who is no task of the cluster gets nowhere, and holds nobody up."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnavailableError
from tensorlite.distributed.transport.endpoints import Tls, checked
from tensorlite.distributed.transport.handshake import Hello, call
from tensorlite.distributed.transport.messages import Kind, Message
from tensorlite.distributed.transport.plane import STRANGERS, Plane
from tests.distributed.pairs import (
    SECRET,
    WAYS,
    Receiver,
    authority,
    certificate,
    key,
    pair,
    plane,
)
from tests.threads import LONG, until


def stranger(target: Plane) -> socket.socket:
    """Return a connection to where a plane listens."""
    _, path, tcp = target.address
    sock = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    sock.settimeout(LONG)
    where = path or tcp
    assert where is not None
    sock.connect(where)
    return sock


def is_closed(sock: socket.socket) -> bool:
    """Wait until the other end has closed a connection."""
    with sock, suppress(ConnectionResetError):
        while sock.recv(1 << 16):
            continue
    return True


def works(a: Plane, b: Plane, step: int = 1) -> None:
    a.send("b", step, key("x"), np.arange(30_000))
    assert Receiver(b, "a").take(step, key("x")).sum() == 449_985_000


HELLO = Message(Kind.HELLO, 1, 0, ("a", ())).encode()
TENSOR = Message(Kind.TENSOR, 1, 1, ("x", ()), flags=1).encode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0" * 5000,
        HELLO * 5,
        TENSOR,
        b"\x16\x03\x01\x00\x05hello",
    ],
    ids=["http", "zeros", "hellos", "tensor", "tls"],
)
def test_garbage_ends_its_own_connection(
    said: bytes, way: str, tmp_path: Path
) -> None:
    with pair(way, tmp_path) as (a, b):
        works(a, b)
        sock = stranger(b)
        with suppress(OSError):
            sock.sendall(said)
            sock.shutdown(socket.SHUT_WR)
        assert is_closed(sock)
        works(a, b, step=2)
        assert set(b.traffic()) == {"a"}


def test_who_does_not_know_the_secret_is_refused(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        wrong = plane("c", "tcp", tmp_path, secret=b"another secret, quite")
        wrong.meet("b", b.address, 1)
        with pytest.raises(UnavailableError, match="does not know the secret"):
            wrong.connect("b")
        wrong.close()
        with stranger(b) as sock, pytest.raises(OSError, match="secret"):
            call(sock, Hello("a", 9, 0), "b", b"another secret, quite", LONG)
        works(a, b)
        assert set(b.traffic()) == {"a"}


def test_the_called_task_verifies_the_secret_itself(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (_, b), stranger(b) as sock:
        sock.sendall(
            Message(Kind.HELLO, 1, 0, ("c", ()), payload=32).encode() + b"n" * 32
        )
        sock.sendall(Message(Kind.PROOF, payload=32).encode() + b"p" * 32)
        until(lambda: any("secret" in reason for reason in b.refused))
        assert set(b.traffic()) == {"a"}


def test_who_says_nothing_holds_nobody_up(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        silent = [stranger(b) for _ in range(5)]
        works(a, b)
        works_back = Receiver(a, "b")
        b.send("a", 1, key("y"), np.ones(3))
        assert works_back.take(1, key("y")).sum() == 3
        for sock in silent:
            sock.close()


def test_who_says_nothing_is_dropped_after_a_while(tmp_path: Path) -> None:
    with pair("unix", tmp_path, timeout=0.1) as (_, b):
        sock = stranger(b)
        assert is_closed(sock)
        until(lambda: any("timed out" in reason for reason in b.refused))


def test_a_flood_is_bounded_and_tasks_get_through(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        before = threading.active_count()
        flood = [stranger(b) for _ in range(6 * STRANGERS)]
        assert threading.active_count() <= before + 2 * STRANGERS
        works(a, b)
        for sock in flood:
            sock.close()


def test_a_task_needs_a_certificate_in_its_own_name(tmp_path: Path) -> None:
    def is_refused(tls: Tls | None, error: str) -> None:
        other = Plane(
            "c", 1, SECRET, host="127.0.0.1", unix=False, tls=tls, timeout=1
        )
        other.meet("b", b.address, 1)
        try:
            with pytest.raises(UnavailableError, match=error):
                other.connect("b")
        finally:
            other.close()

    with pair("tls", tmp_path) as (a, b):
        is_refused(certificate(tmp_path, "d"), "has the certificate of d")
        until(lambda: any("certificate of d" in reason for reason in b.refused))
        foreign = authority(tmp_path / "foreign")
        is_refused(certificate(foreign, "c"), "verify failed")
        own = certificate(tmp_path, "c")
        foreign_client = Tls(own.server, _trusting(tmp_path, foreign))
        is_refused(foreign_client, "task b")
        nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        nobody.check_hostname = False
        nobody.load_verify_locations(tmp_path / "ca.pem")
        is_refused(Tls(own.server, nobody), "task b")
        is_refused(None, "task b")
        works(a, b)
        assert set(b.traffic()) == {"a"}


def _trusting(folder: Path, foreign: Path) -> ssl.SSLContext:
    """Return a context that trusts the cluster's authority, and shows another's certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(folder / "ca.pem")
    context.load_cert_chain(foreign / "c.pem", foreign / "c.key")
    return context


def test_tls_without_certificates_of_clients_is_refused(tmp_path: Path) -> None:
    authority(tmp_path)
    tls = certificate(tmp_path, "a")
    tls.server.verify_mode = ssl.CERT_NONE
    with pytest.raises(InvalidArgumentError, match="mutual"):
        checked(tls)


def test_closing_ends_who_has_not_said_who_it_is(tmp_path: Path) -> None:
    listening = plane("b", "tcp", tmp_path)
    silent = stranger(listening)
    until(lambda: bool(listening._answering))
    listening.close()
    assert is_closed(silent)
