"""Joining along a new axis, and its inverse: stack, unstack; what all that joins is checked for.

Joining along an axis that is there is in join.py, with split.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import Dims, Known, TensorSpec, merge, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.math.arithmetic import broadcast_to

__all__ = ["stack", "unstack"]

SMALL = 64
"""Integer vectors up to this length carry their values in specs."""


class Pack(Op):
    """Tensors of one shape joined along a new axis."""

    axis: int = 0

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the shape with the new axis; ShapeError or DTypeError when the tensors differ."""
        same_dtypes("stack", xs)
        shape = reduce(_merged, [x.shape for x in xs])
        if shape is None:
            return TensorSpec(None, xs[0].dtype)
        axis = normalise_axis(self.axis, len(shape) + 1)
        known = (
            _packed(xs, axis, len(shape))
            if xs[0].dtype.is_integer and len(shape) < 2
            else None
        )
        return TensorSpec(
            (*shape[:axis], len(xs), *shape[axis:]), xs[0].dtype, known=known
        )

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the tensors joined."""
        first = xs[0]
        # As indices in loops are, 10 times as fast; of texts NumPy would make arrays of arrays.
        if xp is np and first.ndim == 0 and not first.dtype.hasobject:
            return np.array(xs, first.dtype)
        return xp.stack(xs, axis=self.axis)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return each tensor's part of the gradient."""
        return unstack_known(dy, len(call.inputs), self.axis)


def _merged(a: Dims | None, b: Dims | None) -> Dims | None:
    try:
        return merge(a, b)
    except ShapeError as error:
        raise ShapeError(f"stack takes tensors of one shape: {error}") from None


def _packed(xs: Sequence[TensorSpec], axis: int, rank: int) -> Known:
    """Return what is known of stacked scalars or vectors, which may be known by the others."""
    if rank == 0:
        return small(tuple([x.scalar() if x.rank == 0 else None for x in xs]))
    rows = [None if x.shape is None else x.vector() for x in xs]
    if any(row is None for row in rows):
        return None
    columns = zip(*rows, strict=True) if axis else rows
    return small(tuple([size for row in columns for size in row or ()]))


def small(known: Dims) -> Known:
    """Return `known` unless it is too long to carry along, or tells nothing."""
    return (
        known
        if len(known) <= SMALL and any(size is not None for size in known)
        else None
    )


class Unpack(Op):
    """The parts of a tensor along an axis, which is gone from them."""

    num: int
    axis: int = 0

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return `num` specs without the axis; ShapeError when it has another size."""
        if x.shape is None:
            return (x.with_shape(None),) * self.num
        axis = normalise_axis(self.axis, len(x.shape))
        if x.shape[axis] not in (None, self.num):
            raise ShapeError(
                f"unstack: axis {axis} of {x} does not have {self.num} parts"
            )
        part = x.with_shape(x.shape[:axis] + x.shape[axis + 1 :])
        values = x.vector() if x.known is not None else None
        if values is None:
            return (part,) * self.num
        return tuple([TensorSpec((), x.dtype, known=value) for value in values])

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return the parts."""
        if x.shape[self.axis] != self.num:
            raise ShapeError(
                f"unstack: axis {self.axis} of {x.shape} is not {self.num} long"
            )
        return tuple(xp.moveaxis(x, self.axis, 0))

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the parts' gradients joined."""
        return (stack(filled(dys, call.outputs), axis=self.axis),)


def filled(dys: Sequence[Any], outputs: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of several outputs, zeros for those that have none."""
    return [
        broadcast_to(constant(np.zeros((), y.dtype.numpy)), shape_of(y))
        if dy is None
        else dy
        for dy, y in zip(dys, outputs, strict=True)
    ]


def same_dtypes(what: str, xs: Sequence[TensorSpec]) -> None:
    """Check that there are tensors, of one dtype."""
    if not xs:
        raise InvalidArgumentError(f"{what} of no tensors: give at least one")
    if any(x.dtype is not xs[0].dtype for x in xs):
        listed = ", ".join(x.dtype.name for x in xs)
        raise DTypeError(
            f"{what} takes tensors of one dtype, not {listed}; cast with tl.astype"
        )


def together(xs: Sequence[TensorLike], what: str) -> list[Tensor]:
    """Return values as tensors of the dtype that they all promote to."""
    tensors = [to_tensor(x) for x in xs]
    if not tensors:
        raise InvalidArgumentError(f"{what} of no tensors: give at least one")
    dtype: DType = reduce(dtypes.promote, [x.dtype for x in tensors])
    return [x if x.dtype is dtype else astype(x, dtype) for x in tensors]


def stack(xs: Sequence[TensorLike], /, *, axis: int = 0) -> Tensor:
    """Return tensors of one shape joined along a new axis.

    Dtypes are promoted. Raises ShapeError when the shapes differ.

    >>> print(tl.stack([[1, 2], [3, 4]], axis=1))
    [[1 3]
     [2 4]]
    """
    return call(Pack(axis), *together(xs, "stack"))


def unstack(
    x: TensorLike, /, *, axis: int = 0, num: int | None = None
) -> tuple[Tensor, ...]:
    """Return the parts of `x` along `axis`, which they lack.

    `num`, the size of the axis, need only be given where a trace does not know it.

    >>> a, b = tl.unstack([[1, 2], [3, 4]])
    >>> print(b)
    [3 4]
    """
    tensor = to_tensor(x)
    if num is None:
        num = tensor.shape[normalise_axis(axis, tensor.ndim)]
    if num is None:
        raise ShapeError(
            f"unstack: the size of axis {axis} of {tensor.spec} is not known in this trace; give "
            "`num`, or the argument a TensorSpec that fixes the size"
        )
    return calls(Unpack(num, axis), tensor)


def unstack_known(x: TensorLike, number: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the `number` parts of `x` along `axis`, its size being known from elsewhere."""
    return calls(Unpack(number, axis), x)
