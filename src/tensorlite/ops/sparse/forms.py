"""Functions of sparse tensors as TensorFlow has them: one operator each, of the tensors' parts.

What they are made of stands in arrange.py, dense.py and segments.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import gather, gather_nd, unsorted_segment_sum
from tensorlite.ops.arrays.masks import Where
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import divide, multiply
from tensorlite.ops.math.cumulative import cumulative_sum
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.sparse import (
    arrange as sparse_arrange,
    dense as sparse_dense,
    segments as sparse_segments,
)
from tensorlite.ops.sparse.tensor import SparseTensor, gathered, reorder


def _known(what: str, x: Tensor) -> list[int]:
    """Return axes, which must be known before the run."""
    value = x.spec.constant()
    if value is None:
        raise InvalidArgumentError(
            f"{what} is computed by the graph; supported are constants: give it as a number"
        )
    found: list[int] = np.ravel(value).tolist()
    return found


def _has_rank(indices: TensorSpec, shape: TensorSpec) -> bool:
    """Return whether it is known how many axes a sparse tensor has."""
    width = None if indices.shape is None else indices.shape[1]
    size = None if shape.shape is None else shape.shape[0]
    return width is not None or size is not None


def _open_parts(values: TensorSpec, number: int = 1) -> tuple[TensorSpec, ...]:
    """Return the specs of all places, elements and shapes of sparse tensors of unknown rank."""
    places, shape = [TensorSpec(x, dtypes.int64) for x in ((None, None), (None,))]
    elements = TensorSpec((None,), values.dtype)
    return (*(places,) * number, *(elements,) * number, *(shape,) * number)


class SparseReorder(Composite):
    """Places and elements in the order of the places."""

    def compose(self, indices: Tensor, values: Tensor, shape: Tensor) -> Any:
        """Return both."""
        made = reorder(SparseTensor(indices, values, shape))
        return made.indices, made.values


class SparseAdd(Composite):
    """The sum of two sparse tensors, without what is smaller than a threshold."""

    def compose(self, *parts: Tensor) -> Any:
        """Return the parts of the sum."""
        first, second = SparseTensor(*parts[:3]), SparseTensor(*parts[3:6])
        return tuple(sparse_dense.sparse_add(first, second, parts[6]))


class SparseConcat(Composite):
    """Sparse tensors one behind the other."""

    concat_dim: int = 0

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the whole's parts."""
        number = len(specs) // 3
        if not number:
            raise InvalidArgumentError(
                "sparse_concat: give one sparse tensor or more"
            )
        if not _has_rank(specs[0], specs[2 * number]):
            return _open_parts(specs[number])
        return super().infer(*specs)

    def compose(self, *parts: Tensor) -> Any:
        """Return the parts of the whole, given all places, all elements and all shapes."""
        number = len(parts) // 3
        listed = [SparseTensor(*parts[i::number]) for i in range(number)]
        return tuple(sparse_arrange.sparse_concat(self.concat_dim, listed))


class SparseSplit(Composite):
    """The pieces of a sparse tensor along an axis."""

    host = (0,)
    num_split: int = 1

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the pieces' parts."""
        axis, indices, values, shape = specs
        if axis.constant() is None or not _has_rank(indices, shape):
            return _open_parts(values, self.num_split)
        return super().infer(*specs)

    def compose(
        self, axis: Tensor, indices: Tensor, values: Tensor, shape: Tensor
    ) -> Any:
        """Return all places, all elements and all shapes."""
        if axis.spec.rank:
            raise ShapeError(
                f"SparseSplit: axis should be a scalar, but it has the shape {axis.spec.shape}"
            )
        (at,) = _known("SparseSplit: the axis", axis)
        sp = SparseTensor(indices, values, shape)
        pieces = sparse_arrange.sparse_split(sp, self.num_split, at)
        return [piece[i] for i in range(3) for piece in pieces]


class SparseSlice(Composite):
    """A part of a sparse tensor."""

    def compose(
        self,
        indices: Tensor,
        values: Tensor,
        shape: Tensor,
        start: Tensor,
        size: Tensor,
    ) -> Any:
        """Return the parts of it."""
        sp = SparseTensor(indices, values, shape)
        return tuple(sparse_arrange.sparse_slice(sp, start, size))


