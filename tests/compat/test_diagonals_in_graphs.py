"""Diagonals in graphs of version 1: one node each, gradients too, with TensorFlow 1.15's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

X = np.array([[1, 2, 3], [3, 4, 5], [0, 1, 7]], np.float32)
CASES: list[tuple[Callable[[Any], Any], list[str], Any]] = [
    (
        lambda x: tf.gradients(tf.matrix_diag(x), x)[0],
        ["gradients/diag_grad/diag_part"],
        np.ones((3, 3)),
    ),
    (
        lambda x: tf.gradients(tf.matrix_diag_part(x), x)[0],
        ["gradients/diag_part_grad/diag"],
        np.eye(3),
    ),
    (
        lambda x: tf.gradients(tf.matrix_set_diag(x, x[0]), x)[0],
        [
            "gradients/set_diag_grad/zeros",
            "gradients/set_diag_grad/set_diag",
            "gradients/set_diag_grad/diag_part",
        ],
        1 - np.eye(3) + [[1], [0], [0]],
    ),
    (tf.trace, ["Trace/diag_part", "Trace"], 12.0),
]


@pytest.mark.parametrize(("made", "names", "expected"), CASES)
def test_diagonals_are_one_node(
    made: Callable[[Any], Any], names: list[str], expected: Any
) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [3, 3], name="x")
        y = made(x)
        written = {node.name: node.op for node in graph.as_graph_def().node}
        assert set(names) <= set(written)
        assert not any(op.endswith(("V2", "V3")) for op in written.values())
        np.testing.assert_allclose(session.run(y, {x: X}), expected)


def test_the_diagonal_of_what_is_no_square_is_set_in_zeros() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None])
        (slope,) = tf.gradients(tf.matrix_diag_part(x) * [2.0, 3.0], x)
        found = session.run(slope, {x: X[:2]})
    np.testing.assert_array_equal(found, [[2, 0, 0], [0, 3, 0]])


def test_diagonals_beside_the_main_one_are_of_sizes_known_when_they_run() -> None:
    x = tf.placeholder(tf.float32, [None, None])
    whatever = tf.placeholder(tf.float32)
    above = tf.linalg.diag(whatever, k=1)
    band = tf.linalg.diag_part(x, k=(-1, 0))
    made = tf.linalg.diag(x, k=(0, 1))
    inserted = tf.linalg.set_diag(x, tf.constant([5.0]), k=1)
    (slope,) = tf.gradients(made, x)
    feeds = {x: [[1.0, 2.0], [3.0, 4.0]], whatever: [1.0, 2.0]}
    with tf.Session() as session:
        found = session.run([above, band, made, inserted, slope], feeds)
    np.testing.assert_array_equal(found[0], [[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(found[1], [[1, 4], [3, 0]])
    np.testing.assert_array_equal(found[2], [[3, 1], [0, 4]])
    np.testing.assert_array_equal(found[3], [[1, 5], [3, 4]])
    np.testing.assert_array_equal(found[4], [[1, 0], [1, 1]])


def test_diagonals_that_only_a_run_tells_are_refused() -> None:
    k = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.UnimplementedError, match="only a run knows"):
        tf.linalg.diag([1.0, 2.0], k=k)


def test_only_a_tensor_with_the_same_sizes_twice_has_a_diagonal_of_all_axes() -> None:
    for shape in ([2, 5], [2, 1, 2, 3]):
        with pytest.raises(ValueError, match=r"Invalid shape|must be equal"):
            tf.diag_part(tf.zeros(shape))
    with tf.Session() as session:
        found = session.run(tf.diag_part(tf.ones([2, 1, 2, 1])))
    assert found.tolist() == [[1.0], [1.0]]
