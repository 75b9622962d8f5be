"""The gamma function's kin: its logarithm and derivatives, and the incomplete integrals.

They are computed in float64.
"""

from __future__ import annotations

from abc import abstractmethod
from math import log as log_of, nan, pi
from typing import Any

import numpy as np

from tensorlite.core.dispatch import call, call1, floating, promoted, to_tensor
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import negative, sum as sum_of, sum_to
from tensorlite.ops.math.compare import equal, logical_and, where
from tensorlite.ops.math.elementwise import exp, log, log1p

__all__ = [
    "betainc",
    "digamma",
    "igamma",
    "igammac",
    "lbeta",
    "lgamma",
    "polygamma",
    "zeta",
]

TURNS = 500
"""After how many terms series and fractions end at the latest."""
_BERNOULLI = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160),
    *(-691 / 1307674368000, 1 / 74724249600),
)
"""B(2k) / (2k)!, of the Euler-Maclaurin formula."""

_OF_LOG_GAMMA = (
    *(1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188, 691 / 360360, 1 / 156),
)
"""|B(2k)| / (2k (2k - 1)), of Stirling's series; from 10 on the next one is below 1e-16."""
_OF_DIGAMMA = (*(1 / 12, 1 / 120, 1 / 252, 1 / 240, 1 / 132, 691 / 32760, 1 / 12),)
"""|B(2k)| / 2k, of the derivative of that series."""


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


class _Special(Op, abstract=True):
    """A function of floating numbers, element by element."""

    wants_float = True

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the shape that all broadcast to; DTypeError unless they are of one dtype."""
        dtype = xs[0].dtype
        if not dtype.is_floating or any(x.dtype is not dtype for x in xs):
            listed = ", ".join(map(str, xs))
            raise DTypeError(f"{self.name} takes floats of one dtype, not {listed}")
        return TensorSpec(broadcast(*[x.shape for x in xs]), dtype)

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the values, in the dtype of the operands."""
        wide = [x.astype("float64") for x in xs]
        with np.errstate(all="ignore"):
            return self.values(xp, *wide).astype(xs[0].dtype)

    @abstractmethod
    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the values in float64."""


def _alternating(numbers: tuple[float, ...], x: Array) -> Any:
    """Return a polynomial whose signs alternate, the first number being a constant."""
    total: Any = numbers[-1]
    for number in reversed(numbers[:-1]):
        total = number - x * total
    return total


def log_gamma(xp: Any, x: Array) -> Array:
    """Return log |gamma(x)|: Stirling's series far out, recurrence before, reflection below 0.5."""
    low = x < 0.5
    y = xp.where(low, 1 - x, x)
    product = xp.ones_like(y)
    for _ in range(10):
        near = y < 10
        product = xp.where(near, product * y, product)
        y = xp.where(near, y + 1, y)
    inverse = 1 / (y * y)
    series = _alternating(_OF_LOG_GAMMA, inverse) / y
    found = (
        (y - 0.5) * xp.log(y) - y + 0.5 * log_of(2 * pi) + series - xp.log(product)
    )
    turned = log_of(pi) - xp.log(xp.abs(xp.sin(pi * x))) - found
    return xp.where(low, xp.where(x == xp.floor(x), xp.inf, turned), found)


def hurwitz(xp: Any, s: Array, q: Array) -> Array:
    """Return the sum of (q + n) ** -s over n >= 0, by the Euler-Maclaurin formula."""
    total = xp.zeros_like(s + q)
    for n in range(12):
        total = total + (q + n) ** -s
    end = q + 12
    total = total + end ** (1 - s) / (s - 1) + 0.5 * end**-s
    factor = s * end ** (-s - 1)
    for k, number in enumerate(_BERNOULLI):
        total = total + number * factor
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2) / (end * end)
    return total


