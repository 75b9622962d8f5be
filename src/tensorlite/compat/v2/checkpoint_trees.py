"""Trees of a program's objects as checkpoints know them: what is saved of each, and by what name.

Saving them is in checkpoints.py, restoring in checkpoint_restores.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tensorlite.compat.shared.tables.lookups import Table
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.running import NumpyIterator
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.stored.exporting import members_of
from tensorlite.interop.tensorflow.stored.objects import (
    TABLE,
    VALUE,
    Pieces,
    Slot,
    Tracked,
)
from tensorlite.ops.random.generators import Generator
from tensorlite.ops.state.variable import Variable as AnyVariable
from tensorlite.train.module import Module as AnyModule

ITERATOR = "ITERATOR_STATE"
"""The name of what is saved of an iterator: how many elements it has given."""
OTHERS = "ITERATOR"
"""The name of what TensorFlow saves of an iterator."""
PYTHON = "py_state"
"""The name of what objects of programs' own tell of themselves."""


class PythonState(ABC):
    """What is saved as a text that it makes itself, and gets back."""

    @abstractmethod
    def serialize(self) -> Any:
        """Return what is saved, as text or bytes."""

    @abstractmethod
    def deserialize(self, string_value: Any) -> None:
        """Take what was saved, as bytes."""


ITERATORS = DatasetIterator, NumpyIterator
TRACKED = (
    *(AnyVariable, AnyModule, *ITERATORS, Generator, PythonState, Table),
    *(dict, list, tuple),
)


class Tree:
    """The objects of a program, as they are saved."""

    def __init__(self, root: Any) -> None:
        self.known: dict[int, Tracked] = {}
        self.values: dict[Tracked, Any] = {}
        self.optimizers: list[Any] = []
        self.root = self._tracked(root)
        for optimizer in self.optimizers:
            self._add_slots(optimizer)

    def _tracked(self, value: Any) -> Tracked:
        found = self.known.get(id(value))
        if found is not None:
            return found
        found = self.known[id(value)] = Tracked()
        self.values[found] = value
        if isinstance(value, AnyVariable):
            found.values[VALUE] = value
            found.full_name = str(value.name).removesuffix(":0")
        if isinstance(value, ITERATORS):
            found.values[ITERATOR] = np.asarray(value.place, np.int64)
        if isinstance(value, PythonState):
            found.values[PYTHON] = _told(value)
        if isinstance(value, Table) and value.is_checkpointed:
            found.values[TABLE] = value
        if hasattr(value, "saved_slots"):
            self.optimizers.append(value)
        children = tracked_members(value)
        found.children = {name: self._tracked(x) for name, x in children.items()}
        return found

    def fetch(self, session: Any) -> None:
        """Take the values of tables, and those that a session has for variables of graphs."""
        for own, value in self.values.items():
            if TABLE in own.values:
                own.values[TABLE] = Pieces(value.saved_tensors(session))
        held = [
            (own, value) for own, value in self.values.items() if is_of_graph(value)
        ]
        if held:
            found = chosen_session(session, "Checkpoint.save").run(
                [x for _, x in held]
            )
            for (own, _), value in zip(held, found, strict=True):
                own.values[VALUE] = value

    def _add_slots(self, optimizer: Any) -> None:
        own = self.known[id(optimizer)]
        for variable, name, state in optimizer.saved_slots():
            if id(variable) in self.known:
                held = self.known[id(variable)]
                own.slots.append(Slot(held, name, self._tracked(state)))


def _told(value: PythonState) -> Any:
    """Return what an object says of itself as a scalar, which is made as it is saved."""
    text = value.serialize()
    return np.asarray(text.encode() if isinstance(text, str) else text, object)


def is_of_graph(value: Any) -> bool:
    """Return whether something is a variable that has its value in sessions alone."""
    return isinstance(value, GraphVariable) and not value.has_value_here()


def tracked_members(value: Any) -> dict[str, Any]:
    """Return what of an object is saved beside its own value, by name."""
    return {
        name: member for name, member in members(value).items() if is_tracked(member)
    }


def is_tracked(value: Any) -> bool:
    """Return whether something is saved where an object has it."""
    return isinstance(value, TRACKED) or hasattr(value, "saved_members")


def members(root: Any) -> dict[str, Any]:
    """Return what an object has, by name, saved or not."""
    own = getattr(root, "saved_members", None)
    return members_of(root, (Table,)) if own is None else own()
