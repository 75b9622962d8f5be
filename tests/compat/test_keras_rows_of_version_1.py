"""Gradients by rows under tf.keras of TensorFlow 1, which adds up what a row is named for.

Expected numbers are TensorFlow 1.15's; tf_keras 2.21 gives the same for its legacy optimizers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1, v2
from tensorlite.graph_mode.graph import mode

tf: Any = v1
STEPS = [([0, 1, 0], 1), ([2, 0, 2], 2), ([1, 1, 1], 3)]
VALUES = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]], np.float32)
BEGUN = np.linspace(-1, 1, 8).reshape(4, 2).astype(np.float32)
AFTER = {
    "SGD": [-1.012, -0.71429, -0.45857, -0.15086, 0.13086, 0.41257],
    "Adam": [-1.00277, -0.71519, -0.43093, -0.14163, 0.14154, 0.42725],
    "Adagrad": [-1.00155, -0.71453, -0.43025, -0.14299, 0.14189, 0.42759],
    "RMSprop": [-1.00546, -0.71515, -0.43488, -0.14272, 0.13969, 0.42541],
}


@pytest.mark.parametrize("name", AFTER)
def test_steps_in_graphs_change_the_rows(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(BEGUN, use_resource=True)
        rows, values = (
            tf.placeholder(tf.int32, [3]),
            tf.placeholder(tf.float32, [3, 2]),
        )
        slices = tf.IndexedSlices(values, rows, tf.constant([4, 2]))
        step = getattr(tf.keras.optimizers, name)().apply_gradients([(slices, v)])
        session.run(tf.global_variables_initializer())
        for places, by in STEPS:
            session.run(step, {rows: places, values: VALUES * by})
        found = session.run(v)
    expected = [*AFTER[name], 0.71429, 1.0]
    np.testing.assert_allclose(found.ravel(), expected, atol=1.1e-5)


@pytest.mark.parametrize("name", AFTER)
def test_optimizers_called_legacy_add_rows_up(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mode, "eager", True)
    v = v2.Variable(BEGUN)
    optimizer: Any = getattr(v2.keras.optimizers.legacy, name)()
    for places, by in STEPS:
        slices = tl.IndexedSlices(tl.asarray(VALUES * by), tl.asarray(places), (4, 2))
        optimizer.apply_gradients([(slices, v)])
    expected = [*AFTER[name], 0.71429, 1.0]
    np.testing.assert_allclose(v.numpy().ravel(), expected, atol=1.1e-5)


def test_steps_of_a_function_run_in_graphs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], use_resource=True)
        step = tf.keras.optimizers.SGD(0.1).minimize(
            lambda: tf.reduce_sum(v * v), [v]
        )
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(v), [0.8, 1.6], rtol=1e-6)
