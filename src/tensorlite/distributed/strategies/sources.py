"""Data sources as strategies read them: batches for all replicas, cut into their shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import nest
from tensorlite.core.check import whole
from tensorlite.core.errors import DTypeError, InvalidArgumentError, OutOfRangeError
from tensorlite.core.tensor import Tensor
from tensorlite.data.dataset import Dataset
from tensorlite.distributed.strategies.per_replica import PerReplica
from tensorlite.distributed.strategies.shards import cut

Source: TypeAlias = Any
"""A Dataset, a structure of arrays, or a function of a replica's index and their number."""
SHORT = ("go on", "error")


def distributed(
    data: Source, batch_size: int | None, short: str, count: int
) -> Iterator[Any]:
    """Return the batches of `data`, shared out among `count` replicas; see Strategy.distribute."""
    check_short(short)
    if callable(data):
        if batch_size is not None:
            raise InvalidArgumentError(
                "distribute: a function gives batches of its own size; leave batch_size out"
            )
        return _beside(data, short, count)
    return (shared_out(batch, count) for batch in batches(data, batch_size))


def check_short(short: str) -> None:
    """Raise InvalidArgumentError for what is to be done about short data and cannot."""
    if short not in SHORT:
        raise InvalidArgumentError(
            f"short={short!r}; allowed are {' and '.join(map(repr, SHORT))}"
        )


def batches(data: Source, batch_size: int | None) -> Iterable[Any]:
    """Return the batches of a dataset, or of the rows of arrays."""
    if batch_size is not None:
        whole(batch_size, "distribute: batch_size", 1)
    if isinstance(data, Dataset):
        return data if batch_size is None else data.batch(batch_size)
    arrays = _arrays(data)
    if batch_size is None:
        raise InvalidArgumentError(
            "distribute: give batch_size=, how many rows of the arrays make a batch"
        )
    return _slices(data, arrays, batch_size)


def _arrays(data: Any) -> list[Any]:
    """Return the arrays of a structure, which have equally many rows."""
    leaves = nest.flatten(data)
    for leaf in leaves:
        if not isinstance(leaf, (Tensor, np.ndarray)) or not leaf.ndim:
            raise DTypeError(
                f"distribute: {leaf!r} has no rows; give a tl.data.Dataset, arrays with "
                "batch_size=, or a function of a replica's index and their number that returns its "
                "batches"
            )
    lengths = sorted({leaf.shape[0] for leaf in leaves})
    if len(lengths) != 1:
        raise InvalidArgumentError(
            f"distribute: the arrays have {lengths} rows; allowed is one number"
        )
    return leaves


def _slices(data: Any, arrays: list[Any], size: int) -> Iterator[Any]:
    for start in range(0, arrays[0].shape[0], size):
        yield nest.pack_like(data, [leaf[start : start + size] for leaf in arrays])


def shared_out(batch: Any, count: int) -> Any:
    """Return a batch with one PerReplica in place of each of its tensors."""
    parts: list[Any] = [None] * count
    for share in cut((batch,), count).shares:
        parts[share.replica] = nest.flatten(share.arguments[0])
    return _columns(batch, parts)


def _columns(like: Any, parts: list[Any]) -> Any:
    number = len(nest.flatten(like))
    leaves = [
        PerReplica(tuple([None if part is None else part[i] for part in parts]))
        for i in range(number)
    ]
    return nest.pack_like(like, leaves)


def _beside(
    data: Callable[[int, int], Iterable[Any]], short: str, count: int
) -> Iterator[Any]:
    """Yield the next batch of every replica, side by side, until no one has more."""
    readers = [iter(data(index, count)) for index in range(count)]
    turn = 0
    while True:
        found = [next(reader, None) for reader in readers]
        missing = [i for i, batch in enumerate(found) if batch is None]
        if len(missing) == count:
            return
        if missing and short == "error":
            raise OutOfRangeError(
                f"the data of replica {missing[0]} of {count} ends after {turn} batches, that of "
                f"others goes on; short='go on' takes the steps with those that have some"
            )
        turn += 1
        like = next(batch for batch in found if batch is not None)
        for batch in found:
            if batch is not None:
                nest.assert_same(like, batch)
        parts = [None if batch is None else nest.flatten(batch) for batch in found]
        yield _columns(like, parts)
