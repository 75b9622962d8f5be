"""Gradients in graphs that were imported are written beside their branches and loops as they are.

Names and values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1

OF_A_CHOICE = """
    gradients/AddN gradients/AddN_1 gradients/Fill gradients/Identity gradients/Identity_1
    gradients/Shape gradients/Shape_1 gradients/Shape_2 gradients/Switch gradients/Switch_1
    gradients/cond/Merge_grad/cond_grad gradients/cond/Sin/Switch_grad/cond_grad
    gradients/cond/Sin_grad/Cos gradients/cond/Sin_grad/mul gradients/cond/mul/Switch_grad/cond_grad
    gradients/cond/mul_grad/Mul gradients/cond/mul_grad/Mul_1 gradients/grad_ys_0 gradients/zeros
    gradients/zeros/Const gradients/zeros_1 gradients/zeros_1/Const
"""


def imported(build: Any) -> Any:
    """Return a graph that has the notes of another one and nothing else."""
    with tf.Graph().as_default() as first:
        build()
        notes = tf.train.export_meta_graph(graph=first)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(notes)
    return graph


def choice() -> None:
    x, p = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.bool, [], "p")
    tf.identity(tf.cond(p, lambda: x * x, lambda: tf.sin(x)), "y")


def loop() -> None:
    x, n = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.int32, [], "n")

    def turn(i: Any, y: Any) -> Any:
        made = tf.cond(tf.equal(i, 1), lambda: y * x, lambda: tf.sin(y))
        return i + 1, made

    tf.identity(tf.while_loop(lambda i, _: i < n, turn, (0, x))[1], "y")


def ends(graph: Any) -> tuple[Any, Any]:
    return graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")


def test_branches_stay_and_gradients_stand_beside_them() -> None:
    graph = imported(choice)
    before = {node.name for node in graph.as_graph_def().node}
    y, x = ends(graph)
    with graph.as_default(), tf.Session() as session:
        (dx,) = tf.gradients(y, x)
        after = {node.name for node in graph.as_graph_def().node}
        assert before < after
        assert after - before == set(OF_A_CHOICE.split())
        for value, wanted in ((True, [2, 4]), (False, np.cos([1.0, 2.0]))):
            found = session.run(dx, {x: [1.0, 2.0], "p:0": value})
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_loops_are_gone_back_through() -> None:
    graph = imported(loop)
    y, x = ends(graph)
    with graph.as_default(), tf.Session() as session:
        (dx,) = tf.gradients(y, x)
        names = {node.name for node in graph.as_graph_def().node}
        assert "gradients/while/cond/Merge_grad/StackPopV2" in names
        for n, wanted in ((0, [1, 1]), (3, [0.92076766, -0.01888674])):
            found = session.run(dx, {x: [1.0, 2.0], "n:0": n})
            np.testing.assert_allclose(found, wanted, rtol=1e-5)
        with pytest.raises(TypeError, match="Second-order gradient for while loops"):
            tf.gradients(dx, x)


def test_a_choice_that_a_program_adds_is_gone_through_too() -> None:
    graph = imported(loop)
    y, x = ends(graph)
    with graph.as_default(), tf.Session() as session:
        first = tf.gradients(y, x)
        z = tf.cond(y[0] > 0.0, lambda: 2.0 * y, lambda: y)
        found = session.run([first, tf.gradients(z, x)], {x: [1.0, 2.0], "n:0": 3})
        np.testing.assert_allclose(found[1], 2 * np.array(found[0]), rtol=1e-5)
