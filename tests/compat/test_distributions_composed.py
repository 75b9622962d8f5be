"""Distributions that are composed as TensorFlow's: values by formulas, and names of results."""

from __future__ import annotations

from math import comb, lgamma, log, pi
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

ds: Any = tf.contrib.distributions


def run(x: Any) -> Any:
    with tf.Session() as session:
        return session.run(x)


@pytest.mark.parametrize("given", ["logits", "probs"])
def test_chances_of_counts_are_weighed_by_their_ways(given: str) -> None:
    chance = 0.25
    value = log(chance / (1 - chance)) if given == "logits" else chance
    with tf.Graph().as_default():
        tries = ds.Binomial(5.0, **{given: value}).log_prob(2.0)
        failures = ds.NegativeBinomial(3.0, **{given: value}).log_prob(2.0)
        found = run([tries, failures])
    assert (tries.name, failures.name) == (
        "Binomial/log_prob/sub_3:0",
        "NegativeBinomial/log_prob/sub:0",
    )
    each = log(comb(5, 2) * chance**2 * (1 - chance) ** 3)
    ways = lgamma(5.0) - lgamma(3.0) - lgamma(3.0)
    other = ways + 3 * log(1 - chance) + 2 * log(chance)
    np.testing.assert_allclose(found, [each, other], rtol=1e-5)


def test_counts_of_what_nearly_always_is_are_certain() -> None:
    with tf.Graph().as_default():
        found = run(ds.Binomial(3.0, [200.0, -200.0]).log_prob([3.0, 0.0]))
    np.testing.assert_allclose(found, [0.0, 0.0], atol=1e-6)


def test_relaxed_classes_are_exponentials_of_their_logarithms() -> None:
    with tf.Graph().as_default():
        drawn = ds.RelaxedOneHotCategorical(0.5, [0.1, 0.4, 2.0]).sample([4, 2])
        assert drawn.name == "RelaxedOneHotCategorical/sample/exp/forward/Exp:0"
        assert drawn.shape == [4, 2, 3]
        shares = run(drawn)
    np.testing.assert_allclose(shares.sum(-1), np.ones([4, 2]), rtol=1e-5)


def test_normal_vectors_are_normal_numbers_moved_back() -> None:
    factor = np.array([[2.0, 0.0], [1.0, 0.5]])
    with tf.Graph().as_default():
        found = ds.MultivariateNormalTriL([1.0, 2.0], factor.astype("f")).log_prob(
            [[0.0, 1.0], [1.0, 2.0]]
        )
        assert found.name == "MultivariateNormalTriL/log_prob/add:0"
        made = run(found)
    apart = np.linalg.solve(factor, np.array([[-1.0, -1.0], [0.0, 0.0]]).T).T
    wanted = -0.5 * (apart**2).sum(-1) - log(2 * pi) - log(1.0)
    np.testing.assert_allclose(made, wanted, rtol=1e-5)
