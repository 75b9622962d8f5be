"""tensorflow.python.util: how libraries wrap functions, list a module's names and export them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import update_wrapper
from types import ModuleType
from typing import Any

from tensorlite.function.function import Function

__all__ = [
    "TFDecorator",
    "contextmanager",
    "keras_export",
    "make_all",
    "make_decorator",
    "remove_undocumented",
    "tf_export",
    "unwrap",
]


@dataclass(frozen=True)
class TFDecorator:
    """What wraps a function: the wrapper's name, and the function that is wrapped."""

    decorator_name: str
    decorated_target: Any
    decorator_doc: str | None = ""
    decorator_argspec: Any = None


def make_decorator(
    target: Any,
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str | None = "",
    decorator_argspec: Any = None,
) -> Any:
    """Return a wrapper that has the name, signature and docstring of the function that it wraps."""
    name = decorator_name or sys._getframe(1).f_code.co_name  # noqa: SLF001
    update_wrapper(decorator_func, target)
    decorator_func.__doc__ = decorator_doc or target.__doc__
    decorator_func._tf_decorator = TFDecorator(  # noqa: SLF001  (TensorFlow's name)
        name, target, decorator_doc, decorator_argspec
    )
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Return the wrappers of a function, the outermost first, and the function itself.

    tf.function is such a wrapper, as it is in TensorFlow.
    """
    found, inner = [], maybe_tf_decorator
    while (made := _wrapper(inner)) is not None:
        found.append(made)
        inner = made.decorated_target
    return found, inner


def _wrapper(obj: Any) -> TFDecorator | None:
    """Return the outermost wrapper of a function, None for what is not wrapped."""
    if isinstance(obj, Function):
        return TFDecorator("tf.function", obj.python())
    made: TFDecorator | None = getattr(obj, "__dict__", {}).get("_tf_decorator")
    return made


def make_all(
    module_name: str, doc_string_modules: Iterable[ModuleType] | None = None
) -> list[str]:
    """Return the names of a module that docstrings name as @@name."""
    module = sys.modules[module_name]
    texts = [x.__doc__ or "" for x in doc_string_modules or [module]]
    named = {x for text in texts for x in re.findall(r"^@@(\w+)", text, re.MULTILINE)}
    return [name for name, _ in inspect.getmembers(module) if name in named]


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Iterable[str] | None = None,
    doc_string_modules: Iterable[ModuleType] | None = None,
) -> None:
    """Take from a module all public names that neither docstrings nor a list name."""
    kept = {
        *make_all(module_name, doc_string_modules),
        *(allowed_exception_list or ()),
    }
    module = sys.modules[module_name]
    for name in dir(module):
        if not name.startswith("_") and name not in kept:
            delattr(module, name)


class _Exporting:
    """Leaves an object as it is: its own module is all that exports it here."""

    def __init__(self, *names: str, **options: Any) -> None:
        self.names = names

    def __call__(self, target: Any) -> Any:
        return target

    def export_constant(self, module_name: str, name: str) -> None:
        """Do nothing: a module's constant is read from the module."""


tf_export = keras_export = estimator_export = _Exporting
