"""What gradients a graph's program asked for: who writes the graph anew takes them anew, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlite.core import nest
from tensorlite.core.op import Gradient, Role
from tensorlite.core.scope import scope
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.graph.tape import source_of
from tensorlite.graph_mode.counting import be_unsure
from tensorlite.graph_mode.graph import active_graph, inner_graph

_KEPT = "sweeps"


class Sweep(NamedTuple):
    """One asking for gradients: of what, by what, and what was made for it."""

    scope: str
    targets: tuple[Tensor, ...]
    flows: tuple[Gradient, ...]
    """What flows into each target."""
    sources: tuple[Tensor, ...]
    stops: tuple[Tensor, ...]
    found: tuple[Gradient, ...]
    nodes: frozenset[Node]
    scopes: dict[str, Any]
    """What parts of the graph mode kept for the graph then."""


def sweeps_of(graph: Any) -> list[Sweep]:
    """Return what gradients were asked for in a graph, the first before the others."""
    found: list[Sweep] = graph.kept.get(_KEPT, [])
    return found


def noted(
    targets: Sequence[Any],
    sources: Sequence[Any],
    flows: Sequence[Any] | None,
    stops: Sequence[Any],
    taken: Callable[[], list[Gradient]],
) -> list[Gradient]:
    """Return gradients that are taken, of which the graph that is built takes note."""
    graph = active_graph()
    if graph is None or flows is None or inner_graph(graph) is not graph:
        return taken()
    if any(isinstance(x, nest.Composite) for x in (*targets, *sources)):
        return taken()  # those of sparse and ragged tensors are not taken anew
    with graph.lock:  # so that what is made in between is the gradients' own
        before, kept = set(graph.nodes), copied(graph.scopes)
        found = taken()
        made = frozenset([x for x in graph.nodes if x not in before])
    held = [tuple(map(source_of, x)) for x in (targets, sources, stops)]
    ends = tuple(flows), held[1], held[2], tuple(found)
    one = Sweep(scope.get().name, held[0], *ends, made, kept)
    graph.kept.setdefault(_KEPT, []).append(one)
    if any(x.op.role in (Role.IF, Role.WHILE) for x in before):
        be_unsure(graph)
    return found


def copied(scopes: dict[str, Any]) -> dict[str, Any]:
    """Return what parts of the graph mode keep, of which gradients change no more."""
    return {key: dict(x) if type(x) is dict else x for key, x in scopes.items()}
