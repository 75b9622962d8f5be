"""tensorflow.python.ops.resource_variable_ops: variables behind handles, by their class."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.specs.named_specs import VariableSpec as VariableSpec
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.writers.referring import is_reference
from tensorlite.ops.state import variable as state


class _OfHandles(type):
    """Makes variables, and takes those for instances that are behind handles."""

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        variable_def: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        distribute_strategy: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> Any:
        return Variable(
            initial_value,
            trainable,
            collections,
            validate_shape,
            name=name,
            dtype=dtype,
            variable_def=variable_def,
            import_scope=import_scope,
            constraint=constraint,
            use_resource=True,
            shape=shape,
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return is_resource_variable(instance)


class ResourceVariable(metaclass=_OfHandles):
    """A variable whose node is a handle, which other nodes read and write."""


BaseResourceVariable = ResourceVariable


def is_resource_variable(var: Any) -> bool:
    """Return whether something is a variable behind a handle: eagerly, each one is."""
    if isinstance(var, GraphVariable):
        return not is_reference(var.handle.node)
    return isinstance(var, state.Variable)
