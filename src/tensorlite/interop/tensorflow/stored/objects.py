"""Checkpoints of objects: which variable of which object a saved tensor is.

A program's objects and variables are a graph of attributes. TensorFlow 2's checkpoints have that
graph beside the tensors, and a program's objects are matched with it from the root on, attribute
by attribute, whatever the variables are called. How a program has its objects is not known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.errors import CheckpointError, DataLossError
from tensorlite.interop.tensorflow.stored.bundle_writing import Saved
from tensorlite.interop.tensorflow.stored.checkpoints import (
    CheckpointReader,
    array_of,
    load_checkpoint,
    write_saved,
)
from tensorlite.ops.records import wire

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The name of the tensor that has the graph of objects."""
VALUE = "VARIABLE_VALUE"
"""What the value of a variable is called among all that is saved of an object."""
TABLE = "table"
"""What the keys and values of a table are called, two tensors whose names begin with it."""


@dataclass(frozen=True)
class Pieces:
    """A value that is saved as several tensors, by what their names end with."""

    tensors: Mapping[str, Any]


class Slot(NamedTuple):
    """What an optimizer keeps for a variable."""

    variable: Tracked
    name: str
    state: Tracked


@dataclass(eq=False)
class Tracked:
    """An object: what it has under which names, and what is saved of it itself.

    >>> root = Tracked({"w": Tracked(values={VALUE: np.ones(2)})})
    >>> [key for key, _ in keys_of(root)]
    ['w/.ATTRIBUTES/VARIABLE_VALUE']
    """

    children: dict[str, Tracked] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    """To be saved: what an array can be made of. In a checkpoint: the names of tensors."""
    full_name: str = ""
    """What a variable is called, by which programs of TensorFlow 1 find it."""
    slots: list[Slot] = field(default_factory=list)

    def walk(self) -> Iterator[tuple[Tracked, tuple[str, ...]]]:
        """Yield all objects, each once, with the shortest way to it; slots come at the end."""
        seen = {self}
        waiting: deque[tuple[Tracked, tuple[str, ...]]] = deque([(self, ())])
        slots = []
        while waiting:
            one, path = waiting.popleft()
            yield one, path
            slots += [slot.state for slot in one.slots]
            for name, child in one.children.items():
                if child not in seen:
                    seen.add(child)
                    waiting.append((child, (*path, name)))
        for state in slots:
            if state not in seen:
                seen.add(state)
                yield state, ()


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


def keys_of(root: Tracked) -> list[tuple[str, Tracked]]:
    """Return the names of all tensors that are saved, each with its object."""
    return [
        (key, one) for one, named in _named(root).items() for key in named.values()
    ]


def _named(root: Tracked) -> dict[Tracked, dict[str, str]]:
    """Return of each object the names of the tensors that are saved of it."""
    walked = list(root.walk())
    paths = {one: "/".join(map(_escaped, path)) for one, path in walked}
    for one, path in walked:
        where = "/".join(map(_escaped, path))
        for variable, name, state in one.slots:
            # It may be reached as a child too; then that is its way.
            if not paths.get(state):
                parts = [paths[variable], ".OPTIMIZER_SLOT", where, _escaped(name)]
                paths[state] = "/".join(parts)
    return {
        one: {name: f"{path}/.ATTRIBUTES/{name}".lstrip("/") for name in one.values}
        for one, path in paths.items()
    }


def graph_text(root: Tracked) -> bytes:
    """Return what a checkpoint has under GRAPH: the objects, with the names of their tensors.

    >>> of_message(graph_text(Tracked({"w": Tracked(values={VALUE: 0.0})}))).children["w"].values
    {'VARIABLE_VALUE': 'w/.ATTRIBUTES/VARIABLE_VALUE'}
    """
    return to_message(_named(root))


def save_objects(prefix: str | Path, root: Tracked) -> None:
    """Write a checkpoint of objects, which TensorFlow 2 restores.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> save_objects(prefix, Tracked({"w": Tracked(values={VALUE: np.ones(2)})}))
    >>> list(load_checkpoint(prefix))
    ['_CHECKPOINTABLE_OBJECT_GRAPH', 'w/.ATTRIBUTES/VARIABLE_VALUE']
    """
    named = _named(root)
    tensors = [
        Saved(key + end, array_of(x))
        for one, keys in named.items()
        for name, key in keys.items()
        for end, x in _pieces(one.values[name]).items()
    ]
    graph = np.array(to_message(named), object)
    write_saved(prefix, [*tensors, Saved(GRAPH, graph)])


def _pieces(value: Any) -> Mapping[str, Any]:
    return value.tensors if isinstance(value, Pieces) else {"": value}


def to_message(named: Mapping[Tracked, Mapping[str, str]]) -> bytes:
    """Return objects, with the names of their tensors, as a TrackableObjectGraph."""
    numbers = {one: number for number, one in enumerate(named)}
    return b"".join(
        [wire.field(1, _object(one, numbers, named[one])) for one in named]
    )


def _object(
    one: Tracked, numbers: Mapping[Tracked, int], named: Mapping[str, str]
) -> bytes:
    parts = [
        wire.field(1, _reference(numbers[child], name))
        for name, child in one.children.items()
    ]
    for name, key in named.items():
        texts = (name, one.full_name, key)
        content = [wire.field(i, x.encode()) for i, x in enumerate(texts, 1) if x]
        parts.append(wire.field(2, b"".join(content)))
    for variable, name, state in one.slots:
        first = wire.field(1, numbers[variable]) + wire.field(2, name.encode())
        parts.append(wire.field(3, first + wire.field(3, numbers[state])))
    parts.append(wire.field(5, wire.field(1, 1)))
    return b"".join(parts)


