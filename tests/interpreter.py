"""The oracle of the runners: executes a graph with regions node by node, eagerly and recursively.

It knows no plan, no pass and no primitive; what it computes, every runner must.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.dispatch import Tensors, execute, interpreted_by, to_tensor
from tensorlite.core.op import Role
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import device_of, is_array
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.trace import trace
from tensorlite.ops.control.regions import call_function


def run_graph(graph: Graph, inputs: Sequence[Tensor]) -> Tensors:
    """Return the outputs of a graph for one eager tensor per input."""
    assert len(inputs) == len(graph.inputs), (graph, len(inputs), len(graph.inputs))
    values = {id(x): value for x, value in zip(graph.inputs, inputs, strict=True)}
    with interpreted_by(None):
        for node in graph.nodes:
            if node.op.role is not Role.INPUT:
                given = tuple([values[id(x)] for x in node.inputs])
                outputs = run_node(node, given)
                values.update(zip(map(id, node.outputs), outputs, strict=True))
        return tuple([values[id(y)] for y in graph.outputs])


def run_node(node: Node, inputs: Tensors) -> Tensors:
    """Return the outputs of a node; inner graphs run by the same means."""
    role, regions = node.op.role, node.op.regions()
    if role is Role.IF:
        return run_graph(regions[0] if inputs[0] else regions[1], inputs[1:])
    if role is Role.WHILE:
        cond, body = regions
        while run_graph(cond, inputs)[0]:
            inputs = run_graph(body, inputs)
        return inputs
    if role is Role.CALL:
        return run_graph(regions[0], inputs)
    outputs = execute(node.op, inputs)
    for spec, y in zip([y.spec for y in node.outputs], outputs, strict=True):
        assert spec.accepts(y.spec), f"{node!r} gave {y.spec}"
    return outputs


class Interpreted:
    """A callee that this interpreter runs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return the outputs for arrays."""
        inputs = [
            EagerTensor(x, device_of(x)) if is_array(x) else EagerTensor(x)
            for x in arrays
        ]
        return tuple([y.array for y in run_graph(self.graph, inputs)])

    def with_graph(self, graph: Graph) -> Interpreted:
        """Return a callee of another graph."""
        return Interpreted(graph)


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that traces `function` at each call and calls the trace.

    `function` takes tensors and returns one, or a tuple of them.
    """

    def call(*args: Any) -> Any:
        tensors = [to_tensor(x) for x in args]
        result: list[Any] = []

        def flat(*inner: Tensor) -> Sequence[Tensor]:
            result[:] = [function(*inner)]
            return result[0] if isinstance(result[0], (tuple, list)) else [result[0]]

        made = trace(
            flat, [x.spec.without_value() for x in tensors], function.__name__
        )
        outputs = call_function(Interpreted(made.graph), (*tensors, *made.captured))
        return tuple(outputs) if isinstance(result[0], (tuple, list)) else outputs[0]

    return call
