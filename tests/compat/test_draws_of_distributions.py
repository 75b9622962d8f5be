"""Distributions of graphs draw what TensorFlow 1.15 draws, and tell what is at the ends of them.

A graph's seed counts the nodes made before a draw: these must be TensorFlow's for equal numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

GRID = np.arange(20, dtype=np.float32).reshape(5, 4)


def drawn(program: Any) -> Any:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.set_random_seed(7)
        return session.run(program())


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda: tf.random_crop(tf.constant(GRID), [2, 2]), [[5, 6], [9, 10]]),
        (
            lambda: tf.distributions.Normal([0.5, 1.0], 1.5).sample(),
            [2.9084055, 4.3374314],
        ),
        (
            lambda: tf.distributions.Laplace(0.5, 1.5).sample(2),
            [2.8967099, 1.4880182],
        ),
        (
            lambda: tf.distributions.Gamma([0.5, 3.0], 1.5).sample(2),
            [[0.19291517, 1.8204273], [0.0021545021, 2.4355929]],
        ),
        (
            lambda: tf.distributions.Exponential([0.5]).sample(2),
            [[0.2133226], [0.59888154]],
        ),
        (
            lambda: tf.distributions.Uniform(0.5, 1.5).sample([2]),
            [0.52318633, 0.59948754],
        ),
        (
            lambda: tf.distributions.Bernoulli(probs=[0.2, 0.5, 0.7]).sample(2),
            [[1, 0, 1], [0, 0, 0]],
        ),
        (
            lambda: tf.distributions.Categorical([[0.1, 0.5, 0.7]]).sample(4),
            [[0], [1], [1], [2]],
        ),
        (
            lambda: tf.distributions.Beta(0.5, 1.5).sample(2),
            [0.0022900945, 0.018714042],
        ),
        (lambda: tf.random_poisson([1.0, 4.0], [3]), [[2, 1], [1, 4], [2, 5]]),
    ],
)
def test_draws_are_tensorflows(program: Any, expected: Any) -> None:
    np.testing.assert_allclose(drawn(program), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "program",
    [
        lambda: tf.distributions.Gamma(1.0, 2.0).log_prob(0.0),
        lambda: tf.distributions.Exponential(2.0).log_prob(0.0),
        lambda: tf.distributions.Beta(1.0, 2.0).log_prob(0.0),
        lambda: tf.distributions.Dirichlet([1.0, 2.0]).log_prob([0.0, 1.0]),
    ],
)
def test_densities_at_zero_are_numbers_where_weights_are_one(program: Any) -> None:
    np.testing.assert_allclose(drawn(program), np.log(2), rtol=1e-6)


def test_polynomials_at_infinity_are_infinite() -> None:
    assert drawn(lambda: tf.math.polyval([1.0, 2.0], tf.constant(np.inf))) == np.inf


def test_draws_by_rejection_are_written_and_read() -> None:
    with tf.Graph().as_default() as graph:
        tf.random_gamma([2], [1.0, 3.0], seed=3, name="gamma")
        tf.random_poisson([1.0, 4.0], [2], seed=3, name="poisson")
        names = ["gamma/Maximum:0", "poisson/RandomPoissonV2:0"]
        with tf.Session(graph=graph) as session:
            first = session.run(names)
    with tf.Graph().as_default() as again, tf.Session(graph=again) as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        second = session.run(names)
    for x, y in zip(first, second, strict=True):
        np.testing.assert_array_equal(x, y)
