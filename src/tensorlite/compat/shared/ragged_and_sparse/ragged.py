"""Ragged tensors: `tf.ragged`. What functions of tensors make of them is in ragged_forms.py."""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorlite as tl
from tensorlite import ragged
from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.ragged_and_sparse.built_rows import building
from tensorlite.compat.shared.ragged_and_sparse.built_shapes import (
    DynamicRaggedShape as DynamicRaggedShape,
)
from tensorlite.compat.shared.ragged_and_sparse.ragged_forms import of_arrays
from tensorlite.compat.shared.ragged_and_sparse.written import written_first
from tensorlite.core.dtypes import as_dtype, float32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.data.composites import RaggedRow
from tensorlite.ops.ragged.tensor import RaggedTensor, ragged_spec
from tensorlite.ops.sparse.crossing import HASH_KEY
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

map_flat_values = written_first("ragged.map_flat_values")(ragged.map_flat_values)


@partial(building, name="ragged.constant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return a ragged tensor of nested lists.

    Axes are ragged but the innermost one, or as many as ragged_rank; inner_shape is what rows have.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy().tolist()
    [2, 0, 1]
    """
    with tl.name_scope(name or "RaggedConstant"):
        made = ragged.constant(
            pylist, dtype, ragged_rank, inner_shape, row_splits_dtype
        )
        if isinstance(made, RaggedTensor):
            inner_named(made.flat_values, "values")
            for splits in made.nested_row_splits[::-1]:
                inner_named(splits, "Const")
        return made


@written_first("ragged.range")
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return a ragged matrix whose rows are numbers from starts up to limits, in steps.

    With one argument rows begin at 0.
    """
    with tl.name_scope(name or "RaggedRange"):
        return ragged.range(starts, limits, deltas, dtype, row_splits_dtype)


@written_first("ragged.stack")
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Return ragged or other tensors joined along a new axis, as a ragged tensor."""
    given = list(values) if isinstance(values, (list, tuple)) else [values]
    with tl.name_scope(name or "RaggedConcat"):
        return ragged.stack(given, axis)


@written_first("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Return the elements for which a mask is True, as a ragged tensor of their rows."""
    with tl.name_scope(name or "RaggedMask"):
        return ragged.boolean_mask(_given(data), _given(mask))


def _given(x: Any) -> Any:
    x = of_arrays(x)
    return x if isinstance(x, RaggedTensor) else converted(x)


@written_first("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: Any = None
) -> Any:
    """Return for each element in which row it is, given where rows begin and end."""
    with tl.name_scope(name or "RaggedSplitsToSegmentIds"):
        return ragged.row_splits_to_segment_ids(splits, out_type)


@written_first("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any,
    num_segments: Any = None,
    out_type: Any = None,
    name: str | None = None,
) -> Any:
    """Return where rows begin and end, given for each element in which it is."""
    with tl.name_scope(name or "SegmentIdsToRaggedSplits"):
        return ragged.segment_ids_to_row_splits(segment_ids, num_segments, out_type)


@written_first("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Return the slices of data as rows of a ragged tensor, by their partition."""
    with tl.name_scope(name or "SegmentStack"):
        return ragged.stack_dynamic_partitions(data, partitions, num_partitions)


def cross(inputs: Any, name: str | None = None) -> Any:
    """Return for each row the crosses of ragged, sparse and dense rows' elements, as strings.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]]).to_list()
    [[b'a_X_d'], [b'b_X_e', b'c_X_e']]
    """
    return _crossed(inputs, name, ragged.cross)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None
) -> Any:
    """Return the same crosses as numbers of buckets, or of all int64 for none."""
    key = HASH_KEY if hash_key is None else hash_key % 2**64
    return _crossed(
        inputs,
        name,
        partial(ragged.cross_hashed, num_buckets=num_buckets, hash_key=key),
    )


def _crossed(inputs: Any, name: str | None, function: Any) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    with tl.name_scope(name or "RaggedCross"):
        return building(function)(
            [x if isinstance(x, PlainSparse) else _given(x) for x in inputs]
        )


class _SpecKind(type):
    """Counts what stands for ragged tensors in structures of specs as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, RaggedRow) or (
            isinstance(instance, RaggedTensor)
            and isinstance(instance.flat_values, TensorSpec)
        )


class RaggedTensorSpec(metaclass=_SpecKind):
    """What is known of a ragged tensor: a ragged tensor of specs."""

    def __new__(
        cls,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ) -> Any:
        sizes = TensorShape(shape)
        if ragged_rank is None:
            if sizes.rank is None:
                raise InvalidArgumentError(
                    "Must specify ragged_rank or a shape with known rank"
                )
            ragged_rank = sizes.rank - 1
        if flat_values_spec is None:
            inner = None if sizes.rank is None else sizes.as_list()[ragged_rank + 1 :]
            behind = None if inner is None else (None, *inner)
            flat_values_spec = TensorSpec(behind, as_dtype(dtype))
        if ragged_rank == 0:
            return RaggedRow(
                sizes.known(), as_dtype(dtype), as_dtype(row_splits_dtype)
            )
        return ragged_spec(
            sizes.known(), flat_values_spec, ragged_rank, as_dtype(row_splits_dtype)
        )

    @staticmethod
    def from_value(value: Any) -> Any:
        """Return the specification of a ragged tensor."""
        return value.spec
