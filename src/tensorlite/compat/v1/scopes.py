"""Variables by name: get_variable and variable_scope; what finds and initialises variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tensorlite.compat.calling import named
from tensorlite.compat.v1.variables import (
    Variable,
    VariableSlice,
    count_up_to as count_up_to,
)
from tensorlite.compat.views import plain
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode import first_values, variable_scopes
from tensorlite.graph_mode.graph import (
    active_graph,
    get_default_graph,
    lasting,
    name_scope,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.templates import Template
from tensorlite.graph_mode.variable_scopes import (
    AUTO_REUSE,
    VariableScope,
    get_variable_scope,
)
from tensorlite.ops import fetchable
from tensorlite.ops.masks import boolean_mask
from tensorlite.ops.stack import stack

__all__ = [
    "AUTO_REUSE",
    "GraphKeys",
    "VariableScope",
    "add_to_collection",
    "add_to_collections",
    "all_variables",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "count_up_to",
    "create_partitioned_variables",
    "get_collection",
    "get_collection_ref",
    "get_variable",
    "get_variable_scope",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "make_template",
    "model_variables",
    "moving_average_variables",
    "no_regularizer",
    "report_uninitialized_variables",
    "trainable_variables",
    "variable_op_scope",
    "variable_scope",
    "variables_initializer",
]


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    if active_graph() is None:
        return _eager_variable(name, shape, dtype, initializer, trainable)
    return variable_scopes.get_variable(
        name,
        plain(shape),
        dtype,
        initializer,
        regularizer,
        trainable,
        collections,
        partitioner,
        validate_shape=validate_shape,
        custom_getter=custom_getter,
        constraint=constraint,
        use_resource=use_resource,
        make=Variable,
    )


def _eager_variable(
    name: str, shape: Any, dtype: Any, initializer: Any, trainable: bool | None
) -> Any:
    """Return a new variable: eagerly nothing keeps them by name."""
    prefix = variable_scopes.get_variable_scope().name
    found = first_values.first_value(name, initializer, shape, dtype)
    with name_scope(""):
        whole = f"{prefix}/{name}" if prefix else name
        return Variable(found, trainable, name=whole, dtype=dtype)


@lasting
@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    with variable_scopes.variable_scope(
        name_or_scope,
        default_name,
        reuse=reuse,
        auxiliary_name_scope=auxiliary_name_scope,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope


@contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **kwargs: Any
) -> Iterator[VariableScope]:
    with variable_scope(name_or_scope, default_name, values, **kwargs) as scope:
        yield scope


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = float32,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    sizes = [int(x) for x in shape]
    if not sizes or len(sizes) != len(slicing):
        raise InvalidArgumentError(
            f"create_partitioned_variables: shape={shape!r} and slicing={slicing!r}; they have one "
            "number each for every axis, of which there is at least one"
        )
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        found = variable_scopes.get_variable(
            None,
            sizes,
            None if isinstance(initializer, Operand) else dtype,
            initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: slicing,
            make=Variable,
        )
    return list(found)


def no_regularizer(_: Any) -> None:
    return None


def global_variables(scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(
        GraphKeys.MOVING_AVERAGE_VARIABLES, scope
    )


@named("init")
def variables_initializer(var_list: Any, name: str | None = "init") -> Any:
    return fetchable.group(*[_initializing(variable) for variable in var_list])


def _initializing(variable: Any) -> Any:
    return (
        variable.initializing
        if hasattr(variable, "initializing")
        else variable.initializer
    )


initialize_variables = variables_initializer


def global_variables_initializer() -> Any:
    return variables_initializer(_parts(global_variables()))


def local_variables_initializer() -> Any:
    return variables_initializer(_parts(local_variables()))


def _parts(variables: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(variables))


initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer


@named("init_all_tables")
def tables_initializer(name: str | None = "init_all_tables") -> Any:
    held = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return fetchable.group(*[plain(x) for x in held])


initialize_all_tables = tables_initializer


@named("IsVariableInitialized")
def is_variable_initialized(variable: Any, name: str | None = None) -> Any:
    return super(Variable, _variable(variable)).is_initialized()


@named("report_uninitialized_variables", "boolean_mask/GatherV2")
def report_uninitialized_variables(
    var_list: Any = None, name: str | None = "report_uninitialized_variables"
) -> Any:
    variables = (
        global_variables() + local_variables() if var_list is None else var_list
    )
    if not variables:
        return calls(Const(np.array([], object)))[0]
    missing = ~stack([super(Variable, x).is_initialized() for x in variables])
    names = calls(Const(np.array([x.op.name for x in variables], object)))[0]
    return boolean_mask(names, missing)


@named("assert_variables_initialized")
def assert_variables_initialized(
    var_list: Any = None, name: str | None = None
) -> Any:
    variables = (
        global_variables() + local_variables() if var_list is None else var_list
    )
    return fetchable.group(*[x.read_value() for x in variables])


def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    return _target(ref).assign(value, name=name)


def assign_add(
    ref: Any, value: Any, use_locking: Any = None, name: str | None = None
) -> Any:
    return _target(ref).assign_add(value, name=name)


def assign_sub(
    ref: Any, value: Any, use_locking: Any = None, name: str | None = None
) -> Any:
    return _target(ref).assign_sub(value, name=name)


def _target(ref: Any) -> Any:
    """Return what a value is assigned to: part of a variable knows how, and so does a variable."""
    own = isinstance(ref, VariableSlice) or hasattr(ref, "assign")
    return ref if own else _variable(ref)


def _variable(ref: Any) -> Any:
    """Return the variable that is given, or that a tensor reads."""
    if isinstance(ref, Variable):
        return ref
    tensor = plain(ref)
    for variable in global_variables() + local_variables():
        node = getattr(tensor, "node", None)
        if node is not None and any(
            x is variable.handle for x in (tensor, *node.inputs)
        ):
            return variable
    raise InvalidArgumentError(f"{ref!r} is no variable, and cannot be assigned to")


def add_to_collection(name: str, value: Any) -> None:
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    for name in [names] if isinstance(names, str) else dict.fromkeys(names):
        add_to_collection(name, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    return get_default_graph().get_collection_ref(key)


def make_template(
    name_: str | None,
    func_: Any,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    called = partial(func_, **kwargs) if kwargs else func_
    return Template(name_, called, create_scope_now_, unique_name_, custom_getter_)
