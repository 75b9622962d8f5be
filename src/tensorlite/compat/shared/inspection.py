"""tensorflow.python.util.tf_inspect: Python's inspect, through TensorFlow's decorators."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, NamedTuple

from tensorlite.compat.shared.decorators import unwrap

FullArgSpec = inspect.FullArgSpec


class ArgSpec(NamedTuple):
    """What a function takes that has no arguments by keyword only."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """Return what a function, a method, a class or a callable object takes.

    >>> getfullargspec(lambda x, *, y=1: x).kwonlyargs
    ['y']
    """
    return inspect.getfullargspec(_seen(obj))


def getargspec(obj: Any) -> Any:
    """Return names, the names of *args and **kwargs, and defaults; ValueError for keywords only.

    >>> getargspec(lambda x, y=1: x)
    ArgSpec(args=['x', 'y'], varargs=None, keywords=None, defaults=(1,))
    """
    full = getfullargspec(obj)
    if full.kwonlyargs:
        raise ValueError(
            f"getargspec: {obj!r} takes {full.kwonlyargs} by keyword only; use getfullargspec"
        )
    return ArgSpec(full.args, full.varargs, full.varkw, full.defaults)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Return what each argument of a function is in a call.

    >>> getcallargs(lambda x, y=1: x, 3)
    {'x': 3, 'y': 1}
    """
    func, *positional = func_and_positional
    return inspect.getcallargs(_seen(func), *positional, **named)


def _seen(obj: Any) -> Any:
    """Return what is asked: the function in decorators, or how objects are called."""
    found = obj if isinstance(obj, partial) else unwrap(obj)[1]
    if (
        isinstance(found, partial)
        or inspect.isroutine(found)
        or inspect.isclass(found)
    ):
        return found
    return type(found).__call__


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(inspect)})


def __getattr__(name: str) -> Any:
    """Return what Python's module has."""
    return getattr(inspect, name)
