"""Sparse gradients in gradients that TensorFlow 1 writes of dense ones.

Whatever takes one has it made dense for itself, under the name that its operand has there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tensorlite.compat.arguments import operand_names
from tensorlite.compat.views import GraphTensor, plain, view
from tensorlite.core.scope import scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.graph import Node
from tensorlite.graph_mode.graph import Graph, name_scope, titled
from tensorlite.ops.sparse.slices import densify

_BOUNDS = ("stack", "stack_1", "stack_2")
"""What TensorFlow calls where a slice begins and ends, and its steps."""


class Flow(GraphTensor):
    """A sparse gradient, which is made dense anew each time that it is taken."""

    __slots__ = ("made", "slices", "wide")

    def __init__(self, slices: IndexedSlices) -> None:
        values: Any = slices.values
        super().__init__(values.node, values.index, values.spec)
        self.slices = slices
        self.made: list[tuple[Tensor, list[Node]]] = []
        known = slices.dense_shape
        sizes = known.spec.vector() if isinstance(known, Tensor) else known
        inner = values.spec.shape
        if sizes is None and inner is not None:
            sizes = (None, *inner[1:])
        self.wide = TensorSpec(sizes, values.dtype)

    @property
    def spec(self) -> TensorSpec:
        """What is known of the dense gradient."""
        return self.wide

    def __neg__(self) -> Any:
        values: Any = self.slices.values
        other = Flow(replace(self.slices, values=plain(-view(values))))
        other.made = self.made
        return other

    def __tensor__(self) -> Tensor:
        graph = self.node.graph
        before = len(graph.nodes)
        with name_scope("flow"):
            dense = densify(self.slices)
        self.made.append((dense, graph.nodes[before:]))
        return dense


def name_operands(flow: Flow) -> None:
    """Call what was made dense as operands are called of what took it."""
    graph = flow.node.graph
    for dense, nodes in flow.made:
        last: Any = dense
        taking = [x for x in graph.nodes if any(y is last for y in x.inputs)]
        # Where all that was asked is what is known of the shape, that stands behind it.
        behind = graph.nodes[graph.nodes.index(last.node) + 1 :]
        user = next(iter(taking or behind), None)
        if user is None:
            continue
        places = [i for i, y in enumerate(user.inputs) if y is last]
        named = operand_names(user.op.name, len(user.inputs))
        titles = _titles(nodes)
        if places and places[0] < len(named):
            titles[id(last.node)] = named[places[0]]
        for node in nodes:
            graph.rename(node, f"{user.name}/{titles[id(node)]}")


def dense_beside(parts: Sequence[Any], graph: Graph) -> list[Any]:
    """Return what is added up with rows of it made dense, as operands of the sum that is next."""
    here = scope.get().name
    name = graph.free_name(f"{here}/AddN" if here else "AddN", mark=False)
    found = []
    for i, part in enumerate(parts):
        if not isinstance(part, IndexedSlices):
            found.append(part)
            continue
        before = len(graph.nodes)
        with name_scope(f"{name}/"):
            dense = titled(densify(part), f"inputs_{i}")
        nodes = graph.nodes[before:]
        titles = _titles(nodes)
        for node in nodes:
            if "/" in titles[id(node)]:
                graph.rename(node, f"{name}/{titles[id(node)]}")
        found.append(dense)
    return found


def _titles(nodes: list[Node]) -> dict[int, str]:
    """Return what nodes of one scope are called, those that a slice has below the slice."""
    found = {id(x): x.name.rpartition("/")[2] for x in nodes}
    for node in nodes:
        if node.op.name == "StridedSlice":
            for x, title in zip(node.inputs[1:], _BOUNDS, strict=True):
                if id(x.node) in found:
                    found[id(x.node)] = f"{found[id(node)]}/{title}"
    return found
