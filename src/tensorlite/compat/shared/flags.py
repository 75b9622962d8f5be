"""Flags of programs: absl's, with the older argument names, read from the command line when asked.

absl-py is what TensorFlow's own flags are; it is imported when a program first uses them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

EXTRA = "tensorflow-programs"
_RENAMED = {"flag_name": "name", "default_value": "default", "docstring": "help"}

_TABLE = "__flags"
"""The attribute of absl's flags that holds them by name; programs print it."""


@cache
def absl(name: str) -> ModuleType:
    """Return a module of absl-py; ImportError names the extra that brings it."""
    try:
        return import_module(f"absl.{name}")
    except ImportError as error:
        raise ImportError(
            f"flags and app are those of absl-py: pip install 'tensorlite[{EXTRA}]' ({error})"
        ) from error


def flags_name(name: str) -> Any:
    """Return one of the names of absl's flags; definitions take the older argument names, too."""
    flags = absl("flags")
    found = getattr(flags, name)
    if not name.startswith("DEFINE_"):
        return found
    flags.disclaim_key_flags()  # a flag belongs to the module of the program that defines it
    return _renaming(found)


def _renaming(define: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        return define(
            *args, **{_RENAMED.get(key, key): x for key, x in kwargs.items()}
        )

    return defined


class Flags:
    """The values of flags; the command line is read when the first is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != _TABLE:
            raise AttributeError(name)
        known = absl("flags").FLAGS
        told = name == _TABLE or hasattr(type(known), name)
        if not known.is_parsed() and not told:
            known(sys.argv)
        return getattr(known, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(absl("flags").FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(absl("flags").FLAGS, name)

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        return absl("flags").FLAGS(argv, known_only)

    def __getitem__(self, name: str) -> Any:
        return absl("flags").FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        absl("flags").FLAGS[name] = flag

    def __contains__(self, name: object) -> bool:
        return name in absl("flags").FLAGS

    def __iter__(self) -> Iterator[str]:
        return iter(absl("flags").FLAGS)

    def __len__(self) -> int:
        return len(absl("flags").FLAGS)

    def __dir__(self) -> list[str]:
        return list(absl("flags").FLAGS)


FLAGS = Flags()


def run(main: Callable[..., Any] | None = None, argv: list[str] | None = None) -> Any:
    """Read the flags, leaving those that are not known to `main`, and end with what it returns."""
    chosen = getattr(sys.modules["__main__"], "main", None) if main is None else main
    return absl("app").run(main=chosen, argv=argv, flags_parser=_tolerant)


def _tolerant(argv: list[str] | None) -> Any:
    return absl("flags").FLAGS(sys.argv if argv is None else argv, known_only=True)
