"""Several elements of a list at once: written from a tensor's rows, and read as rows."""

from __future__ import annotations

from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import unsorted_segment_sum
from tensorlite.ops.arrays.sets import unique
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.control.list_values import TensorList
from tensorlite.ops.control.lists import (
    ListOp,
    element_shape,
    empty,
    length,
    resize,
    row_shape,
    with_element,
)


class TensorListScatterIntoExistingList(ListOp):
    """A list with the rows of a tensor at the indices named, each at one of its own."""

    host = (2,)

    def infer(
        self, list_: TensorSpec, x: TensorSpec, indices: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a list of such rows."""
        rows = None if x.shape is None else x.shape[1:]
        return with_element(list_, x.with_shape(rows), self.element_dtype)

    def kernel(
        self, xp: Xp, list_: TensorList, x: Array, indices: Array
    ) -> TensorList:
        """Return the list with the rows; InvalidArgumentError for an index that comes twice."""
        places: list[int] = indices.tolist()
        if len(places) != len(x):
            raise ShapeError(
                f"{len(places)} indices are given for {len(x)} rows; give one for each"
            )
        if len(set(places)) < len(places):
            twice = next(i for i in places if places.count(i) > 1)
            raise InvalidArgumentError(
                f"{twice} is written to twice by one call; give each index once"
            )
        rows = x.shape[1:]
        if not list_.element.accepts(TensorSpec(rows, list_.element.dtype)):
            raise ShapeError(
                f"rows of shape {shape_text(rows)} are written to a list of {list_.element}"
            )
        for i, place in enumerate(places):
            list_ = list_.put(place, x[i : i + 1].reshape(rows))
        return list_

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list with zeros at the indices, and what it has there."""
        _, x, indices = call.inputs
        rows = gather_list(dy, indices, row_shape(x))
        return scatter_list(dy, zeros_of(x), indices), rows, None


class TensorListGather(ListOp):
    """Elements of a list, stacked along a new first axis."""

    host = (1, 2)

    def infer(
        self, list_: TensorSpec, indices: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return the elements' shape behind the number of indices."""
        element = self.element(list_, shape)
        if element.shape is None:
            return element
        return element.with_shape((*(indices.shape or (None,)), *element.shape))

    def kernel(
        self, xp: Xp, list_: TensorList, indices: Array, shape: Array
    ) -> Array:
        """Return the elements; ShapeError when their shapes differ."""
        places: list[int] = indices.tolist()
        if not places:
            sizes = self.full_shape(list_, shape)
            return xp.zeros((0, *sizes), self.element_dtype.numpy)
        found = [self.value(xp, list_, list_.get(i), shape) for i in places]
        if any(array.shape != found[0].shape for array in found):
            shapes = ", ".join(sorted({shape_text(array.shape) for array in found}))
            raise ShapeError(
                f"TensorListGather: elements have different shapes: {shapes}"
            )
        return xp.stack(found)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return a list of zeros but for what flows into the elements that were read."""
        list_, indices, _ = call.inputs
        known = list_.spec.inner[0].shape if list_.spec.inner else None
        zeros = resize(empty(element_shape(known), self.element_dtype), length(list_))
        places, numbers = unique(indices)
        sums = unsorted_segment_sum(dy, numbers, shape_of(places)[0])
        return scatter_list(zeros, sums, places), None, None


def scatter_list(list_: Tensor, x: Tensor, indices: Tensor) -> Tensor:
    """Return a list with the rows of a tensor at some indices, of which none comes twice."""
    return call(TensorListScatterIntoExistingList(x.dtype), list_, x, indices)


def gather_list(list_: Tensor, indices: Tensor, shape: Tensor) -> Tensor:
    """Return the elements of a list at some indices, stacked along a new first axis."""
    dtype = list_.spec.inner[0].dtype
    return call(TensorListGather(dtype), list_, indices, shape)
