"""What version 1 has of version 2, imported at first use: that import sets how programs run."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def of_version_2(module: str, name: str) -> Any:
    """Return what a module of version 2 has under a name.

    >>> from tensorlite.compat.later import of_version_2
    >>> of_version_2("train", "Checkpoint").__name__
    'Checkpoint'
    """
    return getattr(import_module(f"{__package__}.v2.{module}"), name)
