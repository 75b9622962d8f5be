"""Reductions over axes: means, products, extremes, logic, moments. The sum is in arithmetic.py.

Running sums and products are in cumulative.py; norms are in linear/linalg.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import ClassVar

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, floating, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, normalise_axes, reduced_shape, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.math.arithmetic import (
    KeptShape,
    Sum,
    as_axes,
    axis_tuple,
    conjugated,
    divide,
    spread,
    subtract,
    sum,
    summable,
)
from tensorlite.ops.math.compare import as_bool, equal, isfinite, where
from tensorlite.ops.math.cumulative import Cumprod
from tensorlite.ops.math.elementwise import exp, log, sqrt, square
from tensorlite.ops.math.folded_sums import average, is_brief, widened
from tensorlite.ops.math.rounding import abs, floor

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "var",
]

Axis = int | Sequence[int] | Tensor | None


class Reduction(Op, abstract=True):
    """One value for all elements along some axes."""

    host = (1,)
    keep_dims: bool = False

    def infer(self, x: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return the shape without the axes, or with size 1 in their place."""
        self.check(x, axes)
        return x.with_shape(reduced_shape(x, axes, self.keep_dims))

    def check(self, x: TensorSpec, axes: TensorSpec) -> None:
        """Raise DTypeError for what the reduction does not take."""
        if not x.dtype.is_numeric:
            raise DTypeError(
                f"{self.name} takes numbers, not {x}; cast it with tl.astype"
            )


class Mean(Reduction):
    """The mean over some axes."""

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the mean; NaN where there is nothing to take it of."""
        axis = axis_tuple(axes)
        if x.size:
            return average(xp, x, axis, self.keep_dims)
        total = xp.sum(x, axis=axis, keepdims=self.keep_dims, dtype=x.dtype)
        return xp.full_like(total, nan)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in equal parts."""
        x, axes = call.inputs
        return spread(dy / count(x, axes, x.dtype), x, axes), None


class Prod(Reduction):
    """The product over some axes."""

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the product, in the operand's dtype."""
        if is_brief(x):
            return self.kernel(xp, widened(x), axes).astype(x.dtype)
        return xp.prod(
            x, axis=axis_tuple(axes), keepdims=self.keep_dims, dtype=x.dtype
        )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy times the product of all others, zeros among them or not.

        Axes go one by one, each leaving size 1, so that the others are running products from
        both sides. Axes that a trace does not know are divided out, which zeros do not allow.
        """
        x, axes = call.inputs
        known = axes.spec.constant()
        if known is None and axes.spec.vector() != (None,):
            return spread(dy * conjugated(call.outputs[0]), x, axes) / conjugated(
                x
            ), None
        steps = (
            [axes]
            if known is None
            else [constant(np.asarray([a], np.int32)) for a in known]
        )
        partial = [x]
        for step in steps:
            partial.append(_product(partial[-1], step))
        flow = reshape(dy, shape_of(partial[-1]))
        for step, y in zip(reversed(steps), reversed(partial[:-1]), strict=True):
            flow = spread(flow, y, step) * conjugated(_product_of_others(y, step))
        return flow, None


def _product(x: Tensor, axes: Tensor) -> Tensor:
    return call(Prod(keep_dims=True), x, axes)


def _product_of_others(x: Tensor, axis: Tensor) -> Tensor:
    """Return, for each element, the product of all others along its axis."""
    one = reshape(axis, ())
    before = call(Cumprod(exclusive=True), x, one)
    return before * call(Cumprod(exclusive=True, reverse=True), x, one)


class _Extreme(Reduction, abstract=True):
    """The greatest or least over some axes; over nothing, where the dtype's numbers end."""

    end: ClassVar[float]
    """The infinity than which nothing is less, or nothing greater."""
    function: ClassVar[str]
    """NumPy's."""

    def check(self, x: TensorSpec, axes: TensorSpec) -> None:
        """Raise DTypeError unless there is an order."""
        if not (x.dtype.is_integer or x.dtype.is_floating or x.dtype is dtypes.bool_):
            raise DTypeError(
                f"{self.name} takes real numbers, not {x}; compare tl.abs(x) instead"
            )

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the extreme; NaN if one is."""
        gone = axis_tuple(axes)
        if x.size:
            found: Array = getattr(xp, self.function)(
                x, gone, keepdims=self.keep_dims
            )
            return found
        shape = xp.sum(x, axis=gone, keepdims=self.keep_dims).shape
        return xp.full(shape, _end_of(x.dtype, self.end), x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in equal parts for all elements that are the extreme."""
        x, axes = call.inputs
        chosen = astype(equal(x, spread(call.outputs[0], x, axes)), x.dtype)
        shares = spread(_sum_over(chosen, axes), x, axes)
        return spread(dy, x, axes) * (chosen / shares), None


