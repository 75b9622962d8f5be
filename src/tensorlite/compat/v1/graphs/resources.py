"""ResourceVariable: TensorFlow 1's variables that are resources, among them Keras' weights.

What both kinds of variables of graphs have is in variables.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.arguments import keep_name
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.input_graphs import graph_of_inputs
from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.v1.graphs.variables import Kinds, RefVariable, value_or_first
from tensorlite.compat.views import in_graph, operation, plain, shown
from tensorlite.core.dispatch import call, calls
from tensorlite.core.scope import control_dependencies
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode import resource_variables as resources
from tensorlite.graph_mode.graph import (
    active_graph,
    built,
    get_default_graph,
    inner_graph,
    mode,
)
from tensorlite.ops.fetchable import ran
from tensorlite.ops.sparse.state import ResourceGatherNd
from tensorlite.ops.state import variable as state
from tensorlite.ops.state.resource import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    AssignVariableOp,
    Write,
)


class ResourceVariable(RefVariable, resources.ResourceVariable):
    """A variable of a graph that each use reads anew."""

    __slots__ = ()

    @property
    def create(self) -> Any:
        """The operation that gives the variable its first value, by its older name."""
        return self.initializer

    def value(self) -> Any:
        """Return the variable's value, by a new operation."""
        with graph_of_inputs(self), built(get_default_graph()):
            read = self.__tensor__()
            if isinstance(read, SymbolicTensor):
                keep_name(read.node)
            return shown(read)

    def read_value(self) -> Any:
        """Return the variable's value, by new operations."""
        with graph_of_inputs(self), built(get_default_graph()):
            return shown(resources.ResourceVariable.read_value(self))

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable behind an operation that gives it a value, or that operation."""
        if active_graph() is None:
            return super().assign(value, use_locking, name, read_value)
        return self._behind(AssignVariableOp, value, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable behind an operation that adds delta to it, or that operation."""
        if active_graph() is None:
            return super().assign_add(delta, use_locking, name, read_value)
        return self._behind(AssignAddVariableOp, delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable behind an operation that subtracts delta, or that operation."""
        if active_graph() is None:
            return super().assign_sub(delta, use_locking, name, read_value)
        return self._behind(AssignSubVariableOp, delta, name, read_value)

    def _behind(
        self, op: type[Write], value: Any, name: str | None, is_read: bool
    ) -> Any:
        with graph_of_inputs((self, value)):
            writing = self._writing(op, value, name, is_read)
            return self.behind(writing) if is_read else writing

    def _writing(
        self, op: type[Write], value: Any, name: str | None, is_read: bool
    ) -> Any:
        given = plain(given_constant(value, self.dtype))

        def write() -> Any:
            with control_dependencies(self._written()):
                calls(op(returns=False), self.handle, given)
            graph = active_graph()
            if graph is None or not is_read:
                return ran()
            return inner_graph(graph).nodes[-1]

        return in_graph(write, op.__name__, name)

    def _written(self) -> list[Node]:
        """Return what a further write waits for."""
        return []

    def behind(self, node: Any) -> UnreadVariable:
        """Return the variable as it is once an operation has run that writes to it."""
        with built(get_default_graph()):
            return UnreadVariable(self, plain(node))

    def initialized_value(self) -> Any:
        """Return the value, or the first value where it has none yet."""
        return value_or_first(self, self.is_initialized())

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return the rows that indices name."""
        return identity(_sparse_read(self, indices, name=name))

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """Return the parts at coordinates, without reading the others."""
        return identity(_parts_read(self, indices, name=name))


class UnreadVariable(ResourceVariable, resources.UnreadVariable):
    """A variable behind what writes to it, whose name it has."""

    __slots__ = ()

    def __init__(self, variable: ResourceVariable, writing: Node) -> None:
        resources.UnreadVariable.__init__(self, variable, writing)

    def _written(self) -> list[Node]:
        """Return the write, for which TensorFlow 2 alone has the next one wait."""
        later = mode.is_second()
        return [self.writing] if later else []

    @property
    def name(self) -> str:
        """The name of the operation that writes."""
        return self.writing.name

    @name.setter
    def name(self, value: str) -> None:
        self.bare_name = value

    @property
    def op(self) -> Any:
        """The operation that writes."""
        return operation(self.writing)

    read_value = ResourceVariable.value

    def _behind(self, *args: Any) -> Any:
        with control_dependencies([self.writing]):
            return super()._behind(*args)


@named("Gather")
def _sparse_read(variable: Any, indices: Any, name: str | None = None) -> Any:
    return state.Variable.sparse_read(variable, converted(indices))


@named("GatherNd")
def _parts_read(variable: Any, indices: Any, name: str | None = None) -> Any:
    return call(ResourceGatherNd(), variable.handle, converted(indices))


Kinds.resource = ResourceVariable
