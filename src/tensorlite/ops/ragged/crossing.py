"""Crosses of the rows of ragged, sparse and dense matrices, as ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import int32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.making import from_sparse, to_sparse
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.crossing import HASH_KEY, SparseCross, every_element
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["cross", "cross_hashed"]


def cross(inputs: Sequence[Any]) -> Any:
    """Return for each row the crosses of its elements in all operands, as strings.

    >>> rows = tl.ragged.constant([["a"], ["b", "c"]])
    >>> tl.ragged.cross([rows, [["d"], ["e"]]]).to_list()
    [[b'a_X_d'], [b'b_X_e', b'c_X_e']]
    """
    return _crossed(SparseCross(False), inputs)


def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int = HASH_KEY
) -> Any:
    """Return the same as numbers of buckets, or of all int64 without any.

    >>> tl.ragged.cross_hashed([tl.ragged.constant([[1], [2, 3]]), [["d"], ["e"]]]).to_list()
    [[8731989417520980377], [6870019135446212689, 8498098340703857781]]
    """
    return _crossed(SparseCross(True, num_buckets, hash_key), inputs)


def _crossed(op: SparseCross, inputs: Sequence[Any]) -> Any:
    given = [
        x if isinstance(x, (RaggedParts, SparseTensor)) else to_tensor(x)
        for x in inputs
    ]
    ragged = [x for x in given if isinstance(x, RaggedParts)]
    for x in ragged:
        if x.ragged_rank != 1:
            raise InvalidArgumentError(
                "tf.ragged.cross only supports inputs with rank=2"
            )
    parts = [part for i, x in enumerate(given) for part in _sparse(x, i)]
    short = bool(ragged) and all(x.row_splits.dtype is int32 for x in ragged)
    made = from_sparse(RaggedTensor.root, SparseTensor(*calls(op, *parts)))
    return made.with_row_splits_dtype(int32) if short else made


def _sparse(x: Any, place: int) -> SparseTensor:
    """Return an operand's elements with their places, integers as int64."""
    given: Any = x
    if isinstance(x, RaggedParts):
        given = to_sparse(x)
    found = given if isinstance(given, SparseTensor) else every_element(given)
    if found.dtype is string:
        return found
    if not found.dtype.is_integer:
        raise DTypeError(f"Unexpected dtype for inputs[{place}]: {found.dtype}")
    return found.with_values(astype(found.values, int64))
