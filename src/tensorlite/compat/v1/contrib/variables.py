"""Variables as tf.contrib.framework and slim make them, find them and fill them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.variable_scopes import get_variable_scope
from tensorlite.graph_mode.variable_stores import VariableScope
from tensorlite.interop.tensorflow.stored import checkpoints


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """Return the variable of a name in the current scope, made if it is new.

    It goes to the collections (the global variables if None). device may be a function.
    caching_device, synchronization and aggregation have no effect.
    """
    into = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    getter: Callable[..., Any] = scopes.get_variable
    if custom_getter is not None:
        getter = partial(custom_getter, reuse=get_variable_scope().reuse)
    place = device(None) if callable(device) else device
    with framework.device(place or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(into)),
            partitioner=partitioner,
            use_resource=use_resource,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """Return the variable of a name, made if it is new, among the model's variables.

    It is in GLOBAL_VARIABLES, MODEL_VARIABLES and the collections that are given.
    """
    return variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        trainable,
        [
            *(collections or ()),
            GraphKeys.GLOBAL_VARIABLES,
            GraphKeys.MODEL_VARIABLES,
        ],
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
    )


def add_model_variable(var: Any) -> None:
    """Add a variable to the collection MODEL_VARIABLES, unless it is there."""
    if not any(x is var for x in scopes.model_variables()):
        scopes.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: Any = None,
) -> Any:
    """Return a new variable that is not trained, in the collection LOCAL_VARIABLES."""
    into = [GraphKeys.LOCAL_VARIABLES]
    return _not_trained(initial_value, into, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: Any = None,
) -> Any:
    """Return a new variable that is not trained, in the collection GLOBAL_VARIABLES."""
    into = [GraphKeys.GLOBAL_VARIABLES]
    return _not_trained(initial_value, into, validate_shape, name, use_resource)


def _not_trained(
    initial_value: Any,
    into: list[str],
    validate_shape: bool,
    name: str | None,
    use_resource: bool | None,
) -> Any:
    kind = {} if use_resource is None else {"use_resource": use_resource}
    return Variable(initial_value, False, into, validate_shape, name=name, **kind)


def get_variables(
    scope: Any = None,
    suffix: str | None = None,
    collection: str = GraphKeys.GLOBAL_VARIABLES,
) -> list[Any]:
    """Return the variables of a collection by scope (or pattern) and end of their names."""
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else suffix + ':'}"
    return scopes.get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the model's variables by scope (or pattern) and end of their names."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return local variables by scope (or pattern) and end of their names."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(
    scope: Any = None, suffix: str | None = None
) -> list[Any]:
    """Return variables that are trained by scope (or pattern) and end of their names."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Return global variables whose names end with the suffix, in a scope if given."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Return global variables by the last part of their names, in a scope if given."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Return the global variables of scopes (all if None), without those of other scopes.

    Scopes that are not in a list or tuple raise DTypeError.
    """
    for name, given in {"include": include, "exclude": exclude}.items():
        if given is not None and not isinstance(given, (list, tuple)):
            raise DTypeError(f"{name} is provided but is not a list or a tuple.")
    wanted = (
        get_variables()
        if include is None
        else [x for scope in include for x in get_variables(scope)]
    )
    left = {id(x) for scope in exclude or () for x in get_variables(scope)}
    return [x for x in wanted if id(x) not in left]


def get_unique_variable(var_op_name: str) -> Any:
    """Return the global variable of this very name; else InvalidArgumentError is raised."""
    found = get_variables(scope=var_op_name)
    if not found:
        raise InvalidArgumentError(f"Couldn't find variable {var_op_name}")
    for candidate in found:
        if candidate.op.name == var_op_name:
            return candidate
    raise InvalidArgumentError(
        f"Variable {var_op_name} does not uniquely identify a variable"
    )


def get_variable_full_name(var: Any) -> str:
    """Return the variable's name, or that of the whole for a part of a partitioned one."""
    part = var.save_slice
    return str(part.full_name if part is not None else var.op.name)


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Iterable[str] | None = None,
    exclude_patterns: Iterable[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Return variables whose names match an included pattern and no excluded one.

    Patterns may match anywhere, or at the beginning if reg_search is False. None includes all.
    """
    found = re.search if reg_search else re.match
    included = [
        x
        for x in var_list
        if include_patterns is None or any(found(p, x.name) for p in include_patterns)
    ]
    left = list(exclude_patterns or ())
    return [x for x in included if not any(found(p, x.name) for p in left)]


def assign_from_values(
    var_names_to_values: dict[str, Any],
) -> tuple[Any, dict[Any, Any]]:
    """Return an operator that gives variables values, and what to feed it."""
    pairs = [
        (get_unique_variable(name), value)
        for name, value in var_names_to_values.items()
    ]
    return _assigned(pairs)


def _assigned(pairs: Iterable[tuple[Any, Any]]) -> tuple[Any, dict[Any, Any]]:
    feeds, writes = {}, []
    for own, value in pairs:
        sizes = own.get_shape().as_list()
        fed = framework.placeholder(own.dtype, sizes, f"placeholder/{own.op.name}")
        writes.append(own.assign(fed))
        feeds[fed] = np.reshape(value, sizes)
    return framework.group(*writes), feeds


def assign_from_values_fn(
    var_names_to_values: dict[str, Any],
) -> Callable[[Any], None]:
    """Return a function of a session that assigns variables, given by name, these values."""
    write, feeds = assign_from_values(var_names_to_values)

    def callback(session: Any) -> None:
        session.run(write, feeds)

    return callback


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """Return an operator that gives variables their values in a checkpoint, and what to feed it."""
    reader = checkpoints.CheckpointReader(model_path)
    pairs = []
    for name, own in _by_stored_name(var_list):
        if not reader.has_tensor(name):
            if ignore_missing_vars:
                continue
            raise InvalidArgumentError(f"Checkpoint is missing variable [{name}]")
        value, part = reader.get_tensor(name), own.save_slice
        if part is not None:
            ends = zip(part.var_offset, part.var_shape, strict=True)
            value = value[tuple(slice(a, a + size) for a, size in ends)]
        if list(value.shape) != own.get_shape().as_list():
            raise InvalidArgumentError(
                f"Total size of new array must be unchanged for {name} lh_shape: "
                f"[{value.shape}], rh_shape: [{own.get_shape()}]"
            )
        pairs.append((own, value))
    return _assigned(pairs)


def _by_stored_name(var_list: Any) -> list[tuple[str, Any]]:
    if not isinstance(var_list, dict):
        return [(get_variable_full_name(x), x) for x in var_list]
    return [
        (name, x)
        for name, given in var_list.items()
        for x in (given if isinstance(given, (list, tuple)) else [given])
    ]


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """Return a function of a session that restores variables from a checkpoint.

    With ignore_missing_vars, those that the checkpoint lacks stay; None is returned if that is all.
    An empty var_list raises InvalidArgumentError.
    """
    if not var_list:
        raise InvalidArgumentError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = checkpoints.CheckpointReader(model_path)
        pairs = _by_stored_name(var_list)
        var_list = {name: x for name, x in pairs if reader.has_tensor(name)}
    if not var_list:
        return None
    saver = Saver(var_list, reshape=reshape_variables)

    def callback(session: Any) -> None:
        saver.restore(session, model_path)

    return callback
