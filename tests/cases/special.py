"""Cases of special functions, running logarithms, functions and diagonals of matrices, signals."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import OpCase, any_shape, arrays


def each(function: Any) -> Any:
    """Return a function of floats as one of arrays."""
    return np.vectorize(function, otypes=[np.float64])


def series(s: float, q: float) -> float:
    """Return Hurwitz's zeta function: a long sum, and the integral of what is left."""
    count = 4000
    total = math.fsum((q + n) ** -s for n in range(count))
    end = q + count
    return float(total + end ** (1 - s) / (s - 1) + 0.5 * end**-s)


def slope(x: float) -> float:
    """Return the derivative of log gamma, by a difference of fourth order."""
    h = 1e-3
    near, far = (math.lgamma(x + n * h) - math.lgamma(x - n * h) for n in (1, 2))
    return (8 * near - far) / (12 * h)


def integral(function: Any, end: float, power: float) -> float:
    """Return the integral of function(t) up to an end, with t = u ** power."""
    u = (np.arange(20000) + 0.5) / 20000 * end ** (1 / power)
    return float(
        (function(u**power) * power * u ** (power - 1)).sum()
        * end ** (1 / power)
        / 20000
    )


def lower(a: float, x: float) -> float:
    found = integral(lambda t: t ** (a - 1) * np.exp(-t), x, 4)
    return found / math.gamma(a)


def beta_part(a: float, b: float, x: float) -> float:
    whole = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    return integral(lambda t: t ** (a - 1) * (1 - t) ** (b - 1), x, 4) / whole


def running(x: Any) -> Any:
    return np.log(np.cumsum(np.exp(x[:, ::-1]), 1))[:, ::-1]


def exponential(x: Any) -> Any:
    total = term = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, 40):
        term = term @ x / k
        total = total + term
    return total


def root(x: Any) -> Any:
    values, vectors = np.linalg.eigh(x @ x.mT + np.eye(3))
    return (vectors * np.sqrt(values)[..., None, :]) @ vectors.mT


def first_order(x: Any) -> Any:
    wide = x.astype(np.float64)
    return (np.i0(wide + 1e-4) - np.i0(wide - 1e-4)) / 2e-4 * np.exp(-np.abs(wide))


def quantile(p: float) -> float:
    return NormalDist().inv_cdf(p)


CASES = (
    OpCase("lgamma", tl.math.lgamma, each(math.lgamma), any_shape(0.2, 4.0)),
    OpCase("digamma", tl.math.digamma, each(slope), any_shape(0.2, 4.0)),
    OpCase(
        "polygamma",
        lambda x: tl.math.polygamma(1.0, x),
        each(lambda x: series(2.0, x)),
        any_shape(0.5, 3.0),
    ),
    OpCase(
        "zeta",
        lambda q: tl.math.zeta(3.0, q),
        each(lambda q: series(3.0, q)),
        any_shape(0.5, 3.0),
    ),
    OpCase(
        "igamma",
        lambda x: tl.math.igamma(1.5, x),
        each(lambda x: lower(1.5, x)),
        any_shape(0.2, 4.0),
    ),
    OpCase(
        "betainc",
        lambda x: tl.math.betainc(1.5, 2.5, x),
        each(lambda x: beta_part(1.5, 2.5, x)),
        any_shape(0.1, 0.9),
    ),
    OpCase(
        "erfc",
        tl.math.erfc,
        each(math.erfc),
        any_shape(-6.0, 6.0),
        rtol=2e-5,
        atol=1e-30,
    ),
    OpCase("ndtri", tl.math.ndtri, each(quantile), any_shape(0.01, 0.99)),
    OpCase(
        "erfinv",
        tl.math.erfinv,
        each(lambda x: quantile((x + 1) / 2) / 2**0.5),
        any_shape(-0.9, 0.9),
    ),
    OpCase("bessel_i0", tl.math.bessel_i0, np.i0, any_shape()),
    OpCase(
        "bessel_i1e",
        tl.math.bessel_i1e,
        first_order,
        any_shape(0.1, 2.0),
        rtol=1e-4,
    ),
    OpCase(
        "cumulative_logsumexp",
        lambda x: tl.math.cumulative_logsumexp(x, 1, reverse=True),
        running,
        arrays((2, 5)),
        needs_rank=True,
    ),
    OpCase(
        "expm",
        tl.linalg.expm,
        exponential,
        arrays((2, 3, 3)),
        rtol=1e-4,
        needs_rank=True,
    ),
    OpCase(
        "sqrtm",
        lambda x: tl.linalg.sqrtm(x @ x.mT + tl.eye(3, dtype=x.dtype)),
        root,
        arrays((2, 3, 3)),
        rtol=1e-4,
        needs_sizes=True,
    ),
    OpCase(
        "matrix_diag_part_band",
        lambda x: tl.linalg.matrix_diag_part(x, (-1, 1)),
        lambda x: np.stack(
            [
                np.pad(np.diagonal(x, 1, 1, 2), ((0, 0), (1, 0))),
                np.diagonal(x, 0, 1, 2),
                np.pad(np.diagonal(x, -1, 1, 2), ((0, 0), (0, 1))),
            ],
            1,
        ),
        arrays((2, 3, 3)),
        needs_sizes=True,
    ),
    OpCase(
        "frame",
        lambda x: tl.signal.frame(x, 3, 2),
        lambda x: np.stack([x[:, i : i + 3] for i in (0, 2, 4)], 1),
        arrays((2, 8)),
        needs_rank=True,
    ),
    OpCase(
        "dct",
        tl.signal.dct,
        lambda x: (
            2 * x @ np.cos(np.pi * np.outer(2 * np.arange(4) + 1, np.arange(4)) / 8)
        ),
        arrays((2, 4)),
        needs_sizes=True,
    ),
)
