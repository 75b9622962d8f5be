"""prune: leave out what nothing needs."""

from __future__ import annotations

from tensorlite.graph.graph import Graph, Node
from tensorlite.passes.rewrite import Copy, with_inner


def prune(graph: Graph) -> Graph:
    """Return `graph` with the nodes only that its outputs and effects need, and its inputs."""
    needed = reached(graph)
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node in needed and node not in copy.nodes:
            copy.node(node, with_inner(node.op, prune))
    return copy.finish(graph)


def reached(graph: Graph) -> set[Node]:
    """Return the nodes that a graph's outputs and effects depend on."""
    found: set[Node] = set()
    waiting = [*[x.node for x in graph.outputs], *graph.effects]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.control)
            waiting.extend([x.node for x in node.inputs])
    return found
