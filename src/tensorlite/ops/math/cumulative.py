"""Running sums and products along an axis, and differences of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.dispatch import call, constant, promoted, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, normalise_axes, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import fill
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.pieces import sliced
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.math.arithmetic import KeptShape, conjugated, subtract, summable
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import equal, not_equal, where

__all__ = ["cumulative_prod", "cumulative_sum", "diff"]


class _Running(Op, abstract=True):
    """Something of all elements up to each along an axis."""

    host = (1,)
    exclusive: bool = False
    """Whether each element itself is left out."""
    reverse: bool = False
    """Whether it runs from the end."""

    def infer(self, x: TensorSpec, axis: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError when the axis is not there."""
        given = axis.constant()
        if given is not None and x.shape is not None:
            normalise_axes(given, len(x.shape))
        if not x.dtype.is_numeric:
            raise DTypeError(
                f"{self.name} takes numbers, not {x}; cast it with tl.astype"
            )
        return x.without_value()

    def run(self, xp: Xp, x: Array, axis: Array, function: str, first: int) -> Array:
        """Return what `function` of NumPy makes along the axis, `first` standing at its start."""
        forward = xp.moveaxis(x, int(axis), 0)
        if self.reverse:
            forward = forward[::-1]
        total = getattr(xp, function)(forward, axis=0, dtype=x.dtype)
        if self.exclusive:
            shifted = xp.full_like(total, first)
            shifted[1:] = total[:-1]
            total = shifted
        return xp.moveaxis(total[::-1] if self.reverse else total, 0, int(axis))


class Cumsum(_Running):
    """Running sums along an axis."""

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return the running sums."""
        return self.run(xp, x, axis, "cumsum", 0)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient summed from the other end."""
        return _running_sum(
            dy, call.inputs[1], self.exclusive, not self.reverse
        ), None


class Cumprod(_Running):
    """Running products along an axis."""

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return the running products."""
        return self.run(xp, x, axis, "cumprod", 1)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, in which elements that are zero count as constants (TensorFlow)."""
        x, axis = call.inputs
        flow = dy * conjugated(call.outputs[0])
        total = _running_sum(flow, axis, self.exclusive, not self.reverse)
        zero = equal(x, 0)
        return where(zero, 0, total / conjugated(where(zero, 1, x))), None


def _running_sum(x: Tensor, axis: Tensor, exclusive: bool, reverse: bool) -> Tensor:
    return call(Cumsum(exclusive, reverse), x, axis)


def _running(
    op: _Running,
    first: int,
    x: TensorLike,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
) -> Tensor:
    tensor = summable(to_tensor(x), dtype)
    rank = tensor.spec.rank
    if axis is None:
        if rank not in (None, 1):
            raise InvalidArgumentError(
                f"{op.name} of a tensor with {rank} axes: say along which, as in axis=0"
            )
        axis = 0
    if rank is not None:
        axis = normalise_axis(axis, rank)
    place = constant(np.asarray(axis, np.int32))
    total = call(op, tensor, place)
    if not include_initial:
        return total
    edge = call(KeptShape(), shape_of(tensor), place)
    return concat([fill(edge, constant(first, total.dtype)), total], axis=axis)


def cumulative_sum(
    x: TensorLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return the running sums along `axis`, which may be left out for vectors.

    The dtype is that of `sum`. With `include_initial` a zero stands before them.

    >>> print(tl.cumulative_sum([1, 2, 3], include_initial=True))
    [0 1 3 6]
    """
    return _running(Cumsum(), 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: TensorLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return the running products along `axis`, which may be left out for vectors.

    The dtype is that of `prod`. With `include_initial` a one stands before them. In the gradient,
    elements that are zero count as constants, as in TensorFlow.

    >>> print(tl.cumulative_prod([1, 2, 3]))
    [1 2 6]
    """
    return _running(Cumprod(), 1, x, axis, dtype, include_initial)


def diff(
    x: TensorLike,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: TensorLike | None = None,
    append: TensorLike | None = None,
) -> Tensor:
    """Return each element less the one before it along `axis`, `n` times over.

    `prepend` and `append` are joined to `x` first. Differences of bools are whether they differ.

    >>> print(tl.diff([1, 4, 9, 16]), tl.diff([1, 4, 9, 16], n=2))
    [3 5 7] [2 2]
    """
    if n < 0:
        raise InvalidArgumentError(f"diff: n={n}; allowed are 0 and more")
    tensor = to_tensor(x)
    parts = [to_tensor(part) for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        parts = [promoted(part, tensor)[0] for part in parts]
        tensor = concat(parts, axis=axis)
    place = normalise_axis(axis, len(tensor.shape))
    for _ in range(n):
        tensor = _neighbours(tensor, place)
    return apart(tensor, x)


def _neighbours(x: Tensor, axis: int) -> Tensor:
    step = np.zeros(len(x.shape), np.int32)
    step[axis] = 1
    if x.shape[axis] == 0:
        return x
    size, first = _one_less(x, step), np.zeros_like(step)
    # Where a trace does not know the axis, it may be empty, and begins at its end.
    second = step if x.shape[axis] else minimum(shape_of(x), step)
    later, earlier = sliced(x, second, size), sliced(x, first, size)
    return (
        not_equal(later, earlier) if x.dtype.kind == "b" else subtract(later, earlier)
    )


def _one_less(x: Tensor, step: np.ndarray[Any, Any]) -> Tensor:
    if x.spec.is_static:
        return constant(np.asarray(x.shape, np.int32) - step)
    return maximum(subtract(shape_of(x), step), 0)
