"""ensure_shape: a tensor whose shape is checked when the graph runs, and known from there on."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp

__all__: list[str] = []


class EnsureShape(Op):
    """The operand, if it has the shape that is asked for."""

    aliases = True
    shape: Dims | None

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return what is known of both shapes; ShapeError where they differ."""
        try:
            return x.with_shape(merge(x.shape, self.shape))
        except ShapeError:
            raise ShapeError(
                f"{self.name}: {x} does not have the shape {shape_text(self.shape)}"
            ) from None

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the operand; InvalidArgumentError if it is of another shape."""
        wanted = self.shape
        fits = wanted is None or (
            len(wanted) == x.ndim
            and all(
                n in (None, size) for n, size in zip(wanted, x.shape, strict=True)
            )
        )
        if not fits:
            raise InvalidArgumentError(
                f"Shape of tensor {list(x.shape)} is not compatible with expected shape "
                f"{shape_text(wanted)}"
            )
        return x

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as it is."""
        return (dy,)


def ensure_shape(x: TensorLike, shape: Sequence[Dim] | None) -> Tensor:
    """Return `x`, whose shape is `shape` from here on, None standing for any size.

    ShapeError where it cannot be, InvalidArgumentError where it is not when the graph runs.

    >>> from tensorlite.ops.arrays.ensure import ensure_shape
    >>> print(ensure_shape([[1, 2]], (None, 2)))
    [[1 2]]
    """
    return call(EnsureShape(None if shape is None else tuple(shape)), to_tensor(x))
