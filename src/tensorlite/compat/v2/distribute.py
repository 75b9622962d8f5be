"""tf.distribute with one replica: programs written for strategies run, on one device.

Several devices and machines are tl.distribute's, whose strategies are `Mirrored`, `AllReduce` and
`ParameterServer`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple

import tensorlite as tl
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import cluster_resolvers
from tensorlite.compat.v1.training.placing import Server as Server
from tensorlite.compat.v2 import partitioners
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError


class ReduceOp:
    """How the replicas' values become one; of one replica's it is that value."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputReplicationMode(Enum):
    """Who reads a dataset of its own."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How elements of datasets get to replicas: to one, which is here, they need not."""

    experimental_fetch_to_device: bool | None = True
    experimental_replication_mode: Any = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How a step is run: on one device always in the same way."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputContext:
    """Which part of the input a replica reads: all of it."""

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the batch size of one replica, rounded down."""
        return global_batch_size // self.num_replicas_in_sync


class ReplicaContext:
    """What a step knows of the replica that it runs on."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return the value: of one replica it is the sum and the mean."""
        return value

    def merge_call(self, merge_fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return merge_fn(strategy, *args, **kwargs)."""
        return merge_fn(self.strategy, *args, **(kwargs or {}))


class Strategy:
    """One replica on one device."""

    num_replicas_in_sync = 1

    def __init__(self, device: str | None = None) -> None:
        self._device = device
        self.extended = SimpleNamespace(
            worker_devices=(device or "/device:CPU:0",),
            num_replicas_in_sync=1,
            variable_created_in_scope=lambda _: True,
            call_for_each_replica=self.run,
        )
        self.cluster_resolver: Any = None

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Open a context in which this strategy is the current one, on its device."""
        with ExitStack() as stack:
            if self._device is not None:
                stack.enter_context(tl.device(self._device))
            _open.append(self)
            try:
                yield self
            finally:
                _open.pop()

    def run(
        self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Return fn(*args, **kwargs), called once on the strategy's device.

        options has no effect.
        """
        with self.scope():
            return fn(*args, **(kwargs or {}))

    experimental_run_v2 = run

    def experimental_run(self, fn: Any, input_iterator: Any = None) -> Any:
        """Return fn of an iterator's next element, or of nothing if there is no iterator."""
        return self.run(
            fn, () if input_iterator is None else (input_iterator.get_next(),)
        )

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Return the value, or its sum or mean along an axis, by reduce_op."""
        if axis is None:
            return value
        total = (
            tl.sum
            if str(getattr(reduce_op, "value", reduce_op)) == "SUM"
            else tl.mean
        )
        return nest.map_structure(lambda x: total(x, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """Return the value, which is all of what replicas have."""
        return value

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> Any:
        """Return the dataset, as one replica reads all of it."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Any, options: Any = None
    ) -> Any:
        """Return the dataset that dataset_fn(InputContext()) makes."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of this machine's replicas: a tuple with the one."""
        return (value,)

    unwrap = experimental_local_results

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """Return value_fn of the replica's context."""
        return value_fn(ReplicaContext(self))


class OneDeviceStrategy(Strategy):
    """One replica on the device that is given."""

    def __init__(self, device: str) -> None:
        super().__init__(device)


def _single(name: str, devices: Any) -> str | None:
    listed = list(devices or ())
    if len(listed) > 1:
        raise InvalidArgumentError(
            f"{name}: {len(listed)} devices; this one trains on one. "
            "tl.distribute.Mirrored(devices) trains on several of a machine, and "
            "tl.distribute.AllReduce on the workers of a cluster"
        )
    return listed[0] if listed else None


class MirroredStrategy(Strategy):
    """One replica; of several devices InvalidArgumentError is raised."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(_single("MirroredStrategy", devices))


class CentralStorageStrategy(Strategy):
    """One replica; of several devices InvalidArgumentError is raised."""

    def __init__(
        self, compute_devices: Any = None, parameter_device: Any = None
    ) -> None:
        super().__init__(_single("CentralStorageStrategy", compute_devices))


class MultiWorkerMirroredStrategy(Strategy):
    """What is told of a cluster with one worker, or of none, trains here."""

    def __init__(
        self,
        cluster_resolver: Any = None,
        communication_options: Any = None,
        communication: Any = None,
    ) -> None:
        super().__init__()
        resolver = cluster_resolver or cluster_resolvers.TFConfigClusterResolver()
        jobs = resolver.cluster_spec().as_dict()
        workers = sum(len(jobs.get(job, ())) for job in ("chief", "worker"))
        if workers > 1:
            raise InvalidArgumentError(
                f"MultiWorkerMirroredStrategy: {workers} workers; this one trains on one. "
                "Train on a cluster with tl.distribute.connect and tl.distribute.AllReduce"
            )
        self.cluster_resolver = resolver


class CommunicationImplementation:
    """How workers would add up gradients among themselves."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How workers would send each other gradients: there is one, who sends nothing."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise InvalidArgumentError(
                f"bytes_per_pack={bytes_per_pack}; it is 0, for the default, or more"
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class ParameterServerStrategy(Strategy):
    """Raises InvalidArgumentError: clusters train by tl.distribute.ParameterServer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError(
            "ParameterServerStrategy: train on a cluster with tl.distribute.connect and "
            "tl.distribute.ParameterServer"
        )


class TPUStrategy(Strategy):
    """Raises InvalidArgumentError: there are no TPUs here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError("TPUStrategy: there are no TPUs here")


def _operation(*args: Any, **kwargs: Any) -> None:
    """Stand for how gradients would be added up between devices."""


HierarchicalCopyAllReduce = NcclAllReduce = ReductionToOneDevice = _operation
experimental = SimpleNamespace(
    CentralStorageStrategy=CentralStorageStrategy,
    MultiWorkerMirroredStrategy=MultiWorkerMirroredStrategy,
    ParameterServerStrategy=ParameterServerStrategy,
    TPUStrategy=TPUStrategy,
    CommunicationImplementation=CommunicationImplementation,
    CollectiveCommunication=CommunicationImplementation,
    CommunicationOptions=CommunicationOptions,
    partitioners=partitioners,
)
cluster_resolver = cluster_resolvers
_default = Strategy()
_open: list[Strategy] = []


def get_strategy() -> Strategy:
    """Return the strategy whose scope is open, or the default one with one replica."""
    return _open[-1] if _open else _default


def has_strategy() -> bool:
    """Return whether the scope of a strategy other than the default one is open."""
    return any(strategy is not _default for strategy in _open)


def in_cross_replica_context() -> bool:
    """Return whether the scope of a strategy is open."""
    return bool(_open)


def get_replica_context() -> ReplicaContext:
    """Return the context of the one replica, of the current strategy."""
    return ReplicaContext(get_strategy())


@contextmanager
def experimental_set_strategy(strategy: Any) -> Iterator[None]:
    """Open a context in which a strategy is the current one."""
    with strategy.scope():
        yield


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
