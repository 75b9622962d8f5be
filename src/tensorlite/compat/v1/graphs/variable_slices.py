"""Parts of variables' values, which may be given others: `variable[1:].assign(...)`."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.views import GraphTensor
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.ops.arrays.index import set_item
from tensorlite.ops.arrays.slicing import StridedSlice
from tensorlite.ops.fetchable import effect
from tensorlite.ops.state import variable as state
from tensorlite.ops.state.slices import ResourceStridedSliceAssign


class VariableSlice(GraphTensor):
    """A part of a variable's value, which may be given another."""

    __slots__ = ("key", "variable")

    def __init__(self, variable: Any, key: Any, part: GraphTensor) -> None:
        super().__init__(part.node, part.index, part.spec)
        self.variable = variable
        self.key = key

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Return the variable as it is when this part of it has the value."""
        called = name or f"{self.node.name}/_assign"
        if not self._is_selected_at_once():
            return _replaced(self.variable, self.key, value, name=called)
        if isinstance(self.variable, ResourceVariable):
            given = given_constant(value, self.variable.dtype)
            write = _written(self.variable, self, given, name=called)
            return self.variable.behind(write)
        return _written(self.variable, self, value, name=called)

    def _is_selected_at_once(self) -> bool:
        """Return whether the part is a slice of the variable's value, and of nothing else."""
        if not isinstance(self.node.op, StridedSlice):
            return False
        held = self.node.inputs[0].node.inputs
        return len(held) == 1 and held[0] is self.variable.handle


@named("strided_slice/_assign")
def _written(variable: Any, part: Any, given: Any, name: str | None = None) -> Any:
    """Write to a part of a variable by the bounds that it was read by."""
    masks, bounds = part.node.op.attributes(), part.node.inputs[1:]
    own = ResourceStridedSliceAssign(**masks, returns=variable.is_reference)
    value = converted(given, variable.dtype, "value")
    return effect(own, variable.handle, *bounds, value)


@named("strided_slice/_assign")
def _replaced(variable: Any, key: Any, given: Any, name: str | None = None) -> Any:
    """Read a variable, replace a part in it, and write it whole."""
    x = variable.__tensor__()
    return state.Variable.assign(
        variable, set_item(x, key, converted(given, x.dtype))
    )


class _Assignable:
    """What a part of a variable's value has besides: it may be given another."""

    __slots__ = ()
    part: Tensor
    variable: Any
    key: Any

    def __tensor__(self) -> Tensor:
        return self.part

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Give the variable the value here, and return it."""
        whole = self.variable.__tensor__()
        given = converted(value, whole.dtype)
        return self.variable.assign(set_item(whole, self.key, given))


class EagerPart(_Assignable, EagerTensor):
    """A part of a value that is there."""

    __slots__ = ("key", "part", "variable")

    def __init__(self, part: Tensor, variable: Any, key: Any) -> None:
        super().__init__(part.array, part.device)
        self.part, self.variable, self.key = part, variable, key


class TracedPart(_Assignable, SymbolicTensor):
    """A part of a value in a function that is being traced."""

    __slots__ = ("key", "part", "variable")

    def __init__(self, part: SymbolicTensor, variable: Any, key: Any) -> None:
        super().__init__(part.node, part.index, part.spec)
        self.part, self.variable, self.key = part, variable, key
