"""Tasks: what strategies need of a cluster: which tasks there are, and functions run beside others.

`tasks_of` gives those of a connected cluster, `LocalTasks` lets devices of this process stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.waiting import Cancel, Done
from tensorlite.core.xp import CPU
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.steps import ClusterStep
from tensorlite.function.function import Function
from tensorlite.runtime.devices import logical_devices


class Tasks(Protocol):
    """Where replicas compute and parameters are kept, and what runs functions there."""

    @property
    def workers(self) -> Sequence[DeviceName]:
        """The device of each replica."""

    @property
    def servers(self) -> Sequence[DeviceName]:
        """The devices that keep parameters."""

    def begin(
        self, program: Function[..., Any], arguments: tuple[Any, ...], done: Done
    ) -> Cancel | None:
        """Begin a call; `done` is given what it returns, or its error, perhaps at once.

        Returns what gives the call up, or None when `done` has been called.
        """

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Hold up this thread until something is so that calls which were begun make so."""


class LocalTasks:
    """Devices of this process, which run one after the other what is begun.

    >>> tasks = tl.distribute.LocalTasks(["/device:CPU:0"], servers=["/device:CPU:0"])
    >>> len(tasks.workers)
    1
    """

    def __init__(
        self,
        workers: Sequence[str | DeviceName],
        servers: Sequence[str | DeviceName] = (),
    ) -> None:
        self.workers = _named(workers)
        self.servers = _named(servers)

    def begin(
        self, program: Function[..., Any], arguments: tuple[Any, ...], done: Done
    ) -> Cancel | None:
        """Run a call to its end."""
        done(outcome(program, arguments))
        return None

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Raise FailedPreconditionError unless it is so: nothing is under way here."""
        if not until():
            raise FailedPreconditionError(
                f"{what} are waited for, and nothing is under way"
            )


def _named(devices: Any) -> tuple[DeviceName, ...]:
    if isinstance(devices, str) or not isinstance(devices, Sequence):
        raise DTypeError(
            f"devices={devices!r}; give a list of device names, such as ['/gpu:0', '/gpu:1']"
        )
    return tuple([DeviceName.of(one) for one in devices])


def outcome(program: Function[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return what a call returns, or the error that it raises."""
    try:
        with interpreted_by(None):
            return program(*arguments)
    except Exception as error:  # noqa: BLE001  raised where the outcome is asked for
        return error


class ClusterTasks:
    """The tasks of a connected cluster: one job's compute, another's keep parameters."""

    def __init__(self, cluster: Cluster, workers: str, servers: str | None) -> None:
        self.cluster = cluster
        self._jobs = workers, servers
        self.renew()

    def renew(self) -> None:
        """Take the tasks that the cluster has now."""
        self.cluster.check_open()
        workers, servers = self._jobs
        self.workers = _devices(self.cluster, workers)
        self.servers = () if servers is None else _devices(self.cluster, servers)

    def begin(
        self, program: Function[..., Any], arguments: tuple[Any, ...], done: Done
    ) -> Cancel | None:
        """Send a call to the tasks that have a part in it."""
        with interpreted_by(None):
            concrete, tensors = program.bound(*arguments)
        placed = concrete.callee.placed(CPU)
        step = placed.step
        if not isinstance(step, ClusterStep):  # nothing of it is elsewhere
            done(outcome(program, arguments))
            return None

        def ended(found: Any) -> None:
            if not isinstance(found, BaseException):
                pairs = zip(found, placed.devices, strict=True)
                found = concrete.result.pack([EagerTensor(y, at) for y, at in pairs])
            done(found)

        arrays = [x.array for x in (*tensors, *concrete.captured)]
        return step.begin(arrays, ended).cancel

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Wait, while this thread serves the cluster where it has to."""
        self.cluster.master.wait(until, lambda: what)


def _devices(cluster: Cluster, job: str) -> tuple[DeviceName, ...]:
    """Return the device of each task of a job: its GPU if it has one."""
    found: dict[int | None, DeviceName] = {}
    for device in cluster.devices:
        if device.job == job:
            first = found.setdefault(device.task, device)
            if first.kind != "GPU" and device.kind == "GPU":
                found[device.task] = device
    if not found:
        raise InvalidArgumentError(
            f"the cluster {cluster.name!r} has no job {job!r}; it has "
            f"{', '.join(map(repr, cluster.spec))}"
        )
    return tuple(found.values())


def tasks_of(cluster: object, workers: str, servers: str | None = None) -> Tasks:
    """Return the tasks of a cluster; what is given as tasks stays so."""
    if isinstance(cluster, Cluster):
        return ClusterTasks(cluster, workers, servers)
    if all(
        hasattr(cluster, name) for name in ("workers", "servers", "begin", "wait")
    ):
        return cluster  # type: ignore[return-value]
    raise DTypeError(
        f"cluster={cluster!r}; give what tl.distribute.connect returns, or a "
        "tl.distribute.LocalTasks"
    )


def own_devices() -> tuple[DeviceName, ...]:
    """Return the GPUs of this machine, or without any its logical CPUs."""
    devices = logical_devices()
    gpus = [device for device in devices if device.kind == "GPU"]
    return tuple(gpus or devices)
