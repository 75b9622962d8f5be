"""The greater and the lesser of two elements, and elements held between two bounds.

The greatest of a whole tensor is in reduce.py, clipping by a norm in train/clipping.py.
"""

from __future__ import annotations

from tensorlite.core.dispatch import call, call2, promoted, to_tensor
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.arithmetic import sum_to
from tensorlite.ops.math.compare import (
    greater,
    greater_equal,
    less,
    less_equal,
    where,
)
from tensorlite.ops.math.elementwise import RealBinary

__all__ = ["clip", "maximum", "minimum"]


class Maximum(RealBinary):
    """The greater of two numbers; NaN if one is."""

    ufunc = "maximum"

    def of_sizes(self, x: int, y: int) -> int:
        """Return the greater."""
        return max(x, y)

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the greater."""
        return xp.maximum(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the greater, the first of equal ones, as TensorFlow does."""
        return _chosen(call, dy, greater_equal(*call.inputs))


class Minimum(RealBinary):
    """The lesser of two numbers; NaN if one is."""

    ufunc = "minimum"

    def of_sizes(self, x: int, y: int) -> int:
        """Return the lesser."""
        return min(x, y)

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the lesser."""
        return xp.minimum(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the lesser, the first of equal ones, as TensorFlow does."""
        return _chosen(call, dy, less_equal(*call.inputs))


def _chosen(call: Call, dy: Tensor, first: Tensor) -> Grads:
    x, y = call.inputs
    return sum_to(where(first, dy, 0), x), sum_to(where(first, 0, dy), y)


class ClipByValue(Op):
    """Numbers held between two bounds."""

    def infer(self, x: TensorSpec, low: TensorSpec, high: TensorSpec) -> TensorSpec:
        """Return the shape that all three broadcast to; DTypeError unless they are of one dtype."""
        if not x.dtype is low.dtype is high.dtype:
            raise DTypeError(
                f"ClipByValue: dtypes differ: {x}, {low}, {high}; cast with tl.astype"
            )
        return TensorSpec(broadcast(x.shape, low.shape, high.shape), x.dtype)

    def kernel(self, xp: Xp, x: Array, low: Array, high: Array) -> Array:
        """Return the numbers, the bounds where they lie beyond."""
        return xp.minimum(xp.maximum(x, low), high)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the number between the bounds, for the bound beyond."""
        x, low, high = call.inputs
        under, over = less(x, low), greater(x, high)
        inside = where(under, 0, where(over, 0, dy))
        return (
            sum_to(inside, x),
            sum_to(where(under, where(greater(low, high), 0, dy), 0), low),
            sum_to(where(greater(where(under, low, x), high), dy, 0), high),
        )


def maximum(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the greater of two elements, NaN if one is; the gradient of equal ones goes to `x1`.

    >>> print(tl.maximum([1.0, 3.0], 2.0))
    [2. 3.]
    """
    return call2(Maximum(), x1, x2)


def minimum(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the lesser of two elements, NaN if one is; the gradient of equal ones goes to `x1`.

    >>> print(tl.minimum([1.0, 3.0], 2.0))
    [1. 2.]
    """
    return call2(Minimum(), x1, x2)


def clip(
    x: TensorLike, /, min: TensorLike | None = None, max: TensorLike | None = None
) -> Tensor:
    """Return `x` held between `min` and `max`, either of which may be None for no bound.

    The gradient goes to `x` where it lies between the bounds or on them, else to the bound.

    >>> print(tl.clip([1.0, 5.0, 9.0], 2.0, 6.0))
    [2. 5. 6.]
    """
    tensor = to_tensor(x)
    if min is None:
        return apart(tensor, x) if max is None else minimum(tensor, max)
    if max is None:
        return maximum(tensor, min)
    tensor, low = promoted(tensor, min)
    tensor, high = promoted(tensor, max)
    return call(ClipByValue(), tensor, astype(low, tensor.dtype), high)
