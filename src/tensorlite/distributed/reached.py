"""Reached: a client's way to tasks at addresses that are known beforehand.

State is the tasks', by its names; what is here ends with the client. Sessions are such clients,
attached.py, and programs whose tensors are on tasks, joined.py. What listens at an address is
server.py's, what a step does, master.py's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.distributed import packing, tracing
from tensorlite.distributed.asking import at, check_task, listener, patiently
from tensorlite.distributed.cluster import CLIENT, first_number
from tensorlite.distributed.cluster_key import keys_for, located
from tensorlite.distributed.engines.host import check_versions
from tensorlite.distributed.master import Master
from tensorlite.distributed.steps import ClusterStep
from tensorlite.distributed.transport.handshake import Hello
from tensorlite.distributed.transport.keys import tls_of
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.plane import Plane
from tensorlite.passes.partition import Division
from tensorlite.runtime.timeline import Recorder


class Reached:
    """The tasks of a cluster at their addresses, as one client reaches them."""

    def __init__(self, name: str, ips: Sequence[str], remedy: str) -> None:
        self.name = name
        self.closed = False
        self.task = f"{CLIENT}{secrets.randbits(40)}"
        self.over = f"the session on {name} is closed"
        """What is told to whom asks for something after the end."""
        self._devices: dict[str, list[DeviceName]] = {}
        self._known: dict[str, Any] = {}
        """Where each task is, as tasks tell each other."""
        keys = keys_for(self.task, ips)
        self._secret = keys.secret
        self._tls = tls_of(keys) if keys.certificate else None
        self._carrier = Plane(
            self.task, time.time_ns(), keys.secret, unix=False, tls=self._tls
        )
        self.master = Master(
            self._carrier, first_number(self._carrier), remedy=remedy
        )

    @property
    def devices(self) -> Sequence[DeviceName]:
        """The devices of all tasks but this process."""
        return [device for devices in self._devices.values() for device in devices]

    def run_op(
        self, op: Op, inputs: Sequence[Tensor], device: DeviceName
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an operator that is run on a device of a task."""
        return self.master.run_op(op, inputs, device)

    def prepare(
        self, name: str, inputs: int, division: Division, captured: int = 0
    ) -> ClusterStep:
        """Return what runs a graph that is cut over the devices of tasks."""
        return self.master.prepare(name, inputs, division, captured)

    def record(self, recorder: Recorder) -> Callable[[], None]:
        """Have all tasks take notes; returns what ends that and brings the notes."""
        return tracing.begin(self.master, tuple(self._devices), recorder)

    def close(self) -> None:
        """End all links: steps that this client has under way are given up."""
        self.closed = True
        self.master.over = self.over
        self._carrier.close()

    # Finding tasks.

    def introduce(self) -> None:
        """Let all tasks that were found know where each other are."""
        payload = packing.pack_json(self._known)
        for task in self._known:
            if task not in self.master.lost:
                self.master.command(task, Parcel(("meet", ()), payload))

    def find(self, task: str | None, address: str) -> tuple[str, dict[str, Any]]:
        """Link with the task at an address, once it is there; return its name and what it tells."""
        return patiently(lambda: self.link(task, address), task, address)

    def link(self, task: str | None, address: str) -> tuple[str, dict[str, Any]]:
        """Link with the task at an address; one of NOT_THERE where it does not listen."""
        where = located(address)
        me = Hello(self.task, self._carrier.incarnation, 0)
        hello = listener(where, me, self._secret, self._tls)
        check_task(task, hello.task, address)
        found = hello.task
        self._carrier.meet(found, at(where), hello.incarnation)
        self._carrier.connect(found)
        self.master.found(found, hello.incarnation)
        told = self.master.request(found, "who").result()
        check_versions(found, told["versions"])
        self._devices[found] = [DeviceName.parse(each) for each in told["devices"]]
        self._known[found] = [["", "", list(where)], hello.incarnation]
        return found, told
