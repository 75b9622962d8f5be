"""What is drawn in branches and loops, and behind them, has the seeds of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


def one() -> Any:
    return tf.random_normal([])


def rows() -> Any:
    return tf.placeholder(tf.float32, [4, 3])


def turns(body: Callable[..., Any], *given: Any, **how: Any) -> Any:
    return tf.while_loop(lambda i, *_: i < 3, body, [0, *given], **how)


def captured(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * one() + one(), lambda: x + x)


def two(x: Any, y: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: (x * 2.0, y), lambda: (y, x))


def slope(y: Any) -> Any:
    return tf.gradients(y, tf.get_default_graph().get_tensor_by_name("Placeholder:0"))


def nested() -> Any:
    pred, x = tf.placeholder(tf.bool, []), rows()
    inner = partial(tf.cond, pred, lambda: x * 2.0, lambda: x)
    y = tf.cond(pred, inner, lambda: x)
    one()
    return tf.gradients(y, x)


def keras_layers() -> Any:
    x = tf.placeholder(tf.float32, [None, 5, 3])
    made = tf.keras.layers.LSTM(4, return_sequences=True)(x)
    return tf.keras.layers.Dense(2)(tf.keras.layers.GRU(4)(made))


def averages() -> Any:
    weights = tf.Variable(np.ones([3, 2], np.float32))
    return tf.train.ExponentialMovingAverage(0.9).apply([weights])


def examples() -> Any:
    features = {
        "a": tf.FixedLenFeature([2], tf.float32),
        "b": tf.VarLenFeature(tf.int64),
    }
    return tf.parse_example(tf.placeholder(tf.string, [2]), features)


cells = tf.nn.rnn_cell


def cell() -> Any:
    return cells.BasicLSTMCell(4)


def gated() -> Any:
    return cells.GRUCell(4)


def recurrent(network: Callable[..., Any], *parts: Any, lengths: Any = None) -> Any:
    sequences = tf.placeholder(tf.float32, [2, 5, 3])
    return network(*parts, sequences, lengths, dtype=tf.float32)


def fitted(x: Any) -> Any:
    return tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(x)))


CASES: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "cond": (
        lambda: tf.cond(tf.reduce_sum(rows()) > 0, one, lambda: tf.constant(1.0)),
        [12, 20],
    ),
    "captured": (lambda: captured(rows()), [12, 20, 30]),
    "two results": (lambda: two(rows(), rows()), [21]),
    "while": (
        lambda: turns(lambda i, y: (i + 1, y + one() - one()), 0.0),
        [18, 25, 36],
    ),
    "limited": (
        lambda: tf.while_loop(
            lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], maximum_iterations=5
        ),
        [28],
    ),
    "dynamic_rnn": (lambda: recurrent(tf.nn.dynamic_rnn, cell()), [86, 149]),
    "layers": (
        lambda: recurrent(tf.nn.dynamic_rnn, cells.MultiRNNCell([cell(), cell()])),
        [110, 144, 211],
    ),
    "both ways": (
        lambda: recurrent(tf.nn.bidirectional_dynamic_rnn, gated(), gated()),
        [74, 88, 224, 238, 304],
    ),
    "lengths": (
        lambda: recurrent(
            tf.nn.dynamic_rnn,
            cells.BasicRNNCell(4),
            lengths=tf.placeholder(tf.int32, [2]),
        ),
        [93, 144],
    ),
    "LSTMCell": (lambda: recurrent(tf.nn.dynamic_rnn, cells.LSTMCell(4)), [86, 149]),
    "map_fn": (lambda: tf.map_fn(lambda x: x + one() - one(), rows()), [43, 50, 72]),
    "scan": (lambda: tf.scan(lambda x, y: x + y, rows()), [69]),
    "foldl": (lambda: tf.foldl(lambda x, y: x + y, rows()), [52]),
    "foldr": (lambda: tf.foldr(lambda x, y: x + y, rows()), [52]),
    "nested": (nested, [22, 68]),
    "map_fn's gradient": (lambda: slope(tf.map_fn(lambda x: x * 2.0, rows())), [131]),
    "trained": (
        lambda: fitted(recurrent(tf.nn.dynamic_rnn, gated())[0]),
        [74, 88, 428],
    ),
    "Keras": (keras_layers, [4, 15, 284, 295, 558, 578]),
    "array": (lambda: tf.TensorArray(tf.float32, 3).write(0, rows()).concat(), [9]),
    "examples": (examples, [9]),
    "averages": (averages, [38]),
    "zeros": (lambda: tf.Variable(tf.zeros(3)), [9]),
    "minimize": (lambda: fitted(tf.layers.dense(rows(), 2)), [4, 79]),
    "written out": (
        lambda: tf.nn.static_rnn(cell(), [rows(), rows()], dtype=tf.float32),
        [21, 71],
    ),
}
"""What is called, and the seeds of draws in the order of their making, one behind it all."""


def seeds(graph: Any) -> Iterator[int]:
    for node in graph.nodes:
        given = node.op.attributes()
        if "seed2" in given:
            yield given["seed2"]
        for region in node.op.regions():
            yield from seeds(region)


@pytest.mark.parametrize(("function", "expected"), CASES.values(), ids=CASES)
def test_seeds_are_those_of_tensorflow(
    function: Callable[[], Any], expected: list[int]
) -> None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        function()
        one()
    assert sorted(seeds(graph)) == expected


def test_two_draws_in_a_turn_differ() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        _, first, second = turns(lambda i, x, y: (i + 1, one(), one()), 0.0, 0.0)
        found = session.run([first, second])
    assert np.unique(found).size == len(found)
