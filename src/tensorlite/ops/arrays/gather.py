"""Reading at computed places, and the sums that its gradients are: gather, scatter_nd.

Masks are in masks.py, replacing parts of a tensor in scatter.py, the other segment functions in
segment.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import mul
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import call, constant, to_tensor, tracer
from tensorlite.core.errors import InvalidArgumentError, PlaceError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, merge, normalise_axis
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, xp_of
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.arrange import moveaxis, permute_dims
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.places import (
    combine_into,
    in_range,
    integers,
    nd_depth,
    nd_fits,
    nd_rows,
    reduced_segments,
    segmented,
)
from tensorlite.ops.arrays.shape import as_shape, astype, reshape, shape_of
from tensorlite.ops.arrays.slicing import SliceKey
from tensorlite.ops.math.arithmetic import Range, broadcast_to
from tensorlite.ops.math.compare import less, where
from tensorlite.ops.math.reduce import prod as prod_of

__all__ = [
    "gather",
    "gather_nd",
    "scatter_nd",
    "take",
    "take_along_axis",
    "unsorted_segment_sum",
]


class GatherV2(Op):
    """Slices along an axis, at the places that an integer tensor says."""

    host = (2,)
    batch_dims: int = 0

    def infer(
        self, params: TensorSpec, indices: TensorSpec, axis: TensorSpec
    ) -> TensorSpec:
        """Return the shape with the axis replaced by those of the indices."""
        integers(self.name, indices)
        at = axis.axis()
        if params.shape is None or indices.shape is None:
            return params.with_shape(None)
        b = self.batch_dims
        if at is None:
            return params.with_shape(
                (None,) * (len(params.shape) + len(indices.shape) - 1 - b)
            )
        at = normalise_axis(at, len(params.shape))
        if not 0 <= b <= min(at, len(indices.shape)):
            raise ShapeError(
                f"GatherV2: batch_dims={b} with axis {at} and indices {indices}"
            )
        batch = merge(params.shape[:b], indices.shape[:b]) or ()
        rest = (*params.shape[b:at], *indices.shape[b:], *params.shape[at + 1 :])
        known = (
            params.vector()
            if len(params.shape) == 1 and params.known is not None
            else None
        )
        places = indices.constant()
        if (
            known is None
            or places is None
            or not all(0 <= i < len(known) for i in places)
        ):
            return params.with_shape((*batch, *rest))
        found = tuple([known[i] for i in places])
        return TensorSpec(
            rest, params.dtype, known=found if indices.shape else found[0]
        )

    def kernel(self, xp: Xp, params: Array, indices: Array, axis: Array) -> Array:
        """Return the slices."""
        at = int(axis) % max(params.ndim, 1)
        in_range(self.name, indices, params.shape[at], at)
        b = self.batch_dims
        if b == 0:
            return xp.take(params, indices.astype("int64"), axis=at)
        shape = params.shape
        batch, outer, inner = (
            prod(shape[:b]),
            prod(shape[b:at]),
            prod(shape[at + 1 :]),
        )
        rows = params.reshape(batch, outer, shape[at], inner).transpose(0, 2, 1, 3)
        flat = indices.reshape(batch, prod(indices.shape[b:]))
        found = rows[xp.arange(batch)[:, None], flat].transpose(0, 2, 1, 3)
        return found.reshape(shape[:at] + indices.shape[b:] + shape[at + 1 :])

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of the slices that were taken: sparse along the first axis."""
        params, indices, axis = call.inputs
        at = axis.spec.scalar()
        if at is None:
            raise InvalidArgumentError(
                "GatherV2 has a gradient only where its axis is known"
            )
        if at == 0 and self.batch_dims == 0:
            return rows_of(dy, params, indices), None, None
        is_open = params.spec.rank is None or indices.spec.rank is None
        summed = _summed_runs if is_open else _summed_slices
        return summed(dy, params, indices, at, self.batch_dims), None, None


def rows_of(dy: Tensor, params: Tensor, indices: Tensor) -> IndexedSlices:
    """Return `dy`, the gradient of rows of `params` taken at `indices`, as these rows."""
    values, places = dy, indices
    if indices.spec.rank != 1:
        places = reshape(indices, (-1,))
        values = reshape(dy, concat([shape_of(places), _row(params)]))
    return IndexedSlices(
        values=values,
        indices=places,
        dense_shape=params.shape if params.spec.is_static else shape_of(params),
    )


def _row(x: Tensor) -> Tensor:
    """Return the shape of a row of `x`, whose rank need not be known."""
    key = SliceKey()
    key.add_slice(1, None, None)
    return key.select(shape_of(x))


