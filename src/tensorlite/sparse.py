"""Sparse tensors: elements and their places. SparseTensor, and what can be done with it.

Sparse gradients are `tl.IndexedSlices`, rows of a variable, and need nothing from here.
"""

from __future__ import annotations

from tensorlite.ops.sparse.arrange import (
    sparse_concat as concat,
    sparse_expand_dims as expand_dims,
    sparse_eye as eye,
    sparse_fill_empty_rows as fill_empty_rows,
    sparse_maximum as maximum,
    sparse_minimum as minimum,
    sparse_reduce_max as reduce_max,
    sparse_reduce_sum as reduce_sum,
    sparse_reset_shape as reset_shape,
    sparse_reshape as reshape,
    sparse_retain as retain,
    sparse_slice as slice,
    sparse_split as split,
    sparse_transpose as transpose,
)
from tensorlite.ops.sparse.crossing import (
    sparse_cross as cross,
    sparse_cross_hashed as cross_hashed,
)
from tensorlite.ops.sparse.dense import (
    from_dense,
    map_values,
    sparse_add as add,
    sparse_dense_matmul,
    sparse_mask as mask,
    sparse_softmax as softmax,
    sparse_to_dense,
    to_dense,
    to_indicator,
)
from tensorlite.ops.sparse.tensor import SparseTensor, reorder

__all__ = [
    "SparseTensor",
    "add",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "sparse_to_dense",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]


def __dir__() -> list[str]:
    return __all__
