"""tensorflow.python.util.tf_inspect: Python's inspect, through TensorFlow's decorators."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, NamedTuple

from tensorlite.compat.shared.decorators import unwrap

_PACKAGE = __name__.partition(".")[0]
_inspect = inspect
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
    seen = _seen(obj)
    found = inspect.getfullargspec(seen)
    # TensorFlow's functions are not annotated: libraries compare theirs with them.
    return found._replace(annotations={}) if _is_own(seen) else found


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
    """Return what each argument of a function is in a call, and what the call has beside them.

    Whether the function takes all of that is not asked, and what it gathers in **kwargs stands by
    its own name.

    >>> getcallargs(lambda x, y=1, **rest: x, 3, z=4)
    {'z': 4, 'x': 3, 'y': 1}
    """
    func, *positional = func_and_positional
    told = getfullargspec(func)
    if inspect.ismethod(func):
        positional = [func.__self__, *positional]
    found = dict(named)
    found.update(
        zip([x for x in told.args if x not in found], positional, strict=False)
    )
    defaults = told.defaults or ()
    last = zip(told.args[len(told.args) - len(defaults) :], defaults, strict=True)
    for name, value in (*last, *(told.kwonlydefaults or {}).items()):
        found.setdefault(name, value)
    return found


def _seen(obj: Any) -> Any:
    """Return what is asked: the function in decorators, or how objects are called."""
    found = obj if isinstance(obj, partial) else unwrap(obj)[1]
    if _is_own(found):
        found = inspect.unwrap(found, stop=lambda x: "__signature__" in vars(x))
    if (
        isinstance(found, partial)
        or inspect.isroutine(found)
        or inspect.isclass(found)
    ):
        return found
    return type(found).__call__


def _is_own(obj: Any) -> bool:
    """Return whether a function or class is this library's."""
    return str(getattr(obj, "__module__", "")).startswith(f"{_PACKAGE}.")


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(inspect)})


def __getattr__(name: str) -> Any:
    """Return what Python's module has."""
    return getattr(inspect, name)
