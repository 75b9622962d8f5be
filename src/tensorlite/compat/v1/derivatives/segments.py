"""Gradients of reductions of segments: what flows in goes to the rows that it is made of."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    fill,
    rank,
    shape,
    zeros_like,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    equal,
    greater,
    greater_equal,
    logical_and,
    maximum,
)
from tensorlite.compat.shared.picking import (
    select_rows,
)
from tensorlite.compat.shared.segments import (
    segment_sum,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.functions.arrays import gather, ones_like
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int32
from tensorlite.ops.sparse.forms import (
    SparseSegmentMeanGrad,
    SparseSegmentSqrtNGrad,
)


@gradient_of("SegmentSum")
def _segment_sum(op: Any, dy: Any) -> Any:
    return gather(dy, op.inputs[1])


@gradient_of("SegmentMean")
def _segment_mean(op: Any, dy: Any) -> Any:
    x, groups = op.inputs
    axes = rank(x)
    sizes = concat([shape(groups), fill(expand_dims(axes - 1, 0), 1)], 0)
    each = segment_sum(fill(sizes, constant(1, dy.dtype)), groups)
    return gather(dy / each, groups)


@gradient_of("SegmentMax", "SegmentMin")
def _segment_extreme(op: Any, dy: Any) -> Any:
    x, groups = op.inputs
    none = zeros_like(x, x.dtype)
    are_chosen = equal(x, gather(op.outputs[0], groups))
    count = segment_sum(cast(are_chosen, dy.dtype), groups)
    return select_rows(are_chosen, gather(dy / count, groups), none)


@gradient_of("SparseSegmentSum", "SparseSegmentSumWithNumSegments")
def _picked_sum(op: Any, dy: Any) -> Any:
    x, places, groups = op.inputs[:3]
    count = shape(x)[0]
    return unsorted_segment_sum(gather(dy, groups), places, count)


@gradient_of("SparseSegmentMean", "SparseSegmentMeanWithNumSegments")
def _picked_mean(op: Any, dy: Any) -> Any:
    count = shape(op.inputs[0])[0]
    return operator(SparseSegmentMeanGrad(), dy, *op.inputs[1:3], count)


@gradient_of("SparseSegmentSqrtN", "SparseSegmentSqrtNWithNumSegments")
def _picked_root(op: Any, dy: Any) -> Any:
    count = shape(op.inputs[0])[0]
    return operator(SparseSegmentSqrtNGrad(), dy, *op.inputs[1:3], count)


@gradient_of("UnsortedSegmentSum")
def _unsorted_sum(op: Any, dy: Any) -> Any:
    return NotImplemented if _is_unknown(op) else _Rows(op)(dy)


@gradient_of("UnsortedSegmentMax", "UnsortedSegmentMin")
def _unsorted_extreme(op: Any, dy: Any) -> Any:
    if _is_unknown(op):
        return NotImplemented
    x, groups, count = op.inputs
    rows = _Rows(op)
    are_chosen = logical_and(equal(x, rows(op.outputs[0])), rows.are_some)
    often = unsorted_segment_sum(cast(are_chosen, dy.dtype), groups, count)
    flow = rows(dy / often)
    return select_rows(are_chosen, flow, zeros_like(flow, None))


@gradient_of("UnsortedSegmentProd")
def _unsorted_product(op: Any, dy: Any) -> Any:
    """Divide the product by the factor; where that is zero, take the product of the others."""
    if _is_unknown(op):
        return NotImplemented
    x, groups, count = op.inputs
    is_zero = equal(x, 0)
    zeros = unsorted_segment_sum(cast(is_zero, int32), groups, count)
    dy = select_rows(greater(zeros, 1), zeros_like(dy, None), dy)
    others = select_rows(is_zero, ones_like(x), x)
    product = unsorted_segment_prod(others, groups, count)
    rows = _Rows(op)
    whole = gather(op.outputs[0], rows.places)
    of_others = gather(product, rows.places)
    slope = select_rows(is_zero, of_others, whole / x)
    return rows(dy) * slope


def _is_unknown(op: Any) -> bool:
    """Return whether it is not known how many axes there are."""
    return None in (op.inputs[0].spec.rank, op.inputs[1].spec.rank)


class _Rows:
    """The rows of segments that the operands of a reduction went to: zeros for those left out."""

    def __init__(self, op: Any) -> None:
        self.groups = op.inputs[1]
        self.places = maximum(self.groups, zeros_like(self.groups, None))
        self.are_some: Any = None
        """Which elements went to a segment, once that was asked."""

    def __call__(self, segments: Any) -> Any:
        """Return the row of its segment for each operand."""
        rows = gather(segments, self.places)
        if self.are_some is None:
            are_some = greater_equal(self.groups, 0)
            for _ in range(rows.shape.ndims - are_some.shape.ndims):
                are_some = expand_dims(are_some, -1)
            whole = ones_like(rows, dtype="bool")
            self.are_some = logical_and(are_some, whole, name="and")
        return select_rows(self.are_some, rows, zeros_like(rows, None))
