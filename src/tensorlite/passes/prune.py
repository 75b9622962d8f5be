"""prune: leave out what nothing needs."""

from __future__ import annotations

from tensorlite.graph.graph import Graph
from tensorlite.passes.rewrite import Copy, reached, with_inner


def prune(graph: Graph) -> Graph:
    """Return `graph` with the nodes only that its outputs and effects need, and its inputs."""
    needed = reached(graph)
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node in needed and node not in copy.nodes:
            copy.node(node, with_inner(node.op, prune))
    return copy.finish(graph)
