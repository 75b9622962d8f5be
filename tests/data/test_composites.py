"""Ragged and sparse tensors as elements of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.data import Dataset
from tensorlite.ops.ragged_tensor import RaggedTensor
from tensorlite.sparse import SparseTensor

ROWS = [[3, 1], [], [4, 1, 5], [9]]


def test_rows_of_ragged_tensors() -> None:
    dense = Dataset.from_tensor_slices(tl.ragged.constant(ROWS))
    assert [x.tolist() for x in dense] == ROWS
    assert dense.element_spec.shape == (None,)
    deep = tl.ragged.constant([[[1, 2], []], [[3]]])
    assert [x.to_list() for x in Dataset.from_tensor_slices(deep)] == deep.to_list()


def test_batches_of_ragged_tensors_and_their_rows() -> None:
    deep: Any = tl.ragged.constant([[[1, 2], []], [[3]], []])
    batches: Any = Dataset.from_tensor_slices({"x": deep, "n": [1, 2, 3]}).batch(2)
    found = list(batches)
    assert [b["x"].to_list() for b in found] == [
        deep.to_list()[:2],
        deep.to_list()[2:],
    ]
    assert batches.element_spec["x"].shape.as_list() == [None, None, None]
    assert [e["x"].to_list() for e in batches.unbatch()] == deep.to_list()


def test_tensors_whose_sizes_differ_are_batched_as_ragged_ones() -> None:
    ranges: Any = Dataset.from_tensor_slices([1, 5, 3]).map(
        lambda n: (tl.arange(0, n), n)
    )
    batches = ranges.ragged_batch(2, row_splits_dtype=tl.int32)
    found = list(batches)
    assert [b[0].to_list() for b in found] == [[[0], [0, 1, 2, 3, 4]], [[0, 1, 2]]]
    assert [b[1].tolist() for b in found] == [[1, 5], [3]]
    assert found[0][0].row_splits.dtype is tl.int32
    doubled = batches.map(lambda x, n: x * 2)
    assert next(iter(doubled)).to_list() == [[0], [0, 2, 4, 6, 8]]
    assert isinstance(batches.element_spec[0], RaggedTensor)


def test_rows_of_sparse_tensors() -> None:
    whole = SparseTensor([[0, 1], [2, 0], [2, 2]], [5, 6, 7], (3, 4))
    rows: Any = list(Dataset.from_tensor_slices(whole))
    dense = [tl.sparse.to_dense(x).tolist() for x in rows]
    assert dense == [[0, 5, 0, 0], [0, 0, 0, 0], [6, 0, 7, 0]]
    again: Any = next(iter(Dataset.from_tensor_slices(whole).batch(3)))
    np.testing.assert_array_equal(again.indices, whole.indices)
