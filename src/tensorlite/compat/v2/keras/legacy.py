"""tf.keras.utils.legacy: objects as Keras 2 described them, by a class's name and its arguments.

How Keras 3 describes objects is in `describing`; files of Keras 2 are read in `older_files`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["deserialize_keras_object", "serialize_keras_object"]

_PART = "__passive_serialization__"
"""What marks a description inside another as one that is made an object with it."""


def serialize_keras_object(instance: Any) -> Any:
    """Return an object's class and configuration, a function's name, or None for None.

    InvalidArgumentError is raised for what has neither.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        config = {key: _part(x) for key, x in instance.get_config().items()}
        name = lookup.registered_name(type(instance))
        return {"class_name": name, "config": config}
    if hasattr(instance, "__name__"):
        return lookup.registered_name(instance)
    raise InvalidArgumentError(
        f"Cannot serialize {instance} because it doesn't implement `get_config()`."
    )


def _part(value: Any) -> Any:
    """Return an argument, described if it is an object or a function."""
    if not (hasattr(value, "get_config") or hasattr(value, "__name__")):
        return value
    made = serialize_keras_object(value)
    return {**made, _PART: True} if isinstance(made, dict) else made


def deserialize_keras_object(
    identifier: Any,
    module_objects: Any = None,
    custom_objects: Any = None,
    printable_module_name: str = "object",
) -> Any:
    """Return the object of a name or configuration that Keras 2 wrote.

    It is looked for in module_objects, registered objects and custom_objects; a function is
    returned as it is. InvalidArgumentError is raised for other forms and for names that are not
    known.
    """
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    known = {
        **(module_objects or {}),
        **lookup.custom_objects,
        **(custom_objects or {}),
    }
    if isinstance(identifier, str):
        made = _named(identifier, known, printable_module_name)
        return made() if inspect.isclass(made) else made
    if not isinstance(identifier, Mapping) or not {"class_name", "config"} <= set(
        identifier
    ):
        raise InvalidArgumentError(
            f"Improper config format for {identifier}. "
            "Expecting python dict contains `class_name` and `config` as keys"
        )
    kind = _named(identifier["class_name"], known, printable_module_name)
    config = _arguments(identifier["config"], known)
    with lookup.adding(custom_objects):
        make = getattr(kind, "from_config", None)
        return kind(**config) if make is None else make(config)


def _named(name: str, known: Mapping[str, Any], title: str) -> Any:
    if name not in known:
        raise InvalidArgumentError(
            f"Unknown {title}: {name!r}. Please ensure you are using a "
            "`keras.utils.custom_object_scope` and that this object is included in the scope."
        )
    return known[name]


def _arguments(config: Any, known: Mapping[str, Any]) -> Any:
    """Return a class's arguments, objects and functions in place of what describes them."""
    if not isinstance(config, Mapping):
        return config
    return {
        key: x if key == "name" else _argument(x, known) for key, x in config.items()
    }


def _argument(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping) and _PART in value:
        return deserialize_keras_object(value, known)
    if isinstance(value, str) and inspect.isfunction(known.get(value)):
        return known[value]
    return value


__dir__ = listing("tensorlite.compat.v2.keras.utils.legacy", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.keras.utils.legacy", name, __all__)
