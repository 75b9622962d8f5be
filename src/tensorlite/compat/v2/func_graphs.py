"""FuncGraph: the graph of a trace, with what TensorFlow's says of its elements."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.views import Operation, operation, view
from tensorlite.core.errors import NotFoundError
from tensorlite.graph.graph import Graph
from tensorlite.interop.tensorflow.writing import to_graphdef


class FuncGraph(Graph):
    """A traced graph; it is the same graph."""

    building_function = True

    @staticmethod
    def of(graph: Graph) -> FuncGraph:
        """Return a graph as one that has TensorFlow's attributes."""
        made = object.__new__(FuncGraph)
        vars(made).update(vars(graph))
        return made

    def as_graph_def(self, from_version: Any = None, add_shapes: bool = False) -> Any:
        """Return the graph as a GraphDef; from_version and add_shapes have no effect."""
        return to_graphdef(self)

    def get_operations(self) -> list[Operation]:
        """Return the graph's operations in the order in which they were traced."""
        return [operation(node) for node in self.nodes]

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of a name, or raise NotFoundError, which lists those there are."""
        for node in self.nodes:
            if node.name == name:
                return operation(node)
        raise NotFoundError(
            f"{name!r} is no operation of {self.name}; there are "
            f"{', '.join(node.name for node in self.nodes)}"
        )

    def get_tensor_by_name(self, name: str) -> Any:
        """Return the output "operation:index"; without an index the first."""
        owner, _, index = name.partition(":")
        return view(self.get_operation_by_name(owner).node.outputs[int(index or 0)])