def _reference(number: int, name: str) -> bytes:
    return wire.field(1, number) + wire.field(2, name.encode())


def load_objects(path: str | Path | CheckpointReader) -> Tracked | None:
    """Return the objects in a checkpoint, whose values are the names of tensors; None for names.

    A checkpoint of TensorFlow 1 has names only.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> save_objects(prefix, Tracked({"w": Tracked(values={VALUE: np.ones(2)})}))
    >>> load_objects(prefix).children["w"].values
    {'VARIABLE_VALUE': 'w/.ATTRIBUTES/VARIABLE_VALUE'}
    """
    found = numbered_objects(path)
    return None if found is None else found[0]


def numbered_objects(path: str | Path | CheckpointReader) -> list[Tracked] | None:
    """Return the objects in a checkpoint by their numbers, the root first; None for names."""
    reader = path if isinstance(path, CheckpointReader) else load_checkpoint(path)
    if GRAPH not in reader:
        return None
    message = reader[GRAPH]
    if message.shape != () or not isinstance(message.item(), bytes):
        raise DataLossError(f"{reader.prefix}: its graph of objects is no text")
    return _of_message(message.item())


def keys_by_full_name(path: str | Path | CheckpointReader) -> dict[str, str]:
    """Return where the objects in a checkpoint keep variables, by what these are called.

    There are none in a checkpoint of TensorFlow 1, whose keys are the names themselves.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> one = Tracked(values={VALUE: np.ones(2)}, full_name="dense/kernel")
    >>> save_objects(prefix, Tracked({"w": one}))
    >>> keys_by_full_name(prefix)
    {'dense/kernel': 'w/.ATTRIBUTES/VARIABLE_VALUE'}
    """
    return {
        one.full_name: one.values[VALUE]
        for one in numbered_objects(path) or ()
        if one.full_name and VALUE in one.values
    }


def of_message(message: bytes) -> Tracked:
    """Return the root of a TrackableObjectGraph; DataLossError when it is damaged."""
    return _of_message(message)[0]


def _of_message(message: bytes) -> list[Tracked]:
    contents = [x for number, x in wire.fields(message) if number == 1]
    objects = [Tracked() for _ in contents]
    for one, content in zip(objects, contents, strict=True):
        for number, part in wire.fields(_bytes(content)):
            if number not in {1, 2, 3}:
                continue
            given = dict(wire.fields(_bytes(part)))
            if number == 1:
                one.children[_text(given, 2)] = _at(objects, given, 1)
            elif number == 2:
                one.values[_text(given, 1)] = _text(given, 3)
                one.full_name = _text(given, 2)
            else:
                ends = _at(objects, given, 1), _text(given, 2), _at(objects, given, 3)
                one.slots.append(Slot(*ends))
    if not objects:
        raise DataLossError("a graph of objects has no object")
    return objects


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise DataLossError("a graph of objects is damaged: a message is a number")
    return value


def _text(given: Mapping[int, int | bytes], number: int) -> str:
    return _bytes(given.get(number, b"")).decode(errors="surrogateescape")


def _at(
    objects: list[Tracked], given: Mapping[int, int | bytes], number: int
) -> Tracked:
    place = given.get(number, 0)
    if not isinstance(place, int) or place >= len(objects):
        raise DataLossError(f"a graph of objects has no object {place!r}")
    return objects[place]


class Matched(NamedTuple):
    """Objects of a program beside those of a checkpoint."""

    pairs: list[tuple[Tracked, Tracked]]
    """Which object of the program is which one of the checkpoint."""
    unused: list[str]
    """The names of saved tensors that no object of the program took."""
    missing: list[str]
    """The ways to what the program would restore, and the checkpoint does not have."""

    def check(self, what: str = "the checkpoint") -> None:
        """Raise CheckpointError unless all that was saved is used, and all objects restored."""
        if self.unused or self.missing:
            raise CheckpointError(
                f"{what} and the objects differ: of the checkpoint nothing uses "
                f"{self.unused[:5]}, and it lacks {self.missing[:5]}"
            )


def matched(saved: Tracked, root: Tracked) -> Matched:
    """Return which objects of a program are which of a checkpoint, from the roots on.

    >>> saved = Tracked({"w": Tracked(values={VALUE: "key"})})
    >>> found = matched(saved, Tracked({"w": Tracked(values={VALUE: 0.0}), "b": Tracked()}))
    >>> found.pairs[1][1].values, found.unused
    ({'VARIABLE_VALUE': 'key'}, [])
    """
    partner = {root: saved}
    waiting = deque([root])
    while waiting:
        own = waiting.popleft()
        other = partner[own]
        for name, child in own.children.items():
            if name in other.children and child not in partner:
                partner[child] = other.children[name]
                waiting.append(child)
    for own, other in list(partner.items()):
        kept = {(x.variable, x.name): x for x in other.slots}
        for slot in own.slots:
            held = partner.get(slot.variable)
            there = None if held is None else kept.get((held, slot.name))
            if there is not None:
                partner.setdefault(slot.state, there.state)
    used = {key for other in partner.values() for key in other.values.values()}
    unused = [key for key in _saved_keys(saved) if key not in used]
    return Matched(list(partner.items()), unused, list(_lacking(root, partner)))


def _saved_keys(saved: Tracked) -> Iterable[str]:
    return [key for one, _ in saved.walk() for key in one.values.values()]


def _lacking(root: Tracked, partner: Mapping[Tracked, Tracked]) -> Iterator[str]:
    for one, path in root.walk():
        found = partner.get(one)
        for name in one.values:
            if found is None or name not in found.values:
                yield "/".join(path) or one.full_name or name
