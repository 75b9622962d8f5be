"""Operators on texts that say much by attributes: runs of neighbours, encodings, crosses."""

from __future__ import annotations

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.sparse.crossing import sparse_cross, sparse_cross_hashed
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.splitting import (
    StringNGrams,
)


def _neighbours(given: Given) -> Values:
    op = StringNGrams(
        given.typed("separator", str),
        given.listed("ngram_widths", int),
        given.typed("left_pad", str),
        given.typed("right_pad", str),
        given.typed("pad_width", int),
        given.typed("preserve_short_sequences", bool),
    )
    return given.made(op, *given.tensors)


def _operands(given: Given, tensors: list[Tensor]) -> list[SparseTensor | Tensor]:
    """Return what is crossed: sparse tensors, whose parts stand by kinds, and dense ones."""
    count = given.typed("N", int)
    if not 0 <= 3 * count <= len(tensors):
        raise GraphDefError(
            f"{given.record} has {len(tensors)} inputs, and N is {count}"
        )
    parts = [tensors[i * count : (i + 1) * count] for i in range(3)]
    sparse = [SparseTensor(*one) for one in zip(*parts, strict=True)]
    return [*sparse, *tensors[3 * count :]]


def _crossed(given: Given) -> Values:
    buckets, key = given.typed("num_buckets", int), given.typed("hash_key", int)
    hashed = given.typed("hashed_output", bool)

    def crossed(*tensors: Tensor) -> tuple[Tensor, ...]:
        operands = _operands(given, [*tensors])
        if not hashed:
            return tuple(sparse_cross(operands))
        return tuple(sparse_cross_hashed(operands, buckets, key))

    return given.composed(crossed, *given.tensors)


def _crossed_by(given: Given) -> Values:
    """Cross with a separator, which is the last input."""
    between = given.constant(len(given.values) - 1).item()
    separator = between.decode() if isinstance(between, bytes) else str(between)

    def crossed(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(sparse_cross(_operands(given, [*tensors]), separator))

    return given.composed(crossed, *given.tensors[:-1])


WORDING: dict[str, Adapter] = {
    "SparseCross": _crossed,
    "SparseCrossV2": _crossed_by,
    "StringNGrams": _neighbours,
}
