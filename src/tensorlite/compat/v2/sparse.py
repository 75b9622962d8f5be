"""Sparse tensors: `tf.sparse`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.picking import (
    sparse_bincount as bincount,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    add,
    concat,
    fill_empty_rows,
    map_values,
    maximum,
    minimum,
    reorder,
    slice,
    softmax,
    sparse_dense_matmul,
    split,
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
from tensorlite.compat.shared.ragged_and_sparse.sparse_reductions import (
    reduce_max,
    reduce_sum,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse_strings import (
    cross,
    cross_hashed,
)
from tensorlite.compat.shared.segments import (
    sparse_segment_mean as segment_mean,
    sparse_segment_sqrt_n as segment_sqrt_n,
    sparse_segment_sum as segment_sum,
)

__all__ = [
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
