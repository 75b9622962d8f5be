"""Gradients of rows through branches stay rows, which optimizers of TensorFlow 1 apply as such.

The expected numbers were computed by TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat import v1

tf: Any = v1
TABLE = np.arange(15, dtype=np.float32).reshape(5, 3)


def told(found: Any, pred: Any, *chosen: bool) -> list[Any]:
    """Return what a session gives for values of the predicate."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(found, {pred: p}) for p in chosen]


def test_rows_of_one_branch_are_all_rows_of_the_other() -> None:
    with tf.Graph().as_default():
        table, pred = tf.Variable(TABLE), tf.placeholder(tf.bool, [])
        y = tf.cond(
            pred, lambda: tf.gather(table, [1, 1, 3]), lambda: tf.ones([1, 3])
        )
        (rows,) = tf.gradients(y, table)
        taken, other = told(rows, pred, True, False)
    assert isinstance(rows, tf.IndexedSlices)
    assert [taken.indices.tolist(), other.indices.tolist()] == [
        [1, 1, 3],
        [0, 1, 2, 3, 4],
    ]
    np.testing.assert_array_equal(taken.values, np.ones([3, 3]))
    np.testing.assert_array_equal(other.values, np.zeros([5, 3]))
    assert taken.dense_shape.tolist() == [5, 3]


def test_rows_flow_into_a_branch_from_behind_it() -> None:
    with tf.Graph().as_default():
        table, pred = tf.Variable(TABLE), tf.placeholder(tf.bool, [])
        chosen = tf.cond(pred, lambda: table, lambda: table * 2.0)
        first = tf.Variable(TABLE)
        both = tf.cond(pred, lambda: table, lambda: first)
        (whole,) = tf.gradients(tf.gather(chosen, [0, 0, 4]), table)
        rows = tf.gradients(tf.gather(both, [0, 0, 4]), [table, first])
        sums, (taken, other) = (
            told(whole, pred, True, False),
            told(rows, pred, True)[0],
        )
    one = np.zeros([5, 3])
    one[0], one[4] = 2.0, 1.0
    np.testing.assert_array_equal(sums, [one, 2.0 * one])
    assert taken.indices.tolist() == [0, 0, 4]
    assert other.indices.tolist() == [0, 1, 2, 3, 4]
    assert not other.values.any()


def test_momentum_moves_only_rows_that_a_branch_has_read() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table, pred = (
            tf.Variable(np.ones([3, 1], np.float32)),
            tf.placeholder(tf.bool),
        )
        loss = tf.cond(
            pred, lambda: tf.reduce_sum(tf.gather(table, [0, 1]) ** 2), lambda: 0.0
        )
        step = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss)
        session.run(tf.global_variables_initializer())
        found = []
        for p in (True, False, True):
            session.run(step, {pred: p})
            found.append(session.run(table)[:, 0])
    np.testing.assert_allclose(
        found, [[0.8, 0.8, 1.0], [0.7, 0.7, 1.0], [0.51, 0.51, 1.0]], rtol=1e-5
    )


def test_indices_of_two_dtypes_meet_in_the_wider_one() -> None:
    with tf.Graph().as_default():
        table, pred = tf.Variable(TABLE), tf.placeholder(tf.bool, [])
        wide = tf.constant([0, 2], tf.int64)
        y = tf.cond(
            pred, lambda: tf.gather(table, [1, 1]), lambda: tf.gather(table, wide)
        )
        (rows,) = tf.gradients(y, table)
        whole = told(tf.convert_to_tensor(rows), pred, True, False)
    assert rows.indices.dtype == tf.int64
    assert [x[:, 0].tolist() for x in whole] == [[0, 2, 0, 0, 0], [1, 0, 1, 0, 0]]
