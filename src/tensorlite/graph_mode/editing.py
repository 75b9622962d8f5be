"""Changes of graphs that are built: nodes copied, uses of tensors moved, nodes made to wait.

Sessions that have run what is changed run it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph

_REGIONS = (Role.IF, Role.WHILE)
Renamed = Callable[[Node], str]
"""Returns what a copy is called if nothing else is."""
Instead = Callable[[SymbolicTensor], SymbolicTensor]
"""Returns what a copied node takes in the place of a tensor from outside of what is copied."""


def copied(
    nodes: Iterable[Node], graph: Graph, renamed: Renamed, instead: Instead
) -> dict[Node, Node]:
    """Return by node its copy in a graph; copies take each other's outputs, and wait for them."""
    made: dict[Node, Node] = {}
    wanted = _in_order(nodes)
    among = set(wanted)
    for node in wanted:
        if any(x.node in among and x.node not in made for x in node.inputs):
            raise GraphError(
                f"{node.name} is in a loop of primitives, which is copied as a whole: give a loop "
                "made by tl.while_loop"
            )
        inputs = [
            made[x.node].outputs[x.index] if x.node in made else instead(x)
            for x in node.inputs
        ]
        waits = tuple([made[x] for x in node.control if x in made])
        name = _free_name(graph, renamed(node), node.op.role in _REGIONS)
        copy = graph.append(node.op, inputs, name, waits)
        copy.device, copy.group, copy.line = node.device, node.group, node.line
        made[node] = copy
    return made


def _free_name(graph: Graph, name: str, has_scope: bool) -> str:
    """Return a name that no node has; a branch or loop has a scope of its own before it."""
    outer, _, last = name.rpartition("/")
    taken = {node.name for node in graph.nodes}
    if has_scope and outer:
        scope = graph.free_name(outer)
        while f"{scope}/{last}" in taken:
            scope = graph.free_name(outer)
        return f"{scope}/{last}"
    found, count = graph.free_name(name, mark=False), 1
    while found in taken:
        found, count = f"{name}_{count}", count + 1
    return found


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes in the order of their graph."""
    wanted = dict.fromkeys(nodes)
    graphs = {id(node.graph): node.graph for node in wanted}
    return [
        node for graph in graphs.values() for node in graph.nodes if node in wanted
    ]


def reroute(
    uses: Mapping[SymbolicTensor, SymbolicTensor], users: Collection[Node]
) -> int:
    """Let nodes take other tensors than they did; return how many inputs were changed.

    All are changed at once, so that two tensors may change places. GraphError for a circle.
    """
    changes = [
        (node, i, uses[x])
        for node in users
        for i, x in enumerate(node.inputs)
        if x in uses
    ]
    before = [(node, node.inputs) for node, *_ in changes]
    for node, i, x in changes:
        node.set_input(i, x)
    try:
        for graph in {id(node.graph): node.graph for node, *_ in changes}.values():
            put_in_order(graph)
    except GraphError:
        for node, inputs in reversed(before):
            node.inputs = inputs
        raise
    return len(changes)


def wait_for(node: Node, others: Iterable[Node]) -> None:
    """Let a node run behind others, too; GraphError where they run behind it."""
    before = node.control
    node.control = tuple(dict.fromkeys([*before, *others]))
    try:
        put_in_order(node.graph)
    except GraphError:
        node.control = before
        raise


def put_in_order(graph: object) -> None:
    """Let nodes stand behind those that they take and wait for, and as they did but for that.

    What closes loops of primitives stands behind them still. GraphError for a circle.
    """
    assert isinstance(graph, Graph)
    place = {node: i for i, node in enumerate(graph.nodes)}
    loose = {
        node
        for node in graph.nodes
        if node.op.name == "Merge"
        and any(_ahead(x.node, node, place) for x in node.inputs)
    }
    if not any(
        place[one] > place[node]
        for node in graph.nodes
        for one in _behind(node, loose)
    ):
        return
    done: dict[Node, None] = {}
    open_nodes: set[Node] = set()
    for first in graph.nodes:
        path = [first]
        while path:
            node = path[-1]
            due = [x for x in _behind(node, loose) if x not in done]
            if node in done or not due:
                done[path.pop()] = None
                open_nodes.discard(node)
                continue
            open_nodes.add(node)
            circle = next((x for x in due if x in open_nodes), None)
            if circle is not None:
                raise GraphError(
                    f"{node.name} would run behind itself: through {circle.name}"
                )
            path.append(due[0])
    graph.nodes[:] = list(done)


def _ahead(one: Node, node: Node, place: Mapping[Node, int]) -> bool:
    return one.op.name == "NextIteration" and place[one] > place[node]


def _behind(node: Node, loose: Collection[Node]) -> list[Node]:
    """Return the nodes that one stands behind."""
    given = [x.node for x in node.inputs]
    if node in loose:
        given = [x for x in given if x.op.name != "NextIteration"]
    return [*given, *node.control]
