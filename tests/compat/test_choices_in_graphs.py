"""Branches of version 1 that do something, and choices among several, with TensorFlow's checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


def _session(graph: Any) -> Any:
    session = tf.Session(graph=graph)
    session.run(tf.global_variables_initializer())
    return session


def _again(graph: Any) -> Any:
    """Return the graph read anew from what is written of it."""
    read = tf.Graph()
    with read.as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
    return read


@pytest.mark.parametrize("is_written", [False, True])
def test_branches_of_operations_do_what_the_side_taken_does(is_written: bool) -> None:
    with tf.Graph().as_default() as graph:
        pred = tf.placeholder(tf.bool, [], name="pred")
        x = tf.get_variable("x", initializer=1.0, use_resource=True)
        done = tf.cond(pred, lambda: tf.group(x.assign_add(2.0)), tf.no_op)
        with tf.control_dependencies([done]):
            tf.identity(x.read_value(), name="after")
        begin = tf.global_variables_initializer().name
    if is_written:
        graph = _again(graph)
    with tf.Session(graph=graph) as session:
        session.run(begin)
        found = [session.run("after:0", {"pred:0": p}) for p in (False, True, True)]
    assert found == [1.0, 3.0, 5.0]


def test_bodies_of_loops_return_operations_beside_tensors() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.get_variable("x", initializer=0.0, use_resource=True)

        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.group(x.assign_add(1.0))]):
                return i + 1

        last = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
        with tf.control_dependencies([last]):
            after = x.read_value()
        with _session(graph) as session:
            assert session.run([last, after]) == [3, 3.0]


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_the_first_condition_that_holds_chooses(
    exclusive: bool, is_written: bool
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        pairs = [(x > 2.0, lambda: x * 10.0), (x > 1.0, lambda: x * 100.0)]
        chosen = tf.case(pairs, default=lambda: -x, exclusive=exclusive)
        tf.identity(chosen, name="y")
        tf.identity(tf.gradients(chosen, x)[0], name="dx")
    graph = _again(graph) if is_written else graph
    with tf.Session(graph=graph) as session:
        for given, wanted in ((0.5, (-0.5, -1.0)), (1.5, (150.0, 100.0))):
            found = session.run(["y:0", "dx:0"], {"x:0": given})
            np.testing.assert_allclose(found, wanted)
        if exclusive:
            with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1"):
                session.run("y:0", {"x:0": 3.0})
        else:
            assert session.run("y:0", {"x:0": 3.0}) == 30.0


def test_without_a_default_one_condition_has_to_hold() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = tf.case([(x > 2.0, lambda: x), (x < 1.0, lambda: x * 2.0)])
        assert [session.run(y, {x: given}) for given in (3.0, 0.5)] == [3.0, 1.0]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="None of conditions"
        ):
            session.run(y, {x: 1.5})


def test_conditions_in_a_dictionary_go_by_their_names() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one, two = tf.constant(True, name="b"), tf.constant(True, name="a")
        y = tf.case({one: lambda: tf.constant(1), two: lambda: tf.constant(2)}, None)
        assert session.run(y) == 2
