"""Operators on lists of tensors, which loops push to and pop from. Their gradients are lists too.

`TensorArray`, the public face of lists, is in tensor_array.py; the value is in list_values.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import (
    Dims,
    TensorSpec,
    all_known,
    generalise,
    merge,
    shape_text,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, for_module
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.control.bundles import given_or_zeros, zeros_of
from tensorlite.ops.control.list_values import TensorList
from tensorlite.ops.control.swapping import SWAPPING


class ListOp(Op, abstract=True):
    """An operator on lists whose elements are of `element_dtype`."""

    aliases = True
    element_dtype: DType

    def element(self, list_: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return what is known of the list's elements and of the shape asked for."""
        _check_list(list_)
        asked = asked_shape(shape)
        if not list_.inner:
            return TensorSpec(asked, self.element_dtype)
        known = list_.inner[0]
        if known.dtype is not self.element_dtype:
            raise DTypeError(
                f"the list holds {known.dtype!r}, not {self.element_dtype!r}"
            )
        return known.with_shape(merge(known.shape, asked))

    def value(self, xp: Xp, list_: TensorList, item: Any, shape: Array) -> Any:
        """Return an element, zeros if it is not written and its shape is known.

        It may have been pushed on another device.
        """
        if item is not None:
            return for_module(xp, item)
        return xp.zeros(self.full_shape(list_, shape), self.element_dtype.numpy)

    def full_shape(self, list_: TensorList, shape: Array) -> tuple[int, ...]:
        """Return the shape of an unwritten element; InvalidArgumentError when it is unknown."""
        asked = (
            None
            if shape.ndim == 0
            else tuple([None if n < 0 else n for n in shape.tolist()])
        )
        known = merge(asked, list_.element.shape)
        if all_known(known):
            return known
        for item in list_.items():
            if item is not None:
                sizes: tuple[int, ...] = item.shape
                return sizes
        raise InvalidArgumentError(
            f"{self.name}: an element that was never written has no known shape "
            f"({shape_text(known)}); write it first, or give element_shape"
        )


def asked_shape(shape: TensorSpec) -> Dims | None:
    """Return the shape that an `element_shape` input tells: -1 stands for unknown."""
    if isinstance(shape.known, tuple):
        return tuple(
            [None if size is None or size < 0 else size for size in shape.known]
        )
    return shape.vector()


def element_shape(shape: Dims | None) -> Tensor:
    """Return an `element_shape` input: -1 for unknown sizes, the scalar -1 for unknown rank."""
    if shape is None:
        return constant(np.asarray(-1, np.int32))
    return constant(
        np.asarray([-1 if size is None else size for size in shape], np.int32)
    )


def shape_for(x: Tensor) -> Tensor:
    """Return the `element_shape` input for elements like `x`."""
    return element_shape(()) if x.dtype is dtypes.variant else shape_of(x)


def _check_list(x: TensorSpec) -> None:
    """Raise DTypeError for what is no list."""
    if x.dtype is not dtypes.variant:
        raise DTypeError(f"a list of tensors is wanted, not {x}")


def list_spec(element: TensorSpec) -> TensorSpec:
    """Return the spec of a list of elements."""
    return TensorSpec((), dtypes.variant, None, (element,))


def _declared(shape: Array, dtype: DType) -> TensorSpec:
    sizes = (
        None if shape.ndim == 0 else [None if n < 0 else n for n in shape.tolist()]
    )
    return TensorSpec(None if sizes is None else tuple(sizes), dtype)


class EmptyTensorList(ListOp):
    """A list without elements, which may get `max_num_elements` (-1: any number)."""

    differentiable = False
    host = (0, 1)

    def infer(self, shape: TensorSpec, max_num_elements: TensorSpec) -> TensorSpec:
        """Return the spec of a list."""
        return list_spec(TensorSpec(asked_shape(shape), self.element_dtype))

    def kernel(self, xp: Xp, shape: Array, max_num_elements: Array) -> TensorList:
        """Return the empty list."""
        most = int(max_num_elements)
        return TensorList(
            [], _declared(shape, self.element_dtype), None if most < 0 else most
        )


class EmptySwappedList(EmptyTensorList):
    """An empty list whose elements may be swapped out of the device's memory."""

    def kernel(self, xp: Xp, shape: Array, max_num_elements: Array) -> TensorList:
        """Return the empty list, which keeps its elements as `tl.config.set_swap` says."""
        plain = super().kernel(xp, shape, max_num_elements)
        return TensorList([], plain.element, plain.limit, SWAPPING)


