"""Embeddings that sparse tensors name: in graphs they are written as TensorFlow 1 composes them.

What is computed at once, and what ragged tensors name, is worked out by ops/sparse/embeddings.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import arrays, cutting, elementwise, picking, segments
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    fill_empty_rows,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import reshape, retain
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.embeddings import embedding_lookup, shards_of
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, bfloat16, bool_, float16, float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect
from tensorlite.core.scope import scope
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.shape import Shape
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse import embeddings
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse

_JOINED = {
    "mean": segments.sparse_segment_mean,
    "sqrtn": segments.sparse_segment_sqrt_n,
    "sum": segments.sparse_segment_sum,
}
"""What joins the vectors that a row names, by the names of combiners."""


@named("embedding_lookup_sparse", None)
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: Any = "mod",
    name: str | None = None,
    combiner: Any = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return for each row of sp_ids its ids' vectors joined: [rows, width].

    combiner is "sum", "mean" (unless given) or "sqrtn", weighted by sp_weights, or alike if that is
    None. allow_fast_lookup has no effect.
    """
    how: Any = combiner or "mean"
    are_sparse = isinstance(sp_ids, PlainSparse) and (
        sp_weights is None or isinstance(sp_weights, PlainSparse)
    )
    if active_graph() is None or not are_sparse or how not in _JOINED:
        return _widened(
            embeddings.embedding_lookup_sparse(
                shards_of(params),
                sp_ids,
                sp_weights,
                how,
                partition_strategy,
                max_norm,
            )
        )
    rows = elementwise.cast(shown(sp_ids.indices)[:, 0], int32)
    ids, places = picking.unique(sp_ids.values)
    found = _widened(
        embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
    )
    here = f"{scope.get().name}/"
    if sp_weights is None:
        return _JOINED[how](found, places, rows, name=here)
    return _weighted(found, places, rows, sp_weights.values, how, here)


def _widened(found: Any) -> Any:
    """Return what is joined, and what joining gives: of 16 bits as float32."""
    is_short = found.dtype in (float16, bfloat16)
    return elementwise.cast(found, float32) if is_short else found


def _weighted(
    found: Any, places: Any, rows: Any, weights: Any, how: str, name: str
) -> Any:
    """Return rows' vectors joined, each of them times its weight."""
    weights = elementwise.cast(weights, found.dtype)
    vectors = v1_arrays.gather(found, places)
    rank = vectors.get_shape().ndims
    ones = arrays.fill(arrays.expand_dims(arrays.rank(vectors) - 1, 0), 1)
    sizes = arrays.concat([v1_arrays.shape(weights), ones], 0)
    known = weights.get_shape()
    weights = arrays.reshape(weights, sizes)
    if rank is not None:
        weights.set_shape(known.concatenate([1] * (rank - 1)))
    vectors = vectors * weights
    if how == "sum":
        return segments.segment_sum(vectors, rows, name=name)
    total = segments.segment_sum(vectors, rows)
    if how == "mean":
        return elementwise.div(total, segments.segment_sum(weights, rows), name=name)
    squares = segments.segment_sum(elementwise.pow(weights, 2), rows)
    return elementwise.div(total, elementwise.sqrt(squares), name=name)


