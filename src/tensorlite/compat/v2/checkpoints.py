"""tf.train.Checkpoint: objects' variables in TensorFlow 2's checkpoints.

What such a checkpoint is stands in interop/tensorflow/stored/objects.py. What is restored before
its variables are made waits here until the modules that make them have them, or are built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.v2.framework import Module, Variable
from tensorlite.compat.views import shown
from tensorlite.core.check import a_path
from tensorlite.core.dispatch import constant, interpreted_by
from tensorlite.core.errors import (
    AssertionFailedError,
    CheckpointError,
    NotFoundError,
)
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.running import NumpyIterator
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.stored import checkpoints as stored, states
from tensorlite.interop.tensorflow.stored.exporting import members_of
from tensorlite.interop.tensorflow.stored.objects import (
    VALUE,
    Slot,
    Tracked,
    load_objects,
    matched,
    save_objects,
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


_ITERATORS = DatasetIterator, NumpyIterator
_TRACKED = (
    *(AnyVariable, AnyModule, *_ITERATORS, Generator, PythonState),
    *(dict, list, tuple),
)


class _Tree:
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
        if isinstance(value, _ITERATORS):
            found.values[ITERATOR] = np.asarray(value.place, np.int64)
        if isinstance(value, PythonState):
            found.values[PYTHON] = _told(value)
        if hasattr(value, "saved_slots"):
            self.optimizers.append(value)
        children = tracked_members(value)
        found.children = {name: self._tracked(x) for name, x in children.items()}
        return found

    def fetch(self, session: Any) -> None:
        """Have variables of graphs saved with the values that a session has for them."""
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


class Awaiting:
    """A restore of which some variables may not be made yet."""

    def __init__(self, root: Any, path: str) -> None:
        self.root, self.path = root, path
        self.reader = stored.load_checkpoint(path)
        saved = load_objects(self.reader)
        if saved is None:
            raise CheckpointError(
                f"{path} has tensors by name, and does not say of which objects they are; read it "
                "with tf.train.load_checkpoint, or tf.compat.v1.train.Saver"
            )
        self.saved = saved
        self.restored: set[int] = set()
        self.loads: list[tuple[Any, Any]] = []
        """Variables of graphs, and what sessions are to give them."""
        self.found: Any = None
        self.again()

    def again(self) -> None:
        """Restore what is there now and was not before."""
        tree = _Tree(self.root)
        found = matched(self.saved, tree.root)
        if self._slots_made(tree, found):
            tree = _Tree(self.root)
            found = matched(self.saved, tree.root)
        for own, other in found.pairs:
            self._go_on(tree.values[own], other.values)
            variable, key = own.values.get(VALUE), other.values.get(VALUE)
            if variable is None or key is None or id(variable) in self.restored:
                continue
            self._restore(variable, self.reader[key])
            self.restored.add(id(variable))
        self.found = found
        for value in tree.values.values():
            if hasattr(value, "awaiting"):
                others = [x for x in value.awaiting if x is not self]
                value.awaiting = (*others, self) if found.unused else tuple(others)

    def _restore(self, variable: Any, value: Any) -> None:
        if is_of_graph(variable):
            self.loads.append((variable, value))
            return
        with interpreted_by(None):
            AnyVariable.assign(variable, constant(value))

    def _go_on(self, value: Any, saved: Mapping[str, str]) -> None:
        """Give objects what they told; let an iterator go on where the one that was saved was."""
        if id(value) in self.restored:
            return
        if isinstance(value, PythonState) and PYTHON in saved:
            value.deserialize(self.reader[saved[PYTHON]].item())
            self.restored.add(id(value))
        if not isinstance(value, _ITERATORS):
            return
        if OTHERS in saved:
            raise CheckpointError(
                f"{self.path} has an iterator that TensorFlow saved, in a form of its own; leave "
                "the iterator out of the objects that are restored, or begin the dataset anew"
            )
        if ITERATOR in saved:
            value.go_to(np.ravel(self.reader[saved[ITERATOR]]).tolist())
            self.restored.add(id(value))

    def _slots_made(self, tree: _Tree, found: Any) -> bool:
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
            found = self._awaiting.found
            self._differing([*found.unused, *found.missing])
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Return self, or raise AssertionError where present values found none saved for them."""
        if self._awaiting is not None:
            self._differing(self._awaiting.found.missing)
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
        every = _Tree(self._root).values.values()
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