def _sum_over(x: Tensor, axes: Tensor) -> Tensor:
    return call(Sum(), x, axes)


def _end_of(dtype: np.dtype[np.generic], end: float) -> float:
    """Return the number of a dtype that is nearest to an infinity."""
    if dtype.kind == "b":
        return end > 0
    if dtype.kind not in "iu":
        return end
    bounds = np.iinfo(dtype.name)
    return bounds.max if end > 0 else bounds.min


class Max(_Extreme):
    """The greatest over some axes."""

    end, function = -inf, "max"


class Min(_Extreme):
    """The least over some axes."""

    end, function = inf, "min"


class _Logical(Reduction, abstract=True):
    """What holds of bools along some axes."""

    differentiable = False

    def check(self, x: TensorSpec, axes: TensorSpec) -> None:
        """Raise DTypeError for anything but bools."""
        if x.dtype is not dtypes.bool_:
            raise DTypeError(
                f"{self.name} takes bools, not {x}; compare it with something"
            )


class All(_Logical):
    """Whether all hold."""

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return whether all hold; true of nothing."""
        return xp.all(x, axis=axis_tuple(axes), keepdims=self.keep_dims)


class Any(_Logical):
    """Whether one holds."""

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return whether one holds; false of nothing."""
        return xp.any(x, axis=axis_tuple(axes), keepdims=self.keep_dims)


class _Place(Op, abstract=True):
    """Where the extreme along an axis stands: the first of equal ones."""

    host = (1,)
    differentiable = False
    output_type: DType = dtypes.int64

    def infer(self, x: TensorSpec, axis: TensorSpec) -> TensorSpec:
        """Return the shape without the axis; errors as for the extreme itself."""
        at = axis.axis()
        shape = reduced_shape(x, axis, keep_dims=False)
        if axis.constant() is None and x.shape is not None:
            shape = (None,) * (len(x.shape) - 1)
        if x.dtype.is_complex or x.dtype is dtypes.string:
            raise DTypeError(f"{self.name} takes real numbers and bools, not {x}")
        if x.shape is not None and at is not None and x.shape[at] == 0:
            raise InvalidArgumentError(
                f"{self.name}: Reduction axis {at} is empty in shape {shape_text(x.shape)}"
            )
        return TensorSpec(shape, self.output_type)


class ArgMax(_Place):
    """Where the greatest along an axis stands."""

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return the index of the greatest."""
        return xp.argmax(x, axis=int(axis)).astype(self.output_type.numpy)


class ArgMin(_Place):
    """Where the least along an axis stands."""

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return the index of the least."""
        return xp.argmin(x, axis=int(axis)).astype(self.output_type.numpy)


