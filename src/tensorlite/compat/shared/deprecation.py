"""tensorflow.python.util.deprecation: libraries' own notes that something will go, logged once.

What is deprecated works as before. The notes are for those who call; nothing else depends on them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared import logging
from tensorlite.compat.shared.decorators import make_decorator
from tensorlite.core.errors import InvalidArgumentError


class _Notes:
    """Which notes were logged already, and whether they are logged at all."""

    silent = False
    told: set[tuple[Any, ...]] = set()  # noqa: RUF012  (one for the process)


def _tell(key: tuple[Any, ...], what: str, date: str | None, instead: str) -> None:
    if _Notes.silent or key in _Notes.told:
        return
    _Notes.told.add(key)
    when = "in a future version" if date is None else f"after {date}"
    logging.warning(
        f"{what} is deprecated and will be removed {when}.\n"
        f"Instructions for updating:\n{instead}"
    )


@contextmanager
def silence() -> Iterator[None]:
    """Log no notes inside the block."""
    before, _Notes.silent = _Notes.silent, True
    try:
        yield
    finally:
        _Notes.silent = before


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Any:
    """Return what marks a function or a class as deprecated."""

    def marked(target: Any) -> Any:
        function = getattr(target, "__init__") if isinstance(target, type) else target  # noqa: B009
        title = f"{target.__qualname__} (from {target.__module__})"

        def told(*args: Any, **kwargs: Any) -> Any:
            _tell((function,), title, date, instructions)
            return function(*args, **kwargs)

        made = make_decorator(function, told, "deprecated")
        if not isinstance(target, type):
            return made
        setattr(target, "__init__", made)  # noqa: B010  (mypy: methods are not assigned)
        return target

    return marked


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Return a function or class by an older name, whose use tells the newer one."""
    instead = f"Please use {name} instead."

    def told(*args: Any, **kwargs: Any) -> Any:
        _tell((deprecated_name,), f"The name {deprecated_name}", None, instead)
        return func_or_class(*args, **kwargs)

    if not isinstance(func_or_class, type):
        return make_decorator(func_or_class, told, "deprecated_alias")

    older: Any = type(func_or_class)(func_or_class.__name__, (func_or_class,), {})

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        _tell((deprecated_name,), f"The name {deprecated_name}", None, instead)
        super(older, self).__init__(*args, **kwargs)

    older.__init__ = made
    return older


def deprecated_args(
    date: str | None, instructions: str, *names: Any, warn_once: bool = True
) -> Any:
    """Return what marks arguments of a function; a pair gives one with a value that may stay."""
    fine = dict(
        (name, ()) if isinstance(name, str) else (name[0], name[1:]) for name in names
    )

    def marked(function: Callable[..., Any]) -> Any:
        known = list(inspect.signature(function).parameters)
        if missing := [name for name in fine if name not in known]:
            raise InvalidArgumentError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Expected arguments from the following list: {known}."
            )
        return _watched(function, date, instructions, lambda k, x: _other(x, fine, k))

    return marked


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **values: Any
) -> Any:
    """Return what marks single values of a function's arguments."""
    return lambda function: _watched(
        function, date, instructions, lambda k, x: k in values and _same(x, values[k])
    )


def deprecated_argument_lookup(
    new_name: str, new_value: Any, old_name: str, old_value: Any
) -> Any:
    """Return the value of an argument that has two names, of which one may be given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise InvalidArgumentError(
            f"Cannot specify both '{old_name}' and '{new_name}'."
        )
    return old_value


def _other(x: Any, fine: Mapping[str, tuple[Any, ...]], name: str) -> bool:
    """Return whether an argument is deprecated, and has none of the values that may stay."""
    return name in fine and not any(_same(x, value) for value in fine[name])


def _same(x: Any, y: Any) -> bool:
    return x is y or (
        type(x) is type(y) and isinstance(x, (str, int, float)) and x == y
    )


def _watched(
    function: Callable[..., Any],
    date: str | None,
    instead: str,
    is_old: Callable[[str, Any], bool],
) -> Any:
    """Return a function that tells of the arguments for which `is_old` says so."""
    signature = inspect.signature(function)
    title = f"calling {function.__qualname__} (from {function.__module__}) with "

    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            given = {}  # the call itself says what is wrong
        for name, x in given.items():
            if is_old(name, x):
                _tell((function, name), title + name, date, instead)
        return function(*args, **kwargs)

    return make_decorator(function, told, "deprecated")
