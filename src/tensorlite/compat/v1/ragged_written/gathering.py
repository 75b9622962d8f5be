"""Rows of ragged tensors at places, in graphs of version 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import concat, reshape
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import (
    FUNCTIONS,
    is_ragged,
    writes,
)
from tensorlite.compat.shared.repeating import repeat_along
from tensorlite.compat.v1.functions.arrays import (
    expand_dims,
    gather,
)
from tensorlite.compat.v1.functions.checks import assert_equal
from tensorlite.compat.v1.functions.gathering import gather_nd
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    given,
    nested,
    operators,
    rank_of,
    rows,
    splits_dtype,
    tried,
)
from tensorlite.compat.v1.ragged_written.converting import from_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.ragged.operators import RaggedGather


def gathered(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return the rows of a tensor at places, which may be ragged themselves."""
    with name_scope(name, "RaggedGather"):
        x, at = given(params, "params"), given(indices, "indices")
        splits_dtype(x, at)
        if isinstance(at, RaggedTensor):
            return at.with_values(gathered(x, at.values))
        if not isinstance(x, RaggedTensor):
            return gather(x, at)
        rank = rank_of(at)
        if rank is None:
            raise InvalidArgumentError("indices.shape.ndims must be known statically")
        depth = rank + x.ragged_rank - 1
        inputs = *x.nested_row_splits, x.flat_values, at
        *splits, values = operators(RaggedGather(depth), *inputs)
        return nested(values, splits)


@writes("GatherV2", of=FUNCTIONS)
def _gather(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    params, indices = arguments["params"], arguments["indices"]
    axis, batch = arguments["axis"], arguments["batch_dims"]
    if batch or not (axis is None or (isinstance(axis, int) and axis == 0)):
        return NotImplemented
    if isinstance(indices, int) or (
        not isinstance(indices, (list, tuple)) and rank_of(indices) == 0
    ):
        return NotImplemented
    tried(params)
    tried(indices)
    return gathered(params, indices, name)


@writes("GatherNd", of=FUNCTIONS)
def _gather_nd(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    if _depth(arguments["indices"]) == 0:
        return NotImplemented
    tried(arguments["params"])
    tried(arguments["indices"])
    return _elements(arguments["params"], arguments["indices"], name)


def _depth(indices: Any) -> Any:
    """Return how many numbers there are to a place, None where that is not known."""
    if isinstance(indices, (list, tuple)):
        return np.shape(indices)[-1] if indices else 0
    if not rank_of(indices):
        return None
    # What an array holds has its sizes as a tuple.
    return (
        (*indices.shape,)[-1]
        if is_ragged(indices)
        else indices.get_shape().as_list()[-1]
    )


def _elements(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return the parts of a ragged tensor at places, which the last axis of indices spells out."""
    if not is_ragged(params) and not is_ragged(indices):
        return gather_nd(params, indices, name)
    with name_scope(name, "RaggedGatherNd"):
        x, at = given(params, "params"), given(indices, "indices")
        kind = splits_dtype(x, at)
        rank = rank_of(at)
        if not rank:
            raise InvalidArgumentError("indices must be of known rank, 1 or more")
        if isinstance(at, RaggedTensor) and rank == at.ragged_rank + 1:
            raise InvalidArgumentError(
                "The innermost dimension of indices may not be ragged"
            )
        depth = at.get_shape().as_list()[-1]
        if depth is None:
            raise InvalidArgumentError("indices.shape[-1] must be statically known.")
        if rank > 2:
            return _many_elements(x, at, rank, kind)
        return _some_elements(x, at, depth)


def _many_elements(x: Any, at: Any, rank: int, kind: Any) -> Any:
    is_dense = not isinstance(at, RaggedTensor)
    if is_dense:
        at = from_tensor(at, ragged_rank=rank - 2, row_splits_dtype=kind)
    made = at.with_flat_values(_elements(x, at.flat_values))
    if is_dense and isinstance(made, RaggedTensor) and made.ragged_rank == rank - 2:
        return made.to_tensor()
    return made


def _some_elements(x: Any, at: Any, depth: int) -> Any:
    """Return the parts at one place, or at a vector of places."""
    if depth == 1:
        return gathered(x, reshape(at, [-1]))
    at = cast(at, x.row_splits.dtype)
    places = gather(x.row_splits, at[..., 0])
    places = places + at[..., 1]
    inner = x.values
    for i in range(2, depth):
        if not isinstance(inner, RaggedTensor):
            rest = concat([expand_dims(places, axis=1), at[..., i:]], axis=1)
            return gather_nd(inner, rest)
        places = gather(inner.row_starts(), places)
        places = places + at[..., i]
        inner = inner.values
    return gathered(inner, places)


@writes("BatchGather", of=FUNCTIONS)
def _batch_gather(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    if _rank(arguments["indices"]) not in (1, 2) and not is_ragged(
        arguments["indices"]
    ):
        return NotImplemented
    tried(arguments["params"])
    tried(arguments["indices"])
    return _within(arguments["params"], arguments["indices"], name)


def _rank(x: Any) -> int | None:
    return np.ndim(x) if isinstance(x, (list, tuple)) else rank_of(x)


def _within(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return what places within each row have."""
    with name_scope(name, "RaggedBatchGather"):
        x, at = given(params, "params"), given(indices, "indices")
        splits_dtype(x, at)
        rank = rank_of(at)
        if not rank:
            raise InvalidArgumentError("indices must be of known rank, 1 or more")
        if isinstance(at, RaggedTensor):
            return _ragged_within(x, at, rank)
        if rank == 1:
            return gathered(x, at)
        if rank != 2:
            raise InvalidArgumentError(
                "batch shape from indices does not match params shape"
            )
        starts = expand_dims(x.row_starts(), 1)
        return gathered(x.values, cast(at, starts.dtype) + starts)


def _ragged_within(x: Any, at: Any, rank: int) -> Any:
    text = "batch shape from indices does not match params shape"
    if not isinstance(x, RaggedTensor):
        if rank > 2 or (rank_of(x) or 2) < 2:
            raise InvalidArgumentError(text)
        x = from_tensor(x, ragged_rank=1, row_splits_dtype=at.row_splits.dtype)
    if rank > 2:
        with control_dependencies([assert_equal(x.row_splits, at.row_splits)]):
            return rows(_within(x.values, at.values), at.row_splits)
    counts = at.row_lengths()
    starts = repeat_along(x.row_starts(), counts, 0)
    places = cast(at.values, starts.dtype) + starts
    return rows(gathered(x.values, places), at.row_splits)
