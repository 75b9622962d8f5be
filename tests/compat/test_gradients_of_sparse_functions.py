"""Gradients in graphs of version 1 through functions of sparse tensors, by the places of elements.

Values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

PLACES = [[0, 1], [1, 2]]


def flow(function: Any, *values: Any) -> Any:
    """Return what flows to the elements of a sparse tensor, and to what else is given."""
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.constant(x) for x in values]
        y = function(tf.SparseTensor(PLACES, given[0], [2, 3]), *given[1:])
        return session.run(tf.gradients(y, given, unconnected_gradients="zero"))


def test_of_a_slice_only_what_was_kept_flows() -> None:
    (dx,) = flow(lambda sp: tf.sparse.slice(sp, [0, 0], [1, 3]).values, [5.0, 6.0])
    assert dx.tolist() == [1.0, 0.0]


def test_of_a_sum_each_element_gets_what_flows_to_its_place() -> None:
    def total(sp: Any) -> Any:
        other = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
        return tf.sparse.add(sp, other).values * [1.0, 10.0, 100.0]

    (dx,) = flow(total, [5.0, 6.0])
    assert dx.tolist() == [10.0, 100.0]


def test_of_what_is_put_in_order_each_element_gets_its_own() -> None:
    def turned(sp: Any) -> Any:
        return tf.sparse.transpose(sp).values * [1.0, 10.0]

    assert flow(turned, [5.0, 6.0])[0].tolist() == [1.0, 10.0]


@pytest.mark.parametrize(
    ("name", "dx", "dy"),
    [
        ("mul", [2.0, 6.0], [[0, 5, 0], [0, 0, 6]]),
        ("div", [0.5, 1 / 6], [[0, -1.25, 0], [0, 0, -1 / 6]]),
    ],
)
def test_of_products_with_dense_tensors(name: str, dx: Any, dy: Any) -> None:
    dense = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)

    def made(sp: Any, y: Any) -> Any:
        return (sp * y if name == "mul" else sp / y).values

    found = flow(made, np.array([5.0, 6.0], np.float32), dense)
    np.testing.assert_allclose(found[0], dx, rtol=1e-6)
    np.testing.assert_allclose(found[1], dy, rtol=1e-6)


def test_of_a_row_that_stands_for_all() -> None:
    row = np.array([1.0, 2.0, 3.0], np.float32)
    found = flow(lambda sp, y: (sp * y).values, np.array([5.0, 6.0], np.float32), row)
    assert [x.tolist() for x in found] == [[2.0, 3.0], [0.0, 5.0, 6.0]]


ROWS = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def rows_of(function: Any) -> Any:
    """Return gradients, all rows of them, of rows 3, 0 and 0 of what a function makes of two."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant(ROWS), tf.constant(ROWS + 6.0)
        weights = tf.constant([[1.0], [2.0], [4.0]])
        picked = tf.gather(function(x, y), [3, 0, 0])
        found = tf.gradients(picked * weights, [x, y])
        return [session.run(tf.convert_to_tensor(dx)).tolist() for dx in found]


def test_rows_of_what_is_joined_flow_to_the_part_that_they_are_of() -> None:
    dx, dy = rows_of(lambda x, y: tf.concat([x, y], 0))
    assert dx == [[6.0] * 3, [0.0] * 3]
    assert dy == [[0.0] * 3, [1.0] * 3]


@pytest.mark.parametrize("axis", [1, -1])
def test_rows_of_what_is_joined_beside_are_parted(axis: int) -> None:
    def beside(x: Any, y: Any) -> Any:
        tall = [tf.concat([x, y], 0), tf.concat([y * 2.0, x], 0)]
        return tf.concat(tall, axis)

    dx, dy = rows_of(beside)
    assert dx == [[6.0] * 3, [1.0] * 3]
    assert dy == [[12.0] * 3, [1.0] * 3]


def test_rows_of_repeated_rows_flow_to_what_was_repeated() -> None:
    dx, _ = rows_of(lambda x, y: tf.tile(x, [2, 1]) + 0.0 * tf.tile(y, [2, 1]))
    assert dx == [[6.0] * 3, [1.0] * 3]


def test_the_gradient_of_joined_rows_names_rows_alone() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 3])
        whole = tf.concat([tf.zeros([1, 3]), x], 0)
        (dx,) = tf.gradients(tf.gather(whole, [0, 2, 2]), x)
        assert isinstance(dx, tf.IndexedSlices)
        with tf.Session() as session:
            found = session.run(dx, {x: np.zeros([4, 3], np.float32)})
    assert found.indices.tolist() == [1, 1]
