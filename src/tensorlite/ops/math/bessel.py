"""Bessel's functions J, Y, I and K of the orders 0 and 1, and I and K without their exponentials.

Small arguments are computed by series, by recurrence or by quadrature whose error vanishes faster
than any power of its step, large ones by Hankel's series. Integrals are in integrals.py.
"""

from __future__ import annotations

from math import pi
from typing import ClassVar

import numpy as np

from tensorlite.core.dispatch import call1, floating, to_tensor
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.math.arithmetic import negative
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.elementwise import RealSmooth, exp
from tensorlite.ops.math.rounding import sign
from tensorlite.ops.operators import abs as abs_of

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
]

_EULER = float(np.euler_gamma)


class _Cylinder(RealSmooth, abstract=True):
    """Bessel functions of the first and second kind: a recurrence, or Hankel's series."""

    order: ClassVar[int] = 0
    turned = 25.0
    """Where Hankel's series begins, whose terms there go down to 1e-18."""
    highest = 64
    """The order at which the recurrence begins, where J of 25 and less is below 1e-18."""

    def sums(
        self, xp: Xp, x: Array, *weights: tuple[float, ...]
    ) -> tuple[Array, ...]:
        """Return sums of J(x) of all orders, each order with its weight, by Miller's recurrence.

        It goes down over J(n, x) n! / (x / 2)**n, which neither overflows nor vanishes.
        """
        half = xp.clip(xp.abs(x), 0.0, self.turned) / 2
        one, zero = xp.ones_like(half), xp.zeros_like(half)
        upper, lower, unit = one, one, zero
        totals = [zero for _ in weights]
        for n in range(self.highest, -1, -1):
            upper, lower = lower, lower - half * half / ((n + 1) * (n + 2)) * upper
            step = half / (n + 1)
            unit = (2.0 if n else 1.0) * (n % 2 == 0) * lower + step * unit
            totals = [
                row[n] * lower + step * total
                for row, total in zip(weights, totals, strict=True)
            ]
        return tuple(total / unit for total in totals)

    def hankel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return J and Y of large arguments."""
        far = xp.maximum(xp.abs(x), self.turned)
        term, sides = xp.ones_like(far), [xp.ones_like(far), xp.zeros_like(far)]
        for k in range(1, 26):
            term = term * (4 * self.order**2 - (2 * k - 1) ** 2) / (8 * k * far)
            sides[k % 2] = sides[k % 2] + (-term if k % 4 > 1 else term)
        angle = far - (2 * self.order + 1) * pi / 4
        cosine, sine, size = xp.cos(angle), xp.sin(angle), xp.sqrt(2 / (pi * far))
        even, odd = sides
        return size * (even * cosine - odd * sine), size * (
            even * sine + odd * cosine
        )

    def only(self, order: int) -> tuple[float, ...]:
        """Return the weights that leave one order alone."""
        return tuple(float(n == order) for n in range(self.highest + 1))


class _FirstKind(_Cylinder, abstract=True):
    def values(self, xp: Xp, x: Array) -> Array:
        """Return J(x)."""
        (near,) = self.sums(xp, x, self.only(self.order))
        found = xp.where(xp.abs(x) < self.turned, near, self.hankel(xp, x)[0])
        return xp.where(x < 0, -found, found) if self.order else found


class BesselJ0(_FirstKind):
    """Bessel function of the first kind, of order 0."""

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -J1."""
        return negative(bessel_j1(x))


class BesselJ1(_FirstKind):
    """Bessel function of the first kind, of order 1."""

    order = 1

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return J0 - y / x, which is a half at 0."""
        zero = equal(x, 0)
        return where(zero, 0.5, bessel_j0(x) - y / where(zero, 1.0, x))


class _SecondKind(_Cylinder, abstract=True):
    def values(self, xp: Xp, x: Array) -> Array:
        """Return Y(x): Neumann's series, or Hankel's."""
        size = xp.clip(x, 1e-300, self.turned)
        zeroth, own, rest = self.sums(
            xp, size, self.only(0), self.only(self.order), self.neumann()
        )
        log = xp.log(size / 2) + _EULER - self.order
        pole = 2 / (pi * size) * zeroth if self.order else 0.0
        near = 2 / pi * (log * own - rest) - pole
        found = xp.where(x < self.turned, near, self.hankel(xp, x)[1])
        return xp.where(x > 0, found, xp.where(xp.isnan(x), x, -xp.inf))

    def neumann(self) -> tuple[float, ...]:
        """Return the weights of the orders n + 2k (Abramowitz and Stegun, 9.1.88)."""
        weights = [0.0] * (self.highest + 1)
        n = self.order
        for k in range(1, (self.highest - n) // 2 + 1):
            weights[n + 2 * k] = (-1) ** k * (n + 2 * k) / (k * (n + k))
        return tuple(weights)


class BesselY0(_SecondKind):
    """Bessel function of the second kind, of order 0."""

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -Y1."""
        return negative(bessel_y1(x))


