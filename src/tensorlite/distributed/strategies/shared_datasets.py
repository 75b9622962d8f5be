"""Datasets for several replicas: batches that are cut into shares, or one batch for each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.data.base import Pipeline, assembled
from tensorlite.data.composites import COMPOSITES, each, leaves
from tensorlite.data.dataset import Dataset
from tensorlite.data.iterators import DatasetIterator
from tensorlite.distributed.strategies.per_replica import PerReplicaSpec, grouped
from tensorlite.distributed.strategies.shards import bounds_of
from tensorlite.ops.sparse.arrange import sparse_slice
from tensorlite.ops.sparse.tensor import SparseTensor


class DistributedIterator(DatasetIterator[Any]):
    """A run through a dataset for several replicas."""


class DistributedDataset(Dataset[Any]):
    """A dataset whose elements have values per replica in the place of tensors."""

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self)


class DistributedDatasetsFromFunction(DistributedDataset):
    """The same, made of what a function of a replica's input returns."""


def cut_for(dataset: Any, count: int) -> Any:
    """Return a dataset of the batches of one, each cut into `count` shares.

    The shares differ by one row at most, and may be without any; InvalidArgumentError is raised
    for elements that have no rows, DTypeError for what is no dataset.

    >>> from tensorlite.distributed.strategies.shared_datasets import cut_for
    >>> [[x.tolist() for x in shares] for shares in cut_for(tl.data.Dataset.range(5).batch(5), 2)]
    [[[0, 1, 2], [3, 4]]]
    """
    given = _checked(dataset)

    def source() -> Iterator[Any]:
        return (_cut(element, count) for element in given.source())

    def spec() -> Any:
        own = given.element_spec
        cuts = [partial(_cut_spec, index=i, count=count) for i in range(count)]
        shares = [each(cut, own) for cut in cuts]
        return grouped(shares, PerReplicaSpec, always=count > 1)

    return assembled(DistributedDataset, source, given.size, spec, given)


def in_groups(dataset: Any, count: int) -> Any:
    """Return a dataset of `count` elements of one at a time, one for each replica.

    Where the last are fewer, the other replicas have elements without rows.
    """
    given = _checked(dataset)

    def source() -> Iterator[Any]:
        rest = iter(given.source())
        while group := list(islice(rest, count)):
            missing = count - len(group)
            whole = [*group, *[_emptied(group[0])] * missing]
            yield grouped(whole, always=count > 1)

    def spec() -> Any:
        own = each(_any_rows, given.element_spec)
        return grouped([own] * count, PerReplicaSpec, always=count > 1)

    size = -(-given.size // count) if given.size > 0 else given.size
    return assembled(DistributedDatasetsFromFunction, source, size, spec, given)


def shares_of(batch: Any, count: int) -> Any:
    """Return a batch with values per replica in the place of its tensors."""
    return _cut(each(lambda x: x if x is None else to_tensor(x), batch), count)


def _checked(dataset: Any) -> Pipeline[Any]:
    if not isinstance(dataset, Pipeline):
        raise DTypeError(
            f"a strategy distributes a tf.data.Dataset, not {type(dataset).__name__}"
        )
    return dataset


def _cut(element: Any, count: int) -> Any:
    """Return an element with the shares of its tensors' rows."""
    rows = {_rows(x) for x in leaves(element) if x is not None}
    if None in rows or len(rows) > 1:
        raise InvalidArgumentError(
            "a strategy shares out batches, whose tensors have rows, as many in each: these have "
            f"{sorted(map(str, rows))}; batch the dataset by the global batch size"
        )
    bounds = bounds_of(rows.pop() if rows else 0, count)
    slices = [partial(_sliced, first=a, last=b) for a, b in bounds]
    shares = [each(sliced, element) for sliced in slices]
    return grouped(shares, always=count > 1)


def _rows(leaf: Any) -> Any:
    if isinstance(leaf, COMPOSITES):
        sizes = leaf.get_shape().known()
        return None if sizes is None else sizes[0]
    return leaf.shape[0] if len(leaf.shape) else None


def _sliced(leaf: Any, first: int, last: int) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, EagerTensor):
        return EagerTensor(leaf.array[first:last], leaf.device)
    if isinstance(leaf, SparseTensor):
        sizes = leaf.dense_shape.numpy()
        start = np.zeros_like(sizes)
        start[0], sizes = first, np.array([last - first, *sizes[1:]])
        return sparse_slice(leaf, start, sizes)
    return leaf[first:last]


def _emptied(element: Any) -> Any:
    """Return an element without rows, of the kind of another."""
    return each(partial(_sliced, first=0, last=0), element)


def _cut_spec(spec: Any, index: int, count: int) -> Any:
    """Return the spec of a share."""
    if not isinstance(spec, TensorSpec) or not spec.shape or spec.shape[0] is None:
        return spec
    first, last = bounds_of(spec.shape[0], count)[index]
    return spec.with_shape((last - first, *spec.shape[1:]))


def _any_rows(spec: Any) -> Any:
    """Return a spec that does not say how many rows there are."""
    if not isinstance(spec, TensorSpec) or not spec.shape:
        return spec
    return spec.with_shape((None, *spec.shape[1:]))
