"""rest_of: lets a module of version 1 have the names that version 2 has in the same namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.missing import attribute_error


def rest_of(module: Any, name: str, own: Mapping[str, Any]) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which finds what another module has."""

    def find(wanted: str) -> Any:
        try:
            return getattr(module, wanted)
        except AttributeError:
            raise attribute_error(name, wanted, {**vars(module), **own}) from None

    return find
