"""Keras' recurrent layers and attention in graphs of version 1: values are TensorFlow 1.15's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
layers: Any = tf.keras.layers
ROWS = np.sin(np.arange(30)).reshape(2, 5, 3).astype(np.float32)
MARKS = [[True, True, False, True, False], [True, False, False, False, True]]


def rows() -> Any:
    return tf.constant(ROWS)


def total(made: Any) -> Any:
    return tf.stack([tf.reduce_sum(x) for x in tf.nest.flatten(made)])


class Halving(layers.Layer):  # type: ignore[misc]
    """A program's own cell, whose state is halved."""

    state_size = 2

    def build(self, shape: Any) -> None:
        self.kernel = self.add_weight("kernel", (3, 2))
        self.built = True

    def call(self, inputs: Any, states: Any) -> Any:
        made = tf.matmul(inputs, self.kernel) + states[0] * 0.5
        return made, [made]


drops = {"dropout": 0.3, "recurrent_dropout": 0.4}
PROGRAMS: dict[str, Callable[[], Any]] = {
    "drops": lambda: layers.LSTM(3, **drops)(rows(), training=True),
    "drops gates": lambda: layers.GRU(3, **drops)(rows(), training=True),
    "drops unrolled": lambda: layers.SimpleRNN(3, unroll=True, **drops)(
        rows(), training=True
    ),
    "drops at once": lambda: layers.LSTM(3, implementation=2, **drops)(
        rows(), training=True
    ),
    "gates at once": lambda: layers.GRU(3, implementation=2, **drops)(
        rows(), training=True
    ),
    "reset after": lambda: layers.GRU(3, reset_after=True)(rows()),
    "reset after at once": lambda: layers.GRU(3, reset_after=True, implementation=2)(
        rows()
    ),
    "masked": lambda: layers.LSTM(3, return_sequences=True, return_state=True)(
        rows(), mask=tf.constant(MARKS)
    ),
    "masked back": lambda: layers.GRU(3, go_backwards=True, unroll=True)(
        rows(), mask=tf.constant(MARKS)
    ),
    "time first": lambda: layers.LSTM(3, time_major=True)(rows()),
    "stacked": lambda: layers.RNN([layers.LSTMCell(2), layers.GRUCell(3)])(rows()),
    "of nn": lambda: layers.RNN(tf.nn.rnn_cell.LSTMCell(2), return_state=True)(
        rows()
    ),
    "own": lambda: layers.RNN(Halving())(rows()),
    "peepholes": lambda: layers.RNN(
        tf.keras.experimental.PeepholeLSTMCell(2, implementation=2)
    )(rows()),
    "attending": lambda: layers.Attention(causal=True)([rows(), rows() * 2]),
    "attending by sums": lambda: layers.AdditiveAttention()(
        [rows(), rows() * 2], mask=[tf.constant(MARKS)] * 2
    ),
}
WANTED = {
    "drops": [-0.026921],
    "drops gates": [0.031995],
    "drops unrolled": [-1.120412],
    "drops at once": [-0.052674],
    "gates at once": [0.470810],
    "reset after": [-0.219222],
    "reset after at once": [-0.219222],
    "masked": [-0.309340, -0.101315, 0.004983],
    "masked back": [-0.206223],
    "time first": [-0.116235],
    "stacked": [0.270154],
    "of nn": [-0.500858, -1.504378, -0.500858],
    "own": [-0.029609],
    "peepholes": [0.120213],
    "attending": [2.314818],
    "attending by sums": [-4.311944],
}
STATES = [2.871130, 2.871130, 2.776461]


def computed(make: Callable[[], Any]) -> Any:
    """Return sums of what a program makes whose weights are a wave, drawn from fixed seeds."""
    with tf.Graph().as_default():
        np.random.seed(1)  # noqa: NPY002  Keras draws seeds there
        tf.set_random_seed(3)
        made = total(make())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for i, variable in enumerate(tf.global_variables()):
                sizes = variable.shape.as_list()
                wave = np.cos(np.arange(np.prod(sizes)) * 1.3 + i) * 0.5
                variable.load(wave.reshape(sizes).astype(np.float32), session)
            return session.run(made)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str) -> None:
    made = computed(PROGRAMS[name])
    np.testing.assert_allclose(made, WANTED[name], rtol=2e-5, atol=1e-6)


def test_states_go_on_where_updates_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
        layer = layers.LSTM(3, stateful=True, **ones)
        made = tf.reduce_sum(layer(rows()))
        session.run(tf.global_variables_initializer())
        found = [session.run(made), session.run([made, *layer.updates])[0]]
        np.testing.assert_allclose([*found, session.run(made)], STATES, rtol=1e-5)


def test_variables_of_layers_that_keras_holds_are_resources() -> None:
    with tf.Graph().as_default() as graph:
        layers.RNN(tf.nn.rnn_cell.GRUCell(2))(rows())
        kinds = {x.type for x in graph.get_operations()}
    assert "VarHandleOp" in kinds
    assert "VariableV2" not in kinds
