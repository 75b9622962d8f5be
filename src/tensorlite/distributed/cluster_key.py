"""The key that tasks at given addresses share, where it comes from, and which addresses need one.

The keys of clusters whose tasks an engine starts are made by connecting.py, for each anew.
"""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.distributed.engines.engine import Keys
from tensorlite.distributed.transport.keys import Authority

VARIABLE = "TENSORLITE_CLUSTER_KEY"
SHORTEST = 16
"""Characters of a key."""


def located(address: str) -> tuple[str, int]:
    """Return the IP address and port that "host:port" stands for.

    >>> located("127.0.0.1:2222")
    ('127.0.0.1', 2222)
    """
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 1 << 16):
        raise InvalidArgumentError(
            f"{address!r} is no address of a task; allowed is 'host:port', as in 'localhost:2222'"
        )
    try:
        found = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM
        )
    except socket.gaierror as error:
        raise NotFoundError(f"{address!r}: {error}") from error
    ip = min(found, key=lambda one: one[0] != socket.AF_INET)[4][0]
    return str(ip), int(port)


def is_loopback(ip: str) -> bool:
    """Return whether an address is of this machine, and of it alone.

    >>> is_loopback("127.0.1.1"), is_loopback("10.0.0.1")
    (True, False)
    """
    return ip_address(ip).is_loopback


def keys_for(task: str, addresses: Iterable[str]) -> Keys:
    """Return what a task shows to others at some IP addresses, and knows them by.

    Among loopback addresses that is a secret; else a certificate too, whose authority everybody
    derives from the key. FailedPreconditionError when that is needed and there is none.
    """
    apart = sorted({ip for ip in addresses if not is_loopback(ip)})
    given = _given()
    if not apart:
        return Keys(sha256(given).digest() if given else _kept())
    if given is None:
        raise FailedPreconditionError(
            f"{apart[0]} is reached by other machines, and whoever reaches a task can have it run "
            f"anything. Set {VARIABLE} in every process to a secret of {SHORTEST} characters or "
            f"more, or {VARIABLE}_FILE to a file with one; without a key, tasks listen on loopback "
            "addresses such as localhost alone"
        )
    return Authority("tasks", derived=given).keys(task)


def _given() -> bytes | None:
    """Return the key of the environment, if there is one."""
    text, path = os.environ.get(VARIABLE), os.environ.get(f"{VARIABLE}_FILE")
    if text is None and path:
        try:
            text = Path(path).read_text("utf8").strip()
        except OSError as error:
            raise NotFoundError(f"{VARIABLE}_FILE={path}: {error}") from error
    if text is not None and len(text) < SHORTEST:
        raise InvalidArgumentError(
            f"{VARIABLE}: a key of {len(text)} characters can be guessed; give {SHORTEST} or more, "
            "such as `openssl rand -hex 32` makes"
        )
    return None if text is None else text.encode()


def _kept() -> bytes:
    """Return the secret of this user's tasks on this machine, from a file that others cannot read.

    Whoever comes first makes it.
    """
    folder = Path(tempfile.gettempdir(), f".tensorlite-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    told = folder.lstat()
    if folder.is_symlink() or told.st_uid != os.getuid() or told.st_mode & 0o077:
        raise FailedPreconditionError(
            f"{folder} is to hold a secret, and others can enter it: remove it, or set {VARIABLE}"
        )
    path = folder / "cluster-key"
    if not path.exists():
        mine = folder / f"cluster-key.{secrets.token_hex(8)}"
        mine.touch(mode=0o600)
        mine.write_bytes(secrets.token_bytes(32))
        with suppress(FileExistsError):  # somebody was faster
            os.link(mine, path)
        mine.unlink()
    return path.read_bytes()
