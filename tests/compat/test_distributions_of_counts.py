"""tf.distributions of counts of classes, what their family checks of arguments and values, shapes.

Expected moments and probabilities are the textbooks' formulas, in NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
P = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
A = np.array([[1.0, 2.0, 7.0], [3.0, 3.0, 4.0]])
N = np.array([5.0, 7.0])
COUNTS = np.array([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]])
log_gamma = np.vectorize(lgamma)


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def evaluated(*tensors: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensors)


def _orders() -> Any:
    return log_gamma(N + 1) - log_gamma(COUNTS + 1).sum(-1)


def test_multinomial_has_the_moments_and_probabilities_of_the_formulas() -> None:
    found = tf.distributions.Multinomial(N, probs=P)
    assert (found.batch_shape, found.event_shape) == ((2,), (3,))
    mean, variance, covariance, told = evaluated(
        found.mean(), found.variance(), found.covariance(), found.log_prob(COUNTS)
    )
    np.testing.assert_allclose(mean, N[:, None] * P)
    np.testing.assert_allclose(variance, N[:, None] * P * (1 - P))
    each = [n * (np.diag(p) - np.outer(p, p)) for n, p in zip(N, P, strict=True)]
    np.testing.assert_allclose(covariance, each, atol=1e-12)
    np.testing.assert_allclose(told, (COUNTS * np.log(P)).sum(-1) + _orders())


def test_dirichlet_multinomial_has_the_moments_and_probabilities_of_the_formulas() -> (
    None
):
    found = tf.distributions.DirichletMultinomial(N, A)
    mean, covariance, told = evaluated(
        found.mean(), found.covariance(), found.log_prob(COUNTS)
    )
    total = A.sum(-1)
    share, more = A / total[:, None], (N + total) / (1 + total)
    np.testing.assert_allclose(mean, N[:, None] * share)
    each = [
        n * by * (np.diag(p) - np.outer(p, p))
        for n, by, p in zip(N, more, share, strict=True)
    ]
    np.testing.assert_allclose(covariance, each, atol=1e-12)
    ratio = (log_gamma(A + COUNTS) - log_gamma(A)).sum(-1)
    of_totals = log_gamma(total) - log_gamma(total + N)
    np.testing.assert_allclose(told, ratio + of_totals + _orders())


@pytest.mark.parametrize("kind", ["Multinomial", "DirichletMultinomial"])
def test_counts_are_drawn_that_add_up_and_have_the_mean(kind: str) -> None:
    given = {"probs": P} if kind == "Multinomial" else {"concentration": A}
    found = getattr(tf.distributions, kind)(N, **given)
    drawn, mean = evaluated(found.sample([500, 2], seed=3), found.mean())
    assert drawn.shape == (500, 2, 2, 3)
    assert (drawn.sum(-1) == N).all()
    np.testing.assert_allclose(drawn.mean((0, 1)), mean, atol=0.25)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1.0, 2, 1], [3, 3, 1]], "counts must sum to `self.total_count`"),
        ([[-1.0, 4, 2], [3, 3, 1]], "must be non-negative"),
        ([[0.5, 2.5, 2], [3, 3, 1]], "cannot contain fractional components."),
    ],
)
def test_values_that_are_no_counts_are_refused_where_asked(
    counts: Any, message: str
) -> None:
    checking = tf.distributions.Multinomial(N, probs=P, validate_args=True)
    with pytest.raises(InvalidArgumentError, match=message):
        evaluated(checking.prob(counts))
    evaluated(tf.distributions.Multinomial(N, probs=P).prob(counts))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda d: d.Bernoulli(probs=1.2, validate_args=True).probs,
            "greater than 1",
        ),
        (lambda d: d.Bernoulli(probs=-1.0, validate_args=True).probs, "less than 0"),
        (
            lambda d: d.Categorical(probs=[0.5, 0.2], validate_args=True).probs,
            "sum to 1",
        ),
        (lambda d: d.Normal(0.0, -1.0, validate_args=True).scale, "x > 0"),
        (lambda d: d.Normal(0.0, -1.0, validate_args=True).mean(), "x > 0"),
        (lambda d: d.Gamma(0.5, 1.0, allow_nan_stats=False).mode(), "x < y"),
        (lambda d: d.Uniform(2.0, 1.0, validate_args=True).low, "low >= high"),
        (lambda d: d.Gamma(-1.0, 1.0, validate_args=True).concentration, "x > 0"),
        (lambda d: d.Beta(0.5, 2.0, allow_nan_stats=False).mode(), "Mode undefined"),
        (lambda d: d.Dirichlet([0.0, 1.0], validate_args=True).mean(), "be positive"),
    ],
)
def test_arguments_are_checked_where_asked(make: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        evaluated(make(tf.distributions))


def test_shapes_of_parameters_follow_from_that_of_a_draw() -> None:
    normal = tf.distributions.Normal
    assert normal.param_static_shapes([2, 3]) == {"loc": (2, 3), "scale": (2, 3)}
    (loc,) = evaluated(normal.param_shapes([2, 3])["loc"])
    assert loc.tolist() == [2, 3]


def test_so_many_are_drawn_as_is_fed() -> None:
    count = tf.placeholder(tf.int32)
    drawn = tf.distributions.Bernoulli(probs=[0.2, 0.6]).sample(count, seed=1)
    with tf.Session() as session:
        assert session.run(drawn, {count: 7}).shape == (7, 2)
