"""A block of a tensor and its inverse: Slice, and PadV2, which puts a constant around a tensor.

Both are what gradients cut and fill with. Indexing with brackets is in index.py, the public `pad`
in repeat.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import stack, unstack_known
from tensorlite.ops.math.arithmetic import subtract, sum


class Slice(Op):
    """The block of a tensor that starts at `begin` and has `size`; -1 goes to the end."""

    host = (1, 2)
    aliases = True

    def infer(self, x: TensorSpec, begin: TensorSpec, size: TensorSpec) -> TensorSpec:
        """Return the sizes asked for; ShapeError when the block reaches beyond the tensor."""
        first, sizes = begin.vector(), size.vector()
        known = [row for row in (x.shape, first, sizes) if row is not None]
        if not known:
            return x.with_shape(None)
        if len(set(map(len, known))) > 1:
            raise ShapeError(
                f"Slice: starts {first} and sizes {sizes} for a tensor of shape "
                f"{shape_text(x.shape)}; give one of each per axis"
            )
        unknown = (None,) * len(known[0])
        rows = [unknown if row is None else row for row in (x.shape, first, sizes)]
        columns = zip(*rows, strict=True)
        return x.with_shape([_sliced_size(*column) for column in columns])

    def kernel(self, xp: Xp, x: Array, begin: Array, size: Array) -> Array:
        """Return the block."""
        ends = np.where(size == -1, x.shape, begin + size)
        if np.any((begin < 0) | (ends < begin) | (ends > x.shape)):
            columns = zip(x.shape, begin.tolist(), size.tolist(), strict=True)
            for column in columns:
                _sliced_size(*column)
        return x[tuple(map(slice, begin.tolist(), ends.tolist()))]

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with zeros around it."""
        x, begin, _ = call.inputs
        begin = astype(begin, dtypes.int32)
        after = subtract(subtract(shape_of(x), begin), shape_of(dy))
        return padded(dy, stack([begin, after], axis=1)), None, None


def _sliced_size(whole: Dim, first: Dim, size: Dim) -> Dim:
    if size is None or (size == -1 and (whole is None or first is None)):
        return None
    if size == -1 and whole is not None and first is not None and 0 <= first <= whole:
        return whole - first
    if (
        whole is not None
        and first is not None
        and not 0 <= first <= first + size <= whole
    ):
        count = "all" if size == -1 else size
        raise ShapeError(
            f"Slice: {count} elements from {first} on do not lie in an axis of {whole}"
        )
    return size


class PadV2(Op):
    """A tensor with a constant put before and after it along each axis."""

    host = (1,)

    def infer(
        self, x: TensorSpec, paddings: TensorSpec, value: TensorSpec
    ) -> TensorSpec:
        """Return a shape of the same rank; its sizes are told by the paddings' values."""
        if value.dtype is not x.dtype:
            raise DTypeError(
                f"PadV2: the value is {value}, the tensor {x}; cast one of them"
            )
        return x.with_shape(padded_shape(x, paddings))

    def kernel(self, xp: Xp, x: Array, paddings: Array, value: Array) -> Array:
        """Return the tensor with the value around it."""
        before, after = paddings.T.tolist() if paddings.size else ([], [])
        check_paddings(paddings.tolist())
        shape = [b + n + a for b, n, a in zip(before, x.shape, after, strict=True)]
        out = xp.empty(shape, x.dtype)
        out[...] = value
        out[
            tuple([slice(b, b + n) for b, n in zip(before, x.shape, strict=True)])
        ] = x
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient's inner block for the tensor, the sum of the rest for the value."""
        x, paddings, _ = call.inputs
        inner = sliced(dy, unstack_known(paddings, 2, axis=1)[0], shape_of(x))
        return inner, None, subtract(sum(dy), sum(inner))


def padded_shape(x: TensorSpec, paddings: TensorSpec) -> Dims | None:
    """Return the shape of a padded tensor; ShapeError when the paddings do not fit it."""
    if paddings.shape is not None and paddings.shape[1:] not in ((2,), (None,)):
        raise ShapeError(
            f"paddings have shape {shape_text(paddings.shape)}; allowed is [rank, 2]"
        )
    rows = paddings.pairs()
    if x.shape is None or rows is None:
        return (
            x.shape and (None,) * len(x.shape)
            if rows is None
            else (None,) * len(rows)
        )
    if len(rows) != len(x.shape):
        raise ShapeError(
            f"{len(rows)} paddings for a tensor of shape {shape_text(x.shape)}; give one "
            "(before, after) per axis"
        )
    check_paddings(rows)
    return tuple(
        [total((size, *row)) for size, row in zip(x.shape, rows, strict=True)]
    )


def check_paddings(rows: Sequence[Sequence[Dim]]) -> None:
    """Raise InvalidArgumentError for paddings that would take something away."""
    if any(n is not None and n < 0 for row in rows for n in row):
        raise InvalidArgumentError(
            f"paddings must be non-negative, and are {[list(row) for row in rows]}"
        )


def total(sizes: Sequence[Dim]) -> Dim:
    """Return the sum of sizes, None when one of them is not known."""
    known = [size for size in sizes if size is not None]
    return int(np.sum(known)) if len(known) == len(sizes) else None


def sliced(x: Tensor, begin: TensorLike, size: TensorLike) -> Tensor:
    """Return the block of `x` from `begin` on (TensorFlow's Slice); -1 goes to the end."""
    return call(Slice(), x, begin, size)


def padded(x: Tensor, paddings: TensorLike, value: TensorLike = 0) -> Tensor:
    """Return `x` with `value` around it; `paddings` holds (before, after) per axis."""
    return call(PadV2(), x, paddings, astype(value, x.dtype))
