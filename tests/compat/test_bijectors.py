"""tf.contrib.distributions.bijectors: inverses, Jacobians by gradients, and densities of draws."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
D: Any = import_module("tensorlite.compat.v1.contrib.distributions")
B: Any = import_module("tensorlite.compat.v1.contrib.bijectors")
X = np.array([[0.2, 0.5, 0.3], [0.1, 0.15, 0.8]], np.float32)
TRIANGLE = np.array([[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [1.0, 1.0, 0.5]], np.float32)


def _shift(first: Any, count: int) -> Any:
    wide = tf.tile(first, [1, count])
    return wide * 2, wide * 0.5


MAKERS: dict[str, Callable[[], Any]] = {
    "identity": B.Identity,
    "exp": B.Exp,
    "sigmoid": B.Sigmoid,
    "softplus": B.Softplus,
    "soft hinge": lambda: B.Softplus(2.0),
    "softsign": B.Softsign,
    "square": B.Square,
    "power": lambda: B.PowerTransform(0.5),
    "affine scalar": lambda: B.AffineScalar(1.0, -2.0),
    "chain": lambda: B.Chain([B.Exp(), B.AffineScalar(1.0, 2.0)]),
    "invert": lambda: B.Invert(B.Exp()),
    "inline": lambda: B.Inline(
        tf.exp,
        tf.log,
        inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
        forward_min_event_ndims=0,
    ),
    "diagonal": lambda: B.Affine([1.0, 2.0, 3.0], scale_diag=[1.0, 2.0, 3.0]),
    "triangle": lambda: B.Affine(scale_tril=TRIANGLE),
    "both": lambda: B.Affine([1.0, 1.0, 1.0], 2.0, scale_tril=TRIANGLE),
    "permute": lambda: B.Permute([2, 0, 1]),
    "real nvp": lambda: B.RealNVP(1, _shift),
    "chain of vectors": lambda: B.Chain(
        [B.Exp(), B.Affine(scale_diag=[1.0, 2.0, 3.0]), B.Permute([1, 2, 0])]
    ),
    "inverse triangle": lambda: B.Invert(B.Affine(scale_tril=TRIANGLE)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_inverses_undo_and_jacobians_are_those_of_gradients(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, bijector = tf.constant(X), MAKERS[name]()
        y = bijector.forward(x)
        columns = [tf.gradients(y[:, i], x)[0] for i in range(3)]
        rows, back, ahead, behind = session.run(
            [
                tf.stack(columns, axis=1),
                bijector.inverse(y),
                bijector.forward_log_det_jacobian(x, 1) + tf.zeros([2]),
                bijector.inverse_log_det_jacobian(y, 1) + tf.zeros([2]),
            ]
        )
    np.testing.assert_allclose(back, X, atol=1e-5)
    expected = np.linalg.slogdet(rows.astype(np.float64))[1]
    np.testing.assert_allclose(ahead, expected, atol=1e-4)
    np.testing.assert_allclose(behind, -expected, atol=1e-4)


def test_sums_over_the_axes_of_an_event() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for count in (0, 1, 2):
            found = session.run(B.Exp().forward_log_det_jacobian(X, count))
            expected = X.sum(tuple(range(2 - count, 2)))
            assert found == pytest.approx(expected, rel=1e-6)
        with pytest.raises(InvalidArgumentError, match="larger than min_event_ndims"):
            B.Permute([0, 1, 2]).forward_log_det_jacobian(X, 0)
        with pytest.raises(UnimplementedError, match="inverse_fn"):
            B.Inline(tf.exp, forward_min_event_ndims=0).inverse(X)


def test_densities_of_transformed_draws() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        logs = D.TransformedDistribution(D.Normal(0.0, 1.0), B.Exp())
        y = np.array([0.5, 2.0], np.float32)
        expected = np.exp(-(np.log(y) ** 2) / 2) / (y * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(session.run(logs.prob(y)), expected, rtol=1e-5)
        half = session.run(logs.cdf(1.0))
        np.testing.assert_allclose(
            [half, session.run(logs.quantile(0.5))], [0.5, 1.0]
        )
        drawn = session.run(logs.sample([500], seed=3))
        assert drawn.shape == (500,)
        assert 0.8 < np.median(drawn) < 1.25
        with pytest.raises(UnimplementedError, match="mean"):
            logs.mean()


def test_shapes_that_take_several_single_numbers() -> None:
    scale = [[1.0, 0.0], [0.5, 2.0]]
    with tf.Graph().as_default(), tf.Session() as session:
        affine = B.Affine([1.0, 2.0], scale_tril=scale)
        made = D.TransformedDistribution(D.Normal(0.0, 1.0), affine, event_shape=[2])
        same = D.MultivariateNormalTriL([1.0, 2.0], scale)
        point = [[0.5, 2.0], [0.0, 1.0]]
        for mine, other in (
            (made.log_prob(point), same.log_prob(point)),
            (made.mean(), same.mean()),
            (made.entropy(), same.entropy()),
        ):
            first, second = session.run([mine, other])
            np.testing.assert_allclose(first, second, rtol=1e-5)
        assert session.run(made.sample([3, 5])).shape == (3, 5, 2)
        batch = D.TransformedDistribution(
            D.Normal(0.0, 1.0), affine, batch_shape=[3], event_shape=[2]
        )
        assert batch.batch_shape.as_list() == [3]
        assert session.run(batch.sample(4)).shape == (4, 3, 2)
        with pytest.raises(
            InvalidArgumentError, match="base distribution not scalar"
        ):
            D.TransformedDistribution(same, affine, event_shape=[2])


def test_the_class_is_where_tensorflow_has_it_inside() -> None:
    inside: Any = import_module(
        "tensorlite.compat.v1.python.ops.distributions.bijector"
    )
    assert inside.Bijector is B.Bijector
