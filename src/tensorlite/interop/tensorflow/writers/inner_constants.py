"""keep_in_turns: constants of loops wait for their turns, as TensorFlow 1's do.

What else changes when branches and loops become primitives is in primitives.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence

from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.interop.tensorflow.writing import (
    before_switches,
    inside_loops,
    is_constant,
)
from tensorlite.ops.random.stateful_draws import generators


def keep_in_turns(graph: Graph) -> None:
    """Let constants that only nodes of a loop take be of its turns, as TensorFlow 1's are.

    Those of others, which are of every frame here, are copied where they are written.
    """
    users = defaultdict[Node, list[Node]](list)
    for node in graph.nodes:
        for x in {x.node: None for x in node.inputs} | dict.fromkeys(node.control):
            users[x].append(node)
    inside, hidden = inside_loops(graph), generators(graph)
    turns, beside = dict[Node, Node](), dict[Node, Node]()
    for node in reversed(_computed_once(graph)):
        found = [turns.get(x) or _turn(x, inside, hidden) for x in users[node]]
        waits = [x for x in found if x is not None]
        if waits and len(waits) == len(found):
            turns[node] = waits[0]
            if is_constant(node):
                node.control = (waits[0],)
                beside[node] = users[node][0]
    graph.nodes[:] = moved(graph.nodes, beside)


def _computed_once(graph: Graph) -> list[Node]:
    """Return constants, and what is computed of nothing but constants."""
    found: dict[Node, None] = {}
    for node in graph.nodes:
        is_plain = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
        if (
            is_plain
            and not node.control
            and all(x.node in found for x in node.inputs)
        ):
            found[node] = None
    return list(found)


def _turn(node: Node, inside: set[Node], hidden: Container[Node]) -> Node | None:
    """Return what is there in each turn of the loop that a node is of, None outside of loops.

    What is hidden is not written: what it waits for stands for it.
    """
    sources = (*[x.node for x in node.inputs], *node.control)
    written = [y for x in sources for y in (x.control if x in hidden else (x,))]
    waits = [x for x in written if x in inside]
    if node not in inside or not waits:
        return None
    is_plain = node.op.role in (Role.PLAIN, Role.ENTER)
    return before_switches(waits[0]) if is_plain else None


def moved(nodes: Sequence[Node], before: Mapping[Node, Node]) -> list[Node]:
    """Return nodes of which some stand before others now."""
    due = defaultdict[Node, list[Node]](list)
    for node, user in before.items():
        due[user].append(node)
    return [x for node in nodes if node not in before for x in (*due[node], node)]