class Lgamma(_Special):
    """The logarithm of the gamma function's magnitude."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return log |gamma(x)|."""
        return log_gamma(xp, *xs)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy * digamma(x)."""
        return (dy * digamma(call.inputs[0]),)


class Digamma(_Special):
    """The derivative of the gamma function's logarithm."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the asymptotic series, behind recurrence and reflection."""
        (x,) = xs
        low = x < 0.5
        y = xp.where(low, 1 - x, x)
        before = xp.zeros_like(y)
        for _ in range(10):
            near = y < 10
            before = xp.where(near, before - 1 / y, before)
            y = xp.where(near, y + 1, y)
        inverse = 1 / (y * y)
        series = inverse * _alternating(_OF_DIGAMMA, inverse)
        found = xp.log(y) - 0.5 / y - series + before
        turned = xp.where(x == xp.floor(x), xp.nan, found - pi / xp.tan(pi * x))
        return xp.where(low, turned, found)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy times the derivative, which is polygamma(1, x)."""
        (x,) = call.inputs
        return (dy * polygamma(ones_like(x), x),)


class Zeta(_Special):
    """Hurwitz's zeta function, for exponents above 1."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the sum, infinite at 1 and not a number below."""
        s, q = xs
        found = hurwitz(xp, s, q)
        return xp.where(s > 1, found, xp.where(s == 1, xp.inf, xp.nan))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the second operand only."""
        s, q = call.inputs
        return None, sum_to(dy * negative(s) * zeta(s + 1.0, q), q)


class Polygamma(_Special):
    """The derivatives of Digamma; the first operand says which."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return (-1)**(n + 1) n! zeta(n + 1, x); Digamma for 0."""
        n, x = xs
        scale = xp.where(n % 2 == 0, -1.0, 1.0) * xp.exp(log_gamma(xp, n + 1))
        zeroth = Digamma().values(xp, x)
        higher = scale * hurwitz(xp, xp.where(n == 0, 1.5, n + 1), x)
        is_order = (n >= 0) & (n == xp.floor(n))
        return xp.where(is_order, xp.where(n == 0, zeroth, higher), xp.nan)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the second operand only."""
        n, x = call.inputs
        return None, sum_to(dy * polygamma(n + 1.0, x), x)


class Igamma(_Special):
    """The lower incomplete gamma integral, as a part of the whole."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the series below a + 1, and one less the continued fraction above."""
        a, x = xp.broadcast_arrays(*xs)
        front = xp.exp(a * xp.log(x) - x - log_gamma(xp, a))
        term = total = 1 / a
        for n in range(1, TURNS):
            term = term * xp.where(x < a + 1, x, 0.0) / (a + n)
            total = total + term
        found = xp.where(x < a + 1, front * total, 1 - front * _tail(xp, a, x))
        found = xp.where((x > 0) & (a > 0), found, xp.nan)
        found = xp.where((x == xp.inf) & (a > 0), 1.0, found)
        found = xp.where((a == xp.inf) & (x >= 0), 0.0, found)
        return xp.where(x == 0, 0.0, found)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for both operands."""
        a, x = call.inputs
        density = exp((a - 1.0) * log(x) - x - lgamma(a))
        return sum_to(dy * apply(IgammaGradA(), a, x), a), sum_to(dy * density, x)


def _tail(xp: Any, a: Array, x: Array) -> Array:
    """Return the continued fraction of the upper integral, by Lentz's method."""
    x = xp.maximum(x, a + 1)
    b = x + 1 - a
    c, d = xp.full_like(x, 1e300), 1 / b
    h = d
    for n in range(1, TURNS):
        number = -n * (n - a)
        b = b + 2
        d = 1 / (number * d + b)
        c = b + number / c
        h = h * d * c
    return h


class Betainc(_Special):
    """The incomplete beta integral, as a part of the whole."""

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the continued fraction on the side where it converges fast."""
        a, b, x = xp.broadcast_arrays(*xs)
        turned = x > (a + 1) / (a + b + 2)
        p, q = xp.where(turned, b, a), xp.where(turned, a, b)
        z = xp.where(turned, 1 - x, x)
        whole = log_gamma(xp, p + q) - log_gamma(xp, p) - log_gamma(xp, q)
        front = xp.exp(p * xp.log(z) + q * xp.log1p(-z) + whole) / p
        front = xp.where(z > 0, front, 0.0)
        found = front * _fraction(xp, p, q, z)
        inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
        return xp.where(inside, xp.where(turned, 1 - found, found), xp.nan)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the last operand only."""
        a, b, x = call.inputs
        whole = lgamma(a) + lgamma(b) - lgamma(a + b)
        density = exp((b - 1.0) * log1p(negative(x)) + (a - 1.0) * log(x) - whole)
        return None, None, sum_to(dy * density, x)


