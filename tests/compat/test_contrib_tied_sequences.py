"""Sequence models of tf.contrib.legacy_seq2seq that share weights, or one encoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
sequences, cells = tf.contrib.legacy_seq2seq, tf.nn.rnn_cell


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def symbols(count: int) -> list[Any]:
    return [tf.constant(i, tf.int32, shape=[2]) for i in range(count)]


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i, v in enumerate(tf.trainable_variables()):
            draws = np.random.RandomState(i).uniform(-1, 1, v.shape.as_list())
            v.load(draws, session)
        return session.run(fetches, feeds)


def names() -> list[str]:
    return [v.op.name for v in tf.trainable_variables()]


def tied(feed_previous: Any) -> Any:
    return sequences.embedding_tied_rnn_seq2seq(
        symbols(2),
        symbols(3),
        cells.BasicLSTMCell(2),
        5,
        3,
        feed_previous=feed_previous,
    )


def test_encoder_and_decoder_share_their_weights() -> None:
    outputs, state = tied(False)
    outer = "embedding_tied_rnn_seq2seq/combined_tied_rnn_seq2seq/tied_rnn_seq2seq"
    inner = f"{outer}/output_projection_wrapper"
    assert names() == [
        "embedding_tied_rnn_seq2seq/embedding",
        f"{inner}/basic_lstm_cell/kernel",
        f"{inner}/basic_lstm_cell/bias",
        f"{inner}/kernel",
        f"{inner}/bias",
    ]
    found, last = run([outputs, state])
    assert [x.shape for x in found] == [(2, 5)] * 3
    # Recorded from TensorFlow 1.15, with these weights.
    np.testing.assert_allclose(
        found[0][0], [0.8768, 0.1252, 1.0033, 0.4882, 0.3675], atol=1e-4
    )
    np.testing.assert_allclose(last.h[0], [-0.06, -0.1501], atol=1e-4)


def test_own_outputs_are_fed_as_is_told_when_it_runs() -> None:
    flag = tf.placeholder(tf.bool, [])
    with tf.variable_scope("a"):
        later, state = tied(flag)
    now = {}
    for own in (True, False):
        with tf.variable_scope("a", reuse=True):
            now[own], _ = tied(own)
    assert type(state).__name__ == "LSTMStateTuple"
    for own in (True, False):
        found = run([later, now[own]], {flag: own})
        np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_a_projection_may_be_given() -> None:
    projection = [tf.get_variable("w", [2, 5]), tf.get_variable("b", [5])]
    outputs, _ = sequences.embedding_tied_rnn_seq2seq(
        symbols(2),
        symbols(3),
        cells.GRUCell(2),
        5,
        3,
        output_projection=projection,
        feed_previous=True,
    )
    assert [x.get_shape().as_list() for x in outputs] == [[2, 2]] * 3
    with pytest.raises(InvalidArgumentError):
        sequences.embedding_tied_rnn_seq2seq(
            symbols(2),
            symbols(3),
            cells.GRUCell(2),
            6,
            3,
            output_projection=projection,
        )


def test_one_encoder_begins_many_decoders() -> None:
    inputs = {"a": symbols(3), "b": symbols(2)}
    decoders = {name: cells.BasicLSTMCell(2) for name in inputs}
    outputs, states = sequences.one2many_rnn_seq2seq(
        symbols(2), inputs, cells.BasicLSTMCell(2), decoders, 2, {"a": 5, "b": 6}, 3
    )
    assert [x.get_shape().as_list() for x in outputs["a"]] == [[2, 5]] * 3
    assert [x.get_shape().as_list() for x in outputs["b"]] == [[2, 6]] * 2
    assert set(states) == {"a", "b"}
    inner = "one2many_rnn_seq2seq/one2many_decoder_b/embedding_rnn_decoder"
    assert f"{inner}/embedding" in names()
    with pytest.raises(InvalidArgumentError, match="keys"):
        sequences.one2many_rnn_seq2seq(
            symbols(2), {"a": symbols(1)}, decoders["a"], decoders, 2, {"a": 5}, 3
        )
    with pytest.raises(DTypeError, match="RNNCell"):
        sequences.one2many_rnn_seq2seq(symbols(2), {}, 3, {}, 2, {}, 3)
