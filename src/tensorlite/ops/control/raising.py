"""Raising: Switch, Merge, Enter, Exit, NextIteration and LoopCond become If and While again.

Graphs that other programs wrote have their control flow as primitives, which say nothing of what
belongs together. What is well formed is found here, from the inside out: raising_loops.py says
which frames are loops, raising_branches.py which Merges end conditionals. Regions are
differentiated and optimised; passes/lower.py goes the other way.

A graph is raised where it stands. The Exits and Merges keep their names and outputs, and show what
the new nodes return; all else stays beside, unused, so that names go on meaning what they meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.control.raising_branches import raise_branches
from tensorlite.ops.control.raising_loops import raise_loops
from tensorlite.ops.control.raising_parts import sources

DEPTH = 50
"""How deep loops and conditionals may be inside each other; what is around more stays as it is."""
_PRIMITIVES = frozenset({Role.SWITCH, Role.MERGE, Role.ENTER, Role.EXIT})


def passes_primitives(tensors: Iterable[SymbolicTensor]) -> bool:
    """Return whether what tensors depend on has control flow of primitives."""
    seen: set[Node] = set()
    waiting = [x.node for x in tensors]
    while waiting:
        node = waiting.pop()
        if node.op.role in _PRIMITIVES:
            return True
        if node not in seen:
            seen.add(node)
            waiting.extend([x.node for x in node.inputs])
    return False


def raise_control_flow(graph: Graph) -> set[Node]:
    """Turn what is well formed of a graph's primitives into regions; return what these replace.

    >>> @tl.function
    ... def double(x):
    ...     while x < 100.0:
    ...         x = x + x
    ...     return x
    >>> graph = double.get_concrete_function(tl.asarray(3.0)).lowered
    >>> len(raise_control_flow(graph)) > 0
    True
    >>> [node.op.name for node in graph.nodes if node.op.regions()]
    ['While']
    """
    gone: set[Node] = set()
    if not any(x.op.role in _PRIMITIVES for x in graph.nodes) or not _is_sorted(
        graph
    ):
        return gone
    for _ in range(DEPTH):
        count = len(graph.nodes)
        for one in (raise_loops, raise_branches):
            one(graph, gone)
            graph.nodes[:] = _sorted(graph.nodes)
        if len(graph.nodes) == count:
            break
    return gone


def _is_sorted(graph: Graph) -> bool:
    """Return whether nodes come after what they use, back edges apart."""
    seen: set[Node] = set()
    for node in graph.nodes:
        if not seen.issuperset(sources(node)):
            return False
        seen.add(node)
    return True


def _sorted(nodes: list[Node]) -> list[Node]:
    """Return nodes after what they use, and otherwise in the order in which they stand."""
    place = {node: i for i, node in enumerate(nodes)}
    left = {node: len(set(sources(node))) for node in nodes}
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for source in set(sources(node)):
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
