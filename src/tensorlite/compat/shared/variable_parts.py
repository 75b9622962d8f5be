"""Changes of parts of variables, named by places in more than one axis, and factors of rows.

Rows that are replaced, added to or bounded are changed in place by ops/sparse/state.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.values import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.fetchable import effect
from tensorlite.ops.sparse.state import ResourceScatterDiv, ResourceScatterMul
from tensorlite.ops.state import variable as state


def changed(variable: Any, write: Any) -> Any:
    """Return the value of a variable behind a change: where none is built, the variable."""
    if active_graph() is None:
        return variable
    with control_dependencies([] if write is None else [write]):
        return _read(variable)


def _read(variable: Any) -> Any:
    return state.Variable.read_value(variable)


def _replaced(
    default: str, change: Callable[[Any, Any, Any], Any], does: str
) -> Callable[..., Any]:
    """Return an assignment of a value that is made of the old one."""

    @named(default)
    def made(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        value = change(_read(ref), converted(indices), converted(updates, ref.dtype))
        return changed(ref, state.Variable.assign(ref, value))

    return documented(made, f"Let parts of a variable {does}, and return it.")


def _scattered(op: Op, default: str, does: str) -> Callable[..., Any]:
    """Return what brings updates into rows of a variable in place."""

    @named(default)
    def made(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        given = converted(indices), converted(updates, ref.dtype)
        return changed(ref, effect(op, ref.handle, *given))

    return documented(made, f"Let rows of a variable {does}, and return it.")


def _in_batches(old: Any, indices: Any, updates: Any) -> Any:
    """Return `old` with updates at places of the axis behind those that count the batches."""
    sizes = tl.shape(indices)
    batches = [tl.arange(sizes[i]) for i in range(indices.ndim)]
    grid = tl.meshgrid(*batches, indexing="ij")[:-1]
    places = [tl.astype(x, indices.dtype) for x in grid]
    return tl.tensor_scatter_nd_update(
        old, tl.stack([*places, indices], axis=-1), updates
    )


scatter_mul = _scattered(ResourceScatterMul(), "ScatterMul", "be multiplied")
scatter_div = _scattered(ResourceScatterDiv(), "ScatterDiv", "be divided")
scatter_nd_update = _replaced(
    "ScatterNdUpdate", tl.tensor_scatter_nd_update, "be others"
)
scatter_nd_add = _replaced("ScatterNdAdd", tl.tensor_scatter_nd_add, "be added to")
scatter_nd_sub = _replaced(
    "ScatterNdSub", tl.tensor_scatter_nd_sub, "be subtracted from"
)
scatter_nd_max = _replaced(
    "ScatterNdMax", tl.tensor_scatter_nd_max, "be no less than updates"
)
scatter_nd_min = _replaced(
    "ScatterNdMin", tl.tensor_scatter_nd_min, "be no greater than updates"
)
batch_scatter_update = _replaced(
    "ScatterNdUpdate", _in_batches, "of each batch be others"
)


@named("GatherNd")
def _gather_nd(variable: Any, indices: Any, name: str | None = None) -> Any:
    return tl.gather_nd(_read(variable), converted(indices))


def _places(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        return function(self, indices, updates, name=name)

    return method


def _rows(function: Callable[..., Any]) -> Callable[..., Any]:
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


class Parts(Joined):
    """What variables offer of it; those that have it say what the slices given are."""

    __slots__ = ()

    scatter_nd_update = _places(scatter_nd_update)
    scatter_nd_add = _places(scatter_nd_add)
    scatter_nd_sub = _places(scatter_nd_sub)
    scatter_nd_max = _places(scatter_nd_max)
    scatter_nd_min = _places(scatter_nd_min)
    scatter_mul = _rows(scatter_mul)
    scatter_div = _rows(scatter_div)
    batch_scatter_update = _rows(batch_scatter_update)

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements or slices at places, which the last axis of `indices` holds."""
        return _gather_nd(self, indices, name=name)
