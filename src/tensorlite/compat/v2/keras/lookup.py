"""Objects by the names and descriptions that Keras' programs give for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat.v2.keras import naming
from tensorlite.core.errors import InvalidArgumentError

custom_objects: dict[str, Any] = {}
"""What programs have added, by name."""


def found(kind: str, given: Any, known: Mapping[str, Any]) -> Any:
    """Return what a name, a class, a description or the thing itself stands for."""
    if given is None or (callable(given) and not isinstance(given, type)):
        return given
    if isinstance(given, type):
        return given()
    if isinstance(given, Mapping):
        made = found_class(kind, given["class_name"], known)
        return made(**given.get("config", {})) if isinstance(made, type) else made
    if not isinstance(given, str):
        return given
    made = found_class(kind, given, known)
    return made() if isinstance(made, type) else made


def found_class(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    """Return what stands under a name, in whichever way it is spelled."""
    everything = {**known, **custom_objects}
    if name in everything:
        return everything[name]
    spelled = {naming.snake(key): value for key, value in everything.items()}
    joined = {key.lower(): value for key, value in everything.items()}
    made = spelled.get(name, joined.get(name.lower().replace("_", "")))
    if made is None:
        raise InvalidArgumentError(
            f"{name!r} is no {kind}; allowed are {', '.join(sorted(everything))}"
        )
    return made


def serialized(value: Any) -> Any:
    """Return a description of an object, by which it is found again."""
    if value is None or isinstance(value, (str, dict)):
        return value
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", str(value))
