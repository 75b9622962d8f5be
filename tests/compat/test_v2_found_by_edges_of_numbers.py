"""Numbers at the edges that TensorFlow 2.21's own tests ask for, with the values it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2

tf: Any = v2
LOW, HIGH = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def test_quotients_towards_zero_of_the_smallest_number() -> None:
    x = tf.constant([LOW, HIGH, 5, LOW, 7, -7, 6])
    y = tf.constant([HIGH, LOW, LOW, -1, -2, 2, -3])
    with np.errstate(over="ignore"):  # as users have it
        quotients = tf.truncatediv(x, y).numpy().tolist()
        rests = tf.truncatemod(x, y).numpy().tolist()
    assert quotients == [-1, 0, 0, LOW, -3, -3, -2]
    assert rests == [-1, HIGH, 5, 0, 1, -1, 0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gelu_far_below_zero_is_not_zero(dtype: str) -> None:
    found = tf.nn.gelu(tf.constant([-5.0, -3.0, 1.0], dtype)).numpy()
    wanted = [-1.43325786e-06, -4.04969409e-03, 8.41344746e-01]
    rtol = {"float16": 0.05, "float32": 1e-5, "float64": 1e-7}[dtype]
    np.testing.assert_allclose(found, wanted, rtol=rtol)
    far = tf.nn.gelu(tf.constant([-12.0, -6.0])).numpy()
    np.testing.assert_allclose(far, [-2.1317925e-32, -5.9195355e-09], rtol=1e-5)


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 1)])
def test_determinants_of_what_is_no_number_are_none(place: tuple[int, int]) -> None:
    held = np.array([[[2.0, 0.0], [0.0, 3.0]]] * 2)
    held[(1, *place)] = np.nan
    np.testing.assert_array_equal(tf.linalg.det(held).numpy(), [6.0, np.nan])
    sign, log = tf.linalg.slogdet(held)
    np.testing.assert_array_equal(sign.numpy(), [1.0, np.nan])
    np.testing.assert_allclose(log.numpy(), [np.log(6.0), np.nan])