def sizes(x: Tensor) -> list[Any]:
    """Return the sizes of `x`: ints, and 0-d tensors where a trace does not know them."""
    return [n if n is not None else size_at(x, i) for i, n in enumerate(x.shape)]


def size_at(x: Tensor, axis: int) -> Tensor:
    """Return one size of `x` as a 0-d tensor."""
    key = SliceKey()
    key.add_index(axis)
    return key.select(shape_of(x))


def _summed_slices(
    dy: Tensor, params: Tensor, indices: Tensor, axis: int, b: int
) -> Tensor:
    """Return the gradient of a gather along `axis`, dense, by a sum over equal indices."""
    rank, shape = len(params.shape), sizes(params)
    axis, k = normalise_axis(axis, rank), len(indices.shape) - b
    outer = range(b, axis)
    order = [
        *range(b),
        *range(axis, axis + k),
        *outer,
        *range(axis + k, len(dy.shape)),
    ]
    batch: Any = reduce(mul, shape[:b], 1)
    if b:
        starts = reshape(call(Range(), 0, batch, 1), [*shape[:b], *[1] * k])
        indices = indices + astype(starts * shape[axis], indices.dtype)
    summed = unsorted_segment_sum(
        permute_dims(dy, order), indices, batch * shape[axis]
    )
    rest = [*shape[b:axis], *shape[axis + 1 :]]
    return moveaxis(reshape(summed, [*shape[:b], shape[axis], *rest]), b, axis)


def _summed_runs(
    dy: Tensor, params: Tensor, indices: Tensor, axis: int, b: int
) -> Tensor:
    """Return the gradient of a gather along `axis` where ranks become known when it runs.

    The axes before, between and behind the batch's and the one gathered along are each seen as one.
    """
    whole = shape_of(params)
    batch, number = _elements(whole, 0, b), _elements(shape_of(indices), b, None)
    outer, n = _elements(whole, b, axis), _elements(whole, axis, axis + 1 or None)
    inner = _elements(whole, axis + 1, None) if axis != -1 else 1
    rows = permute_dims(reshape(dy, [batch, outer, number, inner]), (0, 2, 1, 3))
    starts = astype(
        reshape(call(Range(), 0, batch, 1) * n, [batch, 1]), indices.dtype
    )
    places = reshape(reshape(indices, [batch, number]) + starts, (-1,))
    summed = unsorted_segment_sum(
        reshape(rows, [batch * number, outer, inner]), places, batch * n
    )
    found = permute_dims(reshape(summed, [batch, n, outer, inner]), (0, 2, 1, 3))
    return reshape(found, whole)


def _elements(shape: Tensor, first: int, behind: int | None) -> Tensor:
    """Return how many elements the axes of a shape from one to another have, as a 0-d tensor."""
    key = SliceKey()
    key.add_slice(first, behind, None)
    return prod_of(key.select(shape), axis=0)


class GatherNd(Op):
    """Parts of a tensor, each at the coordinates that a row of indices says."""

    def infer(self, params: TensorSpec, indices: TensorSpec) -> TensorSpec:
        """Return the indices' shape without its last axis, then what a row leaves open."""
        integers(self.name, indices)
        depth = nd_depth(self.name, indices.shape, params.shape)
        if params.shape is None or indices.shape is None or depth is None:
            return params.with_shape(None)
        return params.with_shape((*indices.shape[:-1], *params.shape[depth:]))

    def kernel(self, xp: Xp, params: Array, indices: Array) -> Array:
        """Return the parts."""
        depth = indices.shape[-1]
        for axis in range(depth):
            in_range(self.name, indices[..., axis], params.shape[axis], axis)
        if depth == 0:
            return xp.broadcast_to(params, indices.shape[:-1] + params.shape).copy()
        return params[tuple([indices[..., axis] for axis in range(depth)])]

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in a tensor of zeros."""
        params, indices = call.inputs
        return scatter_nd(indices, dy, shape_of(params)), None


class ScatterNd(Op):
    """Zeros of a shape to which parts are added at the coordinates that rows of indices say."""

    host = (2,)

    def infer(
        self, indices: TensorSpec, updates: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape; ShapeError when indices and updates do not fit it."""
        integers(self.name, indices)
        nd_fits(self.name, indices.shape, updates.shape, shape.vector())
        return TensorSpec(shape.vector(), updates.dtype)

    def kernel(self, xp: Xp, indices: Array, updates: Array, shape: Array) -> Array:
        """Return the sum."""
        whole = tuple(shape.tolist())
        nd_fits(self.name, indices.shape, updates.shape, whole)
        rows, places = nd_rows(self.name, xp, indices, whole)
        sums = xp.zeros(rows, updates.dtype)
        if updates.dtype == object:
            sums[...] = b"" if updates.size == 0 else updates.flat[0][:0]
        combine_into(xp, "add", sums, places, updates.reshape(places.size, rows[1]))
        return sums.reshape(whole)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the coordinates."""
        return None, gather_nd(dy, call.inputs[0]), None


class UnsortedSegmentSum(Op):
    """Sums of the slices that have the same segment number; negative numbers are left out."""

    host = (2,)

    def infer(
        self, data: TensorSpec, ids: TensorSpec, count: TensorSpec
    ) -> TensorSpec:
        """Return the data's shape with the numbers' axes replaced by one per segment."""
        return segmented(self.name, data, ids, count.scalar())

    def kernel(self, xp: Xp, data: Array, ids: Array, count: Array) -> Array:
        """Return the sums."""
        return reduced_segments(self.name, xp, "add", data, ids, int(count), 0)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of each slice's segment."""
        return take_segments(dy, call.inputs[1]), None, None


