"""Gradients of what arranges elements: they are put back where they came from."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import given_constant
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    range,
    rank,
    reshape,
    shape,
    size,
    split,
    squeeze,
    stack,
    transpose,
    unstack,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import cast, floormod
from tensorlite.compat.shared.picking import invert_permutation, scatter_nd
from tensorlite.compat.shared.reductions import reduce_prod, reduce_sum
from tensorlite.compat.shared.segments import unsorted_segment_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.broadcasting import sizes_of
from tensorlite.compat.v1.derivatives.joined import of_rows
from tensorlite.compat.v1.derivatives.slices import Flow
from tensorlite.compat.v1.functions.gathering import behind_another
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.op import Role
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.join import ConcatOffset
from tensorlite.ops.math.flows import ShapeN
from tensorlite.ops.state.resource import VariableShape

_MOST = 16
"""How many parts TensorFlow slices one by one."""


def shapes(*xs: Any) -> Any:
    """Return the shapes of tensors, by one node once one is found that is not known."""
    found = []
    for x in xs:
        found.append(shape(x))
        if sizes_of(x) is None:
            return operator(ShapeN(), *xs)
    return found


@gradient_of("Reshape", "ExpandDims", "Squeeze", of_complex=True)
def _reshape(op: Any, dy: Any) -> Any:
    return reshape(dy, shape(op.inputs[0]))


@gradient_of("Transpose", of_complex=True)
def _transpose(op: Any, dy: Any) -> Any:
    return transpose(dy, invert_permutation(op.inputs[1]))


@gradient_of("Pack", of_complex=True)
def _pack(op: Any, dy: Any) -> Any:
    return unstack(dy, len(op.inputs), op.node.op.axis)


@gradient_of("Unpack", of_complex=True)
def _unpack(op: Any, *dys: Any) -> Any:
    return stack(list(dys), op.node.op.axis)


@gradient_of("Split", of_complex=True)
def _split(op: Any, *dys: Any) -> Any:
    return None, concat(list(dys), op.inputs[0])


@gradient_of("SplitV", of_complex=True)
def _split_unevenly(op: Any, *dys: Any) -> Any:
    return concat(list(dys), op.inputs[2])


@gradient_of("IdentityN", of_complex=True)
def _identities(op: Any, *dys: Any) -> Any:
    return list(dys)


@gradient_of("Tile", of_complex=True)
def _tile(op: Any, dy: Any) -> Any:
    x, multiples = op.inputs
    sizes = shape(x, multiples.dtype)
    apart = reshape(transpose(stack([multiples, sizes])), [-1])
    repeated = range(0, size(apart), 2)
    if isinstance(dy, Flow):
        dy = _of_copies(dy, sizes[0])
        apart = concat([[1], apart[1:]], 0)
    return reduce_sum(reshape(dy, apart), repeated)


def _of_copies(flow: Flow, count: Any) -> Any:
    """Return what flows to so many rows that were repeated, of which some had a share."""
    values, rows = shown([flow.slices.values, flow.slices.indices])
    number = count if rows.dtype is count.dtype else cast(count, rows.dtype)
    return unsorted_segment_sum(values, floormod(rows, number), number)


@gradient_of("GatherNd")
def _gather_nd(op: Any, dy: Any) -> Any:
    x, indices = op.inputs
    sizes = shape(x, indices.dtype)
    if indices.spec.rank == 2 and indices.spec.shape[-1] == 1:
        return IndexedSlices(dy, squeeze(indices, -1), sizes)
    return scatter_nd(indices, dy, sizes)


@gradient_of("ConcatV2", of_complex=True)
def _concat(op: Any, dy: Any) -> Any:
    *xs, axis = op.inputs
    if isinstance(dy, Flow):
        return of_rows(dy, xs, axis)
    if len(xs) == 1:
        return dy
    place = _beside(axis, dy) % rank(xs[0])
    sizes = shapes(*xs)
    if len(xs) > _MOST:
        of_axis = slice(stack(sizes, 1), [place, 0], [1, -1])
        return split(dy, squeeze(of_axis), place, len(xs))
    begins = operator(ConcatOffset(len(xs)), place, *sizes)
    return [slice(dy, begin, n) for begin, n in zip(begins, sizes, strict=True)]


def _beside(x: Any, dy: Any) -> Any:
    """Return a constant, made anew where a gradient is in another branch or loop."""
    graph, own = active_graph(), plain(x)
    place = None if graph is None else graph.place
    if (
        place is None
        or own.node.op.name != "Const"
        or place.are_beside(own, plain(dy))
    ):
        return x
    return given_constant(x.spec.known, own.dtype)


@gradient_of("GatherV2")
def _gather(op: Any, dy: Any) -> Any:
    """Write that of slices; TensorFlow's of stacks along an axis further behind is wrong."""
    x, indices, axis = op.inputs
    if axis.spec.scalar() == 0:
        return _rows(cast(shape(x, int64), int32), indices, dy)
    batched = op.node.op.batch_dims
    place = axis.spec.scalar()
    if None in (x.spec.rank, indices.spec.rank, place):
        return NotImplemented
    if batched and place not in {batched, batched - x.spec.rank}:
        return NotImplemented
    whole = cast(shape(x, int64), int32)
    expand_dims(size(indices), 0)  # which only the first axis has use for
    outer, inner = whole[:axis], whole[axis:][1:]
    sizes = concat([outer, [-1], inner], 0)
    count, before = size(sizes), size(outer)
    batch, front = range(batched), range(batched, before)
    behind = range(before + 1, count)
    flow = reshape(dy, sizes)
    order = concat([batch, [before], front, behind], 0)
    flow = transpose(flow, order)
    total = _put_back(flow, indices, whole, axis, batched)
    return transpose(total, concat([batch, front + 1, [batched], behind], 0))


def _put_back(flow: Any, indices: Any, whole: Any, axis: Any, batched: int) -> Any:
    """Return the sums of what flows to each place, of stacks as rows of one behind another."""
    places = whole[axis]
    count = expand_dims(size(indices), 0)
    if not batched:
        return unsorted_segment_sum(flow, reshape(indices, count), places)
    sizes = shape(flow)
    outer, inner = sizes[:batched], sizes[batched:][1:]
    number = reduce_prod(outer, [0])
    rows = concat([[-1], inner], 0)
    places *= number
    indices = behind_another(whole, indices, batched)
    flat = reshape(flow, rows)
    total = unsorted_segment_sum(flat, reshape(indices, count), places)
    return reshape(total, concat([outer, rows], 0))


@gradient_of("ResourceGather")
def _gather_variable(op: Any, dy: Any) -> Any:
    handle, indices = op.inputs
    if plain(handle).node.op.role in (Role.ENTER, Role.SWITCH):
        return _rows(operator(VariableShape(int32), handle), indices, dy)
    dims = handle.spec.inner[0].shape
    if dims is None or None in dims:
        return NotImplemented
    return _rows(constant(list(dims), int32), indices, dy)


def _rows(whole: Any, indices: Any, dy: Any) -> IndexedSlices:
    """Return the gradient of rows at some indices, as those rows of a tensor of some sizes."""
    count = expand_dims(size(indices), 0)
    values = reshape(dy, concat([count, whole[1:]], 0))
    return IndexedSlices(values, reshape(indices, count), whole)
