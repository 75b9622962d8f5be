"""Gradients of branches, loops and arrays that are written as TensorFlow 1's are the same.

That their nodes are TensorFlow's is held in naming/; here is what they compute, and which stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

Program = Callable[[Any], Any]
X = np.array([[0.5, 1.0], [0.25, 2.0], [1.5, 0.75]], np.float32)


def _swapped(x: Any) -> Any:
    """Return a variable of a loop that does not hang on what it was a turn before."""
    return tf.while_loop(
        lambda i, *_: i < 3,
        lambda i, a, b: (i + 1, tf.exp(x), a * b),
        [tf.constant(0), x, x],
    )[2]


def _in_turns(x: Any) -> Any:
    return tf.while_loop(
        lambda i, _: i < 3, lambda i, y: (i + 1, tf.tanh(y) * x), [tf.constant(0), x]
    )[1]


def _nested(x: Any) -> Any:
    """Return what a loop in a loop makes, whose gradients are written as they are computed."""
    return tf.while_loop(
        lambda i, _: i < 2,
        lambda i, y: (
            i + 1,
            tf.while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z * x), [0, y])[1],
        ),
        [0, x],
    )[1]


def _chosen(x: Any) -> Any:
    pred = tf.reduce_sum(x) > 1.0
    return tf.cond(pred, lambda: x * tf.reduce_sum(x), lambda: tf.tanh(x))


def _network(x: Any) -> Any:
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    return tf.nn.dynamic_rnn(cell, x[None], dtype=tf.float32, time_major=False)[0]


PROGRAMS: dict[str, Program] = {
    "swapped": _swapped,
    "in turns": _in_turns,
    "nested": _nested,
    "chosen": _chosen,
    "network": _network,
    "mapped": lambda x: tf.map_fn(lambda row: row * tf.reduce_sum(row), x),
    "scanned": lambda x: tf.scan(lambda a, row: a * row, x, reverse=True),
    "folded": lambda x: tf.foldr(lambda a, row: a * row + row, x),
    "gathered": lambda x: tf.TensorArray(tf.float32, 3).unstack(x).gather([2, 0]),
    "of unknown size": lambda x: tf.map_fn(
        tf.exp, tf.placeholder_with_default(x, [None, 2])
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_written_gradients_are_those_that_are_computed(program: Program) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, X.shape, name="x")
        (dx,) = tf.gradients(tf.square(program(x)), x)
        y = tf.identity(dx, name="dx")
        values = tf.global_variables()
        session.run(tf.global_variables_initializer())
        expected, kept = session.run([y, values], {x: X})
        names = [(v.initializer.name, v.initial_value.name) for v in values]
        written = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        for (begin, first), value in zip(names, kept, strict=True):
            session.run(begin, {first: value})
        found = session.run("dx:0", {"x:0": X})
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_gradients_by_a_programs_own_function_stay() -> None:
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return x * 2.0, lambda dy: dy * 10.0

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.cond(tf.constant(True), lambda: doubled(x), lambda: x)
        dx = tf.gradients(y, x)[0]
        np.testing.assert_array_equal(session.run(dx, {x: [1.0, 2.0]}), [10.0, 10.0])
        assert "StackV2" not in {node.op for node in graph.as_graph_def().node}


def test_operations_of_gradients_are_found_by_tensorflows_names() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, X.shape, name="x")
        dx = tf.gradients(_in_turns(x), x)[0]
        assert dx.name == "gradients/AddN:0"
        assert dx.op.type == "AddN"
        found = graph.get_tensor_by_name("gradients/AddN:0")
        both = session.run([dx, found], {x: X})
    np.testing.assert_array_equal(*both)
