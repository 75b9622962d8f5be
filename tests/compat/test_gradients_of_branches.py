"""Gradients through tf.cond as graphs are written with them: names are TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite.compat.v1 as tf


def _again(graph: Any, name: str, feed: dict[str, Any]) -> Any:
    """Return what a tensor is in a copy of a graph, as that is written."""
    written, copied = graph.as_graph_def(), tf.Graph()
    with copied.as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        return session.run(name, feed)


@pytest.mark.parametrize(("taken", "slope"), [(True, 12.0), (False, 0.0)])
def test_second_gradients_of_branches_are_written_as_they_are_computed(
    taken: bool, slope: float
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        pred = tf.placeholder(tf.bool, [], name="pred")
        y = tf.cond(pred, lambda: x * x * x, lambda: x)
        found = tf.gradients(tf.gradients(y, x)[0], x)[0]
        assert found.name == "gradients_1/cond/mul/Switch_grad/cond_grad:0"
        with tf.Session() as session:
            assert session.run(found, {x: 2.0, pred: taken}) == slope
    assert _again(graph, found.name, {"x:0": 2.0, "pred:0": taken}) == slope


@pytest.mark.parametrize(("taken", "slope"), [(True, 1.0), (False, 3.0)])
def test_gradients_have_their_names_beside_one_that_there_is_none_of(
    taken: bool, slope: float
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.placeholder(tf.float32, [], name="y")
        pred = tf.placeholder(tf.bool, [], name="pred")

        def turned() -> Any:
            def turn(i: Any, array: Any, a: Any) -> Any:
                return i + 1, array.write(i, y), tf.cond(pred, lambda: a, lambda: a)

            first = (0, tf.TensorArray(tf.float32, 3), x)
            array = tf.while_loop(lambda i, *_: i < 3, turn, first)[1]
            return tf.reduce_sum(array.stack())

        of_x, of_y = tf.gradients(tf.cond(pred, lambda: y, turned), [x, y])
        assert of_x is None
        assert of_y.name == "gradients/AddN:0"
        feed = {"x:0": 2.0, "y:0": 5.0, "pred:0": taken}
        with tf.Session() as session:
            assert session.run(of_y, feed) == slope
    assert _again(graph, of_y.name, feed) == slope
