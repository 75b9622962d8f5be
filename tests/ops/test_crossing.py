"""Crosses and embeddings that may name nothing; the hashes are those of TensorFlow 1.15."""

from __future__ import annotations

import numpy as np

import tensorlite as tl
from tensorlite.ops.sparse.slices import densify


def _operands() -> list[tl.sparse.SparseTensor | tl.Tensor]:
    words = tl.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], (2, 2))
    numbers = tl.sparse.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 2, 7], (2, 2))
    return [words, tl.asarray([[5], [6]]), numbers]


def test_crosses_are_joined_and_hashed() -> None:
    words, dense, numbers = _operands()
    whole = tl.sparse.cross_hashed([words, numbers])
    assert whole.values.tolist() == [
        *(2928842892298887678, 5354134812324246176),
        *(8046540229177717716, 2520330290548275089),
    ]
    assert whole.indices.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    some = tl.sparse.cross_hashed([words, dense, numbers], 100, hash_key=3)
    assert some.values.tolist() == [54, 15, 73, 60]
    text = tl.sparse.cross([words, dense, numbers])
    assert text.values.tolist() == [
        b"a_X_1_X_5",
        b"b_X_1_X_5",
        b"c_X_2_X_6",
        b"c_X_7_X_6",
    ]


def test_rows_may_name_nothing() -> None:
    table = tl.Variable([[1.0, 2.0], [3.0, 4.0]])
    ids = tl.sparse.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, -1, 0], (3, 2))
    weights = ids.with_values([2.0, 1.0, 0.0])
    lookup = tl.nn.safe_embedding_lookup_sparse
    np.testing.assert_allclose(lookup(table, ids), [[3, 4], [0, 0], [1, 2]])
    np.testing.assert_allclose(lookup(table, ids, weights), [[3, 4], [0, 0], [0, 0]])
    filled = lookup(table, ids, default_id=1)
    np.testing.assert_allclose(filled, [[3, 4], [3, 4], [1, 2]])
    with tl.GradientTape() as tape:
        total = tl.sum(lookup(table, ids, weights, "sum"))
    gradient = densify(tape.gradient(total, table))
    np.testing.assert_allclose(gradient, [[0, 0], [2, 2]])


def test_ids_may_have_outer_axes() -> None:
    table = tl.asarray([[1.0], [3.0]])
    ids = tl.sparse.SparseTensor([[0, 0, 0], [1, 1, 0]], [1, 0], (2, 2, 1))
    found = tl.nn.safe_embedding_lookup_sparse(table, ids)
    assert found.tolist() == [[[3.0], [0.0]], [[0.0], [1.0]]]
