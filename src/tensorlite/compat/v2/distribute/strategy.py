"""Strategy: what all strategies offer, over the replicas of distributed/strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from tensorlite.compat.v2.distribute import contexts, in_graphs
from tensorlite.compat.v2.distribute.contexts import ReplicaContext, opened
from tensorlite.compat.v2.distribute.extended import StrategyExtended
from tensorlite.compat.v2.distribute.options import (
    InputContext,
    InputReplicationMode,
    ValueContext,
    how_of,
)
from tensorlite.core import nest
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.distributed.strategies.per_replica import (
    DistributedValues,
    grouped,
    part_of,
)
from tensorlite.distributed.strategies.reducing import gathered
from tensorlite.distributed.strategies.replicas import Replicas, check_outside
from tensorlite.distributed.strategies.shared_datasets import cut_for, in_groups
from tensorlite.graph_mode.graph import active_graph


class Strategy:
    """Replicas on some devices; without any, one that is wherever it is called."""

    replica_context = ReplicaContext
    """What functions that are called for replicas are told of them."""

    def __init__(self, replicas: Replicas | None = None) -> None:
        self.replicas = replicas
        self.extended = StrategyExtended(self, replicas)
        self.cluster_resolver: Any = None

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return 1 if self.replicas is None else self.replicas.count

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Open a context in which this strategy is the current one, and has new variables.

        RuntimeError is raised in the scope of another strategy, and for a replica.
        """
        if self is default_strategy:
            yield self
            return
        check_outside()
        making = nullcontext() if self.replicas is None else self.replicas.making()
        with opened(self), making:
            yield self

    def dispatched(self, step: Any) -> Any:
        """Return a traced step of Keras as what is called for a batch: itself."""
        return step

    def run(
        self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Return fn(*args, **kwargs) of each replica, which is given its own values per replica.

        options has no effect. RuntimeError is raised for a replica.
        """
        if not callable(fn):
            raise DTypeError(f"a strategy runs a function, not {fn!r}")
        if not isinstance(args, (list, tuple)):
            raise InvalidArgumentError(
                f"positional args must be a list or tuple, got {type(args)}"
            )
        with self.scope():
            if self.replicas is None:
                return fn(*args, **(kwargs or {}))
            if active_graph() is not None:
                fn = in_graphs.sharing_variables(fn)
            return self.replicas.call(fn, tuple(args), kwargs or {})

    experimental_run_v2 = run

    def experimental_run(self, fn: Any, input_iterator: Any = None) -> Any:
        """Return fn of an iterator's next element, or of nothing if there is no iterator."""
        return self.run(
            fn, () if input_iterator is None else (input_iterator.get_next(),)
        )

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Return the sum or the mean of the replicas' values, along an axis too if not None."""
        check_outside()
        how, count = how_of(reduce_op), self.num_replicas_in_sync
        return in_graphs.reduced(how, value, count, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """Return the replicas' values behind each other along an axis."""
        check_outside()
        return in_graphs.in_graph(gathered, value, axis)

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> Any:
        """Return a dataset whose batches are cut into shares for the replicas.

        options has no effect, but for PER_REPLICA, for which NotImplementedError is raised.
        """
        mode = getattr(options, "experimental_replication_mode", None)
        if mode is InputReplicationMode.PER_REPLICA:
            raise UnimplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in "
                "`distribute_datasets_from_function`."
            )
        if self.replicas is None:
            return dataset
        cut = cut_for if active_graph() is None else in_graphs.shared_in_graph
        return cut(dataset, self.num_replicas_in_sync)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Return what gives replicas their shares of batches in a graph; see in_graphs.py."""
        return in_graphs.DatasetIterator(dataset, self.num_replicas_in_sync)

    def distribute_datasets_from_function(
        self, dataset_fn: Any, options: Any = None
    ) -> Any:
        """Return the dataset that dataset_fn(InputContext) makes, a batch for each replica."""
        count = self.num_replicas_in_sync
        dataset = dataset_fn(InputContext(num_replicas_in_sync=count))
        return dataset if self.replicas is None else in_groups(dataset, count)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of this machine's replicas as a tuple, of a structure structures."""
        if isinstance(value, DistributedValues):
            return tuple(value.values)
        if not nest.is_nested(value) or nest.is_value(value):
            return (value,)
        return tuple([part_of(i, value) for i in range(self.num_replicas_in_sync)])

    unwrap = experimental_local_results

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """Return values per replica: value_fn(ValueContext) of each."""
        count = self.num_replicas_in_sync
        made = [value_fn(ValueContext(i, count)) for i in range(count)]
        return grouped(made, always=self.replicas is not None)


default_strategy = Strategy()


def get_strategy() -> Any:
    """Return the strategy whose scope is open, or the default one with one replica."""
    return contexts.current.get() or default_strategy


def get_replica_context() -> ReplicaContext | None:
    """Return the context of the replica this is called for, None in the scope of a strategy."""
    return contexts.here(default_strategy)


@contextmanager
def experimental_set_strategy(strategy: Any) -> Iterator[None]:
    """Open a context in which a strategy is the current one."""
    with strategy.scope():
        yield


def devices_given(devices: Any) -> Sequence[str] | None:
    """Return devices as a list, None for none; a name alone is one."""
    listed = [devices] if isinstance(devices, str) else list(devices or ())
    return listed or None
