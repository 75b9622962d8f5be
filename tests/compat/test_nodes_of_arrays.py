"""Functions of sparse tensors, masks and segments are the nodes that TensorFlow 1.15 makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""

DENSE = np.array([[1, 0, 0], [0, 0, 2], [0, 0, 0]], np.float32)
X = np.arange(9, dtype=np.float32).reshape(3, 3)


def sparse() -> Any:
    return tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [3, 3])


def dense(sp: Any) -> Any:
    return tf.sparse_tensor_to_dense(sp)


SOFT = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0]], np.float32)
CASES: dict[str, tuple[Callable[[Any], Any], str, Any]] = {
    "add": (
        lambda x: dense(tf.sparse_add(sparse(), sparse())),
        "SparseAdd",
        2 * DENSE,
    ),
    "threshold": (
        lambda x: dense(tf.sparse_add(sparse(), sparse(), 3.0)),
        "SparseAdd",
        2 * DENSE * (DENSE > 1),
    ),
    "add_dense": (
        lambda x: tf.sparse_add(sparse(), x),
        "SparseTensorDenseAdd",
        DENSE + X,
    ),
    "concat": (
        lambda x: dense(tf.sparse_concat(0, [sparse(), sparse()])),
        "SparseConcat",
        np.concatenate([DENSE, DENSE]),
    ),
    "split": (
        lambda x: dense(tf.sparse_split(sp_input=sparse(), num_split=2, axis=1)[1]),
        "SparseSplit",
        DENSE[:, 2:],
    ),
    "slice": (
        lambda x: dense(tf.sparse_slice(sparse(), [1, 1], [2, 2])),
        "SparseSlice",
        DENSE[1:, 1:],
    ),
    "reorder": (lambda x: dense(tf.sparse_reorder(sparse())), "SparseReorder", DENSE),
    "softmax": (
        lambda x: dense(tf.sparse_softmax(sparse())),
        "SparseSoftmax/SparseSoftmax",
        SOFT,
    ),
    "reduce_sum": (
        lambda x: tf.sparse_reduce_sum(sparse(), 1),
        "SparseReduceSum",
        DENSE.sum(1),
    ),
    "reduce_max": (
        lambda x: tf.sparse_reduce_max(sparse()),
        "SparseReduceMax",
        2.0,
    ),
    "fill": (
        lambda x: dense(tf.sparse_fill_empty_rows(sparse(), 5.0)[0]),
        "SparseFillEmptyRows/SparseFillEmptyRows",
        DENSE + [[0], [0], [5]] * np.array([1, 0, 0]),
    ),
    "maximum": (
        lambda x: dense(tf.sparse_maximum(sparse(), sparse())),
        "SparseSparseMaximum",
        DENSE,
    ),
    "product": (
        lambda x: tf.sparse_tensor_dense_matmul(sparse(), x, adjoint_a=True),
        "SparseTensorDenseMatMul/SparseTensorDenseMatMul",
        DENSE.T @ X,
    ),
    "times": (lambda x: dense(sparse() * (x + 1)), "mul", DENSE * (X + 1)),
    "divided": (lambda x: dense(sparse() / (x + 1)), "truediv", DENSE / (X + 1)),
    "segment_sum": (
        lambda x: tf.sparse_segment_sum(x, [0, 2], [0, 0]),
        "SparseSegmentSum",
        X[:1] + X[2:],
    ),
    "mask": (
        lambda x: tf.boolean_mask(x, [True, False, True]),
        "boolean_mask/GatherV2",
        X[[0, 2]],
    ),
    "mask_of_axis": (
        lambda x: tf.boolean_mask(x, [True, False, True], axis=1),
        "boolean_mask/GatherV2",
        X[:, [0, 2]],
    ),
    "lengths": (
        lambda x: tf.sequence_mask([1, 3], dtype=tf.float32),
        "SequenceMask/Cast_1",
        np.array([[1, 0, 0], [1, 1, 1]], np.float32),
    ),
    "mean": (
        lambda x: tf.unsorted_segment_mean(x, [1, 1, 0], 3),
        "UnsortedSegmentMean/truediv",
        np.stack([X[2], (X[0] + X[1]) / 2, np.zeros(3)]),
    ),
    "root": (
        lambda x: tf.unsorted_segment_sqrt_n(x, [1, 1, 0], 3),
        "UnsortedSegmentSqrtN/truediv",
        np.stack([X[2], (X[0] + X[1]) / np.sqrt(2), np.zeros(3)]),
    ),
    "histogram": (
        lambda x: tf.histogram_fixed_width(x, [0.0, 8.0], 4),
        "histogram_fixed_width",
        [2, 2, 2, 3],
    ),
    "length": (
        lambda x: tf.math.reduce_euclidean_norm(x, 1),
        "EuclideanNorm",
        np.sqrt((X * X).sum(1)),
    ),
    "logsumexp": (
        lambda x: tf.reduce_logsumexp(x, 1),
        "ReduceLogSumExp/Add",
        np.log(np.exp(X).sum(1)),
    ),
    "eye": (
        lambda x: tf.eye(tf.shape(x)[0], batch_shape=[2]),
        "eye/diag",
        np.stack([np.eye(3)] * 2),
    ),
}


@pytest.mark.parametrize(("function", "name", "expected"), CASES.values(), ids=CASES)
def test_nodes_and_numbers(
    function: Callable[[Any], Any], name: str, expected: Any
) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [3, 3], name="x")
        y = function(x)
        assert name in {node.name for node in graph.as_graph_def().node}
        np.testing.assert_allclose(session.run(y, {x: X}), expected, rtol=1e-6)
        written = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default(), tf.Session() as session:
        definition = tf.GraphDef.FromString(written)
        (again,) = tf.import_graph_def(definition, return_elements=[y.name], name="")
        np.testing.assert_allclose(
            session.run(again, {"x:0": X}), expected, rtol=1e-6
        )


@pytest.mark.parametrize("adjoint", [False, True])
def test_products_with_sparse_matrices_have_gradients_of_both(adjoint: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        values, x = tf.constant([1.0, 2.0]), tf.constant(X)
        sp = tf.SparseTensor([[0, 0], [1, 2]], values, [3, 3])
        y = tf.sparse_tensor_dense_matmul(sp, x, adjoint_a=adjoint)
        flows = tf.gradients(tf.reduce_sum(tf.square(y)), [values, x])
        of_values, of_x = session.run(flows)
    turned = DENSE.T if adjoint else DENSE
    dy = 2 * turned @ X
    whole = X @ dy.T if adjoint else dy @ X.T
    np.testing.assert_allclose(of_values, [whole[0, 0], whole[1, 2]])
    np.testing.assert_allclose(of_x, turned.T @ dy)


def test_gradients_come_to_where_nothing_lets_them_through() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.reduce_sum((tf.square(x) - tf.stop_gradient(tf.exp(x))) ** 2.0)
        (slope,) = tf.gradients(y, x)
        assert "gradients/sub_grad/Neg" in {op.name for op in graph.get_operations()}
        found = session.run(slope, {x: [1.0, 0.0]})
    np.testing.assert_allclose(found, [4 * (1 - np.e), 0], rtol=1e-6)
