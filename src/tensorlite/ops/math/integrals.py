"""Functions that are integrals: Dawson's, the exponential, Fresnel's two, and Spence's.

Bessel's functions are in bessel.py, the error function and what is near it in special.py and
normal_functions.py.
"""

from __future__ import annotations

from math import pi, sqrt as root
from typing import ClassVar

import numpy as np

from tensorlite.core.dispatch import call1
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.elementwise import RealSmooth, exp, log, square
from tensorlite.ops.math.trigonometric import cos, sin

__all__ = ["dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"]


class Dawsn(RealSmooth):
    """The integral of e**(t**2 - x**2) from 0 to x.

    G. B. Rybicki, "Dawson's integral and the sampling theorem", Computers in Physics 3 (1989) 85:
    a sum over odd multiples of a step, whose error is e**-(pi / (2 * step))**2.
    """

    step = 0.2
    near = 0.2
    far = 50.0

    def values(self, xp: Xp, x: Array) -> Array:
        """Return Dawson's integral of x."""
        size = xp.abs(x)
        value = xp.where(size < self.far, self.sampled(xp, size), self.tail(xp, size))
        value = xp.where(size < self.near, self.series(xp, size), value)
        return xp.copysign(value, x)

    def series(self, xp: Xp, x: Array) -> Array:
        """Return the integral by its power series, for small arguments."""
        inner = xp.minimum(x, self.near)
        total = term = inner
        for k in range(1, 12):
            term = term * (-2.0 * inner * inner / (2 * k + 1))
            total = total + term
        return total

    def sampled(self, xp: Xp, x: Array) -> Array:
        """Return the integral by Rybicki's sum around the even multiple that is next."""
        inner = xp.minimum(x, self.far)
        even = 2.0 * xp.round(inner / (2 * self.step))
        rest = inner - even * self.step
        total = xp.zeros_like(inner)
        for odd in range(-33, 34, 2):
            total = total + xp.exp(-((rest - odd * self.step) ** 2)) / (even + odd)
        return total / root(pi)

    def tail(self, xp: Xp, x: Array) -> Array:
        """Return the integral by its asymptotic series."""
        inverse = 1.0 / xp.maximum(x, self.far)
        total = term = inverse / 2
        for k in range(1, 8):
            term = term * ((2 * k - 1) / 2 * inverse * inverse)
            total = total + term
        return total

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - 2 * x * y."""
        return 1.0 - 2.0 * x * y


class Expint(RealSmooth):
    """The exponential integral Ei, of e**t / t from minus infinity, for arguments above 0."""

    turned = 40.0
    """Where the asymptotic series begins, whose least term there is e**-40."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return Ei(x)."""
        near = xp.clip(x, 1e-320, self.turned)
        term, total = xp.ones_like(near), xp.zeros_like(near)
        for k in range(1, 150):
            term = term * near / k
            total = total + term / k
        series = total + xp.log(near) + float(np.euler_gamma)
        found = xp.where(x < self.turned, series, self.tail(xp, x))
        found = xp.where(x == 0, -xp.inf, found)
        return xp.where(x >= 0, found, xp.nan)

    def tail(self, xp: Xp, x: Array) -> Array:
        """Return Ei of large arguments."""
        far = xp.maximum(x, self.turned)
        total = term = xp.ones_like(far)
        for k in range(1, 40):
            term = term * k / far
            total = total + term
        return xp.exp(far) / far * total

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return e**x / x."""
        return exp(x) / x


class _Fresnel(RealSmooth, abstract=True):
    """Fresnel's integrals, of cos(pi * t**2 / 2) or of the sine: a series, or two auxiliaries.

    The auxiliaries are integrals of e**-v**2 over 1 + v**4 / (pi * x**2 / 2)**2, and of that times
    v**2, whose poles are far enough from the real axis for a sum over steps of 0.2.
    """

    sine: ClassVar[bool] = False
    turned = 1.6
    step = 0.2

    def values(self, xp: Xp, x: Array) -> Array:
        """Return the integral from 0 to x."""
        size = xp.abs(x)
        found = xp.where(
            size < self.turned, self.series(xp, size), self.far(xp, size)
        )
        return xp.copysign(found, x)

    def series(self, xp: Xp, x: Array) -> Array:
        """Return the integral by its power series, for small arguments."""
        inner = xp.minimum(x, self.turned)
        angle = pi / 2 * inner * inner
        first = 1 if self.sine else 0
        term = inner * angle if self.sine else inner
        total = term / (2 * first + 1)
        for n in range(first + 2, first + 44, 2):
            term = -term * angle * angle / (n * (n - 1))
            total = total + term / (2 * n + 1)
        return total

    def far(self, xp: Xp, x: Array) -> Array:
        """Return the integral by the auxiliaries."""
        size = xp.clip(x, self.turned, 1e100)
        f, g = self.auxiliaries(xp, pi / 2 * size * size, size)
        # Angles are reduced by whole turns of 4 of the square before the sine is taken.
        angle = pi / 2 * xp.fmod(size * size, 4.0)
        cosine, sine = xp.cos(angle), xp.sin(angle)
        found = 0.5 - f * cosine - g * sine
        return found if self.sine else 0.5 + f * sine - g * cosine

    def auxiliaries(self, xp: Xp, half: Array, size: Array) -> tuple[Array, Array]:
        """Return f and g, which fall as 1 / x and 1 / x**3 do."""
        f, g = xp.ones_like(half) / 2, xp.zeros_like(half)
        for k in range(1, 32):
            v = (k * self.step) ** 2
            weight = float(np.exp(-v)) / (1 + (v / half) ** 2)
            f, g = f + weight, g + weight * (v / half)
        scale = 2 * self.step / (pi * root(pi)) / size
        return f * scale, g * scale


class FresnelCos(_Fresnel):
    """The integral of cos(pi * t**2 / 2) from 0."""

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return cos(pi * x**2 / 2)."""
        return cos(square(x) * (pi / 2))


