"""States of zeros, which recurrent networks begin with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import concat, expand_dims, stack, zeros
from tensorlite.compat.shared.sizes import whole_sizes
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.graphs import framework
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph


def sizes_of_state(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Return zeros for each size in a nest."""
    if isinstance(state_size, TensorShape):
        return _zero(state_size, batch_size, dtype)
    if nest.is_nested(state_size):
        made = [
            sizes_of_state(x, batch_size, dtype) for x in nest.children(state_size)
        ]
        return nest.rebuild(state_size, made)
    return _zero(state_size, batch_size, dtype)


def _zero(size: Any, batch_size: Any, dtype: Any) -> Any:
    sizes = size.as_list() if isinstance(size, TensorShape) else [size]
    batch_size, *sizes = whole_sizes([batch_size, *sizes])
    made = batched_zeros(batch_size, sizes, dtype)
    if active_graph() is not None:
        known = [get_static_value(x) for x in batched(batch_size, sizes)]
        made.set_shape(
            [x for part in known for x in ([None] if part is None else part)]
        )
    return made


def batched_zeros(batch_size: Any, sizes: Sequence[Any], dtype: Any) -> Any:
    """Return zeros for each row of a batch, in a graph made as TensorFlow makes them."""
    if active_graph() is None:
        return zeros(stack([batch_size, *sizes]), dtype)
    return zeros(concat(batched(batch_size, sizes), 0), dtype)


def batched(batch_size: Any, sizes: Sequence[Any]) -> list[Any]:
    """Return the sizes of a batch, if one is told, and of its rows as vectors."""
    if batch_size is None:
        return [framework.constant(list(sizes), int32)]
    is_known = isinstance(batch_size, int)
    first = (
        framework.constant([batch_size]) if is_known else expand_dims(batch_size, 0)
    )
    if any(isinstance(size, Operand) for size in sizes):
        return [first, stack(list(sizes))]
    return [first, framework.constant(list(sizes), int32)]
