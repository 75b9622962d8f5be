"""Variable scopes: variables that are made at the first call and found again at later ones.

What a variable is stands in variables.py, one that is cut in parts in partitioned.py. Source:
TensorFlow's `tf.compat.v1.variable_scope`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, as_dtype, float32
from tensorlite.core.errors import (
    DTypeError,
    GraphError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope as marks
from tensorlite.core.spec import shape_text
from tensorlite.graph_mode.first_values import (
    asked_sizes,
    part_value,
    value_for,
)
from tensorlite.graph_mode.graph import (
    name_scope,
)
from tensorlite.graph_mode.partitioned import (
    PartitionedVariable,
    check_partitions,
    cut,
)
from tensorlite.graph_mode.variable_stores import (
    Defaults,
    Getter,
    Store,
    VariableScope,
    store_of,
)


def get_variable_scope() -> VariableScope:
    """Return the scope that is open."""
    return store_of().scope


@contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    *,
    reuse: Any = None,
    auxiliary_name_scope: bool = True,
    **changed: Any,
) -> Iterator[VariableScope]:
    """Open a scope of variables, and one of names; yields it.

    A scope that is given is entered again, with its own whole name. `default_name` is made unlike
    others. `changed` says what variables are made with. As `tf.compat.v1.variable_scope`.
    """
    store = store_of()
    before = store.scope
    given = isinstance(name_or_scope, VariableScope)
    one_of(auxiliary_name_scope, (bool,), "auxiliary_name_scope", "True or False")
    if name_or_scope is None and default_name is None:
        raise DTypeError("variable_scope: give name_or_scope, or a default_name")
    with ExitStack() as stack:
        if isinstance(name_or_scope, VariableScope):
            base, whole = name_or_scope, name_or_scope.name
            shown = whole.rpartition("/")[2] or None
        else:
            # The name scope numbers the default name by itself, as in TensorFlow.
            shown = default_name if name_or_scope is None else name_or_scope
            own = name_or_scope
            if own is None:
                own = _unlike(store, before.name, str(default_name))
            base, whole = before, f"{before.name}/{own}" if before.name else own
        prefix = (
            (f"{here}/" if (here := marks.get().name) else "") if not given else ""
        )
        if auxiliary_name_scope and shown:
            prefix = stack.enter_context(name_scope(shown))
        inner = VariableScope(
            whole,
            reuse or base.reuse,
            base.original_name_scope if given else prefix,
            _changed(base.defaults, changed),
        )
        held = dict(store.counts)
        store.open(whole)
        store.scope = inner
        try:
            yield inner
        finally:
            _check_left(inner, store.scope)
            store.close(whole)
            if given:
                store.counts = held
            store.scope = before


class Place(NamedTuple):
    """The scope that is open, and how many there were of each name."""

    scope: VariableScope
    counts: dict[str, int]


def place() -> Place:
    """Return where get_variable is, for `resumed`."""
    store = store_of()
    return Place(store.scope, dict(store.counts))


@contextmanager
def resumed(where: Place) -> Iterator[None]:
    """Go on from a place, and then from where one was: functions that take turns have their own."""
    store = store_of()
    before = store.scope, store.counts
    store.scope, store.counts = where.scope, dict(where.counts)
    try:
        yield
    finally:
        store.scope, store.counts = before


def _check_left(left: VariableScope, current: VariableScope) -> None:
    """Raise GraphError where the scope that is left is not the one that was entered last."""
    if left is not current:
        raise GraphError(
            f"Improper nesting of variable_scope: {left.name!r} is left before {current.name!r}, "
            "which was entered in it"
        )


def _unlike(store: Store, prefix: str, name: str) -> str:
    whole = f"{prefix}/{name}" if prefix else name
    if not store.counts.get(whole, 0):
        return name
    number = 1
    while store.counts.get(f"{whole}_{number}", 0):
        number += 1
    return f"{name}_{number}"


def _changed(defaults: Defaults, changed: dict[str, Any]) -> Defaults:
    given = {key: value for key, value in changed.items() if value is not None}
    if "dtype" in given:
        given["dtype"] = as_dtype(given["dtype"])
    if "custom_getter" in given:
        given["custom_getter"] = _getter_through(
            defaults.custom_getter, given["custom_getter"]
        )
    return replace(defaults, **given)


def _getter_through(outer: Getter | None, inner: Getter | None) -> Getter | None:
    """Return a getter that asks the inner one, which asks the outer one; None without any."""
    for given in (outer, inner):
        if given is not None and not callable(given):
            raise InvalidArgumentError(
                f"Passed a custom_getter which is not callable: {given!r}; give a function of a "
                "getter and the arguments of get_variable"
            )
    if outer is None or inner is None:
        return outer or inner

    def getter(ask: Getter, *args: Any, **kwargs: Any) -> Any:
        return inner(partial(outer, ask), *args, **kwargs)

    return getter


def get_variable(
    name: str | None,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    partitioner: Any = None,
    *,
    validate_shape: bool = True,
    custom_getter: Getter | None = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    scope: VariableScope | None = None,
    distributed: Mapping[str, Any] | None = None,
    make: Callable[..., Any],
) -> Any:
    """Return the variable of a name below the scope's, made now or found again; None: just that.

    `make` is the class of new ones, `custom_getter` is asked in their place; both are told what
    `distributed` has, for whom copies of the variable are joined by it. Raises
    InvalidArgumentError for one that is there and is not to be found again, or the reverse.
    """
    here = get_variable_scope() if scope is None else scope
    defaults = here.defaults
    if dtype is None:
        dtype = _dtype_of(initializer, defaults)
    own = {
        "initializer": initializer,
        "regularizer": regularizer,
        "partitioner": partitioner,
        "constraint": constraint,
        "use_resource": use_resource,
    }
    asked = {
        "shape": shape,
        "dtype": agreed_dtype(as_dtype(dtype), initializer),
        **{k: getattr(defaults, k) if x is None else x for k, x in own.items()},
        "reuse": here.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": defaults.caching_device,
        "validate_shape": validate_shape,
        **(distributed or {}),
    }
    # Without a name of its own it has just that of its scope: a name that ends in "/".
    one_of(name, (str, type(None)), "get_variable: name", "a text")
    whole = "/".join([x for x in (here.name or None, name) if x is not None])
    getter = _getter_through(defaults.custom_getter, custom_getter)
    found: Getter = partial(_found_or_made, make=partial(make, **(distributed or {})))
    if getter is not None:
        found = partial(getter, found)
    with name_scope(""):  # what a getter makes lies in no scope of names
        return found(name=whole, **asked)


def agreed_dtype(dtype: DType, initializer: Any) -> DType:
    """Return a dtype that is asked for; InvalidArgumentError when a first value has another."""
    if isinstance(initializer, Operand) and to_tensor(initializer).dtype is not dtype:
        raise InvalidArgumentError(
            f"Initializer type {to_tensor(initializer).dtype!r} and explicit dtype {dtype!r} don't "
            "match; leave the dtype out, or cast the value"
        )
    return dtype


def _dtype_of(initializer: Any, defaults: Defaults) -> DType:
    """Return the dtype of a value that is given for an initializer, or the scope's."""
    dtype = getattr(initializer, "dtype", None)
    if initializer is not None and dtype is None and not callable(initializer):
        return to_tensor(initializer).dtype
    if dtype is None or callable(initializer):
        return defaults.dtype
    return as_dtype(getattr(dtype, "numpy", dtype))


