"""What steps of training are traced to, what they are given, and what they say, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.distribute.remote_values import RemoteValue
from tensorlite.compat.v2.distribute.strategy import default_strategy
from tensorlite.compat.v2.keras.defaults import width
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.operand import Operand
from tensorlite.distributed.strategies.per_replica import PerReplica, leaves
from tensorlite.distributed.strategies.shared_datasets import shares_of
from tensorlite.ops.ragged import arrange as ragged
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import RaggedTensor


class Steps:
    """Holds what steps were traced to, apart from what a model is and is saved with."""

    def __init__(self) -> None:
        self.traced: dict[tuple[str, Any], Any] = {}


def calling(method: Any) -> Any:
    """Return a step as a function of a batch alone, which does not keep the model's methods."""

    def step(data: Any) -> Any:
        return method(data)

    return step


def has_replicas(strategy: Any) -> bool:
    """Return whether a strategy is one that a program has made."""
    return strategy is not default_strategy


def of_all_replicas(step: Any, strategy: Any, name: str) -> Any:
    """Return a step as one that all replicas of a strategy take, each on its share of a batch.

    What they predict comes back as one, of what metrics come to the means.
    """

    def taken(data: Any) -> Any:
        found = strategy.run(step, (data,))
        if name == "predict":
            return strategy.gather(found, axis=0)
        return strategy.reduce("MEAN", found, axis=None)

    return taken


def all_over(results: list[Any]) -> list[Any]:
    """Return what steps come to, once all of them are over: some are workers' of a cluster."""
    return [x.get() if isinstance(x, RemoteValue) else x for x in results]


def counted_by_all(model: Any, logs: dict[str, Any]) -> dict[str, Any]:
    """Return the logs of an epoch, with what a strategy's replicas have counted together."""
    if not has_replicas(model.distribute_strategy):
        return logs
    found = numbers(model.get_metrics_result())
    return found if found.keys() == logs.keys() else logs


def shared_out(data: Any, count: int) -> Any:
    """Return a batch cut into the shares of replicas, unless it is that already."""
    if count == 1 or any(isinstance(x, PerReplica) for x in leaves(data)):
        return data
    return shares_of(data, count)


def as_tensor(x: Any) -> Any:
    """Return a part of a batch as a tensor, None as it is; float64 gets the width `floatx`."""
    if x is None or isinstance(x, Operand):
        return x if x is None else to_tensor(x)
    array = np.asarray(x)
    return constant(
        array.astype(width().numpy) if array.dtype == np.float64 else array
    )


def grouped(parts: Iterable[Any], size: int) -> Iterator[tuple[int, int, list[Any]]]:
    """Yield batches in groups, each with the numbers of its first step and of its last."""
    rest = iter(parts)
    for first in count(0, size):
        group = list(islice(rest, size))
        if not group:
            return
        yield first, first + size - 1, group


def numbers(logs: Any) -> dict[str, Any]:
    """Return what a step says as numbers, what groups of it say by the names inside."""
    found: dict[str, Any] = {}
    for name, value in (logs or {}).items():
        if isinstance(value, dict):
            found.update(numbers(value))
        elif isinstance(value, Operand):
            found[name] = _plain(value.__tensor__().numpy())
        else:
            found[name] = value
    return found


def _plain(value: Any) -> Any:
    """Return an array, of one number that of Python."""
    return value if value.ndim else value.item()


def in_order(logs: Any) -> dict[str, Any]:
    """Return logs as numbers, in Keras 3 in the order of their names."""
    found = numbers(logs)
    return dict(sorted(found.items())) if naming.is_keras_3() else found


def is_due(epoch: int, freq: Any) -> bool:
    """Return whether an epoch, counted from 1, is one after which a model is evaluated."""
    return epoch % freq == 0 if isinstance(freq, int) else epoch in freq


def arrays_of(made: Any) -> Any:
    """Return tensors as arrays that can be changed; rows of different lengths stay tensors."""
    return nests.map_structure(
        lambda x: x if isinstance(x, RaggedParts) else np.array(x.numpy()), made
    )


def joined(parts: list[Any]) -> Any:
    """Return what batches came to as one, one behind the other; ragged where their sizes differ."""
    return nests.map_structure(_behind, *parts)


def _behind(*rows: Any) -> Any:
    if isinstance(rows[0], RaggedParts):
        return ragged.concat(list(rows), axis=0)
    differing = [
        len(set(sizes)) > 1 for sizes in zip(*map(np.shape, rows), strict=True)
    ]
    if not any(differing[1:]):
        return np.concatenate(rows)
    rank = max(i for i, differs in enumerate(differing) if differs)
    as_rows = [RaggedTensor.from_tensor(x, ragged_rank=rank) for x in rows]
    return ragged.concat(as_rows, axis=0)
