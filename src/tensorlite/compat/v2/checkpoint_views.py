"""tf.train.CheckpointView and TrackableView: which objects a checkpoint or a program has, by name.

What such a checkpoint is stands in interop/tensorflow/stored/objects.py.
"""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any

from tensorlite.compat.v2.checkpoint_trees import is_tracked, tracked_members
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.interop.tensorflow.stored.objects import Tracked, numbered_objects


class TrackableView:
    """An object that is saved, with what it has.

    >>> import tensorlite.compat.v2 as tf
    >>> module = tf.Module()
    >>> module.w = tf.Variable(1.0)
    >>> list(tf.train.TrackableView(module).children(module))
    ['w']
    """

    def __init__(self, root: Any) -> None:
        self.root = _a_root(root)

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint") -> dict[str, Any]:
        """Return what an object has that is saved, by name; save_type has no effect."""
        return tracked_members(obj)

    def descendants(self) -> list[Any]:
        """Return the root and all that it has, each once, the nearest first."""
        found = [self.root]
        seen = {id(self.root)}
        for one in found:
            for child in self.children(one).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
        return found


class CheckpointView:
    """The objects in a checkpoint, by their numbers: the root is 0.

    A checkpoint of names alone, as TensorFlow 1's, raises InvalidArgumentError.
    """

    def __init__(self, save_path: Any) -> None:
        objects = numbered_objects(save_path)
        if objects is None:
            raise InvalidArgumentError(
                f"{save_path} does not appear to be object-based: it has tensors by name, and does "
                "not say of which objects they are"
            )
        self._objects = objects
        self._number = {one: number for number, one in enumerate(objects)}

    def children(self, node_id: int) -> dict[str, int]:
        """Return the numbers of what an object has, by name."""
        return self._numbers(self._objects[node_id])

    def _numbers(self, one: Tracked) -> dict[str, int]:
        return {name: self._number[child] for name, child in one.children.items()}

    def descendants(self) -> list[int]:
        """Return the numbers of the root and of all that it has, the nearest first."""
        return list(self._paths())

    def _paths(self) -> dict[int, str]:
        """Return how each object is reached: "root.leaf"."""
        paths = {0: "root"}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            for name, child in self.children(number).items():
                if child not in paths:
                    paths[child] = f"{paths[number]}.{name}"
                    waiting.append(child)
        return paths

    _descendants_with_paths = _paths

    def match(self, obj: Any) -> dict[int, Any]:
        """Return the objects of a program that the checkpoint has at the same place, by number.

        Where it has one object at two places, and the program two, the first is taken with a
        warning.
        """
        found = {0: _a_root(obj)}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            own = tracked_members(found[number])
            for name, child in self.children(number).items():
                if name not in own or child == 0:
                    continue
                if child not in found:
                    found[child] = own[name]
                    waiting.append(child)
                elif found[child] is not own[name]:
                    warnings.warn(
                        "Inconsistent references when matching the checkpoint into this object "
                        f"graph: it has {found[child]} and {own[name]} where one was saved",
                        stacklevel=2,
                    )
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Return what `match` does, the numbers it lacks, and the program's objects it lacks."""
        found = self.match(obj)
        same = {id(x) for x in found.values()}
        here = TrackableView(obj).descendants()
        return (
            found,
            [number for number in self.descendants() if number not in found],
            [x for x in here if id(x) not in same],
        )


def _a_root(value: Any) -> Any:
    if not is_tracked(value):
        raise DTypeError(
            f"Expected a Trackable, got {value!r}: give a tf.Module, variable or optimizer"
        )
    return value
