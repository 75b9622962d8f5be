"""as_primitives: a graph whose branches and loops are TensorFlow 1's: Switch, Merge, Enter, Exit.

The gradients that TensorFlow 1 takes ask for more than that it runs: a Switch is of one branch, and
that of a loop's variable is used once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.identity import Identity, IdentityN
from tensorlite.passes.lower import Tensors, put_lowered
from tensorlite.passes.rewrite import Copy


class _Copied(ManualGraph):
    """A graph in which every node is one of its own."""

    shares = False


def as_primitives(graph: ManualGraph) -> ManualGraph:
    """Return a graph in which nothing branches or loops by inner graphs; functions stay.

    What it does not change keeps its name. A graph that takes tensors from outside stays as it is.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, ())
    ...     y = tl.cond(x > 0.0, lambda: x, lambda: -x)
    >>> sorted({node.op.name for node in as_primitives(graph).nodes} & {"If", "Switch", "Merge"})
    ['Merge', 'Switch']
    """
    if not any(node.op.role in (Role.IF, Role.WHILE) for node in graph.nodes):
        return graph
    if graph.captured:
        return graph
    made = _Copied(graph.name)
    copy = Copy(made)
    for node in graph.nodes:
        if node.op.role is Role.INPUT:
            copy.node(node)
    put_lowered(graph, copy)
    kept = _give_names(graph, copy)
    copy.finish(graph)
    _drop(made, kept)
    _part_switches(made)
    return made


def _give_names(graph: Graph, copy: Copy) -> set[Node]:
    """Let copies have the names of their originals, and what is new others; return the copies."""
    kept: dict[Node, str] = {}
    for node in graph.nodes:
        made = copy.nodes[node]
        if len(made) == 1 and made[0].op is node.op:
            kept[made[0]] = node.name
        elif node.op.role in (Role.IF, Role.WHILE) and node.outputs:
            kept[_results(node, copy)] = node.name
    taken = {node.name for node in graph.nodes}
    for node in copy.target.nodes:
        name = kept.get(node, node.name)
        while node not in kept and name in taken:
            name += "_"
        taken.add(name)
        node.name = name
    return set(kept)


def _results(node: Node, copy: Copy) -> Node:
    """Return what has the outputs of a branch or loop, and so can have its name."""
    results = [copy.tensors[id(x)] for x in node.outputs]
    if len(results) == 1 and results[0].node.op.role in (Role.MERGE, Role.EXIT):
        return results[0].node
    op = Identity() if len(results) == 1 else IdentityN()
    return copy.target.add(op, results, device=node.device, line=node.line)


def _drop(graph: Graph, kept: set[Node]) -> None:
    """Leave out what is for nothing of what is new, but for what says that a branch is taken."""
    used = set(graph.effects) | {x.node for x in graph.outputs}
    left: list[Node] = []
    for node in reversed(graph.nodes):
        is_free = node.op.effect is Effect.NONE and node.op.role in _DROPPED
        if node in kept or node in used or not is_free or _is_pivot(node):
            left.append(node)
            used.update([x.node for x in node.inputs], node.control)
    graph.nodes[:] = left[::-1]


_DROPPED = {Role.PLAIN, Role.MERGE}


def _is_pivot(node: Node) -> bool:
    sources = [x.node for x in node.inputs]
    switches = [x for x in sources if x.op.role is Role.SWITCH]
    return any(x.inputs[0] is x.inputs[1] for x in switches)


def _part_switches(graph: Graph) -> None:
    """Let each branch have Switches of its own, and bodies of loops take variables but once."""
    users = defaultdict[int, list[Node]](list)
    for node in graph.nodes:
        for x in node.inputs:
            users[id(x)].append(node)
    ordered: list[Node] = []
    for node in list(graph.nodes):
        ordered.append(node)
        if node.op.role is not Role.SWITCH or node.inputs[0] is node.inputs[1]:
            continue  # it says whether a branch is taken
        no, yes = node.outputs
        if node.inputs[1].node.op.role is Role.LOOP_COND:
            ordered.append(_beside(node, Identity(), (yes,)))
            _use(users[id(yes)], yes, ordered[-1].outputs[0])
        elif users[id(no)] and users[id(yes)]:
            ordered.append(_beside(node, node.op, node.inputs, node.control))
            _use(users[id(no)], no, ordered[-1].outputs[0])
    graph.nodes[:] = ordered


def _beside(
    node: Node, op: Op, inputs: Tensors, control: tuple[Node, ...] = ()
) -> Node:
    """Return a node that stands where another does."""
    return node.graph.add(
        op,
        inputs,
        device=node.device,
        group=node.group,
        control=control,
        name=node.name,
        line=node.line,
    )


def _use(users: Sequence[Node], old: SymbolicTensor, new: SymbolicTensor) -> None:
    for user in users:
        user.inputs = tuple([new if x is old else x for x in user.inputs])
