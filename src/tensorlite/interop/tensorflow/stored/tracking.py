"""Modules, and lists and dicts of them, saved as TensorFlow 2's checkpoints, and restored.

What checkpoints of objects are is objects.py's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.core.check import a_path, one_of
from tensorlite.core.dispatch import constant
from tensorlite.core.errors import CheckpointError
from tensorlite.interop.tensorflow.stored.checkpoints import load_checkpoint
from tensorlite.interop.tensorflow.stored.exporting import members_of
from tensorlite.interop.tensorflow.stored.objects import (
    VALUE,
    Matched,
    Tracked,
    load_objects,
    matched,
    save_objects,
)
from tensorlite.ops.state.variable import Variable
from tensorlite.train.module import Module


def tracked(value: Any) -> Tracked:
    """Return an object, and the objects and variables that its attributes hold.

    >>> sorted(tracked({"a": tl.Variable(1.0), "b": [tl.Variable(2.0)]}).children)
    ['a', 'b']
    """
    return _tracked(value, {})


def _tracked(value: Any, known: dict[int, Tracked]) -> Tracked:
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = Tracked()
        if isinstance(value, Variable):
            found.values[VALUE] = value
            found.full_name = value.name
        found.children = {
            name: _tracked(member, known)
            for name, member in members_of(value).items()
            if isinstance(member, HOLDERS)
        }
    return found


HOLDERS = (Variable, Module, dict, list, tuple)
"""What holds variables, or is one."""
_HOLDING = "a module, or a dict or list of modules and variables"


def save_object_checkpoint(prefix: str | Path, value: Any) -> None:
    """Write the variables of a module, or of a dict or list of them, by the ways to them.

    `tf.train.Checkpoint(model=...)` of TensorFlow 2 restores what `{"model": module}` saves.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_object_checkpoint(prefix, {"w": tl.Variable([1.0, 2.0])})
    >>> tl.interop.tensorflow.list_variables(prefix)[1]
    ('w/.ATTRIBUTES/VARIABLE_VALUE', [2])
    """
    one_of(value, HOLDERS, "save_object_checkpoint: value", _HOLDING)
    save_objects(a_path(prefix, "save_object_checkpoint: prefix"), tracked(value))


def restore_object_checkpoint(prefix: str | Path, value: Any) -> Matched:
    """Give the variables of a module their values from a checkpoint, and tell what was matched.

    Variables are found by the ways to them, as TensorFlow 2 does. What one has and the other has
    not is left out; `.check()` of the result raises CheckpointError when there is any.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_object_checkpoint(prefix, {"w": tl.Variable([1.0, 2.0])})
    >>> w = tl.Variable([0.0, 0.0])
    >>> tl.interop.tensorflow.restore_object_checkpoint(prefix, {"w": w}).check()
    >>> print(w.numpy())
    [1. 2.]
    """
    one_of(value, HOLDERS, "restore_object_checkpoint: value", _HOLDING)
    reader = load_checkpoint(prefix)
    saved = load_objects(reader)
    if saved is None:
        raise CheckpointError(
            f"{reader.prefix} has tensors by name, and does not say of which objects they are; "
            "read it with load_checkpoint"
        )
    found = matched(saved, tracked(value))
    for own, other in found.pairs:
        variable, key = own.values.get(VALUE), other.values.get(VALUE)
        if isinstance(variable, Variable) and key is not None:
            variable.assign(constant(reader[key]))
    return found
