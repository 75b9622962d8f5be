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


def _repeated(turn: Callable[[Any, Any], Any], x: Any, n: Any, **given: Any) -> Any:
    """Return what a loop of n turns makes of x."""
    return tf.while_loop(
        lambda i, _: i < n, lambda i, y: (i + 1, turn(i, y)), [0, x], **given
    )[1]


def _nested(x: Any) -> Any:
    """Return what a loop in a loop makes, whose inner one runs more turns each time."""
    return _repeated(
        lambda i, y: _repeated(lambda j, z: tf.tanh(z) * y + x, y, i + 1), x, 3
    )


def _nested_of_unknown_size(x: Any) -> Any:
    return _nested(tf.placeholder_with_default(x, [None, 2]))


def _thrice(x: Any) -> Any:
    def turn(i: Any, y: Any) -> Any:
        return _repeated(lambda _, z: tf.sin(z) * y, y, 2) + tf.cast(i, tf.float32)

    return _repeated(lambda i, y: _repeated(turn, y * x, 2), x, 2)


def _one_at_a_time(x: Any) -> Any:
    def turn(_: Any, y: Any) -> Any:
        return _repeated(lambda j, z: z * tf.tanh(y), y, 2, parallel_iterations=1)

    return _repeated(turn, x, 3, parallel_iterations=1)


def _chosen_in_nests(x: Any) -> Any:
    """Return what branches in loops in loops make."""
    return _repeated(
        lambda i, y: _repeated(
            lambda j, z: tf.cond(j > i, lambda: z * y, lambda: tf.sin(z)), y, 2
        ),
        x,
        3,
    )


def _nested_in_branches(x: Any) -> Any:
    """Return what loops in branches in a loop make, and one in a branch alone."""
    y = _repeated(
        lambda i, y: tf.cond(
            tf.logical_and(i > 0, tf.reduce_sum(y) > 0.0),
            lambda: _repeated(lambda j, z: tf.tanh(z) * y * x, y, i),
            lambda: tf.exp(y) * 0.5,
        ),
        x,
        4,
    )
    return tf.cond(
        x[0, 0] > 0.0, lambda: _repeated(lambda i, z: z * y, x, 2), lambda: y
    )


def _branch_in_branch(x: Any) -> Any:
    x = tf.placeholder_with_default(x, [None, 2])
    return _repeated(
        lambda i, y: tf.cond(
            i > 0,
            lambda: tf.cond(i > 1, lambda: y * x, lambda: tf.ones_like(x)) + y,
            lambda: tf.exp(-y),
        ),
        x,
        3,
    )


def _unused(x: Any) -> Any:
    """Return one variable of an inner loop, which hangs on another that nothing else uses."""
    return _repeated(
        lambda _, y: tf.while_loop(
            lambda j, *_: j < 3,
            lambda j, a, b: (j + 1, b * 2.0, a * tf.tanh(b)),
            [0, y, y],
        )[1],
        x,
        2,
    )


def _renewed(x: Any) -> Any:
    """Return a variable of an inner loop that does not hang on what it was a turn before."""
    return _repeated(lambda i, y: _repeated(lambda j, z: tf.exp(y * 0.1), y, 2), x, 2)


def _arrays_in_turns(x: Any) -> Any:
    def turn(_: Any, y: Any) -> Any:
        rows = tf.map_fn(lambda row: tf.tanh(row) * tf.reduce_sum(row), y)
        return tf.scan(lambda a, row: a * row + x[0], rows)

    return _repeated(turn, x, 2)


def _rows_in_turns(x: Any) -> Any:
    return _repeated(lambda i, y: y * tf.gather(x, i), x, 3)


def _network_in_turns(x: Any) -> Any:
    cell = tf.nn.rnn_cell.GRUCell(2)

    def turn(_: Any, y: Any) -> Any:
        made = tf.nn.dynamic_rnn(cell, y, dtype=tf.float32, scope="network")[0]
        return tf.reshape(made, [1, 3, 2])

    with tf.variable_scope("network", reuse=tf.AUTO_REUSE):
        return _repeated(turn, x[None], 2)


def _folded_in_folds(x: Any) -> Any:
    def inner(row: Any) -> Any:
        return tf.foldl(lambda a, e: a * tf.sin(e), row)

    return tf.foldl(lambda a, row: a + inner(row), x, initializer=tf.constant(0.0))


def _split(x: Any) -> Any:
    """Return runs of rows put into an array, and what is made of them, also turn by turn."""
    parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
    rest = tf.TensorArray(tf.float32, 2, infer_shape=False).split(
        parts.concat() * x, tf.constant([2, 1])
    )
    return _repeated(lambda i, y: y + parts.read(0) * rest.read(1), x, 2)


def _stopped(x: Any) -> Any:
    return _repeated(
        lambda _, y: y * _repeated(lambda j, z: tf.tanh(z), y, 2, back_prop=False),
        x,
        2,
    )


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
    "nested, of unknown size": _nested_of_unknown_size,
    "thrice": _thrice,
    "one turn at a time": _one_at_a_time,
    "chosen in nests": _chosen_in_nests,
    "nested in branches": _nested_in_branches,
    "branch in branch": _branch_in_branch,
    "unused": _unused,
    "renewed": _renewed,
    "arrays in turns": _arrays_in_turns,
    "rows in turns": _rows_in_turns,
    "network in turns": _network_in_turns,
    "folded in folds": _folded_in_folds,
    "split": _split,
    "stopped": _stopped,
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


@pytest.mark.parametrize(
    ("size", "lengths"), [(2, [1, 1]), (3, [1, 2])], ids=["rows", "elements"]
)
def test_runs_that_do_not_fit_are_refused(size: int, lengths: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, size, infer_shape=False)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(array.split(X, lengths).concat())
