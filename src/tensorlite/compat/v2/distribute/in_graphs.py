"""Replicas in graphs that are built by hand: all of them use the one variable that there is.

What is computed for a replica is placed on its device. TensorFlow 1 has a copy of each variable
there; what training comes to is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import tensorlite as tl
from tensorlite.compat.v1.datasets import make_initializable_iterator
from tensorlite.compat.v1.graphs.scopes import variable_scope
from tensorlite.compat.views import plain, shown
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.data.base import assembled
from tensorlite.data.composites import each as each_tensor
from tensorlite.distributed.strategies import reducing
from tensorlite.distributed.strategies.per_replica import (
    PerReplica,
    each,
    grouped,
)
from tensorlite.distributed.strategies.shared_datasets import (
    DistributedDataset,
    cut_for,
)
from tensorlite.distributed.strategies.turns import Turn
from tensorlite.graph_mode.graph import active_graph, built
from tensorlite.graph_mode.variable_scopes import place, resumed
from tensorlite.train.replica import replica


def sharing_variables(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls for replicas behind the first find the variables of that."""
    begin = place()

    @wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        here = replica.get()
        assert isinstance(here, Turn)
        here.leaving = partial(resumed, begin)
        reuse = True if here.index else None
        with resumed(begin), variable_scope(begin.scope, reuse=reuse):
            return fn(*args, **kwargs)

    return called


def in_graph(function: Callable[..., Any], value: Any, *args: Any) -> Any:
    """Return what a function of tensors makes of a value, in the graph being built if there is."""
    graph = active_graph()
    if graph is None:
        return function(value, *args)
    with built(graph):
        found = function(each(_plain, value), *args)
    return each(shown, found)


def _plain(x: Any) -> Any:
    return (
        PerReplica([plain(own) for own in x])
        if isinstance(x, PerReplica)
        else plain(x)
    )


def reduced(how: str, value: Any, count: int, axis: Any) -> Any:
    """Return the sum or the mean of the replicas' values; see reducing.py."""
    return in_graph(lambda x: reducing.reduced(how, x, count, axis), value)


class DatasetIterator:
    """Gives each replica its share of the batches of a dataset, in a graph once it is begun."""

    def __init__(self, dataset: Any, count: int) -> None:
        if active_graph() is None:
            raise InvalidArgumentError(
                "make_dataset_iterator is for graphs; eagerly, iterate over what "
                "experimental_distribute_dataset returns"
            )
        self._iterator, self._count = make_initializable_iterator(dataset), count

    @property
    def initializer(self) -> Any:
        """The operation that goes to the beginning."""
        return self._iterator.initializer

    def initialize(self) -> Any:
        """Return the operation that goes to the beginning."""
        return self.initializer

    def get_next(self) -> Any:
        """Return the next batch, with values per replica in the place of tensors."""
        return in_graph(self._cut, self._iterator.get_next())

    def __next__(self) -> Any:
        """Return the next batch, as get_next does."""
        return self.get_next()

    def _cut(self, element: Any) -> Any:
        if self._count == 1:
            return element
        count = self._count
        cuts = [partial(_share, index=i, count=count) for i in range(count)]
        shares = [each_tensor(cut, element) for cut in cuts]
        return grouped(shares, always=True)


def _share(x: Any, index: int, count: int) -> Any:
    """Return the rows of a replica: of what is left over the first have one each."""
    rows = tl.shape(x)[0]
    least, over = tl.floor_divide(rows, count), tl.remainder(rows, count)
    first = least * index + tl.minimum(over, index)
    last = least * (index + 1) + tl.minimum(over, index + 1)
    return x[first:last]


class GraphDataset(DistributedDataset):
    """A dataset for several replicas that is made in a graph, where sessions run through it."""

    whole: Any
    count: int

    def make_initializable_iterator(self) -> DatasetIterator:
        """Return what gives replicas their shares of batches, once its initializer has run."""
        return DatasetIterator(self.whole, self.count)


def shared_in_graph(dataset: Any, count: int) -> Any:
    """Return a dataset whose batches are cut into shares for so many replicas of a graph."""
    cut = cut_for(dataset, count)
    made = assembled(GraphDataset, cut.source, cut.size, cut.spec, cut)
    made.whole, made.count = dataset, count
    return made
