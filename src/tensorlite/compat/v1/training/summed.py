"""Gradients of a strategy's replicas in graphs, which are summed before they are applied.

There all replicas use one variable; programs that run at once use distributed/strategies/turns.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared.elementwise import add_n
from tensorlite.compat.views import plain, shown
from tensorlite.core.tensor import IndexedSlices
from tensorlite.distributed.strategies.turns import Turn, jointly
from tensorlite.graph_mode.graph import active_graph, built, get_default_graph
from tensorlite.ops.sparse.slices import accumulate
from tensorlite.train.replica import replica


def applied(update: Callable[[list[Any]], Any], pairs: list[Any]) -> Any:
    """Return what `update` makes of gradients, in a replica of the sums of all replicas'."""
    if active_graph() is None:
        return jointly(update, pairs)
    return _applied_once(update, pairs)


def _applied_once(update: Callable[[list[Any]], Any], pairs: Sequence[Any]) -> Any:
    """Return what `update` makes, in a replica once for the sums of all replicas' gradients."""
    here = replica.get()
    if not isinstance(here, Turn):
        return update(list(pairs))

    def merged(brought: list[Sequence[Any]]) -> list[Any]:
        columns = list(zip(*brought, strict=True))
        summed = [(_sum([g for g, _ in column]), column[0][1]) for column in columns]
        return [update(summed)] * len(brought)

    return here.merge(merged, pairs)


def _sum(gradients: list[Any]) -> Any:
    given = [plain(g) for g in gradients if g is not None]
    if len(given) < 2 or not any(isinstance(g, IndexedSlices) for g in given):
        return shown(given[0]) if len(given) == 1 else add_n(gradients)
    with built(get_default_graph()):
        return shown(accumulate(given))
