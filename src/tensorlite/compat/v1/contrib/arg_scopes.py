"""arg_scope of tf.contrib.framework: defaults of functions' arguments inside a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

from tensorlite.core.errors import DTypeError, InvalidArgumentError

Scope = dict[Any, dict[str, Any]]
_scopes: list[Scope] = [{}]
_arguments: dict[Any, tuple[str, ...]] = {}
"""The arguments that scopes may give, by function."""


def arg_scope_func_key(op: Any) -> Any:
    """Return the key under which an arg_scope keeps defaults of a function."""
    return getattr(op, "_key_op", str(op))


def current_arg_scope() -> Scope:
    """Return the defaults that hold here: by functions' keys, dicts of arguments."""
    return _scopes[-1]


def has_arg_scope(func: Any) -> bool:
    """Return whether the function is decorated with add_arg_scope."""
    return arg_scope_func_key(func) in _arguments


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """Return the names of the function's arguments that an arg_scope may set."""
    return _arguments[arg_scope_func_key(func)]


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes arguments of the scopes that it is called in."""
    key = arg_scope_func_key(func)
    given = signature(func).parameters.values()
    _arguments[key] = tuple([x.name for x in given if x.default is not x.empty])

    @wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    called: Any = scoped
    vars(called)["_key_op"] = key
    return scoped


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Give functions other defaults of arguments inside the block, and yield the scope.

    Functions are those decorated with add_arg_scope, else InvalidArgumentError is raised; a scope
    that was yielded before can be given in place of a list, without further arguments.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise InvalidArgumentError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        inner = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        inner = dict(current_arg_scope())
        for op in list_ops_or_scope:
            key = arg_scope_func_key(op)
            if not has_arg_scope(op):
                raise InvalidArgumentError(
                    f"{op!r} is not decorated with @add_arg_scope"
                )
            inner[key] = {**inner.get(key, {}), **kwargs}
    else:
        raise DTypeError(
            "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)"
        )
    _scopes.append(inner)
    try:
        yield inner
    finally:
        _scopes.pop()
