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

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.ordering import is_ordered, ordered
from tensorlite.ops.control.raising_branches import raise_branches
from tensorlite.ops.control.raising_loops import raise_loops

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
    if not any(x.op.role in _PRIMITIVES for x in graph.nodes):
        return gone
    if not is_ordered(graph.nodes):
        try:
            graph.nodes[:] = ordered(graph.nodes)
        except GraphError:
            return gone
    for _ in range(DEPTH):
        count = len(graph.nodes)
        for one in (raise_loops, raise_branches):
            one(graph, gone)
            graph.nodes[:] = ordered(graph.nodes)
        if len(graph.nodes) == count:
            break
    return gone
