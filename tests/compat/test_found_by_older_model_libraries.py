"""What libraries of models ask of TensorFlow 1's names: draws, older arguments, creators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1


def test_draws_of_graphs_have_gradients_by_the_shape_of_gamma() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        alpha = tf1.constant([2.0, 5.0])
        numbers = tf1.random_gamma([1000], alpha, seed=3)
        (slope,) = tf1.gradients(tf1.reduce_mean(numbers, 0), alpha)
        np.testing.assert_allclose(session.run(slope), [1.0, 1.0], atol=0.1)


def test_older_names_of_arguments_are_taken() -> None:
    x = np.arange(6.0).reshape(2, 3)
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, sums, squares, _ = tf1.nn.sufficient_statistics(x, [1], keep_dims=True)
        found = session.run([sums, squares])
    np.testing.assert_allclose(found[0], x.sum(1, keepdims=True))
    np.testing.assert_allclose(found[1], (x * x).sum(1, keepdims=True))


def test_sets_of_operations_run_first() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        count = tf1.get_variable("count", initializer=0)
        steps = {count.assign_add(1).op, count.assign_add(1).op}
        with tf1.control_dependencies(steps):
            found = tf1.no_op()
        session.run(tf1.global_variables_initializer())
        session.run(found)
        assert session.run(count) == 2


def test_devices_are_compared_by_what_they_mean() -> None:
    case = tf1.test.TestCase()
    case.assertDeviceEqual("cpu:0", "/device:CPU:0")
    with pytest.raises(AssertionError):
        case.assertDeviceEqual("cpu:0", "/device:CPU:1")


def test_programs_derive_creators_of_sessions() -> None:
    class Creator(tf1.train.SessionCreator):
        def create_session(self) -> Any:
            return tf1.Session()

    with tf1.Graph().as_default():
        tf1.constant(1.0, name="c")
        with tf1.train.MonitoredSession(Creator()) as session:
            assert session.run("c:0") == 1.0
    assert issubclass(tf1.train.ChiefSessionCreator, tf1.train.SessionCreator)
