"""Checks of arguments that layers and optimizers share."""

from __future__ import annotations

from tensorlite.core.errors import InvalidArgumentError


def positive(value: object, what: str) -> int:
    """Return `value`; InvalidArgumentError naming `what` unless it is a positive integer."""
    if not isinstance(value, int) or value < 1:
        raise InvalidArgumentError(f"{what}={value!r}: it must be a positive integer")
    return value
