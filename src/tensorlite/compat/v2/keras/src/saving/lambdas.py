"""Lambdas in Keras' files: their code, which is run from there only where a program says so.

What other functions are in files stands in describing.py. The code is Python's own, as Keras writes
it, so that only the version of Python that wrote it can read it.
"""

from __future__ import annotations

import base64
import builtins
import marshal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, FunctionType
from typing import Any

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
            "the code of a lambda in the file cannot be read by this version of Python; save the "
            f"model again with it ({error})"
        ) from error
    names = {"__builtins__": builtins, **lookup.custom_objects}
    cells = None if closure is None else tuple(map(CellType, closure))
    return FunctionType(
        made, names, made.co_name, defaults and tuple(defaults), cells
    )
