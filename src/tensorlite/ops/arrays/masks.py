"""Masks: the places where a tensor is not zero, and what stands there.

Reading at places given as numbers is in gather.py, brackets in index.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import AxisError, DTypeError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import gather_nd

__all__ = ["boolean_mask"]


class Where(Op):
    """The places where a tensor is not zero, one row of coordinates each."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return a matrix with one column per axis."""
        return TensorSpec((None, x.rank), dtypes.int64)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the coordinates in row-major order."""
        return xp.argwhere(x).astype("int64")


def boolean_mask(x: TensorLike, mask: TensorLike) -> Tensor:
    """Return the slices of `x` where `mask`, shaped as the first axes of `x`, holds.

    >>> print(tl.boolean_mask([1, 2, 3], [True, False, True]))
    [1 3]
    """
    tensor, held = to_tensor(x), to_tensor(mask)
    check_mask(tensor, held, 0)
    return gather_nd(tensor, call(Where(), held))


def check_mask(x: Tensor, mask: Tensor, axis: int) -> None:
    """Raise an error unless `mask` holds bools and is shaped as the axes of `x` from `axis` on."""
    if mask.dtype is not dtypes.bool_:
        raise DTypeError(
            f"a mask holds bools, not {mask.spec}; compare it with something"
        )
    if x.spec.rank is None:
        return
    have = x.shape[axis : axis + len(mask.shape)]
    try:
        merge(have, mask.shape)
    except ShapeError:
        raise AxisError(
            f"a mask of shape {shape_text(mask.shape)} is incompatible with the axes of shape "
            f"{shape_text(have)} of {x.spec} that it stands for; they must be equal"
        ) from None
