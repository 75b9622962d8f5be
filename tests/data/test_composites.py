"""Ragged and sparse tensors as elements of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.data import Dataset
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue
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


def test_batches_of_rows_of_ragged_tensors_are_ragged_again() -> None:
    rows: Any = Dataset.from_tensor_slices(
        {"x": tl.ragged.constant(ROWS), "n": range(4)}
    )
    assert rows.element_spec["x"].ragged_rank == 0
    batches = list(rows.filter(lambda _: True).batch(3))
    assert [b["x"].to_list() for b in batches] == [ROWS[:3], ROWS[3:]]
    assert [b["n"].tolist() for b in batches] == [[0, 1, 2], [3]]
    again = rows.batch(2).unbatch()
    assert again.element_spec == rows.element_spec
    assert [e["x"].tolist() for e in again] == ROWS


def test_batches_of_what_was_made_of_rows_are_not_ragged() -> None:
    rows: Any = Dataset.from_tensor_slices(tl.ragged.constant(ROWS))
    sums = rows.map(tl.sum).batch(4)
    assert sums.element_spec == tl.TensorSpec((None,), tl.int32)
    assert next(iter(sums)).tolist() == [4, 0, 10, 9]


def test_rows_of_one_length_keep_it_in_batches() -> None:
    pairs = RaggedTensor.from_uniform_row_length(np.arange(6), 2)
    batches: Any = Dataset.from_tensor_slices(pairs).batch(2)
    assert [b.uniform_row_length for b in batches] == [2, 2]
    assert batches.element_spec.shape.as_list() == [None, 2]


def test_what_is_known_of_batches_holds_for_the_last_one_and_for_iterators_in_traces() -> (
    None
):
    def row(n: Any) -> Any:
        return tl.ragged.constant([[[1], [2]]]), SparseTensor([[0]], [n], [3])

    nested, sparse = Dataset.range(3).map(row).batch(2).element_spec
    assert nested.shape.as_list() == [None] * 4
    assert nested.flat_values.shape == sparse.values.shape == (None,)
    elements = iter(Dataset.range(3).map(row).batch(2))

    @tl.function
    def following() -> Any:
        ragged, sparse = next(elements)
        return tl.sum(ragged.flat_values), sparse.dense_shape

    assert [following()[1].numpy().tolist() for _ in range(2)] == [[2, 3], [1, 3]]


def test_values_of_ragged_tensors_are_ragged_tensors() -> None:
    value = RaggedTensorValue(np.arange(4), np.asarray([0, 1, 1, 4]))
    rows: Any = Dataset.from_tensor_slices(value)
    assert [row.numpy().tolist() for row in rows] == [[0], [], [1, 2, 3]]


def test_datasets_of_ragged_tensors_are_made_in_traces() -> None:
    @tl.function
    def total(ragged: Any) -> Any:
        found = tl.asarray(0, dtype=tl.int64)
        for batch in Dataset.from_tensor_slices(ragged).batch(2):
            found = found + tl.sum(batch.values) * (batch.nrows())
        return found

    assert total(tl.ragged.constant(ROWS)).item() == 2 * 4 + 2 * 19
