"""renamed: arguments that had another name in earlier versions of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.core.errors import InvalidArgumentError


def renamed(name: str, value: Any, old_name: str, old: Any) -> Any:
    """Return an argument given by one of its two names; InvalidArgumentError for both."""
    if old is None:
        return value
    if value is not None:
        raise InvalidArgumentError(f"Cannot specify both '{old_name}' and '{name}'")
    return old
