"""Tensors with parts replaced, added to or bounded at coordinates, and one_hot.

Writing rows of variables is in sparse/state.py; `x[key] = value` is in index.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import gather_nd, scatter_nd
from tensorlite.ops.arrays.places import (
    combine_at,
    integers,
    nd_depth,
    nd_fits,
    nd_rows,
)
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.math.arithmetic import negative, sum_to
from tensorlite.ops.math.compare import equal, where

__all__ = [
    "one_hot",
    "tensor_scatter_add",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
]


class TensorScatter(Op, abstract=True):
    """A tensor with updates brought in at the coordinates that rows of indices say."""

    def infer(
        self, x: TensorSpec, indices: TensorSpec, updates: TensorSpec
    ) -> TensorSpec:
        """Return the tensor's spec; errors when indices and updates do not fit it."""
        integers(self.name, indices)
        if x.dtype is not updates.dtype:
            raise DTypeError(
                f"{self.name}: the tensor is {x}, the updates {updates}; cast them"
            )
        nd_fits(self.name, indices.shape, updates.shape, x.shape)
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, indices: Array, updates: Array) -> Array:
        """Return a copy with the updates in it."""
        nd_fits(self.name, indices.shape, updates.shape, x.shape)
        (count, inner), places = nd_rows(self.name, xp, indices, x.shape)
        rows, values = x.reshape(count, inner), updates.reshape(places.size, inner)
        return self.combine(xp, rows, places, values).reshape(x.shape)

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return a copy of `rows` with values brought in at some of them."""
        raise TypeError(f"{self.name} does not say how it combines")


class TensorScatterUpdate(TensorScatter):
    """A tensor with parts replaced; of those at one place the last stays."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return the rows with some replaced."""
        out = rows.copy()
        out[places] = values
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient where the tensor stayed, and for updates that were not overwritten.

        TensorFlow's counts overwritten updates too.
        """
        x, indices, _ = call.inputs
        found = gather_nd(dy, indices)
        cleared = tensor_scatter_nd_update(dy, indices, where(False, found, 0))
        return cleared, None, where(_last(indices, x), found, 0)


class LastWrites(Op):
    """Which of the updates at coordinates no later one overwrites; shaped to broadcast to them."""

    differentiable = False
    host = (1,)

    def infer(self, indices: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return bools, with axes of size 1 for what a row of coordinates leaves open."""
        whole = shape.vector()
        depth = nd_depth(self.name, indices.shape, whole)
        if depth is None or indices.shape is None or whole is None:
            return TensorSpec(None, dtypes.bool_)
        return TensorSpec(
            (*indices.shape[:-1], *[1] * (len(whole) - depth)), dtypes.bool_
        )

    def kernel(self, xp: Xp, indices: Array, shape: Array) -> Array:
        """Return whether reading back an update's number after all writes gives that number."""
        (count, _), places = nd_rows(self.name, xp, indices, tuple(shape.tolist()))
        numbers = xp.arange(places.size)
        written = xp.zeros(count, numbers.dtype)
        written[places] = numbers
        open_axes = (1,) * (shape.size - indices.shape[-1])
        return (written[places] == numbers).reshape(indices.shape[:-1] + open_axes)


def _last(indices: Tensor, x: Tensor) -> Tensor:
    return call(LastWrites(), indices, shape_of(x))


class TensorScatterAdd(TensorScatter):
    """A tensor with updates added at coordinates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return the rows with values added to some."""
        return combine_at(xp, "add", rows, places, values)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, and that at the coordinates."""
        return dy, None, gather_nd(dy, call.inputs[1])


class TensorScatterSub(TensorScatter):
    """A tensor with updates subtracted at coordinates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return the rows with values subtracted from some."""
        return combine_at(xp, "add", rows, places, xp.negative(values))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, and the negative of that at the coordinates."""
        return dy, None, negative(gather_nd(dy, call.inputs[1]))


class _TensorScatterBound(TensorScatter, abstract=True):
    """A tensor bounded by updates at coordinates."""

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for whichever is the result, shared equally among equals."""
        x, indices, updates = call.inputs
        y = call.outputs[0]
        kept = astype(equal(x, y), dy.dtype)
        used = astype(equal(updates, gather_nd(y, indices)), dy.dtype)
        share = dy / (kept + scatter_nd(indices, used, shape_of(x)))
        return share * kept, None, gather_nd(share, indices) * used


class TensorScatterMax(_TensorScatterBound):
    """A tensor with the larger of itself and updates at coordinates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return the rows, at least as large as the values."""
        return combine_at(xp, "maximum", rows, places, values)


class TensorScatterMin(_TensorScatterBound):
    """A tensor with the smaller of itself and updates at coordinates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> Array:
        """Return the rows, at most as large as the values."""
        return combine_at(xp, "minimum", rows, places, values)