class SparseSoftmax(Composite):
    """The elements of a sparse tensor as shares of their rows."""

    def compose(self, indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
        """Return the shares."""
        sp = SparseTensor(indices, values, shape)
        return sparse_dense.sparse_softmax(sp).values


class _Reduced(Composite, abstract=True):
    """A reduction of a sparse tensor along axes."""

    host = (3,)
    keep_dims: bool = False

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of the result, whose shape is open where axes are not known."""
        if specs[3].constant() is None or not _has_rank(specs[0], specs[2]):
            return (TensorSpec(None, specs[1].dtype),)
        return super().infer(*specs)

    def _given(self, *parts: Tensor) -> tuple[SparseTensor, Sequence[int], bool]:
        axes = _known(f"{self.name}: axes", parts[3])
        return SparseTensor(*parts[:3]), axes, self.keep_dims


class SparseReduceSum(_Reduced):
    """Sums along axes, as a dense tensor."""

    def compose(self, *parts: Tensor) -> Tensor:
        """Return the sums."""
        return sparse_arrange.sparse_reduce_sum(*self._given(*parts))


class SparseReduceMax(_Reduced):
    """Greatest elements along axes, as a dense tensor."""

    def compose(self, *parts: Tensor) -> Tensor:
        """Return the greatest."""
        return sparse_arrange.sparse_reduce_max(*self._given(*parts))


class _ReducedSparse(_Reduced, abstract=True):
    """A reduction along axes as a sparse tensor; in it is what had elements, zeros among them."""

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of places, elements and shape, which are open."""
        return _open_parts(specs[1])

    def _of_dense(self, found: Tensor, *parts: Tensor) -> Sequence[Tensor]:
        """Return the elements of a dense result that come of elements of the operand."""
        sp, axes, kept = self._given(*parts)
        ones = SparseTensor(sp.indices, ones_like(sp.values), sp.dense_shape)
        there = sparse_arrange.sparse_reduce_max(ones, axes, kept) > 0
        places = call(Where(), there)
        return places, gather_nd(found, places), astype(shape_of(found), dtypes.int64)


class SparseReduceSumSparse(_ReducedSparse):
    """Sums along axes, as a sparse tensor."""

    def compose(self, *parts: Tensor) -> Sequence[Tensor]:
        """Return places, sums and shape."""
        found = sparse_arrange.sparse_reduce_sum(*self._given(*parts))
        return self._of_dense(found, *parts)


class SparseReduceMaxSparse(_ReducedSparse):
    """Greatest elements along axes, as a sparse tensor."""

    def compose(self, *parts: Tensor) -> Sequence[Tensor]:
        """Return places, elements and shape."""
        found = sparse_arrange.sparse_reduce_max(*self._given(*parts))
        return self._of_dense(found, *parts)


class SparseFillEmptyRows(Composite):
    """A sparse matrix with an element in each row."""

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of places and elements, of what was empty, and of where all went."""
        if _has_rank(specs[0], specs[2]):
            return super().infer(*specs)
        places, values, shape = _open_parts(specs[1])
        return places, values, shape.with_dtype(dtypes.bool_), shape

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, default: Tensor
    ) -> Any:
        """Return places and elements, which rows were empty, and where elements went."""
        sp = SparseTensor(indices, values, shape)
        made, empty = sparse_arrange.sparse_fill_empty_rows(sp, default)
        rows = indices[:, 0]
        before = cumulative_sum(astype(empty, rows.dtype))
        numbers = arange(shape_of(indices)[0], dtype=rows.dtype)
        return made.indices, made.values, empty, gather(before, rows) + numbers


class SparseSparseMaximum(Composite):
    """The greater of two elements where one of two sparse tensors has one."""

    def compose(self, *parts: Tensor) -> Any:
        """Return places and elements."""
        pair = SparseTensor(*parts[:3]), SparseTensor(*parts[3:])
        made = sparse_arrange.sparse_maximum(*pair)
        return made.indices, made.values


class SparseSparseMinimum(Composite):
    """The lesser of two elements where one of two sparse tensors has one."""

    def compose(self, *parts: Tensor) -> Any:
        """Return places and elements."""
        pair = SparseTensor(*parts[:3]), SparseTensor(*parts[3:])
        made = sparse_arrange.sparse_minimum(*pair)
        return made.indices, made.values


class SparseTensorDenseMatMul(Composite):
    """The product of a sparse matrix and a dense one."""

    adjoint_a: bool = False
    adjoint_b: bool = False

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, b: Tensor
    ) -> Any:
        """Return the product."""
        a = SparseTensor(indices, values, shape)
        return sparse_dense.sparse_dense_matmul(a, b, self.adjoint_a, self.adjoint_b)


class SparseTensorDenseAdd(Composite):
    """The sum of a sparse tensor and a dense one."""

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, b: Tensor
    ) -> Any:
        """Return the sum."""
        return sparse_dense.sparse_add(SparseTensor(indices, values, shape), b)


class SparseDenseCwiseAdd(Composite):
    """Sums of elements of a sparse tensor and those of a dense one."""

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, x: Tensor
    ) -> Any:
        """Return the sums."""
        return values + gathered(x, SparseTensor(indices, values, shape))


class SparseDenseCwiseMul(Composite):
    """Products of elements of a sparse tensor and those of a dense one."""

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, x: Tensor
    ) -> Any:
        """Return the products."""
        return multiply(values, gathered(x, SparseTensor(indices, values, shape)))


class SparseDenseCwiseDiv(Composite):
    """Quotients of elements of a sparse tensor and those of a dense one."""

    def compose(
        self, indices: Tensor, values: Tensor, shape: Tensor, x: Tensor
    ) -> Any:
        """Return the quotients."""
        return divide(values, gathered(x, SparseTensor(indices, values, shape)))


class _OfSegments(Composite, abstract=True):
    """A reduction of picked rows by segments, of which the run knows the number."""

    sparse_gradient: bool = False

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return a row's shape behind a size that is open, as TensorFlow does."""
        return super().infer(*[spec.without_value() for spec in specs])


class SparseSegmentSum(_OfSegments):
    """Sums of picked rows by segments."""

    def compose(self, data: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        """Return the sums."""
        return sparse_segments.sparse_segment_sum(data, indices, segment_ids)


class SparseSegmentMean(_OfSegments):
    """Means of picked rows by segments."""

    def compose(self, data: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        """Return the means."""
        return sparse_segments.sparse_segment_mean(data, indices, segment_ids)


class SparseSegmentSqrtN(_OfSegments):
    """Sums of picked rows by segments, over the roots of how many these are."""

    def compose(self, data: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        """Return the quotients."""
        return sparse_segments.sparse_segment_sqrt_n(data, indices, segment_ids)


class SparseSegmentSumWithNumSegments(Composite):
    """Sums of picked rows by segments, of which the number is given."""

    sparse_gradient: bool = False

    def compose(
        self, data: Tensor, indices: Tensor, segment_ids: Tensor, count: Tensor
    ) -> Tensor:
        """Return the sums."""
        return sparse_segments.sparse_segment_sum(data, indices, segment_ids, count)


class SparseSegmentMeanWithNumSegments(Composite):
    """Means of picked rows by segments, of which the number is given."""

    sparse_gradient: bool = False

    def compose(
        self, data: Tensor, indices: Tensor, segment_ids: Tensor, count: Tensor
    ) -> Tensor:
        """Return the means."""
        return sparse_segments.sparse_segment_mean(data, indices, segment_ids, count)


class SparseSegmentSqrtNWithNumSegments(Composite):
    """Sums of picked rows by so many segments, over the roots of how many these are."""

    sparse_gradient: bool = False

    def compose(
        self, data: Tensor, indices: Tensor, segment_ids: Tensor, count: Tensor
    ) -> Tensor:
        """Return the quotients."""
        return sparse_segments.sparse_segment_sqrt_n(
            data, indices, segment_ids, count
        )


class SparseSegmentMeanGrad(Composite):
    """What flows to the rows of means."""

    def compose(self, dy: Tensor, rows: Tensor, ids: Tensor, count: Tensor) -> Any:
        """Return it for each row."""
        flow = sparse_segments.segment_flow(dy, ids, lambda held: held)
        return unsorted_segment_sum(flow, rows, count)


class SparseSegmentSqrtNGrad(Composite):
    """What flows to the rows of sums over roots."""

    def compose(self, dy: Tensor, rows: Tensor, ids: Tensor, count: Tensor) -> Any:
        """Return it for each row."""
        flow = sparse_segments.segment_flow(dy, ids, sqrt)
        return unsorted_segment_sum(flow, rows, count)
