"""Bessel's functions and the integrals: identities between them, quadrature, and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError

KIN = ("bessel", "dawsn", "expint", "fresnel", "spence")
X = np.array([1e-6, 0.1, 0.7, 1.9, 2.1, 6.0, 11.0, 24.9, 25.1, 90.0])


def found(name: str, x: Any = X) -> Any:
    return getattr(tl.math, name)(tl.asarray(np.asarray(x, np.float64))).numpy()


def mean(function: Callable[[Any], Any], low: float, high: float) -> Any:
    """Return an integral by Gauss's rule of 200 points."""
    points, weights = np.polynomial.legendre.leggauss(200)
    middle, half = (low + high) / 2, (high - low) / 2
    return half * (function(middle + half * points) * weights).sum(-1)


@pytest.mark.parametrize("order", [0, 1])
def test_the_first_kind_is_a_mean_over_a_circle(order: int) -> None:
    wanted = mean(lambda t: np.cos(order * t - X[:, None] * np.sin(t)), 0.0, np.pi)
    np.testing.assert_allclose(found(f"bessel_j{order}"), wanted / np.pi, atol=1e-14)
    mirrored = found(f"bessel_j{order}", -X)
    np.testing.assert_array_equal(mirrored, (-1) ** order * found(f"bessel_j{order}"))


def test_products_of_the_kinds_are_known() -> None:
    j0, j1, y0, y1 = (found(f"bessel_{n}") for n in ("j0", "j1", "y0", "y1"))
    np.testing.assert_allclose(j1 * y0 - j0 * y1, 2 / (np.pi * X), rtol=1e-13)
    i0, i1, k0, k1 = (found(f"bessel_{n}") for n in ("i0e", "i1e", "k0e", "k1e"))
    np.testing.assert_allclose(i0 * k1 + i1 * k0, 1 / X, rtol=1e-13)
    np.testing.assert_allclose(found("bessel_k1"), k1 * np.exp(-X), rtol=1e-14)


def test_poles_and_what_is_outside() -> None:
    assert found("bessel_y0", [0.0, -1.0]).tolist() == [-np.inf, -np.inf]
    assert found("bessel_k1", [0.0]).tolist() == [np.inf]
    assert found("expint", [0.0]).tolist() == [-np.inf]
    assert np.isnan(found("spence", [-1.0, np.nan])).all()
    assert np.isnan(found("bessel_y1", [np.nan])).all()
    with pytest.raises(DTypeError):
        tl.math.bessel_j0(tl.asarray(1j))


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("expint", lambda t: np.exp(t) / t),
        ("fresnel_cos", lambda t: np.cos(np.pi * t * t / 2)),
        ("fresnel_sin", lambda t: np.sin(np.pi * t * t / 2)),
        ("spence", lambda t: np.log(t) / (1 - t)),
    ],
)
@pytest.mark.parametrize(
    ("low", "high"), [(0.2, 0.9), (0.3, 1.9), (1.5, 1.7), (1.1, 5.0), (39.9, 40.1)]
)
def test_integrals(
    name: str, slope: Callable[[Any], Any], low: float, high: float
) -> None:
    below, above = found(name, [low, high])
    wanted = mean(slope, low, high)
    np.testing.assert_allclose(above - below, wanted, rtol=1e-12, atol=1e-14)


def test_dawsons_integral() -> None:
    points = np.array([1e-9, 0.1, 0.3, 2.0, 5.0])
    scaled = mean(
        lambda t: np.exp((t * t - 1) * (points * points)[:, None]), 0.0, 1.0
    )
    wanted = scaled * points
    np.testing.assert_allclose(found("dawsn", points), wanted, rtol=1e-12)
    np.testing.assert_array_equal(found("dawsn", -points), -found("dawsn", points))
    np.testing.assert_allclose(found("dawsn", [49.999, 50.001]), 0.01, rtol=1e-3)


def test_values_at_one_and_far_out() -> None:
    assert found("spence", [0.0, 1.0, 2.0]) == pytest.approx(
        [np.pi**2 / 6, 0.0, -(np.pi**2) / 12], rel=1e-14
    )
    for name in ("fresnel_cos", "fresnel_sin"):
        assert found(name, [-1e150, 1e150]).tolist() == [-0.5, 0.5]


@pytest.mark.parametrize("name", [x for x in tl.math.__all__ if x.startswith(KIN)])
def test_gradients_are_differences(name: str) -> None:
    function, points = getattr(tl.math, name), np.array([0.3, 1.4, 3.1, 30.2])
    variable = tl.Variable(points)
    with tl.GradientTape() as tape:
        total = tl.sum(function(variable))
    step = 1e-5
    wanted = (found(name, points + step) - found(name, points - step)) / (2 * step)
    gradient: Any = tape.gradient(total, variable)
    np.testing.assert_allclose(gradient.numpy(), wanted, rtol=1e-6, atol=1e-9)
