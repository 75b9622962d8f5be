"""TensorFlow's own names: `import tensorlite.compat.v1 as tf`, or `v2`, and its programs run.

Names and argument orders only: what does the work lies in the layers below.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorlite.compat import v1, v2

__all__ = ["v1", "v2"]


def __getattr__(name: str) -> object:
    """Import `v1` or `v2` when it is first asked for."""
    if name not in __all__:
        raise AttributeError(
            f"module 'tensorlite.compat' has no attribute {name!r}; it has v1 and v2"
        )
    return import_module(f"tensorlite.compat.{name}")


def __dir__() -> list[str]:
    return __all__