def take_segments(x: Tensor, ids: Tensor) -> Tensor:
    """Return the row of `x` for each segment number, zeros for negative ones."""
    value = value_of(ids)
    if ids.dtype.kind == "u" or (value is not None and not (value < 0).any()):
        return gather(x, ids)
    there = less(-1, ids)
    rows = gather(x, where(there, ids, 0))
    inner = None if x.spec.rank is None or ids.spec.rank is None else x.spec.rank - 1
    if inner is None:
        raise ShapeError(
            "the gradient of a segment function needs operands of known rank"
        )
    return where(reshape(there, [*sizes(there), *[1] * inner]), rows, 0)


def value_of(x: Tensor) -> Array | None:
    """Return the value of a tensor where the program at hand may rely on it, or None."""
    if isinstance(x, SymbolicTensor):
        return x.node.op.value if isinstance(x.node.op, Const) else None
    return x.array if tracer() is None else None


def from_front(indices: Tensor, x: Tensor, axis: int, what: str) -> Tensor:
    """Return indices into an axis of `x` counted from the front; PlaceError where known."""
    indices = astype(indices, dtypes.int64) if indices.dtype.kind == "u" else indices
    value, length = value_of(indices), x.shape[axis]
    if value is None or length is None:
        ahead = where(
            less(indices, 0), size_at(x, axis) if length is None else length, 0
        )
        return indices + astype(ahead, indices.dtype)
    if value.size == 0:
        return indices
    low, high = int(value.min()), int(value.max())
    if low < -length or high >= length:
        raise PlaceError(
            f"{what}: index {high if high >= length else low} is out of range for axis {axis} of "
            f"size {length}; "
            + (
                f"allowed are {-length} to {length - 1}"
                if length
                else "it has no elements"
            )
        )
    if low >= 0:
        return indices
    wrapped = xp_of(value).where(value < 0, value + value.dtype.type(length), value)
    return (
        EagerTensor(wrapped, indices.device)
        if tracer() is None
        else constant(wrapped)
    )


def gather(
    x: TensorLike, indices: TensorLike, axis: int | None = None, batch_dims: int = 0
) -> Tensor:
    """Return the slices of `x` along `axis` at `indices`, any integer tensor (TensorFlow's gather).

    The first `batch_dims` axes of both go together; `axis` is the next if not given. Indices count
    from the front; PlaceError when one is not there. The gradient along axis 0 is sparse:
    IndexedSlices.

    >>> print(tl.gather([[1, 2], [3, 4], [5, 6]], [2, 0]))
    [[5 6]
     [1 2]]
    """
    axis = batch_dims if axis is None else whole(axis, "gather: axis")
    read = getattr(x, "sparse_read", None)
    if read is not None and axis == 0 and batch_dims == 0:
        # A variable, of which only these rows need be read.
        rows: Tensor = read(indices)
        return rows
    params = to_tensor(x)
    if params.spec.rank is not None:
        axis = normalise_axis(axis, len(params.shape))
    return call(
        GatherV2(batch_dims), params, indices, constant(np.asarray(axis, np.int32))
    )


def take(x: TensorLike, indices: TensorLike, /, *, axis: int | None = None) -> Tensor:
    """Return the elements of `x` along `axis` at `indices`; negative ones count from the end.

    `axis` may be left out for 1-d tensors. Raises PlaceError for an index that is not there.

    >>> print(tl.take([1.0, 2.0, 3.0], [-1, 0]))
    [3. 1.]
    """
    tensor = to_tensor(x)
    if axis is None and len(tensor.shape) != 1:
        raise InvalidArgumentError(
            f"take from {tensor.spec} needs axis=; only 1-d tensors do not"
        )
    at = normalise_axis(axis or 0, len(tensor.shape))
    return gather(tensor, from_front(_indices(indices), tensor, at, "take"), at)


