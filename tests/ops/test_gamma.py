"""The gamma function's kin, against Python's own, closed forms and identities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError
from tensorlite.ops.math import gamma

EULER = 0.5772156649015329
X = np.array([0.1, 0.5, 1.0, 2.5, 9.0, 30.0])


def found(op: tl.Op, *values: Any) -> Any:
    return call(op, *[tl.asarray(np.asarray(x, np.float64)) for x in values]).numpy()


def test_the_logarithm_is_pythons() -> None:
    points = np.array([-2.5, -0.3, *X, 300.0])
    wanted = [math.lgamma(x) for x in points]
    np.testing.assert_allclose(
        found(gamma.Lgamma(), points), wanted, rtol=1e-10, atol=1e-10
    )


def test_its_derivatives() -> None:
    np.testing.assert_allclose(found(gamma.Digamma(), 1.0), -EULER, rtol=1e-9)
    # One more adds 1 / x, and the reflection is pi / tan(pi x).
    np.testing.assert_allclose(
        found(gamma.Digamma(), X + 1) - found(gamma.Digamma(), X), 1 / X, rtol=1e-8
    )
    np.testing.assert_allclose(
        found(gamma.Digamma(), 0.7) - found(gamma.Digamma(), 0.3),
        math.pi / math.tan(math.pi * 0.3),
        rtol=1e-9,
    )
    assert found(gamma.Polygamma(), 1.0, 1.0) == pytest.approx(
        math.pi**2 / 6, rel=1e-10
    )
    assert found(gamma.Polygamma(), 0.0, 1.0) == pytest.approx(-EULER, rel=1e-9)


def test_zeta() -> None:
    np.testing.assert_allclose(
        found(gamma.Zeta(), [2.0, 4.0], 1.0),
        [math.pi**2 / 6, math.pi**4 / 90],
        rtol=1e-12,
    )
    assert found(gamma.Zeta(), 1.0, 1.0) == math.inf
    assert math.isnan(found(gamma.Zeta(), 0.5, 1.0))


def test_incomplete_integrals() -> None:
    np.testing.assert_allclose(
        found(gamma.Igamma(), 1.0, X), 1 - np.exp(-X), rtol=1e-10
    )
    roots = [math.erf(math.sqrt(x)) for x in X]
    np.testing.assert_allclose(found(gamma.Igamma(), 0.5, X), roots, rtol=1e-8)
    assert found(gamma.Igamma(), 2.0, 0.0) == 0.0
    z = np.array([0.0, 0.2, 0.7, 1.0])
    np.testing.assert_allclose(
        found(gamma.Betainc(), 1.0, 3.0, z), 1 - (1 - z) ** 3, rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(
        found(gamma.Betainc(), 2.0, 1.0, z), z**2, rtol=1e-10, atol=1e-12
    )


def test_the_derivative_by_the_first_operand() -> None:
    step, a, x = 1e-5, 2.0, 1.5
    both = found(gamma.Igamma(), [a + step, a - step], x)
    wanted = (both[0] - both[1]) / (2 * step)
    assert found(gamma.IgammaGradA(), a, x) == pytest.approx(wanted, rel=1e-6)


def test_whole_numbers_are_refused() -> None:
    with pytest.raises(DTypeError, match="Lgamma takes floats"):
        call(gamma.Lgamma(), tl.asarray(1))


def test_float64_has_its_digits() -> None:
    """Of the gamma function's logarithm as Python has it, and of psi at known places."""
    x = np.concatenate([np.linspace(0.01, 12, 500), np.linspace(-3.87, -0.1, 99)])
    wanted = np.array([math.lgamma(value) for value in x])
    close: Any = {"rtol": 2e-14, "atol": 2e-14}
    np.testing.assert_allclose(found(gamma.Lgamma(), x), wanted, **close)
    places = np.array([1.0, 0.5, 2.0, 0.25])
    known = [-EULER, -EULER - 2 * math.log(2), 1 - EULER]
    known.append(-EULER - math.pi / 2 - 3 * math.log(2))
    np.testing.assert_allclose(found(gamma.Digamma(), places), known, **close)