@named("embedding_lookup", None)
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: Any = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: Any = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return for each row of sparse_ids its ids' vectors joined; zeros for empty rows.

    Ids below 0 are left out, and weights of 0 or less unless combiner is "sum"; empty rows get the
    vector of default_id if that is given. Weights of another dtype than the embeddings raise
    InvalidArgumentError.
    """
    parts = shards_of(embedding_weights)
    if sparse_weights is not None:
        _check_weights(sparse_weights, parts)
    given = parts, sparse_ids, sparse_weights, combiner, default_id
    are_sparse = isinstance(sparse_ids, PlainSparse) and (
        sparse_weights is None or isinstance(sparse_weights, PlainSparse)
    )
    if active_graph() is None or not are_sparse or combiner not in _JOINED:
        return embeddings.safe_embedding_lookup_sparse(
            *given, partition_strategy, max_norm
        )
    return _of_each_row(*given, partition_strategy, max_norm)


def _check_weights(weights: Any, parts: Any) -> None:
    one_of(weights, (PlainSparse, RaggedParts), "sparse_weights", "a SparseTensor")
    shards = parts if isinstance(parts, list) else [parts]
    wanted = converted(weights.values).dtype
    kinds = {as_dtype(getattr(x, "dtype", wanted)) for x in shards}
    if kinds != {wanted}:
        raise InvalidArgumentError(
            f"embedding_weights and sparse_weights are of one dtype, not {kinds} and {wanted}"
        )


def _of_each_row(
    parts: Any,
    sparse_ids: Any,
    sparse_weights: Any,
    combiner: str,
    default_id: int | None,
    strategy: Any,
    max_norm: float | None,
) -> Any:
    """Return a vector for each row, as `safe_embedding_lookup_sparse` says."""
    here = f"{scope.get().name}/"
    shape = shown(sparse_ids.dense_shape)
    rank = sparse_ids.rank
    count = arrays.size(shape) if rank is None else rank
    outer = numbers.reduce_prod(cutting.slice(shape, [0], [count - 1]))
    ids = reshape(sparse_ids, [outer, v1_arrays.gather(shape, count - 1)])
    weights = None
    if sparse_weights is not None:
        weights = SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
    ids, weights = _counting(ids, weights, combiner)
    ids, is_empty = fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    name = None if default_id is None else here
    rows = embedding_lookup_sparse(
        parts, ids, weights, strategy, name, combiner, max_norm
    )
    if default_id is None:
        width = arrays.stack([1, v1_arrays.shape(rows)[1]])
        is_empty = cutting.tile(arrays.reshape(is_empty, [-1, 1]), width)
        rows = v1_arrays.where(is_empty, v1_arrays.zeros_like(rows), rows, name=here)
    sizes = _sizes(rows, sparse_ids)
    return _with_outer_axes(rows, sizes, shape, count)


def _sizes(rows: Any, ids: Any) -> Any:
    """Return the sizes of vectors of rows, a constant where TensorFlow 1 knows them.

    It knows how many rows there are if it can work out the places of ids at once.
    """
    if _is_of_constants(plain(ids.indices).node):
        return v1_arrays.shape(rows)
    return in_graph(lambda: call(Shape(int32), plain(rows)), "Shape")


def _is_of_constants(node: Any) -> bool:
    """Return whether a node of a graph is computed from constants alone."""
    waiting, seen = [node], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        is_made = bool(one.inputs) or one.op.name == "Const"
        if not is_made or one.op.effect is not Effect.NONE:
            return False
        waiting += [x.node for x in one.inputs]
    return True


def _counting(ids: Any, weights: Any, combiner: str) -> tuple[Any, Any]:
    """Return ids that are not below 0, and weights; of those above 0 unless they are summed."""
    counts = elementwise.greater_equal(ids.values, 0)
    if weights is not None:
        every = v1_arrays.ones_like(weights.values, dtype=bool_)
        counts = elementwise.logical_and(counts, every)
    ids = retain(ids, counts)
    if weights is None:
        return ids, None
    weights = retain(weights, counts)
    if combiner != "sum":
        counts = elementwise.greater(weights.values, 0)
        ids, weights = retain(ids, counts), retain(weights, counts)
    return ids, weights


def _with_outer_axes(rows: Any, sizes: Any, shape: Any, rank: Any) -> Any:
    """Return vectors of rows along the axes of ids but the last, the rank of which is given."""
    outer = cutting.slice(elementwise.cast(shape, int32), [0], [rank - 1])
    width = cutting.slice(sizes, [1], [-1])
    made = arrays.reshape(rows, arrays.concat([outer, width], 0))
    if isinstance(rank, int):
        made.set_shape([*[None] * (rank - 1), *rows.get_shape().as_list()[1:]])
    return made
