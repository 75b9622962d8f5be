"""Embeddings of sparse ids in graphs: the nodes are TensorFlow's, the values those of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
TABLE = np.array([[1, 2], [4, 8], [-3, 5]], np.float32)
PLACES = [[0, 0], [0, 2], [2, 0], [2, 1], [3, 1]]
IDS = np.array([0, 2, -1, 1, 1], np.int64)
WEIGHTS = np.array([1, 3, 2, 0.5, 0], np.float32)
COMBINERS: dict[str, Any] = {
    "sum": lambda w: 1.0,
    "mean": lambda w: w.sum(),
    "sqrtn": lambda w: np.sqrt((w**2).sum()),
}


def wanted(weights: Any, combiner: str, default: int | None) -> Any:
    """Return what rows name, worked out one by one."""
    rows = []
    for row in range(4):
        named = [
            (i, w)
            for (r, _), i, w in zip(PLACES, IDS, weights, strict=True)
            if r == row
        ]
        named = [(i, w) for i, w in named if i >= 0 and (combiner == "sum" or w > 0)]
        if not named:
            rows.append(TABLE[default] if default is not None else np.zeros(2))
            continue
        each = np.array([w for _, w in named])
        total = sum(TABLE[i] * w for i, w in named)
        rows.append(total / COMBINERS[combiner](each))
    return np.array(rows)


@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("default", [None, 1])
@pytest.mark.parametrize("are_weighted", [False, True])
def test_rows_have_their_ids_vectors_joined(
    combiner: str, default: int | None, are_weighted: bool
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.SparseTensor(PLACES, tf.constant(IDS), [4, 3])
        weights = tf.SparseTensor(PLACES, tf.constant(WEIGHTS), [4, 3])
        found = tf.nn.safe_embedding_lookup_sparse(
            tf.constant(TABLE),
            ids,
            weights if are_weighted else None,
            combiner,
            default,
        )
        assert found.shape.as_list()[1] == 2
        each = WEIGHTS if are_weighted else np.ones(5)
        np.testing.assert_allclose(
            session.run(found), wanted(each, combiner, default), rtol=1e-6
        )


def test_gradients_stay_rows_of_the_table() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable("table", initializer=TABLE, use_resource=True)
        ids = tf.SparseTensor(PLACES, tf.constant(IDS), [4, 3])
        found = tf.nn.safe_embedding_lookup_sparse(table, ids, combiner="sum")
        (slope,) = tf.gradients(found, table)
        assert isinstance(slope, tf.IndexedSlices)
        session.run(table.initializer)
        dense = session.run(tf.convert_to_tensor(slope))
        assert dense.tolist() == [[1, 1], [2, 2], [1, 1]]


def test_ids_of_three_axes_leave_two() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        places = [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
        ids = tf.SparseTensor(places, tf.constant([0, 1, 2], tf.int64), [1, 3, 2])
        found = tf.nn.safe_embedding_lookup_sparse(tf.constant(TABLE), ids)
        assert session.run(found).tolist() == [[[1, 2], [0.5, 6.5], [0, 0]]]
