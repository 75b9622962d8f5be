"""Ragged tensors in GraphDefs: the bounds of rows, from outside in, and the values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from tensorlite.core.dispatch import calls
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.ensure import ensure_shape
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.ragged.operators import (
    RaggedGather,
    RaggedRange,
    RaggedTensorToSparse,
)
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.variants import (
    RaggedTensorFromVariant,
    RaggedTensorToVariant,
)
from tensorlite.ops.sparse.crossing import SparseCross, every_element
from tensorlite.ops.sparse.tensor import SparseTensor


def _gathered(given: Given) -> Values:
    given.typed("PARAMS_RAGGED_RANK", int)
    depth = given.typed("OUTPUT_RAGGED_RANK", int)
    return given.made(RaggedGather(depth), *given.tensors)


def _counted(given: Given) -> Values:
    return given.made(RaggedRange(given.dtype("Tsplits")), *given.tensors)


def _sparse(given: Given) -> Values:
    given.typed("RAGGED_RANK", int)
    return given.made(RaggedTensorToSparse(), *given.tensors)


def _dense(given: Given) -> Values:
    """Fill rows up to the longest, or to a shape in which -1 is any size."""
    kinds = given.typed("row_partition_types", tuple)
    given.typed("num_row_partition_tensors", int)
    sizes = given.constant(0)
    shape = (
        None
        if not sizes.ndim
        else [None if n < 0 else int(n) for n in sizes.tolist()]
    )

    def dense(values: Tensor, default: Tensor, *partitions: Tensor) -> Tensor:
        if values.spec.rank is None and shape is not None:
            depth = sum(kind != "FIRST_DIM_SIZE" for kind in kinds)
            values = ensure_shape(values, [None] * max(len(shape) - depth, 1))
        if values.spec.rank is not None:
            return _parted(given, kinds, values, partitions).to_tensor(
                default, shape=shape
            )
        rest = shape_of(values)[1:]
        flat = reshape(values, stack([shape_of(values)[0], prod(rest)]))
        filler = reshape(broadcast_to(default, rest), [-1])
        made = _parted(given, kinds, flat, partitions).to_tensor(filler)
        return reshape(made, concat([shape_of(made)[:-1], rest]))

    return given.composed(dense, *given.tensors[1:])


def _parted(
    given: Given, kinds: Sequence[str], values: Tensor, partitions: Sequence[Tensor]
) -> RaggedTensor:
    """Return rows that bounds divide, or whose numbers stand beside the values."""
    if set(kinds) == {"ROW_SPLITS"}:
        return _nested(partitions, values)
    first, *rest = kinds
    if first != "FIRST_DIM_SIZE" or set(rest) != {"VALUE_ROWIDS"}:
        raise GraphDefError(f"{given.record}: partitions by {kinds} are not read")
    made: RaggedTensor = RaggedTensor.from_nested_value_rowids(
        values, partitions[1:], [partitions[0], *[None] * (len(rest) - 1)]
    )
    return made


def _nested(splits: Sequence[Tensor], values: Tensor) -> RaggedTensor:
    made: RaggedTensor = RaggedTensor.from_nested_row_splits(
        values, splits, validate=False
    )
    return made


def _to_elements(given: Given) -> Values:
    given.typed("RAGGED_RANK", int)
    return given.made(
        RaggedTensorToVariant(given.typed("batched_input", bool)), *given.tensors
    )


def _from_elements(given: Given) -> Values:
    inner = given.typed("input_ragged_rank", int)
    outer = given.typed("output_ragged_rank", int)
    if not 0 <= outer <= MOST or inner < -1:
        raise GraphDefError(
            f"{given.record}: ragged ranks {inner} and {outer}; allowed are 0 to {MOST}"
        )
    op = RaggedTensorFromVariant(
        inner, outer, given.dtype("Tvalues"), given.dtype("Tsplits")
    )
    given.check_attributes()
    return given.node(op, *given.tensors).outputs


MOST = 64
"""How many levels of rows there may be."""


def _crossed(given: Given) -> Values:
    """Return the crosses of ragged, sparse and dense rows, in the order that letters tell."""
    counts = [
        len(given.dtypes(f"{kind}_types")) for kind in ("ragged_values", "dense")
    ]
    splits, sparse = given.dtypes("ragged_splits_types"), given.typed("Nsparse", int)
    order = given.typed("input_order", str)
    dtype = given.dtype("out_row_splits_type")
    given.dtypes("sparse_values_types")
    given.dtype("out_values_type")
    due = {"R": counts[0], "S": sparse, "D": counts[1]}
    if len(splits) != counts[0] or Counter(order) != Counter(due):
        raise GraphDefError(f"{given.record}: input_order={order!r} for {due}")
    op = SparseCross(
        given.typed("hashed_output", bool),
        given.typed("num_buckets", int),
        given.typed("hash_key", int),
    )

    def crossed(*tensors: Tensor) -> tuple[Tensor, ...]:
        rest = iter(tensors)
        values, bounds = _taken(rest, counts[0]), _taken(rest, counts[0])
        rows = zip(values, bounds, strict=True)
        parts = zip(*[_taken(rest, sparse) for _ in range(3)], strict=True)
        kinds = {
            "R": iter([_nested([y], x).to_sparse() for x, y in rows]),
            "S": iter([SparseTensor(*one) for one in parts]),
            "D": iter([every_element(x) for x in rest]),
        }
        given_parts = [x for letter in order for x in next(kinds[letter])]
        made = RaggedTensor.from_sparse(SparseTensor(*calls(op, *given_parts)))
        return made.flat_values, astype(made.row_splits, dtype)

    return given.composed(crossed, *given.tensors)


def _taken(tensors: Iterator[Tensor], count: int) -> list[Tensor]:
    return list(islice(tensors, count))


RAGGED: dict[str, Adapter] = {
    "RaggedCross": _crossed,
    "RaggedGather": _gathered,
    "RaggedRange": _counted,
    "RaggedTensorFromVariant": _from_elements,
    "RaggedTensorToSparse": _sparse,
    "RaggedTensorToTensor": _dense,
    "RaggedTensorToVariant": _to_elements,
}
