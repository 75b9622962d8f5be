"""The programs that lectures begin with, as they stand there: only the import line differs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def test_linear_regression_with_placeholders() -> None:
    """Gradient descent finds the line that the points lie on."""
    rng = np.random.RandomState(0)
    train_x = np.linspace(-1, 1, 101)
    train_y = 2 * train_x + rng.randn(*train_x.shape) * 0.33
    X = tf.placeholder("float")
    Y = tf.placeholder("float")
    w = tf.Variable(0.0, name="weights")
    cost = tf.square(Y - tf.multiply(X, w))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for _ in range(100):
            for x, y in zip(train_x, train_y, strict=True):
                sess.run(train_op, feed_dict={X: x, Y: y})
        assert sess.run(w) == pytest.approx(2.0, abs=0.2)


def test_relu_layer_of_random_weights() -> None:
    """The first program of the white paper: one layer, by variables and a placeholder."""
    b = tf.Variable(tf.zeros([100]))
    W = tf.Variable(tf.random_uniform([784, 100], -1, 1))
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    relu = tf.nn.relu(tf.matmul(x, W) + b)
    C = tf.reduce_sum(relu)
    s = tf.Session()
    s.run(tf.initialize_all_variables())
    given = np.random.RandomState(1).rand(10, 784)
    result = s.run([C, relu, W], feed_dict={x: given})
    expected = np.maximum(given.astype("f") @ result[2], 0)
    np.testing.assert_allclose(result[1], expected, rtol=1e-4, atol=1e-3)
    assert result[0] == pytest.approx(expected.sum(), rel=1e-4)


def _data() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.RandomState(2)
    x = rng.randn(50, 4)
    return x, x @ np.array([[1.0], [2.0], [-1.0], [0.5]]) + 0.01 * rng.randn(50, 1)


def test_ridge_regression_by_gradients() -> None:
    """`tf.gradients` and plain assignments descend to the closed form's weights."""
    x, y = _data()
    penalty, rate = 0.1, 0.1
    X = tf.constant(x, dtype=tf.float64)
    Y = tf.constant(y, dtype=tf.float64)
    beta = tf.Variable(tf.zeros([4, 1], dtype=tf.float64), name="beta")
    loss = tf.reduce_mean(tf.square(Y - tf.matmul(X, beta)))
    loss += penalty * tf.nn.l2_loss(beta)
    (slope,) = tf.gradients(loss, [beta])
    step = tf.assign(beta, beta - rate * slope)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(500):
            sess.run(step)
        found = sess.run(beta)
    whole = x.T @ x * 2 / 50 + penalty * np.eye(4)
    np.testing.assert_allclose(found, np.linalg.solve(whole, x.T @ y * 2 / 50), 1e-6)


def test_variables_and_predictions_on_devices() -> None:
    """What is asked for with `tf.device` is kept, and runs elsewhere where it is not there."""
    x, y = _data()
    with tf.device("/cpu:0"):
        beta = tf.Variable(np.ones((4, 1)), dtype=tf.float32, name="beta")
    with tf.device("/gpu:0"):
        y_pred = tf.matmul(tf.constant(x, dtype=tf.float32), beta, name="y_pred")
        error = tf.reduce_mean(tf.square(y_pred - y.astype("f")))
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    with tf.Session(config=config) as sess:
        sess.run(beta.initializer)
        assert sess.run(error) == pytest.approx(
            np.mean((x.sum(1) - y[:, 0]) ** 2), 1e-4
        )
    assert "GPU:0" in y_pred.device
    assert "CPU:0" in beta.device
    strict = tf.Session(config=tf.ConfigProto(allow_soft_placement=False))
    with pytest.raises(tf.errors.InvalidArgumentError):
        strict.run(y_pred)


def test_names_that_are_not_there_are_told_with_near_ones() -> None:
    with pytest.raises(AttributeError, match="reduce_sum"):
        tf.reduce_summ  # noqa: B018


def test_logistic_regression_is_saved_and_found_again(tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    with tf.name_scope("model"):
        logits = tf.layers.dense(x, 1, name="scores")
    saver = tf.train.Saver()
    given = [[1.0, 2.0]]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(logits, {x: given})
        path = saver.save(sess, str(tmp_path / "model.ckpt"))
        assert path is not None
    with tf.Session() as sess:
        saver.restore(sess, path)
        assert sess.run(logits, {x: given}) == pytest.approx(first)
    assert [v.name for v in tf.global_variables()] == [
        "scores/kernel:0",
        "scores/bias:0",
    ]
