"""What is known of sparse tensors and slices before they are there: TensorFlow's specs of them.

Those of ragged tensors are in ragged_and_sparse/ragged.py. A spec is a value of the same kind whose
parts are specs.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.dtypes import as_dtype, float32, int64
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec


class _SparseKind(type):
    """Counts sparse tensors of specs as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, SparseTensor) and _is_spec(instance.values)


class SparseTensorSpec(metaclass=_SparseKind):
    """What is known of a sparse tensor: a sparse tensor of specs."""

    def __new__(cls, shape: Any = None, dtype: Any = float32) -> Any:
        return sparse_spec(as_dtype(dtype), TensorShape(shape).known())

    @staticmethod
    def from_value(value: Any) -> Any:
        """Return the specification of a sparse tensor."""
        return sparse_spec(value.dtype, TensorShape(value.shape).known())


class _SlicesKind(type):
    """Counts slices of specs as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, IndexedSlices) and _is_spec(instance.values)


class IndexedSlicesSpec(metaclass=_SlicesKind):
    """What is known of slices: slices of specs."""

    def __new__(
        cls,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> Any:
        sizes = TensorShape(shape).known()
        count = None if not sizes else sizes[0]
        places = (
            (count,) if indices_shape is None else TensorShape(indices_shape).known()
        )
        rank = None if sizes is None else len(sizes)
        dense: Any = None
        if dense_shape_dtype is not None:
            dense = TensorSpec((rank,), as_dtype(dense_shape_dtype))
        values: Any = TensorSpec(sizes, as_dtype(dtype))
        indices: Any = TensorSpec(places, as_dtype(indices_dtype))
        return IndexedSlices(values, indices, dense)


def _is_spec(part: Any) -> bool:
    return isinstance(part, TensorSpec)


__all__ = ["IndexedSlicesSpec", "SparseTensorSpec"]