class TensorListReserve(ListOp):
    """A list of a number of elements not written yet."""

    differentiable = False
    host = (0, 1)

    def infer(self, shape: TensorSpec, num_elements: TensorSpec) -> TensorSpec:
        """Return the spec of a list."""
        return list_spec(TensorSpec(asked_shape(shape), self.element_dtype))

    def kernel(self, xp: Xp, shape: Array, num_elements: Array) -> TensorList:
        """Return the list."""
        size = int(num_elements)
        return TensorList([None] * size, _declared(shape, self.element_dtype), size)


class TensorListLength(Op):
    """The number of elements of a list."""

    differentiable = False

    def infer(self, list_: TensorSpec) -> TensorSpec:
        """Return a 0-d int32; DTypeError unless it is a list."""
        _check_list(list_)
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, list_: TensorList) -> Array:
        """Return the number, in host memory."""
        return np.asarray(list_.length, np.int32)


class TensorListResize(Op):
    """A list cut, or filled with unwritten elements, to a length."""

    host = (1,)
    aliases = True

    def infer(self, list_: TensorSpec, size: TensorSpec) -> TensorSpec:
        """Return the list's spec."""
        _check_list(list_)
        return list_

    def kernel(self, xp: Xp, list_: TensorList, size: Array) -> TensorList:
        """Return the list of another length."""
        return list_.resized(int(size))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in the length that the list had."""
        return resize(dy, length(call.inputs[0])), None


class TensorListPushBack(ListOp):
    """A list with one more element."""

    def infer(self, list_: TensorSpec, x: TensorSpec) -> TensorSpec:
        """Return the spec of a list of such elements."""
        return with_element(list_, x, self.element_dtype)

    def kernel(self, xp: Xp, list_: TensorList, x: Any) -> TensorList:
        """Return the longer list."""
        return list_.push(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list without its last element, and that."""
        return pop(dy, shape_for(call.inputs[1]), self.element_dtype)


