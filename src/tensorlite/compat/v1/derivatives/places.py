"""Gradients of what picks, pads and groups elements: each goes to the place it came from."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    identity,
    range,
    rank,
    reshape,
    shape,
    size,
    stack,
    zeros_like,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.picking import (
    dynamic_partition,
    dynamic_stitch,
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_update,
)
from tensorlite.compat.shared.reductions import reduce_prod, reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.broadcasting import of_shapes
from tensorlite.compat.v1.functions.arrays import gather
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int32, int64
from tensorlite.ops.arrays.repeat import MirrorPadGrad
from tensorlite.ops.arrays.slicing import StridedSliceGrad


@gradient_of("StridedSlice", of_complex=True)
def _strided_slice(op: Any, dy: Any) -> Any:
    x, *entries = op.inputs
    sizes = shape(x, entries[0].dtype)
    masks = op.node.op.masks()
    return operator(StridedSliceGrad(*masks), sizes, *entries, dy)


@gradient_of("Slice", of_complex=True)
def _slice(op: Any, dy: Any) -> Any:
    x, begin, _ = op.inputs
    axes, cut = rank(x), shape(op.outputs[0])
    column = stack([axes, 1])
    before = reshape(begin, column)
    after = reshape(shape(x) - cut - begin, column)
    return pad(dy, concat([before, after], 1))


@gradient_of("Pad", "PadV2", of_complex=True)
def _pad(op: Any, dy: Any) -> Any:
    x, sizes = op.inputs[:2]
    before = slice(sizes, [0, 0], stack([rank(x), 1]))
    return slice(dy, reshape(before, [-1]), shape(x))


@gradient_of("MirrorPad", of_complex=True)
def _mirror_pad(op: Any, dy: Any) -> Any:
    return operator(MirrorPadGrad(op.node.op.mode), dy, op.inputs[1])


@gradient_of("BroadcastTo", of_complex=True)
def _broadcast_to(op: Any, dy: Any) -> Any:
    x, wanted = op.inputs
    own = shape(x)
    _, (_, over) = of_shapes(wanted, own)
    return reshape(reduce_sum(dy, over), own)


@gradient_of("TopKV2")
def _top(op: Any, dy: Any, _: Any) -> Any:
    x, places = op.inputs[0], op.outputs[1]
    sizes = shape(x)
    picked = reshape(places, stack([-1, _last(shape(places))]))
    width = _last(sizes)
    rows = cast(shape(picked)[0], int64)
    begins = range(0, rows * width, width)
    flat = reshape(picked + cast(expand_dims(begins, -1), int32), [-1])
    spread = scatter_nd(
        expand_dims(flat, -1), reshape(dy, [-1]), [reduce_prod(sizes)]
    )
    return reshape(spread, sizes), constant(0, int32, name="zeros")


def _last(sizes: Any) -> Any:
    wide = cast(sizes, int64)
    return gather(wide, size(wide) - 1)


@gradient_of("DynamicPartition")
def _dynamic_partition(op: Any, *dys: Any) -> Any:
    x, groups = op.inputs
    sizes = shape(groups)
    numbers = reshape(range(reduce_prod(sizes)), sizes)
    parts = dynamic_partition(numbers, groups, len(dys))
    return reshape(dynamic_stitch(parts, list(dys)), shape(x))


@gradient_of("TensorScatterUpdate")
def _scatter_update(op: Any, dy: Any) -> Any:
    _, places, updates = op.inputs
    flow = gather_nd(dy, places)
    none = zeros_like(updates, dy.dtype)
    return tensor_scatter_nd_update(identity(dy), places, none), None, flow


@gradient_of("TensorScatterAdd")
def _scatter_add(op: Any, dy: Any) -> Any:
    flow = gather_nd(dy, op.inputs[1])
    return identity(dy), None, flow


@gradient_of("TensorScatterSub")
def _scatter_sub(op: Any, dy: Any) -> Any:
    flow = gather_nd(dy, op.inputs[1])
    return identity(dy), None, -flow


@gradient_of("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(op: Any, dy: Any) -> Any:
    count = len(op.inputs) // 2
    flows = [gather(dy, places) for places in op.inputs[:count]]
    return [*[None] * count, *flows]
