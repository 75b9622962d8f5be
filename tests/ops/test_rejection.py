"""Gamma and Poisson numbers: TensorFlow's own, and those of the distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.random import philox, rejection
from tensorlite.ops.random.generators import Seed

SEED = Seed([1, 2])


def counted(shape: tuple[int, ...], mean: Any) -> Any:
    return tl.random.poisson(shape, mean, tl.int32, SEED).numpy()


def test_tensorflows_gamma_numbers() -> None:
    found = tl.random.stateless_gamma(
        (3, 2), (1, 2), np.array([0.7, 5.0], np.float32)
    )
    expected = [[0.20285, 5.55424], [0.91065, 5.62196], [0.43185, 4.37535]]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    ones = tl.random.stateless_gamma((4,), (1, 2), np.float32(1))
    np.testing.assert_allclose(ones, [3.49944, 1.71931, 2.24874, 1.89351], atol=1e-5)


def test_tensorflows_poisson_numbers() -> None:
    assert counted((3, 2), [0.7, 50.0]).tolist() == [[3, 58], [3, 43], [1, 56]]


def drawn(kind: Any, parameter: float, count: int = 40_000) -> Any:
    key, counter = philox.mixed((3, 4))
    return kind(key, counter, (count,), np.float64(parameter))


@pytest.mark.parametrize("alpha", [0.05, 0.7, 1.0, 1.5, 30.0])
def test_moments_of_gamma(alpha: float) -> None:
    found = drawn(rejection.gamma, alpha)
    error = np.sqrt(alpha / len(found))
    assert abs(found.mean() - alpha) < 5 * error
    assert abs(found.var() / alpha - 1) < 0.2
    assert found.min() >= 0


@pytest.mark.parametrize("mean", [0.1, 3.0, 9.9, 10.0, 75.0, 4000.0])
def test_moments_of_poisson(mean: float) -> None:
    found = drawn(rejection.poisson, mean)
    assert abs(found.mean() - mean) < 5 * np.sqrt(mean / len(found))
    assert abs(found.var() / mean - 1) < 0.05
    assert (found == np.floor(found)).all()
    assert found.min() >= 0


@pytest.mark.parametrize("mean", [2.0, 15.0])
def test_how_often_each_count_comes(mean: float) -> None:
    found = np.bincount(drawn(rejection.poisson, mean, 100_000).astype(int))[:25]
    steps = np.arange(1, len(found))
    terms = np.exp(-mean) * np.concatenate([[1], np.cumprod(mean / steps)])
    np.testing.assert_allclose(found / 100_000, terms, atol=5e-3)


def test_parameters_that_broadcast_to_the_shape() -> None:
    columns = counted((3, 400), [[1.0], [20.0], [500.0]])
    np.testing.assert_allclose(columns.mean(axis=1), [1, 20, 500], rtol=0.2)
    assert counted((0, 2), [1.0, 2.0]).shape == (0, 2)
    assert counted((2, 0), np.ones((0,), np.float32)).shape == (2, 0)


def test_nothing_and_what_is_not_allowed() -> None:
    assert tl.random.stateless_gamma((3,), (1, 2), 0.0).tolist() == [0.0] * 3
    assert counted((3,), 0.0).tolist() == [0] * 3
    with pytest.raises(tl.errors.InvalidArgumentError, match="every alpha"):
        tl.random.stateless_gamma((3,), (1, 2), -1.0)
    with pytest.raises(tl.errors.InvalidArgumentError, match="every mean"):
        counted((3,), [-1.0, 2.0, 3.0])
    with pytest.raises(tl.errors.InvalidArgumentError, match="every mean"):
        counted((1,), [np.nan])
