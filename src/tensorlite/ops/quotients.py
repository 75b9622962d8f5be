"""Products and quotients that are 0 where a factor is, whatever the other: 0 / 0, 0 * log 0."""

from __future__ import annotations

from tensorlite.core.dispatch import floating, promoted
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.compare import equal, where
from tensorlite.ops.elementwise import log, log1p

__all__ = ["divide_no_nan", "multiply_no_nan", "xdivy", "xlog1py", "xlogy"]


def divide_no_nan(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x / y, and 0 where `y` is 0.

    >>> print(tl.math.divide_no_nan([1.0, 1.0], [2.0, 0.0]))
    [0.5 0. ]
    """
    a, b = map(floating, promoted(x, y))
    nothing = equal(b, 0)
    return where(nothing, 0, a / where(nothing, 1, b))


def multiply_no_nan(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * y, and 0 where `y` is 0, even if `x` is infinite or no number.

    >>> print(tl.math.multiply_no_nan([1.0, float("inf")], [2.0, 0.0]))
    [2. 0.]
    """
    a, b = map(floating, promoted(x, y))
    nothing = equal(b, 0)
    return where(nothing, 0, where(nothing, 0, a) * b)


def xdivy(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x / y, and 0 where `x` is 0.

    >>> print(tl.math.xdivy([1.0, 0.0], [2.0, 0.0]))
    [0.5 0. ]
    """
    a, b = map(floating, promoted(x, y))
    nothing = equal(a, 0)
    return where(nothing, 0, a / where(nothing, 1, b))


def xlogy(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * log(y), and 0 where `x` is 0.

    >>> print(tl.math.xlogy([1.0, 0.0], [1.0, 0.0]))
    [0. 0.]
    """
    a, b = map(floating, promoted(x, y))
    nothing = equal(a, 0)
    return where(nothing, 0, a * log(where(nothing, 1, b)))


def xlog1py(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return x * log(1 + y), and 0 where `x` is 0.

    >>> print(tl.math.xlog1py([1.0, 0.0], [0.0, -1.0]))
    [0. 0.]
    """
    a, b = map(floating, promoted(x, y))
    nothing = equal(a, 0)
    return where(nothing, 0, a * log1p(where(nothing, 0, b)))
