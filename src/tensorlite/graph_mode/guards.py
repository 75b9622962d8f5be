"""guarded: first values that rest on other variables, which may have no value yet.

As in TensorFlow, such a variable's first value stands for it then, so that variables can be begun
in any order. What branches or loops on the way stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensorlite.core.op import Op, Role
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.state.resource import ReadVariableOp, VarHandleOp

_HELD = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)


def guarded(graph: Graph, value: SymbolicTensor, name: str) -> SymbolicTensor:
    """Return a first value that needs no other variable to have one.

    Nodes on the way from others' values are made once more, `name` behind their names.
    """
    behind = _behind(value.node)
    if not any(isinstance(node.op, ReadVariableOp) for node in behind):
        return value
    instead: dict[Node, Node] = {}
    for node in [x for x in graph.nodes if x in behind]:
        inputs = list(_begun(graph, node, instead))
        if any(x is not y for x, y in zip(inputs, node.inputs, strict=True)):
            op: Op = Identity() if isinstance(node.op, ReadVariableOp) else node.op
            made = graph.add(op, inputs, device=node.device, line=node.line)
            graph.rename(made, graph.free_name(f"{node.name}_{name}"))
            instead[node] = made
    return instead.get(value.node, value.node).outputs[value.index]


def _behind(node: Node) -> set[Node]:
    """Return a node and those that it is computed of, but for what branches and loops take."""
    found, left = set[Node](), [node]
    while left:
        one = left.pop()
        if one not in found and one.op.role not in (Role.IF, Role.WHILE):
            found.add(one)
            left += [x.node for x in one.inputs]
    return found


def _begun(
    graph: Graph, node: Node, instead: dict[Node, Node]
) -> Iterator[SymbolicTensor]:
    """Yield what a node takes: for a variable that it reads, the value that this begins with."""
    for x in node.inputs:
        first = (
            _first_of(graph, node) if isinstance(node.op, ReadVariableOp) else None
        )
        yield instead.get(x.node, x.node).outputs[x.index] if first is None else first


def _first_of(graph: Graph, node: Node) -> SymbolicTensor | None:
    """Return the value of the variable that a node reads, or its first one while it has none."""
    (handle,) = node.inputs
    if not isinstance(handle.node.op, VarHandleOp) or not handle.node.op.is_reference:
        return None
    for key in _HELD:
        for variable in graph.get_collection(key):
            if getattr(variable, "handle", None) is handle:
                value: Tensor = variable.initialized_value().__tensor__()
                return value if isinstance(value, SymbolicTensor) else None
    return None
