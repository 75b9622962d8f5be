"""What version 1 writes as TensorFlow 1.15 does has its values, too."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


def test_no_gradients_flow_through_loops_without_back_prop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        options = {"back_prop": False}
        doubled = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x], **options
        )[1]
        made = [
            doubled,
            tf.map_fn(tf.square, x, **options),
            tf.foldl(tf.multiply, x, **options),
            tf.scan(tf.multiply, x, **options),
        ]
        assert [tf.gradients(y, x) for y in made] == [[None]] * 4
        assert doubled.op.type == "Exit"
        (slope,) = tf.gradients(doubled * x, x)
        np.testing.assert_allclose(session.run(slope, {x: [1.0, 2.0]}), [8.0, 16.0])


def test_no_gradients_flow_through_eager_loops_without_back_prop() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        _, y = tl.while_loop(
            lambda i, _: i < 3, lambda i, y: (i + 1, y * 2), (0, x), back_prop=False
        )
        z = y * x
    np.testing.assert_allclose(tape.gradient(z, x), [8.0, 16.0])
