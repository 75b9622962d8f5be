"""Elements that are picked from stacks: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import picking
from tensorlite.compat.shared.arrays import (
    concat,
    ones,
    range as counted,
    rank,
    reshape,
    stack,
    transpose,
    unstack,
    zeros,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.grids import meshgrid
from tensorlite.compat.shared.ragged_and_sparse.written import has_ragged
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.v1.functions.arrays import gather, shape
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import ShapeError
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.math.arithmetic import Range
from tensorlite.ops.math.reduce import Prod


@named("Range")
def _numbers(start: Any, limit: Any, delta: Any, name: str | None = None) -> Any:
    ends = (
        converted(start, None, "start"),
        converted(limit),
        converted(delta, None, "delta"),
    )
    return call(Range(), *ends)


@named("Cast")
def _cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    return call(Cast(dtype), converted(x))


@named("Prod")
def _product(x: Any, name: str | None = None) -> Any:
    return call(Prod(False), converted(x), converted([0], None, "reduction_indices"))


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Any:
    """Return the slices of params at the places that the last axis of indices spells out.

    The first batch_dims axes of both belong together.
    """
    source: Any = params
    is_resource = isinstance(source, ResourceVariable)
    if is_resource and not batch_dims and active_graph() is not None:
        return source.gather_nd(indices, name=name)
    is_made = active_graph() is not None and not has_ragged((params, indices))
    if is_made and batch_dims > 0:
        with name_scope(name, "BatchGatherND"):
            places = convert_to_tensor(indices, name="indices")
            x = convert_to_tensor(params, name="params")
            if None not in (x.get_shape().rank, places.get_shape().rank):
                return _by_rows(x, places, batch_dims)
    return picking.gather_nd(params, indices, batch_dims, name)


def _by_rows(x: Any, places: Any, batched: int) -> Any:
    """Return slices of stacks, for which their places are put behind numbers of the stacks."""
    for given, what in ((places, "indices"), (x, "params")):
        if batched >= given.get_shape().rank:
            raise ShapeError(
                f"gather_nd: batch_dims={batched} must be below the rank of {what}, which are "
                f"{given.get_shape()}"
            )
    sizes, of_places = shape(x), shape(places)
    batch = sizes[:batched]
    count = _product(batch)
    inner = rank(places) - batched - 1
    between = of_places[batched:-1]
    numbers = [_cast(_numbers(0, n, 1), places.dtype) for n in unstack(batch)]
    grids = [reshape(n, (-1,)) for n in meshgrid(*numbers, indexing="ij")]
    stacks = transpose(stack(grids, 0))
    of_stacks = shape(stacks)
    wide = concat([of_stacks[:1], ones(inner, int32), of_stacks[1:]], 0)
    stacks = tile(reshape(stacks, wide), concat([(1,), between, (1,)], 0))
    flat = reshape(places, concat([[count], of_places[batched:]], 0))
    found = picking.gather_nd(x, concat([stacks, flat], -1))
    return reshape(found, concat([batch, shape(found)[1:]], 0))


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
        flat = reshape(behind_another(sizes, places, batched, as_called=False), [-1])
        inner = sizes[axes:]
        number = reduce_prod(sizes[:axes], [0])
        rows = reshape(x, concat([[number], inner], 0))
        found = reshape(gather(rows, flat), concat([of_places, inner], 0))
        known = places.get_shape()[:batched].merge_with(x.get_shape()[:batched])
        ends = places.get_shape()[batched:]
        found.set_shape(known.concatenate(ends).concatenate(x.get_shape()[axes:]))
        return found


def behind_another(
    whole: Any, indices: Any, batched: int, as_called: bool = True
) -> Any:
    """Return the places of elements of stacks as if these were one behind another.

    Operators are those that functions make, or, unless `as_called`, those of TensorFlow's kernels.
    """
    axes, dtype = indices.spec.rank, indices.dtype
    numbers = counted if as_called else _numbers
    sizes = cast(whole, dtype) if as_called else _cast(whole, dtype)
    step = ones((), dtype)
    for dim in range(batched, 0, -1):
        number = sizes[dim - 1]
        step *= sizes[dim]
        starts = numbers(zeros((), dtype), number, ones((), dtype)) * step
        wide = stack([1] * (dim - 1) + [number] + [1] * (axes - dim), 0)
        indices += reshape(starts, wide)
    return indices
