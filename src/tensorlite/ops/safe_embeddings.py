"""Embeddings of rows that may name nothing, or what is not there."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core import dtypes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.compare import greater, greater_equal, where
from tensorlite.ops.create import zeros_like
from tensorlite.ops.embedding import Strategy
from tensorlite.ops.gather import sizes
from tensorlite.ops.join import concat
from tensorlite.ops.ragged_tensor import RaggedTensor
from tensorlite.ops.reduce import prod
from tensorlite.ops.shape import astype, reshape
from tensorlite.ops.sparse_arrange import (
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_retain,
)
from tensorlite.ops.sparse_dense import Combiner, embedding_lookup_sparse
from tensorlite.ops.sparse_tensor import SparseTensor
from tensorlite.ops.stack import stack

__all__ = ["safe_embedding_lookup_sparse"]


def safe_embedding_lookup_sparse(
    params: TensorLike | Sequence[TensorLike],
    sp_ids: SparseTensor | RaggedTensor,
    sp_weights: SparseTensor | RaggedTensor | None = None,
    combiner: Combiner = "mean",
    default_id: int | None = None,
    partition_strategy: Strategy = "div",
    max_norm: float | None = None,
) -> Tensor:
    """Return what rows' ids name in an embedding, as one vector for each row.

    The last axis of `sp_ids` is summed over. Ids below 0 do not count, nor do ids whose weight is
    not above 0, unless `combiner` is "sum". A row that names nothing is 0, or `default_id`'s.

    >>> ids = tl.sparse.SparseTensor([[0, 0], [1, 0]], [1, -1], (2, 1))
    >>> print(tl.nn.safe_embedding_lookup_sparse([[1.0], [2.0]], ids))
    [[2.]
     [0.]]
    """
    sp_ids = _sparse(sp_ids)
    sp_weights = None if sp_weights is None else _sparse(sp_weights)
    outer = sp_ids.dense_shape[:-1]
    matrix = stack([prod(outer), sp_ids.dense_shape[-1]])
    ids = sparse_reshape(sp_ids, matrix)
    weights = None if sp_weights is None else sparse_reshape(sp_weights, matrix)
    ids, weights = _counting(ids, weights, combiner)
    ids, empty = sparse_fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights, _ = sparse_fill_empty_rows(weights, 1.0)
    rows = embedding_lookup_sparse(
        params, ids, weights, combiner, partition_strategy, max_norm
    )
    if default_id is None:
        rows = where(reshape(empty, (-1, 1)), zeros_like(rows), rows)
    if sp_ids.rank == 2:
        return rows
    width = stack([astype(size, dtypes.int64) for size in sizes(rows)[1:]])
    return reshape(rows, concat([outer, width]))


def _sparse(x: SparseTensor | RaggedTensor) -> SparseTensor:
    return x.to_sparse() if isinstance(x, RaggedTensor) else x


def _counting(
    ids: SparseTensor, weights: SparseTensor | None, combiner: Combiner
) -> tuple[SparseTensor, SparseTensor | None]:
    """Return the ids that count, and their weights."""
    counts = greater_equal(ids.values, 0)
    if weights is None:
        return sparse_retain(ids, counts), None
    if combiner != "sum":
        counts = counts & greater(weights.values, 0)
    return sparse_retain(ids, counts), sparse_retain(weights, counts)
