"""The recipes: which passes make a graph fast, and which make it ready to be cut and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tensorlite.graph.graph import Graph
from tensorlite.passes.inline import inline
from tensorlite.passes.lower import lower as lower_control_flow
from tensorlite.passes.prune import prune

Pass: TypeAlias = Callable[[Graph], Graph]

OPTIMISE: tuple[Pass, ...] = (inline, prune)
COMPILE: tuple[Pass, ...] = (*OPTIMISE, lower_control_flow, prune)


def run_passes(graph: Graph, passes: Sequence[Pass]) -> Graph:
    """Return the graph that `passes` make of `graph`, one after the other."""
    for one in passes:
        graph = one(graph)
    return graph


def optimise(graph: Graph) -> Graph:
    """Return an equivalent graph with inner graphs that takes less time and memory."""
    return run_passes(graph, OPTIMISE)


def lower(graph: Graph) -> Graph:
    """Return an equivalent graph of control-flow primitives, without inner graphs."""
    return run_passes(graph, COMPILE)
