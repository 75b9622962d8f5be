"""Trigonometric and hyperbolic functions, and their inverses.

Other functions of elements are in elementwise.py.
"""

from __future__ import annotations

from tensorlite.core.dispatch import call1, call2
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import negative, sum_to
from tensorlite.ops.math.elementwise import (
    RealBinary,
    Smooth,
    reciprocal,
    rsqrt,
    square,
)
from tensorlite.ops.math.rounding import imag, real

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "hypot",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


class Sin(Smooth):
    """The sine."""

    ufunc = "sin"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return sin(x)."""
        return xp.sin(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return cos(x)."""
        return cos(x)


class Cos(Smooth):
    """The cosine."""

    ufunc = "cos"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return cos(x)."""
        return xp.cos(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -sin(x)."""
        return negative(sin(x))


class Tan(Smooth):
    """The tangent."""

    ufunc = "tan"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return tan(x)."""
        return xp.tan(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 + tan(x)**2."""
        return square(y) + 1.0


class Asin(Smooth):
    """The inverse sine."""

    ufunc = "arcsin"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the angle."""
        return xp.arcsin(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / sqrt(1 - x**2)."""
        return rsqrt((1.0 - x) * (1.0 + x))


class Acos(Smooth):
    """The inverse cosine."""

    ufunc = "arccos"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the angle."""
        return xp.arccos(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return -1 / sqrt(1 - x**2)."""
        return negative(rsqrt((1.0 - x) * (1.0 + x)))


class Atan(Smooth):
    """The inverse tangent."""

    ufunc = "arctan"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the angle."""
        return xp.arctan(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (1 + x**2)."""
        return reciprocal(square(x) + 1.0)


class Sinh(Smooth):
    """The hyperbolic sine."""

    ufunc = "sinh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return sinh(x)."""
        return xp.sinh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return cosh(x)."""
        return cosh(x)


class Cosh(Smooth):
    """The hyperbolic cosine."""

    ufunc = "cosh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return cosh(x)."""
        return xp.cosh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return sinh(x)."""
        return sinh(x)


class Tanh(Smooth):
    """The hyperbolic tangent."""

    ufunc = "tanh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return tanh(x)."""
        return xp.tanh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - tanh(x)**2."""
        return 1.0 - square(y)


class Asinh(Smooth):
    """The inverse hyperbolic sine."""

    ufunc = "arcsinh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return asinh(x)."""
        return xp.arcsinh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / sqrt(1 + x**2)."""
        return rsqrt(square(x) + 1.0)


class Acosh(Smooth):
    """The inverse hyperbolic cosine."""

    ufunc = "arccosh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return acosh(x)."""
        return xp.arccosh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (sqrt(x - 1) * sqrt(x + 1)), which keeps to the branch."""
        return rsqrt(x - 1.0) * rsqrt(x + 1.0)


class Atanh(Smooth):
    """The inverse hyperbolic tangent."""

    ufunc = "arctanh"

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return atanh(x)."""
        return xp.arctanh(x)

    def slope(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 / (1 - x**2)."""
        return reciprocal((1.0 - x) * (1.0 + x))


class Atan2(RealBinary):
    """The angle of the point (x2, x1)."""

    wants_float = True
    ufunc = "arctan2"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the angle."""
        return xp.arctan2(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy * x2 / (x1**2 + x2**2) and -dy * x1 / (x1**2 + x2**2)."""
        x, y = call.inputs
        over = dy / (square(x) + square(y))
        return sum_to(over * y, x), sum_to(negative(over * x), y)


class Hypot(RealBinary):
    """The length of the vector (x1, x2)."""

    wants_float = True
    ufunc = "hypot"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the length, without overflow on the way."""
        return xp.hypot(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient along the vector's direction."""
        x, y = call.inputs
        over = dy / call.outputs[0]
        return sum_to(over * x, x), sum_to(over * y, y)


def sin(x: TensorLike, /) -> Tensor:
    """Return the sine of each element, in radians.

    >>> print(tl.sin([0.0, 1.0]))
    [0.       0.841471]
    """
    return call1(Sin(), x)


def cos(x: TensorLike, /) -> Tensor:
    """Return the cosine of each element, in radians.

    >>> print(tl.cos([0.0, 1.0]))
    [1.       0.540302]
    """
    return call1(Cos(), x)


def tan(x: TensorLike, /) -> Tensor:
    """Return the tangent of each element, in radians.

    >>> print(tl.tan([0.0, 1.0]))
    [0.       1.557408]
    """
    return call1(Tan(), x)


def asin(x: TensorLike, /) -> Tensor:
    """Return the angle, between -pi/2 and pi/2, whose sine each element is.

    >>> print(tl.asin([0.0, 1.0]))
    [0.       1.570796]
    """
    return call1(Asin(), x)


def acos(x: TensorLike, /) -> Tensor:
    """Return the angle, between 0 and pi, whose cosine each element is.

    >>> print(tl.acos([0.0, 1.0]))
    [1.570796 0.      ]
    """
    return call1(Acos(), x)


def atan(x: TensorLike, /) -> Tensor:
    """Return the angle, between -pi/2 and pi/2, whose tangent each element is.

    >>> print(tl.atan([0.0, 1.0]))
    [0.       0.785398]
    """
    return call1(Atan(), x)


def sinh(x: TensorLike, /) -> Tensor:
    """Return the hyperbolic sine of each element.

    >>> print(tl.sinh([0.0, 1.0]))
    [0.       1.175201]
    """
    return call1(Sinh(), x)


def cosh(x: TensorLike, /) -> Tensor:
    """Return the hyperbolic cosine of each element.

    >>> print(tl.cosh([0.0, 1.0]))
    [1.       1.543081]
    """
    return call1(Cosh(), x)


def tanh(x: TensorLike, /) -> Tensor:
    """Return the hyperbolic tangent of each element.

    >>> print(tl.tanh([0.0, 1.0]))
    [0.       0.761594]
    """
    return call1(Tanh(), x)


def asinh(x: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic sine of each element.

    >>> print(tl.asinh([0.0, 1.0]))
    [0.       0.881374]
    """
    return call1(Asinh(), x)


def acosh(x: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic cosine of each element; NaN below 1.

    >>> print(tl.acosh([1.0, 2.0]))
    [0.       1.316958]
    """
    return call1(Acosh(), x)


def atanh(x: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic tangent of each element; NaN beyond -1 and 1.

    >>> print(tl.atanh([0.0, 0.5]))
    [0.       0.549306]
    """
    return call1(Atanh(), x)


def atan2(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the angle, between -pi and pi, of the points whose y is `x1` and whose x is `x2`.

    >>> print(tl.atan2([0.0, 1.0], [-1.0, 0.0]))
    [3.141593 1.570796]
    """
    return call2(Atan2(), x1, x2)


def hypot(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return sqrt(x1**2 + x2**2), computed without overflow.

    >>> print(tl.hypot([3.0], [4.0]))
    [5.]
    """
    return call2(Hypot(), x1, x2)


class Angle(Composite):
    """The angle of complex numbers with the real axis."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the angle."""
        return atan2(imag(x), real(x))
