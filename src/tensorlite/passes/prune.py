"""prune: leave out what nothing needs."""

from __future__ import annotations

from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.passes.rewrite import Copy, branches, reached, with_inner


def prune(graph: Graph) -> Graph:
    """Return `graph` with the nodes only that its outputs and effects need, and its inputs."""
    needed = reached(graph)
    if not graph.open and not _has_work(graph, needed):
        return graph
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node in needed and node not in copy.nodes:
            copy.node(node, with_inner(node.op, prune))
    return copy.finish(graph)


def _has_work(graph: Graph, needed: set[Node]) -> bool:
    """Return whether anything in a graph, or in the graphs inside it, is not needed."""
    kept = needed | {x.node for x in graph.inputs}
    return len(kept) < len(graph.nodes) or any(
        _has_work(inner, reached(inner))
        for node in graph.nodes
        if node.op.role in (Role.IF, Role.WHILE)
        for inner in branches(node.op)
    )