class ReducedSize(Op):
    """How many elements of a shape lie along some axes."""

    host = (0, 1)
    differentiable = False

    def infer(self, shape: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return a 0-d integer."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, shape: Array, axes: Array) -> Array:
        """Return the number, in host memory."""
        return np.asarray(np.prod(shape[axes], dtype=np.int64))


def count(x: Tensor, axes: Tensor, dtype: DType) -> Tensor:
    """Return how many elements of `x` lie along `axes`: a constant where that is known."""
    gone = axes.spec.constant()
    if gone is not None and x.spec.is_static:
        sizes = [x.shape[i] for i in normalise_axes(gone, len(x.shape))]
        return constant(int(np.prod(sizes, dtype=np.int64)), dtype)
    return astype(call(ReducedSize(), shape_of(x), axes), dtype)


def mean(x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the mean over `axis` (an axis, several, or None for all); integers become float32.

    >>> print(tl.mean([[1.0, 2.0], [3.0, 4.0]], axis=0))
    [2. 3.]
    """
    tensor = floating(to_tensor(x))
    return call(Mean(keepdims), tensor, as_axes(axis, tensor))


def prod(
    x: TensorLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the product over `axis`, in the dtype that the sum would have.

    Its gradient is right where elements are zero; that of its gradient where they are not.

    >>> print(tl.prod([[1, 2], [3, 4]], axis=1))
    [ 2 12]
    """
    tensor = summable(to_tensor(x), dtype)
    if axis is None and tensor.spec.rank is None and not keepdims:
        tensor = reshape(tensor, (-1,))
    return call(Prod(keepdims), tensor, as_axes(axis, tensor))


def max(x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the greatest over `axis`, NaN if one is; equal ones share the gradient.

    Raises InvalidArgumentError over an axis without elements.

    >>> print(tl.max([[1, 2], [3, 4]], axis=0))
    [3 4]
    """
    return call(Max(keepdims), *_not_over_nothing("Max", x, axis))


def min(x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the least over `axis`, NaN if one is; equal ones share the gradient.

    Raises InvalidArgumentError over an axis without elements.

    >>> print(tl.min([[1, 2], [3, 4]], axis=0))
    [1 2]
    """
    return call(Min(keepdims), *_not_over_nothing("Min", x, axis))


def _not_over_nothing(what: str, x: TensorLike, axis: Axis) -> tuple[Tensor, Tensor]:
    """Return a tensor and axes of which it is known that they have elements, if anything is."""
    tensor = to_tensor(x)
    axes = as_axes(axis, tensor)
    gone, shape = axes.spec.constant(), tensor.spec.shape
    if gone is None or shape is None:
        return tensor, axes
    if 0 in [shape[i] for i in normalise_axes(gone, len(shape))]:
        raise InvalidArgumentError(
            f"{what} over axes {list(gone)} of {shape_text(shape)} has no elements to choose from; "
            "test the size first"
        )
    return tensor, axes


def all(x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether all elements over `axis` hold; numbers hold when they are not zero.

    >>> print(tl.all([[True, False], [True, True]], axis=1))
    [False  True]
    """
    tensor = as_bool(x)
    return call(All(keepdims), tensor, as_axes(axis, tensor))


def any(x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether an element over `axis` holds; numbers hold when they are not zero.

    >>> print(tl.any([[True, False], [False, False]], axis=1))
    [ True False]
    """
    tensor = as_bool(x)
    return call(Any(keepdims), tensor, as_axes(axis, tensor))


def var(
    x: TensorLike,
    /,
    *,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> Tensor:
    """Return the variance over `axis`: squared distances from the mean over n - `correction`.

    It is NaN where n is not greater than `correction`. Integers become float32.

    >>> print(tl.var([1.0, 2.0, 3.0]), tl.var([1.0, 2.0, 3.0], correction=1))
    0.6666667 1.0
    """
    tensor = floating(to_tensor(x))
    axes = as_axes(axis, tensor)
    distance = subtract(tensor, call(Mean(True), tensor, axes))
    squares = square(abs(distance) if tensor.dtype.is_complex else distance)
    number = count(tensor, axes, squares.dtype) - correction
    over = where(number > 0, number, nan)
    return divide(call(Sum(keepdims), squares, axes), over)


def std(
    x: TensorLike,
    /,
    *,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> Tensor:
    """Return the standard deviation over `axis`: the root of the variance.

    >>> print(tl.std([1.0, 2.0, 3.0], correction=1))
    1.0
    """
    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _place(
    op: _Place, x: TensorLike, axis: int | Tensor | None, keepdims: bool
) -> Tensor:
    tensor = to_tensor(x)
    flat = reshape(tensor, (-1,)) if axis is None else tensor
    axes = as_axes(0 if axis is None else axis, flat)
    found = call(op, flat, reshape(axes, ()))
    if not keepdims:
        return found
    gone = as_axes(None, tensor) if axis is None else axes
    return reshape(found, call(KeptShape(), shape_of(tensor), gone))


def argmax(
    x: TensorLike, /, *, axis: int | Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return where the greatest along `axis` stands, as int64: the first of equal ones.

    Without an axis, it is the place among all elements in row-major order. Raises
    InvalidArgumentError over an axis without elements.

    >>> print(tl.argmax([[1, 5], [4, 2]], axis=1))
    [1 0]
    """
    return _place(ArgMax(), x, axis, keepdims)


def argmin(
    x: TensorLike, /, *, axis: int | Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return where the least along `axis` stands, as int64: the first of equal ones.

    Without an axis, it is the place among all elements in row-major order. Raises
    InvalidArgumentError over an axis without elements.

    >>> print(tl.argmin([[1, 5], [4, 2]], axis=1))
    [0 1]
    """
    return _place(ArgMin(), x, axis, keepdims)


def logsumexp(
    x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False
) -> Tensor:
    """Return log(sum(exp(x))) over `axis`, computed without overflow.

    >>> print(tl.logsumexp([1000.0, 1000.0]))
    1000.6932
    """
    tensor = floating(to_tensor(x))
    axes = as_axes(axis, tensor)
    # The shift may be any number near the greatest. A whole one passes no gradient on.
    greatest = floor(call(Max(True), tensor, axes))
    shift = where(isfinite(greatest), greatest, 0)
    total = log(call(Sum(True), exp(subtract(tensor, shift)), axes)) + shift
    return total if keepdims else call(Sum(False), total, axes)


def count_nonzero(
    x: TensorLike, /, *, axis: Axis = None, keepdims: bool = False
) -> Tensor:
    """Return how many elements over `axis` are not zero, as int64.

    >>> print(tl.count_nonzero([[0, 1], [2, 3]], axis=1))
    [1 2]
    """
    differing = astype(as_bool(x), dtypes.int64)
    return sum(differing, axis=axis, keepdims=keepdims)