class BesselY1(_SecondKind):
    """Bessel function of the second kind, of order 1."""

    order = 1

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return Y0 - y / x."""
        return bessel_y0(x) - y / x


class _Macdonald(RealSmooth, abstract=True):
    """Modified Bessel functions of the second kind, times e**x: a series, or quadrature.

    The integral of e**(x - x * cosh(t)) * cosh(order * t) over t from 0 has become one of e**-u**2
    by x * (cosh(t) - 1) = u**2. Its integrand has poles at u**2 = -2x, far from the real axis.
    """

    order: ClassVar[int] = 0
    turned = 2.0
    step = 0.3

    def values(self, xp: Xp, x: Array) -> Array:
        """Return e**x K(x)."""
        near = xp.clip(x, 1e-300, self.turned)
        series = (self.first if self.order else self.zeroth)(xp, near)
        found = xp.where(x < self.turned, series * xp.exp(near), self.integral(xp, x))
        return xp.where(x > 0, found, xp.where(xp.isnan(x), x, xp.inf))

    def zeroth(self, xp: Xp, x: Array) -> Array:
        """Return K0(x) by its series."""
        log, term, harmonic = xp.log(x / 2) + _EULER, xp.ones_like(x), 0.0
        total = -log
        for k in range(1, 16):
            term, harmonic = term * x * x / (4.0 * k * k), harmonic + 1 / k
            total = total + term * (harmonic - log)
        return total

    def first(self, xp: Xp, x: Array) -> Array:
        """Return K1(x) by its series."""
        log, term, harmonic = xp.log(x / 2) + _EULER, x / 2, 0.5
        total = 1 / x + term * (log - harmonic)
        for k in range(1, 16):
            term = term * x * x / (4.0 * k * (k + 1))
            harmonic = harmonic + (1 / k + 1 / (k + 1)) / 2
            total = total + term * (log - harmonic)
        return total

    def integral(self, xp: Xp, x: Array) -> Array:
        """Return e**x K(x) for x of 2 and more."""
        far = xp.maximum(x, self.turned)
        total = xp.ones_like(far) / xp.sqrt(2 * far)
        for k in range(1, 22):
            square = (k * self.step) ** 2
            size = 2 * float(np.exp(-square)) / xp.sqrt(2 * far + square)
            total = total + (size * (1 + square / far) if self.order else size)
        return total * self.step


class BesselK0e(_Macdonald):
    """Modified Bessel function of the second kind and order 0, times e**x."""

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return y - K1e."""
        return y - bessel_k1e(x)


class BesselK1e(_Macdonald):
    """Modified Bessel function of the second kind and order 1, times e**x."""

    order = 1

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return y - K0e - y / x."""
        return y - bessel_k0e(x) - y / x


class _Bessel(RealSmooth, abstract=True):
    """Modified Bessel functions, over e**|x|: the mean over a circle, or a series for large x."""

    order: ClassVar[int] = 0
    turned = 400.0
    """Where the series begins; up to there 200 points of the circle are enough."""

    def scaled(self, xp: Xp, x: Array) -> Array:
        """Return e**-|x| I(x)."""
        size = xp.minimum(xp.abs(x), self.turned)
        total = xp.zeros_like(size)
        points = 200
        for k in range(points):
            angle = 2 * pi * k / points
            cosine = float(np.cos(angle))
            weight = cosine if self.order else 1.0
            total = total + xp.exp(size * (cosine - 1.0)) * (weight / points)
        found = xp.where(xp.abs(x) < self.turned, total, self._far(xp, xp.abs(x)))
        return xp.where(x < 0, -found, found) if self.order else found

    def _far(self, xp: Xp, x: Array) -> Array:
        far = xp.maximum(x, self.turned)
        total = term = xp.ones_like(far)
        for k in range(1, 8):
            term = -term * (4 * self.order**2 - (2 * k - 1) ** 2) / (8 * k * far)
            total = total + term
        return total / xp.sqrt(2 * pi * far)


class BesselI0e(_Bessel):
    """Modified Bessel function of order 0, over e**|x|."""

    def values(self, xp: Xp, x: Array) -> Array:
        """Return e**-|x| I0(x)."""
        return self.scaled(xp, x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return I1e - sign(x) * I0e."""
        return bessel_i1e(x) - sign(x) * y


