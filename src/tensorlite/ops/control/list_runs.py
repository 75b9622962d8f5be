"""Runs of rows of any lengths: all elements of a list joined, and lists of a tensor's runs."""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Call, Gradient, Grads
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import size
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.control.list_values import TensorList
from tensorlite.ops.control.lists import (
    ListOp,
    element_shape,
    list_spec,
    resize,
    row_shape,
    with_element,
)


class TensorListConcatV2(ListOp):
    """All elements of a list, joined along their first axis, and the length of each.

    `leading_dims` are the lengths of elements, for those that are not written; it may be empty.
    """

    host = (1, 2)

    def infer(
        self, list_: TensorSpec, shape: TensorSpec, leading_dims: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the elements' shape with an unknown first size."""
        element = self.element(list_, shape)
        joined = None if element.shape is None else (None, *element.shape[1:])
        return element.with_shape(joined), TensorSpec((None,), dtypes.int64)

    def kernel(
        self, xp: Xp, list_: TensorList, shape: Array, leading_dims: Array
    ) -> tuple[Array, Array]:
        """Return the joined elements; ShapeError when they do not fit together."""
        items = list_.items()
        if not items:
            rows = shape.tolist()[1:] if shape.ndim else list_.element.dims[1:]
            return xp.zeros((0, *rows), self.element_dtype.numpy), np.zeros(
                0, np.int64
            )
        arrays = [self.value(xp, list_, item, shape) for item in items]
        if len(leading_dims) == len(items):
            for i, (item, n) in enumerate(
                zip(items, leading_dims.tolist(), strict=True)
            ):
                if item is None:
                    rest = arrays[i].shape[1:]
                    arrays[i] = xp.zeros((n, *rest), self.element_dtype.numpy)
        tails = {array.shape[1:] if array.ndim else None for array in arrays}
        if len(tails) > 1 or None in tails:
            shapes = ", ".join(sorted({shape_text(array.shape) for array in arrays}))
            raise ShapeError(
                f"TensorListConcatV2: these shapes do not join: {shapes}"
            )
        return xp.concatenate(arrays), np.asarray(
            [len(array) for array in arrays], np.int64
        )

    def grad(self, call: Call, dy: Tensor, _: Gradient) -> Grads:
        """Return the gradient cut into the elements' lengths."""
        op = TensorListSplit(self.element_dtype)
        return calls(op, dy, element_shape(None), call.outputs[1])[0], None, None


class TensorListSplit(ListOp):
    """A list of a tensor's consecutive runs of rows, each of the length asked for."""

    host = (1, 2)

    def infer(
        self, x: TensorSpec, shape: TensorSpec, lengths: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a list of such runs."""
        rows = None if x.shape is None else (None, *x.shape[1:])
        return list_spec(TensorSpec(rows, self.element_dtype))

    def kernel(self, xp: Xp, x: Array, shape: Array, lengths: Array) -> TensorList:
        """Return the runs."""
        ends = np.cumsum(lengths).tolist()
        runs = [
            x[end - n : end] for end, n in zip(ends, lengths.tolist(), strict=True)
        ]
        return TensorList(runs, TensorSpec((None, *x.shape[1:]), self.element_dtype))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list's elements joined, which are of any lengths."""
        shape = concat([element_shape((None,)), row_shape(call.inputs[0])])
        lengths = call.inputs[2]
        return concat_list(dy, shape, self.element_dtype, lengths), None, None


class TensorListSplitIntoExistingList(ListOp):
    """A list with consecutive runs of a tensor's rows, of the lengths given, as its elements."""

    host = (2,)

    def infer(
        self, list_: TensorSpec, x: TensorSpec, lengths: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a list of such runs."""
        runs = None if x.shape is None else (None, *x.shape[1:])
        return with_element(list_, x.with_shape(runs), self.element_dtype)

    def kernel(
        self, xp: Xp, list_: TensorList, x: Array, lengths: Array
    ) -> TensorList:
        """Return the list; ShapeError unless there is a run for each element, and all rows go."""
        counts: list[int] = lengths.tolist()
        if sum(counts) != len(x):
            raise ShapeError(
                f"runs of {sum(counts)} rows in all are asked for, and there are {len(x)}"
            )
        if list_.length > len(counts):
            raise ShapeError(
                f"{len(counts)} lengths are given for a list of {list_.length}; give one for each"
            )
        end = 0
        for place, count in enumerate(counts):
            end += count
            list_ = list_.put(place, x[end - count : end])
        return list_

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient list with zeros in it, and its elements joined."""
        _, x, lengths = call.inputs
        shape = concat([element_shape((None,)), row_shape(x)])
        runs = resize(
            dy, size(lengths)
        )  # elements written behind the runs are no rows of x
        rows = concat_list(runs, shape, self.element_dtype, lengths)
        return split_list(runs, zeros_of(x), lengths), rows, None


def split_list(list_: Tensor, x: Tensor, lengths: Tensor) -> Tensor:
    """Return a list with runs of a tensor's rows as its elements."""
    return call(TensorListSplitIntoExistingList(x.dtype), list_, x, lengths)


def concat_list(
    list_: Tensor, shape: Tensor, dtype: DType, lengths: Tensor | None = None
) -> Tensor:
    """Return all elements of a list, joined along their first axis.

    Those that are not written are zeros, of some lengths where these are given.
    """
    leading = constant(np.zeros(0, np.int64)) if lengths is None else lengths
    return calls(TensorListConcatV2(dtype), list_, shape, leading)[0]
