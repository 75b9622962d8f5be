"""Ragged tensors: rows of different lengths. RaggedTensor, and what can be done with it.

What works element by element, operators and functions such as `tl.exp`, takes them as they are.
"""

from __future__ import annotations

from tensorlite.ops.ragged.arrange import (
    boolean_mask,
    concat,
    expand_dims,
    gather,
    map_flat_values,
    range_rows as range,
    reverse,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    squeeze,
    stack,
    stack_dynamic_partitions,
    tile,
    where_rows as where,
)
from tensorlite.ops.ragged.broadcasting import broadcast_to
from tensorlite.ops.ragged.constants import constant, constant_value
from tensorlite.ops.ragged.crossing import cross, cross_hashed
from tensorlite.ops.ragged.dynamic_shape import DynamicRaggedShape
from tensorlite.ops.ragged.partition import RowPartition
from tensorlite.ops.ragged.products import ragged_matmul as matmul
from tensorlite.ops.ragged.reduce import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reduce_variance,
    segment_rows,
)
from tensorlite.ops.ragged.tensor import RaggedTensor

__all__ = [
    "DynamicRaggedShape",
    "RaggedTensor",
    "RowPartition",
    "boolean_mask",
    "broadcast_to",
    "concat",
    "constant",
    "constant_value",
    "cross",
    "cross_hashed",
    "expand_dims",
    "gather",
    "map_flat_values",
    "matmul",
    "range",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reduce_variance",
    "reverse",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "segment_rows",
    "squeeze",
    "stack",
    "stack_dynamic_partitions",
    "tile",
    "where",
]


def __dir__() -> list[str]:
    return __all__
