"""evaluate: compute a symbolic tensor at once, outside of all graphs; a variable's first value.

Sessions and traced functions run graphs by plans, which is quicker: see runtime/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlite.core.dispatch import Tensors, execute, interpreted_by
from tensorlite.core.errors import SymbolicTensorError
from tensorlite.core.op import Role
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph, Node, SymbolicTensor

Values = dict[Node, Tensors]


def evaluate(
    x: SymbolicTensor, outside: Mapping[SymbolicTensor, Tensor], what: str
) -> Tensor:
    """Return the value of `x`, of which each node that it depends on is run once, now.

    `outside` holds what inputs of the graph stand for, which may be tensors of a graph around it.
    Where `x` depends on another input, SymbolicTensorError says so of `what`.
    """
    values: Values = {}
    for node in _in_order(x.node):
        if node.op.role is Role.INPUT:
            (y,) = node.outputs
            if y not in outside:
                raise SymbolicTensorError(
                    f"{what} depends on {y.name}, made at {node.line}, which has no value yet. "
                    "Compute it from constants, or give an array"
                )
            behind = outside[y]
            if isinstance(behind, SymbolicTensor):
                behind = evaluate(behind, outside, what)
            values[node] = (behind,)
    with interpreted_by(None):
        for node in _in_order(x.node):
            if node not in values:
                values[node] = _outputs(node, values)
    return values[x.node][x.index]


def _in_order(end: Node) -> list[Node]:
    """Return what `end` depends on, and `end` itself, each after what it needs."""
    needed: set[Node] = set()
    waiting = [end]
    while waiting:
        node = waiting.pop()
        if node not in needed:
            needed.add(node)
            waiting.extend([*node.control, *[x.node for x in node.inputs]])
    return [node for node in end.graph.nodes if node in needed]


def _outputs(node: Node, values: Values) -> Tensors:
    op, inputs = node.op, tuple([values[x.node][x.index] for x in node.inputs])
    if op.role is Role.IF:
        then, other = op.regions()
        return _run(then if inputs[0] else other, inputs[1:])
    if op.role is Role.WHILE:
        condition, body = op.regions()
        while _run(condition, inputs)[0]:
            inputs = _run(body, inputs)
        return inputs
    return execute(op, inputs)


def _run(graph: Graph, inputs: Sequence[Tensor]) -> Tensors:
    """Return the outputs of an inner graph, all of whose nodes run in order."""
    values: Values = {x.node: (y,) for x, y in zip(graph.inputs, inputs, strict=True)}
    for node in graph.nodes:
        if node not in values:
            values[node] = _outputs(node, values)
    return tuple([values[y.node][y.index] for y in graph.outputs])
