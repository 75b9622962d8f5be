"""Variables that are told by a tensor: what changes them gives TensorFlow 1 a reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from tensorlite.compat.views import plain
from tensorlite.core.dispatch import tracer
from tensorlite.core.op import Effect
from tensorlite.core.scope import control_dependencies
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import Tracer
from tensorlite.graph_mode.variables import GraphVariable


def of_referred(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a variable that takes a tensor that refers to one, too.

    What it does then happens behind what gave the tensor.
    """

    @wraps(function)
    def made(ref: Any, *args: Any, **kwargs: Any) -> Any:
        variable = variable_of(ref)
        if variable is None:
            return function(ref, *args, **kwargs)
        given = [_as_it_is(x) for x in args]
        named = {name: _as_it_is(x) for name, x in kwargs.items()}
        with _behind(plain(ref)):
            return function(variable, *given, **named)

    return made


def variable_of(ref: Any) -> Any:
    """Return the variable that a tensor of a graph reads or gives another value, or None."""
    tensor = None if hasattr(ref, "assign") else plain(ref)
    if not isinstance(tensor, SymbolicTensor):
        return None
    for x in (tensor, *tensor.node.inputs[:1]):
        owner = _outermost(x).node.owner
        if owner is not None:
            return owner()
    return None


def _outermost(x: SymbolicTensor) -> SymbolicTensor:
    """Return the tensor that one inside of branches and loops was captured from."""
    building = tracer()
    while isinstance(building, Tracer):
        if x.node.graph is building.graph:
            pairs = building.captures.values()
            found = next((outer for outer, y in pairs if y.node is x.node), x)
            if not isinstance(found, SymbolicTensor):
                return x
            x = found
        building = building.around()
    return x


def _as_it_is(value: Any) -> Any:
    """Return a variable's value as it is read without waiting; else what is given."""
    return value.value() if isinstance(value, GraphVariable) else value


@contextmanager
def _behind(tensor: Any) -> Iterator[None]:
    """Do what is in this block behind a change, if that is what gives a tensor."""
    changes = tensor.node.op.effect is Effect.WRITE
    with control_dependencies([tensor] if changes else []):
        yield
