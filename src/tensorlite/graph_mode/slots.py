"""Slots: variables of a graph that belong to others, such as the moments that an optimizer keeps.

Their names are below those of the variables that they belong to: `w/Adam`, the next one `w/Adam_1`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from tensorlite.core.scope import device
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import Graph, active_graph
from tensorlite.graph_mode.partitioned import SaveSlice
from tensorlite.graph_mode.variable_scopes import get_variable, variable_scope


def new_slot(
    primary: Any,
    value: Any,
    name: str,
    make: Callable[..., Any],
    dtype: Any = None,
) -> Any:
    """Return a variable, made by `make`, that belongs to another and lies where that does.

    `value` is what it begins with, or a function that returns it; its dtype is that of the other
    unless another is given.
    """
    if active_graph() is None:
        bare = primary.name.removesuffix(":0")
        return make(value, trainable=False, name=f"{bare}/{name}")
    with variable_scope(None, f"{primary.op.name}/{name}"):
        is_tensor = isinstance(primary, SymbolicTensor)
        place = str((primary if is_tensor else primary.handle).node.device)
        with device(None), device(place) if place else nullcontext():
            slot = get_variable(
                "",
                initializer=lambda: value() if callable(value) else value,
                trainable=False,
                dtype=primary.dtype if dtype is None else dtype,
                make=make,
            )
    slot.save_slice = _part_of(getattr(primary, "save_slice", None), primary, slot)
    return slot


def _part_of(whole: SaveSlice | None, primary: Any, slot: Any) -> SaveSlice | None:
    """Return what checkpoints keep of the slot of a part: a part of the whole variable's slot.

    As in TensorFlow, as much as the variable's name has is cut off the slot's, whatever that is
    where the slot stands in a scope of its own.
    """
    axes = slot.get_shape().rank
    if whole is None or axes == 0:
        return None
    own = slot.op.name[len(primary.op.name) + 1 :]
    sizes = [
        list(x)[:axes] for x in (whole.full_shape, whole.var_offset, whole.var_shape)
    ]
    return SaveSlice(f"{whole.full_name}/{own}", *sizes)


class Same:
    """A variable as a key: equal to itself alone."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.variable is other.variable


class Slots:
    """The slots of an optimizer by name and variable, and variables that belong to it alone.

    >>> from tensorlite.graph_mode.slots import Slots
    >>> slots, w = Slots(), tl.Variable(1.0, name="w")
    >>> moment = slots.found_or_made(w, "m", lambda: tl.Variable(0.0, name="w/m"))
    >>> slots.get(w, "m") is moment, slots.names()
    (True, ['m'])
    """

    def __init__(self) -> None:
        self.by_name: dict[str, dict[Same, Any]] = {}
        self._own: dict[tuple[str, Graph | None], Any] = {}

    def names(self) -> list[str]:
        """Return what slots there are."""
        return sorted(self.by_name)

    def of(self, name: str) -> dict[Same, Any]:
        """Return the slots of a name, by variable."""
        return self.by_name.setdefault(name, {})

    def get(self, variable: Any, name: str) -> Any:
        """Return the slot of a variable, None if it has none."""
        return self.by_name.get(name, {}).get(Same(variable))

    def found_or_made(self, variable: Any, name: str, make: Callable[[], Any]) -> Any:
        """Return the slot of a variable, made now if it has none."""
        held = self.of(name)
        key = Same(variable)
        if key not in held:
            held[key] = make()
        return held[key]

    def own(self, name: str) -> Any:
        """Return what the optimizer has for itself in the graph being built, None if nothing."""
        return self._own.get((name, active_graph()))

    def own_or_made(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what the optimizer has for itself in the graph being built, made if nothing."""
        key = name, active_graph()
        if key not in self._own:
            self._own[key] = make()
        return self._own[key]

    def owned(self) -> dict[str, Any]:
        """Return by name what the optimizer has for itself in the graph being built."""
        graph = active_graph()
        return {name: x for (name, of), x in self._own.items() if of is graph}

    def beside(self) -> list[tuple[Any, str, Any]]:
        """Return each variable that has a slot, the slot's name, and the slot."""
        return [
            (key.variable, name, slot)
            for name, held in self.by_name.items()
            for key, slot in held.items()
        ]

    def all(self) -> list[Any]:
        """Return all variables, of the graph being built if there is one, by their names."""
        graph = active_graph()
        beside = [
            variable
            for held in self.by_name.values()
            for variable in held.values()
            if graph is None or variable.graph is graph
        ]
        own = [x for (_, of), x in self._own.items() if graph is None or of is graph]
        return sorted([*beside, *own], key=lambda variable: str(variable.name))