class FresnelSin(_Fresnel):
    """The integral of sin(pi * t**2 / 2) from 0."""

    sine = True

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return sin(pi * x**2 / 2)."""
        return sin(square(x) * (pi / 2))


class Spence(RealSmooth):
    """The integral of log(t) / (1 - t) from 1 to x, the dilogarithm of 1 - x."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return the integral, that of 1 / x where x is above 1."""
        above = x > 1.0
        inner = self.inner(xp, xp.where(above, 1 / xp.where(above, x, 1.0), x))
        log = xp.log(xp.where(above, x, 1.0))
        found = xp.where(above, -inner - log * log / 2, inner)
        return xp.where(x >= 0, found, xp.nan)

    def inner(self, xp: Xp, x: Array) -> Array:
        """Return the integral for x from 0 to 1, by that of 1 - x where x is near 0."""
        near = xp.clip(x, 0.5, 1.0)
        small = xp.clip(x, 1e-320, 0.5)
        mirrored = self.series(xp, -xp.log1p(-small))
        below = pi * pi / 6 - xp.log(small) * xp.log1p(-small) - mirrored
        return xp.where(x < 0.5, below, self.series(xp, -xp.log(near)))

    def series(self, xp: Xp, u: Array) -> Array:
        """Return the dilogarithm of 1 - e**-u by Bernoulli's numbers."""
        total = xp.zeros_like(u)
        for weight in reversed(_BERNOULLI):
            total = (total + weight) * u * u
        return u - u * u / 4 + u * total

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(x) / (1 - x), which is -1 at 1."""
        one = equal(x, 1.0)
        return where(one, -1.0, log(x) / (1.0 - where(one, 0.0, x)))


_BERNOULLI = (
    1 / 36,
    -1 / 3600,
    1 / 211680,
    -1 / 10886400,
    1 / 526901760,
    -691 / 16999766784000,
    1 / 1120863744000,
    -3617 / 181400588328960000,
)
"""Bernoulli's numbers of the orders 2, 4 and so on, each over the factorial of the next order."""


def dawsn(x: TensorLike, /) -> Tensor:
    """Return Dawson's integral of each element.

    >>> print(tl.math.dawsn([0.5, 1.0]))
    [0.424436 0.53808 ]
    """
    return call1(Dawsn(), x)


def expint(x: TensorLike, /) -> Tensor:
    """Return the exponential integral Ei of each element; nan of what is below 0.

    >>> print(tl.math.expint([0.5, 1.0]))
    [0.45422  1.895118]
    """
    return call1(Expint(), x)


def fresnel_cos(x: TensorLike, /) -> Tensor:
    """Return Fresnel's integral of the cosine, up to each element.

    >>> print(tl.math.fresnel_cos([0.5, 1.0]))
    [0.492344 0.779893]
    """
    return call1(FresnelCos(), x)


def fresnel_sin(x: TensorLike, /) -> Tensor:
    """Return Fresnel's integral of the sine, up to each element.

    >>> print(tl.math.fresnel_sin([0.5, 1.0]))
    [0.064732 0.438259]
    """
    return call1(FresnelSin(), x)


def spence(x: TensorLike, /) -> Tensor:
    """Return Spence's integral, the dilogarithm of 1 - x; nan of what is below 0.

    >>> print(tl.math.spence([0.5, 1.0]))
    [ 0.582241 -0.      ]
    """
    return call1(Spence(), x)
