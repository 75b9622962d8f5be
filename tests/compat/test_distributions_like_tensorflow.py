"""tf.contrib.distributions and its bijectors have TensorFlow 1.15's values, as recorded.

Where a flow's Jacobian is asked for before its values, 1.15 gives it with the other sign: that is
not recorded, and compared with gradients.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
D: Any = tf.contrib.distributions
B: Any = D.bijectors
RECORDED: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "recorded" / "distributions_added.json").read_text()
)


def _before(x: Any) -> tuple[Any, Any]:
    """Return how much each of two elements is moved, and stretched, by the one before it."""
    first, none = x[..., :1], tf.zeros_like(x[..., :1])
    return tf.concat([none, first], -1), tf.concat([none, 0.5 * first], -1)


def _chained(x: Any = None) -> Any:
    """Return normal vectors whose last element is around the first one."""
    loc = tf.zeros([2]) if x is None else _before(x)[0]
    return D.MultivariateNormalDiag(loc, [1.0, 2.0])


def _between_two() -> Any:
    scales = [
        tf.linalg.LinearOperatorScaledIdentity(2, 1.1, is_positive_definite=True),
        tf.linalg.LinearOperatorDiag([2.5, 1.0], is_positive_definite=True),
    ]
    places, base = [None, [2.0, 1.0]], D.Normal(0.0, 1.0)
    return D.VectorDiffeomixture([[0.0], [1.0]], [1.0], base, places, scales, 4)


def _lower(rows: Any) -> Any:
    return tf.linalg.LinearOperatorLowerTriangular(rows)


HERMITE = D.quadrature_scheme_lognormal_gauss_hermite
MADE: dict[str, Callable[[], Any]] = {
    "kumaraswamy": lambda: D.Kumaraswamy([2.0, 3.0], 1.5),
    "sinh arcsinh": lambda: D.SinhArcsinh([0.0, 1.0], 2.0, 0.5, 1.5),
    "quantized": lambda: D.QuantizedDistribution(D.Normal(2.0, 1.5), 0.0, 5.0),
    "wishart": lambda: D.WishartFull(4.0, [[2.0, 0.3], [0.3, 1.0]]),
    "reshaped": lambda: D.BatchReshape(
        D.Normal(np.arange(6.0, dtype="f"), 2.0), [2, -1]
    ),
    "autoregressive": lambda: D.Autoregressive(_chained),
    "poisson lognormal": lambda: D.PoissonLogNormalQuadratureCompound(
        [0.0, -0.5], [1.0, 0.5], 5
    ),
    "poisson lognormal of hermite": lambda: D.PoissonLogNormalQuadratureCompound(
        0.0, 1.0, 4, HERMITE
    ),
    "between two": _between_two,
    "vectors of other tails": lambda: D.VectorSinhArcsinhDiag(
        [0.5, 1.0], [1.0, 2.0], skewness=0.3, tailweight=[1.0, 2.0]
    ),
    "low rank": lambda: D.MultivariateNormalDiagPlusLowRank(
        [1.0, 2.0],
        [1.0, 0.5],
        scale_perturb_factor=[[1.0], [0.5]],
        scale_perturb_diag=[2.0],
    ),
    "exponential vectors": lambda: D.VectorExponentialDiag([1.0, 2.0], [0.5, 2.0]),
    "mixture": lambda: D.Mixture(
        D.Categorical([0.3, 0.9]), [D.Normal(0.0, 1.0), D.Normal(2.0, 0.5)]
    ),
    "family of vectors": lambda: D.MixtureSameFamily(
        D.Categorical([0.3, 0.9]),
        D.MultivariateNormalDiag([[0.0, 1.0], [2.0, 0.5]], [[1.0, 2.0], [0.5, 1.0]]),
    ),
    "half normal": lambda: D.HalfNormal([1.0, 2.0, 0.5]),
}
ASKED: dict[str, str] = {
    "kumaraswamy": "log_prob [0.3, 0.6]; mean; variance; entropy; cdf 0.4; mode",
    "sinh arcsinh": "log_prob [0.3, -1.0]; cdf 0.5",
    "quantized": "log_prob [0.0, 2.0, 5.0]; prob [1.0, 3.0, 5.0]; cdf 2.5; survival_function 1.0",
    "wishart": (
        "log_prob [[2.0, 0.5], [0.5, 1.0]]; mean; variance; entropy; mode; mean_log_det; stddev"
    ),
    "reshaped": (
        "log_prob [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]; mean; variance; entropy; batch_shape_tensor"
    ),
    "autoregressive": "log_prob [0.1, 0.2]; prob [[0.1, 0.2]]; event_shape_tensor",
    "poisson lognormal": "log_prob [0.0, 2.0]; mean; variance; stddev",
    "poisson lognormal of hermite": "log_prob 1.0; mean; variance",
    "between two": "log_prob [[0.1, 0.2]]; mean; variance; covariance",
    "vectors of other tails": "log_prob [[0.1, 0.2], [1.0, 0.0]]",
    "low rank": "log_prob [0.1, 0.2]; covariance; variance; stddev; entropy",
    "exponential vectors": "log_prob [2.0, 3.0]; mean; mode; covariance; entropy",
    "mixture": "log_prob [0.2, 1.0]; mean; stddev; log_cdf 0.3; entropy_lower_bound",
    "family of vectors": "log_prob [0.2, 1.0]; mean; variance; covariance",
    "half normal": "quantile [0.1, 0.5, 0.9]; cdf -1.0; prob -1.0; log_prob 0.5",
}
BIJECTORS: dict[str, tuple[Callable[[], Any], Any]] = {
    "gumbel": (lambda: B.Gumbel(0.5, 2.0), [[0.2, -1.0], [1.5, 3.0]]),
    "kumaraswamy": (lambda: B.Kumaraswamy(2.0, 3.0), [[0.2, 0.5], [0.7, 0.9]]),
    "sinh arcsinh": (lambda: B.SinhArcsinh(0.5, 1.5), [[0.2, -1.0], [1.5, 3.0]]),
    "affine operator": (
        lambda: B.AffineLinearOperator([1.0, 2.0], _lower([[1.0, 0.0], [0.5, 2.0]])),
        [[0.2, -1.0], [1.5, 3.0]],
    ),
    "low rank": (
        lambda: B.Affine(scale_diag=[1.0, 2.0], scale_perturb_factor=[[1.0], [0.5]]),
        [[0.2, -1.0], [1.5, 3.0]],
    ),
    "ordered": (B.Ordered, [[0.2, 1.0, 4.0]]),
    "softmax": (B.SoftmaxCentered, [[0.2, -1.0], [1.5, 3.0]]),
    "reshape": (lambda: B.Reshape([-1], [2, 2]), [[[0.2, 1.0], [2.0, 3.0]]]),
    "fill": (B.FillTriangular, [[0.2, -1.0, 2.0]]),
    "scale": (B.ScaleTriL, [[0.2, -1.0, 2.0]]),
    "outer": (B.CholeskyOuterProduct, [[1.0, 0.0], [0.5, 2.0]]),
    "inverse": (B.MatrixInverseTriL, [[1.0, 0.0], [0.5, 2.0]]),
    "diagonal": (lambda: B.TransformDiagonal(B.Exp()), [[1.0, 3.0], [0.5, 2.0]]),
    "flow": (
        lambda: B.MaskedAutoregressiveFlow(_before),
        [[0.2, -1.0], [1.5, 3.0]],
    ),
    "chain": (lambda: B.Chain([B.Exp(), B.FillTriangular()]), [[0.2, -1.0, 2.0]]),
}


def _near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", MADE)
def test_distributions_tell(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made, told = MADE[name](), []
        for asked in ASKED[name].split("; "):
            method, _, value = asked.partition(" ")
            given = [json.loads(value)] if value else []
            told.append(getattr(made, method)(*given))
        for found, expected in zip(session.run(told), RECORDED[name], strict=True):
            _near(found, expected)


@pytest.mark.parametrize("name", BIJECTORS)
def test_bijectors_map(name: str) -> None:
    recorded = list(RECORDED[f"bijector {name}"])
    make, value = BIJECTORS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        one, x = make(), tf.constant(value)
        rank = max(one.forward_min_event_ndims, 1)
        other = one.inverse_min_event_ndims + rank - one.forward_min_event_ndims
        y = one.forward(x)
        again = tf.constant(session.run(y))
        told = [
            y,
            one.inverse(again),
            one.inverse_log_det_jacobian(again, other),
            tf.gradients(y, x)[0],
        ]
        if name != "flow":
            told.insert(2, one.forward_log_det_jacobian(x, rank))
        for found, expected in zip(session.run(told), recorded, strict=True):
            _near(found, expected)


def test_flows_tell_their_jacobians() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[0.2, -1.0], [1.5, 3.0]])
        flow = B.MaskedAutoregressiveFlow(_before)
        told = flow.forward_log_det_jacobian(x, 1)
        steep = [tf.gradients(flow.forward(x)[:, i], x)[0][:, i] for i in range(2)]
        found, first, last = session.run([told, *steep])
    _near(found, np.log(first * last))


def test_values_elsewhere() -> None:
    scores = [1.0, 3.0, 2.0, 5.0, 4.0]
    rows = [[1.0, 3.0], [2.0, 5.0], [0.0, 1.0]]
    with tf.Graph().as_default(), tf.Session() as session:
        prior, total = D.Normal(0.5, 2.0), tf.constant(3.0)
        after = D.normal_conjugates_known_scale_posterior(prior, 1.5, total, 4)
        following = D.normal_conjugates_known_scale_predictive(prior, 1.5, total, 4)
        vectors = D.MultivariateNormalTriL([1.0, 0.0], [[1.0, 0.0], [0.5, 2.0]])
        others = D.MultivariateNormalDiag([0.0, 1.0], [2.0, 1.0])
        batches = [
            D.Independent(D.Normal(loc, scale), 1)
            for loc, scale in (([0.0, 1.0], 1.0), ([1.0, 1.0], 2.0))
        ]
        told = {
            "conjugates": [after.loc, after.scale, following.scale],
            "correlation": [
                D.auto_correlation(scores),
                D.auto_correlation(
                    rows, axis=0, max_lags=1, center=False, normalize=False
                ),
            ],
            "counts at the ends": [
                D.Binomial(3.0, probs=[0.0, 0.5]).cdf([3.0, 3.0]),
                D.Geometric(probs=[1.0, 0.5]).log_prob(0.0),
                D.NegativeBinomial([0.5, 4.0], probs=0.4).mode(),
                D.Geometric(probs=[0.3, 0.5]).entropy(),
            ],
            "divergences": [
                D.kl_divergence(vectors, others),
                D.kl_divergence(*batches),
                D.Normal(0.0, 1.0).cross_entropy(D.Normal(1.0, 2.0)),
            ],
        }
        for name, found in session.run(told).items():
            for x, expected in zip(found, RECORDED[name], strict=True):
                _near(x, expected)


class _Coin(D.Distribution):  # type: ignore[misc]
    """A distribution as programs write one: of 0 and 1, by the chance of 1."""

    def __init__(self, chance: Any, name: str = "Coin") -> None:
        parameters = dict(locals())
        with tf.name_scope(name) as prefix:
            self._chance = tf.convert_to_tensor(chance)
            super().__init__(
                dtype=tf.float32,
                reparameterization_type=D.NOT_REPARAMETERIZED,
                validate_args=False,
                allow_nan_stats=True,
                parameters=parameters,
                graph_parents=[self._chance],
                name=prefix,
            )

    def _batch_shape(self) -> Any:
        return self._chance.get_shape()

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = tf.concat([[n], tf.shape(self._chance)], 0)
        return tf.cast(tf.random_uniform(shape, seed=seed) < self._chance, tf.float32)

    def _log_prob(self, value: Any) -> Any:
        return tf.log(value * self._chance + (1 - value) * (1 - self._chance))

    def _variance(self) -> Any:
        return self._chance * (1 - self._chance)


def test_programs_write_distributions() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        coin = _Coin([0.25, 1.0])
        drawn = coin.sample([3, 4], seed=1)
        assert drawn.get_shape().as_list() == [3, 4, 2]
        assert coin.prob([1.0, 1.0]).name == "Coin/prob/Exp:0"
        told = [coin.prob([1.0, 1.0]), coin.stddev(), drawn[..., 1]]
        chance, wide, ones = session.run(told)
        assert coin.copy(chance=0.5).batch_shape == []
        assert repr(coin) == (
            "<tfp.distributions._Coin 'Coin/' batch_shape=(2,) event_shape=() dtype=float32>"
        )
        assert not session.run(coin.is_scalar_batch())
        with pytest.raises(
            NotImplementedError, match="cdf is not implemented: _Coin"
        ):
            coin.cdf(1.0)
    _near(chance, [0.25, 1.0])
    _near(wide, [np.sqrt(0.1875), 0.0])
    _near(ones, np.ones([3, 4]))


def test_divergences_of_programs_own_kinds() -> None:
    def apart(a: Any, b: Any, name: Any = None) -> Any:
        return tf.constant(float("nan"), name=name)

    D.RegisterKL(_Coin, D.Normal)(apart)

    with tf.Graph().as_default(), tf.Session() as session:
        pair = _Coin(0.5), D.Normal(0.0, 1.0)
        assert np.isnan(session.run(D.kl_divergence(*pair)))
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            session.run(D.kl_divergence(*pair, allow_nan_stats=False))


def test_inverses_of_results_are_what_was_given() -> None:
    with tf.Graph().as_default():
        x, one = tf.constant([100.0]), B.Sigmoid()
        assert one.inverse(one.forward(x)) is x


def test_draws_of_seeds_in_a_row() -> None:
    with tf.Graph().as_default():
        stream = D.SeedStream(42, "salt")
        first, second = stream(), stream()
    assert first != second
    assert D.SeedStream(stream, "salt")() == first
    assert D.SeedStream(None, "salt")() is None