def tell(options: Any, path: str) -> None:
    """Call what CheckpointOptions name, with the path of what is written if they take it."""
    for callback in getattr(options, "experimental_write_callbacks", None) or ():
        count = len(signature(callback).parameters)
        if count > 1:
            raise AssertionFailedError(
                "Callback functions for checkpoint are required to have 0 or 1 parameters, but "
                f"this has {count} parameters: {callback}"
            )
        callback(*[path][:count])


class Checkpoint(Module):
    """Objects that are saved together: modules, optimizers, variables, dicts and lists of these."""

    variables: Any = ()
    trainable_variables: Any = ()
    submodules: Any = ()
    """What modules have is here what a program calls so, if it does."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._root = root
        for name, value in sorted(kwargs.items()):
            known = isinstance(value, _TRACKED)
            setattr(self, name, value if known else _saved_as_module(name, value))
        self._counter: Any = None

    def saved_members(self) -> dict[str, Any]:
        """Return what is saved by name: the root's members, one's own and `save_counter`."""
        own = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        root = {} if self._root is None else _members(self._root)
        return {**root, **own, "save_counter": self.save_counter}

    @property
    def save_counter(self) -> Any:
        """An int64 variable: how often `save` has been called."""
        if self._counter is None:
            with interpreted_by(None):
                self._counter = Variable(
                    np.asarray(0, np.int64), trainable=False, name="save_counter"
                )
        return self._counter

    def write(
        self, file_prefix: Any, options: Any = None, session: Any = None
    ) -> str:
        """Save to files that begin with file_prefix, with no number added; return the prefix.

        The list of a folder's latest checkpoints is left as it is. Variables of graphs are read in
        session, or in the default one.
        """
        path = a_path(file_prefix, "file_prefix")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        tree = _Tree(self)
        tree.fetch(session)
        save_objects(path, tree.root)
        tell(options, path)
        return path

    def read(self, save_path: Any, options: Any = None) -> Status:
        """Restore what `write` saved under a prefix; return the status, as `restore` does."""
        return Status(Awaiting(self, a_path(save_path, "save_path")), self)

    def save(self, file_prefix: Any, options: Any = None, session: Any = None) -> str:
        """Save to `file_prefix-N`, N being the count of saves, and return that path.

        The folder's file `checkpoint` then names it as the latest.
        """
        prefix = a_path(file_prefix, "file_prefix")
        number = self.counted(session)
        path = self.write(f"{prefix}-{number}", session=session)
        states.update_checkpoint_state(
            str(Path(path).parent), path, save_relative_paths=True
        )
        tell(options, path)
        return path

    def counted(self, session: Any = None) -> int:
        """Return the number of the next checkpoint; a counter made for it begins with 0."""
        is_new = self._counter is None
        counter = self.save_counter
        if not is_of_graph(counter):
            counter.assign_add(1)
            return int(counter)
        holder = chosen_session(session, "Checkpoint.save")
        number = 1 if is_new else int(holder.run(counter)) + 1
        counter.load(number, holder)
        return number

    def sync(self) -> None:
        """Do nothing: what was saved or restored is so when the call returns."""

    def restore(self, save_path: Any, options: Any = None) -> Status:
        """Restore from a prefix, or a folder's latest; return what it came to.

        Variables that are made later get their values when they are made. For None nothing is done.
        NotFoundError is raised for a folder that has no checkpoint.
        """
        if save_path is None:
            return Status(None, self)
        path = a_path(save_path, "save_path")
        if Path(path).is_dir():
            found = states.latest_checkpoint(path)
            if found is None:
                raise NotFoundError(f"{path} has no checkpoint")
            path = found
        return Status(Awaiting(self, path), self)


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
        name: member for name, member in _members(value).items() if is_tracked(member)
    }


def is_tracked(value: Any) -> bool:
    """Return whether something is saved where an object has it."""
    return isinstance(value, _TRACKED) or hasattr(value, "saved_members")


def _members(root: Any) -> dict[str, Any]:
    members = getattr(root, "saved_members", None)
    return members_of(root) if members is None else members()


def _saved_as_module(name: str, value: Any) -> Any:
    if hasattr(value, "saved_members") or hasattr(value, "named_variables"):
        return value
    raise CheckpointError(
        f"`Checkpoint` was expecting {name} to be a trackable object: a variable, tf.Module, "
        f"optimizer, or a dict or list of these, not {value!r}"
    )


def write_weights(model: Any, path: str) -> None:
    """Write the variables of a model."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save_objects(path, _Tree(model).root)
    states.update_checkpoint_state(
        str(Path(path).parent), path, save_relative_paths=True
    )


def read_weights(model: Any, path: str) -> Status:
    """Give a model's variables their values from a checkpoint, as they are made."""
    return Status(Awaiting(model, path), model)
