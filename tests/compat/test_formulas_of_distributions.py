"""Values of distributions, composed as TensorFlow composes them; numbers are TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

D: Any = tf.distributions
VALUES: dict[str, tuple[Any, Any]] = {
    "normal": (
        lambda: D.Normal(0.5, 2.0).cdf([-9.0, 0.0, 0.5, 9.0]),
        [1.0170833e-06, 0.40129367, 0.5, 0.99998931],
    ),
    "normal's tail": (
        lambda: D.Normal(0.5, 2.0).survival_function([-9.0, 12.5]),
        [0.99999898, 9.8658765e-10],
    ),
    "normal's quantile": (lambda: D.Normal(0.5, 2.0).quantile(0.975), 4.4199280),
    "uniform": (lambda: D.Uniform(1.0, 3.0).cdf([0.0, 1.5, 4.0]), [0.0, 0.25, 1.0]),
    "uniform without a place": (lambda: D.Uniform(0.0, 1.0).cdf(np.nan), np.nan),
    "gamma": (
        lambda: D.Gamma([1.0, 2.0], 0.5).cdf([1.0, 3.0]),
        [0.39346934, 0.4421746],
    ),
    "beta": (lambda: D.Beta([2.0, 3.0], 3.0).cdf(0.4), [0.5248, 0.31744]),
    "mode of gamma": (lambda: D.Gamma([0.5, 3.0], 2.0).mode(), [np.nan, 1.0]),
    "mode of beta": (
        lambda: D.Beta([0.5, 3.0], [2.0, 2.0]).mode(),
        [np.nan, 2 / 3],
    ),
    "mode of classes": (
        lambda: D.Categorical([[1.0, 3.0], [2.0, 0.0]]).mode(),
        [1, 0],
    ),
    "classes": (
        lambda: D.Categorical(probs=[0.1, 0.2, 0.7]).prob([[0, 2], [1, 1]]),
        [[0.1, 0.7], [0.2, 0.2]],
    ),
    "gammas": (
        lambda: D.kl_divergence(D.Gamma(2.0, 1.0), D.Gamma(3.0, 2.0)),
        0.19092143,
    ),
    "betas": (
        lambda: D.kl_divergence(D.Beta(2.0, 3.0), D.Beta(4.0, 1.0)),
        2.0986123,
    ),
    "Dirichlet's": (
        lambda: D.kl_divergence(D.Dirichlet([1.0, 2.0]), D.Dirichlet([2.0, 2.0])),
        0.40138771,
    ),
    "entropy of Dirichlet's": (
        lambda: D.Dirichlet([2.0, 3.0, 1.5]).entropy(),
        -1.1016042,
    ),
}


@pytest.mark.parametrize(("made", "wanted"), VALUES.values(), ids=VALUES)
def test_values(made: Any, wanted: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        np.testing.assert_allclose(session.run(made()), wanted, rtol=2e-5, atol=1e-7)
