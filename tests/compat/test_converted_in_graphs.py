"""tf.autograph.to_graph in graphs of TensorFlow 1: statements on tensors become branches and loops.

Expected numbers are Python's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorlite.compat.v1 as tf

autograph: Any = tf.autograph
to_graph = autograph.to_graph


@pytest.fixture(autouse=True)
def _new_graph() -> Iterator[None]:
    tf.reset_default_graph()
    yield
    tf.reset_default_graph()


def _branching(x: Any) -> Any:
    if x > 0:
        return tf.square(x)
    return tf.negative(x)


def _looping(n: Any) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        if tf.equal(i % 2, 0):
            total = total + i
    return total


def test_conditions_become_branches_of_the_default_graph() -> None:
    x = tf.placeholder(tf.float32, [])
    y = to_graph(_branching)(x)
    graph: Any = tf.get_default_graph()
    assert isinstance(y, tf.Tensor)
    assert y.graph is graph
    assert {"Switch", "Square", "Neg"} <= {op.type for op in graph.get_operations()}
    (slope,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run([y, slope], {x: 3.0}) == [9.0, 6.0]
        assert session.run([y, slope], {x: -2.0}) == [2.0, -1.0]


def test_conditions_become_branches_of_a_graph_that_is_entered() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = to_graph(_branching)(x)
        assert isinstance(y, tf.Tensor)
        assert y.graph is graph
        with tf.Session() as session:
            assert session.run(y, {x: -2.0}) == 2.0


def test_loops_become_loops_of_the_default_graph() -> None:
    n = tf.placeholder(tf.int32, [])
    total = to_graph(_looping)(n)
    with tf.Session() as session:
        assert session.run(total, {n: 5}) == 6
        assert session.run(total, {n: 0}) == 0


def test_numbers_of_python_are_decided_at_once() -> None:
    assert to_graph(lambda x: x + 1 if x > 2 else x)(3) == 4


def _breaking(x: Any) -> Any:
    total = x
    for i in tf.range(10):
        if tf.reduce_sum(total) > 30.0:
            break
        if tf.equal(i % 2, 0):
            continue
        total = total * x
    return total


def _either(x: Any) -> Any:
    return x * 2.0 if x[0] > 1.0 else x * x


def _nested(x: Any) -> Any:
    total = tf.zeros([2])
    for i in tf.range(3):
        for j in tf.range(2):
            total += x * tf.cast(i * j, tf.float32)
    return total


@pytest.mark.parametrize(
    ("function", "name", "values", "slopes"),
    [
        (_either, "cond/Merge:0", [0.25, 2.25], [1.0, -3.0]),
        (_breaking, "while/Exit_1:0", [0.015625, 11.390625], [0.1875, -45.5625]),
        (_nested, "while/Exit:0", [1.5, -4.5], [3.0, 3.0]),
    ],
)
def test_statements_are_nodes_of_tensorflow_1_which_gradients_leave_there(
    function: Any, name: str, values: list[float], slopes: list[float]
) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = to_graph(function)(x)
    graph: Any = tf.get_default_graph()
    before = {node.name for node in graph.as_graph_def().node}
    slope = tf.gradients(y, x)[0]
    proto = graph.as_graph_def()
    assert y.name == name
    assert before <= {node.name for node in proto.node}
    assert not {node.op for node in proto.node} & {"If", "While", "OptionalNone"}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(proto, name="")
        found = session.run([name, slope.name], {"x:0": [0.5, -1.5]})
    assert [one.tolist() for one in found] == [values, slopes]
