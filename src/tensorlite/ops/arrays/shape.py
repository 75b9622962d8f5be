"""Shapes as tensors, and operators that change the shape but no element's value.

Joining, splitting and moving elements is in arrange.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import call, integers, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, ShapeError, UnimplementedError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import Dims, TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.trace import outermost
from tensorlite.ops.arrays.identity import apart

__all__ = ["astype", "reshape"]


class Shape(Op):
    """The shape of a tensor, as a 1-d tensor of integers in host memory."""

    differentiable = False
    out_type: DType = dtypes.int32

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of a vector with one element per axis."""
        rank = None if x.shape is None else len(x.shape)
        return TensorSpec((rank,), self.out_type, known=x.shape)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the sizes; they stay in host memory, where structure is read."""
        return np.asarray(x.shape, self.out_type.numpy)


class Reshape(Op):
    """A tensor's elements in another shape; one size may be -1, which the others decide."""

    host = (1,)
    aliases = True

    def infer(self, x: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return the asked shape; ShapeError when the number of elements differs."""
        asked = shape.vector()
        if asked is None:
            return x.with_shape(None)
        sizes = _resolved(x, asked)
        if x.known is None or x.dtype is dtypes.bool_ or len(sizes) > 2:
            return x.with_shape(sizes)
        known = x.known if isinstance(x.known, tuple) else (x.known,)
        return TensorSpec(sizes, x.dtype, known=known if sizes else known[0])

    def kernel(self, xp: Xp, x: Array, shape: Array) -> Array:
        """Return the array reshaped."""
        asked = shape.tolist()
        if 0 in asked and -1 in asked:
            asked = _resolved(TensorSpec(x.shape, dtypes.int32), tuple(asked))
        return x.reshape(asked)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in the operand's shape."""
        return reshape_like(dy, call.inputs[0]), None


_RESHAPE = Reshape()


def _resolved(x: TensorSpec, asked: Dims) -> Dims:
    _check_signs(asked)
    if asked.count(-1) > 1:
        raise ShapeError(f"shape {list(asked)} names -1 more than once")
    is_empty = x.size == 0 and 0 in asked
    if (
        x.size is not None
        and asked.count(None) == 1
        and -1 not in asked
        and not is_empty
    ):
        # The others decide the one that is not known.
        asked = tuple([-1 if size is None else size for size in asked])
    if x.size is None or None in asked:
        return tuple([None if size == -1 else size for size in asked])
    if 0 in asked and -1 in asked and x.size == 0:
        return _among_none(x, asked)
    rest = prod([int(size or 0) for size in asked if size != -1])
    fits = rest > 0 and x.size % rest == 0 if -1 in asked else rest == x.size
    if not fits:
        has = "requires a multiple of" if -1 in asked else "has"
        raise ShapeError(
            f"Input to reshape is a tensor with {x.size} values, but the requested shape {has} "
            f"{rest}: {shape_text(x.shape)} cannot become {list(asked)}"
        )
    return tuple([x.size // rest if size == -1 else size for size in asked])


def _among_none(x: TensorSpec, asked: Dims) -> Dims:
    """Return the shape asked of what has no elements: -1 is decided by sizes other than 0."""
    have = prod([size for size in x.dims if size])
    rest = prod([size for size in asked if size and size > 0])
    if have % rest:
        raise ShapeError(
            f"{shape_text(x.shape)} cannot become {list(asked)}: {have} is no multiple of {rest}"
        )
    return tuple([have // rest if size == -1 else size for size in asked])


def _check_signs(sizes: Sequence[int | None]) -> None:
    for axis, size in enumerate(sizes):
        if size is not None and size < -1:
            raise ShapeError(
                f"shape {list(sizes)}: size {axis} must be non-negative, not {size}; allowed is "
                "one -1, for what is left"
            )


class BroadcastGradientArgs(Op):
    """The axes that gradients of two broadcast operands must be summed over."""

    differentiable = False
    host = (0, 1)

    def infer(self, x: TensorSpec, y: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return two vectors of unknown length."""
        return TensorSpec((None,), x.dtype), TensorSpec((None,), x.dtype)

    def kernel(self, xp: Xp, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the summed axes of the first and of the second operand."""
        rank = max(x.size, y.size)
        first = (1,) * (rank - x.size) + tuple(x.tolist())
        second = (1,) * (rank - y.size) + tuple(y.tolist())
        if x.tolist() == y.tolist():
            first = second = ()
        return _ones_of(first, x.dtype), _ones_of(second, x.dtype)


def _ones_of(sizes: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
    """Return which sizes are 1: along these axes all that flows is added up."""
    return np.asarray([i for i, size in enumerate(sizes) if size == 1], dtype)


class Cast(Op):
    """A tensor's elements in another dtype."""

    by_dtype = True
    to: DType

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with the other dtype; texts are no numbers."""
        self._check(x.dtype.kind == "S")
        known = x.known if self.to.is_integer else None
        return TensorSpec(x.shape, self.to, known=known)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the array cast; complex numbers lose their imaginary part."""
        self._check(x.dtype.kind == "O")
        if x.dtype.kind == "c" and self.to.kind in "fiu":
            x = x.real
        return x.astype(self.to.numpy)

    def _check(self, is_text: bool) -> None:
        if is_text != (self.to.kind == "S"):
            kinds = ("string", self.to.name) if is_text else ("numbers", "string")
            raise UnimplementedError(
                f"Cast {kinds[0]} to {kinds[1]} is not supported; strings.to_number reads numbers, "
                "strings.as_string writes them"
            )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient cast back."""
        source = call.inputs[0].dtype
        return (astype(dy, source) if source.is_differentiable else None,)


def astype(
    x: TensorLike,
    dtype: DTypeLike,
    /,
    *,
    copy: bool = True,
    device: str | DeviceName | None = None,
) -> Tensor:
    """Return `x` with its elements cast to `dtype`, on `device` where that is given.

    `copy` decides whether a tensor that has the dtype already comes back as another object; its
    memory is shared either way, since tensors do not share writes.

    >>> tl.astype(tl.asarray([1.7, -1.7]), tl.int32)
    Tensor(shape=(2,), dtype=int32, device=CPU:0)
    [ 1 -1]
    """
    tensor, target = to_tensor(x), as_dtype(dtype)
    if device is not None:
        tensor = tensor.to_device(device)
    if tensor.dtype is not target:
        return call(Cast(target), tensor)
    return apart(tensor, x) if copy else tensor


def shape_of(x: TensorLike, dtype: DType = dtypes.int32) -> Tensor:
    """Return the shape of `x` as a 1-d integer tensor: a constant where it is known.

    >>> print(tl.extend.shape_of(tl.ones((2, 3))))
    [2 3]
    """
    tensor = to_tensor(x)
    shape = tensor.static_shape
    return call(Shape(dtype), tensor) if shape is None else integers(shape, dtype)


def as_shape(shape: TensorLike | Sequence[TensorLike]) -> Tensor:
    """Return a shape given as an int or a tensor, which may be 0-d, or a sequence of these."""
    if isinstance(shape, int):
        shape = (shape,)
    if isinstance(shape, AnyShape):
        shape = shape.as_list()
    if isinstance(shape, (tuple, list)):
        if all(type(size) is int for size in shape):
            _check_signs(shape)
            return integers(shape, _dtype_of_sizes(shape))
        shape = [astype(whole(size, "shape: a size"), dtypes.int64) for size in shape]
    sizes = to_tensor(shape)
    if not sizes.dtype.is_integer:
        raise DTypeError(
            f"shape={shape!r}; allowed are integers and sequences of them"
        )
    return reshape(sizes, (1,)) if sizes.spec.rank == 0 else sizes


def _dtype_of_sizes(sizes: Sequence[int]) -> DType:
    """Return int64; int32 in graphs that hold what programs called, as TensorFlow's do."""
    tracer = outermost()
    if tracer is None or not tracer.graph.as_called:
        return dtypes.int64
    return dtypes.int64 if max(sizes, default=0) > dtypes.int32.max else dtypes.int32


def reshape(
    x: TensorLike,
    /,
    shape: TensorLike,
    *,
    copy: bool | None = None,  # noqa: ARG001  the standard's
) -> Tensor:
    """Return the elements of `x` in another shape, where one size may be -1.

    Raises ShapeError when the number of elements differs. `copy` has no effect: tensors do not
    share writes.

    >>> tl.reshape(tl.arange(6), (2, -1)).shape
    (2, 3)
    """
    return call(_RESHAPE, x, as_shape(shape))


def reshape_like(x: Tensor, other: Tensor) -> Tensor:
    """Return the elements of `x` in the shape of `other`."""
    shape = x.static_shape
    if shape is not None and shape == other.static_shape:
        return x
    return call(_RESHAPE, x, shape_of(other))
