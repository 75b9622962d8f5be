"""map_fn for sparse tensors: while it goes along their rows, these are places and values.

The rows of places and of values are ragged, for which map_fn is in ragged_forms.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.shared import nests as compat_nest
from tensorlite.compat.shared.ragged_and_sparse.ragged import RaggedTensorSpec
from tensorlite.compat.shared.ragged_and_sparse.ragged_forms import map_rows
from tensorlite.core.dtypes import int64
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.tensor import SparseTensor


def has_sparse(structure: Any) -> bool:
    """Return whether a structure holds a sparse tensor, or the spec of one."""
    return any(isinstance(x, SparseTensor) for x in compat_nest.flatten(structure))


def map_sparse_rows(fn: Callable[..., Any], elems: Any, signature: Any) -> Any:
    """Return what a function makes of each row, together: sparse, if that is what it makes."""
    wholes = compat_nest.flatten(elems)
    like = elems if signature is None else signature

    def called(parts: Any) -> Any:
        rows = [
            SparseTensor(part[0], part[1], whole.dense_shape[1:])
            if isinstance(whole, SparseTensor)
            else part[0]
            for part, whole in zip(parts, wholes, strict=True)
        ]
        made = fn(compat_nest.pack_sequence_as(elems, rows))
        return [
            [x.indices, x.values, x.dense_shape]
            if isinstance(x, SparseTensor)
            else [x]
            for x in compat_nest.flatten(made)
        ]

    specs = [_specs(x) for x in compat_nest.flatten(like)]
    found = map_rows(called, [_rows(x) for x in wholes], specs)
    together = [_together(*x) if len(x) == 3 else x[0] for x in found]
    return compat_nest.pack_sequence_as(like, together)


def _rows(x: Any) -> list[Any]:
    """Return the places in the rows of a sparse tensor and their values; others as they are."""
    if not isinstance(x, SparseTensor):
        return [x]
    rows, count = x.indices[:, 0], x.dense_shape[0]
    return [
        RaggedTensor.from_value_rowids(part, rows, count, validate=False)
        for part in (x.indices[:, 1:], x.values)
    ]


def _specs(x: Any) -> list[Any]:
    """Return what becomes of a row's tensor, or of the spec of one."""
    if not isinstance(x, SparseTensor):
        return [x]
    places = RaggedTensorSpec([None, None, None], int64, ragged_rank=2)
    values = RaggedTensorSpec([None, None], x.values.dtype, ragged_rank=1)
    return [places, values, TensorSpec((None,), int64)]


def _together(places: Any, values: Any, shapes: Any) -> SparseTensor:
    """Return the sparse tensor of rows."""
    if isinstance(shapes, RaggedTensor):
        shapes = shapes.to_tensor()
    sizes = tl.max(shapes, axis=0)
    inner = tl.reshape(places.flat_values, (-1, shapes.shape[1]))
    rows = tl.expand_dims(values.value_rowids(), 1)
    count = tl.reshape(values.nrows(), (1,))
    return SparseTensor(
        tl.concat([rows, inner], axis=1),
        values.flat_values,
        tl.concat([count, sizes]),
    )
