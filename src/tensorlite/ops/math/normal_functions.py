"""The normal distribution's functions: the complement of the error function, and inverses.

The error function itself is in special.py, the gamma function's kin in gamma.py, Bessel's
functions in bessel.py.
"""

from __future__ import annotations

from math import log as log_of, pi, sqrt as root

from tensorlite.core.dispatch import call1, floating, to_tensor
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.math import special
from tensorlite.ops.math.arithmetic import negative
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.elementwise import RealSmooth, exp, log, square

__all__ = [
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "log_ndtr",
    "ndtr",
    "ndtri",
]

_ROOT_HALF = root(0.5)
_HALF_ROOT_PI = root(pi) / 2


class Erfc(RealSmooth):
    """One less the error function, by Cody's approximations, which keep its small values exact."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return erfc(x)."""
        near = 1.0 - special.Erf().kernel(xp, x)
        size = xp.maximum(xp.abs(x), 0.46875)
        tail = xp.exp(-xp.square(size)) * _scaled_tail(xp, size)
        return xp.where(xp.abs(x) <= 0.46875, near, xp.where(x > 0, tail, 2.0 - tail))

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -2 * e**-x**2 / sqrt(pi)."""
        return exp(negative(square(x))) * (-1.0 / _HALF_ROOT_PI)


def _scaled_tail(xp: Xp, size: Array) -> Array:
    """Return erfc(x) * e**x**2 for x of 0.46875 and more."""
    middle = special.middle_ratio(xp.clip(size, 0.46875, 4.0))
    return xp.where(size <= 4.0, middle, special.far_value(xp.maximum(size, 4.0)))


class Ndtri(RealSmooth):
    """The inverse of the normal distribution's function, by Wichura's algorithm AS 241 (1988)."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return the quantiles of probabilities."""
        return _quantile(xp, x - 0.5, xp.minimum(x, 1.0 - x))

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return sqrt(2 pi) * e**(y**2 / 2)."""
        return exp(square(y) * 0.5) * root(2 * pi)


class Erfinv(RealSmooth):
    """The inverse of the error function."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return the inverses."""
        return _quantile(xp, x * 0.5, 0.5 * (1.0 - xp.abs(x))) * _ROOT_HALF

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return sqrt(pi) / 2 * e**y**2."""
        return exp(square(y)) * _HALF_ROOT_PI


_CENTRE = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.3871328727963666080,
    ),
    (
        5226.4952788528545610,
        28729.085735721942674,
        39307.895800092710610,
        21213.794301586595867,
        5394.1960214247511077,
        687.18700749205790830,
        42.313330701600911252,
        1.0,
    ),
)
_SIDE = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258,
        3.64784832476320460504,
        5.76949722146069140550,
        4.63033784615654529590,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940,
        2.05319162663775882187,
        1.0,
    ),
)
_END = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580,
        5.46378491116411436990,
        6.65790464350110377720,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)
"""Numerators and denominators, highest power first."""


def _quantile(xp: Xp, q: Array, tail: Array) -> Array:
    """Return the normal quantile of a probability, given less a half and by its smaller side."""
    inner = q * special.ratio(
        0.180625 - xp.square(xp.clip(q, -0.425, 0.425)), _CENTRE
    )
    r = xp.sqrt(-xp.log(tail))
    side = special.ratio(xp.minimum(r, 5.0) - 1.6, _SIDE)
    end = special.ratio(xp.clip(r, 5.0, 40.0) - 5.0, _END)
    outer = xp.copysign(xp.where(r <= 5.0, side, end), q)
    found = xp.where(xp.abs(q) <= 0.425, inner, outer)
    found = xp.where(tail == 0, xp.copysign(xp.inf, q), found)
    return xp.where(tail < 0, xp.nan, found)


def erfc(x: TensorLike, /) -> Tensor:
    """Return one less the error function, exact for large elements, too.

    >>> print(tl.math.erfc([0.0, 5.0]))
    [1.000000e+00 1.537460e-12]
    """
    return call1(Erfc(), x)


def erfcx(x: TensorLike, /) -> Tensor:
    """Return erfc(x) * e**x**2.

    >>> print(tl.math.erfcx([0.0, 1.0]))
    [1.       0.427584]
    """
    tensor = floating(to_tensor(x))
    return erfc(tensor) * exp(square(tensor))


def erfinv(x: TensorLike, /) -> Tensor:
    """Return the inverse of the error function.

    >>> print(tl.math.erfinv([0.0, 0.5]))
    [0.       0.476936]
    """
    return call1(Erfinv(), x)


def erfcinv(x: TensorLike, /) -> Tensor:
    """Return the inverse of erfc.

    >>> print(tl.math.erfcinv([1.0, 0.5]))
    [-0.        0.476936]
    """
    return ndtri(floating(to_tensor(x)) * 0.5) * -_ROOT_HALF


def ndtri(p: TensorLike, /) -> Tensor:
    """Return the quantiles of the normal distribution.

    >>> print(tl.math.ndtri([0.5, 0.975]))
    [0.       1.959964]
    """
    return call1(Ndtri(), p)


def ndtr(x: TensorLike, /) -> Tensor:
    """Return the normal distribution's function, the probability of what is less.

    >>> print(tl.math.ndtr([0.0, 1.959964]))
    [0.5   0.975]
    """
    return erfc(floating(to_tensor(x)) * -_ROOT_HALF) * 0.5


def log_ndtr(x: TensorLike, /) -> Tensor:
    """Return the logarithm of the normal distribution's function, by a series far out on the left.

    >>> print(tl.math.log_ndtr([0.0, -40.0]))
    [-6.931472e-01 -8.046085e+02]
    """
    tensor = floating(to_tensor(x))
    far = tensor < -10.0
    inner = log(ndtr(where(far, 0.0, tensor)))
    z = where(far, tensor, -10.0)
    inverse = 1.0 / square(z)
    series = 1.0 - inverse * (
        1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse * (1.0 - 7.0 * inverse))
    )
    outer = square(z) * -0.5 - log(negative(z)) - 0.5 * log_of(2 * pi) + log(series)
    return where(far, outer, inner)
