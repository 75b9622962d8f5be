"""ResourceVariable: a variable of a graph that is read anew at each use, as Keras' weights are.

Its names are those of TensorFlow 1: `w` makes it, `w/Assign` gives it its first value,
`w/Read/ReadVariableOp` is what sessions fetch. What writes to it has no value of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import inner_graph, name_scope
from tensorlite.graph_mode.variables import GraphVariable, tensor_of, titled_constant
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarIsInitializedOp,
)
from tensorlite.ops.state.variable import Variable


class ResourceVariable(GraphVariable):
    """A variable of a graph that each use reads anew.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> with Graph().as_default() as graph:
    ...     w = ResourceVariable([1.0, 2.0], name="w")
    ...     y = tl.exp(w)
    >>> y.node.inputs[0].name, w.snapshot.name
    ('ReadVariableOp:0', 'w/Read/ReadVariableOp:0')
    """

    __slots__ = ()
    is_made_reference: ClassVar[bool] = False

    def _first(
        self,
        initial: TensorLike | Callable[[], TensorLike],
        dtype: DTypeLike | None,
    ) -> Tensor:
        wanted = None if dtype is None else as_dtype(dtype)
        count = len(self.graph.nodes)
        with name_scope("Initializer") as prefix:
            if callable(initial):
                return tensor_of(initial(), wanted)
            value = tensor_of(initial, wanted)
        titled_constant(self.graph, value, count, f"{prefix}initial_value")
        return value

    def _describe_uses(
        self, value: SymbolicTensor, device: DeviceName, cached: DeviceName
    ) -> None:
        own = (self.handle,)
        is_there = f"{self.bare_name}/IsInitialized/VarIsInitializedOp"
        self._node(VarIsInitializedOp(), own, is_there, device)
        self.initializing = self._node(
            AssignVariableOp(returns=False),
            (self.handle, value),
            f"{self.bare_name}/Assign",
            device,
        )
        read = f"{self.bare_name}/Read/ReadVariableOp"
        made = self._node(ReadVariableOp(), own, read, device)
        self.snapshot = made.outputs[0]

    def __tensor__(self) -> Tensor:
        """Return the value, by a node that reads it here, on the variable's device."""
        here, place = scope.get(), self.handle.node.device
        token = scope.set(here if place is ANYWHERE else here._replace(device=place))
        try:
            return Variable.__tensor__(self)
        finally:
            scope.reset(token)

    def read_value(self) -> Tensor:
        """Return the value, by a node that reads it and one that passes it on."""
        with name_scope("Read"):
            value = self.__tensor__()
        return identity(value)

    def awaited(self) -> Any:
        """Return what stands for the variable among what is waited for."""
        is_inside = inner_graph(self.graph) is not self.graph
        return self.__tensor__() if is_inside else self.snapshot

    def behind(self, writing: Node) -> UnreadVariable:
        """Return the variable as it is once a node has run that writes to it."""
        return UnreadVariable(self, writing)


class UnreadVariable(ResourceVariable):
    """A resource variable behind what writes to it: each use waits for that."""

    __slots__ = ("writing",)
    is_behind: ClassVar[bool] = True

    def __init__(self, variable: ResourceVariable, writing: Node) -> None:
        for name in ("handle", "trainable", *GraphVariable.__slots__):
            setattr(self, name, getattr(variable, name))
        self.writing = writing
        self.snapshot: Any = self.__tensor__()

    def __tensor__(self) -> Tensor:
        """Return the value, by a node that reads it behind the write."""
        with control_dependencies([self.writing]):
            return Variable.__tensor__(self)

    read_value = __tensor__
