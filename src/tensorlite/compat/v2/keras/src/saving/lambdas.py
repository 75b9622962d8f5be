"""Lambdas in Keras' files: their code, which is run from there only where a program says so.

What other functions are in files stands in describing.py. The code is Python's own, as Keras writes
it, so that only the version of Python that wrote it can read it.
"""

from __future__ import annotations

import base64
import builtins
import marshal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, FunctionType
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.errors import InvalidArgumentError

NAME = "__lambda__"
_trusting: ContextVar[bool] = ContextVar("_trusting", default=False)
_PARTS = ("code", "defaults", "closure")


def is_lambda(value: Any) -> bool:
    """Return whether a value is a function that only its code tells."""
    return isinstance(value, FunctionType) and value.__name__ == "<lambda>"


def described(function: FunctionType, of_layer: bool) -> dict[str, Any]:
    """Return a lambda's description, which is another for Keras' layer Lambda."""
    code = base64.encodebytes(marshal.dumps(function.__code__)).decode("ascii")
    cells = function.__closure__
    closure = None if cells is None else [cell.cell_contents for cell in cells]
    parts = (code, function.__defaults__, closure)
    config = dict(zip(_PARTS, parts, strict=True)) if of_layer else {"value": parts}
    return {"class_name": NAME, "config": config}


_FUNCTIONS = (
    ("function", "function_type", "module"),
    ("output_shape", "output_shape_type", "output_shape_module"),
    ("mask", "mask_type", "mask_module"),
)
"""What TensorFlow 1 tells of the functions of a Lambda: itself, of which kind, and from where."""


def of_version_1(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of a Lambda as TensorFlow 1 has it.

    Lambdas are told by their code, functions by their names: code of theirs could be run by one
    version of Python only, and would be where a file is read.
    """
    made: dict[str, Any] = {}
    for key, kind, module in _FUNCTIONS:
        value: Any = config.get(key)
        told: tuple[Any, str]
        if key == "mask" and value is None:
            continue
        if is_lambda(value):
            told = tuple(described(value, of_layer=True)["config"].values()), "lambda"
        elif callable(value):
            told = value.__name__, "function"
        else:
            told = value, "raw"
        of = getattr(value, "__module__", None) if callable(value) else None
        made |= {key: told[0], kind: told[1], module: of}
    own = {
        key: x for key, x in config.items() if key not in {*made, "mask", "arguments"}
    }
    return {**own, **made, "arguments": config["arguments"]}


def from_version_1(
    config: Mapping[str, Any], named: Callable[[str], Any]
) -> dict[str, Any]:
    """Return a configuration in which functions stand themselves, given one of TensorFlow 1.

    InvalidArgumentError is raised for code, unless files are trusted and it is this Python's.
    """
    made = dict(config)
    for key, kind, module in _FUNCTIONS:
        how = made.pop(kind, "raw")
        made.pop(module, None)
        if how == "lambda":
            made[key] = restored(dict(zip(_PARTS, made[key], strict=True)))
        elif how == "function":
            made[key] = named(made[key])
        elif how != "raw":
            raise InvalidArgumentError(
                f"{kind} of a Lambda is {how!r}; it is 'lambda', 'function' or 'raw'"
            )
    arguments = made.get("arguments") or {}
    made["arguments"] = {key: _argument(x) for key, x in arguments.items()}
    return made


def _argument(value: Any) -> Any:
    """Return an argument, of which TensorFlow 1 writes arrays as lists."""
    if isinstance(value, Mapping) and value.get("type") == "ndarray":
        return np.asarray(value["value"])
    return value


@contextmanager
def safe_mode(safe: bool) -> Iterator[None]:
    """Refuse to run code from files inside, unless a program says that it trusts them."""
    token = _trusting.set(_trusting.get() or not safe)
    try:
        yield
    finally:
        _trusting.reset(token)


def trust_files() -> None:
    """Run code from files from now on."""
    _trusting.set(True)


def restored(config: Mapping[str, Any]) -> FunctionType:
    """Return the lambda that is described; it finds custom objects as its global names."""
    if not _trusting.get():
        raise InvalidArgumentError(
            "a lambda in a file is code, which may do anything: pass safe_mode=False to the "
            "function that loads it if you trust the file, or register a function with "
            "keras.saving.register_keras_serializable in its place"
        )
    code, defaults, closure = config.get("value") or [config[key] for key in _PARTS]
    try:
        made = marshal.loads(base64.decodebytes(code.encode("ascii")))  # noqa: S302  trusted
    except (ValueError, EOFError, TypeError) as error:
        raise InvalidArgumentError(
            "the code of a lambda in the file is another version of Python's, which this one "
            "cannot run: give the model the function in its program, and read the weights alone "
            f"with load_weights ({error})"
        ) from error
    names = {"__builtins__": builtins, **lookup.custom_objects}
    cells = None if closure is None else tuple(map(CellType, closure))
    return FunctionType(
        made, names, made.co_name, defaults and tuple(defaults), cells
    )
