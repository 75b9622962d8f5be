"""A stranger in a process of its own: `python -m tests.distributed.flood CALLS ADDRESS`.

It has no keys. It calls where a task listens, says all kinds of things that nobody asked for, and
keeps as many connections open as it can.
"""

from __future__ import annotations

import json
import random
import socket
import sys
from collections import deque
from contextlib import suppress

from tensorlite.distributed.transport.messages import HEADER, Kind, Message

KEPT = 200
_HELLO = Message(Kind.HELLO, 1, 0, ("a", ()), payload=32).encode() + b"n" * 32
SAID = (
    b"",
    b"GET / HTTP/1.1\r\n\r\n",
    random.Random(0).randbytes(100_000),  # noqa: S311
    b"\0" * 1000,
    _HELLO,
    _HELLO + Message(Kind.PROOF, payload=32).encode() + b"p" * 32,
    _HELLO[: HEADER.size // 2],
    Message(Kind.HELLO, 1, 0, ("a" * 9000, ()), payload=1 << 40).encode(),
    Message(Kind.TENSOR, 1, 0, ("run", ()), flags=1).encode() * 1000,
)


def flood(where: str | tuple[str, int], calls: int) -> None:
    """Call so often."""
    kept: deque[socket.socket] = deque()
    for call in range(calls):
        sock = socket.socket(
            socket.AF_UNIX if isinstance(where, str) else socket.AF_INET
        )
        sock.settimeout(1)
        with suppress(OSError):  # it was closed by the other end
            sock.connect(where)
            sock.setblocking(False)
            sock.send(SAID[call % len(SAID)])
        kept.append(sock)
        if len(kept) > KEPT:
            kept.popleft().close()


def main() -> None:
    """Do what the arguments say."""
    calls, address = sys.argv[1:]
    _, path, tcp = json.loads(address)
    flood(path or tuple(tcp), int(calls))


if __name__ == "__main__":
    main()
