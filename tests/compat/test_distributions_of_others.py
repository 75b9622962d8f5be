"""tf.contrib.distributions made of others, relaxed and settled ones, and functions beside them.

The expected numbers are those that TensorFlow 1.15.5 gives.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, ShapeError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
D: Any = import_module("tensorlite.compat.v1.contrib.distributions")
LOGITS = [[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]]
SHARES = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
ROWS = np.random.RandomState(0).randn(4, 5).astype(np.float32)


def relaxed() -> Any:
    return D.RelaxedOneHotCategorical([0.7, 0.5], logits=LOGITS)


def mixture() -> Any:
    parts = [D.Normal(0.0, 1.0), D.Normal(3.0, 2.0)]
    return D.Mixture(cat=D.Categorical(probs=[0.3, 0.7]), components=parts)


def vectors() -> Any:
    kind = D.MultivariateNormalDiag
    parts = [
        kind([[0.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]]),
        kind([[2.0, 1.0], [0.0, 1.0]], [[1.0, 3.0], [2.0, 1.0]]),
    ]
    return D.Mixture(D.Categorical(probs=[[0.3, 0.7], [0.5, 0.5]]), parts)


def family() -> Any:
    chosen = D.Categorical(probs=[0.3, 0.7])
    return D.MixtureSameFamily(chosen, D.Normal([0.0, 3.0], [1.0, 2.0]))


def family_of_vectors() -> Any:
    middles = np.arange(12.0, dtype=np.float32).reshape(2, 2, 3)
    parts = D.MultivariateNormalDiag(middles, np.full(3, 2.0, np.float32))
    return D.MixtureSameFamily(D.Categorical(probs=[[0.3, 0.7], [0.5, 0.5]]), parts)


def together(count: int | None = None) -> Any:
    return D.Independent(D.Normal(tf.zeros([2, 3]), tf.ones([2, 3]) * 2), count)


def settled() -> Any:
    return D.Deterministic([1.0, 2.0], atol=0.1)


def settled_vectors() -> Any:
    return D.VectorDeterministic([[1.0, 2.0], [3.0, 4.0]])


def failures() -> Any:
    return D.NegativeBinomial(5.0, probs=[0.3, 0.6])


CASES: list[tuple[Callable[[], Any], Any]] = [
    (lambda: relaxed().prob(SHARES), [0.8864, 1.7493]),
    (
        lambda: D.RelaxedOneHotCategorical(0.7, probs=SHARES).log_prob(SHARES),
        [0.1715, 1.3752],
    ),
    (
        lambda: D.ExpRelaxedOneHotCategorical(0.7, LOGITS).log_prob(np.log(SHARES)),
        [-3.6271, -3.5582],
    ),
    (
        lambda: D.RelaxedBernoulli(0.5, logits=[0.1, -2.0]).log_prob([0.3, 0.6]),
        [-0.5866, -1.6784],
    ),
    (
        lambda: D.RelaxedBernoulli(0.5, probs=[0.1, 0.2]).cdf([0.3, 0.6]),
        [0.8549, 0.8305],
    ),
    (lambda: mixture().log_prob([0.0, 1.0, 5.0]), [-1.8017, -1.8497, -2.4688]),
    (lambda: mixture().mean(), 2.1),
    (lambda: mixture().stddev(), 2.2338),
    (lambda: mixture().cdf(1.0), 0.3635),
    (lambda: mixture().entropy_lower_bound(), 1.9041),
    (lambda: vectors().log_prob([[0.0, 1.0], [2.0, 1.0]]), [-2.9418, -3.1775]),
    (lambda: vectors().mean(), [[1.4, 1.0], [0.5, 1.0]]),
    (lambda: vectors().variance(), [[1.84, 6.6], [4.25, 2.5]]),
    (lambda: family().log_prob([0.0, 1.0, 5.0]), [-1.8017, -1.8497, -2.4688]),
    (lambda: family().variance(), 4.99),
    (lambda: family().cdf([1.0, 2.0]), [0.3635, 0.5092]),
    (lambda: family_of_vectors().log_prob(tf.ones([2, 3])), [-6.2134, -19.2794]),
    (lambda: family_of_vectors().mean(), [[2.1, 3.1, 4.1], [7.5, 8.5, 9.5]]),
    (lambda: family_of_vectors().variance(), [[5.89] * 3, [6.25] * 3]),
    (lambda: together().log_prob(tf.ones([2, 3])), [-5.2113, -5.2113]),
    (lambda: together(2).log_prob(tf.ones([2, 3])), -10.4225),
    (lambda: together().entropy(), [6.3363, 6.3363]),
    (lambda: D.kl_divergence(together(), together()), [0.0, 0.0]),
    (lambda: settled().log_prob([1.05, 2.5]), [0.0, -np.inf]),
    (lambda: settled().cdf([0.95, 1.5]), [1.0, 0.0]),
    (lambda: settled().sample(2), [[1.0, 2.0], [1.0, 2.0]]),
    (lambda: settled_vectors().prob([[1.0, 2.0], [3.0, 5.0]]), [1.0, 0.0]),
    (lambda: settled_vectors().entropy(), [0.0, 0.0]),
    (lambda: failures().log_prob([0.0, 4.0]), [-1.7834, -2.3763]),
    (lambda: failures().mean(), [2.1429, 7.5]),
    (lambda: failures().variance(), [3.0612, 18.75]),
    (lambda: failures().mode(), [1.0, 6.0]),
    (lambda: failures().cdf([1.0, 3.0]), [0.4202, 0.1737]),
    (lambda: D.percentile(ROWS, 30.0), 0.144),
    (lambda: D.percentile(ROWS, 30.0, 1), [0.9787, -0.1514, 0.144, -0.2052]),
    (
        lambda: D.percentile(ROWS, 30.0, 0, "lower", keep_dims=True),
        [[-0.9773, 0.4002, -0.2052, -0.1032, -0.8541]],
    ),
    (
        lambda: D.percentile(ROWS, 30.0, -1, "higher"),
        [1.7641, -0.1032, 0.4439, 0.3131],
    ),
    (lambda: D.percentile([1, 2, 3, 4], 50.0), 2),
    (
        lambda: D.softplus_inverse([1e-20, 1e-3, 0.5, 3.0, 200.0]),
        [-46.0517, -6.9073, -0.4328, 2.9489, 200.0],
    ),
    (
        lambda: D.reduce_weighted_logsumexp(ROWS, axis=1),
        [3.2528, 1.8296, 2.3287, 2.1352],
    ),
    (
        lambda: D.reduce_weighted_logsumexp(ROWS, np.sign(ROWS), 0),
        [2.0808, 2.5506, 1.1402, 2.3976, 2.2097],
    ),
    (lambda: D.reduce_weighted_logsumexp(ROWS, ROWS, keep_dims=True), [[4.1745]]),
    (
        lambda: D.fill_triangular([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        [[4, 0, 0], [6, 5, 0], [3, 2, 1]],
    ),
    (
        lambda: D.fill_triangular([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], upper=True),
        [[1, 2, 3], [0, 5, 6], [0, 0, 4]],
    ),
]


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("number", range(len(CASES)))
def test_values_are_those_of_tensorflow(number: int) -> None:
    make, expected = CASES[number]
    with tf.Graph().as_default(), tf.Session() as session:
        np.testing.assert_allclose(session.run(make()), expected, atol=1e-4)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (relaxed, [2, 3]),
        (mixture, []),
        (vectors, [2, 2]),
        (family, []),
        (family_of_vectors, [2, 3]),
        (together, [2, 3]),
        (settled_vectors, [2, 2]),
        (failures, [2]),
    ],
)
def test_draws_have_the_mean_and_the_shape_of_their_distribution(
    make: Callable[[], Any], shape: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(5)
        of = make()
        assert of.batch_shape.as_list() + of.event_shape.as_list() == shape
        drawn = session.run(of.sample([100, 40], seed=2))
        assert list(drawn.shape) == [100, 40, *shape]
        if isinstance(of, D.RelaxedOneHotCategorical):
            np.testing.assert_allclose(drawn.sum(-1), 1, atol=1e-5)
            return
        mean, spread = session.run([of.mean(), of.stddev()])
        np.testing.assert_allclose(
            drawn.mean((0, 1)), mean, atol=0.1 * np.max(spread) + 1e-6
        )


def test_gradients_flow_through_relaxed_draws() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.constant(LOGITS)
        drawn = D.RelaxedOneHotCategorical(0.5, logits=logits).sample(seed=1)
        (slope,) = tf.gradients(drawn[:, 0], logits)
        assert np.all(session.run(slope)[:, 0] > 0)


def test_what_is_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(InvalidArgumentError, match="cannot exceed"):
            together(3)
        with pytest.raises(ShapeError, match=r"cat\.num_classes != len"):
            D.Mixture(D.Categorical(probs=[0.2, 0.3, 0.5]), [D.Normal(0.0, 1.0)])
        with pytest.raises(InvalidArgumentError, match="not both"):
            D.RelaxedBernoulli(0.5)
        with pytest.raises(ShapeError, match="make no triangle"):
            D.fill_triangular([1.0, 2.0])
        with pytest.raises(InvalidArgumentError, match="allowed: nearest"):
            D.percentile([1.0], 50.0, interpolation="linear")
