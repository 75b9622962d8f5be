"""Changes of parts of variables: of rows, and of what stands at places in more than one axis.

Both are operators of ops/sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.referred import of_referred
from tensorlite.compat.shared.values import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorlite.core.errors import DTypeError, LengthError
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies
from tensorlite.distributed.strategies.copied import Copied
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.fetchable import effect
from tensorlite.ops.sparse.places_state import (
    ResourceScatterNdAdd,
    ResourceScatterNdMax,
    ResourceScatterNdMin,
    ResourceScatterNdSub,
    ResourceScatterNdUpdate,
)
from tensorlite.ops.sparse.state import (
    ResourceScatterAdd,
    ResourceScatterDiv,
    ResourceScatterMax,
    ResourceScatterMin,
    ResourceScatterMul,
    ResourceScatterSub,
    ResourceScatterUpdate,
)
from tensorlite.ops.state import variable as state


def changed(variable: Any, write: Any) -> Any:
    """Return the value of a variable behind a change: where no graph is built, the variable."""
    if active_graph() is None:
        return variable.behind(write) if hasattr(variable, "behind") else variable
    with control_dependencies([] if write is None else [write]):
        return _read(variable)


def _read(variable: Any) -> Any:
    return state.Variable.read_value(variable)


@named("ScatterNdUpdate")
def batch_scatter_update(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Let parts of each batch of a variable be others, and return it."""
    value = _in_batches(ref, converted(indices), converted(updates, ref.dtype))
    return changed(ref, state.Variable.assign(ref, value))


def _in_batches(old: Any, indices: Any, updates: Any) -> Any:
    """Return `old` with updates at places of the axis behind those that count the batches."""
    sizes = tl.shape(indices)
    batches = [tl.arange(sizes[i]) for i in range(indices.ndim)]
    grid = tl.meshgrid(*batches, indexing="ij")[:-1]
    places = [tl.astype(x, indices.dtype) for x in grid]
    return tl.tensor_scatter_nd_update(
        old, tl.stack([*places, indices], axis=-1), updates
    )


def _brought(op: Callable[..., Op], does: str) -> Callable[..., Any]:
    """Return the function that brings updates into parts of a variable by an operator."""

    def write(
        variable: Any, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        if not hasattr(variable, "handle"):
            raise DTypeError(f"{does}: {variable!r} is no variable")
        places, values = converted(indices), converted(updates, variable.dtype)
        if isinstance(variable, Copied):
            return variable.written(op(), places, values)
        own = op(returns=_is_reference(variable))
        return effect(own, variable.handle, places, values)

    title = op().name
    of_resource = named(title)(write)
    of_reference = named(title.removeprefix("Resource"))(write)

    def made(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        if isinstance(ref, ResourceVariable):
            updates = given_constant(updates, ref.dtype)
        function = of_reference if _is_reference(ref) else of_resource
        return behind(ref, function(ref, indices, updates, name=name))

    told = f"Let parts of a variable {does}, and return it."
    return documented(of_referred(made), told)


def _is_reference(variable: Any) -> bool:
    """Return whether this is a variable of a graph whose changes give its value back."""
    return isinstance(variable, GraphVariable) and variable.is_reference


def behind(variable: Any, write: Any) -> Any:
    """Return a variable behind what has changed it, as TensorFlow has it."""
    if active_graph() is None:
        return changed(variable, write)
    if isinstance(variable, ResourceVariable):
        return variable.behind(write)
    return write if _is_reference(variable) else changed(variable, write)


scatter_update = _brought(ResourceScatterUpdate, "be others")
scatter_add = _brought(ResourceScatterAdd, "be added to")
scatter_sub = _brought(ResourceScatterSub, "be subtracted from")
scatter_max = _brought(ResourceScatterMax, "be no less than updates")
scatter_min = _brought(ResourceScatterMin, "be no greater than updates")
scatter_mul = _brought(ResourceScatterMul, "be multiplied")
scatter_div = _brought(ResourceScatterDiv, "be divided")
scatter_nd_update = _brought(ResourceScatterNdUpdate, "be others")
scatter_nd_add = _brought(ResourceScatterNdAdd, "be added to")
scatter_nd_sub = _brought(ResourceScatterNdSub, "be subtracted from")
scatter_nd_max = _brought(ResourceScatterNdMax, "be no less than updates")
scatter_nd_min = _brought(ResourceScatterNdMin, "be no greater than updates")


@named("GatherNd")
def _gather_nd(variable: Any, indices: Any, name: str | None = None) -> Any:
    return tl.gather_nd(_read(variable), converted(indices))


def _places(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        return function(self, indices, updates, name=name)

    return method


def rows(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method of a function that changes rows, which are given as slices."""

    def method(
        self: Any,
        sparse_delta: Any,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        given = self._slices(sparse_delta)
        return function(self, given.indices, given.values, name=name)

    return method


class Joined:
    """What variables tell of how copies of them are joined."""

    __slots__ = ()
    distribution: tuple[int, int]

    @property
    def aggregation(self) -> VariableAggregation:
        """How replicas' values are joined."""
        return VariableAggregation(self.distribution[1])

    @property
    def synchronization(self) -> VariableSynchronization:
        """When replicas' values are joined."""
        return VariableSynchronization(self.distribution[0])

    def distribute(self, synchronization: Any, aggregation: Any) -> None:
        """Note how replicas' values are to be joined, None for what is usual."""
        when = VariableSynchronization(synchronization or 0)
        how = VariableAggregation(aggregation or 0)
        vars(self)["distribution"] = when.value, how.value


class _NoLength:
    """In place of a method that variables have elsewhere, and none that TensorFlow makes."""

    def __get__(self, variable: Any, owner: Any) -> Any:
        raise LengthError(
            f"object of type {owner.__name__!r} has no len(); use variable.shape[0]"
        )


class Parts(Joined):
    """What variables offer of it; those that have it say what the slices given are."""

    __slots__ = ()
    __len__ = _NoLength()

    scatter_nd_update = _places(scatter_nd_update)
    scatter_nd_add = _places(scatter_nd_add)
    scatter_nd_sub = _places(scatter_nd_sub)
    scatter_nd_max = _places(scatter_nd_max)
    scatter_nd_min = _places(scatter_nd_min)
    scatter_add = rows(scatter_add)
    scatter_sub = rows(scatter_sub)
    scatter_update = rows(scatter_update)
    scatter_max = rows(scatter_max)
    scatter_min = rows(scatter_min)
    scatter_mul = rows(scatter_mul)
    scatter_div = rows(scatter_div)
    batch_scatter_update = rows(batch_scatter_update)

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements or slices at places, which the last axis of `indices` holds."""
        return _gather_nd(self, indices, name=name)
