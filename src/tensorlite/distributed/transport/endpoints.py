"""Endpoints: where a task listens, and calling there. Who answers is handshake.py's to say.

A task listens on a unix socket in a folder that only its user may enter, and on one address of
its node, with mutual TLS if it has a certificate.
"""

from __future__ import annotations

import shutil
import socket
import ssl
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.transport.wires import tune

_BACKLOG = 1024
_ANY = ("", "0.0.0.0", "::")  # noqa: S104  these are refused


class Address(NamedTuple):
    """Where a task listens: the node, the path of a unix socket or "", host and port or None."""

    node: str
    path: str
    tcp: tuple[str, int] | None


class Tls(NamedTuple):
    """How TLS is spoken when called and when calling; both sides show certificates."""

    server: ssl.SSLContext
    client: ssl.SSLContext


def mutual(certificate: str, key: str, authority: str) -> Tls:
    """Return what speaks TLS with a task's certificate, given paths of files in PEM.

    Only who has a certificate of the same authority is spoken with. The common name in it is to
    be the task's name, which the handshake of the tasks checks.
    """
    made = []
    for protocol in (ssl.PROTOCOL_TLS_SERVER, ssl.PROTOCOL_TLS_CLIENT):
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(authority)
        made.append(context)
    return checked(Tls(*made))


def checked(tls: Tls) -> Tls:
    """Return what speaks TLS, once both sides have to show certificates."""
    if any(context.verify_mode != ssl.CERT_REQUIRED for context in tls):
        raise InvalidArgumentError(
            "TLS between tasks is mutual: set verify_mode = ssl.CERT_REQUIRED on both contexts"
        )
    # A ticket would come later, unasked for, to a socket that is only read when it has data.
    tls.server.num_tickets = 0
    return tls


def node() -> str:
    """Return what tells this machine from others until it is started again."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return f"{uuid.getnode():x}"


class Listeners:
    """The sockets that a task listens on."""

    def __init__(self, host: str | None, port: int, unix: bool) -> None:
        if host in _ANY:
            raise InvalidArgumentError(
                f"host={host!r} would listen on every interface of this node: name the address "
                "of one"
            )
        self._folder = tempfile.mkdtemp(prefix="tensorlite-plane-") if unix else ""
        self.sockets: list[socket.socket] = []
        path, tcp = "", None
        try:
            if unix:
                path = f"{self._folder}/plane"
                self._add(socket.AF_UNIX).bind(path)
            if host is not None:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                made = self._add(family)
                if port:  # what had it before may have just ended
                    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                made.bind((host, port))
                tcp = self.sockets[-1].getsockname()[:2]
            for each in self.sockets:
                each.listen(_BACKLOG)
        except BaseException:
            self.close()
            raise
        self.address = Address(node(), path, tcp)

    def close(self) -> None:
        """Listen no more, and remove the socket's file."""
        for each in self.sockets:
            each.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _add(self, family: int) -> socket.socket:
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setblocking(False)
        self.sockets.append(made)
        return made


def wrapped(
    sock: socket.socket, tls: Tls | None, silence: float, called: bool
) -> socket.socket:
    """Return a connected socket as what is spoken on; it is closed if that fails."""
    try:
        tune(sock, silence)
        if tls is None or sock.family == socket.AF_UNIX:
            return sock
        context = tls.server if called else tls.client
        return context.wrap_socket(
            sock, server_side=called, do_handshake_on_connect=False
        )
    except BaseException:
        sock.close()
        raise


def shake(sock: socket.socket, timeout: float) -> None:
    """Do the handshake of TLS, if this is to be spoken. Raises OSError."""
    sock.settimeout(timeout)
    if isinstance(sock, ssl.SSLSocket):
        sock.do_handshake()


def connected(
    address: Address, tls: Tls | None, silence: float, timeout: float
) -> socket.socket:
    """Return a socket to a task: a unix socket if it is on this node. Raises OSError."""
    error: OSError | None = None
    for family, where in _ways(address):
        made = socket.socket(family, socket.SOCK_STREAM)
        made.settimeout(min(silence, timeout))
        try:
            made.connect(where)
        except OSError as refused:
            made.close()
            error = refused
            continue
        return wrapped(made, tls, silence, called=False)
    raise error or ConnectionRefusedError(
        "it has no address that this task could call"
    )


def _ways(address: Address) -> Iterator[tuple[int, str | tuple[str, int]]]:
    if address.path and address.node == node():
        yield socket.AF_UNIX, address.path
    if address.tcp is not None:
        inet6 = ":" in address.tcp[0]
        yield socket.AF_INET6 if inet6 else socket.AF_INET, address.tcp
