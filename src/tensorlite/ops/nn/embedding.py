"""Embeddings: rows of tables that are one tensor or lie in shards, with sparse gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import size
from tensorlite.ops.arrays.gather import gather, size_at, sizes
from tensorlite.ops.arrays.partition import dynamic_partition, dynamic_stitch
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import less, where
from tensorlite.ops.math.rounding import floor_divide, remainder

__all__ = ["embedding_lookup"]

Strategy = Literal["mod", "div"]


def embedding_lookup(
    params: TensorLike | Sequence[TensorLike],
    ids: TensorLike,
    partition_strategy: Strategy = "mod",
) -> Tensor:
    """Return the rows of a table at `ids`, integers of any shape; gradients are sparse.

    `params` is the table, or a list of its shards: with strategy "mod" row i is row i // n of
    shard i % n, with "div" the shards follow each other, the first ones longer by one where they
    are not equal. Each shard is read, and gets a gradient, for its own rows only.

    >>> print(tl.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1, 0]))
    [[3. 4.]
     [1. 2.]]
    """
    places = to_tensor(ids)
    if not places.dtype.is_integer:
        raise DTypeError(f"embedding_lookup: ids must be integers, not {places.spec}")
    shards = _shards(params)
    if len(shards) == 1:
        return gather(shards[0], places)
    if partition_strategy not in ("mod", "div"):
        raise InvalidArgumentError(
            f"embedding_lookup: partition_strategy={partition_strategy!r}; allowed: 'mod', 'div'"
        )
    return _from_shards(shards, places, partition_strategy)


def _shards(params: TensorLike | Sequence[TensorLike]) -> list[Operand]:
    if isinstance(params, (list, tuple)) and params:
        shards = [x for x in params if isinstance(x, Operand)]
        if len(shards) == len(params):
            return shards
    return [params if isinstance(params, Operand) else to_tensor(params)]


def _from_shards(shards: list[Operand], ids: Tensor, strategy: Strategy) -> Tensor:
    flat = reshape(ids, (-1,))
    owner, row = owners(shards, flat, strategy)
    rows = dynamic_partition(row, owner, len(shards))
    origins = dynamic_partition(arange(size(flat)), owner, len(shards))
    parts = [gather(shard, part) for shard, part in zip(shards, rows, strict=True)]
    found = dynamic_stitch(origins, parts)
    width = sizes(parts[0])[1:]
    return reshape(found, [*sizes(ids), *width])


def owners(
    shards: list[Operand], ids: Tensor, strategy: Strategy
) -> tuple[Tensor, Tensor]:
    """Return the shard of each id, and the row in it."""
    count = len(shards)
    if strategy == "mod":
        return astype(remainder(ids, count), dtypes.int32), floor_divide(ids, count)
    total = sum([_length(shard, ids) for shard in shards])
    short, extra = total // count, total % count
    early, late = less(ids, extra * (short + 1)), ids - extra
    divisor = max(short, 1) if isinstance(short, int) else maximum(short, 1)
    owner = where(early, floor_divide(ids, short + 1), floor_divide(late, divisor))
    row = where(early, remainder(ids, short + 1), remainder(late, divisor))
    return astype(owner, dtypes.int32), row


def _length(shard: Operand, ids: Tensor) -> Any:
    """Return the number of rows of a shard: an int, or a tensor where a trace does not know it."""
    known = getattr(shard, "shape", (None,))[0]
    return (
        known
        if known is not None
        else astype(size_at(to_tensor(shard), 0), ids.dtype)
    )
