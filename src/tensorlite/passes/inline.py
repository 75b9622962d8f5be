"""inline: put the bodies of called functions, and of decided conditionals, where they are used.

So are the parts of operators that are made of others. What only says how gradients are taken goes:
they have been when a graph is made ready to run. So does what is waited for in name only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.op import Effect, Role
from tensorlite.core.provenance import at_line
from tensorlite.core.scope import Scope
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.composite import Composite
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.control.differentiate import CustomGradient
from tensorlite.passes.fold import fold
from tensorlite.passes.rewrite import Copy, bound, branches, with_inner

CONTROL = (Role.IF, Role.WHILE, Role.CALL)


def inline(graph: Graph) -> Graph:
    """Return `graph` with calls, and conditionals on a constant, replaced by what they run.

    A recursive function stays a call.
    """
    if not _has_work(graph):
        return graph
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    _put(graph, copy)
    return copy.finish(graph)


def _has_work(graph: Graph) -> bool:
    """Return whether there is anything to inline in a graph or the graphs inside it."""
    return any(
        isinstance(node.op, _GOING)
        or _waits_in_vain(node)
        or _chosen(node)[0] is not None
        or any(map(_has_work, branches(node.op)))
        for node in graph.nodes
        if node.op.role in CONTROL or isinstance(node.op, (*_GOING, NoOp))
    )


_GOING = (Composite, CustomGradient)


def _waits_in_vain(node: Node) -> bool:
    return isinstance(node.op, NoOp) and not node.op.orders


def _put(graph: Graph, copy: Copy, before: Sequence[Node] = ()) -> list[Node]:
    """Copy a graph's nodes; return those with effects, which run after `before`."""
    effects: list[Node] = []
    for node in graph.nodes:
        if node in copy.nodes:
            continue
        if _waits_in_vain(node):
            copy.nodes[node] = ()
            continue
        if isinstance(node.op, CustomGradient):
            results = [copy.tensors[id(x)] for x in node.inputs[: node.op.number]]
            copy.stand_in(node, results, *copy.before(node))
            continue
        if isinstance(node.op, Composite):
            _take_apart(node.op, node, copy)
            continue
        region, arguments = _chosen(node)
        ordered = node.op.effect not in (Effect.NONE, Effect.DRAW)
        if region is None:
            op = with_inner(node.op, inline)
            copy.node(node, op, before if ordered else ())
        else:
            _expand(node, region, arguments, copy, [*before, *copy.before(node)])
        if ordered:
            effects.extend(copy.nodes[node])
    return effects


def _chosen(node: Node) -> tuple[Graph | None, Sequence[SymbolicTensor]]:
    """Return the inner graph that a node surely runs once, and what it is run on."""
    if node.op.role is Role.CALL and not is_recursive(node):
        return node.op.regions()[0], node.inputs
    if node.op.role is Role.IF and isinstance(node.inputs[0].node.op, Const):
        then, other = node.op.regions()
        return (then if np.any(node.inputs[0].node.op.value) else other), node.inputs[
            1:
        ]
    return None, ()


def _take_apart(op: Composite, node: Node, copy: Copy) -> None:
    """Copy what a node is made of, each part placed as it is, and waiting for what it waits for.

    What is known beforehand is folded: constants are of every frame of a loop, while what is
    computed of them alone would be of none.
    """
    within = Scope(node.name, node.device, (), node.group)
    with at_line(node.line):
        region = fold(op.parts([x.spec for x in node.inputs], within))
    inside = bound(copy.target, region, [copy.tensors[id(x)] for x in node.inputs])
    inputs = {x.node for x in region.inputs}
    for part in region.nodes:
        if part not in inputs:
            waits = () if isinstance(part.op, Const) else copy.before(node)
            inside.node(part, control=waits)
    outputs = [inside.tensors[id(x)] for x in region.outputs]
    copy.stand_in(node, outputs, *dict.fromkeys(x.node for x in outputs))


def _expand(
    node: Node,
    region: Graph,
    arguments: Sequence[SymbolicTensor],
    copy: Copy,
    before: Sequence[Node],
) -> None:
    inside = bound(copy.target, region, [copy.tensors[id(x)] for x in arguments])
    inside.nodes.update({x.node: () for x in region.inputs})
    effects = _put(region, inside, before)
    outputs = [inside.tensors[id(x)] for x in region.outputs]
    copy.stand_in(node, outputs, *effects)


def is_recursive(node: Node) -> bool:
    """Return whether a call is of a function that calls itself, through others too."""
    (called,) = node.op.regions()
    seen: set[int] = set()
    waiting = _inner(called)
    while waiting:
        graph = waiting.pop()
        if graph is called:
            return True
        if id(graph) not in seen:
            seen.add(id(graph))
            waiting.extend(_inner(graph))
    return False


def _inner(graph: Graph) -> list[Graph]:
    return [region for node in graph.nodes for region in node.op.regions()]
