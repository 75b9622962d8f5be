"""Sparse tensors as strings, and crossed features of them, which both TensorFlows have alike."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.shared.ragged_and_sparse.sparse import as_sparse
from tensorlite.core.dtypes import as_dtype, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.records import tensor_bytes
from tensorlite.ops.sparse import crossing


@named("SerializeSparse")
def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = string
) -> Any:
    """Return a sparse tensor as three strings, of its parts; or variants by out_type."""
    return tensor_bytes.serialize_sparse(as_sparse(sp_input), as_dtype(out_type))


@named("SerializeManySparse")
def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = string
) -> Any:
    """Return the rows of a sparse tensor as strings, three for each; or variants by out_type."""
    kind = as_dtype(out_type)
    return tensor_bytes.serialize_many_sparse(as_sparse(sp_input), kind)


@named("DeserializeManySparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: Any = None, name: str | None = None
) -> Any:
    """Return the sparse tensor whose rows `serialize_many_sparse` wrote."""
    inner = None if rank is None else int(rank)
    return tensor_bytes.deserialize_many_sparse(serialized_sparse, dtype, inner)


@named("SparseCross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> Any:
    """Return combinations of words from each of several columns, joined by '_X_', sparse."""
    if separator not in (None, "_X_"):
        raise InvalidArgumentError(
            f"sparse.cross: separator={separator!r}; allowed: '_X_'"
        )
    return crossing.sparse_cross(inputs)


@named("SparseCross")
def cross_hashed(
    inputs: Any,
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> Any:
    """Return combinations of words from each of several columns, as hashes, sparse.

    They are below num_buckets unless that is 0.
    """
    key = crossing.HASH_KEY if hash_key is None else hash_key
    return crossing.sparse_cross_hashed(inputs, num_buckets, key)
