"""Embeddings of what sparse and ragged tensors name, as one vector for each of their rows.

Rows that may name nothing, or what is not there, have a function of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tensorlite.core import dtypes
from tensorlite.core.check import one_of
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.gather import gather, sizes
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.segment import segment_sum
from tensorlite.ops.arrays.sets import unique
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import greater, greater_equal, where
from tensorlite.ops.math.elementwise import sqrt, square
from tensorlite.ops.math.quotients import divide_no_nan
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.nn.embedding import Strategy, embedding_lookup
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.arrange import (
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_retain,
)
from tensorlite.ops.sparse.forms import (
    SparseSegmentMean,
    SparseSegmentSqrtN,
    SparseSegmentSum,
)
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["embedding_lookup_sparse", "safe_embedding_lookup_sparse"]

Combiner = Literal["mean", "sqrtn", "sum"]
_COMBINED: dict[str, Composite] = {
    "mean": SparseSegmentMean(),
    "sqrtn": SparseSegmentSqrtN(),
    "sum": SparseSegmentSum(),
}


def embedding_lookup_sparse(
    params: TensorLike | Sequence[TensorLike],
    sp_ids: SparseTensor | RaggedTensor,
    sp_weights: SparseTensor | RaggedTensor | None = None,
    combiner: Combiner = "mean",
    partition_strategy: Strategy = "mod",
    max_norm: float | None = None,
) -> Tensor:
    """Return for each row of `sp_ids` the rows of an embedding that it names, as one.

    `combiner` adds them ("sum"), divides by the weights' sum ("mean"), or by the root of the sum
    of their squares ("sqrtn"). A row that names none is 0, and there is none for rows behind the
    last that names any; `safe_embedding_lookup_sparse` has one for each.

    >>> ids = tl.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], (2, 2))
    >>> print(tl.nn.embedding_lookup_sparse([[1.0], [2.0], [3.0]], ids))
    [[2.]
     [2.]]
    """
    if combiner not in _COMBINED:
        raise InvalidArgumentError(
            f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}"
        )
    rows = _rows_of(sp_ids, "sp_ids")
    named, places = unique(sp_ids.values)
    found = embedding_lookup(params, named, partition_strategy)
    if max_norm is not None:
        found = _limited(found, max_norm)
    if sp_weights is None:
        made: Tensor = composed(_COMBINED[combiner], found, places, rows)
        return made
    _rows_of(sp_weights, "sp_weights")
    if isinstance(sp_ids, RaggedTensor) is not isinstance(sp_weights, RaggedTensor):
        raise DTypeError(
            f"sp_weights are a {type(sp_weights).__name__} and sp_ids a "
            f"{type(sp_ids).__name__}; both are sparse, or both ragged"
        )
    found = gather(found, places)
    weights = astype(sp_weights.values, found.dtype)
    inner = [1] * (found.ndim - 1)
    total = segment_sum(found * reshape(weights, [-1, *inner]), rows)
    if combiner == "sum":
        return total
    whole = segment_sum(weights if combiner == "mean" else square(weights), rows)
    divisor = whole if combiner == "mean" else sqrt(whole)
    return divide_no_nan(total, reshape(divisor, [-1, *inner]))


def _rows_of(x: SparseTensor | RaggedTensor, name: str) -> Tensor:
    """Return in which row each element is; DTypeError for what has no rows of its own."""
    if isinstance(x, RaggedTensor):
        return x.value_rowids()
    return _as_sparse(x, name).indices[:, 0]


def _limited(rows: Tensor, max_norm: float) -> Tensor:
    """Return rows, those longer than `max_norm` scaled down to it."""
    axes = tuple(range(1, rows.ndim))
    length = sqrt(sum_of(square(rows), axis=axes, keepdims=True))
    return rows * (max_norm / maximum(length, max_norm))


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
    sp_ids = _as_sparse(sp_ids, "sp_ids")
    if sp_weights is not None:
        sp_weights = _as_sparse(sp_weights, "sp_weights")
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


def _as_sparse(x: SparseTensor | RaggedTensor, name: str) -> SparseTensor:
    """Return rows of either kind as sparse ones; DTypeError for what has no rows of its own."""
    if isinstance(x, RaggedTensor):
        return x.to_sparse()
    allowed = "a SparseTensor or RaggedTensor"
    made: SparseTensor = one_of(x, SparseTensor, name, allowed)
    return made


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
