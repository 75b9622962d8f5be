"""tf.contrib.staging: what one run puts and another one gets; as TensorFlow 1.15 does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def test_a_step_gets_what_the_one_before_has_put() -> None:
    x = tf.placeholder(tf.float32, [])
    area = tf.contrib.staging.StagingArea([tf.float32])
    put = area.put([x * tf.ones([2, 2])])
    (got,) = area.get()
    with tf.Session() as session:
        session.run(put, {x: -1.0})
        for step in range(3):
            _, value = session.run([put, got], {x: float(step)})
            np.testing.assert_array_equal(value, np.full((2, 2), step - 1.0))


def test_elements_have_names_places_and_a_number_in_each_session() -> None:
    area = tf.contrib.staging.StagingArea(
        [tf.int32, tf.float32], shapes=[[], [2]], names=["n", "v"], capacity=3
    )
    n = tf.placeholder(tf.int32, [])
    put = area.put({"n": n, "v": [0.5, 1.5]})
    count, second, clear = area.size(), area.peek(1), area.clear()
    assert (put.name, count.op.name) == ("StagingArea_put", "StagingArea_size")
    assert [shape.as_list() for shape in area.shapes] == [[], [2]]
    assert area.dtypes == [tf.int32, tf.float32]
    with tf.Session() as session, tf.Session() as other:
        for value in (7, 8):
            session.run(put, {n: value})
        assert session.run(second["n"]) == 8
        assert (session.run(count), other.run(count)) == (2, 0)
        session.run(clear)
        assert session.run(count) == 0
