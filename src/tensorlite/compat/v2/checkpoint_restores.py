"""What a checkpoint gives to a program's objects, by their tree or by variables' names.

What is restored before its variables are made waits here until the modules that make them have
them, or are built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.v2.checkpoint_trees import (
    ITERATOR,
    ITERATORS,
    OTHERS,
    PYTHON,
    PythonState,
    Tree,
    is_of_graph,
)
from tensorlite.compat.views import shown
from tensorlite.core.dispatch import constant, interpreted_by
from tensorlite.core.errors import CheckpointError
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.interop.tensorflow.stored import checkpoints as stored
from tensorlite.interop.tensorflow.stored.objects import (
    TABLE,
    VALUE,
    Matched,
    Tracked,
    load_objects,
    matched,
)
from tensorlite.ops.state.variable import Variable as AnyVariable


class Awaiting(ABC):
    """A restore of which some variables may not be made yet."""

    def __init__(self, root: Any, path: str, reader: stored.CheckpointReader) -> None:
        self.root, self.path, self.reader = root, path, reader
        self.restored: set[int] = set()
        self.loads: list[tuple[Any, Any]] = []
        """Variables of graphs, and what sessions are to give them."""
        self.unused: list[str] = []
        self.missing: list[str] = []
        """What was saved and is not there, and what is there and was not saved."""

    def again(self) -> None:
        """Restore what is there now and was not before."""
        tree = self.matched_tree()
        for value in tree.values.values():
            if hasattr(value, "awaiting"):
                others = [x for x in value.awaiting if x is not self]
                waits = bool(self.unused)
                value.awaiting = (*others, self) if waits else tuple(others)

    @property
    def left_over(self) -> Sequence[str]:
        """What was saved of objects that are not there."""
        return self.unused

    @abstractmethod
    def matched_tree(self) -> Tree:
        """Return the objects that are there, those restored of which something was saved."""

    def give(self, variable: Any, key: str) -> None:
        """Give a variable what was saved under a key, once."""
        if id(variable) in self.restored:
            return
        self.restored.add(id(variable))
        if is_of_graph(variable):
            self.loads.append((variable, self.reader[key]))
            return
        with interpreted_by(None):
            AnyVariable.assign(variable, constant(self.reader[key]))

    def fill(self, table: Any, key: str) -> None:
        """Give a table the keys and values that were saved under a key, once."""
        self.restored.add(id(table))
        held = self.reader[f"{key}-keys"], self.reader[f"{key}-values"]
        if table.is_of_graph:
            self.loads.append((table, held))
        else:
            table.load(held)


class AwaitingByName(Awaiting):
    """A restore from a checkpoint of version 1: variables are known by their names alone."""

    left_over = ()
    """Not told: such a checkpoint has all variables of a graph, whosesoever they are."""

    def matched_tree(self) -> Tree:
        """Return the objects that are there, after those whose names were saved are restored."""
        tree = Tree(self.root)
        names = {
            own.full_name: variable
            for own in tree.values
            if (variable := own.values.get(VALUE)) is not None
        }
        saved = self.reader.get_variable_to_shape_map()
        for name, variable in names.items():
            if name in saved:
                self.give(variable, name)
        self.missing = [name for name in names if name not in saved]
        self.unused = [name for name in saved if name not in names]
        return tree


class AwaitingByObject(Awaiting):
    """A restore from a checkpoint that says of which objects its values are."""

    def __init__(
        self, root: Any, path: str, reader: stored.CheckpointReader, saved: Tracked
    ) -> None:
        super().__init__(root, path, reader)
        self.saved = saved

    def matched_tree(self) -> Tree:
        """Return the objects that are there, after those that were saved are restored."""
        tree = Tree(self.root)
        found = matched(self.saved, tree.root)
        if self._slots_made(tree, found):
            tree = Tree(self.root)
            found = matched(self.saved, tree.root)
        for own, other in found.pairs:
            self._go_on(tree.values[own], other.values)
            variable, key = own.values.get(VALUE), other.values.get(VALUE)
            if variable is not None and key is not None:
                self.give(variable, key)
        self.unused, self.missing = found.unused, found.missing
        return tree

    def _go_on(self, value: Any, saved: Mapping[str, str]) -> None:
        """Give objects what they told; let an iterator go on where the one that was saved was."""
        if id(value) in self.restored:
            return
        if isinstance(value, PythonState) and PYTHON in saved:
            value.deserialize(self.reader[saved[PYTHON]].item())
            self.restored.add(id(value))
        if TABLE in saved and getattr(value, "is_checkpointed", False):
            self.fill(value, saved[TABLE])
        if not isinstance(value, ITERATORS):
            return
        if OTHERS in saved:
            raise CheckpointError(
                f"{self.path} has an iterator that TensorFlow saved, in a form of its own; leave "
                "the iterator out of the objects that are restored, or begin the dataset anew"
            )
        if ITERATOR in saved:
            value.go_to(np.ravel(self.reader[saved[ITERATOR]]).tolist())
            self.restored.add(id(value))

    def _slots_made(self, tree: Tree, found: Matched) -> bool:
        """Make the slots that optimizers have not yet, of variables that have some saved."""
        own_of = {id(other): own for own, other in found.pairs}
        made = False
        for own, other in found.pairs:
            optimizer = tree.values.get(own)
            if not hasattr(optimizer, "saved_slots"):
                continue
            saved = {id(slot.variable): slot.variable for slot in other.slots}
            held = {id(slot.variable) for slot in own.slots}
            there = [own_of[key] for key in saved if key in own_of]
            lacking = [tree.values[x] for x in there if id(x) not in held]
            if lacking and optimizer is not None:
                optimizer.build(lacking)
                made = True
        return made


def begun(root: Any, path: str) -> Awaiting:
    """Return a restore of what a checkpoint has for an object, done as far as it can be now."""
    reader = stored.load_checkpoint(path)
    saved = load_objects(reader)
    made = (
        AwaitingByName(root, path, reader)
        if saved is None
        else AwaitingByObject(root, path, reader, saved)
    )
    made.again()
    return made


class Status:
    """What a restore came to."""

    def __init__(self, awaiting: Awaiting | None, root: Any) -> None:
        self._awaiting, self._root = awaiting, root

    def _differing(self, what: Sequence[str]) -> None:
        listed = [x for x in what if "save_counter" not in x]
        if listed:
            raise AssertionError(
                f"the checkpoint and the objects differ: {listed[:5]} were not matched"
            )

    def assert_consumed(self) -> Status:
        """Return self, or raise AssertionError where saved or present values found no partner."""
        if self._awaiting is not None:
            found = self._awaiting
            self._differing([*found.left_over, *found.missing])
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Return self, or raise AssertionError where present values found none saved for them."""
        if self._awaiting is not None:
            self._differing(self._awaiting.missing)
        return self

    def assert_nontrivial_match(self) -> Status:
        """Return self, or raise AssertionError if nothing at all was restored."""
        if self._awaiting is not None and not self._awaiting.restored:
            raise AssertionError("nothing of the checkpoint was matched")
        return self

    def expect_partial(self) -> Status:
        """Return self; that values were left over is not reported in any case."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Give variables of graphs what was saved, or what they begin with; others have it."""
        loads = [] if self._awaiting is None else self._awaiting.loads
        loaded = {id(variable) for variable, _ in loads}
        every = Tree(self._root).values.values()
        held = [x for x in every if is_of_graph(x)]
        others = [shown(x.initializing) for x in held if id(x) not in loaded]
        if others:
            chosen_session(session, "initialize_or_restore").run(others)
        self.run_restore_ops(session)

    def run_restore_ops(self, session: Any = None) -> None:
        """Give variables of graphs what was saved; others have it already."""
        if self._awaiting is not None:
            for variable, value in self._awaiting.loads:
                variable.load(value, chosen_session(session, "run_restore_ops"))
