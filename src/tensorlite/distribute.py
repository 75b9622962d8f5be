"""Clusters: `tl.distribute.connect(...)` gives one, whose devices then work by their names.

Names only; the mechanism is in distributed/.
"""

from __future__ import annotations

from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.connecting import connect
from tensorlite.distributed.status import ClusterStatus, TaskStatus, TaskWait
from tensorlite.distributed.strategies.asynchronous import Pending
from tensorlite.distributed.strategies.base import Strategy
from tensorlite.distributed.strategies.mirrored import AllReduce, Mirrored
from tensorlite.distributed.strategies.mirrored_variable import MirroredVariable
from tensorlite.distributed.strategies.parameter_server import ParameterServer
from tensorlite.distributed.strategies.per_replica import PerReplica
from tensorlite.distributed.strategies.pipeline import Pipeline
from tensorlite.distributed.strategies.placing import (
    ByRows,
    BySize,
    Policy,
    RoundRobin,
)
from tensorlite.distributed.strategies.split import SplitVariable
from tensorlite.distributed.strategies.tasks import LocalTasks
from tensorlite.distributed.training.trainer import Trainer
from tensorlite.train.replica import replica_count, replica_index

__all__ = [
    "AllReduce",
    "ByRows",
    "BySize",
    "Cluster",
    "ClusterStatus",
    "LocalTasks",
    "Mirrored",
    "MirroredVariable",
    "ParameterServer",
    "Pending",
    "PerReplica",
    "Pipeline",
    "Policy",
    "RoundRobin",
    "SplitVariable",
    "Strategy",
    "TaskStatus",
    "TaskWait",
    "Trainer",
    "connect",
    "replica_count",
    "replica_index",
]


_ELSEWHERE = {
    "MirroredStrategy": "Mirrored, and AllReduce for the workers of a cluster",
    "MultiWorkerMirroredStrategy": "AllReduce",
    "CollectiveAllReduceStrategy": "AllReduce",
    "ParameterServerStrategy": "ParameterServer",
    "Server": "connect, which starts the tasks",
    "get_replica_context": "replica_index and replica_count",
}
"""TensorFlow's names, and what does here what they do there."""


def __getattr__(name: str) -> object:
    """Say what is called otherwise than in TensorFlow."""
    known = _ELSEWHERE.get(name)
    hint = "" if known is None else f"; there is tl.distribute.{known}"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return __all__
