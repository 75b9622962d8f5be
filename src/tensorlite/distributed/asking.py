"""Asking who listens at an address that is known beforehand, until a task does.

What is found there, reached.py and server.py link with.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from tensorlite.core.errors import (
    DeadlineExceededError,
    FailedPreconditionError,
    InvalidArgumentError,
    ProtocolError,
    UnavailableError,
)
from tensorlite.distributed.cluster_key import VARIABLE
from tensorlite.distributed.transport.endpoints import Address, Tls, connected, shake
from tensorlite.distributed.transport.handshake import Hello, asked

T = TypeVar("T")
PAUSE = 0.1
"""Seconds between attempts to find a task."""
TOLD = 10.0
"""Seconds after which it is told again who is waited for."""
_TIMEOUT = 10.0
"""Seconds that a task may take to say who it is."""
_log = logging.getLogger("tensorflow")
NOT_THERE = OSError, UnavailableError, DeadlineExceededError, ProtocolError
"""What goes wrong where no task listens, or not yet."""


def at(where: tuple[str, int]) -> Address:
    """Return an IP address and port as where a task listens."""
    return Address("", "", where)


def listener(
    where: tuple[str, int], me: Hello, secret: bytes, tls: Tls | None
) -> Hello:
    """Return who listens at an IP address and port; OSError when nobody does."""
    sock = connected(at(where), tls, _TIMEOUT, _TIMEOUT)
    with sock:
        shake(sock, _TIMEOUT)
        try:
            return asked(sock, me, secret, _TIMEOUT)
        except ProtocolError as error:
            raise FailedPreconditionError(
                f"what listens at {where[0]}:{where[1]} is no task that this process may use: "
                f"{error}. {VARIABLE} is to be the same in all processes"
            ) from error


def check_task(task: str | None, found: str, address: str) -> None:
    """Raise InvalidArgumentError when at an address is another task than is looked for."""
    if task is not None and found != task:
        raise InvalidArgumentError(
            f"at {address} is {found}, and not {task}: give all processes one cluster"
        )


def patiently(attempt: Callable[[], T], task: str | None, address: str) -> T:
    """Return what an attempt to find a task comes to, once the task is there."""
    since = told = monotonic()
    while True:
        try:
            return attempt()
        except NOT_THERE as error:
            if monotonic() - told > TOLD:
                told = monotonic()
                _log.warning(
                    "CreateSession still waiting for response from worker: %s at %s, for %.0f "
                    "s (%s)",
                    task or "the master",
                    address,
                    told - since,
                    error,
                )
            time.sleep(PAUSE)
