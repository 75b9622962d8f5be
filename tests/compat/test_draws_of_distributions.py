"""Distributions of graphs draw what TensorFlow 1.15 draws, and tell what is at the ends of them.

A graph's seed counts the nodes made before a draw: these must be TensorFlow's for equal numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

D: Any = tf.contrib.distributions
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


def _twice() -> Any:
    """Return draws of one distribution, one after the other."""
    own = D.MultivariateNormalDiag([1.0, 2.0], [1.0, 3.0])
    return tf.concat([own.sample(1), own.sample(1)], 0)


TRIANGLE = [[1.0, 0.0], [0.5, 2.0]]
MADE_OF_OTHERS: list[tuple[Any, Any]] = [
    (
        lambda: D.Mixture(
            D.Categorical([0.3, 0.9]), [D.Normal(0.0, 1.0), D.Normal(5.0, 0.5)]
        ).sample(4),
        [4.101304, 4.848491, 1.334232, 5.102449],
    ),
    (
        lambda: D.BatchReshape(D.Normal([0.0, 1.0, 2.0, 3.0], 2.0), [2, 2]).sample(1),
        [[[-1.666725, -0.1537418], [2.477804, 4.566449]]],
    ),
    (
        lambda: D.VectorSinhArcsinhDiag(
            [0.0, 1.0], [2.0, 1.0], skewness=0.5, tailweight=1.5
        ).sample(2),
        [[0.3019277, 3.577922], [0.7063277, 5.625721]],
    ),
    (
        lambda: D.MultivariateNormalDiag([1.0, 2.0], [1.0, 3.0]).sample(2),
        [[0.100656, 2.813137], [2.346761, 2.46621]],
    ),
    (
        lambda: D.MultivariateNormalTriL([1.0, 2.0], TRIANGLE).sample(2),
        [[-0.3316485, -1.618441], [0.6032301, 2.614985]],
    ),
    (
        lambda: D.MultivariateNormalFullCovariance(
            [1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]
        ).sample(2),
        [[-0.2718645, 1.935574], [2.904608, 2.621519]],
    ),
    (
        lambda: D.MultivariateNormalDiag([[1.0, 2.0], [3.0, 4.0]], [1.0, 3.0]).sample(
            2
        ),
        [
            [[-0.1534902, 6.186923], [2.421165, 7.805083]],
            [[-0.5702568, -0.3475718], [2.623844, 4.655545]],
        ],
    ),
    (
        lambda: D.MultivariateNormalDiagPlusLowRank(
            [1.0, 2.0], [1.0, 3.0], scale_perturb_factor=[[1.0], [2.0]]
        ).sample(2),
        [[1.117651, -2.856819], [1.841297, 8.17993]],
    ),
    (
        lambda: D.VectorLaplaceDiag([1.0, 2.0], [1.0, 3.0]).sample(2),
        [[1.337716, 4.698131], [0.7741889, -0.3072875]],
    ),
    (
        lambda: D.VectorExponentialDiag([1.0, 2.0], [1.0, 3.0]).sample(2),
        [[1.441143, 2.682251], [1.918958, 6.38673]],
    ),
    (
        lambda: D.RelaxedBernoulli(0.5, probs=[0.3, 0.6]).sample(2),
        [[0.02008004, 0.8084499], [0.0228104, 0.08710957]],
    ),
    (
        lambda: D.RelaxedOneHotCategorical(0.5, logits=[0.3, 0.6, 1.0]).sample(2),
        [[0.04365274, 0.003916517, 0.9524307], [0.001190754, 0.3554593, 0.6433499]],
    ),
    (
        lambda: D.Mixture(
            D.Categorical([0.3, 0.9]),
            [D.Normal(0.0, 1.0), D.Normal(5.0, 0.5)],
            use_static_graph=True,
        ).sample(4),
        [-0.8856774, 4.823032, 0.2807412, 5.68364],
    ),
    (
        lambda: D.MixtureSameFamily(
            D.Categorical([0.3, 0.9]), D.Normal([0.0, 5.0], 1.0)
        ).sample(4),
        [1.22554, 5.302102, -1.240008, 4.213882],
    ),
    (
        lambda: D.Kumaraswamy([2.0, 3.0], 1.5).sample(2),
        [[0.7587717, 0.5106405], [0.8701203, 0.9042678]],
    ),
    (
        lambda: D.SinhArcsinh([0.0, 1.0], 2.0, 0.5, 1.5).sample(2),
        [[2.158308, 1.18847], [1.787696, 1.728235]],
    ),
    (
        lambda: D.TransformedDistribution(
            D.Normal(0.0, 1.0),
            D.bijectors.Affine([1.0, 2.0], scale_tril=TRIANGLE),
            event_shape=[2],
        ).sample(3),
        [[1.318204, 5.374987], [-0.5177944, 0.3822271], [0.1630067, 0.2492557]],
    ),
    (
        lambda: D.NegativeBinomial([2.0, 3.0], probs=0.4).sample(3),
        [[1.0, 5.0], [1.0, 1.0], [0.0, 3.0]],
    ),
    (
        _twice,
        [[0.100656, 2.813137], [2.943715, 0.5323678]],
    ),
]


@pytest.mark.parametrize(("program", "expected"), MADE_OF_OTHERS)
def test_draws_of_distributions_made_of_others(program: Any, expected: Any) -> None:
    np.testing.assert_allclose(drawn(program), expected, rtol=1e-4, atol=1e-5)
