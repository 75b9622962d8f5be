"""The error function. Other smooth functions of elements are in elementwise.py."""

from __future__ import annotations

from math import pi, sqrt

from tensorlite.core.dispatch import call1
from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.math.arithmetic import negative
from tensorlite.ops.math.elementwise import Smooth, exp, square

__all__ = ["erf"]


class Erf(Smooth):
    """The error function, by the rational approximations of Cody (1969).

    W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
    Computation 23 (1969) 631-637: one for |x| <= 0.46875, one up to 4, one beyond. To the digits
    of float32 a single one will do.
    """

    by_dtype = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it is real and floating."""
        if not x.dtype.is_floating:
            raise DTypeError(f"Erf takes real floating-point tensors, not {x}")
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return erf(x), computed in float32 or float64."""
        if x.dtype.itemsize <= 4:
            return _of_single(xp, x.astype("float32", copy=False)).astype(
                x.dtype, copy=False
            )
        size = xp.minimum(xp.abs(x), 6.0)
        inner = size * ratio(xp.square(xp.minimum(size, 0.46875)), _NEAR)
        decay = xp.exp(-xp.square(size))
        middle = 1.0 - decay * middle_ratio(xp.clip(size, 0.46875, 4.0))
        tail = far_value(xp.maximum(size, 4.0))
        outer = xp.where(size <= 4.0, middle, 1.0 - decay * tail)
        value = xp.where(size <= 0.46875, inner, outer)
        return xp.copysign(value, x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 2 * e**-x**2 / sqrt(pi)."""
        return exp(negative(square(x))) * (2.0 / sqrt(pi))


def _of_single(xp: Xp, x: Array) -> Array:
    """Return erf(x) within 4e-7 of it: x times one polynomial of its square over another."""
    near = xp.clip(x, -4.0, 4.0)
    value = near * ratio(xp.square(near), _SINGLE)
    return xp.clip(value, -1.0, 1.0)


_SINGLE = (
    (
        1.9866481916438418e-6,
        2.8455542944334474e-4,
        3.8833397017891433e-3,
        5.3101754184220140e-2,
        1.9354645493082440e-1,
        1.1283791394067917,
    ),
    (
        3.7418207200340659e-5,
        1.1855494003368389e-3,
        1.5207271336026765e-2,
        1.1535041197447898e-1,
        5.0485863734953307e-1,
        1.0,
    ),
)
"""Fitted to erf(x) / x up to 4, where the rest is less than half the last digit of float32."""
_NEAR = (
    (
        1.85777706184603153e-1,
        3.16112374387056560,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (
        1.0,
        2.36012909523441209e1,
        2.44024637934444173e2,
        1.28261652607737228e3,
        2.84423683343917062e3,
    ),
)
_MIDDLE = (
    (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    ),
)
_FAR = (
    (
        1.63153871373020978e-2,
        3.05326634961232344e-1,
        3.60344899949804439e-1,
        1.25781726111229246e-1,
        1.60837851487422766e-2,
        6.58749161529837803e-4,
    ),
    (
        1.0,
        2.56852019228982242,
        1.87295284992346725,
        5.27905102951428412e-1,
        6.05183413124413191e-2,
        2.33520497626869185e-3,
    ),
)
"""Numerators and denominators, highest power first."""


def middle_ratio(x: Array) -> Array:
    """Return erfc(x) * e**x**2 for x from 0.46875 to 4."""
    return ratio(x, _MIDDLE)


def far_value(x: Array) -> Array:
    """Return erfc(x) * e**x**2 for x of 4 and more."""
    inverse = 1.0 / (x * x)
    return (1.0 / sqrt(pi) - inverse * ratio(inverse, _FAR)) / x


def ratio(
    x: Array, coefficients: tuple[tuple[float, ...], tuple[float, ...]]
) -> Array:
    """Return one polynomial of `x` over another."""
    above, below = (polynomial(x, side) for side in coefficients)
    return above / below


def polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """Return a polynomial of `x`, whose highest coefficient comes first."""
    total = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    total += coefficients[-1]
    return total


def erf(x: TensorLike, /) -> Tensor:
    """Return the error function of each element (real floating-point tensors; Cody 1969).

    >>> print(tl.erf([0.0, 1.0]))
    [0.       0.842701]
    """
    return call1(Erf(), x)
