"""Descriptions of Keras' objects: what get_config tells, in files and in JSON, and back from them.

A description is a dict of `module`, `class_name`, `config` and `registered_name`, as Keras 3 writes
it. What models are made of stands in src/models/graphs.py, what is in files in archives.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.saving import lambdas, lookup
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape, TupleShape

OURS = ("tensorlite.compat.v2.keras", "tensorlite.compat.v1.keras")
known: dict[str, Mapping[str, Any]] = {}
"""Keras' classes, by the namespace that Keras says of them; each namespace adds its own."""
TOPICS = {
    "layers": "keras.layers",
    "preprocessing": "keras.layers",
    "initializers": "keras.initializers",
    "regularizers": "keras.regularizers",
    "constraints": "keras.constraints",
    "losses": "keras.losses",
    "metrics": "keras.metrics",
    "optimizer": "keras.optimizers",
    "schedules": "keras.optimizers.schedules",
}
"""Where programs find the classes of a folder or file."""
older_form: list[Callable[[Any], Any]] = []
"""What makes of a description one of Keras 2; older_files.py, which knows of models, adds it."""
_PLAIN = (bool, int, float, str)
_OWN_ARGUMENTS = {"name", "trainable", "dtype", "weights", "kwargs", "args"}


def namespace_of(kind: type) -> str:
    """Return the namespace in which Keras has a class."""
    path = kind.__module__
    if not path.startswith(OURS):
        return path
    places = path.split(".keras.")[-1].removeprefix("src.").split(".")
    found = [TOPICS[topic] for topic in TOPICS if places[0].startswith(topic)]
    return found[0] if found else "keras"


def described(value: Any) -> Any:
    """Return a description of a value; functions that have no name here stay themselves."""
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        config = {"value": value.tolist(), "dtype": value.dtype.name}
        return {"class_name": "__numpy__", "config": config}
    if isinstance(value, DType):
        return value.name
    if isinstance(value, slice):
        config = {key: getattr(value, key) for key in ("start", "stop", "step")}
        return {"class_name": "__slice__", "config": config}
    if value is Ellipsis:
        return {"class_name": "__ellipsis__", "config": {}}
    if isinstance(value, (list, tuple, AnyShape)):
        made = [described(x) for x in value]
        return made if isinstance(value, list) else tuple(made)
    if isinstance(value, Mapping):
        return {key: described(x) for key, x in value.items()}
    if hasattr(value, "get_config"):
        return description(value)
    return _of_function(value) if callable(value) else value


def description(value: Any) -> dict[str, Any]:
    """Return the description of an object that has a configuration."""
    kind = type(value)
    ours = kind.__module__.startswith(OURS)
    module, name = getattr(value, "described_as", (namespace_of(kind), kind.__name__))
    if naming.is_version_1():
        return {
            "class_name": {"Functional": "Model"}.get(name, name)
            if ours
            else lookup.registered_name(kind),
            "config": described(value.get_config()),
        }
    made = {
        "module": module,
        "class_name": name,
        "config": described(value.get_config()),
        "registered_name": None if ours else lookup.registered_name(kind),
    }
    shape = getattr(value, "built_shape", None)
    if shape is not None and getattr(value, "is_made_of_layers", None) is False:
        made["build_config"] = {"input_shape": described(shape)}
    if "get_build_config" in vars(
        kind
    ):  # a class that says itself what it was built for
        made["build_config"] = described(value.get_build_config())
    return made


def of_version(model: Any) -> Any:
    """Return the description of a model in the form of the version that a program is of."""
    made: Any = description(model)
    for form in () if naming.is_keras_3() else older_form:
        made = form(made)
    return made


def _of_function(value: Any) -> Any:
    """Return the name of a function of Keras, or what tells which of a program's it is."""
    name = getattr(value, "__name__", "")
    older = lookup.name_of_version(value)
    if older is not None:
        return older
    if known.get("activations", {}).get(name) is value:
        return name
    registered = lookup.registered_name(value)
    if naming.is_version_1() and not lambdas.is_lambda(value):
        return registered
    if registered in lookup.custom_objects:
        return _function("builtins", name, registered)
    if not isinstance(value, FunctionType) or lambdas.is_lambda(value):
        return value
    return _function("builtins", name, "function")


def named_function(name: str) -> dict[str, Any]:
    """Return the description of a function that Keras has under a name."""
    return _function("builtins", name, "function")


def _function(module: str, name: str, registered: str) -> dict[str, Any]:
    return {
        "module": module,
        "class_name": "function",
        "config": name,
        "registered_name": registered,
    }


def is_description(value: Any) -> bool:
    """Return whether a value describes an object: by its class and its configuration."""
    return isinstance(value, Mapping) and "class_name" in value and "config" in value


def restored(value: Any) -> Any:
    """Return what a description, or a structure of them, describes."""
    if isinstance(value, (list, tuple)):
        return type(value)(restored(x) for x in value)
    if not isinstance(value, Mapping):
        return value
    if not is_description(value):
        return {key: restored(x) for key, x in value.items()}
    return _restored(value["class_name"], value["config"], value)


def _restored(name: str, config: Any, whole: Mapping[str, Any]) -> Any:
    if name == "__numpy__":
        return np.asarray(config["value"], config["dtype"])
    if name == "__tuple__":
        return tuple(restored(x) for x in config.get("value", config))
    if name == "__slice__":
        return slice(*[restored(config[key]) for key in ("start", "stop", "step")])
    if name == "__ellipsis__":
        return Ellipsis
    if name == lambdas.NAME:
        return lambdas.restored(config)
    if name == "function":
        return _class(config, whole, whole.get("registered_name"))
    kind = _class(name, whole, whole.get("registered_name"))
    if not hasattr(kind, "from_config"):
        return kind(**config)
    made = kind.from_config(dict(config))
    built = whole.get("build_config")
    if built and hasattr(made, "build_from_config"):
        made.build_from_config(dict(built))
    return made


