"""Functions of sparse tensors with the arguments of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import explained
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.ragged_and_sparse import (
    sparse,
    sparse_arranged,
    sparse_reductions,
)
from tensorlite.compat.v1.graphs.framework import constant, placeholder
from tensorlite.compat.v1.renamed import renamed
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import int64
from tensorlite.core.operand import Operand
from tensorlite.ops.composite import composed
from tensorlite.ops.older_forms import SparseMatMul
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse

__all__ = [
    "sparse_add",
    "sparse_concat",
    "sparse_fill_empty_rows",
    "sparse_mask",
    "sparse_matmul",
    "sparse_maximum",
    "sparse_merge",
    "sparse_minimum",
    "sparse_placeholder",
    "sparse_reduce_max",
    "sparse_reduce_max_sparse",
    "sparse_reduce_sum",
    "sparse_reduce_sum_sparse",
    "sparse_reorder",
    "sparse_reset_shape",
    "sparse_reshape",
    "sparse_retain",
    "sparse_slice",
    "sparse_softmax",
    "sparse_split",
    "sparse_tensor_dense_matmul",
    "sparse_tensor_to_dense",
    "sparse_to_indicator",
    "sparse_transpose",
]


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a SparseTensor that is to be fed, by a SparseTensorValue or three arrays."""
    dense, rank = _dense_shape(shape, name)
    values = placeholder(dtype, [None], _below(name, "values"))
    indices = placeholder(int64, [None, rank], _below(name, "indices"))
    return sparse.SparseTensor(indices, values, dense)


def _below(name: str | None, part: str) -> str | None:
    return None if name is None else f"{name}/{part}"


def _dense_shape(shape: Any, name: str | None) -> tuple[Any, int | None]:
    """Return the tensor of a shape, and the rank as far as that is known."""
    if isinstance(shape, Operand):
        return shape, shape.__tensor__().spec.dims[0]
    sizes = None if shape is None else plain(TensorShape(shape))
    rank = None if sizes is None else len(sizes)
    if sizes is None or None in sizes:
        return placeholder(int64, [rank], _below(name, "shape")), rank
    return constant(np.array(sizes, np.int64), name=_below(name, "shape")), rank


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Return the sum of two tensors, at least one of them sparse.

    Sums of two sparse ones that are smaller than threshold are left out. thresh is its older name.
    """
    limit = renamed("threshold", threshold, "thresh", thresh)
    return sparse.add(a, b, 0 if limit is None else limit)


def sparse_concat(
    axis: int,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> Any:
    """Return sparse tensors joined along an axis.

    Other sizes must agree unless expand_nonconcat_dim(s), which takes the largest. concat_dim is
    the older name of axis.
    """
    expand = (
        expand_nonconcat_dim
        if expand_nonconcat_dims is None
        else expand_nonconcat_dims
    )
    along = axis if concat_dim is None else concat_dim
    return sparse.concat(along, sp_inputs, expand, name)


def sparse_split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> Any:
    """Return a list of num_split parts of a sparse tensor along an axis.

    The first ones are longer by 1 where it does not come out even. split_dim is the older name of
    axis.
    """
    return sparse.split(
        sp_input, num_split, renamed("axis", axis, "split_dim", split_dim), name
    )


def _reduced(
    name: str, function: Callable[..., Any], is_sparse: bool
) -> Callable[..., Any]:
    def made(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        reduction_axes: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axes = renamed("axis", axis, "reduction_axes", reduction_axes)
        kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        return function(sp_input, axes, kept, is_sparse)

    what = "sums" if "sum" in name else "maxima"
    form = "sparse" if is_sparse else "dense"
    help_text = f"""Return {what} of a sparse tensor's elements along axes, a {form} tensor.

    They are over all axes if axis is None; reduction_axes and keep_dims are older names.
    """
    return explained(made, name, help_text)


sparse_reduce_sum = _reduced("sparse_reduce_sum", sparse_reductions.reduce_sum, False)
sparse_reduce_max = _reduced("sparse_reduce_max", sparse_reductions.reduce_max, False)
sparse_reduce_sum_sparse = _reduced(
    "sparse_reduce_sum_sparse", sparse_reductions.reduce_sum, True
)
sparse_reduce_max_sparse = _reduced(
    "sparse_reduce_max_sparse", sparse_reductions.reduce_max, True
)


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of two matrices, either of which may be transposed.

    a_is_sparse and b_is_sparse say of which it is known that it has many zeros.
    """
    return _sparse_product(
        a, b, transpose_a, transpose_b, a_is_sparse, b_is_sparse, name=name
    )


@named("SparseMatMul")
def _sparse_product(
    a: Any,
    b: Any,
    transpose_a: bool,
    transpose_b: bool,
    a_is_sparse: bool,
    b_is_sparse: bool,
    name: str | None = None,
) -> Any:
    op = SparseMatMul(transpose_a, transpose_b, a_is_sparse, b_is_sparse)
    return composed(op, converted(a, None, "a"), converted(b, None, "b"))


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> Any:
    """Return a sparse tensor whose last indices are ids, and whose values are sp_values.

    Several sp_ids give several last axes. vocab_size are these axes' sizes.
    """
    many = isinstance(sp_ids, (list, tuple)) and not isinstance(sp_ids, PlainSparse)
    ids = list(sp_ids) if many else [sp_ids]
    sizes = (
        list(vocab_size) if isinstance(vocab_size, (list, tuple)) else [vocab_size]
    )
    merged = sparse_arranged.merged
    return merged(ids, sp_values, sizes, already_sorted, name=name)


sparse_fill_empty_rows = sparse.fill_empty_rows
sparse_mask = sparse_arranged.mask
sparse_maximum = sparse.maximum
sparse_minimum = sparse.minimum
sparse_reorder = sparse.reorder
sparse_reset_shape = sparse_arranged.reset_shape
sparse_reshape = sparse_arranged.reshape
sparse_retain = sparse_arranged.retain
sparse_slice = sparse.slice
sparse_softmax = sparse.softmax
sparse_tensor_dense_matmul = sparse.sparse_dense_matmul
sparse_tensor_to_dense = sparse.to_dense
sparse_to_indicator = sparse_arranged.to_indicator
sparse_transpose = sparse_arranged.transpose
