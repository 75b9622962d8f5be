"""Cells that tf.contrib.rnn had beside others: outputs, states, names of variables."""

from __future__ import annotations

from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return what each gives of two steps, and what its variables are called."""
    rnn = tf.contrib.rnn
    made: dict[str, Any] = {
        "lstm": lambda: rnn.LSTMBlockCell(3, cell_clip=0.2, use_peephole=True),
        "lstm_plain": lambda: rnn.LSTMBlockCell(3, forget_bias=0.5),
        "gru": lambda: rnn.GRUBlockCell(3),
        "gru_2": lambda: rnn.GRUBlockCellV2(3),
        "normed": lambda: rnn.LayerNormBasicLSTMCell(
            3, norm_gain=0.7, norm_shift=0.1
        ),
        "not_normed": lambda: rnn.LayerNormBasicLSTMCell(3, layer_norm=False),
        "one_gate": lambda: rnn.UGRNNCell(3),
        "searched": lambda: rnn.NASCell(3, 2, use_bias=True),
    }
    found = {name: ran(tf, make()) for name, make in made.items()}
    return {**found, "stacked": stacked(tf)}


def counted(tf: Any, session: Any) -> list[Any]:
    """Give all variables values that are counted, and return their names and shapes."""
    given = []
    for v in tf.global_variables():
        sizes = v.shape.as_list()
        values = np.cos(np.arange(np.prod(sizes))).reshape(sizes) * 0.4
        given.append(v.assign(values.astype(np.float32)))
    session.run(given)
    return [[v.name, v.shape.as_list()] for v in tf.global_variables()]


def ran(tf: Any, cell: Any) -> list[Any]:
    """Return outputs and the last state of a cell."""
    x = (np.arange(12).reshape(2, 3, 2) * 0.1).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32)
        names = counted(tf, session)
        found, last = session.run([outputs, state])
        return [found.tolist(), [np.asarray(s).tolist() for s in last], names]


def stacked(tf: Any) -> list[Any]:
    """Return what two layers in both ways give."""
    x = (np.arange(12).reshape(2, 3, 2) * 0.1).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cells = [[tf.contrib.rnn.GRUCell(2) for _ in range(2)] for _ in range(2)]
        made = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            *cells, tf.constant(x), dtype=tf.float32, sequence_length=[3, 2]
        )
        names = counted(tf, session)
        outputs, forward, backward = session.run(list(made))
        turned = tf.contrib.rnn.transpose_batch_time(tf.constant(x))
        return [
            outputs.tolist(),
            [x.tolist() for x in (*forward, *backward)],
            turned.shape.as_list(),
            names,
        ]
