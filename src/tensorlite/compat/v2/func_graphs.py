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
    trace: Any
    """The concrete function whose graph this is."""

    @staticmethod
    def of(graph: Graph, trace: Any) -> FuncGraph:
        """Return the graph of a trace as one that has TensorFlow's attributes."""
        made = object.__new__(FuncGraph)
        vars(made).update(vars(graph))
        made.trace = trace
        return made

    @property
    def external_captures(self) -> list[Any]:
        """The tensors from outside that the trace reads."""
        return list(self.trace.captured)

    @property
    def internal_captures(self) -> list[Any]:
        """The placeholders that stand for these in the graph."""
        return self.inputs[len(self.inputs) - len(self.trace.captured) :]

    @property
    def captures(self) -> list[tuple[Any, Any]]:
        """Pairs of a tensor from outside and its placeholder."""
        return list(zip(self.external_captures, self.internal_captures, strict=True))

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the trace reads or writes."""
        return tuple(self.trace.variables)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trainable."""
        return tuple(self.trace.trainable_variables)

    @property
    def structured_input_signature(self) -> Any:
        """The specs of the positional and of the named arguments: (tuple, dict)."""
        return self.trace.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        """What is returned, with specs for tensors."""
        return self.trace.structured_outputs

    @property
    def output_shapes(self) -> Any:
        """The shapes of what is returned, in its structure."""
        return self.trace.output_shapes

    @property
    def output_types(self) -> Any:
        """The dtypes of what is returned, in its structure."""
        return self.trace.output_dtypes

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
