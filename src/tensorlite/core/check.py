"""Checks that public functions make of their arguments. Operators check theirs in `infer`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand


def whole(value: Any, what: str, least: int | None = None) -> Any:
    """Return an integer, or a tensor that may be one; DTypeError for floats, strings and others.

    InvalidArgumentError when it is less than `least`. `what` names function and argument.
    """
    is_bool = isinstance(value, (bool, np.bool_))
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    if is_bool or not (is_array or isinstance(value, (int, np.integer, Operand))):
        raise DTypeError(f"{what}={value!r}; allowed are integers")
    if (
        least is not None
        and not isinstance(value, (Operand, np.ndarray))
        and value < least
    ):
        raise InvalidArgumentError(f"{what}={value}; allowed are {least} and more")
    return value


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number of Python's, and no bool."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and isfinite(value)


def a_number(value: Any, what: str) -> Any:
    """Return a number of Python's or NumPy's; DTypeError for others."""
    if not isinstance(value, (int, float, np.number)):
        raise DTypeError(f"{what}={value!r}; give a number")
    return value


def check_seconds(what: str, value: Any, least: float) -> None:
    """Raise InvalidArgumentError for what is no number of seconds, `least` or more."""
    if not is_number(value) or value < least:
        raise InvalidArgumentError(
            f"{what}={value!r}: give seconds, {least:g} or more"
        )


def whole_numbers(values: Any, what: str) -> Any:
    """Return a sequence of integers and 0-d tensors; DTypeError for anything else."""
    is_text = isinstance(values, (str, bytes))
    if is_text or not isinstance(values, (Sequence, np.ndarray)):
        raise DTypeError(f"{what}={values!r}; allowed are sequences of integers")
    for value in values:
        whole(value, f"{what}={values!r}: a member")
    return values


def integers_of(values: Any, what: str) -> list[int]:
    """Return an integer, or those in lists of lists, one after the other; DTypeError for others."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        array = np.asarray(None)
    if array.size and array.dtype.kind not in "iu":
        raise DTypeError(f"{what}={values!r}; allowed are integers")
    return [int(n) for n in array.ravel()]


def one_integer(values: Any, what: str) -> int:
    """Return the integer that a list holds alone; InvalidArgumentError for none or several."""
    found = integers_of(values, what)
    if len(found) != 1:
        raise InvalidArgumentError(
            f"{what}={values!r} must be a tensor with a single value"
        )
    return found[0]


def a_path(value: Any, what: str) -> str:
    """Return the name of a file or folder as a text; DTypeError for what names none."""
    try:
        name = os.fspath(value)
    except TypeError:
        raise DTypeError(f"{what}={value!r}; give a text or a pathlib.Path") from None
    return os.fsdecode(name)


def several(values: Any, what: str, allowed: str = "a list or tuple") -> Any:
    """Return what has members and is no text; DTypeError, with what is allowed, for others."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise DTypeError(f"{what}={values!r}; give {allowed}")
    return values


def pairs_of(values: Any, what: str, allowed: str) -> list[tuple[Any, Any]]:
    """Return pairs as a list; DTypeError, which says what is allowed, for others."""
    made = [several(pair, what, allowed) for pair in several(values, what, allowed)]
    if any(_length(pair) != 2 for pair in made):
        raise DTypeError(f"{what}={values!r}; give {allowed}")
    return [(first, second) for first, second in made]


def _length(value: Any) -> int | None:
    """Return how many members something has, None if it has no length."""
    try:
        return len(value)
    except TypeError:
        return None


def a_function(value: Any, what: str) -> Any:
    """Return a function; DTypeError for what cannot be called."""
    if not callable(value):
        raise DTypeError(
            f"{what}={value!r} cannot be called; give a function, as in lambda: x"
        )
    return value


def one_of(
    value: Any, kinds: type | tuple[type, ...], what: str, allowed: str
) -> Any:
    """Return what is of one of the kinds; DTypeError, which says what is allowed, for others."""
    if not isinstance(value, kinds):
        raise DTypeError(f"{what}={value!r}; give {allowed}")
    return value
