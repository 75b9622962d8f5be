"""Mappings: what a bijector has made of what, so that inverses of results are what was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tensorlite.compat.views import plain
from tensorlite.graph_mode.graph import active_graph

_Key = tuple[int, Any]


@dataclass
class Known:
    """A tensor, what it is mapped to, and the inverse's log |det J| by the rank of events."""

    kwargs: Mapping[str, Any]
    x: Any = None
    y: Any = None
    jacobians: dict[int, Any] = field(default_factory=dict)


def _key(x: Any, kwargs: Mapping[str, Any]) -> _Key:
    """Return what a tensor is found by: itself, and what else is given by name."""
    others = tuple((key, id(kwargs[key])) for key in sorted(kwargs))
    return id(plain(x)), others


class Mappings:
    """What is known by either side: all of a graph's tensors, but the last one of eager ones."""

    def __init__(self) -> None:
        self._from_x: dict[_Key, Known] = {}
        self._from_y: dict[_Key, Known] = {}

    def of_x(self, x: Any, kwargs: Mapping[str, Any]) -> Known:
        """Return what is known of what is given to the function."""
        found = self._from_x.get(_key(x, kwargs))
        if found is None:
            found = Known(kwargs, x=x)
            self._hold(found)
        return found

    def of_y(self, y: Any, kwargs: Mapping[str, Any]) -> Known:
        """Return what is known of what is given to the inverse."""
        found = self._from_y.get(_key(y, kwargs))
        if found is None:
            found = Known(kwargs, y=y)
            self._hold(found)
        return found

    def join(self, known: Known, x: Any = None, y: Any = None) -> None:
        """Note the other side of what is known."""
        known.x = known.x if x is None else x
        known.y = known.y if y is None else y
        self._hold(known)

    def _hold(self, known: Known) -> None:
        if active_graph() is None:
            self._from_x.clear()
            self._from_y.clear()
        if known.x is not None:
            self._from_x[_key(known.x, known.kwargs)] = known
        if known.y is not None:
            self._from_y[_key(known.y, known.kwargs)] = known
