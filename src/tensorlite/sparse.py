"""Sparse tensors: elements and their places. SparseTensor, and what can be done with it.

Sparse gradients are `tl.IndexedSlices`, rows of a variable, and need nothing from here.
"""

from __future__ import annotations

from tensorlite.ops.sparse_arrange import sparse_concat as concat
from tensorlite.ops.sparse_arrange import sparse_expand_dims as expand_dims
from tensorlite.ops.sparse_arrange import sparse_eye as eye
from tensorlite.ops.sparse_arrange import sparse_fill_empty_rows as fill_empty_rows
from tensorlite.ops.sparse_arrange import sparse_maximum as maximum
from tensorlite.ops.sparse_arrange import sparse_minimum as minimum
from tensorlite.ops.sparse_arrange import sparse_reduce_max as reduce_max
from tensorlite.ops.sparse_arrange import sparse_reduce_sum as reduce_sum
from tensorlite.ops.sparse_arrange import sparse_reset_shape as reset_shape
from tensorlite.ops.sparse_arrange import sparse_reshape as reshape
from tensorlite.ops.sparse_arrange import sparse_retain as retain
from tensorlite.ops.sparse_arrange import sparse_slice as slice
from tensorlite.ops.sparse_arrange import sparse_split as split
from tensorlite.ops.sparse_arrange import sparse_transpose as transpose
from tensorlite.ops.sparse_dense import (
    from_dense,
    map_values,
    sparse_dense_matmul,
    sparse_to_dense,
    to_dense,
    to_indicator,
)
from tensorlite.ops.sparse_dense import sparse_add as add
from tensorlite.ops.sparse_dense import sparse_mask as mask
from tensorlite.ops.sparse_dense import sparse_softmax as softmax
from tensorlite.ops.sparse_tensor import SparseTensor, reorder

__all__ = [
    "SparseTensor",
    "add",
    "concat",
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
