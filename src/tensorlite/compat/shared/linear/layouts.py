"""Sizes and orders of axes: operators in graphs of version 1, numbers where nothing is built."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from tensorlite.compat.calling import given_constant
from tensorlite.compat.shared import arrays, checks, cutting
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.known_matrices import KnownMatrix, sizes_of
from tensorlite.core.dtypes import int32
from tensorlite.core.spec import broadcast
from tensorlite.graph_mode.graph import active_graph, name_scope


def sizes(x: Any) -> Any:
    """Return the sizes of a tensor: a vector in a graph, else a list of numbers."""
    return sizes_of(x) if active_graph() is None else arrays.shape(x)


def in_a_row(*parts: Any) -> Any:
    """Return sizes one behind the other."""
    if active_graph() is None:
        return [n for part in parts for n in part]
    return arrays.concat(parts, axis=0)


def width(operator: KnownMatrix, adjoint: bool = False) -> Any:
    """Return how many columns the matrix of an operator has, or its adjoint."""
    known = operator.shape.as_list()[-2 if adjoint else -1]
    if active_graph() is None and known is not None:
        return known
    if adjoint:
        return operator.range_dimension_tensor()
    return operator.domain_dimension_tensor()


def batch_sizes(operator: KnownMatrix) -> Any:
    """Return the sizes of an operator's batch."""
    known = operator.batch_shape
    if active_graph() is None and known.is_fully_defined():
        return known.as_list()
    return operator.batch_shape_tensor()


def first_axis_last(x: Any) -> Any:
    """Return a tensor with its first axis behind the others."""
    order = arrays.concat([arrays.range(1, arrays.rank(x)), [0]], axis=0)
    return arrays.transpose(x, order)


def last_axis_first(x: Any) -> Any:
    """Return a tensor with its last axis before the others."""
    rank = arrays.rank(x)
    order = arrays.concat([[rank - 1], arrays.range(0, rank - 1)], axis=0)
    return arrays.transpose(x, order)


def rotated(x: Any, shift: int) -> Any:
    """Return a tensor of known rank with its axes moved on by `shift`, the last ones first."""
    rank = x.get_shape().rank
    with name_scope("rotate_transpose"):
        if active_graph() is not None:
            checks.assert_integer(given_constant(shift, int32, name="shift"))
        return arrays.transpose(x, [(i - shift) % rank for i in range(rank)])


def stacked(x: Any) -> Any:
    """Return the columns of matrices, one below the other, as vectors."""
    flat = matrices.matrix_transpose(x)
    return arrays.reshape(flat, in_a_row(sizes(x)[:-2], [-1]))


def unstacked(x: Any, columns: Any) -> Any:
    """Return matrices of so many columns of which vectors are stacked."""
    rows = arrays.reshape(x, in_a_row(sizes(x)[:-1], [columns, -1]))
    return matrices.matrix_transpose(rows)


def of_one_batch(blocks: Sequence[Any]) -> list[Any]:
    """Return matrices, all of the batch that theirs broadcast to."""
    batches = [block.get_shape().as_list()[:-2] for block in blocks]
    batch = list(broadcast(*(tuple(x) for x in batches)) or ())
    if None not in batch:
        both = zip(blocks, batches, strict=True)
        return [x if own == batch else _repeated(x, batch) for x, own in both]
    if all(own == batch for own in batches):
        return list(blocks)
    every = [arrays.shape(block)[:-2] for block in blocks]
    whole = reduce(cutting.broadcast_dynamic_shape, every)
    return [_repeated(block, whole) for block in blocks]


def _repeated(block: Any, batch: Any) -> Any:
    ends = arrays.shape(block)[-2:]
    return cutting.broadcast_to(block, arrays.concat([batch, ends], axis=0))
