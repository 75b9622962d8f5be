"""Attached: a session's way to tasks at addresses that are known beforehand.

State is the tasks', by its names; what is here ends with the session. What listens at an address is
server.py's, what a step does, master.py's.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from tensorlite.core.containers import Container
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    DeadlineExceededError,
    FailedPreconditionError,
    InvalidArgumentError,
    ProtocolError,
    UnavailableError,
)
from tensorlite.core.op import Op
from tensorlite.core.remote import Sight
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import CPU
from tensorlite.distributed import packing, tracing
from tensorlite.distributed.cluster import CLIENT, first_number
from tensorlite.distributed.cluster_key import VARIABLE, keys_for, located
from tensorlite.distributed.engines.host import check_versions
from tensorlite.distributed.master import Master
from tensorlite.distributed.server import Server, at, listening
from tensorlite.distributed.steps import ClusterStep
from tensorlite.distributed.transport.endpoints import connected, shake
from tensorlite.distributed.transport.handshake import Hello, asked
from tensorlite.distributed.transport.keys import tls_of
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.plane import Plane
from tensorlite.passes.partition import Division
from tensorlite.runtime.timeline import Recorder

SCHEME = "grpc://"
"""How targets begin that name a task's address; the word is TensorFlow's, the protocol is not."""
_PAUSE = 0.1
"""Seconds between attempts to find a task."""
_TOLD = 10.0
"""Seconds after which it is told again who is waited for."""
_TIMEOUT = 10.0
"""Seconds that a task may take to say who it is."""
_REMEDY = "a new session waits until it runs again"
_log = logging.getLogger("tensorflow")


class Attached:
    """The tasks of a cluster as one session reaches them, by way of the task at `target`.

    All tasks of the cluster are waited for, or those that a filter such as "/job:ps" names. When
    the task at `target` is this process, what asks for no device runs right here.

    >>> server = Server({"/job:local/task:0": "localhost:0"}, "/job:local/task:0")
    >>> attached = Attached(server.target)
    >>> attached.default_device, attached.container is server.container
    (<DeviceName /device:CPU:0>, True)
    >>> attached.close()
    >>> server.close()
    """

    def __init__(self, target: str, filters: Sequence[str] = ()) -> None:
        address = target.removeprefix(SCHEME)
        where = located(address)
        server = listening(where)
        self.name = target
        self.closed = False
        self.task = f"{CLIENT}{secrets.randbits(40)}"
        self._devices: dict[str, list[DeviceName]] = {}
        keys = keys_for(self.task, [where[0]])
        self._secret = keys.secret
        self._tls = tls_of(keys) if keys.certificate else None
        self._carrier = Plane(
            self.task, time.time_ns(), keys.secret, unix=False, tls=self._tls
        )
        self._master = Master(
            self._carrier, first_number(self._carrier), remedy=_REMEDY
        )
        try:
            self._attach(address, server, filters)
        except BaseException:
            self.close()
            raise

    def _attach(
        self, address: str, server: Server | None, filters: Sequence[str]
    ) -> None:
        """Find all tasks, and let them know each other."""
        known: dict[str, Any] = {}
        if server is None:
            first, told = self._found(None, address, known)
            addresses: Mapping[str, str] = told["addresses"]
            self.default_device, own = self._devices[first][0], None
            self.container = Container()
        else:
            first, addresses = server.task, server.addresses
            self.default_device, own = CPU, DeviceName.parse(first)
            self.container = server.container
        self.sight = Sight(self, own)
        for task in _chosen(addresses, filters):
            if task != first:
                self._found(task, addresses[task], known)
        payload = packing.pack_json(known)
        for task in known:
            self._master.command(task, Parcel(("meet", ()), payload))

    @property
    def devices(self) -> Sequence[DeviceName]:
        """The devices of all tasks but this process."""
        return [device for devices in self._devices.values() for device in devices]

    def run_op(
        self, op: Op, inputs: Sequence[Tensor], device: DeviceName
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an operator that is run on a device of a task."""
        return self._master.run_op(op, inputs, device)

    def prepare(
        self, name: str, inputs: int, division: Division, captured: int = 0
    ) -> ClusterStep:
        """Return what runs a graph that is cut over the devices of tasks."""
        return self._master.prepare(name, inputs, division, captured)

    def record(self, recorder: Recorder) -> Callable[[], None]:
        """Have all tasks take notes; returns what ends that and brings the notes."""
        return tracing.begin(self._master, tuple(self._devices), recorder)

    def close(self) -> None:
        """End all links: steps that this session has under way are given up."""
        self.closed = True
        self._master.over = f"the session on {self.name} is closed"
        self._carrier.close()

    # Finding tasks.

    def _found(
        self, task: str | None, address: str, known: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Link with the task at an address, once it is there; return its name and what it tells."""
        since = told = monotonic()
        while True:
            try:
                return self._linked(task, address, known)
            except (
                OSError,
                UnavailableError,
                DeadlineExceededError,
                ProtocolError,
            ) as error:
                if monotonic() - told > _TOLD:
                    told = monotonic()
                    _log.warning(
                        "CreateSession still waiting for response from worker: %s at %s, for %.0f "
                        "s (%s)",
                        task or "the master",
                        address,
                        told - since,
                        error,
                    )
                time.sleep(_PAUSE)

    def _linked(
        self, task: str | None, address: str, known: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        where = located(address)
        hello = self._asked(where)
        if task is not None and hello.task != task:
            raise InvalidArgumentError(
                f"at {address} is {hello.task}, and not {task}: give all processes one cluster"
            )
        found = hello.task
        self._carrier.meet(found, at(where), hello.incarnation)
        self._carrier.connect(found)
        self._master.found(found, hello.incarnation)
        told = self._master.request(found, "who").result()
        check_versions(found, told["versions"])
        self._devices[found] = [DeviceName.parse(each) for each in told["devices"]]
        known[found] = [["", "", list(where)], hello.incarnation]
        return found, told

    def _asked(self, where: tuple[str, int]) -> Hello:
        """Return who listens at an IP address and port; OSError when nobody does."""
        sock = connected(at(where), self._tls, _TIMEOUT, _TIMEOUT)
        with sock:
            shake(sock, _TIMEOUT)
            me = Hello(self.task, self._carrier.incarnation, 0)
            try:
                return asked(sock, me, self._secret, _TIMEOUT)
            except ProtocolError as error:
                raise FailedPreconditionError(
                    f"what listens at {where[0]}:{where[1]} is no task that this process may use: "
                    f"{error}. {VARIABLE} is to be the same in all processes"
                ) from error


def _chosen(tasks: Mapping[str, str], filters: Sequence[str]) -> list[str]:
    """Return the tasks that one of the filters lets through; all without any."""
    wanted = []
    for each in filters:
        name = DeviceName.parse(each)
        wanted.append(DeviceName(name.job, None, name.task))
    return [
        task
        for task in tasks
        if not wanted or any(one.matches(DeviceName.parse(task)) for one in wanted)
    ]