class BesselI1e(_Bessel):
    """Modified Bessel function of order 1, over e**|x|."""

    order = 1

    def values(self, xp: Xp, x: Array) -> Array:
        """Return e**-|x| I1(x)."""
        return self.scaled(xp, x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return I0e - y * (sign(x) + 1 / x), which is a half at 0."""
        zero = equal(x, 0)
        other = bessel_i0e(x) - y * (sign(x) + 1.0 / where(zero, 1.0, x))
        return where(zero, 0.5, other)


def bessel_i0e(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of order 0 over e**|x|.

    >>> print(tl.math.bessel_i0e([0.0, 1.0]))
    [1.      0.46576]
    """
    return call1(BesselI0e(), x)


def bessel_i1e(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of order 1 over e**|x|.

    >>> print(tl.math.bessel_i1e([0.0, 1.0]))
    [0.      0.20791]
    """
    return call1(BesselI1e(), x)


def bessel_i0(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of order 0.

    >>> print(tl.math.bessel_i0([0.0, 1.0]))
    [1.       1.266066]
    """
    tensor = floating(to_tensor(x))
    return exp(abs_of(tensor)) * bessel_i0e(tensor)


def bessel_i1(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of order 1.

    >>> print(tl.math.bessel_i1([0.0, 1.0]))
    [0.       0.565159]
    """
    tensor = floating(to_tensor(x))
    return exp(abs_of(tensor)) * bessel_i1e(tensor)


def bessel_j0(x: TensorLike, /) -> Tensor:
    """Return the Bessel function of the first kind and order 0.

    >>> print(tl.math.bessel_j0([1.0, 2.0]))
    [0.765198 0.223891]
    """
    return call1(BesselJ0(), x)


def bessel_j1(x: TensorLike, /) -> Tensor:
    """Return the Bessel function of the first kind and order 1.

    >>> print(tl.math.bessel_j1([1.0, 2.0]))
    [0.440051 0.576725]
    """
    return call1(BesselJ1(), x)


def bessel_y0(x: TensorLike, /) -> Tensor:
    """Return the Bessel function of the second kind and order 0.

    >>> print(tl.math.bessel_y0([1.0, 2.0]))
    [0.088257 0.510376]
    """
    return call1(BesselY0(), x)


def bessel_y1(x: TensorLike, /) -> Tensor:
    """Return the Bessel function of the second kind and order 1.

    >>> print(tl.math.bessel_y1([1.0, 2.0]))
    [-0.781213 -0.107032]
    """
    return call1(BesselY1(), x)


def bessel_k0e(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of the second kind and order 0, times e**x.

    >>> print(tl.math.bessel_k0e([1.0, 2.0]))
    [1.144463 0.841568]
    """
    return call1(BesselK0e(), x)


def bessel_k0(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of the second kind and order 0.

    >>> print(tl.math.bessel_k0([1.0, 2.0]))
    [0.421024 0.113894]
    """
    tensor = floating(to_tensor(x))
    return exp(negative(tensor)) * bessel_k0e(tensor)


def bessel_k1e(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of the second kind and order 1, times e**x.

    >>> print(tl.math.bessel_k1e([1.0, 2.0]))
    [1.636153 1.033477]
    """
    return call1(BesselK1e(), x)


def bessel_k1(x: TensorLike, /) -> Tensor:
    """Return the modified Bessel function of the second kind and order 1.

    >>> print(tl.math.bessel_k1([1.0, 2.0]))
    [0.601907 0.139866]
    """
    tensor = floating(to_tensor(x))
    return exp(negative(tensor)) * bessel_k1e(tensor)
