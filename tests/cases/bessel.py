"""Cases of Bessel's functions and of integrals that have names, against quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import OpCase, any_shape

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(400)
FAR = 8.0
"""Where what is integrated without end has nothing left."""


def integral(function: Callable[[Any], Any], low: float, high: float) -> float:
    """Return an integral by Gauss's rule."""
    half = (high - low) / 2
    return float(half * function((low + high) / 2 + half * POINTS) @ WEIGHTS)


def first(order: int, x: float) -> float:
    whole = integral(lambda t: np.cos(order * t - x * np.sin(t)), 0.0, math.pi)
    return whole / math.pi


def second(order: int, x: float) -> float:
    def tail(t: Any) -> Any:
        sign = (-1) ** order
        growth = np.exp(order * t) + sign * np.exp(-order * t)
        return growth * np.exp(-x * np.sinh(t))

    around = integral(lambda t: np.sin(x * np.sin(t) - order * t), 0.0, math.pi)
    return (around - integral(tail, 0.0, FAR)) / math.pi


def scaled(order: int, x: float) -> float:
    """Return Macdonald's function times exp(x)."""
    return integral(
        lambda t: np.exp(x - x * np.cosh(t)) * np.cosh(order * t), 0.0, FAR
    )


def exponential(x: float) -> float:
    terms = (x**k / (k * math.factorial(k)) for k in range(1, 60))
    return float(np.euler_gamma) + math.log(x) + math.fsum(terms)


def dawson(x: float) -> float:
    return integral(lambda t: np.exp(t * t - x * x), 0.0, x)


def dilogarithm(x: float) -> float:
    """Return the integral of log(t) / (1 - t) from 1 on."""
    return integral(lambda t: np.log(t) / (1 - t), 1.0, x)


def case(name: str, function: Callable[[float], float], low: float) -> OpCase:
    each = np.vectorize(function, otypes=[np.float64])
    return OpCase(name, getattr(tl.math, name), each, any_shape(low, 4.0))


CASES = (
    case("bessel_j0", lambda x: first(0, x), -4.0),
    case("bessel_j1", lambda x: first(1, x), -4.0),
    case("bessel_y0", lambda x: second(0, x), 0.3),
    case("bessel_y1", lambda x: second(1, x), 0.3),
    case("bessel_k0e", lambda x: scaled(0, x), 0.3),
    case("bessel_k1e", lambda x: scaled(1, x), 0.3),
    case("dawsn", dawson, -4.0),
    case("expint", exponential, 0.3),
    case(
        "fresnel_cos",
        lambda x: integral(lambda t: np.cos(math.pi * t * t / 2), 0.0, x),
        -2.0,
    ),
    case(
        "fresnel_sin",
        lambda x: integral(lambda t: np.sin(math.pi * t * t / 2), 0.0, x),
        -2.0,
    ),
    case("spence", dilogarithm, 0.3),
)
