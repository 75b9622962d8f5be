"""Recurrent networks of all cells: their variables' names, outputs, states and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def evenly(
    shape: Sequence[int], dtype: Any = None, partition_info: Any = None
) -> Any:
    """Return numbers from -0.5 to 0.5."""
    return np.linspace(-0.5, 0.5, int(np.prod(shape))).reshape(shape).astype("f")


def program(tf: Any) -> dict[str, Any]:
    """Return names, and the values of everything."""
    with tf.Graph().as_default():
        return _program(tf, tf.nn.rnn_cell)


def _program(tf: Any, cells: Any) -> dict[str, Any]:
    x = tf.placeholder(tf.float32, [None, None, 3])
    fixed = tf.placeholder(tf.float32, [2, 4, 3])
    lengths = [3, 4]
    with tf.variable_scope("plain", initializer=evenly):
        plain = tf.nn.dynamic_rnn(cells.BasicLSTMCell(4), x, dtype=tf.float32)
    with tf.variable_scope("several", initializer=evenly):
        inner = cells.DropoutWrapper(cells.GRUCell(4), output_keep_prob=1.0)
        cell = cells.MultiRNNCell(
            [inner, cells.ResidualWrapper(cells.BasicRNNCell(4))]
        )
        several = tf.nn.dynamic_rnn(
            cell, x, sequence_length=lengths, dtype=tf.float32
        )
    with tf.variable_scope("both", initializer=evenly):
        pair = (cells.GRUCell(2), cells.LSTMCell(2, use_peepholes=True, num_proj=3))
        both = tf.nn.bidirectional_dynamic_rnn(
            *pair, x, sequence_length=lengths, dtype=tf.float32
        )
    with tf.variable_scope("written_out", initializer=evenly):
        parts = tf.unstack(fixed, axis=1)
        written = tf.nn.static_rnn(
            cells.BasicLSTMCell(3), parts, dtype=tf.float32, sequence_length=lengths
        )
    with tf.variable_scope("raw", initializer=evenly):
        raw = _raw(tf, cells.LSTMCell(3), fixed, lengths)
    ends = [plain[0], several[0], both[0][0], both[0][1], written[0][-1], raw[0]]
    losses = [tf.reduce_sum(y**2) for y in ends]
    gradients = tf.gradients(losses, tf.trainable_variables())
    inputs = np.sin(np.arange(24)).reshape(2, 4, 3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = [plain, several, both, written, raw, gradients]
        found = session.run(wanted, {x: inputs, fixed: inputs})
    return {
        "names": [[v.name, v.get_shape().as_list()] for v in tf.global_variables()],
        "shapes": [y.get_shape().as_list() for y in ends],
        "values": found,
    }


def _raw(tf: Any, cell: Any, inputs: Any, lengths: list[int]) -> Any:
    """Return outputs and state of a loop that the program ends by itself."""
    array = tf.TensorArray(tf.float32, 4).unstack(tf.transpose(inputs, [1, 0, 2]))

    def step(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        following = cell.zero_state(2, tf.float32) if output is None else state
        finished = time >= lengths
        done = tf.reduce_all(finished)
        given = tf.cond(done, lambda: tf.zeros([2, 3]), lambda: array.read(time))
        return finished, given, following, output, None

    outputs, state, _ = tf.nn.raw_rnn(cell, step)
    return outputs.stack(), state
