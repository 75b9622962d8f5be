"""ordered: nodes after what they use and wait for, back edges of loops apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.graph.graph import Node


def sources(node: Node) -> list[Node]:
    """Return the nodes that one comes after: those it depends on, back edges apart."""
    is_merge = node.op.role is Role.MERGE
    used = [x.node for x in node.inputs]
    return [
        *[x for x in used if not (is_merge and x.op.role is Role.NEXT)],
        *node.control,
    ]


def is_ordered(nodes: Iterable[Node]) -> bool:
    """Return whether nodes come after those of them that they use."""
    listed = list(nodes)
    left = set(listed)
    for node in listed:
        if not left.isdisjoint(sources(node)):
            return False
        left.discard(node)
    return True


def ordered(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes after those of them that they use, and otherwise as they stand.

    Raises GraphError where some wait for each other.
    """
    place = {node: i for i, node in enumerate(nodes)}
    before = {node: {x for x in sources(node) if x in place} for node in nodes}
    left = {node: len(xs) for node, xs in before.items()}
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node, xs in before.items():
        for source in xs:
            users[source].append(node)
    ready = [place[node] for node in nodes if not left[node]]
    heapify(ready)
    done: list[Node] = []
    while ready:
        node = nodes[heappop(ready)]
        done.append(node)
        for user in users[node]:
            left[user] -= 1
            if not left[user]:
                heappush(ready, place[user])
    if len(done) < len(nodes):
        names = [node.name for node in nodes if left[node]]
        raise GraphError(
            f"{', '.join(names[:5])} wait for each other once branches are one operation; no "
            "program makes such conditionals"
        )
    return done