class OneHot(Op):
    """Vectors that hold one value at an index and another elsewhere."""

    host = (1,)
    axis: int = -1

    def infer(
        self, indices: TensorSpec, depth: TensorSpec, on: TensorSpec, off: TensorSpec
    ) -> TensorSpec:
        """Return the indices' shape with an axis of size `depth` put in."""
        integers(self.name, indices)
        if on.dtype is not off.dtype:
            raise DTypeError(
                f"OneHot: the values' dtypes differ: {on} and {off}; cast one"
            )
        if indices.shape is None:
            return TensorSpec(None, on.dtype)
        at = normalise_axis(self.axis, len(indices.shape) + 1)
        shape = (*indices.shape[:at], depth.scalar(), *indices.shape[at:])
        return TensorSpec(shape, on.dtype)

    def kernel(
        self, xp: Xp, indices: Array, depth: Array, on: Array, off: Array
    ) -> Array:
        """Return the vectors; an index that is not there gives none."""
        at = self.axis % (indices.ndim + 1)
        places = xp.arange(int(depth)).reshape((-1,) + (1,) * (indices.ndim - at))
        return xp.where(xp.expand_dims(indices, at) == places, on, off)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the sums of the gradient where each value stands."""
        indices, depth, on, off = call.inputs
        here = one_hot(indices, depth, 1, 0, axis=self.axis, dtype=dy.dtype)
        return None, None, sum_to(dy * here, on), sum_to(dy * (1 - here), off)


def _scattered(
    op: Op, x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    tensor = to_tensor(x)
    given = to_tensor(updates, tensor.dtype)
    if given.dtype is not tensor.dtype:
        raise DTypeError(
            f"{op.name}: the tensor is {tensor.spec}, the updates {given.spec}; cast them"
        )
    return call(op, tensor, indices, given)


def tensor_scatter_nd_update(
    x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    """Return `x` with `updates` put at coordinates, each row of `indices` being one.

    Where rows are equal the last update stays, and has the gradient.

    >>> print(tl.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]))
    [10  2 30]
    """
    return _scattered(TensorScatterUpdate(), x, indices, updates)


def tensor_scatter_nd_add(
    x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    """Return `x` with `updates` added at coordinates; equal rows of `indices` add up.

    >>> print(tl.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 100]))
    [111   2   3]
    """
    return _scattered(TensorScatterAdd(), x, indices, updates)


def tensor_scatter_nd_sub(
    x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    """Return `x` with `updates` subtracted at coordinates.

    >>> print(tl.tensor_scatter_nd_sub([1, 2, 3], [[0], [0]], [1, 1]))
    [-1  2  3]
    """
    return _scattered(TensorScatterSub(), x, indices, updates)


def tensor_scatter_nd_max(
    x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    """Return `x` with the larger of itself and `updates` at coordinates.

    >>> print(tl.tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [5, 0]))
    [5 2 3]
    """
    return _scattered(TensorScatterMax(), x, indices, updates)


def tensor_scatter_nd_min(
    x: TensorLike, indices: TensorLike, updates: TensorLike
) -> Tensor:
    """Return `x` with the smaller of itself and `updates` at coordinates.

    >>> print(tl.tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [5, 0]))
    [1 2 0]
    """
    return _scattered(TensorScatterMin(), x, indices, updates)


tensor_scatter_update = tensor_scatter_nd_update
tensor_scatter_add = tensor_scatter_nd_add
tensor_scatter_sub = tensor_scatter_nd_sub
tensor_scatter_max = tensor_scatter_nd_max
tensor_scatter_min = tensor_scatter_nd_min


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike = 1,
    off_value: TensorLike = 0,
    *,
    axis: int = -1,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return vectors of length `depth`, `on_value` at the indices and `off_value` elsewhere.

    The dtype is `dtype`, else that of values that are tensors, else float32. An index outside of
    0 to depth - 1 gives a vector without `on_value`.

    >>> print(tl.one_hot([0, 2], 3))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """
    on, off = _value(on_value, dtype), _value(off_value, dtype)
    places = to_tensor(indices)
    integers("OneHot", places.spec)
    whole(depth, "one_hot: depth", least=0)
    if places.spec.rank is not None:
        normalise_axis(whole(axis, "one_hot: axis"), places.ndim + 1)
    return call(OneHot(axis), places, depth, on, off)


def _value(value: TensorLike, dtype: DTypeLike | None) -> Tensor:
    if isinstance(value, (bool, int, float)):
        return constant(value, dtypes.float32 if dtype is None else as_dtype(dtype))
    tensor = to_tensor(value)
    return tensor if dtype is None else astype(tensor, dtype)
