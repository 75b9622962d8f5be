"""tensorflow.python.util.function_utils: what functions, methods and callable objects take."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

from tensorlite.compat.shared.decorators import unwrap
from tensorlite.core.errors import DTypeError, InvalidArgumentError


def fn_args(fn: Any) -> tuple[str, ...]:
    """Return the names of the arguments that may be given by position, less self.

    >>> from functools import partial
    >>> fn_args(partial(lambda x, y, *, z=1: x, 3))
    ('y',)
    """
    if isinstance(fn, partial):
        left = fn_args(fn.func)[len(fn.args) :]
        return tuple([name for name in left if name not in fn.keywords])
    called = _called(fn)
    names = inspect.getfullargspec(called).args
    bound = inspect.ismethod(unwrap(called)[1])
    return tuple(names[1:] if bound else names)


def has_kwargs(fn: Any) -> bool:
    """Return whether a function takes any keyword."""
    if not callable(fn):
        raise DTypeError(
            f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})"
        )
    called = _called(fn.func if isinstance(fn, partial) else fn)
    return inspect.getfullargspec(called).varkw is not None


def get_func_name(func: Any) -> str:
    """Return a function's name, a method's with its class, an object's class."""
    inner = _unwrapped(func)
    if inspect.isfunction(inner):
        return inner.__name__
    if inspect.ismethod(inner):
        return f"{type(inner.__self__).__name__}.{inner.__func__.__name__}"
    return str(type(inner))


def get_func_code(func: Any) -> Any:
    """Return a function's code; None of what has none."""
    inner = _unwrapped(func)
    return getattr(_called(inner), "__code__", None)


def _called(fn: Any) -> Any:
    """Return the method that calling an object calls; a function itself."""
    method = getattr(fn, "__call__", None)  # noqa: B004  (bound ones)
    return method if inspect.ismethod(method) else fn


def _unwrapped(func: Any) -> Any:
    inner = unwrap(func)[1]
    if not callable(inner):
        raise InvalidArgumentError(
            f"Argument `func` must be a callable. Received func={func} (of type {type(func)})"
        )
    return inner
