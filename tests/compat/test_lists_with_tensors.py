"""Lists that have tensors in them stand for tensors in graphs of version 1: values, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)
USES: dict[str, tuple[Any, Any]] = {
    "an order of axes": (lambda x, n: tf.transpose(x, [n, 0]), X.T),
    "axes to reverse": (lambda x, n: tf.reverse(x, [n]), X[:, ::-1]),
    "a sum of products": (
        lambda x, n: tf.tensordot([tf.cast(n, tf.float32), 2.0], x, 1),
        [6.0, 9.0, 12.0],
    ),
    "a sum": (lambda x, n: tf.reduce_sum([n, 4]), 5),
    "a mean": (lambda x, n: tf.reduce_mean([x[0, 0], x[1, 2], 1.0]), 2.0),
    "parts": (lambda x, n: tf.unstack([n, 7])[1], 7),
    "shares": (lambda x, n: tf.nn.softmax([x[0, 0], 0.0]), [0.5, 0.5]),
    "a norm": (lambda x, n: tf.norm([x[0, 2] + 1.0, 4.0]), 5.0),
}


@pytest.mark.parametrize(("use", "wanted"), USES.values(), ids=USES)
def test_a_list_with_tensors_is_packed(use: Any, wanted: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = use(tf.constant(X), tf.constant(1))
        np.testing.assert_allclose(session.run(made), wanted)


def test_gradients_that_are_not_given_are_ones() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        weight = tf.constant([1.0, 0.0])
        (dx,) = tf.gradients([x * 2.0, x * 3.0], x, grad_ys=[weight, None])
        assert session.run(dx).tolist() == [5.0, 3.0]


def test_second_gradients_of_cross_entropy() -> None:
    x = np.array([[0.5, -1.0, 2.0]], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        logits, labels = tf.constant(x), tf.constant([[0.2, 0.3, 0.5]])
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=labels, logits=logits
        )
        (first,) = tf.gradients(loss, logits)
        (second,) = tf.gradients(first[0, 0], logits)
        found = session.run(second)
    p = np.exp(x[0]) / np.exp(x[0]).sum()
    wanted = p[0] * ((np.arange(3) == 0) - p)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-5)


def test_gradients_in_the_body_of_a_loop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])

        def turn(i: Any, y: Any) -> Any:
            return i + 1, tf.gradients(tf.reduce_sum(y * y * y), y)[0]

        _, y = tf.while_loop(lambda i, y: i < 2, turn, [0, x])
        (dx,) = tf.gradients(y, x)
        assert session.run(y).tolist() == [27.0, 432.0]
        assert session.run(dx).tolist() == [108.0, 864.0]


def test_the_sum_of_one_is_that_one() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        assert tf.add_n([x]) is x
        assert session.run(tf.add_n([x, [3.0, 4.0]])).tolist() == [4.0, 6.0]
