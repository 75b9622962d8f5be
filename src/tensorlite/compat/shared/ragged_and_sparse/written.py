"""What writes of ragged tensors into graphs of version 1, node by node as TensorFlow 1 does.

It stands in compat/v1/ragged_written/. Where it returns NotImplemented, and for what nothing is
registered, ragged tensors are computed in graphs as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from tensorlite.graph_mode.graph import active_graph, mode
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.values import RaggedTensorValue

Written = Callable[..., Any]

METHODS: dict[str, Written] = {}
"""Methods of ragged tensors, and functions of them alone, by their names."""
FUNCTIONS: dict[str, Written] = {}
"""Functions of tensors that take ragged ones, too, by what their nodes are called."""
KINDS: dict[Any, Written] = {}
"""Functions of tensors by what else is made of ragged ones, where that is one for many."""


def of_version_1() -> bool:
    """Return whether programs are TensorFlow 1's, whose graphs are written so."""
    return mode.eager is False


def will_be_written(x: Any) -> bool:
    """Return whether this is a ragged tensor of a graph of version 1."""
    return is_ragged(x) and active_graph() is not None and of_version_1()


def writes(*names: str, of: dict[str, Written] = METHODS) -> Callable[[Any], Any]:
    """Return a decorator of what writes methods, or functions, of some names."""

    def decorate(written: Written) -> Written:
        of.update(dict.fromkeys(names, written))
        return written

    return decorate


def method_written(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what is written for a method; NotImplemented where nothing is."""
    written = METHODS.get(name)
    if written is None or not of_version_1():
        return NotImplemented
    if has_equal_rows((*args, *kwargs.values())):
        return NotImplemented
    return written(*args, **kwargs)


def written_first(name: str) -> Callable[[Written], Written]:
    """Return a decorator of functions of ragged tensors that graphs have written otherwise."""

    def decorate(function: Written) -> Written:
        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if active_graph() is not None:
                made = method_written(name, args, kwargs)
                if made is not NotImplemented:
                    return made
            return function(*args, **kwargs)

        return called

    return decorate


def is_written(default: str, form: Any) -> bool:
    """Return whether something may be written for a function, or for all of its kind."""
    return of_version_1() and (default in FUNCTIONS or form in KINDS)


def function_written(
    default: str, form: Any, again: Written, arguments: dict[str, Any], name: Any
) -> Any:
    """Return what is written for a function of tensors; NotImplemented where nothing is.

    `again` is the function itself.
    """
    given = tuple(arguments.values())
    if has_equal_rows(given) or not has_ragged(given):
        return NotImplemented
    written = FUNCTIONS.get(default) or KINDS[form]
    return written(again, arguments, name)


def has_ragged(given: Any) -> bool:
    """Return whether there are ragged tensors, or values of such, among arguments."""
    return any(
        has_ragged(x) if type(x) in (list, tuple) else is_ragged(x) for x in given
    )


def ragged_in(given: Any) -> Iterator[Any]:
    """Yield the ragged tensors among arguments, in lists of them, too."""
    for x in given:
        if isinstance(x, RaggedParts):
            yield x
        elif type(x) in (list, tuple):
            yield from ragged_in(x)


def has_equal_rows(given: Any) -> bool:
    """Return whether the rows of a ragged tensor are known to be equally long.

    TensorFlow 1 knows of none such, and what knows it is not to forget it.
    """
    return any(
        x.uniform_row_length is not None
        for one in ragged_in(given)
        for x in levels(one)
    )


def levels(x: Any) -> Iterator[Any]:
    """Yield rows, and those within, as far as they are split."""
    while isinstance(x, RaggedParts):
        yield x
        x = x.values


def is_ragged(x: Any) -> bool:
    """Return whether this is a ragged tensor, or the value of one."""
    return isinstance(x, (RaggedParts, RaggedTensorValue))


_KNOWN = "_known"


def known_of(x: Any) -> dict[str, Any]:
    """Return what is at hand of rows: `lengths`, `ids`, `count`; nothing where bounds made them."""
    found: dict[str, Any] = x.__dict__.get(_KNOWN, {})
    return found


def knowing(x: Any, known: dict[str, Any]) -> Any:
    """Return rows, of which this is at hand from now on."""
    if known:
        object.__setattr__(x, _KNOWN, known)
    return x
