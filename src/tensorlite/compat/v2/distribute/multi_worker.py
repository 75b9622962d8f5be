"""MultiWorkerMirroredStrategy: each worker's process runs the program, and they sum gradients."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import cluster_resolvers
from tensorlite.compat.v1.training.placing import ClusterSpec, addresses, name_of
from tensorlite.compat.v2.distribute.contexts import ReplicaContext
from tensorlite.compat.v2.distribute.options import (
    InputContext,
    ValueContext,
    how_of,
)
from tensorlite.compat.v2.distribute.parameter_server import check_cluster
from tensorlite.compat.v2.distribute.strategy import Strategy
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.cluster_key import located
from tensorlite.distributed.server import Server, listening
from tensorlite.distributed.strategies.own_shares import all_shares, own_shares
from tensorlite.distributed.strategies.peers import Peers
from tensorlite.distributed.strategies.replicas import check_outside

WORKERS = "chief", "worker"
"""The jobs whose tasks train, in the order of their ranks."""


class PeerContext(ReplicaContext):
    """What a function knows of the replica that this worker is."""

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return what the workers' values come to: their sum or their mean.

        It can be differentiated: gradients are reduced in the same way. options has no effect.
        """
        return self.strategy.replicas.reduced(how_of(reduce_op), value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Return the workers' values behind each other along an axis; options has no effect."""
        return self.strategy.replicas.gathered(value, axis)


class MultiWorkerMirroredStrategy(Strategy):
    """A replica in each worker's process, all of which run the same program.

    The resolver tells of the workers and which this is, by default from TF_CONFIG; all of them
    are waited for. Told of one worker, or of none, this process trains alone. ValueError is
    raised for a process that is told of several workers, and is none of them.
    """

    replica_context = PeerContext

    def __init__(
        self,
        cluster_resolver: Any = None,
        communication_options: Any = None,
        communication: Any = None,
    ) -> None:
        resolver = cluster_resolver or cluster_resolvers.TFConfigClusterResolver()
        spec = ClusterSpec(resolver.cluster_spec())
        if spec:
            check_cluster(spec, resolver.task_type, resolver.task_id)
        tasks = [
            name_of(job, i)
            for job in WORKERS
            if job in spec.jobs
            for i in spec.task_indices(job)
        ]
        is_alone = len(tasks) < 2 or resolver.task_type == "evaluator"
        super().__init__(None if is_alone else _peers(spec, tasks, resolver))
        self.cluster_resolver = resolver

    @property
    def _peers(self) -> Peers | None:
        return self.replicas if isinstance(self.replicas, Peers) else None

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Return the sum or the mean of the workers' values, along an axis too if not None."""
        if self._peers is None:
            return super().reduce(reduce_op, value, axis)
        check_outside()
        return self._peers.reduced(how_of(reduce_op), value, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """Return the workers' values behind each other along an axis."""
        if self._peers is None:
            return super().gather(value, axis)
        check_outside()
        return self._peers.gathered(value, axis)

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> Any:
        """Return a dataset of this worker's shares of batches, which are of all workers together.

        Where the dataset's auto_shard_policy is OFF the shares of all come one after the other.
        options has no effect.
        """
        if self._peers is None:
            return super().experimental_distribute_dataset(dataset, options)
        count, rank = self._peers.count, self._peers.rank
        told = dataset.options().experimental_distribute.auto_shard_policy
        if getattr(told, "name", None) == "OFF":
            return all_shares(dataset, count)
        return own_shares(dataset, count, rank)

    def distribute_datasets_from_function(
        self, dataset_fn: Any, options: Any = None
    ) -> Any:
        """Return the dataset that dataset_fn(InputContext) makes, which tells of the workers."""
        if self._peers is None:
            return super().distribute_datasets_from_function(dataset_fn, options)
        count, rank = self._peers.count, self._peers.rank
        return dataset_fn(InputContext(count, rank, count))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """Return value_fn(ValueContext) of this worker."""
        if self._peers is None:
            return super().experimental_distribute_values_from_function(value_fn)
        return value_fn(ValueContext(self._peers.rank, self._peers.count))


class CommunicatingStrategy(MultiWorkerMirroredStrategy):
    """The strategy by its older name, which takes a way to communicate first; it has no effect."""

    def __init__(
        self, communication: Any = None, cluster_resolver: Any = None
    ) -> None:
        super().__init__(cluster_resolver, communication=communication)


def _peers(spec: ClusterSpec, tasks: list[str], resolver: Any) -> Peers:
    """Return this process' replica; its server is made unless it is there."""
    own = name_of(str(resolver.task_type), int(resolver.task_id or 0))
    if own not in tasks:
        raise InvalidArgumentError(
            f"MultiWorkerMirroredStrategy: the cluster has the workers {', '.join(tasks)}, and "
            f"this process is {own}: let TF_CONFIG, or task_type and task_id of the resolver, say "
            "which of them it is"
        )
    where = addresses(spec)
    server = listening(located(where[own]))
    return Peers(server or Server(where, own), tasks)
