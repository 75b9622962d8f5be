"""Distributions of vectors and moving moments of tf.contrib.distributions, with 1.15's values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
ds = tf.contrib.distributions


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def run(fetches: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


# Recorded from TensorFlow 1.15.
@pytest.mark.parametrize(
    ("kind", "log_prob", "mean", "variance", "entropy"),
    [
        ("VectorLaplaceDiag", [-3.4584, -6.1251], [1.0, 2.0], [0.5, 18.0], 3.7918),
        (
            "VectorExponentialDiag",
            [-2.0721, -4.7388],
            [1.5, 5.0],
            [0.25, 9.0],
            2.4055,
        ),
    ],
)
def test_elements_are_of_one_kind(
    kind: str, log_prob: Any, mean: Any, variance: Any, entropy: float
) -> None:
    found = getattr(ds, kind)(loc=[1.0, 2.0], scale_diag=[0.5, 3.0])
    values = run(
        [
            found.log_prob([[1.5, 4.0], [2.0, 9.0]]),
            found.mean(),
            found.variance(),
            found.entropy(),
            found.covariance(),
            found.mode(),
            found.sample(4000, seed=1),
        ]
    )
    np.testing.assert_allclose(values[0], log_prob, atol=1e-4)
    np.testing.assert_allclose(values[1], mean)
    np.testing.assert_allclose(values[2], variance, rtol=1e-5)
    np.testing.assert_allclose(values[3], entropy, atol=1e-4)
    np.testing.assert_allclose(values[4], np.diag(variance), rtol=1e-5)
    np.testing.assert_allclose(values[5], [1.0, 2.0])
    np.testing.assert_allclose(values[6].mean(0), mean, atol=0.2)
    np.testing.assert_allclose(values[6].var(0), variance, rtol=0.2)


def test_normal_vectors_of_low_rank() -> None:
    u = np.array([[1.0, 0.5], [0.2, 2.0], [0.0, 1.0]], np.float32)
    found = ds.MultivariateNormalDiagPlusLowRank(
        [1.0, 2.0, 3.0], [1.0, 0.5, 2.0], scale_perturb_factor=u
    )
    other = ds.MultivariateNormalDiagPlusLowRank(
        tf.zeros([3]),
        scale_identity_multiplier=2.0,
        scale_perturb_factor=u,
        scale_perturb_diag=[0.5, 1.0],
    )
    at = [[1.0, 2.0, 2.0], [0.0, 0.0, 1.0]]
    values = run(
        [found.log_prob(at), other.log_prob(at), found.entropy(), found.covariance()]
    )
    # Recorded from TensorFlow 1.15.
    np.testing.assert_allclose(values[0], [-5.8129, -5.8621], atol=1e-4)
    np.testing.assert_allclose(values[1], [-6.5189, -6.4349], atol=1e-4)
    np.testing.assert_allclose(values[2], 7.1794, atol=1e-4)
    scale = np.diag([1.0, 0.5, 2.0]) + u @ u.T
    np.testing.assert_allclose(values[3], scale @ scale.T, rtol=1e-4)
    with pytest.raises(InvalidArgumentError, match="event_shape"):
        ds.MultivariateNormalDiagPlusLowRank(scale_perturb_factor=u)


def test_matrices_are_made_of_diagonals() -> None:
    whole = ds.tridiag([1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0])
    below = ds.tridiag(below=[[1.0, 2.0]])
    changed = ds.matrix_diag_transform([[-1.0, 2.0], [3.0, 4.0]], tf.abs)
    numbers = tf.range(1.0, 7.0)
    back = [
        ds.fill_triangular_inverse(ds.fill_triangular(numbers, upper=upper), upper)
        for upper in (False, True)
    ]
    found = run([whole, below, changed, *back])
    assert found[0].tolist() == [[3, 6, 0], [1, 4, 7], [0, 2, 5]]
    assert found[1].tolist() == [[[0, 0, 0], [1, 0, 0], [0, 2, 0]]]
    assert found[2].tolist() == [[1, 2], [3, 4]]
    assert found[3].tolist() == found[4].tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(InvalidArgumentError, match="at least one"):
        ds.tridiag()


def test_moments_move_with_what_comes() -> None:
    moved = ds.moving_mean_variance(tf.constant([1.0, 5.0]), 0.9)
    held = tf.Variable(1.0)
    log_mean = ds.assign_log_moving_mean_exp(held, 3.0, 0.8)
    names = [v.op.name for v in tf.global_variables()]
    assert names == [
        "moving_mean_variance/moving_variance",
        "moving_mean_variance/moving_mean",
        "Variable",
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(moved)
        variance, mean = session.run(tf.global_variables()[:2])
        logs = [session.run(log_mean) for _ in range(2)]
    np.testing.assert_allclose(mean, [0.19, 0.95], rtol=1e-5)
    np.testing.assert_allclose(variance, [0.1539, 3.8475], rtol=1e-4)
    assert logs[0] == pytest.approx(
        np.log(0.8 * np.exp(1) + 0.2 * np.exp(3)), rel=1e-5
    )
    assert logs[1] == pytest.approx(2.1939406, rel=1e-5)  # recorded
    with pytest.raises(DTypeError, match="float"):
        ds.moving_mean_variance(tf.constant([1]), 0.9)


def test_complex_constants_are_as_wide_as_pythons_numbers() -> None:
    assert tf.constant([1j, 2]).dtype is tf.complex128
    assert tf.convert_to_tensor(1j).dtype is tf.complex128
    assert tf.constant(np.complex64(1j)).dtype is tf.complex64
    assert (tf.constant(1j, tf.complex64) * 2j).dtype is tf.complex64
