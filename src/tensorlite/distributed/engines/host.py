"""Host: what a process does at its start to be a task. What a task does then is worker.py's.

An engine calls this in the processes that it starts, and for what the client sends by.
"""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Protocol, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.xp import set_cpu_count
from tensorlite.distributed.engines.engine import Registration, TaskSettings
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.keys import tls_of
from tensorlite.distributed.transport.plane import Plane
from tensorlite.runtime.devices import logical_devices

SWITCH = 0.0002
"""Seconds that Python may hold up a message; its own choice is 5 ms."""


def settle() -> None:
    """Have this process attend to messages soon, and go on with what it computes.

    By SCHED_BATCH a thread, and those that it starts, are interrupted less when another wakes: a
    step that is cut up into more pieces takes longer. Where that may not be chosen, or another
    policy has been, the system's stays.
    """
    sys.setswitchinterval(SWITCH)
    if sys.platform == "linux" and os.sched_getscheduler(0) == os.SCHED_OTHER:
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


class Worker(Protocol):
    """What a task does, as far as it matters here."""

    def awaited(self) -> Iterable[str]:
        """Return what it waits for, in words."""

    def close(self) -> None:
        """Do nothing more."""


Make: TypeAlias = Callable[[TaskSettings, Carrier], Worker]


class Host:
    """A task in this process, which it has for itself.

    `address` is that of the node, on which it listens if the settings say so.
    """

    def __init__(
        self, settings: TaskSettings, make: Make, address: str | None = None
    ) -> None:
        settle()
        set_cpu_count(settings.logical_cpus)
        self._settings = settings
        self._carrier = carrier(settings, address)
        try:
            self._worker = make(settings, self._carrier)
        except BaseException:
            self._carrier.close()
            raise

    def registration(self, node: str = "") -> Registration:
        """Return what this task says of itself; `node` is the name of the node, if it has one."""
        task = DeviceName.parse(self._settings.task)
        return Registration(
            self._settings.task,
            self._carrier.incarnation,
            self._carrier.address,
            node or socket.gethostname(),
            os.getpid(),
            tuple(str(task.merge(device)) for device in logical_devices()),
            versions(),
        )

    def close(self) -> None:
        """End this task's links, and what it does."""
        self._worker.close()
        self._carrier.close()


def carrier(settings: TaskSettings, address: str | None = None) -> Carrier:
    """Return what a task, or a client, in a process of its own sends and receives by.

    Its incarnation is the time, so that a later one is larger.
    """
    return Plane(
        settings.task,
        time.time_ns(),
        settings.keys.secret,
        host=address if settings.tcp else None,
        unix=settings.unix,
        tls=tls_of(settings.keys) if settings.tcp else None,
        silence=settings.silence,
    )


def versions() -> dict[str, str]:
    """Return the versions here of what tasks must agree on, and of NumPy.

    >>> sorted(versions())
    ['numpy', 'python', 'tensorlite']
    """
    package = sys.modules[__name__.partition(".")[0]]
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tensorlite": package.__version__,
    }


def check_versions(task: str, theirs: Mapping[str, str]) -> None:
    """Raise FailedPreconditionError when a task runs on versions that differ from these here.

    Of Python, the minor version matters; that of NumPy may differ.

    >>> check_versions("/job:ps/task:0", versions())
    """
    mine = versions()
    differ = [
        f"{name} {theirs.get(name, 'unknown')} there and {mine[name]} here"
        for name, parts in (("python", 2), ("tensorlite", 4))
        if theirs.get(name, "").split(".")[:parts] != mine[name].split(".")[:parts]
    ]
    if differ:
        raise FailedPreconditionError(
            f"{task} runs on other versions than this client: {', '.join(differ)}; install the "
            "same on every node"
        )
