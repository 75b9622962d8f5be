"""Handshake: two tasks make sure of each other before a link begins, on a socket with a timeout.

Each shows that it knows the cluster's secret without telling it, bound to its name, its
incarnation and both nonces; over TLS its certificate bears its name too. The task that was called
decides whether the link is to be, since both may have called at once.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import ssl
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from tensorlite.core.errors import DeadlineExceededError, ProtocolError
from tensorlite.distributed.transport.messages import (
    HEADER,
    Kind,
    Limits,
    Message,
    opening,
    read,
)

_LIMITS = Limits(payload=64)
_NAME = 256
NONCE = 32


class Hello(NamedTuple):
    """Who a task is, and the number of the link that it lost with the other, or 0."""

    task: str
    incarnation: int
    lost: int


class Verdict(NamedTuple):
    """The number of the link, or 0 and why there is none, and whether that is for good."""

    number: int
    reason: str = ""
    final: bool = False

    def message(self) -> Message:
        """Return what tells it."""
        key = self.reason[:80], ()
        return Message(Kind.VERDICT, int(self.final), self.number, key)


class _Talk:
    """Messages on a socket, until a deadline; never a byte is read beyond a message."""

    def __init__(self, sock: socket.socket, timeout: float) -> None:
        self.socket = sock
        self.until = monotonic() + timeout

    def tell(self, message: Message, payload: bytes = b"") -> bytes:
        """Send a message and return its bytes."""
        data = message._replace(payload=len(payload)).encode() + payload
        self._remaining()
        self.socket.sendall(data)
        return data

    def hear(self, kind: Kind) -> tuple[Message, bytes, bytes]:
        """Return a message of a kind, its payload, and all of its bytes."""
        data = self._exactly(HEADER.size)
        head = opening(data, _LIMITS)
        if head.length > HEADER.size + _NAME:
            raise ProtocolError("a name is too long")
        data += self._exactly(head.length - HEADER.size)
        message = read(memoryview(data), head)
        if message.kind is not kind:
            raise ProtocolError(
                f"a {message.kind.name} came instead of a {kind.name}"
            )
        payload = self._exactly(message.payload)
        return message, payload, data + payload

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            self._remaining()
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionResetError("it was closed before it was begun")
            data += piece
        return data

    def _remaining(self) -> None:
        left = self.until - monotonic()
        if left <= 0:
            raise DeadlineExceededError(
                "the other end took too long to say who it is"
            )
        self.socket.settimeout(left)


def call(
    sock: socket.socket, me: Hello, task: str, secret: bytes, timeout: float
) -> tuple[Hello, Verdict]:
    """Return who was called and what it decided; ProtocolError when it is not `task`."""
    talk = _Talk(sock, timeout)
    mine = talk.tell(_hello(me), secrets.token_bytes(NONCE))
    other, theirs = _heard(talk)
    if other.task != task:
        raise ProtocolError(f"{other.task} answered instead of {task}")
    _verify(talk, _proof(secret, b"called", theirs, mine), other.task)
    _prove(talk, _proof(secret, b"calling", mine, theirs))
    verdict, _, _ = talk.hear(Kind.VERDICT)
    return other, Verdict(verdict.step, verdict.key[0], bool(verdict.incarnation))


def answer(
    sock: socket.socket,
    me: Callable[[str], Hello],
    secret: bytes,
    timeout: float,
    decide: Callable[[Hello], Verdict],
) -> tuple[Hello, Verdict]:
    """Return who called and what `decide` says of it.

    It is told if that is no. A yes is to be the first message on the link, which then is there
    when the other task hears of it.
    """
    talk = _Talk(sock, timeout)
    other, theirs = _heard(talk)
    mine = talk.tell(_hello(me(other.task)), secrets.token_bytes(NONCE))
    _prove(talk, _proof(secret, b"called", mine, theirs))
    try:
        _verify(talk, _proof(secret, b"calling", theirs, mine), other.task)
    except ProtocolError as error:
        talk.tell(Verdict(0, str(error), final=True).message())
        raise
    verdict = decide(other)
    if not verdict.number:
        talk.tell(verdict.message())
    return other, verdict


def asked(sock: socket.socket, me: Hello, secret: bytes, timeout: float) -> Hello:
    """Return who answers here, which is made sure of; there is no link after that."""
    talk = _Talk(sock, timeout)
    mine = talk.tell(_hello(me), secrets.token_bytes(NONCE))
    other, theirs = _heard(talk)
    _verify(talk, _proof(secret, b"called", theirs, mine), other.task)
    return other


def _hello(me: Hello) -> Message:
    return Message(Kind.HELLO, me.incarnation, me.lost, (me.task, ()))


def _heard(talk: _Talk) -> tuple[Hello, bytes]:
    message, nonce, data = talk.hear(Kind.HELLO)
    if len(nonce) != NONCE:
        raise ProtocolError(f"a nonce has {len(nonce)} bytes, not {NONCE}")
    return Hello(message.key[0], message.incarnation, message.step), data


def _proof(secret: bytes, role: bytes, mine: bytes, theirs: bytes) -> bytes:
    return hmac.digest(secret, role + mine + theirs, "sha256")


def _prove(talk: _Talk, proof: bytes) -> None:
    talk.tell(Message(Kind.PROOF), proof)


def _verify(talk: _Talk, expected: bytes, task: str) -> None:
    _, proof, _ = talk.hear(Kind.PROOF)
    if not hmac.compare_digest(proof, expected):
        raise ProtocolError(f"{task!r} does not know the secret of this cluster")
    if isinstance(talk.socket, ssl.SSLSocket) and task not in names(talk.socket):
        raise ProtocolError(
            f"{task!r} has the certificate of {', '.join(names(talk.socket)) or 'nobody'}"
        )


def names(sock: ssl.SSLSocket) -> list[str]:
    """Return the names in the certificate that the peer has shown."""
    subject = (sock.getpeercert() or {}).get("subject", ())
    assert isinstance(subject, tuple)
    return [part[1] for parts in subject for part in parts if part[0] == "commonName"]
