"""Module: an object that finds the variables in its attributes. Ready-made: layers.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensorlite.ops.state.variable import Variable


class Module:
    """Base of models and layers: collects variables from its attributes, nested ones too.

    Attributes may hold variables, modules, and lists, tuples and dicts of these. A variable that
    is reached twice is listed once, under the path found first.

    >>> class Line(tl.Module):
    ...     def __init__(self):
    ...         self.slope = tl.Variable(2.0, name="slope")
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> line = Line()
    >>> print(line(3.0), list(line.named_variables()))
    6.0 ['slope']
    """

    def named_variables(self) -> dict[str, Variable]:
        """Return the variables by path: `encoder.layers.0.kernel`."""
        reached = _walk(self, "", set())
        return {path: value for path, value in reached if isinstance(value, Variable)}

    @property
    def variables(self) -> list[Variable]:
        """All variables, in the order their attributes were set."""
        return list(self.named_variables().values())

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that tapes watch and optimizers update."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def submodules(self) -> list[Module]:
        """The modules inside this one, at any depth."""
        inside = (
            value for _, value in _walk(self, "", set()) if isinstance(value, Module)
        )
        return [module for module in inside if module is not self]

    def __repr__(self) -> str:
        listed = [
            f"  {path}: {variable.dtype.name}{list(variable.shape)}"
            + ("" if variable.trainable else " (not trainable)")
            for path, variable in self.named_variables().items()
        ]
        return (
            "\n".join([f"{type(self).__name__}:", *listed])
            if listed
            else type(self).__name__
        )


def _walk(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield every module and variable reachable from `value`, with its path, once."""
    if isinstance(value, (Module, Variable)):
        if id(value) in seen:
            return
        seen.add(id(value))
        yield path, value
    for name, member in _members(value):
        yield from _walk(member, f"{path}.{name}" if path else str(name), seen)


def _members(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Module):
        return list(vars(value).items())
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    return []
