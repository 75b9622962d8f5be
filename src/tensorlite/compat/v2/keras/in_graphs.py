"""Keras' functions on the tensors of a graph that a program of TensorFlow 1 builds."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from tensorlite.compat import views
from tensorlite.graph_mode.graph import active_graph, at_once

building: ContextVar[Any] = ContextVar("keras_graph", default=None)
"""The graph in which layers are called."""


def of_graph(value: Any) -> bool:
    """Return whether there are tensors of a graph among arguments."""
    if isinstance(value, (list, tuple)):
        return any(map(of_graph, value))
    if isinstance(value, dict):
        return any(map(of_graph, value.values()))
    return isinstance(value, views.GraphTensor)


def anywhere(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of tensors take those of the graph being built, and return such."""

    @wraps(call)
    def made(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None or not of_graph([args, kwargs]):
            return call(*args, **kwargs)
        token = building.set(graph)
        try:
            with graph.building():
                return views.shown(call(*views.plain(args), **views.plain(kwargs)))
        finally:
            building.reset(token)

    return made


def apart(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function compute at once, though a graph may be being built."""

    @wraps(call)
    def made(*args: Any, **kwargs: Any) -> Any:
        if active_graph() is None:
            return call(*args, **kwargs)
        with at_once():
            return call(*args, **kwargs)

    return made
