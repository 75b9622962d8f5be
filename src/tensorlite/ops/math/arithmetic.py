"""The four operations, sums and broadcasting: what the gradient of nearly everything is made of.

Other functions of elements are in elementwise.py, other reductions in reduce.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, call1, call2, calls, integers, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import (
    TensorSpec,
    all_known,
    broadcast,
    join,
    merge,
    normalise_axes,
    reduced_shape,
    shape_text,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import needs
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.shape import (
    BroadcastGradientArgs,
    as_shape,
    astype,
    reshape,
    reshape_like,
    shape_of,
)
from tensorlite.ops.families import Binary, Unary
from tensorlite.ops.math.float_ranges import added_up
from tensorlite.ops.math.folded_sums import is_brief, total, widened

__all__ = [
    "add",
    "add_n",
    "broadcast_to",
    "conj",
    "divide",
    "multiply",
    "negative",
    "subtract",
    "sum",
]


class AddV2(Binary):
    """The sum of two tensors; of strings, one behind the other."""

    ufunc = "add"
    selective = True

    def result(self, dtype: dtypes.DType) -> dtypes.DType:
        """Return the dtype, which may be that of strings."""
        return dtype if dtype is dtypes.string else super().result(dtype)

    def of_sizes(self, x: int, y: int) -> int:
        """Return their sum."""
        return x + y

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x + y."""
        return xp.add(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for both operands."""
        x, y = call.inputs
        return (
            sum_to(dy, x) if needs(call, 0) else None,
            sum_to(dy, y) if needs(call, 1) else None,
        )


class Sub(Binary):
    """The difference of two tensors."""

    ufunc = "subtract"
    selective = True

    def result(self, dtype: dtypes.DType) -> dtypes.DType:
        """Return the operands' dtype; DTypeError for bools, whose difference is `^`."""
        if dtype is dtypes.bool_:
            raise DTypeError(
                "Sub does not take bools; use x ^ y, or cast with tl.astype"
            )
        return super().result(dtype)

    def of_sizes(self, x: int, y: int) -> int:
        """Return their difference."""
        return x - y

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x - y."""
        return xp.subtract(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, negative for the second operand."""
        x, y = call.inputs
        return (
            sum_to(dy, x) if needs(call, 0) else None,
            negative(sum_to(dy, y)) if needs(call, 1) else None,
        )


class Mul(Binary):
    """The product of two tensors."""

    ufunc = "multiply"
    selective = True

    def of_sizes(self, x: int, y: int) -> int:
        """Return their product."""
        return x * y

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x * y."""
        return xp.multiply(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient times the other operand."""
        x, y = call.inputs
        return (
            sum_to(dy * conjugated(y), x) if needs(call, 0) else None,
            sum_to(dy * conjugated(x), y) if needs(call, 1) else None,
        )


class RealDiv(Binary):
    """The quotient of two floating tensors."""

    wants_float = True
    selective = True
    ufunc = "divide"

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return x / y."""
        return xp.divide(x, y)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy / y and -dy * x / y**2."""
        x, y = call.inputs
        over = dy / conjugated(y)
        return (
            sum_to(over, x) if needs(call, 0) else None,
            negative(sum_to(over * conjugated(x / y), y)) if needs(call, 1) else None,
        )


class Neg(Unary):
    """The negative of a tensor."""

    ufunc = "negative"
    of_size = staticmethod(int.__neg__)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return -x."""
        return xp.negative(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return -dy."""
        return (negative(dy),)


class Conj(Unary):
    """The complex conjugate of a tensor."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the conjugate of each element."""
        return xp.conj(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the conjugate."""
        return (conjugated(dy),)


class Sum(Op):
    """The sum over some axes."""

    host = (1,)
    keep_dims: bool = False

    def infer(self, x: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return the shape without the axes, or with size 1 in their place."""
        if not (x.dtype.is_numeric or x.dtype is dtypes.bool_):
            raise DTypeError(f"Sum takes numbers, not {x}; cast it with tl.astype")
        return x.with_shape(reduced_shape(x, axes, self.keep_dims))

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the sum, in the operand's dtype."""
        return total(xp, x, axis_tuple(axes), self.keep_dims)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient spread over the axes that were summed."""
        x, axes = call.inputs
        return spread(dy, x, axes), None


class BroadcastTo(Op):
    """A tensor stretched to a shape by NumPy's broadcasting."""

    by_dtype = True
    host = (1,)
    aliases = True

    def infer(self, x: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return the asked shape; ShapeError when the operand does not stretch to it."""
        asked = shape.vector()
        if asked is None or x.shape is None:
            return x.with_shape(asked)
        both = broadcast(x.shape, asked) or ()
        pairs = list(zip(both, asked, strict=False))
        if len(both) > len(asked) or any(
            None not in pair and pair[0] != pair[1] for pair in pairs
        ):
            raise ShapeError(
                f"{shape_text(x.shape)} does not broadcast to {shape_text(asked)}"
            )
        return x.with_shape([size if want is None else want for size, want in pairs])

    def kernel(self, xp: Xp, x: Array, shape: Array) -> Array:
        """Return a stretched view."""
        return xp.broadcast_to(x, tuple(shape.tolist()))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient summed over the stretched axes."""
        return sum_to(dy, call.inputs[0]), None


class AddN(Op):
    """The sum of tensors of one shape; lists and bundles are added member by member."""

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return what the operands' specs say together; for lists, one that covers all."""
        if not xs:
            raise InvalidArgumentError("add_n: give one tensor or more")
        first = xs[0].without_value()
        if first.dtype is dtypes.variant:
            return reduce(join, xs)
        return first.with_shape(reduce(merge, [x.shape for x in xs]))

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the sum; ShapeError for shapes that differ."""
        if len(xs) > 2 and hasattr(xs[0], "dtype") and is_brief(xs[0]):
            return self.kernel(xp, *map(widened, xs)).astype(xs[0].dtype)
        total = xs[0]
        for x in xs[1:]:
            if getattr(x, "shape", None) != getattr(total, "shape", None):
                merge(total.shape, x.shape)
            total = total + x
        return total

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for every operand."""
        return (dy,) * len(call.inputs)


_ADD, _SUB, _MUL, _DIV, _NEG, _CONJ = AddV2(), Sub(), Mul(), RealDiv(), Neg(), Conj()
_ADD_N, _BROADCAST_TO, _SUM, _SUM_KEEPING = (
    AddN(),
    BroadcastTo(),
    Sum(False),
    Sum(True),
)


def add(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the sum of two tensors, element by element.

    >>> print(tl.add([1.0, 2.0], 10))
    [11. 12.]
    """
    return call2(_ADD, x1, x2)


def subtract(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the difference of two tensors, element by element.

    >>> print(tl.subtract([1.0, 2.0], 10))
    [-9. -8.]
    """
    return call2(_SUB, x1, x2)


def multiply(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the product of two tensors, element by element.

    >>> print(tl.multiply([1.0, 2.0], 10))
    [10. 20.]
    """
    return call2(_MUL, x1, x2)


def divide(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the quotient of two tensors as floating-point numbers (integers become float32).

    >>> print(tl.divide([1.0, 2.0], 4))
    [0.25 0.5 ]
    """
    return call2(_DIV, x1, x2)


def negative(x: TensorLike, /) -> Tensor:
    """Return the negative of each element.

    >>> print(tl.negative([1, -2]))
    [-1  2]
    """
    return call1(_NEG, x)


def conj(x: TensorLike, /) -> Tensor:
    """Return the complex conjugate of each element; real tensors come back as they are.

    >>> print(tl.conj([1 + 2j]))
    [1.-2.j]
    """
    return apart(conjugated(to_tensor(x)), x)


def conjugated(x: Tensor) -> Tensor:
    """Return the complex conjugate, or `x` itself where that is real: for use in gradients."""
    return call1(_CONJ, x) if x.dtype.kind == "c" else x


def add_n(xs: Sequence[TensorLike], /) -> Tensor:
    """Return the sum of several tensors of one shape and dtype (TensorFlow's AddN).

    >>> print(tl.add_n([[1, 2], [10, 20], [100, 200]]))
    [111 222]
    """
    return call(_ADD_N, *xs)


def broadcast_to(x: TensorLike, /, shape: TensorLike) -> Tensor:
    """Return `x` stretched to `shape`; ShapeError when it does not broadcast to it.

    >>> print(tl.broadcast_to([1, 2], (2, 2)))
    [[1 2]
     [1 2]]
    """
    return call(_BROADCAST_TO, x, as_shape(shape))


def sum(
    x: TensorLike,
    /,
    *,
    axis: int | Sequence[int] | Tensor | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the sum over `axis` (an axis, several, or None for all).

    Integers and bools smaller than 32 bits are summed as int32 or uint32 unless `dtype` says
    otherwise.

    >>> print(tl.sum([[1, 2], [3, 4]], axis=0))
    [4 6]
    """
    tensor = summable(to_tensor(x), dtype)
    return call(_SUM_KEEPING if keepdims else _SUM, tensor, as_axes(axis, tensor))


def summable(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    """Return `x` in the dtype that sums and products of it have."""
    if dtype is not None:
        return astype(x, dtype)
    given = x.dtype
    if given.kind in "biu" and given.itemsize < 4:
        return astype(x, dtypes.uint32 if given.kind == "u" else dtypes.int32)
    return x


def as_axes(axis: int | Sequence[int] | Tensor | None, x: Tensor) -> Tensor:
    """Return the axes of a reduction as a 1-d tensor; all of them for None."""
    if isinstance(axis, Tensor):
        return axis if axis.spec.rank == 1 else reshape(axis, (-1,))
    shape = x.static_shape
    rank = x.spec.rank if shape is None else len(shape)
    if axis is None:
        return integers(range(rank)) if rank is not None else _all_axes(x)
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if not all(isinstance(one, (int, np.integer)) for one in axes):
        raise DTypeError(
            f"axis={axis!r}: an axis is an integer, a sequence of these, or None"
        )
    if rank is not None:
        axes = normalise_axes(axes, rank)
    return integers(axes)


def _all_axes(x: Tensor) -> Tensor:
    return call(Range(), 0, call(Rank(), x), 1)


class Rank(Op):
    """The number of axes."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return a 0-d integer, known when the rank is."""
        return TensorSpec((), dtypes.int32, known=x.rank)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the number of axes, in host memory."""
        return np.asarray(x.ndim, np.int32)


class Range(Op):
    """The numbers from start up to limit in steps of delta."""

    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, start: TensorSpec, limit: TensorSpec, delta: TensorSpec
    ) -> TensorSpec:
        """Return a vector, of known length when all three are known."""
        ends = start.scalar(), limit.scalar(), delta.scalar()
        if not all_known(ends):
            return TensorSpec((None,), start.dtype)
        numbers = tuple(range(*ends))
        known = numbers if len(numbers) < 65 else None
        return TensorSpec((len(numbers),), start.dtype, known=known)

    def kernel(self, xp: Xp, start: Array, limit: Array, delta: Array) -> Array:
        """Return the numbers."""
        if start.dtype.kind == "f":
            return added_up(xp, start, limit, delta)
        return xp.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


def axis_tuple(axes: Array) -> tuple[int, ...]:
    """Return a host array of axes as NumPy's `axis` argument."""
    return tuple(axes.tolist()) if axes.ndim else (int(axes),)


def spread(dy: Tensor, x: Tensor, axes: Tensor) -> Tensor:
    """Return `dy`, the gradient of a reduction of `x` over `axes`, in the shape of `x`."""
    gone = axes.spec.constant()
    shape = x.static_shape
    if gone is not None and shape is not None:
        axis_set = set(normalise_axes(gone, len(shape)))
        kept = tuple([1 if i in axis_set else size for i, size in enumerate(shape)])
        return broadcast_to(reshape(dy, kept), shape)
    kept_shape = call(KeptShape(), shape_of(x), axes)
    return broadcast_to(reshape(dy, kept_shape), shape_of(x))


class KeptShape(Op):
    """A shape with size 1 at the axes of a reduction."""

    differentiable = False
    host = (0, 1)

    def infer(self, shape: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return a vector as long as the shape, known as far as shape and axes are."""
        sizes, gone = shape.vector(), axes.constant()
        if sizes is None or gone is None:
            return shape.without_value()
        ones = normalise_axes(gone, len(sizes))
        kept = tuple([1 if i in ones else size for i, size in enumerate(sizes)])
        return TensorSpec((len(kept),), shape.dtype, known=kept)

    def kernel(self, xp: Xp, shape: Array, axes: Array) -> Array:
        """Return the shape with ones put in."""
        kept = shape.copy()
        kept[axes] = 1
        return kept


def sum_to(dy: Tensor, x: Tensor) -> Tensor:
    """Return `dy` summed over the axes along which `x` was broadcast to its shape.

    >>> print(tl.extend.sum_to(tl.ones((2, 3)), tl.ones((3,))))
    [2. 2. 2.]
    """
    have, want = dy.static_shape, x.static_shape
    if have is not None and want is not None:
        if have == want:
            return dy
        extra = len(have) - len(want)
        stretched = [
            i + extra for i, size in enumerate(want) if size == 1 != have[i + extra]
        ]
        total = call(_SUM, dy, integers([*range(extra), *stretched]))
        return total if total.shape == want else reshape(total, want)
    axes, _ = calls(BroadcastGradientArgs(), shape_of(x), shape_of(dy))
    return reshape_like(call(Sum(False), dy, axes), x)
