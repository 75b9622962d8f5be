"""implied: leave out what a loop's condition asks for though the rest of it implies that."""

from __future__ import annotations

from collections.abc import Iterable

from tensorlite.core.op import Op, Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.ops.math.compare import Less
from tensorlite.passes.rewrite import Copy, branches, with_inner
from tensorlite.passes.turns import CONJUNCTIONS, Test, conjuncts, tested


def drop_implied(graph: Graph) -> Graph:
    """Return `graph` with loops that do not ask for what the rest of their conditions implies.

    TensorFlow's map_fn and scan ask twice whether there is a turn left: by a counter of their own,
    and for `maximum_iterations`. Then the second counter is used by nothing, and `trim` drops it.
    """
    if not any(branches(node.op) for node in graph.nodes):
        return graph
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node not in copy.nodes:
            op = _shorter(node) if node.op.role is Role.WHILE else node.op
            copy.node(node, with_inner(op, drop_implied))
    return copy.finish(graph)


def _shorter(node: Node) -> Op:
    """Return the loop without what its condition need not ask."""
    cond, body = node.op.regions()
    found = [(x, tested(node, x)) for x in conjuncts(cond.outputs[0])]
    tests = [(x, test) for x, test in found if test is not None]
    # First those whose counters have come furthest, and of equal ones what turns use beside.
    tests.sort(
        key=lambda pair: (-pair[1].start, _only_counts(body, pair[1].position))
    )
    kept: list[Test] = []
    dropped: set[int] = set()
    for x, test in tests:
        if any(_implies(other, test) for other in kept):
            dropped.add(id(x))
        else:
            kept.append(test)
    return (
        node.op.with_regions((_without(cond, dropped), body)) if dropped else node.op
    )


def _only_counts(body: Graph, position: int) -> bool:
    """Return whether a turn uses a counter for nothing but what it is in the next one."""
    counter, after = body.inputs[position], body.outputs[position].node
    return not any(
        x is counter for node in body.nodes if node is not after for x in node.inputs
    )


def _implies(one: Test, other: Test) -> bool:
    """Return whether a counter that is below its limit tells that another one is below its own."""
    upwards = one.op is other.op is Less and one.step == other.step > 0
    if not upwards or not one.limit.dtype.is_integer:  # sums of fractions are rounded
        return False
    if one.limit is other.limit:
        return one.start >= other.start
    fewer, more = one.turns, other.turns
    return fewer is not None and more is not None and fewer <= more


def _without(region: Graph, dropped: Iterable[int]) -> Graph:
    """Return a condition that does not ask for some of its conjuncts, by their ids."""
    gone = {*dropped}
    copy = Copy(Graph(region.name))
    copy.inputs(region)
    for node in region.nodes:
        if node in copy.nodes:
            continue
        left = [x for x in node.inputs if id(x) not in gone]
        if not isinstance(node.op, CONJUNCTIONS) or len(left) == len(node.inputs):
            copy.node(node)
        elif left:
            copy.stand_in(node, [copy.tensors[id(left[0])]])
        else:
            gone.add(id(node.outputs[0]))
            copy.node(node)
    return copy.finish(region)
