"""The recipes: which passes make a graph fast, and which make it ready to be cut and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tensorlite.core.errors import GraphError, note
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph
from tensorlite.ops.control.raising import raise_control_flow
from tensorlite.passes.fold import fold
from tensorlite.passes.implied import drop_implied
from tensorlite.passes.inline import inline
from tensorlite.passes.lower import lower as lower_control_flow
from tensorlite.passes.prune import prune
from tensorlite.passes.rewrite import Copy
from tensorlite.passes.simplify import simplify
from tensorlite.passes.trim import trim
from tensorlite.passes.verify import verify

Pass: TypeAlias = Callable[[Graph], Graph]

OPTIMISE: tuple[Pass, ...] = (
    inline,
    fold,
    inline,
    simplify,
    drop_implied,
    trim,
    prune,
)
COMPILE: tuple[Pass, ...] = (*OPTIMISE, lower_control_flow, prune)
WITH_PRIMITIVES: tuple[Pass, ...] = (inline, prune)
"""For graphs that have Switches already: what is known of a value says nothing of whether it is
dead, so that a constant in its place, or what it is made of, may live where it does not.
"""


def run_passes(
    graph: Graph, passes: Sequence[Pass], *, verified: bool = False
) -> Graph:
    """Return the graph that `passes` make of `graph`, one after the other.

    With `verified`, what each pass returns is checked, and an error names the pass.
    """
    for one in passes:
        graph = one(graph)
        if verified:
            _verify_after(one, graph)
    return graph


def _verify_after(one: Pass, graph: Graph) -> None:
    try:
        verify(graph)
    except GraphError as error:
        note(error, f"after the pass {getattr(one, '__name__', one)!r}")
        raise


def optimise(graph: Graph) -> Graph:
    """Return an equivalent graph with inner graphs that takes less time and memory."""
    if not _has_switches(graph):
        return run_passes(graph, OPTIMISE)
    raised = _raised(graph)
    passes = WITH_PRIMITIVES if _has_switches(raised) else OPTIMISE
    return run_passes(raised if passes is OPTIMISE else graph, passes)


def _raised(graph: Graph) -> Graph:
    """Return a graph with If and While for its primitives, as far as these are well formed."""
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node not in copy.nodes:
            copy.node(node)
    made = copy.finish(graph)
    raise_control_flow(made)
    return prune(made)


def lower(graph: Graph) -> Graph:
    """Return an equivalent graph of control-flow primitives, without inner graphs."""
    return run_passes(optimise(graph), (lower_control_flow, prune))


def _has_switches(graph: Graph) -> bool:
    return any(node.op.role is Role.SWITCH for node in graph.nodes)