def _fraction(xp: Any, a: Array, b: Array, x: Array) -> Array:
    c = xp.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, TURNS // 2):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / (1 + even * d), 1 + even / c
        h = h * d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + odd * d), 1 + odd / c
        h = h * d * c
    return h


class IgammaGradA(_Special):
    """The derivative of Igamma by its first operand."""

    differentiable = False

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return the difference quotient of fourth order."""
        a, x = xp.broadcast_arrays(*xs)
        step = 1e-3 * xp.minimum(a, 1.0)
        near, far = [
            Igamma().values(xp, a + n * step, x)
            - Igamma().values(xp, a - n * step, x)
            for n in (1, 2)
        ]
        return (8 * near - far) / (12 * step)


class Igammac(Composite):
    """The upper incomplete gamma integral, as a part of the whole."""

    def compose(self, a: Tensor, x: Tensor) -> Tensor:
        """Return what the lower one leaves; nothing is known where both operands are 0."""
        none = logical_and(equal(a, 0), equal(x, 0))
        return where(none, nan, 1.0 - igamma(a, x))


class RandomGammaGrad(_Special):
    """How numbers of gamma distributions move with the distribution's shape.

    A number stays at the same quantile: so it is the derivative of the inverse of Igamma.
    """

    differentiable = False

    def values(self, xp: Any, *xs: Array) -> Array:
        """Return -dF/da over the density, with F the part below the number."""
        a, x = xp.broadcast_arrays(*xs)
        inside = x > 0
        places = xp.where(inside, x, 1.0)
        density = xp.exp((a - 1) * xp.log(places) - places - log_gamma(xp, a))
        return xp.where(inside, -IgammaGradA().values(xp, a, places) / density, 0.0)


def _promoted(*xs: TensorLike) -> list[Tensor]:
    """Return operands as floats of one dtype."""
    first = to_tensor(xs[0])
    for x in xs[1:]:
        first = promoted(first, x)[0]
    return [floating(promoted(x, first)[0]) for x in xs]


def lgamma(x: TensorLike, /) -> Tensor:
    """Return the logarithm of the gamma function's magnitude.

    >>> print(tl.math.lgamma([1.0, 5.0]))
    [0.       3.178054]
    """
    return call1(Lgamma(), x)


def digamma(x: TensorLike, /) -> Tensor:
    """Return the derivative of lgamma.

    >>> print(tl.math.digamma(1.0))
    -0.5772157
    """
    return call1(Digamma(), x)


def polygamma(n: TensorLike, x: TensorLike, /) -> Tensor:
    """Return the `n`-th derivative of digamma; gradients flow to `x` only.

    >>> print(tl.math.polygamma(1.0, 1.0))
    1.644934
    """
    return call(Polygamma(), *_promoted(n, x))


def zeta(s: TensorLike, q: TensorLike, /) -> Tensor:
    """Return Hurwitz's zeta function, the sum of (q + n) ** -s; gradients flow to `q` only.

    >>> print(tl.math.zeta(2.0, 1.0))
    1.644934
    """
    return call(Zeta(), *_promoted(s, q))


def igamma(a: TensorLike, x: TensorLike, /) -> Tensor:
    """Return the lower incomplete gamma integral up to `x`, as a part of the whole.

    >>> print(tl.math.igamma(1.0, 1.0))
    0.63212055
    """
    return call(Igamma(), *_promoted(a, x))


def igammac(a: TensorLike, x: TensorLike, /) -> Tensor:
    """Return the upper incomplete gamma integral from `x` on, as a part of the whole.

    >>> print(tl.math.igammac(1.0, 1.0))
    0.36787945
    """
    made: Tensor = composed(Igammac(), *_promoted(a, x))
    return made


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, /) -> Tensor:
    """Return the incomplete beta integral up to `x`; gradients flow to `x` only.

    >>> print(tl.math.betainc(1.0, 2.0, 0.5))
    0.75
    """
    return call(Betainc(), *_promoted(a, b, x))


def lbeta(x: TensorLike, /) -> Tensor:
    """Return the logarithm of the beta function's magnitude, of the elements of the last axis.

    >>> print(tl.math.lbeta([1.0, 2.0]))
    -0.6931472
    """
    tensor = floating(to_tensor(x))
    return sum_of(lgamma(tensor), axis=-1) - lgamma(sum_of(tensor, axis=-1))
