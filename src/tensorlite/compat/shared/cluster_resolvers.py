"""tf.distribute.cluster_resolver: where the tasks of a cluster are, as one is told."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.training.placing import ClusterSpec
from tensorlite.config import list_physical_devices
from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = [
    "ClusterResolver",
    "SimpleClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionResolver",
]


def _address(address: str, layer: str | None) -> str:
    return f"{layer}://{address}" if layer and address else address


class ClusterResolver(ABC):
    """Knows the tasks of a cluster, and which of them this process is."""

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    @abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """Return the jobs and the addresses of their tasks."""

    @abstractmethod
    def master(
        self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None
    ) -> str:
        """Return the address of the task that sessions are made with."""

    @property
    def environment(self) -> str:
        """Name of the environment, empty if nothing special."""
        return ""

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return how many GPUs this process has, as {"GPU": number}."""
        return {"GPU": len(list_physical_devices("GPU"))}


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is given."""

    def __init__(
        self,
        cluster_spec: Any,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        self._cluster, self._master = ClusterSpec(cluster_spec), master
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._environment, self._accelerators = environment, num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        """Return the cluster as it was given."""
        return self._cluster

    def master(
        self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None
    ) -> str:
        """Return the address of a task, or that given as the master's."""
        layer = self.rpc_layer if rpc_layer is None else rpc_layer
        if task_type is None or task_id is None:
            return _address(self._master, layer)
        return _address(self._cluster.task_address(task_type, task_id), layer)

    @property
    def environment(self) -> str:
        """Name of the environment as it was given."""
        return self._environment

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return how many devices there are, as given or else counted."""
        if self._accelerators is not None:
            return self._accelerators
        return super().num_accelerators(task_type, task_id, config_proto)


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment's TF_CONFIG tells of."""

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        told: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
        own = told.get("task", {})
        self.task_type = own.get("type") if task_type is None else task_type
        index = own.get("index") if task_id is None else task_id
        self.task_id = None if index is None else int(index)
        self.rpc_layer = told.get("rpc_layer") if rpc_layer is None else rpc_layer
        self._environment = environment or told.get("environment", "")
        self._cluster = ClusterSpec(told.get("cluster", {}))
        self._master: str | None = told.get("session_master")

    def cluster_spec(self) -> ClusterSpec:
        """Return the cluster that TF_CONFIG tells of, maybe empty."""
        return self._cluster

    def master(
        self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None
    ) -> str:
        """Return the address of a task, this one unless said; '' without a cluster."""
        layer = self.rpc_layer if rpc_layer is None else rpc_layer
        if self._master is not None:
            return self._master
        jobs = self._cluster.jobs
        if not jobs or sum(map(self._cluster.num_tasks, jobs)) == 1:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return _address(self._cluster.task_address(str(job), int(index or 0)), layer)

    @property
    def environment(self) -> str:
        """Name of the environment that TF_CONFIG tells."""
        return str(self._environment)


class UnionResolver(ClusterResolver):
    """The tasks of several resolvers' clusters together; all else is the first one's.

    rpc_layer, task_type and task_id may say otherwise.
    """

    def __init__(
        self,
        *args: Any,
        rpc_layer: str | None = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        if not args:
            raise InvalidArgumentError("At least one ClusterResolver is required.")
        for one in args:
            if not isinstance(one, ClusterResolver):
                raise DTypeError(
                    f"All arguments must be a sub-class of `ClusterResolver.`, not {one!r}"
                )
        self._resolvers = args
        first = args[0]
        self.rpc_layer = rpc_layer or first.rpc_layer
        self.task_type = task_type or first.task_type
        self.task_id = task_id or first.task_id

    def cluster_spec(self) -> ClusterSpec:
        """Return the jobs of all: lists of tasks follow each other.

        Where one of them numbers its tasks, the others' are numbered from 0; KeyError is raised
        for a number that two have.
        """
        whole: dict[str, Any] = {}
        for one in self._resolvers:
            for job, tasks in one.cluster_spec().as_dict().items():
                known = whole.setdefault(job, type(tasks)())
                whole[job] = _together(known, tasks)
        return ClusterSpec(whole)

    def master(
        self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None
    ) -> str:
        """Return the address of a task, or what the first resolver calls the master."""
        if task_type is None or task_id is None:
            return str(self._resolvers[0].master(rpc_layer=rpc_layer))
        address = self.cluster_spec().task_address(task_type, task_id)
        return _address(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        """Name of the first resolver's environment."""
        return str(self._resolvers[0].environment)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return how many devices there are, as the first resolver says."""
        found: dict[str, int] = self._resolvers[0].num_accelerators(
            task_type, task_id, config_proto
        )
        return found


def _together(known: Any, tasks: Any) -> Any:
    """Return the tasks of one job in two clusters, as a list if both are lists."""
    if isinstance(known, list) and isinstance(tasks, list):
        return [*known, *tasks]
    first, second = [
        dict(enumerate(x)) if isinstance(x, list) else x for x in (known, tasks)
    ]
    both = sorted(first.keys() & second.keys())
    if both:
        raise KeyError(
            f"Duplicate keys detected when merging two ClusterSpecs: {both}"
        )
    return {**first, **second}


def TPUClusterResolver(tpu: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Raise ValueError, by which programs learn that there is no TPU."""
    raise ValueError(
        f"TPUClusterResolver: there are no TPUs here, {tpu or 'nor any that was found'}; use "
        "tf.distribute.get_strategy() or tf.distribute.MirroredStrategy()"
    )


__dir__ = listing("distribute.cluster_resolver", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("distribute.cluster_resolver", name, __all__)
