"""Which inputs of a graph its outputs depend on, as gradients flow: sets of small numbers as bits.

Gradients of regions (region_gradients.py, call_gradients.py) ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node

_Known = dict[int, list[int] | None]
"""By graph; None for those that are being looked at, as functions that call themselves are."""


def dependencies(
    graph: Graph, whatever: bool = False, known: _Known | None = None
) -> list[int]:
    """Return for each output the set of inputs (as bits) that gradients flow to from it.

    `whatever` takes operators that let no gradient through as if they did. An output of a branch
    or of a called function depends on what any of its outputs does, as TensorFlow 2 has it.
    """
    known = {} if known is None else known
    known[id(graph)] = None
    reach = {
        id(x): 1 << j for j, x in enumerate(graph.inputs) if x.dtype.is_differentiable
    }
    for node in graph.nodes:
        if node.inputs and (whatever or node.op.differentiable):
            through = _through(node, whatever, known)
            bits = union(
                reach.get(id(x), 0)
                for k, x in enumerate(node.inputs)
                if through >> k & 1
            )
            if bits:
                reach.update(
                    {id(y): bits for y in node.outputs if y.dtype.is_differentiable}
                )
    found = [reach.get(id(y), 0) for y in graph.outputs]
    known[id(graph)] = found
    return found


def _through(node: Node, whatever: bool, known: _Known) -> int:
    """Return the inputs of a node that gradients of its outputs may go through, as bits."""
    role = node.op.role
    if role not in (Role.IF, Role.CALL):
        return -1
    found = 0
    for graph in node.op.regions():
        if id(graph) not in known:
            dependencies(graph, whatever, known)
        reached = known[id(graph)]
        if reached is None:
            return -1
        found |= union(reached)
    return found << 1 if role is Role.IF else found


def union(sets: Iterable[int]) -> int:
    """Return the union of sets of small numbers."""
    found = 0
    for one in sets:
        found |= one
    return found


def bits_of(places: Iterable[int]) -> int:
    """Return a set of small numbers as bits."""
    return sum(1 << place for place in places)
