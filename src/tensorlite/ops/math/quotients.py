"""Products and quotients that are 0 where a factor is, whatever the other: 0 / 0, 0 * log 0.

Each is an operator in TensorFlow, and a composite here.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.dispatch import floating, promoted
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import sum_to
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.elementwise import log, log1p

__all__ = ["divide_no_nan", "multiply_no_nan", "xdivy", "xlog1py", "xlogy"]


class DivNoNan(Composite):
    """A quotient that is 0 where the divisor is."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x / y, 0 where y is."""
        nothing = equal(y, 0)
        return where(nothing, 0, x / where(nothing, 1, y))


class MulNoNan(Composite):
    """A product that is 0 where the second factor is."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x * y, 0 where y is."""
        nothing = equal(y, 0)
        return where(nothing, 0, where(nothing, 0, x) * y)

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Return gradients that are such products, too: that of y is x where y is 0."""
        (x, y), (dy,) = call.inputs, dys
        to_x, to_y = composed(MulNoNan(), dy, y), composed(MulNoNan(), x, dy)
        return sum_to(to_x, x), sum_to(to_y, y)


class Xdivy(Composite):
    """A quotient that is 0 where the dividend is."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x / y, 0 where x is."""
        nothing = equal(x, 0)
        return where(nothing, 0, x / where(nothing, 1, y))


class Xlogy(Composite):
    """A product with a logarithm that is 0 where the factor is."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x * log(y), 0 where x is."""
        nothing = equal(x, 0)
        return where(nothing, 0, x * log(where(nothing, 1, y)))


class Xlog1py(Composite):
    """A product with the logarithm of 1 and more that is 0 where the factor is."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x * log(1 + y), 0 where x is."""
        nothing = equal(x, 0)
        return where(nothing, 0, x * log1p(where(nothing, 0, y)))


def _of_floats(op: Composite, x: TensorLike, y: TensorLike) -> Tensor:
    made: Tensor = composed(op, *map(floating, promoted(x, y)))
    return made


def divide_no_nan(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x / y, and 0 where `y` is 0.

    >>> print(tl.math.divide_no_nan([1.0, 1.0], [2.0, 0.0]))
    [0.5 0. ]
    """
    return _of_floats(DivNoNan(), x, y)


def multiply_no_nan(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * y, and 0 where `y` is 0, even if `x` is infinite or no number.

    >>> print(tl.math.multiply_no_nan([1.0, float("inf")], [2.0, 0.0]))
    [2. 0.]
    """
    return _of_floats(MulNoNan(), x, y)


def xdivy(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x / y, and 0 where `x` is 0.

    >>> print(tl.math.xdivy([1.0, 0.0], [2.0, 0.0]))
    [0.5 0. ]
    """
    return _of_floats(Xdivy(), x, y)


def xlogy(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * log(y), and 0 where `x` is 0.

    >>> print(tl.math.xlogy([1.0, 0.0], [1.0, 0.0]))
    [0. 0.]
    """
    return _of_floats(Xlogy(), x, y)


def xlog1py(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * log(1 + y), and 0 where `x` is 0.

    >>> print(tl.math.xlog1py([1.0, 0.0], [0.0, -1.0]))
    [0. 0.]
    """
    return _of_floats(Xlog1py(), x, y)
