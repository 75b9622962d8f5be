"""Gradients of functions of sparse tensors, of which the elements flow."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    identity,
    ones,
    range,
    reshape,
    shape,
    size,
    transpose,
    zeros_like,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.picking import gather_nd, invert_permutation
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.reductions import kept_axes
from tensorlite.compat.v1.functions.arrays import gather
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int32, int64
from tensorlite.ops.sparse.flows import SparseAddGrad, SparseSliceGrad
from tensorlite.ops.sparse.forms import (
    SparseDenseCwiseAdd,
    SparseReduceSum,
    SparseReorder,
    SparseTensorDenseAdd,
    SparseTensorDenseMatMul,
)


@gradient_of("SparseTensorDenseMatMul")
def _product(op: Any, dy: Any) -> Any:
    own, (places, values, sizes, dense) = op.node.op, op.inputs
    turned = SparseTensorDenseMatMul(adjoint_a=not own.adjoint_a)
    flow = operator(turned, places, values, sizes, dy)
    rows, columns = places[:, 0], places[:, 1]
    if own.adjoint_a:
        rows, columns = columns, rows
    beside = gather(dy, rows)
    others = gather(transpose(dense) if own.adjoint_b else dense, columns)
    along = reduce_sum(beside * others, 1)
    return None, along, None, transpose(flow) if own.adjoint_b else flow


@gradient_of("SparseToDense")
def _dense(op: Any, dy: Any) -> Any:
    flow = gather_nd(dy, op.inputs[0])
    whole = reduce_sum(dy)
    rest = whole - reduce_sum(flow)
    for x in op.inputs[:2]:
        zeros_like(x, None)  # TensorFlow's gradient of whole numbers
    return None, None, flow, rest


@gradient_of("SparseSoftmax")
def _softmax(op: Any, dy: Any) -> Any:
    (places, _, sizes), y = op.inputs, op.outputs[0]
    last = constant([-1], int32, name="SparseReduceSum/reduction_axes")
    sums = operator(SparseReduceSum(keep_dims=True), places, y * dy, sizes, last)
    away = operator(SparseDenseCwiseAdd(), places, dy, sizes, -sums)
    return None, away * y


@gradient_of("SparseReduceSum")
def _reduced(op: Any, dy: Any) -> Any:
    places, _, sizes, axes = op.inputs
    kept = kept_axes(sizes, axes)
    flow = reshape(dy, kept)
    return None, gather_nd(flow, places // (sizes // cast(kept, int64))), None, None


@gradient_of("SparseReorder")
def _reordered(op: Any, _: Any, dy: Any) -> Any:
    places, _, sizes = op.inputs
    numbers = range(shape(places)[0])
    moved = operator(SparseReorder(), places, numbers, sizes)
    identity(sizes)  # TensorFlow has the whole sparse tensor in order
    return None, gather(dy, invert_permutation(moved[1]))


@gradient_of("SparseAdd")
def _added(op: Any, _: Any, dy: Any, __: Any) -> Any:
    first, second, sums = op.inputs[0], op.inputs[3], op.outputs[0]
    dx, dy = operator(SparseAddGrad(), dy, first, second, sums)
    return None, dx, None, None, dy


@gradient_of("SparseSlice")
def _part(op: Any, _: Any, dy: Any, __: Any) -> Any:
    (places, _, _, start, _), kept = op.inputs, op.outputs[0]
    return None, operator(SparseSliceGrad(), dy, places, start, kept)


@gradient_of("SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def _elementwise(op: Any, flow: Any) -> Any:
    places, x, sizes, y = op.inputs
    own = cast(shape(y), int64)
    added = expand_dims(size(sizes) - size(own), 0)
    widened = concat([ones(added, int64), own], 0)
    at = slice(places // (sizes // widened), concat([[0], added], 0), [-1, -1])
    beside = gather_nd(y, at)
    if op.type == "SparseDenseCwiseMul":
        dx, along = flow * beside, flow * x
    else:
        dx, along = flow / beside, flow * (-x / beside**2)
    zeros = zeros_like(y, None)
    return None, dx, None, operator(SparseTensorDenseAdd(), at, along, own, zeros)
