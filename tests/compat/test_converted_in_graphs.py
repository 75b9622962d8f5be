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
