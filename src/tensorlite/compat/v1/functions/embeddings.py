"""Embeddings of TensorFlow 1's tf.nn: rows of tables that are one tensor or lie in shards."""

from __future__ import annotations

from functools import reduce
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.arrays import (
    concat,
    identity,
    range as counted,
    rank,
    reshape,
    shape,
    size,
    stack,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    maximum,
)
from tensorlite.compat.shared.picking import (
    dynamic_partition,
    parallel_dynamic_stitch,
)
from tensorlite.compat.v1.functions.arrays import gather, where
from tensorlite.compat.v1.functions.clipping import clip_by_norm
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import (
    int32,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.graph_mode.partitioned import PartitionedVariable
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.ops.math import arithmetic, bounds
from tensorlite.ops.math.elementwise import sqrt, square
from tensorlite.ops.nn import embedding
from tensorlite.ops.nn.embedding import Strategy
from tensorlite.ops.ragged.tensor import RaggedTensor


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: Strategy = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Any:
    """Return the rows of params that ids name: [ids' shape..., width].

    Several params are shards of one table, by "mod" (row i is in shard i % n) or "div" (shards one
    after another). With max_norm longer rows are shortened. validate_indices has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.nn.embedding_lookup(tf.constant([[1, 2], [3, 4]]), [1])).tolist()
    [[3, 4]]
    """
    if isinstance(ids, RaggedTensor) and max_norm is not None:
        rest = (partition_strategy, name)
        flat = embedding_lookup(params, ids.flat_values, *rest, max_norm=max_norm)
        return ids.with_flat_values(flat)
    shards = shards_of(params)
    if active_graph() is not None:
        return _written(shards, ids, partition_strategy, max_norm, name)
    places = converted(ids, None, "ids")
    found = embedding.embedding_lookup(shards, places, partition_strategy)
    if max_norm is None:
        return tl.identity(found)
    first = places.spec.rank or 0
    axes = tuple(range(first, found.spec.rank or first + 1))
    norms = sqrt(arithmetic.sum(square(found), axis=axes, keepdims=True))
    return found * max_norm / bounds.maximum(norms, max_norm)


def shards_of(params: Any) -> Any:
    """Return a table, or the shards of one: a list is one even if it holds arrays."""
    found = params.parts if isinstance(params, PartitionedVariable) else params
    if not isinstance(found, (list, tuple)):
        return found
    if not found:
        raise InvalidArgumentError("Need at least one param")
    return [x if isinstance(x, Operand) else converted(x) for x in found]


def _written(
    table: Any, ids: Any, strategy: Any, max_norm: Any, name: str | None
) -> Any:
    """Return the rows of a table, or of one in shards, at ids, by TensorFlow 1's nodes."""
    shards = table if isinstance(table, list) else [table]
    with name_scope(name, "embedding_lookup") as prefix:
        if not any(isinstance(x, ResourceVariable) for x in shards):
            shards = [convert_to_tensor(x, name="params") for x in shards]
        places = convert_to_tensor(ids, name="ids")
        if len(shards) == 1:
            found = gather(shards[0], places, name=prefix or None)
            return identity(_clipped(found, places, max_norm))
        flat = reshape(places, [-1])
        origins = counted(size(flat))
        owner, row = _owners(shards, flat, strategy)
        owner = cast(owner, int32)
        rows = dynamic_partition(row, owner, len(shards))
        at = dynamic_partition(origins, owner, len(shards))
        parts = [gather(x, part) for x, part in zip(shards, rows, strict=True)]
        found = parallel_dynamic_stitch(at, parts, name=prefix or None)
        inner = reduce(
            lambda x, y: x.merge_with(y), [x.get_shape()[1:] for x in shards]
        )
        known = inner.is_fully_defined()
        width = inner.as_list() if known else shape(shards[0])[1:]
        found = reshape(found, concat([shape(places), width], 0))
        found.set_shape(places.get_shape().concatenate(inner))
        return _clipped(found, places, max_norm)


def _clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    """Return rows, those longer than a norm shortened to it."""
    if max_norm is None:
        return rows
    ranks = [x.get_shape().rank or None for x in (ids, rows)]
    first, last = [
        rank(x) if n is None else n for x, n in zip((ids, rows), ranks, strict=True)
    ]
    is_known = None not in ranks
    axes = list(range(first, last)) if is_known else counted(first, last)
    return clip_by_norm(rows, max_norm, axes)


def _owners(shards: list[Any], ids: Any, strategy: Any) -> tuple[Any, Any]:
    """Return the shard of each id, and the row in it."""
    count = len(shards)
    if strategy == "mod":
        return ids % count, ids // count
    if strategy != "div":
        raise InvalidArgumentError(f"Unrecognized partition strategy: {strategy}")
    sizes = [x.get_shape() for x in shards]
    lengths = [None if x.rank is None else x.as_list()[0] for x in sizes]
    known = [n for n in lengths if n is not None]
    if len(known) == count and sum(known) < count:
        # TensorFlow would divide by 0.
        return embedding.owners(shards, plain(ids), strategy)
    total = _total(shards, lengths, ids.dtype)
    short, extra = total // count, total % count
    owner = maximum(ids // (short + 1), (ids - extra) // short)
    row = where(owner < extra, ids % (short + 1), (ids - extra) % short)
    return owner, row


def _total(shards: list[Any], lengths: list[Any], dtype: Any) -> Any:
    """Return how many rows all shards have."""
    if None not in lengths:
        return constant(sum(lengths), dtype)
    each = [
        shape(x)[0] if n is None else n for x, n in zip(shards, lengths, strict=True)
    ]
    return reduce_sum(cast(stack(each), dtype))
