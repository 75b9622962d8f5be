"""Which graph a call makes nodes of: that of its inputs, though another one be being built.

How calls make nodes is in calling.py, how Python's operators do in views.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from tensorlite.compat.described import Described
from tensorlite.compat.titles import is_composite
from tensorlite.core import nest
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import Graph, active_graph, inner_graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.inspection.expanding import original

C = TypeVar("C", bound=Callable[..., Any])
_NO_TENSORS = frozenset(
    {bool, bytes, float, int, str, type(None), np.ndarray, np.float32, np.float64}
)


def elsewhere(given: Any) -> Graph | None:
    """Return the one graph that all tensors of a nest are of, if another is being built.

    None where that is at hand, where there are no tensors of graphs or such of several, and where
    a function, a branch or a loop is traced, which take tensors from around them.
    """
    here = active_graph()
    if here is None:
        return None
    found: set[Graph] = set()
    _note(given, found)
    if len(found) != 1 or here in found or inner_graph(here) is not here:
        return None
    return found.pop()


def _note(x: Any, found: set[Graph]) -> None:
    """Put the graphs of what is in a nest into a set."""
    if type(x) in _NO_TENSORS:
        return
    if isinstance(x, (SymbolicTensor, Described)):
        graph = x.node.graph
        # What stands for a loop's nodes in lists, and in their gradients, is built nowhere.
        if isinstance(graph, Graph) and original(x.node) is None:
            found.add(graph)
        return
    for one in _inside(x):
        _note(one, found)


def _inside(x: Any) -> Iterable[Any]:
    """Return what may be tensors inside a value."""
    kind = type(x)
    if kind is tuple or kind is list:
        return cast("Iterable[Any]", x)
    if kind is dict:
        return cast("Iterable[Any]", x.values())
    if isinstance(x, GraphVariable):
        return (x.handle,)
    if isinstance(x, nest.Composite):
        return nest.children(x)
    return [getattr(x, one.name) for one in fields(x)] if is_composite(x) else ()


def graph_of_inputs(given: Any) -> AbstractContextManager[object]:
    """Return a block whose nodes are of the graph that all tensors of a nest are of."""
    graph = elsewhere(given)
    return nullcontext() if graph is None else graph.as_default()


def at_home(method: C) -> C:
    """Return a function that makes nodes of the graph that its arguments are of."""

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        graph = elsewhere((args, kwargs))
        if graph is None:
            return method(*args, **kwargs)
        with graph.as_default():
            return method(*args, **kwargs)

    return call  # type: ignore[return-value]