def _found_or_made(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    constraint: Any = None,
    use_resource: bool | None = None,
    *,
    make: Callable[..., Any],
    caching_device: Any = None,
    **_: Any,
) -> Any:
    """Return the variable of a whole name; other arguments are for custom getters."""
    store = store_of()
    found = store.variables.get(name)
    if found is not None:
        check_partitions(found, partitioner)
        finds_again = reuse or name in store.found_again
        return _again(found, name, shape, as_dtype(dtype), finds_again)
    if reuse is True:
        raise InvalidArgumentError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    sizes = asked_sizes(shape)
    make_one = partial(
        make,
        trainable=trainable,
        collections=collections,
        validate_shape=validate_shape,
        constraint=constraint,
        use_resource=use_resource,
        caching_device=caching_device,
    )
    known = None if partitioner is None else _known_sizes(sizes, initializer)
    if partitioner is not None and known:  # a scalar has no axis to be cut along
        first = partial(part_value, name, initializer, as_dtype(dtype))
        made: Any = cut(partitioner, name, known, as_dtype(dtype), first, make_one)
    else:
        value = value_for(name, initializer, sizes, as_dtype(dtype))
        made = _made(name, value, as_dtype(dtype), make_one)
    store.variables[name] = made
    for part in made if isinstance(made, PartitionedVariable) else [made]:
        _keep(store, getattr(part, "bare_name", name), part, regularizer, collections)
    return made


def _keep(
    store: Store,
    name: str,
    made: Any,
    regularizer: Any,
    collections: Iterable[str] | None,
) -> None:
    """Keep a variable by its own name, and regularise it unless there is nothing to do so."""
    store.variables.setdefault(name, made)
    if regularizer:
        store.regularise(made, name, regularizer)
    store.collect(made, collections)


def _known_sizes(asked: Any, initializer: Any) -> list[int] | None:
    """Return the sizes that are asked for, or those of a value to begin with; None if not known."""
    sizes = asked
    if asked is None and initializer is not None and not callable(initializer):
        sizes = to_tensor(initializer).spec.shape
    return None if sizes is None or None in sizes else [int(x) for x in sizes]


def _made(name: str, value: Any, dtype: DType, make: Callable[..., Any]) -> Any:
    """Return a new variable of just this name."""
    with name_scope(""):
        return make(value, name=name, dtype=dtype)


def _again(found: Any, name: str, shape: Any, dtype: DType, reuse: Any) -> Any:
    """Return a variable that is there, if it is to be found again and is what is asked for."""
    if reuse is False or reuse is None:
        raise InvalidArgumentError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    sizes = asked_sizes(shape)
    if sizes is not None and not found.get_shape().is_compatible_with(sizes):
        raise ShapeError(
            f"Trying to share variable {name}, but specified shape {shape_text(sizes)} and found "
            f"shape {found.get_shape()}."
        )
    if dtype is not found.dtype:
        raise InvalidArgumentError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{found.dtype.name}."
        )
    return found
