"""TensorArray: a list of tensors to write to and read from in loops. Its operators are lists.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.control import lists
from tensorlite.ops.control.list_runs import concat_list

__all__ = ["TensorArray"]


@dataclass(init=False, eq=False)
class TensorArray:
    """A list of tensors of one dtype and rank; writing returns the list with the element in it.

    `size` elements can be written, or any number with `dynamic_size`. `element_shape` is what all
    elements' shapes keep to; elements never written count as zeros of it. A TensorArray may be a
    loop variable: as a nested structure it holds one tensor, its `flow`. Gradients flow through.

    >>> array = tl.TensorArray(tl.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> print(array.stack())
    [1. 2.]
    """

    flow: Tensor

    def __init__(
        self,
        dtype: DTypeLike = dtypes.float32,
        size: TensorLike = 0,
        dynamic_size: bool = False,
        element_shape: Sequence[int | None] | None = None,
        *,
        flow: Tensor | None = None,
    ) -> None:
        if flow is None:
            shape = lists.element_shape(
                None if element_shape is None else tuple(element_shape)
            )
            whole(size, "TensorArray: size", least=0)
            flow = _list(shape, size, as_dtype(dtype), dynamic_size)
        self.flow = flow

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.flow.spec.inner[0].dtype

    @property
    def element_shape(self) -> tuple[int | None, ...] | None:
        """What is known of the elements' shapes, None for nothing."""
        return self.flow.spec.inner[0].shape

    def size(self) -> Tensor:
        """Return the number of elements, as a 0-d int32."""
        return lists.length(self.flow)

    def _shape(self) -> Tensor:
        return lists.element_shape(self.element_shape)

    def read(self, index: TensorLike) -> Tensor:
        """Return the element at `index`; PlaceError when there is none."""
        return lists.get_item(self.flow, index, self._shape(), self.dtype)

    def write(self, index: TensorLike, value: TensorLike) -> TensorArray:
        """Return the array with `value` at `index`.

        Raises PlaceError beyond the size unless that is dynamic, DTypeError and ShapeError
        for an element that does not fit.
        """
        return TensorArray(
            flow=lists.set_item(self.flow, index, self._element(value))
        )

    def _element(self, value: TensorLike) -> Tensor:
        if not isinstance(value, Operand):
            return to_tensor(value, self.dtype)
        tensor = to_tensor(value)
        if tensor.dtype is not self.dtype:
            raise DTypeError(
                f"this TensorArray holds {self.dtype!r}, and {tensor.spec} is written to it; cast "
                "it with tl.astype, or make the array of that dtype"
            )
        return tensor

    def stack(self, size: int = -1) -> Tensor:
        """Return all elements stacked along a new first axis; `size`, if known, is their number."""
        return lists.stack_list(self.flow, self._shape(), self.dtype, size)

    def unstack(self, value: TensorLike) -> TensorArray:
        """Return an array whose elements are the rows of `value`."""
        return TensorArray(flow=lists.from_tensor(self._element(value)))

    def concat(self) -> Tensor:
        """Return all elements joined along their first axis."""
        return concat_list(self.flow, self._shape(), self.dtype)

    def gather(self, indices: TensorLike) -> Tensor:
        """Return the elements at `indices`, a 1-d integer tensor, stacked."""
        return self.stack()[to_tensor(indices)]

    def __repr__(self) -> str:
        return f"TensorArray({self.dtype!r}, element_shape={self.element_shape})"


def _list(
    shape: Tensor, size: TensorLike, dtype: DType, dynamic_size: bool
) -> Tensor:
    if not dynamic_size:
        return lists.reserve(shape, size, dtype)
    empty = lists.empty(shape, dtype)
    return empty if isinstance(size, int) and size == 0 else lists.resize(empty, size)
