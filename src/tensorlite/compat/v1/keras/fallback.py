"""rest_of: lets a module of version 1 have the names that version 2 has in the same namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import isfunction
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere


@cache
def _taking_graphs(made: Any) -> Any:
    return anywhere(made)


def rest_of(
    module: Any, name: str, own: Mapping[str, Any], takes_graphs: bool = False
) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which finds what another module has.

    `from module import *` takes what its `__dir__` tells. With `takes_graphs` functions take
    tensors of graphs that do not by themselves.
    """

    def find(wanted: str) -> Any:
        if wanted == "__all__" and "__dir__" in own:
            return own["__dir__"]()
        try:
            found = getattr(module, wanted)
            wrapped = takes_graphs and isfunction(found)
            return _taking_graphs(found) if wrapped else found
        except AttributeError:
            raise attribute_error(name, wanted, {**vars(module), **own}) from None

    return find
