"""Crosses: for each row, one value for each way to take one element of several sparse tensors.

Hashed crosses chain the fingerprints of what they are made of, as TensorFlow does, so that a model
finds its rows again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.search import nonzero
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.hashing import fingerprint64
from tensorlite.ops.strings.joining import as_bytes

__all__ = ["sparse_cross", "sparse_cross_hashed"]

HASH_KEY = 0xDECAFCAFFE
"""What hashed crosses begin with if nothing else is given."""
_ALL, _FACTOR = 2**64 - 1, 0xC6A4A7935BD1E995
_STEP = 0x9E3779B97F4A7800
_LARGEST = 2**63 - 1


def _folded(x: int) -> int:
    return x ^ (x >> 47)


def chained(first: int, second: int) -> int:
    """Return the fingerprint of two fingerprints, in this order."""
    found = first ^ _FACTOR
    found ^= _folded(second * _FACTOR & _ALL) * _FACTOR & _ALL
    found = found * _FACTOR & _ALL
    return _folded(_folded(found) * _FACTOR & _ALL)


class SparseCross(Op):
    """The crosses of the rows of sparse matrices: strings, or numbers of buckets."""

    differentiable = False
    host = tuple(range(3 * 32))
    hashed_output: bool
    num_buckets: int = 0
    hash_key: int = HASH_KEY
    separator: str = "_X_"

    def infer(self, *parts: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return places, elements and shape."""
        for values in parts[1::3]:
            if values.dtype not in (dtypes.int64, dtypes.string):
                raise DTypeError(f"a cross is of strings and int64, not of {values}")
        kind = dtypes.int64 if self.hashed_output else dtypes.string
        return (
            TensorSpec((None, 2), dtypes.int64),
            TensorSpec((None,), kind),
            TensorSpec((2,), dtypes.int64),
        )

    def kernel(self, xp: Xp, *parts: Array) -> tuple[Array, ...]:
        """Return them; the last operand's elements change fastest."""
        count = int(parts[2][0])
        columns = [
            _by_row(indices, values, count)
            for indices, values in zip(parts[::3], parts[1::3], strict=True)
        ]
        rows = [list(product(*listed)) for listed in zip(*columns, strict=True)]
        found = [self._crossed(one) for row in rows for one in row]
        places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        values = np.empty(len(found), np.int64 if self.hashed_output else object)
        values[:] = found
        longest = max(map(len, rows), default=0)
        indices = np.asarray(places, np.int64).reshape(-1, 2)
        return indices, values, np.asarray([count, longest], np.int64)

    def _crossed(self, elements: Sequence[bytes | int]) -> bytes | int:
        if not self.hashed_output:
            return self.separator.encode().join(
                x if isinstance(x, bytes) else str(x).encode() for x in elements
            )
        found = self.hash_key
        for x in elements:
            found = self._joined(
                found, fingerprint64(x) if isinstance(x, bytes) else x & _ALL
            )
        return found % (self.num_buckets or _LARGEST)

    def _joined(self, first: int, second: int) -> int:
        return chained(first, second)


class SparseFeatureCross(SparseCross):
    """Crosses as tf.contrib.layers hashed them before it took a key: by shifts and sums."""

    def _joined(self, first: int, second: int) -> int:
        signed = first - (first >> 63 << 64)
        moved = (first << 10) + (signed >> 4)
        return first ^ (second + _STEP + moved) & _ALL


def _by_row(indices: Array, values: Array, count: int) -> list[list[bytes | int]]:
    rows: list[list[bytes | int]] = [[] for _ in range(count)]
    for (row, _), value in zip(indices.tolist(), values.tolist(), strict=True):
        rows[row].append(value if isinstance(value, int) else as_bytes(value))
    return rows


Crossed = SparseTensor | TensorLike


def _sparse_first(inputs: Sequence[Crossed]) -> list[Tensor]:
    """Return the parts of sparse matrices, of dense ones every element; sparse ones first."""
    if not inputs:
        raise InvalidArgumentError("a cross needs at least one tensor")
    sparse = [x for x in inputs if isinstance(x, SparseTensor)]
    dense = [every_element(x) for x in inputs if not isinstance(x, SparseTensor)]
    return [part for one in [*sparse, *dense] for part in _as_int64(one)]


def _as_int64(x: SparseTensor) -> SparseTensor:
    if x.dtype is dtypes.string:
        return x
    return x.with_values(astype(x.values, dtypes.int64))


def every_element(x: TensorLike) -> SparseTensor:
    """Return a dense tensor as a sparse one that has all its elements."""
    dense = to_tensor(x)
    places = stack(nonzero(ones_like(dense, dtype=dtypes.bool_)), axis=1)
    return SparseTensor(places, reshape(dense, (-1,)), shape_of(dense, dtypes.int64))


def sparse_cross(inputs: Sequence[Crossed], separator: str = "_X_") -> SparseTensor:
    """Return the crosses of matrices' rows, as strings; of dense ones all elements count.

    Numbers are cut to int64 first.

    >>> print(tl.sparse.cross([[["a", "b"]], [[1, 2]]]).values)
    [b'a_X_1' b'a_X_2' b'b_X_1' b'b_X_2']
    """
    op = SparseCross(False, separator=separator)
    return SparseTensor(*calls(op, *_sparse_first(inputs)))


def sparse_cross_hashed(
    inputs: Sequence[Crossed], num_buckets: int = 0, hash_key: int = HASH_KEY
) -> SparseTensor:
    """Return the crosses of matrices' rows as numbers of buckets, or of all int64 without any.

    >>> print(tl.sparse.cross_hashed([[["a"]], [[1]]], num_buckets=100).values)
    [85]
    """
    op = SparseCross(True, num_buckets, hash_key)
    return SparseTensor(*calls(op, *_sparse_first(inputs)))


def sparse_feature_cross(
    inputs: Sequence[Crossed], num_buckets: int = 0
) -> SparseTensor:
    """Return crosses as numbers of buckets by the hash that tf.contrib.layers has without a key.

    >>> from tensorlite.ops.sparse.crossing import sparse_feature_cross
    >>> print(sparse_feature_cross([[["a"]], [[5]]], num_buckets=1000).values)
    [930]
    """
    op = SparseFeatureCross(True, num_buckets)
    return SparseTensor(*calls(op, *_sparse_first(inputs)))
