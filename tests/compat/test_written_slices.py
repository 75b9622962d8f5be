"""Sparse gradients that flow into what was gathered of: values, and TensorFlow 1's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5], [1.0, 2.0, -3.0]], np.float32)
Y = np.array([[1.0, 2.0, 0.5], [-1.0, 4.0, 1.0], [2.0, 1.0, 1.0]], np.float32)
ROWS = [0, 1, 1]
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "mul_grad/Mul/x": lambda x, y: x * y,
    "add_grad/Sum/input": lambda x, y: x + y,
    "sub_grad/Sum_1/input": lambda x, y: x - y,
    "truediv_grad/RealDiv/x": lambda x, y: x / y,
    "MatMul_grad/MatMul_1/b": tf.matmul,
    "BiasAdd_grad/BiasAddGrad/out_backprop": lambda x, y: tf.nn.bias_add(x, y[0]),
    "Relu_grad/ReluGrad/gradients": lambda x, y: tf.nn.relu(x),
    "Tanh_grad/TanhGrad/dy": lambda x, y: tf.tanh(x),
    "Softmax_grad/sub/x": lambda x, y: tf.nn.softmax(x),
    "Reshape_grad/Reshape/tensor": lambda x, y: tf.reshape(x, [9]),
    "strided_slice_grad/StridedSliceGrad/dy": lambda x, y: x[:2],
    "transpose_grad/transpose/x": lambda x, y: tf.transpose(x),
    "Neg_grad/Neg": lambda x, y: -x,
    "stack_grad/unstack/value": lambda x, y: tf.stack([x, y]),
    "Select_grad/Select_1/e": lambda x, y: tf.where(x > y, x, y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_takes_sparse_gradients_has_them_dense_for_itself(name: str) -> None:
    function = FUNCTIONS[name]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, y = [tf.placeholder(tf.float32, [3, 3]) for _ in range(2)]
        whole = function(x, y)
        found = tf.gradients(tf.square(tf.gather(whole, ROWS)), [x, y])
        nodes = [node.name for node in graph.as_graph_def().node]
        # The same by rows that are taken one by one, of which no gradient is sparse.
        apart = tf.stack([whole[i] for i in ROWS])
        wanted = tf.gradients(tf.square(apart), [x, y])
        for dx, want in zip(found, wanted, strict=True):
            if dx is None:
                assert want is None
                continue
            got, apart_of = session.run(
                [tf.convert_to_tensor(dx), want], {x: X, y: Y}
            )
            np.testing.assert_allclose(got, apart_of, rtol=1e-5)
    assert f"gradients/{name}" in nodes
    assert not [node for node in nodes if "flow" in node]


def test_gradients_of_ones_own_are_given_dense_ones() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(X)
        doubled = tf.custom_gradient(lambda v: (2.0 * v, lambda dy: dy * 3.0))(x)
        found = tf.gradients(tf.gather(doubled, ROWS), x)[0]
        dense = session.run(tf.convert_to_tensor(found))
    np.testing.assert_array_equal(dense, [[3.0] * 3, [6.0] * 3, [0.0] * 3])
