"""Multiples of the identity in graphs of version 1 and at once: values, shapes, names of calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

Q = np.arange(9.0, dtype=np.float32).reshape(3, 3) + 1.0
TIMES = np.array([2.0, -4.0], np.float32)


def run(x: Any) -> Any:
    with tf.Session() as session:
        return session.run(x)


def test_products_and_solutions_of_a_batch() -> None:
    with tf.Graph().as_default():
        own = tf.linalg.LinearOperatorScaledIdentity(3, TIMES)
        assert own.shape.as_list() == [2, 3, 3]
        np.testing.assert_allclose(run(own.matmul(Q)), TIMES[:, None, None] * Q)
        np.testing.assert_allclose(run(own.solve(Q)), Q / TIMES[:, None, None])
        np.testing.assert_allclose(run(own.determinant()), TIMES**3)
        logs = run(own.log_abs_determinant())
        np.testing.assert_allclose(logs, 3 * np.log(np.abs(TIMES)), rtol=1e-6)


def test_the_adjoint_of_a_complex_number() -> None:
    with tf.Graph().as_default():
        own = tf.linalg.LinearOperatorScaledIdentity(3, np.complex64(2 + 1j))
        found = run(own.matmul(Q.astype(np.complex64), adjoint=True))
        np.testing.assert_allclose(found, (2 - 1j) * Q)
        logs = run(own.log_abs_determinant())
        assert abs(logs - 1.5 * np.log(5.0)) < 1e-5


@pytest.mark.parametrize("batch", [None, [2]])
def test_the_identity_changes_nothing(batch: Any) -> None:
    with tf.Graph().as_default():
        own = tf.linalg.LinearOperatorIdentity(3, batch_shape=batch)
        assert own.shape.as_list() == [*(batch or []), 3, 3]
        wanted = np.broadcast_to(Q, own.shape.as_list())
        np.testing.assert_allclose(run(own.matmul(Q)) + 0 * wanted, wanted)
        assert run(own.determinant()).tolist() == ([1.0, 1.0] if batch else 1.0)
        assert not run(own.log_abs_determinant()).any()


def test_calls_of_one_operator_are_numbered_by_themselves() -> None:
    with tf.Graph().as_default():
        own = tf.linalg.LinearOperatorDiag([1.0, 2.0, 3.0])
        made = [own.matmul(Q), own.solve(Q), own.matmul(Q)]
        assert [x.name for x in made] == [
            "LinearOperatorDiag/matmul/mul:0",
            "LinearOperatorDiag/solve/mul:0",
            "LinearOperatorDiag/matmul_1/mul:0",
        ]


def test_what_is_stitched_is_as_long_as_places_say() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        made = tf.dynamic_stitch([[0, 4], [1]], [x[:2], x[2:]])
        assert made.shape.as_list() == [5, 2]
