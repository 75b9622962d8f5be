"""Parts of variables' values, which may be given others: `variable[1:].assign(...)`."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.views import GraphTensor
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.index import set_item
from tensorlite.ops.state import variable as state


class VariableSlice(GraphTensor):
    """A part of a variable's value, which may be given another."""

    __slots__ = ("key", "variable")

    def __init__(self, variable: Any, key: Any, part: GraphTensor) -> None:
        super().__init__(part.node, part.index, part.spec)
        self.variable = variable
        self.key = key

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Return the variable as it is when this part of it has the value."""

        @named("strided_slice/_assign")
        def write(given: Any, key: Any, name: str | None = None) -> Any:
            x = self.variable.__tensor__()
            part = converted(given, x.dtype)
            return state.Variable.assign(self.variable, set_item(x, key, part))

        return write(value, self.key, name=name)


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
