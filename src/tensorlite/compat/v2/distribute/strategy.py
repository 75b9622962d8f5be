"""The strategy of one replica on one device, which others are made of, and which one is current."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.distribute.options import InputContext
from tensorlite.core import nest


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
