"""Clusters as TensorFlow 1's programs name them, and who places variables on parameter servers.

What a server does is in distributed/server.py; clusters whose tasks somebody starts, and starts
anew, are `tl.distribute`'s.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from random import Random
from types import SimpleNamespace
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.distributed import server
from tensorlite.interop.tensorflow.messages import message

STANDARD_PS_OPS = (
    *(
        "Variable",
        "VariableV2",
        "AutoReloadVariable",
        "MutableHashTable",
        "MutableHashTableV2",
    ),
    *(
        "MutableHashTableOfTensors",
        "MutableHashTableOfTensorsV2",
        "MutableDenseHashTable",
    ),
    *(
        "MutableDenseHashTableV2",
        "VarHandleOp",
        "BoostedTreesEnsembleResourceHandleOp",
    ),
)


class ClusterSpec:
    """Jobs, and the addresses of their tasks."""

    def __init__(self, cluster: Any) -> None:
        given: Any = (
            cluster.as_dict() if isinstance(cluster, ClusterSpec) else cluster
        )
        if getattr(getattr(given, "DESCRIPTOR", None), "name", "") == "ClusterDef":
            given = {job.name: dict(job.tasks) for job in given.job}
        if not isinstance(given, Mapping):
            raise DTypeError(
                f"`cluster` must be a dictionary mapping one or more job names to lists of "
                f"network addresses, not {cluster!r}"
            )
        self._jobs: dict[str, dict[int, str]] = {}
        for job, tasks in given.items():
            numbered = tasks if isinstance(tasks, Mapping) else dict(enumerate(tasks))
            self._jobs[job] = {int(k): str(v) for k, v in numbered.items()}

    @property
    def jobs(self) -> list[str]:
        """Names of the jobs."""
        return list(self._jobs)

    def _tasks(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise InvalidArgumentError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def num_tasks(self, job_name: str) -> int:
        """Return how many tasks a job has."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the numbers of a job's tasks, sorted."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task; InvalidArgumentError is raised if it is not there."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise InvalidArgumentError(
                f"No task with index {task_index} in job {job_name!r}"
            )
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[Any]:
        """Return the addresses of a job's tasks in order, None where a number is left out."""
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """Return the addresses of each job, as a list if none is left out."""
        return {
            job: [tasks[i] for i in range(len(tasks))]
            if sorted(tasks) == list(range(len(tasks)))
            else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Return the message of it, jobs in the order of their names."""
        made = message("ClusterDef")()
        for job, tasks in sorted(self._jobs.items()):
            made.job.add(name=job, tasks=tasks)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]  # as TensorFlow's

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


class Server(server.Server):
    """This process as a task of a cluster, or, before `start`, what is to be one."""

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self.cluster = ClusterSpec(server_or_cluster_def)
        self._job, self._index = _own(self.cluster, job_name, task_index)
        if protocol not in (None, "grpc"):
            raise InvalidArgumentError(
                f"tf.train.Server: protocol={protocol!r}; servers have one, told by 'grpc'"
            )
        self._begun = False
        if start:
            self.start()

    @property
    def server_def(self) -> Any:
        """What the server was made of: cluster, job_name, task_index and protocol."""
        return SimpleNamespace(
            cluster=self.cluster,
            job_name=self._job,
            task_index=self._index,
            protocol="grpc",
        )

    def start(self) -> None:
        """Begin to listen; nothing happens if it has begun."""
        if not self._begun:
            self._begun = True
            super().__init__(addresses(self.cluster), name_of(self._job, self._index))

    def join(self) -> None:
        """Serve until the process ends; this does not return."""
        self.start()
        super().join()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return a server of its own cluster of one task, in this process."""
        return Server({"local": ["localhost:0"]}, "local", 0, None, config, start)


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Return servers for the tasks of a cluster that all are this process."""
    free = _free_addresses(num_workers + num_ps)
    cluster = ClusterSpec({"worker": free[:num_workers], "ps": free[num_workers:]})
    return (
        [
            Server(cluster, "worker", i, protocol, worker_config)
            for i in range(num_workers)
        ],
        [Server(cluster, "ps", i, protocol, ps_config) for i in range(num_ps)],
    )


def _free_addresses(count: int) -> list[str]:
    """Return addresses of this machine at which nobody listens."""
    with ExitStack() as held:  # all at once, lest one is found twice
        found = [
            held.enter_context(socket.create_server(("localhost", 0)))
            for _ in range(count)
        ]
        return [f"localhost:{each.getsockname()[1]}" for each in found]


def name_of(job: str, index: int) -> str:
    """Return the name of a task."""
    return f"/job:{job}/task:{index}"


def addresses(cluster: ClusterSpec) -> dict[str, str]:
    """Return where the tasks of a cluster are, by their names."""
    return {
        name_of(job, index): cluster.task_address(job, index)
        for job in cluster.jobs
        for index in cluster.task_indices(job)
    }


def _own(cluster: ClusterSpec, job: str | None, index: int | None) -> tuple[str, int]:
    """Return a task of a cluster; what is not given is taken where there is one only."""
    if job is None:
        if len(cluster.jobs) != 1:
            raise InvalidArgumentError(
                "tf.train.Server: must specify an explicit `job_name`, as the cluster has the jobs "
                f"{', '.join(cluster.jobs) or 'none'}"
            )
        job = cluster.jobs[0]
    if index is None:
        indices = cluster.task_indices(job)
        if len(indices) != 1:
            raise InvalidArgumentError(
                f"tf.train.Server: must specify an explicit `task_index`, as {job} has the tasks "
                f"{indices}"
            )
        index = indices[0]
    cluster.task_address(job, index)
    return job, index


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], Any] | None:
    """Return a device function: variables go to the parameter servers, in turns."""
    if cluster is not None:
        jobs = ClusterSpec(cluster)
        job = DeviceName.parse(ps_device).job
        if job not in jobs.jobs:
            return None
        ps_tasks = jobs.num_tasks(str(job))
    if ps_tasks == 0:
        return None
    kinds = set(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    turn = ps_strategy or _Turns(ps_tasks)

    def chosen(op: Any) -> DeviceName:
        asked = (
            op.device
            if isinstance(op.device, DeviceName)
            else DeviceName.parse(op.device)
        )
        if str(asked) and not merge_devices:
            return asked
        if op.type not in kinds:
            return DeviceName.parse(worker_device).merge(asked)
        place = DeviceName.parse(ps_device)
        if place.job and asked.job in (None, place.job):
            place = place.merge(DeviceName(task=turn(op)))
        return place.merge(asked)

    return chosen


class _Turns:
    """Names parameter servers in turns."""

    def __init__(self, count: int) -> None:
        self._count, self._next = count, 0

    def __call__(self, op: Any) -> int:
        found, self._next = self._next, (self._next + 1) % self._count
        return found


class GreedyLoadBalancingStrategy:
    """Names the parameter server that has the least so far, by what `load_fn` says of each node."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._loads = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Any) -> int:
        found = min(range(len(self._loads)), key=self._loads.__getitem__)
        self._loads[found] += self._load_fn(op)
        return found


class RandomStrategy:
    """Names parameter servers as `seed` draws them."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._count = num_ps_tasks
        self._random = Random(seed)  # noqa: S311  it keeps no secret

    def __call__(self, op: Any) -> int:
        return self._random.randrange(self._count)


def byte_size_load_fn(op: Any) -> int:
    """Return the bytes that a variable takes."""
    spec = getattr(op.op, "spec", None)
    if spec is None or spec.size is None:
        raise InvalidArgumentError(
            f"byte_size_load_fn: {op.name} ({op.type}) has no size that is known"
        )
    return int(spec.size * spec.dtype.numpy.itemsize)
