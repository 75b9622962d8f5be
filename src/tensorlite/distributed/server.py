"""Server: this process as a task at an address that everybody knows beforehand.

Nobody starts it or starts it anew, unlike the tasks of engines/. How sessions reach such tasks is
attached.py's.
"""

from __future__ import annotations

import atexit
import os
import socket
import time
from collections.abc import Mapping, Sequence
from functools import partial
from threading import Event

from tensorlite.core.containers import Container
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    UnavailableError,
)
from tensorlite.distributed.asking import at, check_task, listener, patiently
from tensorlite.distributed.cluster_key import is_loopback, keys_for, located
from tensorlite.distributed.engines.engine import TaskSettings
from tensorlite.distributed.engines.host import versions
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.handshake import Hello
from tensorlite.distributed.transport.keys import tls_of
from tensorlite.distributed.transport.plane import Plane
from tensorlite.distributed.worker import Worker
from tensorlite.runtime.devices import logical_devices

_listening: dict[tuple[str, int], Server] = {}


def listening(where: tuple[str, int]) -> Server | None:
    """Return the server of this process that listens at an IP address and port, if one does."""
    return _listening.get(where)


class Server:
    """A task of a cluster, which listens at its address until the process ends.

    `addresses` says where each task is, by its name. State lives in `container` as long as the
    task does, whoever has made it.

    >>> server = Server({"/job:local/task:0": "localhost:0"}, "/job:local/task:0")
    >>> server.target.rpartition(":")[0]
    'grpc://localhost'
    >>> server.close()
    """

    def __init__(self, addresses: Mapping[str, str], task: str) -> None:
        if task not in addresses:
            raise InvalidArgumentError(
                f"{task} is no task of the cluster; its tasks are {', '.join(addresses)}"
            )
        self.task = task
        places = {each: located(address) for each, address in addresses.items()}
        _check_alike(addresses, {each: ip for each, (ip, _) in places.items()})
        ip, port = places[task]
        keys = keys_for(task, [each for each, _ in places.values()])
        self._secret = keys.secret
        self._tls = tls_of(keys) if keys.certificate else None
        try:
            self._plane = Plane(
                task,
                time.time_ns(),
                keys.secret,
                host=ip,
                port=port,
                unix=False,
                tls=self._tls,
            )
        except OSError as error:
            raise UnavailableError(
                f"{task} cannot listen at {addresses[task]}: {error}; each task is one process, "
                "on the machine that has the address"
            ) from error
        assert self._plane.address.tcp is not None
        self.where = self._plane.address.tcp
        host = addresses[task].rpartition(":")[0]
        self.address = f"{host}:{self.where[1]}"
        self.addresses = {**addresses, task: self.address}
        """Where all tasks are; one that was to choose its port has chosen it."""
        self._worker = Worker(
            TaskSettings("", task, keys, tcp=True), self._plane, self._presence()
        )
        _listening[self.where] = self
        atexit.register(self.close)

    @property
    def target(self) -> str:
        """What a session names to run by this task."""
        return f"grpc://{self.address}"

    @property
    def container(self) -> Container:
        """The task's resources by name."""
        return self._worker.container

    @property
    def carrier(self) -> Carrier:
        """What the task sends and receives by."""
        return self._plane

    def meet(self, tasks: Sequence[str]) -> None:
        """Link with other tasks of the cluster, once each of them is there."""
        for task in tasks:
            if task != self.task:
                address = self.addresses[task]
                patiently(partial(self._link, task, address), task, address)

    def _link(self, task: str, address: str) -> None:
        where = located(address)
        me = Hello(self.task, self._plane.incarnation, 0)
        hello = listener(where, me, self._secret, self._tls)
        check_task(task, hello.task, address)
        self._plane.meet(task, at(where), hello.incarnation)
        self._plane.connect(task)

    def join(self) -> None:
        """Serve until the process is ended."""
        Event().wait()

    def close(self) -> None:
        """Serve no more: whoever waits for this task is told."""
        _listening.pop(self.where, None)
        atexit.unregister(self.close)
        self._worker.close()

    def _presence(self) -> dict[str, object]:
        own = DeviceName.parse(self.task)
        return {
            "addresses": self.addresses,
            "devices": [str(own.merge(device)) for device in logical_devices()],
            "versions": versions(),
            "node": socket.gethostname(),
            "pid": os.getpid(),
        }


def _check_alike(addresses: Mapping[str, str], ips: Mapping[str, str]) -> None:
    """Raise FailedPreconditionError for tasks that others of the cluster cannot reach."""
    apart = [task for task in ips if not is_loopback(ips[task])]
    inside = [task for task in ips if is_loopback(ips[task])]
    if apart and inside:
        raise FailedPreconditionError(
            f"{apart[0]} is at {addresses[apart[0]]}, from where nobody reaches {inside[0]} at "
            f"{addresses[inside[0]]}: give addresses that all machines know, or loopback ones alone"
        )
