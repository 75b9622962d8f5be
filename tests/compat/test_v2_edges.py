"""Special functions at their edges, complex numbers and ragged tensors; values are TensorFlow's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

ROWS = [[1.0, 2.0], [3.0], []]
Z = [1 + 2j, 3 - 1j]


def ragged() -> Any:
    return tf.ragged.constant(ROWS)


def test_gamma_and_its_kin_at_their_edges() -> None:
    found = tf.math.lgamma([0.0, -1.0, -0.5]).numpy()
    np.testing.assert_allclose(found, [math.inf, math.inf, 1.2655121], rtol=1e-6)
    found = tf.math.digamma([0.0, -1.0, -0.5]).numpy()
    np.testing.assert_allclose(found, [math.nan, math.nan, 0.03648998], rtol=1e-6)


@pytest.mark.parametrize(
    ("a", "x", "lower", "upper"),
    [
        (0.0, 0.0, 0.0, math.nan),
        (1.0, 0.0, 0.0, 1.0),
        (math.inf, 1.0, 0.0, 1.0),
        (1.0, math.inf, 1.0, 0.0),
        (-1.0, 1.0, math.nan, math.nan),
        (1.0, 1.0, 0.63212055, 0.36787945),
    ],
)
def test_incomplete_gamma_integrals(
    a: float, x: float, lower: float, upper: float
) -> None:
    np.testing.assert_allclose(tf.math.igamma(a, x).numpy(), lower, rtol=1e-6)
    np.testing.assert_allclose(tf.math.igammac(a, x).numpy(), upper, rtol=1e-6)


def test_complex_numbers_have_sigmoids_and_lengths() -> None:
    z = tf.constant(Z, tf.complex64)
    made = tf.sigmoid(z).numpy()
    np.testing.assert_allclose(made, 1 / (1 + np.exp(-np.array(Z))), rtol=1e-5)
    made = tf.nn.l2_normalize(z).numpy()
    np.testing.assert_allclose(made, np.array(Z) / math.sqrt(15), rtol=1e-5)


def test_ragged_tensors_where_tensors_are_taken() -> None:
    x = ragged()
    logistic = [[v / (1 + math.exp(-v)) for v in row] for row in ROWS]
    for row, expected in zip(tf.nn.silu(x).to_list(), logistic, strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-5)
    assert tf.complex(x, x).to_list() == [[1 + 1j, 2 + 2j], [3 + 3j], []]
    assert tf.nn.dropout(x, 0.0).to_list() == ROWS
    kept = tf.nn.dropout(tf.ragged.constant([[1.0] * 50, [1.0]]), 0.5, seed=1)
    assert set(np.unique(kept.flat_values.numpy())) == {0.0, 2.0}
    made = tf.nn.batch_normalization(x, 1.0, 4.0, 0.0, 1.0, 0.0)
    assert made.to_list() == [[0.0, 0.5], [1.0], []]


def test_assertions_compare_ragged_tensors() -> None:
    x = ragged()
    tf.debugging.assert_equal(x, x)
    tf.debugging.assert_less(x, x + 1.0)
    tf.debugging.assert_near(x, x)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_equal(x, x + 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(x, x)
