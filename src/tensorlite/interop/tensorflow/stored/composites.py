"""Ragged and sparse tensors and slices among arguments and results of SavedModels' functions.

SavedModels have a TypeSpecProto for each; here they are such values with specs for their parts,
which are flattened in TensorFlow's order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.errors import GraphDefError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices
from tensorlite.data.composites import ragged_spec
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec

SPARSE, SLICES, RAGGED = 1, 2, 3
"""The numbers of TypeSpecProto.TypeSpecClass."""


def composite_of(number: int, name: str, state: Any) -> Any:
    """Return specs of the parts of a composite; GraphDefError for those that are not known."""
    reader = _READERS.get(number)
    if reader is None:
        raise GraphDefError(
            f"a function takes or returns a {name or number}, for which there is none here"
        )
    try:
        return reader(*state)
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise GraphDefError(f"{name} is damaged: {state!r:.80} ({error})") from None


def _ragged(
    shape: Any, dtype: Any, ragged_rank: int, kind: Any, flat: Any = None
) -> Any:
    sizes = shape.sizes
    if flat is None:
        inner = None if sizes is None else (None, *sizes[ragged_rank + 1 :])
        flat = TensorSpec(inner, dtype)
    return (
        ragged_spec(sizes, flat, ragged_rank, kind)
        if ragged_rank
        else TensorSpec(sizes, dtype)
    )


def _sparse(shape: Any, dtype: Any) -> Any:
    return sparse_spec(dtype, shape.sizes)


def _slices(
    shape: Any, dtype: Any, indices_dtype: Any, dense_dtype: Any, indices_shape: Any
) -> Any:
    sizes = shape.sizes
    rank = None if sizes is None else len(sizes)
    parts: list[Any] = [
        TensorSpec(sizes, dtype),
        TensorSpec(indices_shape.sizes, indices_dtype),
        None if dense_dtype is None else TensorSpec((rank,), dense_dtype),
    ]
    return IndexedSlices(*parts)


_READERS: dict[int, Callable[..., Any]] = {
    SPARSE: _sparse,
    SLICES: _slices,
    RAGGED: _ragged,
}
KNOWN = frozenset(_READERS)
"""Which composites are known here."""


def told_composite(value: Any) -> tuple[int, str, tuple[Any, ...], int] | None:
    """Return a composite of specs as number, name, state and count of parts; None for others."""
    if isinstance(value, RaggedParts):
        depth = value.ragged_rank
        kind = value.nested_row_splits[0].dtype
        state = (Shape(value.shape.known()), value.dtype, depth, kind)
        return RAGGED, "RaggedTensorSpec", state, depth + 1
    if isinstance(value, SparseTensor):
        sizes = value.get_shape().known()
        return SPARSE, "SparseTensorSpec", (Shape(sizes), value.dtype), 3
    if isinstance(value, IndexedSlices):
        whole: Any = value.dense_shape
        is_told = isinstance(whole, TensorSpec)
        told: tuple[Any, ...] = (
            Shape(value.values.shape),
            value.values.dtype,
            value.indices.dtype,
            whole.dtype if is_told else None,
            Shape(value.indices.shape),
        )
        return SLICES, "IndexedSlicesSpec", told, 2 + is_told
    return None
