"""Variables by name: get_variable and variable_scope; what finds and initialises variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tensorlite.compat.calling import given_constant, named
from tensorlite.compat.input_graphs import graph_of_inputs
from tensorlite.compat.shared.arrays import stack
from tensorlite.compat.shared.elementwise import logical_not
from tensorlite.compat.shared.masks import boolean_mask
from tensorlite.compat.shared.referred import of_referred, variable_of
from tensorlite.compat.shared.values import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorlite.compat.v1.graphs.eager_variables import eager_variable
from tensorlite.compat.v1.graphs.variable_slices import VariableSlice
from tensorlite.compat.v1.graphs.variables import (
    Variable,
    count_up_to as count_up_to,
    is_trained,
)
from tensorlite.compat.views import plain
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.scope import placed_later
from tensorlite.graph_mode import variable_scopes
from tensorlite.graph_mode.graph import (
    get_default_graph,
    lasting,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.partitioned import PartitionInfo
from tensorlite.graph_mode.templates import Template
from tensorlite.graph_mode.variable_scopes import get_variable_scope
from tensorlite.graph_mode.variable_stores import (
    AUTO_REUSE,
    VariableScope,
    are_kept,
)
from tensorlite.ops import fetchable

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
    """Return the variable of a name in the current variable scope, made if it is new.

    Where the scope does not reuse, a name that is taken raises InvalidArgumentError, and where it
    does, one that is new. The initializer is glorot_uniform, zeros for integers, unless the scope
    or caller says another. What copies join as it is read (synchronization) is not trained unless
    that is asked for. caching_device has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("layer"):
    ...     tf.get_variable("w", [2, 3]).name
    'layer/w:0'
    """
    if not are_kept():
        return eager_variable(name, shape, dtype, initializer, regularizer, trainable)
    return variable_scopes.get_variable(
        name,
        plain(shape),
        dtype,
        initializer,
        regularizer,
        is_trained(trainable, synchronization),
        collections,
        partitioner,
        validate_shape=validate_shape,
        custom_getter=custom_getter,
        constraint=constraint,
        use_resource=use_resource,
        distributed={
            "synchronization": synchronization or VariableSynchronization.AUTO,
            "aggregation": aggregation or VariableAggregation.NONE,
        },
        make=Variable,
    )


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
    """Open a scope for get_variable, whose names begin with it, and yield it.

    reuse is True, False or tf.AUTO_REUSE; None inherits. default_name is made unique where
    name_or_scope is None. The other arguments are defaults for get_variable. What is made inside is
    in the graph that values are of.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
    ...         tf.get_variable("w", [1]) is tf.get_variable("w", [1])
    True
    """
    opened = variable_scopes.variable_scope(
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
    )
    with graph_of_inputs(values), opened as scope:
        yield scope


@contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **kwargs: Any
) -> Iterator[VariableScope]:
    """Open a variable scope; the order of arguments is that of before 1.0."""
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
    """Return the parts of a variable, cut into slicing[i] pieces along axis i.

    At most one of slicing is more than 1. Lists of other lengths than the shape's raise
    InvalidArgumentError.
    """
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
    """Return None: this regularizer keeps a variable out of a scope's one."""


def global_variables(scope: str | None = None) -> list[Any]:
    """Return the graph's variables, those whose names match scope if given."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Return the graph's variables that are trained, those whose names match scope if given."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """Return the graph's local variables, which no checkpoint has, by scope if given."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Return the graph's variables that are a model's, by scope if given."""
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Return the graph's variables that have moving averages, by scope if given."""
    return get_default_graph().get_collection(
        GraphKeys.MOVING_AVERAGE_VARIABLES, scope
    )


@named("init")
def variables_initializer(var_list: Any, name: str | None = "init") -> Any:
    """Return an operator that gives variables their first values."""
    return fetchable.group(*[_initializing(variable) for variable in var_list])


def _initializing(variable: Any) -> Any:
    for name in ("initializing", "initializer"):
        if hasattr(variable, name):
            return getattr(variable, name)
    raise DTypeError(f"var_list: {variable!r} is no variable")


initialize_variables = variables_initializer


def global_variables_initializer() -> Any:
    """Return an operator that gives all global variables their first values.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable(3)
    ...     session.run(tf.global_variables_initializer())
    ...     int(session.run(v))
    3
    """
    return variables_initializer(_parts(global_variables()))


def local_variables_initializer() -> Any:
    """Return an operator that gives all local variables their first values."""
    return variables_initializer(_parts(local_variables()))


def _parts(variables: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(variables))


initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer


