"""documented, explained, told: what `help` shows of functions that other functions make.

The functions themselves are made in shared/making.py, or where there are few of a kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from inspect import cleandoc, getdoc, isfunction, signature
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def documented(made: F, of: str | Callable[..., Any]) -> F:
    """Return a function with a text, or what is told of the function that it is made of.

    >>> from tensorlite.compat.documenting import documented
    >>> documented(lambda x, y: x > y, tl.greater).__doc__
    'Return whether elements of `x` are greater than those of `y`.'
    """
    own = list(signature(made).parameters)
    made.__doc__ = of if isinstance(of, str) else told(of, own)
    return made


def explained(made: F, name: str, help_text: str) -> F:
    """Return a function with a name and a text of its own, whose indentation does not count.

    >>> from tensorlite.compat.documenting import explained
    >>> explained(lambda x: x, "same", "Return x.").__name__
    'same'
    """
    made.__name__ = made.__qualname__ = name
    made.__doc__ = cleandoc(help_text)
    return made


def told(function: Any, names: Iterable[str] = ()) -> str | None:
    """Return the first sentences of a function's help, which hold for others made of it, too.

    Its parameters are called by other names, where some are given.

    >>> from tensorlite import math
    >>> told(math.digamma)
    'Return the derivative of lgamma.'
    """
    if not isfunction(function):
        return None
    first = (getdoc(function) or "").partition("\n\n")[0]
    called = dict(zip(signature(function).parameters, names, strict=False))
    return re.sub(r"`(\w+)`", lambda x: f"`{called.get(x[1], x[1])}`", first) or None
