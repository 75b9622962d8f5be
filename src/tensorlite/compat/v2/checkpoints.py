"""tf.train.Checkpoint: objects' variables in TensorFlow 2's checkpoints.

What such a checkpoint is stands in interop/tensorflow/stored/objects.py, what is saved of objects
in checkpoint_trees.py, and what gives it back to them in checkpoint_restores.py.
"""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.v2.checkpoint_restores import Status, begun
from tensorlite.compat.v2.checkpoint_trees import (
    Tree,
    is_of_graph,
    is_tracked,
    members,
)
from tensorlite.compat.v2.framework import Module, Variable
from tensorlite.core.check import a_path
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import (
    AssertionFailedError,
    CheckpointError,
    NotFoundError,
)
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.interop.tensorflow.stored import states
from tensorlite.interop.tensorflow.stored.objects import (
    save_objects,
)


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
            known = is_tracked(value)
            setattr(self, name, value if known else _saved_as_module(name, value))
        self._counter: Any = None

    def saved_members(self) -> dict[str, Any]:
        """Return what is saved by name: the root's members, one's own and a `save_counter` made."""
        own = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        root = {} if self._root is None else members(self._root)
        counted = {} if self._counter is None else {"save_counter": self._counter}
        return {**root, **own, **counted}

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
        tree = Tree(self)
        tree.fetch(session)
        save_objects(path, tree.root)
        tell(options, path)
        return path

    def read(self, save_path: Any, options: Any = None) -> Status:
        """Restore what `write` saved under a prefix; return the status, as `restore` does."""
        return Status(begun(self, a_path(save_path, "save_path")), self)

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
        _ = self.save_counter  # is restored with the others
        return Status(begun(self, path), self)


def _saved_as_module(name: str, value: Any) -> Any:
    if hasattr(value, "named_variables"):
        return value
    raise CheckpointError(
        f"`Checkpoint` was expecting {name} to be a trackable object: a variable, tf.Module, "
        f"optimizer, or a dict or list of these, not {value!r}"
    )


def write_weights(model: Any, path: str) -> None:
    """Write the variables of a model."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    tree = Tree(model)
    tree.fetch(None)
    save_objects(path, tree.root)
    states.update_checkpoint_state(
        str(Path(path).parent), path, save_relative_paths=True
    )


def read_weights(model: Any, path: str) -> Status:
    """Give a model's variables their values from a checkpoint, as they are made."""
    return Status(begun(model, path), model)
