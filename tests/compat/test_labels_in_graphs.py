"""Labels of sequences in graphs: values as TensorFlow 1.15 gives them."""

from __future__ import annotations

import numpy as np

import tensorlite.compat.v1 as tf


def test_runs_of_labels_are_collapsed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows, lengths = tf.nn.collapse_repeated(
            [[1, 1, 2, 2, 1], [3, 3, 3, 4, 4]], [5, 4]
        )
        assert rows.op.name == "collapse_repeated_labels/Reshape_3"
        assert session.run(rows).tolist() == [[1, 2, 1], [3, 4, 0]]
        assert session.run(lengths).tolist() == [3, 2]


def test_labels_are_listed_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        once, places = session.run(tf.nn.ctc_unique_labels([[5, 5, 7, 0]]))
        assert (once.tolist(), places.tolist()) == ([[5, 7, 0, 0]], [[0, 0, 1, 2]])


def test_dense_labels_cost_what_sparse_ones_do() -> None:
    drawn = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.constant(drawn)
        lengths = [2, 3], [5, 5]
        loss = tf.nn.ctc_loss_v2([[1, 2, 0], [3, 3, 1]], logits, *lengths)
        assert loss.op.name == "ctc_loss_dense/IdentityN"
        places = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
        sparse = tf.SparseTensor(places, tf.constant([1, 2, 3, 3, 1]), [2, 3])
        same = tf.nn.ctc_loss_v2(sparse, logits, *lengths, blank_index=0)
        found = session.run([loss, same, *tf.gradients(loss, logits)])
    np.testing.assert_allclose(found[0], [3.8039, 6.4191], atol=1e-4)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    np.testing.assert_allclose(
        found[2][0][0], [-0.3904, -0.2317, 0.1372, 0.4849], atol=1e-4
    )
