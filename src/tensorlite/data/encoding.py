"""Sparse and ragged elements as graphs have them: one value of dtype variant for each.

What becomes of structures of elements is in variants.py, what their rows are in composites.py.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import of_numpy, variant
from tensorlite.core.scope import name_scope, scoped
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, to_host
from tensorlite.data.composites import COMPOSITES
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import outermost
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.variants import (
    RaggedTensorFromVariant,
    RaggedTensorToVariant,
    Rows,
)
from tensorlite.ops.records.sparse_values import DeserializeSparse
from tensorlite.ops.records.tensor_bytes import (
    Part,
    SerializeManySparse,
    SerializeSparse,
)
from tensorlite.ops.sparse.tensor import SparseTensor

ENCODED = TensorSpec(None, variant)
"""The spec of what an element that has several tensors is in a graph."""


def is_composite(leaf: Any) -> bool:
    """Return whether a leaf of an element, or what is known of one, is made of several tensors."""
    return isinstance(leaf, COMPOSITES)


def encoded(x: Any, rows: bool = False) -> Tensor:
    """Return a sparse or ragged tensor as one value, or as a vector of one for each row."""
    if isinstance(x, SparseTensor):
        op = SerializeManySparse(variant) if rows else SerializeSparse(variant)
        return call(op, *x)
    with _inside("RaggedToVariant"):
        splits = x.nested_row_splits
        return call(RaggedTensorToVariant(rows), *splits, x.flat_values)


def decoded(spec: Any, x: Tensor) -> Any:
    """Return the sparse or ragged tensor of a spec that a value stands for."""
    if isinstance(spec, SparseTensor):
        parts = calls(DeserializeSparse(spec.values.dtype, variant), x)
        rank = spec.rank
        _refine(parts[0], (None, rank))
        _refine(parts[2], (rank,))
        return nest.pack_like(spec, list(parts))
    depth, dtype = spec.ragged_rank, spec.row_splits.dtype
    flat = spec.flat_values
    op = RaggedTensorFromVariant(-1, depth, flat.dtype, dtype)
    with _inside("RaggedFromVariant"):
        *splits, values = calls(op, x)
    _refine(splits[0], spec.row_splits.shape)
    if flat.shape is not None:
        _refine(values, (None, *flat.shape[1:]))
    return nest.pack_like(spec, [values, *splits])


def _inside(name: str) -> AbstractContextManager[str]:
    """Return a scope that no other node of the graph that is being made stands in."""
    tracer = outermost()
    whole = scoped(name) if tracer is None else tracer.graph.free_name(scoped(name))
    return name_scope(whole.rpartition("/")[2])


def _refine(x: Tensor, shape: Any) -> None:
    if isinstance(x, SymbolicTensor):
        x.set_shape(shape)


def closed(x: Any) -> Array:
    """Return a sparse or ragged tensor, whose values are known, as the array of a graph."""
    return encoded(x).array


def opened(x: Array) -> Any:
    """Return what an array of a graph is as a leaf of an element: parts make one tensor again."""
    if x.dtype == object and x.size:
        kind = x.flat[0]
        if isinstance(kind, Part):
            return _sparse(x)
        if isinstance(kind, Rows):
            return _ragged(x, kind)
    return EagerTensor(x)


def _sparse(x: Array) -> SparseTensor:
    dtype = of_numpy(x.flat[1].array.dtype)
    parts = DeserializeSparse(dtype, variant).kernel(np, x)
    return SparseTensor(*[EagerTensor(part) for part in parts])


def _ragged(x: Array, first: Rows) -> Any:
    depth = len(first.splits) + x.ndim
    if not depth:
        return EagerTensor(first.values)
    splits = of_numpy(first.splits[0].dtype if first.splits else np.dtype(np.int64))
    values = of_numpy(to_host(first.values).dtype)
    op = RaggedTensorFromVariant(-1, depth, values, splits)
    *bounds, flat = op.kernel(np, x)
    tensors = [EagerTensor(one) for one in bounds]
    return RaggedTensor.from_nested_row_splits(EagerTensor(flat), tensors)
