"""register_tensor_conversion_function: values of programs' own classes that become tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dispatch import conversions
from tensorlite.core.errors import DTypeError

_known: list[tuple[int, Any, Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let values of a type become tensors by a function.

    It is called as conversion_func(value, dtype, name, as_ref); those of less priority are asked
    first. DTypeError if it is not callable, or base_type no type or tuple of types.
    """
    if not callable(conversion_func):
        raise DTypeError("conversion_func must be callable.")
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise DTypeError(
            f"base_type must be a type or a tuple of types; got {base_type!r}"
        )
    if not _known:
        conversions.append(registered)
    _known.append((priority, base_type, conversion_func))
    _known.sort(key=lambda one: one[0])


def is_convertible(value: object) -> bool:
    """Return whether a value is of a class that a program registered."""
    return any(isinstance(value, kind) for _, kind, _ in _known)


def registered(value: Any) -> Any:
    """Return a value of a registered class as what its function makes of it, others as they are."""
    for _, kind, convert in _known:
        if isinstance(value, kind):
            made = convert(value, dtype=None, name=None, as_ref=False)
            if made is not NotImplemented:
                return made
    return value


def any_registered() -> bool:
    """Return whether there is any such class."""
    return bool(_known)


def registered_in(arguments: Any) -> Any:
    """Return arguments, by place or by name, with tensors in the place of registered values."""
    if isinstance(arguments, dict):
        return {key: registered_in(x) for key, x in arguments.items()}
    if type(arguments) in (list, tuple):
        return type(arguments)(map(registered_in, arguments))
    return registered(arguments)
