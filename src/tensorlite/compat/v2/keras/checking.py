"""Checks of the numbers that Keras' objects are made with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import defaults
from tensorlite.core.errors import InvalidArgumentError


def not_negative(**given: Any) -> None:
    """Refuse numbers below zero."""
    _all(given, "expected a non-negative float", lambda x: x >= 0)


def not_positive(**given: Any) -> None:
    """Refuse numbers above zero."""
    _all(given, "it needs to be negative or zero", lambda x: x <= 0)


def positive(**given: Any) -> None:
    """Refuse what is not above zero."""
    for name, value in given.items():
        if not value > 0:
            raise InvalidArgumentError(
                f"Invalid value for argument `{name}`. Expected a strictly positive value. "
                f"Received {name}={value}."
            )


def share(**given: Any) -> None:
    """Refuse what is not between 0 and 1."""
    for name, value in given.items():
        if not 0 <= value <= 1:
            raise InvalidArgumentError(
                f"Invalid value received for argument `{name}`. Expected a float value between 0 "
                f"and 1, it must be in the range [0, 1]. Received: {name}={value}"
            )


def among(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse what is none of some words."""
    if value not in allowed:
        raise InvalidArgumentError(
            f"Invalid value for argument `{name}`: allowed are {', '.join(allowed)}. Received: "
            f"{name}={value!r}"
        )


def word(owner: str, name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse, for a class, what is none of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgumentError(
            f"Unknown value for `{name}` argument of {owner}. Allowed values are: {allowed}. "
            f"Received: {name}={value}"
        )


def data_format(value: str | None) -> str:
    """Return where images have their channels, the usual place of None; refuse other words."""
    if value is None:
        return defaults.image_data_format()
    found = str(value).lower()
    among("data_format", found, ("channels_last", "channels_first"))
    return found


def whole(**given: Any) -> None:
    """Refuse what is no whole number above zero."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(
                f"Expected an integer value for `{name}`, got {type(value)}."
            )
        if value <= 0:
            raise InvalidArgumentError(
                f"`{name}` should be a positive integer. Received: {name}={value}"
            )


def sizes(name: str, value: Any, count: int, least: int = 1) -> tuple[int, ...]:
    """Return whole numbers for some axes, of one for all or of one for each."""
    told = f"The `{name}` argument must be a tuple of {count} integers. Received {name}={value}"
    if isinstance(value, (int, np.integer)):
        value = (value,) * count
    numbers = isinstance(value, Iterable) and not isinstance(value, str)
    found = tuple(value) if numbers else ()
    if len(found) != count or not all(
        isinstance(x, (int, np.integer)) for x in found
    ):
        raise InvalidArgumentError(told)
    wrong = {int(x) for x in found if x < least}
    if wrong:
        sign = "> 0" if least else ">= 0"
        raise InvalidArgumentError(
            f"{told}, including values {wrong} that do not satisfy `value {sign}`"
        )
    return tuple(map(int, found))


def counts(**given: Any) -> None:
    """Refuse what is no whole number above zero."""
    for name, value in given.items():
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value <= 0:
            raise InvalidArgumentError(
                f"`{name}` must be a positive integer. Received: {name}={value} (of type "
                f"{type(value).__name__})."
            )


def _all(given: dict[str, Any], wanted: str, fits: Any) -> None:
    for name, value in given.items():
        values = value if isinstance(value, tuple) else (value,)
        if not all(fits(x) for x in values):
            raise InvalidArgumentError(
                f"Invalid value for argument `{name}`: {wanted}. Received: {name}={value}"
            )