@named("init_all_tables")
def tables_initializer(name: str | None = "init_all_tables") -> Any:
    """Return an operator that fills all tables of the graph."""
    held = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return fetchable.group(*[plain(x) for x in held])


initialize_all_tables = tables_initializer


def is_variable_initialized(variable: Any, name: str | None = None) -> Any:
    """Return whether the variable has a value, a boolean scalar."""
    found = variable_of(variable) or variable
    if not hasattr(found, "is_initialized"):
        raise DTypeError(f"is_variable_initialized: {variable!r} is no variable")
    is_resource = not getattr(found, "is_reference", True)
    return found.is_initialized(name) if is_resource else _is_there(found, name=name)


@named("IsVariableInitialized")
def _is_there(variable: Any, name: str | None = None) -> Any:
    return super(Variable, variable).is_initialized()


@named("report_uninitialized_variables", "boolean_mask/GatherV2")
def report_uninitialized_variables(
    var_list: Any = None, name: str | None = "report_uninitialized_variables"
) -> Any:
    """Return the names of variables without values, a vector of strings.

    var_list is all global and local variables if None.
    """
    variables = (
        global_variables() + local_variables() if var_list is None else var_list
    )
    if not variables:
        return calls(Const(np.array([], object)))[0]
    missing = logical_not(stack([is_variable_initialized(x) for x in variables]))
    names = given_constant(np.array([x.op.name for x in variables], object))
    return boolean_mask(names, missing)


@named("assert_variables_initialized")
def assert_variables_initialized(
    var_list: Any = None, name: str | None = None
) -> Any:
    """Return an operator that fails with FailedPreconditionError if a value is missing.

    var_list is all global and local variables if None; for no variables None is returned.
    """
    variables = (
        global_variables() + local_variables() if var_list is None else var_list
    )
    for x in variables:
        if not hasattr(x, "read_value"):
            raise DTypeError(f"assert_variables_initialized: {x!r} is no variable")
    return (
        fetchable.group(*[x.read_value() for x in variables]) if variables else None
    )


# What initializers are told, by its name in TensorFlow's inside.
_PartitionInfo = PartitionInfo
variable = Variable
"""A variable by the name that TensorFlow's module variable_scope has for what makes one."""


@of_referred
def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return ref with a new value, which it has once this runs.

    validate_shape=False allows another shape, for a resource where the variable does. use_locking
    has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     int(session.run(tf.assign(tf.Variable(1), 5)))
    5
    """
    target = _assigned(ref)
    if validate_shape is False and getattr(target, "is_reference", False):
        return _assigned_any_shape(target, value, name=name)
    return target.assign(value, name=name)


@named("Assign")
def _assigned_any_shape(target: Any, value: Any, name: str | None = None) -> Any:
    with placed_later(target.handle.node.device):
        return target.assign_any_shape(value)


@of_referred
def assign_add(
    ref: Any, value: Any, use_locking: Any = None, name: str | None = None
) -> Any:
    """Return ref with a value added, which it has once this runs; use_locking has no effect."""
    return _assigned(ref).assign_add(value, name=_of_reference(ref, name))


@of_referred
def assign_sub(
    ref: Any, value: Any, use_locking: Any = None, name: str | None = None
) -> Any:
    """Return ref with a value subtracted, which it has once this runs.

    use_locking has no effect.
    """
    return _assigned(ref).assign_sub(value, name=_of_reference(ref, name))


def _of_reference(target: Any, name: str | None) -> str | None:
    """Return the name for a change of a variable; TensorFlow's of resources take none here."""
    return name if getattr(target, "is_reference", True) else None


def _assigned(ref: Any) -> Any:
    """Return what a value is assigned to: a variable, or part of one."""
    if isinstance(ref, VariableSlice) or hasattr(ref, "assign"):
        return ref
    raise InvalidArgumentError(f"{ref!r} is no variable, and cannot be assigned to")


def add_to_collection(name: str, value: Any) -> None:
    """Add a value to a collection of the default graph.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.add_to_collection("numbers", 7)
    ...     tf.get_collection("numbers")
    [7]
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Add a value to several collections of the default graph, once to each."""
    for name in [names] if isinstance(names, str) else dict.fromkeys(names):
        add_to_collection(name, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Return a list of a collection's values, those whose names match scope if given."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """Return the list itself that is a collection; changes of it change the collection."""
    return get_default_graph().get_collection_ref(key)


def make_template(
    name_: str | None,
    func_: Any,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Return a function that calls func_ in a scope of its own, sharing variables.

    The first call makes them, later ones reuse them. create_scope_now_ opens the scope at once.
    """
    called = partial(func_, **kwargs) if kwargs else func_
    return Template(name_, called, create_scope_now_, unique_name_, custom_getter_)
