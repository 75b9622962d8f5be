"""Rows of variables: read without reading the rest, replaced, added to, bounded.

Whole variables are read and written in state/resource.py; optimizers' sparse rules are in
nn/training.py.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tensorlite.core import dispatch
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.spec import Dims, TensorSpec, merge, shape_text
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import size
from tensorlite.ops.arrays.gather import GatherNd, scatter_nd, size_at
from tensorlite.ops.arrays.places import combine_into, in_range, integers
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.state.resource import ReadVariableOp, VariableState


class ResourceGather(Op):
    """Rows of a variable, at the places that an integer tensor says."""

    effect = Effect.READ

    def infer(self, handle: TensorSpec, indices: TensorSpec) -> TensorSpec:
        """Return the indices' shape followed by that of a row."""
        integers(self.name, indices)
        return handle.inner[0].with_shape(_rows_shape(self.name, handle, indices))

    def kernel(self, xp: Xp, handle: VariableState, indices: Array) -> Array:
        """Return the rows."""
        whole = handle.value()
        in_range(self.name, indices, whole.shape[0], 0)
        return xp.take(whole, indices.astype("int64"), axis=0)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of the rows as the handle's, sparse."""
        handle, indices = call.inputs
        whole = handle.spec.inner[0].dims
        row = [
            size_at(dy, i) if n is None else n
            for i, n in enumerate(whole[1:], 1 - len(whole))
        ]
        if indices.spec.rank != 1:
            dy = reshape(dy, [size(indices), *row])
            indices = reshape(indices, (-1,))
        return IndexedSlices(dy, indices, _shape_of(handle)), None


def _shape_of(handle: Tensor) -> Any:
    """Return the shape of a variable: sizes that are known, or a tensor."""
    value = handle.spec.inner[0]
    if value.is_static:
        return value.dims
    return shape_of(dispatch.call(ReadVariableOp(), handle))


class ResourceGatherNd(Op):
    """Parts of a variable, each at the coordinates that a row of indices says."""

    effect = Effect.READ

    def infer(self, handle: TensorSpec, indices: TensorSpec) -> TensorSpec:
        """Return the indices' shape without its last axis, then what a row leaves open."""
        return GatherNd().infer(handle.inner[0], indices)

    def kernel(self, xp: Xp, handle: VariableState, indices: Array) -> Array:
        """Return the parts."""
        return GatherNd().kernel(xp, handle.value(), indices)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as the handle's: of rows alone it is sparse."""
        handle, indices = call.inputs
        whole = _shape_of(handle)
        if indices.spec.rank == 2 and indices.spec.dims[-1] == 1:
            return IndexedSlices(dy, reshape(indices, (-1,)), whole), None
        return scatter_nd(indices, dy, whole), None


class _ResourceScatter(Op, abstract=True):
    """Brings updates into the rows of a variable."""

    effect = Effect.WRITE
    differentiable = False
    returns: bool = False
    """Whether the new value comes back, as that of TensorFlow 1's references does."""

    def infer(
        self, handle: TensorSpec, indices: TensorSpec, updates: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the variable's spec if its value comes back; errors when the updates do not fit.

        One number is brought into every element of the rows.
        """
        self.check(handle, indices, updates)
        return (handle.inner[0],) if self.returns else ()

    def check(
        self, handle: TensorSpec, indices: TensorSpec, updates: TensorSpec
    ) -> None:
        """Raise ShapeError or DTypeError when the updates do not fit the rows."""
        integers(self.name, indices)
        have = handle.inner[0]
        if have.dtype is not updates.dtype:
            raise DTypeError(
                f"{self.name}: the variable holds {have.dtype!r}, the updates are "
                f"{updates.dtype!r}; cast them with tl.astype"
            )
        wanted = _rows_shape(self.name, handle, indices)
        if updates.shape == ():
            return
        try:
            merge(wanted, updates.shape)
        except ShapeError:
            raise ShapeError(
                f"{self.name}: updates have shape {shape_text(updates.shape)}; indices "
                f"{shape_text(indices.shape)} into {have} need {shape_text(wanted)}"
            ) from None

    def kernel(
        self, xp: Xp, handle: VariableState, indices: Array, updates: Array
    ) -> tuple[Array, ...]:
        """Bring the updates into the variable's array."""
        given = [TensorSpec(x.shape, of_numpy(x.dtype)) for x in (indices, updates)]
        self.check(handle.spec, *given)
        with handle.rewritten() as whole:
            in_range(self.name, indices, whole.shape[0], 0)
            rows = whole.reshape(whole.shape[0], prod(whole.shape[1:]))
            each = indices.size, rows.shape[1]
            values = (
                updates.reshape(each)
                if updates.ndim
                else xp.broadcast_to(updates, each)
            )
            self.combine(xp, rows, indices.reshape(-1), values)
        return (handle.value(),) if self.returns else ()

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Bring values into some of the rows."""
        raise TypeError(f"{self.name} does not say how it combines")


def _rows_shape(op: str, handle: TensorSpec, indices: TensorSpec) -> Dims | None:
    whole = handle.inner[0].shape
    if whole == ():
        raise ShapeError(f"{op}: the variable is 0-d and has no rows")
    return (
        None
        if whole is None or indices.shape is None
        else (*indices.shape, *whole[1:])
    )


class ResourceScatterUpdate(_ResourceScatter):
    """Replaces rows of a variable; of those named twice the last stays."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Replace the rows."""
        rows[places] = values


class ResourceScatterAdd(_ResourceScatter):
    """Adds to rows of a variable."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Add to the rows."""
        combine_into(xp, "add", rows, places, values)


class ResourceScatterSub(_ResourceScatter):
    """Subtracts from rows of a variable."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Subtract from the rows."""
        combine_into(xp, "add", rows, places, xp.negative(values))


class ResourceScatterMax(_ResourceScatter):
    """Makes rows of a variable at least as large as the updates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Keep the larger of rows and values."""
        combine_into(xp, "maximum", rows, places, values)


class ResourceScatterMin(_ResourceScatter):
    """Makes rows of a variable at most as large as the updates."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Keep the smaller of rows and values."""
        combine_into(xp, "minimum", rows, places, values)


class ResourceScatterMul(_ResourceScatter):
    """Multiplies rows of a variable."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Multiply the rows."""
        combine_into(xp, "multiply", rows, places, values)


class ResourceScatterDiv(_ResourceScatter):
    """Divides rows of a variable."""

    def combine(self, xp: Xp, rows: Array, places: Array, values: Array) -> None:
        """Divide the rows."""
        combine_into(xp, "divide", rows, places, values)
