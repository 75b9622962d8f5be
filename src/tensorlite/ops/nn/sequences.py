"""Sequences as images of height one: how the functions of one dimension use those of two."""

from __future__ import annotations

import numpy as np

from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import reshape, shape_of


class InsertSize(Op):
    """A shape with a size of 1 put in before an axis."""

    differentiable = False
    host = (0,)
    axis: int

    def infer(self, shape: TensorSpec) -> TensorSpec:
        """Return a vector that is longer by one, known where the shape is."""
        sizes = shape.vector()
        if sizes is None:
            return TensorSpec((None,), shape.dtype)
        known = (*sizes[: self.axis], 1, *sizes[self.axis :])
        return TensorSpec((len(known),), shape.dtype, known=known)

    def kernel(self, xp: Xp, shape: Array) -> Array:
        """Return the shape with the size put in."""
        return np.insert(shape, self.axis, 1)


class RemoveSize(Op):
    """A shape without one of its sizes."""

    differentiable = False
    host = (0,)
    axis: int

    def infer(self, shape: TensorSpec) -> TensorSpec:
        """Return a vector that is shorter by one, known where the shape is."""
        sizes = shape.vector()
        if sizes is None:
            return TensorSpec((None,), shape.dtype)
        known = (*sizes[: self.axis], *sizes[self.axis + 1 :])
        return TensorSpec((len(known),), shape.dtype, known=known)

    def kernel(self, xp: Xp, shape: Array) -> Array:
        """Return the shape with the size taken out."""
        return np.delete(shape, self.axis)


def image_format(data_format: str) -> str:
    """Return the format of images for that of sequences, "NWC" or "NCW"."""
    if data_format not in ("NWC", "NCW"):
        raise InvalidArgumentError(
            f"data_format={data_format!r}; allowed: 'NWC', 'NCW'"
        )
    return data_format.replace("W", "HW")


def row_axis(layout: str) -> int:
    """Return the axis of an image's height."""
    return 1 if layout == "NHWC" else 2


def raised(x: Tensor, axis: int) -> Tensor:
    """Return `x` with an axis of size 1 put in, whatever is known of its shape."""
    return reshape(x, call(InsertSize(axis), shape_of(x)))


def as_images(x: TensorLike, layout: str) -> Tensor:
    """Return sequences as images of height one; ShapeError when the rank is not 3."""
    tensor = to_tensor(x)
    if tensor.spec.rank not in (None, 3):
        raise ShapeError(
            f"sequences have rank 3 (batch, width, channels), not {tensor.spec}"
        )
    return raised(tensor, row_axis(layout))


def as_sequences(x: Tensor, layout: str) -> Tensor:
    """Return images of height one as sequences."""
    return reshape(x, call(RemoveSize(row_axis(layout)), shape_of(x)))
