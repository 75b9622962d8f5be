"""ClusterCoordinator: functions that the workers of a ParameterServerStrategy do, and what comes.

Datasets are read by the program itself, an iterator for each worker, and elements sent to where
they are used. Who does what is distributed/strategies/scheduling.py's.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from tensorlite.compat.v2.distribute.parameter_server import ParameterServerStrategy
from tensorlite.compat.v2.distribute.remote_values import RemoteValue
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by, tracer
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.data.base import Pipeline
from tensorlite.distributed.strategies.scheduling import PerWorker
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.function import Function


class PerWorkerValues:
    """Values of which each worker is given its own; `iter` of a dataset per worker makes some."""

    def __init__(self, values: Any) -> None:
        self.values = tuple(values)

    def __iter__(self) -> Any:
        raise UnimplementedError(
            "values per worker are arguments of functions that ClusterCoordinator.schedule is "
            "given: each worker gets its own there"
        )

    def __next__(self) -> Any:
        raise UnimplementedError(
            "Iterating over an iterator per worker is not supported: ask it in a function that "
            "ClusterCoordinator.schedule is given"
        )

    get_next = __next__


class PerWorkerDataset:
    """A dataset for each worker, which begin with `iter`."""

    def __init__(self, datasets: Any) -> None:
        self._datasets = datasets

    def __iter__(self) -> Any:
        """Return an iterator for each worker; RuntimeError in traced functions."""
        if tracer() is not None:
            raise FailedPreconditionError(
                "__iter__() is not supported inside of tf.function or in graph mode."
            )
        return PerWorkerValues([iter(each) for each in self._datasets])

    @property
    def element_spec(self) -> Any:
        """The specs of an element's tensors."""
        return self._datasets[0].element_spec


class ClusterCoordinator:
    """Has the workers of a ParameterServerStrategy do functions; there is one for each strategy."""

    strategy: Any

    def __new__(cls, strategy: Any) -> Any:
        """Return the coordinator of a strategy; InvalidArgumentError for other strategies."""
        if not isinstance(strategy, ParameterServerStrategy):
            raise InvalidArgumentError(
                "Only `tf.distribute.experimental.ParameterServerStrategy` is supported to work "
                "with `tf.distribute.experimental.coordinator.ClusterCoordinator` currently, not "
                f"{type(strategy).__name__}."
            )
        if strategy.coordinator is None:
            strategy.coordinator = super().__new__(cls)
            strategy.coordinator.strategy = strategy
        return strategy.coordinator

    def schedule(self, fn: Any, args: Any = None, kwargs: Any = None) -> RemoteValue:
        """Return at once what a tf.function will return that some worker does, once at least.

        Values per worker among its arguments are replaced by the worker's own. The error of a
        function that has failed before is raised instead, when nothing is under way any more.
        TypeError is raised for what is no tf.function, ValueError for what workers cannot take.
        """
        if not isinstance(fn, (Function, ConcreteFunction)):
            raise DTypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only "
                f"accepts a `tf.function` or a concrete function, not {fn!r}."
            )
        given, named = _own(tuple(args or ())), _own(dict(kwargs or {}))
        found: RemoteValue = self.strategy.scheduled(fn, given, named)
        return found

    def join(self) -> None:
        """Wait until all functions are done; the error of one that has failed is raised, once.

        UnavailableError is raised where a parameter server is lost.
        """
        self.strategy.schedule.join()

    def done(self) -> bool:
        """Return whether all functions are done; the error of one that failed is raised, once."""
        found: bool = self.strategy.schedule.done()
        return found

    def fetch(self, val: Any) -> Any:
        """Return a structure with the results of remote values as arrays, waiting for them."""
        return nest.map_structure(
            lambda x: x.fetch() if isinstance(x, RemoteValue) else x, val
        )

    def create_per_worker_dataset(self, dataset_fn: Any) -> PerWorkerDataset:
        """Return a dataset for each worker: what a function returns, called for each, or one.

        ValueError is raised for what is neither.
        """
        made = []
        for index in range(len(self.strategy.workers)):
            token = _worker.set(index)
            try:
                made.append(_dataset(dataset_fn))
            finally:
                _worker.reset(token)
        return PerWorkerDataset(made)


_worker: ContextVar[int | None] = ContextVar("worker", default=None)
"""The worker for which a dataset is made."""


def experimental_get_current_worker_index() -> Any:
    """Return for which worker a dataset is made; RuntimeError elsewhere."""
    index = _worker.get()
    if index is None:
        raise FailedPreconditionError(
            "Cannot retrieve the worker index: it is known in functions that "
            "ClusterCoordinator.create_per_worker_dataset is given"
        )
    return index


def _own(structure: Any) -> Any:
    """Return arguments as schedules take them; InvalidArgumentError for a remote value."""
    if isinstance(structure, PerWorkerValues):
        return PerWorker(structure.values)
    if isinstance(structure, RemoteValue):
        raise InvalidArgumentError(
            "`tf.distribute.experimental.coordinator.RemoteValue` used as an input to scheduled "
            "function is not yet supported: give what its get() returns."
        )
    if type(structure) in (list, tuple):
        return type(structure)([_own(x) for x in structure])
    if type(structure) is dict:
        return {key: _own(x) for key, x in structure.items()}
    return structure


def _dataset(given: Any) -> Any:
    """Return a dataset, or what a function of no arguments makes as such."""
    call = given.python() if isinstance(given, Function) else given
    with interpreted_by(None):
        made = call() if callable(call) and not isinstance(call, Pipeline) else call
    if not isinstance(made, Pipeline):
        raise InvalidArgumentError(
            f"Unexpected dataset type: {type(made).__name__}; give a tf.data.Dataset, or a "
            "function that returns one"
        )
    return made
