"""Elements that are picked from stacks: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import picking
from tensorlite.compat.shared.arrays import (
    concat,
    ones,
    range as counted,
    reshape,
    stack,
    zeros,
)
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.ragged_and_sparse.written import has_ragged
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.v1.functions.arrays import gather, shape
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.errors import ShapeError
from tensorlite.graph_mode.graph import active_graph, name_scope


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return elements along the last axis of `indices`, the axes before going together."""
    if active_graph() is None or has_ragged((params, indices)):
        return picking.batch_gather(params, indices, name=name)
    with name_scope(name, "BatchGather"):
        places = convert_to_tensor(indices, name="indices")
        x = convert_to_tensor(params, name="params")
        axes, most = places.get_shape().rank, x.get_shape().rank
        if axes is None or (most is not None and axes > most):
            raise ShapeError(
                f"batch_gather: indices of {places.get_shape()} for {x.get_shape()}; their rank is "
                "known, and not larger than that of params"
            )
        batched = axes - 1
        of_places, sizes = shape(places), shape(x)
        flat = reshape(behind_another(sizes, places, batched), [-1])
        inner = sizes[axes:]
        number = reduce_prod(sizes[:axes], [0])
        rows = reshape(x, concat([[number], inner], 0))
        found = reshape(gather(rows, flat), concat([of_places, inner], 0))
        known = places.get_shape()[:batched].merge_with(x.get_shape()[:batched])
        ends = places.get_shape()[batched:]
        found.set_shape(known.concatenate(ends).concatenate(x.get_shape()[axes:]))
        return found


def behind_another(whole: Any, indices: Any, batched: int) -> Any:
    """Return the places of elements of stacks as if these were one behind another."""
    axes, dtype = indices.spec.rank, indices.dtype
    sizes = cast(whole, dtype)
    step = ones((), dtype)
    for dim in range(batched, 0, -1):
        number = sizes[dim - 1]
        step *= sizes[dim]
        starts = counted(zeros((), dtype), number, ones((), dtype)) * step
        wide = stack([1] * (dim - 1) + [number] + [1] * (axes - dim), 0)
        indices += reshape(starts, wide)
    return indices
