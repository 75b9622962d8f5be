"""Sums of what flows into a tensor from several sides, in the ways that programs may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.elementwise import accumulate_n, add_n
from tensorlite.compat.shared.values import AggregationMethod
from tensorlite.compat.views import plain, shown
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import name_scope

SUMMED = "summed gradients"
"""Under what a graph keeps the way in which gradients are added up."""
_AT_ONCE = (None, AggregationMethod.ADD_N)


def in_a_way(x: SymbolicTensor, parts: Sequence[Any], way: Any) -> Any:
    """Return the sum of what flows into a tensor, None where it is to be one of all at once.

    Others begin with the first two; more than two of known shapes may be accumulated.
    """
    if way in _AT_ONCE or any(isinstance(dx, IndexedSlices) for dx in parts):
        return None
    accumulated = way == AggregationMethod.EXPERIMENTAL_ACCUMULATE_N
    static = all(dx.spec.is_static for dx in parts)
    total, *others = shown(list(parts))
    if accumulated and static and len(parts) > 2:
        return plain(accumulate_n([total, *others]))
    with name_scope(f"{x.node.name}_gradient_sum"):
        for dx in others:
            total = add_n([total, dx])
    return plain(total)
