"""Functions that programs put in the place of TensorFlow's for extension types of their own.

`named` in calling.py asks for them; `tf.experimental` has the decorators that register them. The
types stand in v2/extension_types.py.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError

Api: TypeAlias = Callable[..., Any]

UNARY: set[Api] = set()
"""Functions of one operand, applied element by element."""
BINARY: set[Api] = set()
"""Functions of two operands, applied element by element."""
_of_api: dict[Api, list[tuple[Mapping[str, Any], Api]]] = {}
"""For each of TensorFlow's functions the types of parameters, and what is called for them."""
_unary: list[tuple[Any, Api]] = []
_binary: list[tuple[Any, Any, Api]] = []


def any_handler() -> bool:
    """Return whether a program has registered any function."""
    return bool(_of_api or _unary or _binary)


def handler_for(
    api: Api, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Api | None:
    """Return what is to be called in the place of a function; None: the function itself."""
    if not any(_has_composite(x) for x in (*args, *kwargs.values())):
        return None
    for wanted, handler in _of_api.get(api, ()):
        bound = signature(api).bind(*args, **kwargs).arguments
        named = [(kind, bound[key]) for key, kind in wanted.items() if key in bound]
        if named and all(_fits(kind, value) for kind, value in named):
            return handler
    if api not in UNARY and api not in BINARY:
        return None
    given = signature(api).bind(*args, **kwargs).arguments
    operands = [x for key, x in given.items() if key != "name"]
    if api in UNARY:
        found = [f for kind, f in _unary if _fits(kind, operands[0])]
    else:
        x, y = operands[:2]
        found = [f for a, b, f in _binary if _fits(a, x) and _fits(b, y)]
    return partial(found[-1], api) if found else None


def dispatch_for_api(
    api: Api, *signatures: Mapping[str, Any]
) -> Callable[[Api], Api]:
    """Return a decorator of what is called where arguments are of the types that it names."""

    def decorate(handler: Api) -> Api:
        hints = {
            key: kind
            for key, kind in get_type_hints(handler).items()
            if key != "return"
        }
        for wanted in signatures or (hints,):
            if not wanted:
                raise InvalidArgumentError(
                    f"{handler.__name__} annotates no parameter, so that nothing is known of "
                    "what it is for; annotate one, or give dispatch_for_api a signature"
                )
            _of_api.setdefault(api, []).insert(0, (wanted, handler))
        return handler

    return decorate


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Api], Api]:
    """Return a decorator of what elementwise functions do with a type.

    The decorated function is called with the API and its argument.
    """

    def decorate(handler: Api) -> Api:
        _unary.append((x_type, handler))
        return handler

    return decorate


def dispatch_for_binary_elementwise_apis(
    x_type: Any, y_type: Any
) -> Callable[[Api], Api]:
    """Return a decorator of what functions of two operands do with types.

    The decorated function is called with the API and both arguments.
    """

    def decorate(handler: Api) -> Api:
        _binary.append((x_type, y_type, handler))
        return handler

    return decorate


def unregister_dispatch_for(dispatch_target: Api) -> None:
    """Forget a function that was registered; InvalidArgumentError if it was not."""
    before = _count()
    for api, entries in list(_of_api.items()):
        kept = [entry for entry in entries if entry[-1] is not dispatch_target]
        if kept:
            _of_api[api] = kept
        else:
            del _of_api[api]
    _unary[:] = [entry for entry in _unary if entry[-1] is not dispatch_target]
    _binary[:] = [entry for entry in _binary if entry[-1] is not dispatch_target]
    if _count() == before:
        raise InvalidArgumentError(f"Function {dispatch_target} was not registered.")


def _count() -> int:
    return sum(map(len, _of_api.values())) + len(_unary) + len(_binary)


def _has_composite(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_composite, value))
    return isinstance(value, nest.Composite)


def _fits(kind: Any, value: Any) -> bool:
    """Return whether a value is of a type, which may be a union, or of lists."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(x, value) for x in get_args(kind))
    if origin in (list, Sequence):
        inner = get_args(kind)[0]
        return isinstance(value, (list, tuple)) and all(
            _fits(inner, x) for x in value
        )
    if origin is tuple:
        inner = get_args(kind)[0]
        return isinstance(value, tuple) and all(_fits(inner, x) for x in value)
    return kind is Any or isinstance(value, origin or kind)
