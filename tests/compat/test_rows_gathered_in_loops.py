"""Gradients of what loops of version 1 gather rows of: rows, as TensorFlow 1.15 has them.

What is expected is what TensorFlow 1.15 gives, the order of the rows included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1
TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def summed(part: Callable[[Any], Any]) -> Any:
    """Return a sum over three turns, whose numbers are given."""
    _, total = tf.while_loop(
        lambda i, _: i < 3, lambda i, total: (i + 1, total + part(i)), [0, 0.0]
    )
    return total


def of_rows(x: Any, places: Any) -> Any:
    return tf.reduce_sum(tf.gather(x, places))


def run(x: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(x)


def check_rows(found: Any, name: str, indices: list[int], zeros: int = 1) -> None:
    """Check that rows are ones behind some of zeros."""
    assert isinstance(found, tf.IndexedSlices)
    assert (
        found.values.name.rpartition("/")[0] == f"gradients/while/{name}/Enter_grad"
    )
    assert found.values.shape.as_list() == [None, 2]
    values, places, shape = run(found)
    assert places.tolist() == indices
    assert shape.tolist() == [5, 2]
    expected = np.ones((len(indices), 2))
    expected[:zeros] = 0
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: tf.constant(TABLE), "GatherV2"),
        (lambda: tf.get_variable("p", [5, 2]), "GatherV2"),
        (lambda: tf.get_variable("p", [5, 2], use_resource=True), "Gather"),
        (lambda: tf.placeholder_with_default(TABLE, (None, 2)), "GatherV2"),
    ],
)
def test_rows_of_turns_stand_one_behind_another(made: Any, name: str) -> None:
    x = made()
    (found,) = tf.gradients(summed(lambda i: of_rows(x, [i, i + 1])), x)
    check_rows(found, name, [0, 2, 3, 1, 2, 0, 1])


def test_rows_that_are_taken_twice_in_a_turn_stand_beside_each_other() -> None:
    x = tf.constant(TABLE)
    total = summed(lambda i: of_rows(x, [i, i + 1]) + of_rows(x, [1]))
    (found,) = tf.gradients(total, x)
    check_rows(found, "GatherV2", [0, 1, 2, 3, 1, 1, 2, 1, 0, 1])


def test_rows_are_whole_where_the_whole_is_used_too() -> None:
    x = tf.constant(TABLE)
    (found,) = tf.gradients(summed(lambda i: of_rows(x, [i]) + tf.reduce_sum(x)), x)
    assert isinstance(found, tf.Tensor)
    assert run(found)[:, 0].tolist() == [4, 4, 4, 3, 3]


def test_variables_of_loops_that_stay_what_they_are_have_whole_gradients() -> None:
    x = tf.constant(TABLE)
    _, total, _ = tf.while_loop(
        lambda i, _, __: i < 3,
        lambda i, total, y: (i + 1, total + of_rows(y, [i, i + 1]), y),
        [0, 0.0, x],
    )
    (found,) = tf.gradients(total, x)
    assert isinstance(found, tf.Tensor)
    assert run(found)[:, 0].tolist() == [1, 2, 2, 1, 0]


def test_rows_come_out_of_loops_in_loops() -> None:
    x = tf.constant(TABLE)

    def inner(i: Any) -> Any:
        return tf.while_loop(
            lambda j, _: j < 2,
            lambda j, total: (j + 1, total + of_rows(x, [i, j])),
            [0, 0.0],
        )[1]

    (found,) = tf.gradients(summed(inner), x)
    values, places, _ = run(found)
    assert places.tolist() == [0, 0, 2, 1, 2, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0]
    assert values[:, 0].tolist() == [0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1]


def test_rows_come_out_of_branches_in_loops() -> None:
    x = tf.constant(TABLE)

    def chosen(i: Any) -> Any:
        return tf.cond(
            i < 1, lambda: of_rows(x, [i, i + 1]), lambda: tf.constant(1.0)
        )

    (found,) = tf.gradients(summed(chosen), x)
    places = [0, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    check_rows(found, "cond/GatherV2", places, zeros=11)


def test_optimizers_take_the_rows() -> None:
    x = tf.Variable(TABLE)
    loss = summed(lambda i: of_rows(x, [i, i + 1]))
    step = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        found = session.run(x)
    np.testing.assert_array_equal(TABLE - found, np.outer([1, 2, 2, 1, 0], [1, 1]))


def test_gradients_of_gradients_flow_through_the_rows() -> None:
    x = tf.constant(TABLE)
    total = summed(lambda i: tf.reduce_sum(tf.gather(x, [i, i + 1]) ** 3))
    (first,) = tf.gradients(total, x)
    try:
        (second,) = tf.gradients(tf.reduce_sum(first.values), x)
    except TypeError:  # TensorFlow refuses it: second gradients of loops
        return
    whole = run(tf.convert_to_tensor(second))
    expected = np.outer([1, 2, 2, 1, 0], [1, 1]) * 6 * TABLE
    np.testing.assert_allclose(whole, expected)


@pytest.mark.parametrize(
    ("given", "asked", "expected"),
    [
        ((2, 3), ["n", 3], [2, 3]),
        ((2, 3), ["n", 2, 1], [3, 2, 1]),
        ((2, 3), ["n"], [6]),
        ((2, 3), ["n", "n"], [None, None]),
        ((None, 3), [2, "n"], [2, None]),
    ],
)
def test_one_unknown_size_of_a_shape_is_what_the_others_leave(
    given: Any, asked: list[Any], expected: list[Any]
) -> None:
    size = tf.placeholder(tf.int32, ())
    x = tf.placeholder(tf.float32, given)
    made = tf.reshape(x, [size if n == "n" else n for n in asked])
    assert made.shape.as_list() == expected
