"""Ragged tensors in GraphDefs: the bounds of rows, from outside in, and the values."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.given import Given, Values
from tensorlite.interop.tensorflow.plain import Adapter
from tensorlite.ops.ragged_arrange import gather, range_rows
from tensorlite.ops.ragged_tensor import RaggedTensor
from tensorlite.ops.shape import astype


def _gathered(given: Given) -> Values:
    depth = given.typed("OUTPUT_RAGGED_RANK", int)
    dtype = given.dtype("Tsplits")
    given.typed("PARAMS_RAGGED_RANK", int)

    def gathered(*tensors: Tensor) -> list[Tensor]:
        *splits, values, rows = tensors
        found = gather(_nested(splits, values), rows)
        ends = found.nested_row_splits
        if len(ends) != depth:
            raise GraphDefError(f"{given.record}: {len(ends)} bounds, not {depth}")
        return [*[astype(one, dtype) for one in ends], found.flat_values]

    return given.composed(gathered, *given.tensors)


def _counted(given: Given) -> Values:
    dtype = given.dtype("Tsplits")

    def counted(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, ...]:
        made = range_rows(starts, limits, deltas, row_splits_dtype=dtype)
        return made.row_splits, made.values

    return given.composed(counted, *given.tensors)


def _sparse(given: Given) -> Values:
    given.typed("RAGGED_RANK", int)

    def sparse(*tensors: Tensor) -> tuple[Tensor, ...]:
        *splits, values = tensors
        return tuple(_nested(splits, values).to_sparse())

    return given.composed(sparse, *given.tensors)


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
        return _parted(given, kinds, values, partitions).to_tensor(
            default, shape=shape
        )

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


RAGGED: dict[str, Adapter] = {
    "RaggedGather": _gathered,
    "RaggedRange": _counted,
    "RaggedTensorToSparse": _sparse,
    "RaggedTensorToTensor": _dense,
}
