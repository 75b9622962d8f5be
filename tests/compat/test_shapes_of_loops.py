"""Loop variables keep their shapes in graphs, and predicates of tf.cond are tensors of bools.

What raises, and what is computed, is TensorFlow 1.15's and 2.21's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1 as tf, v2


def _doubled(tensorflow: Any, start: Any, **options: Any) -> Any:
    return tensorflow.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, tensorflow.concat([x, x], 0)),
        [0, start],
        **options,
    )


def test_a_shape_that_changes_is_told_by_a_shape_invariant() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match=r"has shape \(4,\) .*shape invariant"):
            _doubled(tf, tf.zeros([2]))
        open_sizes = [tf.TensorShape([]), tf.TensorShape([None])]
        _, found = _doubled(tf, tf.zeros([2]), shape_invariants=open_sizes)
        assert session.run(found).shape == (16,)
        rows = tf.placeholder(tf.float32, [None, 3])
        with pytest.raises(ValueError, match="shape invariant"):
            tf.while_loop(
                lambda i, x: i < 3, lambda i, x: (i + 1, rows), [0, tf.zeros([2, 3])]
            )


def test_slices_of_a_loop_keep_their_shapes_and_sparse_tensors_do_not() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        slices = tf.IndexedSlices(
            tf.zeros([2, 2]), tf.constant([0, 1]), tf.constant([4, 2])
        )

        def grown(i: Any, x: Any) -> Any:
            values, indices = (tf.concat([y, y], 0) for y in (x.values, x.indices))
            return i + 1, tf.IndexedSlices(values, indices, x.dense_shape)

        with pytest.raises(ValueError, match="shape invariant"):
            tf.while_loop(lambda i, x: i < 3, grown, [0, slices])
        sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
        _, found = tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, tf.sparse.concat(0, [x, x])),
            [0, sparse],
        )
        assert session.run(found).dense_shape.tolist() == [16, 2]


def test_functions_keep_the_shapes_of_loops() -> None:
    with pytest.raises(ValueError, match="shape invariant"):
        v2.function(lambda: _doubled(v2, v2.zeros([2])))()


@pytest.mark.parametrize(
    ("pred", "kind"),
    [(True, TypeError), (1, TypeError), ([True], ValueError), (None, ValueError)],
)
def test_predicates_of_graphs_are_tensors_of_one_bool(pred: Any, kind: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(kind):
        tf.cond(pred, lambda: 1.0, lambda: 2.0)


def test_numpy_bools_choose_as_the_graph_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        chosen = tf.cond(np.bool_(True), lambda: 1.0, lambda: 2.0)
        assert chosen.name == "cond/Merge:0"
        assert session.run(chosen) == 1
    with pytest.raises(TypeError, match="must not be a Python bool"):
        v2.function(lambda: v2.cond(True, lambda: 1.0, lambda: 2.0))()


def test_indices_of_slices_are_int64_if_those_of_one_branch_are() -> None:
    with tf.Graph().as_default(), tf.Session() as session:

        def branch(dtype: Any, times: float) -> Any:
            rows = tf.constant([0, 1], dtype)
            return lambda: tf.IndexedSlices(times * tf.ones([2, 2]), rows)

        pred = tf.placeholder_with_default(False, [])
        for kinds in [(tf.int32, tf.int64), (tf.int64, tf.int32)]:
            found = tf.cond(pred, branch(kinds[0], 1.0), branch(kinds[1], 2.0))
            assert found.indices.dtype == tf.int64
            assert session.run(found).values.tolist() == [[2, 2], [2, 2]]
