"""Sparse tensors: `tf.sparse`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.picking import sparse_bincount as bincount
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    fill_empty_rows,
    maximum,
    minimum,
    reorder,
    slice,
    softmax,
    sparse_dense_matmul,
    sparse_dense_matmul as matmul,
    to_dense,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import (
    expand_dims,
    eye,
    from_dense,
    mask,
    reset_shape,
    reshape,
    retain,
    to_indicator,
    transpose,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse_strings import (
    cross,
    cross_hashed,
)
from tensorlite.compat.v1.functions.arrays import (
    sparse_segment_mean as segment_mean,
    sparse_segment_sqrt_n as segment_sqrt_n,
    sparse_segment_sum as segment_sum,
)
from tensorlite.compat.v1.functions.sparse_older import (
    sparse_add as add,
    sparse_concat as concat,
    sparse_merge as merge,
    sparse_placeholder as placeholder,
    sparse_reduce_max as reduce_max,
    sparse_reduce_max_sparse as reduce_max_sparse,
    sparse_reduce_sum as reduce_sum,
    sparse_reduce_sum_sparse as reduce_sum_sparse,
    sparse_split as split,
)
from tensorlite.compat.v1.training.accumulators import SparseConditionalAccumulator

__all__ = [
    "SparseConditionalAccumulator",
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "mask",
    "matmul",
    "maximum",
    "merge",
    "minimum",
    "placeholder",
    "reduce_max",
    "reduce_max_sparse",
    "reduce_sum",
    "reduce_sum_sparse",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
