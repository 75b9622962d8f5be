"""Operators of datasets that few graphs have: of sparse rows, of examples, of lists, into tables.

Those that most have are in beginnings.py and steps.py, others in further_steps.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.data.base import Pipeline
from tensorlite.data.dataset import Dataset
from tensorlite.data.variants import DatasetOp, Held, changed, leaf_of
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.records.examples import ParseExampleV2
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.state.tables import TableState

Source = Dataset[Any]


class SparseTensorSliceDataset(DatasetOp):
    """The rows of a sparse tensor, each as indices, values and shape."""

    def made(self, indices: Array, values: Array, shape: Array) -> Pipeline[Any]:
        """Return the dataset."""
        parts = [EagerTensor(x) for x in (indices, values, shape)]
        rows = Dataset.from_tensor_slices(SparseTensor(*parts))
        made: Pipeline[Any] = changed(rows, tuple, self.specs)
        return made


class DenseToSparseBatchDataset(DatasetOp):
    """Batches of tensors, which may differ in size, as sparse tensors."""

    def made(self, source: Source, rows: Array, row_shape: Array) -> Pipeline[Any]:
        """Return the dataset."""
        whole = changed(source, lambda element: element[0], source.spec[0])
        batches = whole.sparse_batch(int(rows), row_shape.tolist())
        made: Pipeline[Any] = changed(
            batches, lambda x: (x,), (batches.element_spec,)
        )
        return made


class ListDataset(DatasetOp):
    """Elements that are listed, each tensor of one after the other."""

    def made(self, *tensors: Array) -> Pipeline[Any]:
        """Return the dataset."""
        size = len(self.specs)
        leaves = [leaf_of(x) for x in tensors]
        count = range(0, len(leaves), size)
        return Dataset.from_list([tuple(leaves[i : i + size]) for i in count])


class ParseExampleDatasetV2(DatasetOp):
    """The features of batches of examples, by the order of their keys.

    Sparse ones come first among those that are asked for, then `splits` ragged ones.
    """

    keys: tuple[str, ...]
    features: tuple[TensorSpec, ...]
    kinds: tuple[str, ...]
    splits: tuple[DType, ...] = ()
    """The dtypes of the bounds of ragged features, which are read as sparse ones."""

    @property
    def sparse(self) -> int:
        """How many features are sparse, beside ragged ones."""
        return self.kinds.count("sparse") - len(self.splits)

    def made(self, source: Source, _: Array, *defaults: Array) -> Pipeline[Any]:
        """Return the dataset."""
        op = ParseExampleV2(self.keys, self.features, self.kinds)
        given = [EagerTensor(x) for x in defaults]
        order = sorted(range(len(self.keys)), key=lambda i: self.keys[i].encode())

        def parsed(element: Any) -> tuple[Any, ...]:
            found = self._whole(calls(op, *element, *given))
            return tuple([found[i] for i in order])

        made: Pipeline[Any] = changed(source, parsed, self.specs)
        return made

    def _whole(self, found: Any) -> list[Any]:
        """Return features of their parts, in the order in which they are asked for."""
        every = self.sparse + len(self.splits)
        parts = [found[i * every : (i + 1) * every] for i in range(3)]
        ones = [SparseTensor(*x) for x in zip(*parts, strict=True)]
        rows = [
            _by_rows(one, kind)
            for one, kind in zip(ones[self.sparse :], self.splits, strict=True)
        ]
        return [*ones[: self.sparse], *rows, *found[3 * every :]]


def _by_rows(x: SparseTensor, kind: DType) -> Any:
    """Return the elements of a sparse matrix, whose rows have no gaps, as rows."""
    numbers, count = x.indices.numpy()[:, 0], int(x.dense_shape.numpy()[0])
    bounds = np.searchsorted(numbers, np.arange(count + 1)).astype(kind.numpy)
    return RaggedTensor.of(x.values, EagerTensor(bounds))


class InitializeTableFromDataset(Op):
    """Fills a table with the keys and values that the elements of a dataset are."""

    effect = Effect.WRITE
    differentiable = False
    host = (0, 1)

    def infer(self, table: TensorSpec, dataset: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, table: TableState, dataset: Held) -> tuple[Array, ...]:
        """Fill it."""
        table.begin([(_plain(k), _plain(v)) for k, v in dataset.dataset.source()])
        return ()


def _plain(x: Tensor) -> Any:
    return np.asarray(x.array).item()