def _indices(indices: TensorLike) -> Tensor:
    if isinstance(indices, (list, tuple)) and len(indices) == 0:
        return constant(np.zeros(0, np.int32))
    tensor = to_tensor(indices)
    integers("take", tensor.spec)
    return tensor


def take_along_axis(
    x: TensorLike, indices: TensorLike, /, *, axis: int = -1
) -> Tensor:
    """Return the elements of `x` whose places along `axis` are those in `indices`.

    Both have one rank and their other axes broadcast.

    >>> print(tl.take_along_axis([[3, 1], [2, 5]], [[1], [0]], axis=1))
    [[1]
     [2]]
    """
    tensor, places = to_tensor(x), _indices(indices)
    if len(tensor.shape) != len(places.shape):
        raise ShapeError(
            f"take_along_axis: ranks differ: {tensor.spec} and {places.spec}"
        )
    at = normalise_axis(axis, len(tensor.shape))
    places = from_front(places, tensor, at, "take_along_axis")
    rows, columns = moveaxis(tensor, at, -1), moveaxis(places, at, -1)
    pairs = list(zip(sizes(rows)[:-1], sizes(columns)[:-1], strict=True))
    batch = [
        there if isinstance(here, int) and here == 1 else here
        for here, there in pairs
    ]
    rows = _stretched(rows, [*batch, sizes(rows)[-1]])
    columns = _stretched(columns, [*batch, sizes(columns)[-1]])
    return moveaxis(
        gather(rows, columns, axis=len(batch), batch_dims=len(batch)), -1, at
    )


def _stretched(x: Tensor, shape: list[Any]) -> Tensor:
    known = all(isinstance(n, int) for n in shape)
    return x if known and x.shape == tuple(shape) else broadcast_to(x, shape)


def gather_nd(x: TensorLike, indices: TensorLike, batch_dims: int = 0) -> Tensor:
    """Return the parts of `x` at coordinates: each row of `indices` is one (TensorFlow's GatherNd).

    A row shorter than the rank selects a slice. The first `batch_dims` axes of both go together.
    Raises PlaceError for what is not there.

    >>> print(tl.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]))
    [2 3]
    """
    if batch_dims == 0:
        return call(GatherNd(), x, indices)
    places = to_tensor(indices)
    if places.spec.rank is None:
        raise ShapeError(
            "gather_nd: with batch_dims, the rank of indices is to be known"
        )
    return call(GatherNd(), x, concat([*_grids(places, batch_dims), places], axis=-1))


def _grids(places: Tensor, count: int) -> list[Tensor]:
    """Return, for each of the first axes of coordinates, where along it each row of them stands."""
    rows = [*sizes(places)[:-1], 1]
    grids = []
    for axis in range(count):
        numbers = reshape(
            call(Range(), 0, rows[axis], 1), [-1, *[1] * (len(rows) - axis - 1)]
        )
        grids.append(broadcast_to(astype(numbers, places.dtype), rows))
    return grids


def scatter_nd(indices: TensorLike, updates: TensorLike, shape: TensorLike) -> Tensor:
    """Return zeros of `shape` with `updates` added at coordinates (TensorFlow's ScatterNd).

    >>> print(tl.scatter_nd([[1], [3], [1]], [5, 6, 7], (4,)))
    [ 0 12  0  6]
    """
    return call(ScatterNd(), indices, updates, _whole(shape))


def put_along_last(places: Tensor, updates: Tensor, shape: TensorLike) -> Tensor:
    """Return zeros of `shape` with updates added at places along the last axis, row by row."""
    last = reshape(places, [*sizes(places), 1])
    grids = _grids(last, len(places.shape) - 1)
    return scatter_nd(concat([*grids, last], axis=-1), updates, shape)


def _whole(shape: TensorLike | Sequence[Any]) -> Tensor:
    if isinstance(shape, (tuple, list)) and all(isinstance(n, int) for n in shape):
        return as_shape(tuple(map(int, shape)))
    return to_tensor(shape)


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    """Return sums of the slices of `data` that have one segment number, in any order.

    `segment_ids` is shaped as the first axes of `data`; slices with negative numbers are left out.

    >>> print(tl.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 3))
    [2. 4. 0.]
    """
    return call(UnsortedSegmentSum(), data, segment_ids, num_segments)
