"""Datasets of a program that is one of several, which all read the same: shares of batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from tensorlite.core.spec import TensorSpec
from tensorlite.data.base import assembled
from tensorlite.distributed.strategies.per_replica import each, part_of
from tensorlite.distributed.strategies.shared_datasets import (
    DistributedDataset,
    cut_for,
)


def own_shares(dataset: Any, count: int, index: int) -> Any:
    """Return a dataset of one of `count` shares of each batch of another.

    The first shares are longer by a row where rows are left over, the last may be empty.

    >>> from tensorlite.distributed.strategies.own_shares import own_shares
    >>> [x.tolist() for x in own_shares(tl.data.Dataset.range(5).batch(3), 2, 1)]
    [[2], [4]]
    """
    cut = cut_for(dataset, count)

    def source() -> Iterator[Any]:
        return (part_of(index, shares) for shares in cut.source())

    spec = partial(_own_spec, cut, index)
    return assembled(DistributedDataset, source, cut.size, spec, dataset)


def all_shares(dataset: Any, count: int) -> Any:
    """Return a dataset of all shares of each batch of another, one after the other.

    >>> from tensorlite.distributed.strategies.own_shares import all_shares
    >>> [x.tolist() for x in all_shares(tl.data.Dataset.range(4).batch(4), 2)]
    [[0, 1], [2, 3]]
    """
    cut = cut_for(dataset, count)

    def source() -> Iterator[Any]:
        return (part_of(i, x) for x in cut.source() for i in range(count))

    def spec() -> Any:
        return each(_any_rows, _own_spec(cut, 0))

    size = cut.size * count if cut.size > 0 else cut.size
    return assembled(DistributedDataset, source, size, spec, dataset)


def _own_spec(cut: Any, index: int) -> Any:
    return part_of(index, cut.element_spec)


def _any_rows(spec: Any) -> Any:
    is_array = isinstance(spec, TensorSpec) and spec.shape
    return spec.with_shape((None, *spec.shape[1:])) if is_array else spec
