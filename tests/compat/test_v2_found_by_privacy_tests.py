"""What unit tests of TensorFlow's library for privacy have shown to be wrong."""

from __future__ import annotations

from typing import Any

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf


def test_a_cast_to_its_own_dtype_is_the_variable_which_is_read_later() -> None:
    rate = tf.Variable(1.0)
    held = tf.cast(rate, tf.float32)
    assert held is rate
    rate.assign(2.0)
    assert float(held * 3.0) == 6.0
    assert tf.cast(rate, tf.float64) is not rate


def test_a_cast_in_a_traced_function_is_read_after_assignments() -> None:
    rate = tf.Variable(1.0)

    @tf.function
    def step() -> Any:
        held = tf.cast(rate, tf.float32)
        before = held + 0.0
        rate.assign_add(1.0)
        return before, held + 0.0

    assert [float(x) for x in step()] == [1.0, 2.0]


def test_a_gradient_goes_through_a_cast_that_does_nothing() -> None:
    rate = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.cast(rate, tf.float32) * 2.0
    assert float(tape.gradient(y, rate)) == 2.0


def test_in_graphs_only_resources_are_returned_themselves() -> None:
    with tf1.Graph().as_default() as graph:
        older = tf1.get_variable("older", initializer=1.0, use_resource=False)
        newer = tf1.get_variable("newer", initializer=1.0, use_resource=True)
        before = len(graph.get_operations())
        assert tf1.cast(older, tf1.float32).name == "older/read:0"
        assert tf1.cast(newer, tf1.float32) is newer
        assert tf1.to_float(newer) is newer
        assert len(graph.get_operations()) == before
