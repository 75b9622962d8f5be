"""Objects by the names and descriptions that Keras' programs give for them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.errors import InvalidArgumentError

custom_objects: dict[str, Any] = {}
"""What programs have added, by name."""

of_version_1: dict[str, Any] = {}
"""What programs of TensorFlow 1 have otherwise under a name that all of Keras' have."""

makers: set[Any] = set()
"""Functions that stand for what they make, as classes do."""


_UNUSED = {
    *("dtype", "implementation", "quantization_config", "renorm_momentum"),
    *("zero_output_for_mask", "jit_compile", "is_legacy_optimizer"),
}
"""What Keras writes of layers and optimizers though it says nothing by itself."""


def of_version(name: str, found: Any) -> Any:
    """Return what Keras has under a name in the version that a program is of.

    Some names are those of a loss and of a metric: only what is of the same kind is chosen.
    """
    other = None if naming.is_keras_3() else of_version_1.get(name)
    if other is None:
        return found
    if isinstance(found, type) and isinstance(other, type):
        common = set(found.__mro__) & set(other.__mro__)
        return other if common - {object} else found
    return other


def name_of_version(value: Any) -> str | None:
    """Return the name of what has another one, or none, in Keras' later versions."""
    if naming.is_keras_3():
        return None
    return next((name for name, x in of_version_1.items() if x is value), None)


@contextmanager
def adding(objects: Any) -> Iterator[None]:
    """Let programs' objects be found inside."""
    before = dict(custom_objects)
    custom_objects.update(objects or {})
    try:
        yield
    finally:
        custom_objects.clear()
        custom_objects.update(before)


def registered_name(value: Any) -> str:
    """Return the name under which a program has registered a class or function."""
    for name, other in custom_objects.items():
        if other is value and ">" in name:
            return name
    return str(getattr(value, "__name__", ""))


def found(kind: str, given: Any, known: Mapping[str, Any]) -> Any:
    """Return what a name, a class, a description or the thing itself stands for."""
    if given is None or (callable(given) and not isinstance(given, type)):
        return given
    if isinstance(given, type):
        return given()
    if isinstance(given, Mapping):
        return described(kind, given, known)
    if not isinstance(given, str):
        return given
    made = found_class(kind, given, known)
    return made() if is_maker(made) else made


def is_maker(found: Any) -> bool:
    """Return whether something makes what is meant: a class, or a function in its place."""
    return isinstance(found, type) or (callable(found) and _is_among_makers(found))


def _is_among_makers(found: Any) -> bool:
    try:
        return found in makers
    except TypeError:  # it has no hash
        return False


def described(kind: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return what a description stands for."""
    config = given.get("config", {})
    name = given.get("class_name")
    if name is None:
        raise InvalidArgumentError(
            f"{given!r} describes no {kind}: it has a 'class_name', and a 'config'"
        )
    if name == "function":
        return found_class(kind, given.get("registered_name") or config, known)
    made = found_class(kind, given.get("registered_name") or name, known)
    if not is_maker(made):
        return made
    make = getattr(made, "from_config", None)
    config = fitting(made, dict(config)) if isinstance(made, type) else config
    return made(**config) if make is None else make(config)


def fitting(kind: type, config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration without what a class does not take and what says nothing."""
    taken: set[str] = set()
    for one in kind.__mro__:
        if "__init__" not in vars(one):
            continue
        listed = inspect.signature(one.__init__).parameters  # type: ignore[misc]
        taken |= set(listed)
        if all(x.kind is not x.VAR_KEYWORD for x in listed.values()):
            break  # nothing is handed on
    return {
        key: value
        for key, value in config.items()
        if key in taken or not (value is None or value is False or key in _UNUSED)
    }


def found_class(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    """Return what stands under a name, in whichever way it is spelled."""
    here = {key: of_version(key, value) for key, value in known.items()}
    everything = {**here, **custom_objects}
    if name in custom_objects:
        return custom_objects[name]
    chosen = of_version(name, everything.get(name))
    if chosen is not None:
        return chosen
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
    return name_of_version(value) or getattr(value, "__name__", str(value))
