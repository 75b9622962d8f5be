"""Sparse tensors: as values and structures, in traces, and what is done with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

X = tl.sparse.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], (3, 2))


def shown(sp: Any) -> Any:
    return tl.sparse.to_dense(sp).tolist()


def test_shape_dtype_and_rank_are_known() -> None:
    assert (X.shape, X.dtype, X.rank) == ((3, 2), tl.float32, 2)


def test_it_is_a_structure_that_functions_take_and_return() -> None:
    @tl.function
    def doubled(sp: Any) -> Any:
        return sp.with_values(sp.values * 2.0)

    found = doubled(X)
    assert isinstance(found, tl.sparse.SparseTensor)
    assert shown(found) == [[0, 10], [0, 0], [12, 0]]
    assert len(tl.nest.flatten(X)) == 3


def test_products_and_quotients_with_dense_tensors() -> None:
    assert (X * [[1.0, 2.0]]).values.tolist() == [10, 6]
    assert (X / 2.0).values.tolist() == [2.5, 3]
    assert (-X).values.tolist() == [-5, -6]


def test_concatenation_cut_and_split() -> None:
    wide = tl.sparse.concat(1, [X, X])
    assert shown(wide) == np.hstack([shown(X), shown(X)]).tolist()
    assert shown(tl.sparse.slice(wide, [0, 1], [9, 2])) == [[5, 0], [0, 0], [0, 6]]
    parts = tl.sparse.split(wide, 3, axis=1)
    assert [part.shape for part in parts] == [(3, 2), (3, 1), (3, 1)]


def test_sums_of_two_drop_small_ones() -> None:
    other = tl.sparse.SparseTensor([[0, 1], [1, 1]], [-4.9, 1.0], (3, 2))
    assert tl.sparse.add(X, other, 0.5).indices.tolist() == [[1, 1], [2, 0]]


def test_strings_are_made_dense_with_empty_ones() -> None:
    words = tl.strings.split_to_sparse(["a b", "c"])
    assert tl.sparse.to_dense(words).tolist() == [[b"a", b"b"], [b"c", b""]]


def test_reductions_along_axes() -> None:
    assert tl.sparse.reduce_sum(X).tolist() == 11
    assert tl.sparse.reduce_sum(X, 1, keepdims=True).tolist() == [[5], [0], [6]]
    assert tl.sparse.reduce_max(X, 0).tolist() == [6, 5]


def test_wrong_axes_are_refused() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="axis=2"):
        tl.sparse.reduce_sum(X, 2)


def test_map_values_needs_a_sparse_tensor() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="among its operands"):
        tl.sparse.map_values(tl.square, 1.0)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_embeddings_of_sparse_numbers(combiner: Any) -> None:
    ids = tl.sparse.SparseTensor([[0, 0], [0, 1], [2, 0]], [0, 1, 1], (3, 2))
    found = tl.nn.embedding_lookup_sparse([[3.0], [5.0]], ids, combiner=combiner)
    divisor = {"sum": 1, "mean": 2, "sqrtn": 2**0.5}[combiner]
    np.testing.assert_allclose(found.numpy()[:, 0], [8 / divisor, 0, 5], 1e-6)


def test_embeddings_end_with_the_last_row_that_names_any() -> None:
    ids = tl.sparse.SparseTensor([[0, 0], [2, 1]], [1, 0], (5, 2))
    table = [[3.0], [5.0]]
    assert tl.nn.embedding_lookup_sparse(table, ids).numpy().tolist() == [
        [5],
        [0],
        [3],
    ]
    scale = tl.sparse.SparseTensor([[0, 0], [2, 1]], [2.0, 4.0], (5, 2))
    summed = tl.nn.embedding_lookup_sparse(table, ids, scale, combiner="sum")
    assert summed.numpy().tolist() == [[10], [0], [12]]
    with pytest.raises(tl.errors.DTypeError, match="both are sparse"):
        tl.nn.embedding_lookup_sparse(table, ids, tl.ragged.constant([[1.0]]))


def test_embeddings_are_limited_in_length() -> None:
    ids = tl.sparse.SparseTensor([[0, 0]], [0], (1, 1))
    found = tl.nn.embedding_lookup_sparse([[3.0, 4.0]], ids, max_norm=1.0)
    np.testing.assert_allclose(found.numpy(), [[0.6, 0.8]], 1e-6)
    with pytest.raises(tl.errors.InvalidArgumentError, match="got max"):
        tl.nn.embedding_lookup_sparse([[3.0]], ids, combiner="max")  # type: ignore[arg-type]
