"""Namespaces that are attributes of others can be imported from by whole paths, too.

`from tensorlite.compat.v1.keras.callbacks import EarlyStopping` is what becomes of a program's line
when TensorFlow's name in it is changed; there is no file of that path.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorlite.compat.missing import known_names


def by_path(package: str) -> None:
    """Make all of TensorFlow's namespaces known to imports by their paths below a package.

    >>> from tensorlite.compat.v1.nn.rnn_cell import LSTMCell
    >>> from tensorlite.compat.v1 import nn
    >>> LSTMCell is nn.rnn_cell.LSTMCell
    True
    """
    version = package.rpartition(".")[2]
    folder = Path(__file__).parent / version
    for title in known_names():
        kind, _, path = title.partition(".")
        place = folder.joinpath(*path.split("."))
        is_file = place.is_dir() or place.with_suffix(".py").is_file()
        if kind == version and path and not is_file:
            name = f"{package}.{path}"
            sys.modules.setdefault(name, standing(name, package, path))


def standing(name: str, package: str, path: str) -> ModuleType:
    """Return what imports find for a namespace, whose names it has."""
    module = ModuleType(name, f"Stands for the namespace {path} of {package}.")
    module.__path__ = []

    def find(wanted: str) -> Any:
        if wanted.startswith("__") and wanted != "__all__":
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")
        namespace: Any = import_module(package)
        for part in path.split("."):
            namespace = getattr(namespace, part)
        if wanted == "__all__":
            return [x for x in dir(namespace) if not x.startswith("_")]
        return getattr(namespace, wanted)

    module.__getattr__ = find  # type: ignore[method-assign]
    return module
