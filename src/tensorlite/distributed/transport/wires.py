"""Wires: bytes through a connected socket that never blocks. What they mean is links.py's.

Three kinds: unix sockets, which carry descriptors too; TCP; TLS over TCP.
"""

from __future__ import annotations

import array
import os
import socket
import ssl
import sys
from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import TypeAlias

from tensorlite.core.errors import ProtocolError
from tensorlite.distributed.transport.segments import SLOTS, are_there

Bytes: TypeAlias = bytes | memoryview
CLOSED = "the connection was closed by it"
_INT = array.array("i").itemsize
_ANCILLARY = socket.CMSG_SPACE(2 * SLOTS * _INT)
_TCP_INFO = getattr(socket, "TCP_INFO", 0)
_CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_TRUNCATED = int(getattr(socket, "MSG_CTRUNC", 0))
_CHUNK = 1 << 16
"""Bytes that TLS is given at once: between two of them the other direction has its turn."""
_LOW = getattr(socket, "SO_RCVLOWAT", None)
_STRIDE = 1 << 20
"""Bytes of a large payload that are read at once. To read what little there is, again and again,
takes more than twice as long: both kernels' ends then work on the same pages in turns."""
_RECORD = 1 << 15
"""More than TLS has in one record, with what is around it."""
_PROBES = 3
_LAST_HEARD = 56
"""Where in Linux's `struct tcp_info` it says when the peer acknowledged last."""


class Wire:
    """TCP, and what all have in common."""

    carries_descriptors = False
    tells_all = True
    """Whether a poll tells of all that can be read."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.socket = sock
        self.descriptors: deque[int] = deque()
        """What came and was not taken yet."""
        self._low = 1

    def expect(self, count: int) -> None:
        """Let a poll tell of what can be read only when that is much, if so many bytes are due."""
        low = max(1, min(count, _STRIDE))
        if low != self._low and _LOW is not None:
            self._low = low
            self.socket.setsockopt(socket.SOL_SOCKET, _LOW, low)

    def put(self, data: bytes) -> int:
        """Return how many of a few bytes were written."""
        try:
            return self.socket.send(data)
        except BlockingIOError:
            return 0

    def write(self, parts: Sequence[Bytes], descriptors: Sequence[int]) -> int:
        """Return how many bytes were written: 0 when nothing can be now."""
        try:
            return self.socket.sendmsg(parts)
        except BlockingIOError:
            return 0

    def read(self, space: memoryview) -> int | None:
        """Return how many bytes were read: 0 at the end, None when there are none now."""
        try:
            return self.socket.recv_into(space)
        except BlockingIOError:
            return None

    def last_heard(self) -> float | None:
        """Return how many seconds ago the peer's machine gave a sign of life, if that is known."""
        try:
            told = self.socket.getsockopt(
                socket.IPPROTO_TCP, _TCP_INFO, _LAST_HEARD + 4
            )
        except OSError:
            return None
        if len(told) < _LAST_HEARD + 4:
            return None
        return int.from_bytes(told[_LAST_HEARD:], sys.byteorder) / 1000

    def failure(self, what: str, error: OSError) -> str:
        """Return what went wrong, in words, and when the peer was there last."""
        heard = self.last_heard()
        silent = "" if heard is None else f"; it was last heard {heard:.1f} s ago"
        return f"{what} failed: {error}{silent}"

    def shut(self) -> None:
        """End the connection: whoever waits for this socket wakes."""
        try:
            # An SSLSocket's own would let a writer at work go on in the clear.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)
        except OSError:  # the peer was faster
            return

    def close(self) -> None:
        """Let go of the socket and of the descriptors that nobody took."""
        self.socket.close()
        while self.descriptors:
            os.close(self.descriptors.popleft())


class UnixWire(Wire):
    """A unix socket."""

    carries_descriptors = are_there()

    def expect(self, count: int) -> None:
        """Do nothing: a poll of such a socket tells of each byte."""

    def last_heard(self) -> float | None:
        """Return None: the kernel answers for the peer, also for one that is stopped."""
        return None

    def failure(self, what: str, error: OSError) -> str:
        """Return what went wrong; a peer that has not read all there was resets what it closes."""
        if isinstance(error, (BrokenPipeError, ConnectionResetError)):
            return CLOSED
        return super().failure(what, error)

    def write(self, parts: Sequence[Bytes], descriptors: Sequence[int]) -> int:
        """Return how many bytes were written; if any, the descriptors went with the first."""
        if not descriptors:
            return super().write(parts, descriptors)
        rights = array.array("i", descriptors)
        try:
            return self.socket.sendmsg(
                parts, [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            )
        except BlockingIOError:
            return 0

    def read(self, space: memoryview) -> int | None:
        """Return how many bytes were read, keeping what descriptors came with them."""
        try:
            count, ancillary, flags, _ = self.socket.recvmsg_into(
                [space], _ANCILLARY, _CLOEXEC
            )
        except BlockingIOError:
            return None
        if not (ancillary or flags & _TRUNCATED):
            return count
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                came = array.array("i", data[: len(data) // _INT * _INT])
                self.descriptors.extend(came)
        if flags & _TRUNCATED or len(self.descriptors) > SLOTS:
            raise ProtocolError("more descriptors came than there are segments")
        return count


class TlsWire(Wire):
    """TLS over TCP. OpenSSL is not for two threads at once; no call holds the lock for long."""

    tells_all = False  # OpenSSL may have read more

    def __init__(self, sock: ssl.SSLSocket) -> None:
        super().__init__(sock)
        self._tls = sock
        self._lock = Lock()

    def expect(self, count: int) -> None:
        """Do the same, less what OpenSSL may have read already."""
        super().expect(count - _RECORD)

    def put(self, data: bytes) -> int:
        """Return how many of a few bytes were written."""
        return self.write((data,), ())

    def write(self, parts: Sequence[Bytes], descriptors: Sequence[int]) -> int:
        """Return how many bytes were written; what is small goes into one record."""
        chosen: list[Bytes] = []
        left = _CHUNK
        for part in parts:
            chosen.append(part[:left])
            left -= len(chosen[-1])
            if not left:
                break
        data = chosen[0] if len(chosen) == 1 else b"".join(chosen)
        try:
            with self._lock:
                return self._tls.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def read(self, space: memoryview) -> int | None:
        """Return how many bytes were read."""
        try:
            with self._lock:
                return self._tls.recv_into(space)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None
        except ssl.SSLEOFError:  # the peer went without a word
            return 0


def wire_of(sock: socket.socket) -> Wire:
    """Return the wire for a connected socket."""
    if isinstance(sock, ssl.SSLSocket):
        return TlsWire(sock)
    return UnixWire(sock) if sock.family == socket.AF_UNIX else Wire(sock)


def tune(sock: socket.socket, silence: float) -> None:
    """Let a TCP socket send at once, and know after some seconds that its peer is cut off.

    A process that is stopped is not: the kernels go on. Over a unix socket nothing is ever cut.
    """
    if sock.family == socket.AF_UNIX:
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    period = max(1, int(silence / _PROBES))
    for name, value in (
        ("TCP_KEEPIDLE", period),
        ("TCP_KEEPINTVL", period),
        ("TCP_KEEPCNT", _PROBES),
        ("TCP_USER_TIMEOUT", round(1000 * silence)),
    ):
        if (option := getattr(socket, name, None)) is not None:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)