class UnknownNameError(InvalidArgumentError):
    """A description names a class or function of a program that is not known."""


def _class(name: str, whole: Mapping[str, Any], other: Any) -> Any:
    """Return a class or function by its name, its registered name, or where Keras has it."""
    for key in (other, name):
        if isinstance(key, str) and key in lookup.custom_objects:
            return lookup.custom_objects[key]
    module = str(whole.get("module") or "")
    nearest = [space for space in known if module and space == module]
    for space in [*nearest, *known]:
        if name in known[space]:
            return lookup.of_version(name, known[space][name])
    found = lookup.of_version(name, None)
    if found is not None:
        return found
    raise UnknownNameError(
        f"the class or function {name!r} of {module or 'a program'} is not known here: give "
        "custom_objects={name: class}, or register it with "
        "keras.saving.register_keras_serializable"
    )


def class_of(whole: Mapping[str, Any]) -> Any:
    """Return the class that a description names, None if it is none of Keras'."""
    name = whole["class_name"]
    return next((kinds[name] for kinds in known.values() if name in kinds), None)


def plain(value: Any, of_lambda: bool = False) -> Any:
    """Return a description as JSON has it, or say what in it cannot be written."""
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(x, of_lambda) for x in value]
    if isinstance(value, Mapping):
        here = value["class_name"] == "Lambda" if is_description(value) else of_lambda
        return {str(key): plain(x, here) for key, x in value.items()}
    if lambdas.is_lambda(value):
        return plain(lambdas.described(value, of_lambda))
    raise InvalidArgumentError(
        f"{value!r} cannot be described: register functions and classes with "
        "keras.saving.register_keras_serializable, and give classes a get_config"
    )


def maker_of(value: Any, root: type) -> Any:
    """Return the class whose arguments describe a layer, None where its own get_config does."""
    kind = type(value)
    kinds = [k for k in kind.__mro__ if "__init__" in vars(k) and issubclass(k, root)]
    inherited = getattr(kind.get_config, "__qualname__", "").partition(".")[0]
    if inherited not in {k.__name__ for k in kind.__mro__ if is_ours(k)}:
        kinds = [k for k in kinds if is_ours(k)]
    found = kinds[0]
    return None if found is root else found


def is_ours(kind: Any) -> bool:
    """Return whether a class or function is one of Keras', not a program's."""
    return str(kind.__module__).startswith(OURS)


def given_arguments(value: Any, maker: Any, root: type) -> dict[str, Any]:
    """Return the arguments that an object was made with, defaults among them.

    Those that its class hands on to the classes below are among them. What the object holds under
    an argument's name counts before what was given.
    """
    listed = _arguments_of(maker, root)
    own = type(value).__init__ is maker.__init__
    args, kwargs = value._arguments if own else ((), {})  # noqa: SLF001  of the call
    given = {**dict(zip(listed, args, strict=False)), **kwargs}
    hidden = _OWN_ARGUMENTS | getattr(value, "not_described", frozenset())
    made = {}
    for name, parameter in listed.items():
        if name in hidden:
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        made[name] = vars(value).get(name, given.get(name, default))
    extra = {k: v for k, v in given.items() if k not in made}
    return {**made, **_of_layer(extra)}


def _arguments_of(maker: Any, root: type) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class, and of those that it hands named arguments on to."""
    found: dict[str, inspect.Parameter] = {}
    for kind in maker.__mro__[: maker.__mro__.index(root)]:
        if "__init__" not in vars(kind):
            continue
        listed = list(inspect.signature(kind.__init__).parameters.values())[1:]
        for one in listed:
            if one.kind not in {one.VAR_KEYWORD, one.VAR_POSITIONAL}:
                found.setdefault(one.name, one)
        if not any(one.kind is one.VAR_KEYWORD for one in listed):
            break
    return found


def _of_layer(extra: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments beside a maker's own that its **kwargs hand on."""
    shapes = {"input_shape", "batch_input_shape", "input_dim", "input_length"}
    return {
        key: value
        for key, value in extra.items()
        if key not in _OWN_ARGUMENTS and key not in shapes
    }


def revived(value: Any) -> Any:
    """Return a layer, dtype or array that is described in a layer's configuration."""
    if isinstance(value, list) and any(map(is_description, value)):
        return [revived(x) for x in value]
    if not is_description(value):
        return value
    name = value["class_name"]
    special = name.startswith("__") or name == "function"
    kinds = {**known.get("keras.layers", {}), **known.get("keras", {})}
    layer = name in kinds or name in lookup.custom_objects
    return restored(value) if special or layer else value


def kept(shapes: Any) -> Any:
    """Return shapes as plain tuples; None for one that is not known."""
    if shapes is None or (isinstance(shapes, AnyShape) and shapes.known() is None):
        return None
    if isinstance(shapes, dict):
        return {key: kept(x) for key, x in shapes.items()}
    if isinstance(shapes, (list, tuple)) and any(
        isinstance(x, (tuple, AnyShape)) for x in shapes
    ):
        return [kept(x) for x in shapes]
    return tuple(shapes)


def as_shapes(shape: Any) -> Any:
    """Return a shape, or a structure of them, as they are in files, where tuples are lists."""
    if isinstance(shape, dict):
        return {key: as_shapes(x) for key, x in shape.items()}
    if all(x is None or isinstance(x, int) for x in shape):
        return TupleShape(shape)
    return [as_shapes(x) for x in shape]