class TensorListPopBack(ListOp):
    """A list without its last element, and that."""

    host = (1,)

    def infer(
        self, list_: TensorSpec, shape: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs of the list and of the element."""
        return list_, self.element(list_, shape)

    def kernel(
        self, xp: Xp, list_: TensorList, shape: Array
    ) -> tuple[TensorList, Any]:
        """Return the shorter list, and the element."""
        rest, item = list_.pop()
        return rest, self.value(xp, list_, item, shape)

    def grad(self, call: Call, drest: Tensor | None, ditem: Tensor | None) -> Grads:
        """Return the element's gradient pushed on the list's."""
        rest, item = call.outputs
        return push(given_or_zeros(drest, rest), given_or_zeros(ditem, item)), None


class TensorListGetItem(ListOp):
    """An element of a list."""

    host = (1, 2)

    def infer(
        self, list_: TensorSpec, index: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return what is known of the elements."""
        return self.element(list_, shape)

    def kernel(self, xp: Xp, list_: TensorList, index: Array, shape: Array) -> Any:
        """Return the element."""
        return self.value(xp, list_, list_.get(int(index)), shape)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return a list of zeros but for the element's gradient."""
        list_, index, _ = call.inputs
        known = list_.spec.inner[0].shape if list_.spec.inner else None
        zeros = resize(empty(element_shape(known), self.element_dtype), length(list_))
        return set_item(zeros, index, dy), None, None


class TensorListSetItem(ListOp):
    """A list with another element at an index; it grows to have that if it may and has no limit."""

    host = (1,)
    resize_if_index_out_of_bounds: bool = True

    def infer(
        self, list_: TensorSpec, index: TensorSpec, x: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a list of such elements."""
        return with_element(list_, x, self.element_dtype)

    def kernel(self, xp: Xp, list_: TensorList, index: Array, x: Any) -> TensorList:
        """Return the list with the element."""
        declared = list_.element
        if x.shape != declared.shape and not declared.accepts(
            TensorSpec(x.shape, declared.dtype)
        ):
            raise ShapeError(
                f"an element of shape {shape_text(x.shape)} is written to a list of {declared}"
            )
        return list_.put(int(index), x, self.resize_if_index_out_of_bounds)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list with zeros at the index, and the element there."""
        _, index, x = call.inputs
        item = get_item(dy, index, shape_for(x), self.element_dtype)
        return set_item(dy, index, zeros_of(x)), None, item


class TensorListStack(ListOp):
    """All elements of a list, stacked along a new first axis."""

    host = (1,)
    num_elements: int = -1

    def infer(self, list_: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return the elements' shape behind the number of them, if that is known."""
        element = self.element(list_, shape)
        if element.shape is None:
            return element
        number = None if self.num_elements < 0 else self.num_elements
        return element.with_shape((number, *element.shape))

    def kernel(self, xp: Xp, list_: TensorList, shape: Array) -> Array:
        """Return the stacked elements; ShapeError when their shapes differ."""
        items = list_.items()
        if self.num_elements not in (-1, len(items)):
            raise InvalidArgumentError(
                f"TensorListStack: Operation expected a list with {self.num_elements} elements but "
                f"got a list with {len(items)} elements"
            )
        if not items:
            return xp.zeros(
                (0, *self.full_shape(list_, shape)), self.element_dtype.numpy
            )
        arrays = [self.value(xp, list_, item, shape) for item in items]
        if any(array.shape != arrays[0].shape for array in arrays):
            shapes = ", ".join(sorted({shape_text(array.shape) for array in arrays}))
            raise ShapeError(
                f"TensorListStack: elements have different shapes: {shapes}"
            )
        return xp.stack(arrays)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient's rows as a list."""
        return from_tensor(dy), None


class TensorListFromTensor(ListOp):
    """A list of a tensor's rows."""

    host = (1,)

    def infer(self, x: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return the spec of a list of rows."""
        rows = None if x.shape is None else x.shape[1:]
        return list_spec(
            TensorSpec(merge(rows, asked_shape(shape)), self.element_dtype)
        )

    def kernel(self, xp: Xp, x: Array, shape: Array) -> TensorList:
        """Return the rows."""
        rows = [x[i : i + 1].reshape(x.shape[1:]) for i in range(x.shape[0])]
        return TensorList(rows, TensorSpec(x.shape[1:], self.element_dtype))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list's elements as rows."""
        return stack_list(dy, row_shape(call.inputs[0]), self.element_dtype), None


def with_element(list_: TensorSpec, x: TensorSpec, dtype: DType) -> TensorSpec:
    """Return the spec of a list that also holds `x`; an error when `x` does not fit."""
    _check_list(list_)
    if x.dtype is not dtype:
        raise DTypeError(
            f"the list holds {dtype!r}, and {x} is written; cast it with tl.astype"
        )
    known = list_.inner[0].shape if list_.inner else None
    if known is None or x.shape is None:
        return list_spec(x.with_shape(x.shape if known is None else known))
    if len(known) != len(x.shape):
        raise ShapeError(
            f"elements of a list have one rank: {shape_text(known)} is there, and "
            f"{shape_text(x.shape)} is written"
        )
    return list_spec(x.with_shape(generalise(known, x.shape)))


def length(list_: Tensor) -> Tensor:
    """Return the number of elements of a list."""
    return call(TensorListLength(), list_)


def resize(list_: Tensor, size: TensorLike) -> Tensor:
    """Return a list cut, or filled with unwritten elements, to a length."""
    return call(TensorListResize(), list_, size)


def empty(shape: Tensor, dtype: DType, most: int = -1) -> Tensor:
    """Return a list without elements, which may get `most` (-1: any number)."""
    return call(EmptyTensorList(dtype), shape, most)


def reserve(shape: Tensor, size: TensorLike, dtype: DType) -> Tensor:
    """Return a list of elements not written yet."""
    return call(TensorListReserve(dtype), shape, size)


def push(list_: Tensor, x: Tensor) -> Tensor:
    """Return a list with one more element."""
    return call(TensorListPushBack(x.dtype), list_, x)


def pop(list_: Tensor, shape: Tensor, dtype: DType) -> tuple[Tensor, ...]:
    """Return a list without its last element, and that."""
    return calls(TensorListPopBack(dtype), list_, shape)


def get_item(list_: Tensor, index: TensorLike, shape: Tensor, dtype: DType) -> Tensor:
    """Return an element of a list."""
    return call(TensorListGetItem(dtype), list_, index, shape)


def set_item(list_: Tensor, index: TensorLike, x: Tensor) -> Tensor:
    """Return a list with another element at an index."""
    return call(TensorListSetItem(x.dtype), list_, index, x)


def stack_list(
    list_: Tensor, shape: Tensor, dtype: DType, number: int = -1
) -> Tensor:
    """Return all elements of a list, stacked along a new first axis."""
    return call(TensorListStack(dtype, number), list_, shape)


def from_tensor(x: Tensor) -> Tensor:
    """Return a list of a tensor's rows."""
    rows = None if x.spec.shape is None else x.spec.shape[1:]
    return call(TensorListFromTensor(x.dtype), x, element_shape(rows))


def row_shape(x: Tensor) -> Tensor:
    """Return the shape of a tensor's rows, as an `element_shape` input."""
    shape = x.spec.shape
    if shape is not None and None not in shape[1:]:
        return element_shape(shape[1:])
    return shape_of(x)[1:]
