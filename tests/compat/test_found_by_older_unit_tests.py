"""What TensorFlow 1.15's own unit tests found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_parts_of_structures_that_never_vary_are_fetched_with_them() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    found = tf.gather(rows, tf.ragged.constant([[1], [0, 1]]))
    with tf.Session() as session:
        value = session.run(found)
    assert value.to_list() == [[[b"c"]], [[b"a", b"b"], [b"c"]]]


def test_negative_numbers_are_not_counted() -> None:
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"),
    ):
        session.run(tf.bincount([-1, 2]))


def test_what_programs_write_into_their_arrays_later_is_not_seen() -> None:
    first, second = np.ones(3), np.ones(3)
    one, other = tf.Variable(first), tf.get_variable("other", initializer=second)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first[0], second[1] = 5.0, 7.0
        np.testing.assert_array_equal(session.run(one), np.ones(3))
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(other), np.ones(3))


def test_averages_move_half_precision() -> None:
    x = tf.Variable(np.asarray([1.0, 2.0], np.float16))
    averages = tf.train.ExponentialMovingAverage(0.5)
    update = averages.apply([x])
    moved = x.assign([3.0, 4.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(moved)
        session.run(update)
        assert session.run(averages.average(x)).tolist() == [2.0, 3.0]
