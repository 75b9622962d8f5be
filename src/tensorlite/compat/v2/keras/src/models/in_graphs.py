"""Keras' functions on the tensors of a graph that a program of TensorFlow 1 builds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from tensorlite.compat import views
from tensorlite.compat.arguments import name_arguments
from tensorlite.compat.calling import Deferred
from tensorlite.compat.v1.graphs.behaviour import dimensions_shown
from tensorlite.core.dispatch import tracer
from tensorlite.core.nest import flatten
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph_mode.graph import (
    active_graph,
    at_once,
    built,
    inner_graph,
    mode,
    name_scope,
)
from tensorlite.graph_mode.variables import GraphVariable

building: ContextVar[Any] = ContextVar("keras_graph", default=None)
"""The graph in which layers are called."""


def of_graph(value: Any) -> bool:
    """Return whether there are tensors or variables of a graph among arguments."""
    if isinstance(value, (list, tuple)):
        return any(map(of_graph, value))
    if isinstance(value, dict):
        return any(map(of_graph, value.values()))
    if isinstance(value, IndexedSlices):
        return of_graph(value.values)
    return isinstance(value, (views.GraphTensor, GraphVariable))


def of_values(value: Any) -> bool:
    """Return whether arguments are no tensors, which become constants of a graph."""
    return tracer() is None and _are_values(value)


def _are_values(value: Any) -> bool:
    return not any(isinstance(x, Tensor) for x in flatten(value))


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Let nodes that a layer makes have its name before theirs, where it is called in a graph."""
    graph = building.get()
    if graph is None:
        yield
        return
    within = inner_graph(graph)
    count = len(within.nodes)
    with name_scope(name) as prefix:
        yield
    name_arguments(within, count, prefix[:-1])


@contextmanager
def written_into(graph: Any) -> Iterator[None]:
    """Let functions of Keras write into a graph inside, whatever they are given."""
    token = building.set(graph)
    try:
        yield
    finally:
        building.reset(token)


def anywhere(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of tensors take those of the graph being built, and return such."""
    return _building(call, of_graph)


def wherever(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take tensors of the graph being built, and values for it."""
    return _building(call, lambda value: of_graph(value) or of_values(value))


def everywhere(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take tensors of the graph being built and values, in its blocks too."""
    return _building(call, lambda value: of_graph(value) or _are_values(value))


def _building(
    call: Callable[..., Any], is_for_graphs: Callable[[Any], bool]
) -> Callable[..., Any]:
    @wraps(call)
    def made(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            try:
                return call(*args, **kwargs)
            except Deferred as deferred:
                return deferred.note(made, args, kwargs)
        own = _written.get(made, _as_they_are)
        if not is_for_graphs([args, kwargs]):
            if building.get() is None:
                return call(*args, **kwargs)
            found = own(*views.shown(args), **views.shown(kwargs))
            is_own = found is not NotImplemented
            return views.plain(found) if is_own else call(*args, **kwargs)
        with written_into(graph):
            found = own(*args, **kwargs)
            if found is not NotImplemented:
                return found
            with built(graph):
                return views.shown(call(*views.plain(args), **views.plain(kwargs)))

    return made


_written: dict[Any, Callable[..., Any]] = {}
"""What writes a function of Keras into graphs, node by node as TensorFlow 1 does."""


def _as_they_are(*_: Any, **__: Any) -> Any:
    return NotImplemented


def written(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what a function of Keras writes into the graph being built; NotImplemented if nothing.

    What programs hold is what it is given, and what it returns.
    """
    return _written.get(function, _as_they_are)(*args, **kwargs)


def writes(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a decorator of what writes a function of Keras into graphs as TensorFlow 1 does.

    It is given what programs hold; where it returns NotImplemented the function itself is called.
    """

    def decorate(written: Any) -> Any:
        _written[function] = written
        return written

    return decorate


def of_program(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program's own function as Keras calls it: it sees what programs of its version do.

    In graphs of version 1 that is what stands for tensors there; where such programs compute
    outside of graphs, sizes of shapes are Dimensions.
    """
    if mode.eager is not False or mode.plain_sizes:
        return function

    @wraps(function)
    def seen(*args: Any, **kwargs: Any) -> Any:
        if building.get() is None:
            with dimensions_shown():
                return function(*args, **kwargs)
        return views.plain(function(*views.shown(args), **views.shown(kwargs)))

    return seen


def in_default(call: Callable[..., Any], *args: Any) -> Any:
    """Return what a function makes in the graph that is being built, if there is one."""
    graph = active_graph()
    if graph is None or building.get() is not None:
        return call(*args)
    with written_into(graph), built(graph):
        return views.shown(call(*args))


def apart(call: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function compute at once, though a graph may be being built."""

    @wraps(call)
    def made(*args: Any, **kwargs: Any) -> Any:
        if active_graph() is None:
            return call(*args, **kwargs)
        with at_once():
            return call(*args, **kwargs)

    return made
