"""ParameterServerStrategy: a coordinator's, which has functions done by workers; see coordinating.

Variables are on the tasks of the job "ps". Where a program is a worker or a parameter server
itself, it is a `Server` that it makes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from tensorlite.compat.v1.training.placing import ClusterSpec, name_of
from tensorlite.compat.v2.distribute.remote_values import RemoteValue
from tensorlite.compat.v2.distribute.sharded import sharding
from tensorlite.compat.v2.distribute.strategy import Strategy
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.distributed.joined import Joined, joined
from tensorlite.distributed.strategies.placing import Placing, RoundRobin
from tensorlite.distributed.strategies.scheduling import Call, Schedule

TYPES = "chief", "worker", "evaluator", "ps"
"""What tasks of a cluster may be."""


class ParameterServerStrategy(Strategy):
    """Keeps variables on parameter servers, for functions that a ClusterCoordinator schedules.

    All tasks of the cluster are waited for. `variable_partitioner` says of shape and dtype into
    how many parts, on different servers, a variable is split. ValueError is raised for a cluster
    without workers or parameter servers, and for tasks that it cannot have.
    """

    def __init__(
        self, cluster_resolver: Any = None, variable_partitioner: Any = None
    ) -> None:
        super().__init__()
        spec = _spec_of(cluster_resolver)
        self.cluster_resolver = cluster_resolver
        self.coordinator: Any = None
        """The ClusterCoordinator that has been made of this."""
        self._partitioner = variable_partitioner
        self.servers = _tasks(spec, "ps")
        self.workers = _tasks(spec, "worker")
        self.cluster: Joined = joined(
            {
                name_of(job, i): spec.task_address(job, i)
                for job in ("worker", "ps")
                for i in spec.task_indices(job)
            }
        )
        self._placing = Placing(
            [_device(task) for task in self.servers], RoundRobin()
        )

    @contextmanager
    def scope(self) -> Iterator[ParameterServerStrategy]:
        """Open a context in which this strategy is the current one, and places new variables."""
        with super().scope(), self._placing.scope():
            if self._partitioner is None:
                yield self
                return
            with sharding(self._partitioner):
                yield self

    def run(
        self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Return fn(*args, **kwargs), called once: for the worker that this is scheduled on.

        options has no effect.
        """
        with self.scope():
            return fn(*args, **(kwargs or {}))

    @cached_property
    def schedule(self) -> Schedule:
        """What has the workers do functions."""
        return Schedule(self.cluster, self.worker_devices, self.servers)

    def scheduled(self, fn: Any, args: Any, kwargs: Any) -> RemoteValue:
        """Return what a traced function will return that some worker does."""
        with self.scope():
            call = Call(fn, args, kwargs)
        return RemoteValue(self.schedule.put(call))

    def dispatched(self, step: Any) -> Any:
        """Return a traced step of Keras as one that is scheduled for each batch."""
        return lambda batch: self.scheduled(step, (batch,), {})

    @property
    def worker_devices(self) -> Sequence[DeviceName]:
        """The device of each worker."""
        return [_device(task) for task in self.workers]


def _device(task: str) -> DeviceName:
    return DeviceName.parse(f"{task}/device:CPU:0")


def _tasks(spec: ClusterSpec, job: str) -> list[str]:
    """Return the names of a job's tasks; InvalidArgumentError when there are none."""
    if job not in spec.jobs or not spec.num_tasks(job):
        raise InvalidArgumentError(f"There must be at least one {job}.")
    return [name_of(job, i) for i in spec.task_indices(job)]


def _spec_of(resolver: Any) -> ClusterSpec:
    """Return the cluster that a resolver tells; InvalidArgumentError for what cannot be."""
    if not hasattr(resolver, "cluster_spec"):
        raise DTypeError(
            f"ParameterServerStrategy: cluster_resolver={resolver!r}; give a "
            "tf.distribute.cluster_resolver.ClusterResolver"
        )
    spec = ClusterSpec(resolver.cluster_spec())
    if not spec:
        raise InvalidArgumentError(
            "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`."
        )
    check_cluster(spec, resolver.task_type, resolver.task_id)
    return spec


def check_cluster(spec: ClusterSpec, task_type: Any, task_id: Any) -> None:
    """Raise InvalidArgumentError, a ValueError, for jobs and tasks that a cluster cannot have."""
    if any(job not in TYPES for job in spec.jobs):
        raise InvalidArgumentError(
            f"Disallowed task type found in cluster spec. Allowed types are {TYPES} and the "
            f"cluster spec is {spec}."
        )
    if task_type is None:
        return
    if task_type not in TYPES:
        raise InvalidArgumentError(
            f"Unrecognized task_type: {task_type!r}, valid task types are: {TYPES}"
        )
    if task_type not in spec.jobs:
        if task_type == "evaluator":
            return
        raise InvalidArgumentError(
            f"`task_type` {task_type!r} not found in cluster_spec."
        )
    if "chief" in spec.jobs and spec.num_tasks("chief") > 1:
        raise InvalidArgumentError("There must be at most one 'chief' job.")
    if int(task_id or 0) >= spec.num_tasks(task_type):
        raise InvalidArgumentError(
            f"The `task_id` {task_id} exceeds the maximum id of {task_type}."
        )
