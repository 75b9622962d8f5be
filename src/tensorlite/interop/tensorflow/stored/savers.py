"""Savers: nodes that save a graph's variables and restore them, and which checkpoints are kept.

What the nodes do is in operators.py, the file that lists checkpoints in states.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

import numpy as np

from tensorlite.core.check import several
from tensorlite.core.constant import Const
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import DType, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.scope import control_dependencies, placed_later
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node
from tensorlite.graph_mode.graph import (
    active_graph,
    built,
    get_default_graph,
    name_scope,
    outside,
)
from tensorlite.interop.tensorflow.stored import checkpoints, states
from tensorlite.interop.tensorflow.stored.checkpoints import FIRST, SECOND
from tensorlite.interop.tensorflow.stored.operators import (
    MergeCheckpoints,
    RestoreTensors,
    SaveTensors,
)
from tensorlite.ops.arrays.identity import PlaceholderWithDefault, identity
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.fetchable import effect, group, ran
from tensorlite.ops.state.resource import AssignVariableOp
from tensorlite.ops.state.tables import LookupTableImportV2
from tensorlite.ops.strings.joining import (
    ShardedFilename,
    ShardedFilespec,
    StringJoin,
)


@dataclass(frozen=True)
class Saveable:
    """A variable, or a part of one, under the name that it has in checkpoints."""

    name: str
    variable: Any
    slice_spec: str = ""

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names in checkpoints of what is saved, and which parts of these it is."""
        return [(self.name, self.slice_spec)]

    @property
    def device(self) -> str:
        """The name of the device that it is on, "" where that is not said."""
        return str(getattr(self.variable, "device", None) or "")

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of what is saved."""
        return [self.variable.dtype]

    def values(self) -> list[Any]:
        """Return what is saved."""
        return [self.variable.snapshot]

    def restored(self, values: Sequence[Any], reshaped: bool) -> Any:
        """Return what gives back what was saved, of other shapes if it is `reshaped`."""
        (value,) = values
        if reshaped:
            value = reshape(value, tuple(self.variable.spec.dims))
        return _assigned(self.variable, value)


@dataclass(frozen=True)
class SaveableTable(Saveable):
    """A table that changes, of which keys and values are saved."""

    exported: Sequence[Any] = ()
    """The keys and values that the table has when they are fetched."""

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names in checkpoints of keys and values, of which all are saved."""
        return [(f"{self.name}-{part}", "") for part in ("keys", "values")]

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of keys and values."""
        return [self.variable.key_dtype, self.variable.value_dtype]

    def values(self) -> list[Any]:
        """Return keys and values."""
        return [x.__tensor__() for x in self.exported]

    def restored(self, values: Sequence[Any], reshaped: bool) -> Any:
        """Return what fills the table with the keys and values that were saved."""
        with name_scope(f"{self.name}_table_restore"):
            return effect(LookupTableImportV2(), self.variable.handle, *values)


@dataclass(frozen=True)
class SaveableText(Saveable):
    """A text, as bytes in the place of a variable, which is written and gives nothing back."""

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of texts."""
        return [string]

    def values(self) -> list[Any]:
        """Return the text."""
        return [_strings([self.variable], ())]

    def restored(self, values: Sequence[Any], reshaped: bool) -> Any:
        """Return what has nothing left to do."""
        return ran()


def saveables(
    variables: Mapping[str, Any] | Iterable[Any],
) -> Iterator[Saveable]:
    """Yield variables with their names, each once; InvalidArgumentError for twice the same name."""
    if isinstance(variables, Mapping):
        pairs = sorted(variables.items())
        found = [one for name, variable in pairs for one in _parts(name, variable)]
    else:
        several(variables, "var_list", "variables, in a list or by their names")
        parts = [one for variable in variables for one in _parts("", variable)]
        found = sorted(parts, key=lambda x: x.name)
    yield from _each_once(found)


def _each_once(found: Iterable[Saveable]) -> Iterator[Saveable]:
    """Yield what is saved, a variable that is there twice once; names that clash are errors."""
    seen: dict[tuple[str, str], Any] = {}
    names: dict[int, str] = {}
    whole: dict[str, bool] = {}
    for one in found:
        key = one.name, one.slice_spec
        if key in seen and seen[key] is one.variable:
            continue
        if key in seen or whole.setdefault(one.name, not one.slice_spec) is bool(
            one.slice_spec
        ):
            raise InvalidArgumentError(
                f"At least two variables have the same name: {one.name}"
            )
        if names.setdefault(id(one.variable), one.name) != one.name:
            raise InvalidArgumentError(
                "The same saveable will be restored with two names: "
                f"{names[id(one.variable)]} and {one.name}; give each variable one name"
            )
        seen[key] = one.variable
        yield one


def _parts(name: str, variable: Any) -> Iterator[Saveable]:
    if isinstance(variable, Saveable):
        yield variable
        return
    if isinstance(variable, (list, tuple)) or hasattr(variable, "parts_saved"):
        parts = (
            variable
            if isinstance(variable, (list, tuple))
            else variable.parts_saved()
        )
        for part in parts:
            yield from _parts(name, part)
        return
    if not hasattr(variable, "handle"):
        raise DTypeError(f"Variable to save is not a Variable: {variable!r}")
    part = getattr(variable, "save_slice", None)
    in_graph = active_graph() is not None
    own = variable.op.name if in_graph else variable.name.partition(":")[0]
    if part is None:
        yield Saveable(name or own, variable)
    else:
        yield Saveable(name or part.full_name, variable, part.spec)


Shards: TypeAlias = Sequence[tuple[str, Sequence[Saveable]]]
"""What is saved on each device, by its name."""
_SAVING = {
    FIRST: ("save", "shapes_and_slices"),
    SECOND: ("SaveV2", "shape_and_slices"),
}
"""The names of what saves to each format, and of which parts of variables it saves."""


class SaverNodes(NamedTuple):
    """The names of what a saver runs: what is fed the path, what is fetched, what restores."""

    filename: str
    saved: str
    restored: str


def saver_nodes(
    saved: Sequence[Saveable],
    filename: str = "model",
    name: str | None = None,
    *,
    reshaped: bool = False,
    sharded: bool = False,
    version: int = SECOND,
) -> SaverNodes:
    """Return the nodes, made now, that save variables of a graph to checkpoints and restore them.

    `filename` is where to unless another path is fed; with `reshaped` values may have other shapes
    than their variables. `sharded` ones are saved where they are, in a file for each device.

    >>> from tempfile import mkdtemp
    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> from tensorlite.graph_mode.variables import GraphVariable
    >>> with Graph().as_default() as graph:
    ...     w = GraphVariable(1.0, name="w")
    ...     nodes = saver_nodes(list(saveables([w])))
    >>> nodes.filename, nodes.saved, nodes.restored
    ('save/Const:0', 'save/control_dependency:0', 'save/restore_all')
    >>> session, path = Session(graph=graph), f"{mkdtemp()}/one"
    >>> session.run(w.initializer)
    >>> session.run(nodes.saved, {nodes.filename: path}) == path.encode()
    True
    """
    graph = get_default_graph()
    with outside(), built(graph), name_scope(name, "save"):
        first = _filename(filename)
        path = _named(calls(PlaceholderWithDefault(first.spec), first)[0], "Const")
        if sharded:
            shards = _by_device(saved)
            save = _save_shards if version == SECOND else _save_first_shards
            written = save(shards, path)
            restored = _restore_shards(shards, path, reshaped)
        else:
            written = _save(saved, path, version)
            restored = _restore(saved, path, reshaped)
    return SaverNodes(path.name, written.name, restored.name)


def _filename(filename: str) -> Any:
    """Return the path that there is unless another is fed."""
    with name_scope("filename") as prefix:
        default = _named(_strings([filename], ()), "input")
        fed = PlaceholderWithDefault(TensorSpec((), default.dtype))
        path: Any = calls(fed, default)[0]
    get_default_graph().rename(path.node, prefix[:-1])
    return path


def _by_device(saved: Sequence[Saveable]) -> Shards:
    """Return what is saved on each device, by its name."""
    found: dict[str, list[Saveable]] = {}
    for one in saved:
        found.setdefault(one.device, []).append(one)
    return sorted(found.items())


def _save(saved: Sequence[Saveable], path: Any, version: int = SECOND) -> Any:
    values = [value for x in saved for value in x.values()]
    kind, parts = _SAVING[version]
    with name_scope(kind) as prefix:
        written: Any = effect(
            SaveTensors(version), path, *_names_and_parts(saved, parts), *values
        )
    get_default_graph().rename(written, prefix[:-1])
    with control_dependencies([written]):
        return _named(identity(path), "control_dependency")


def _save_shards(shards: Shards, path: Any) -> Any:
    """Save shards beside the path, and make one checkpoint of them there."""
    with name_scope("StringJoin") as prefix:
        suffix = _named(_strings([f"_temp_{uuid4().hex}/part"], ()), "inputs_1")
        aside: Any = calls(StringJoin(), path, suffix)[0]
    get_default_graph().rename(aside.node, prefix[:-1])
    saved, paths = _saved_apart(shards, aside, SECOND)
    with (
        placed_later(_host(shards[-1][0])),
        control_dependencies([x.node for x in saved]),
    ):
        with name_scope("MergeV2Checkpoints") as prefix:
            together: Any = _named(stack(paths), "checkpoint_prefixes")
            merged: Any = effect(MergeCheckpoints(), together, path)
        get_default_graph().rename(merged, prefix[:-1])
        with control_dependencies([merged]):
            return identity(path)


def _save_first_shards(shards: Shards, path: Any) -> Any:
    """Save shards of the first format, whose path is a pattern of theirs."""
    saved, _ = _saved_apart(shards, path, FIRST)
    count = saved[-1].node.inputs[0].node.inputs[2]
    with control_dependencies([x.node for x in saved]):
        return _named(calls(ShardedFilespec(), path, count)[0], "ShardedFilespec")


def _saved_apart(
    shards: Shards, path: Any, version: int
) -> tuple[list[Any], list[Any]]:
    """Save each shard on its device; return what does so, and the paths."""
    count = _named(calls(Const(np.asarray(len(shards), np.int32)))[0], "num_shards")
    saved, paths = [], []
    for number, (place, held) in enumerate(shards):
        with placed_later(_host(place)):
            with name_scope("ShardedFilename") as prefix:
                shard = _named(calls(Const(np.asarray(number, np.int32)))[0], "shard")
                name: Any = calls(ShardedFilename(), path, shard, count)[0]
            get_default_graph().rename(name.node, prefix[:-1])
            paths.append(name)
            saved.append(_save(held, name, version))
    return saved, paths


def _restore_shards(shards: Shards, path: Any, reshaped: bool) -> Node:
    restored = []
    for place, held in shards:
        with placed_later(DeviceName.parse(place)):
            restored.append(_restore(held, path, reshaped, "restore_shard"))
    done: Any = group(*restored)
    return _bearing(done, "restore_all")


def _host(place: str) -> DeviceName:
    """Return the CPU of the machine that a device is of."""
    here = DeviceName.parse(place)
    return DeviceName(here.job, here.replica, here.task, "CPU", 0)


def _restore(
    saved: Sequence[Saveable], path: Any, reshaped: bool, name: str = "restore_all"
) -> Node:
    dtypes = tuple(dtype for x in saved for dtype in x.dtypes)
    with name_scope("RestoreV2") as prefix:
        values: Any = calls(RestoreTensors(dtypes), path, *_names_and_parts(saved))
    if values:
        get_default_graph().rename(values[0].node, prefix[:-1])
    rest = iter(values)
    assigned = [x.restored([next(rest) for _ in x.dtypes], reshaped) for x in saved]
    done: Any = group(*assigned)
    return _bearing(done, name)


def _assigned(variable: Any, value: Any) -> Any:
    """Return what gives a variable a value that was restored, as TensorFlow names it."""
    if variable.is_reference:
        (after,) = calls(AssignVariableOp(), variable.handle, value)
        return _named(after, "Assign")
    calls(AssignVariableOp(returns=False), variable.handle, identity(value))
    return ran()


def _names_and_parts(
    saved: Sequence[Saveable], called: str = "shape_and_slices"
) -> tuple[Any, Any]:
    entries = [entry for x in saved for entry in x.entries]
    names = _named(_strings([name for name, _ in entries]), "tensor_names")
    parts = _named(_strings([part for _, part in entries]), called)
    return names, parts


def _strings(
    texts: Sequence[str | bytes], shape: tuple[int, ...] | None = None
) -> Any:
    array = np.array(texts, object)
    return calls(Const(array if shape is None else array.reshape(shape)))[0]


def _named(x: Any, name: str) -> Any:
    _bearing(x.node, name)
    return x


def _bearing(node: Node, name: str) -> Node:
    with name_scope(name) as prefix:
        get_default_graph().rename(node, prefix[:-1])
    return node


class Kept:
    """Which checkpoints of a saver there are; those that are too many are removed.

    At most `count` are kept, and one of every so many `hours` beside them. The list of them may
    have paths `relative` to its folder, which may then be moved.
    """

    def __init__(self, count: int, hours: float, relative: bool = False) -> None:
        self.count, self.hours, self.relative = count, hours, relative
        self.last: list[tuple[str, float]] = []
        """Paths, and when they were written, oldest first."""
        self._next = time.time() + hours * 3600

    @property
    def paths(self) -> list[str]:
        """The checkpoints, oldest first."""
        return [path for path, _ in self.last]

    def add(self, path: str, listed_in: str) -> None:
        """Keep a checkpoint as the newest, and note it in the file of a name beside it.

        Where none is ever too many, only the newest one is noted.
        """
        if self.count:
            self.last = [one for one in self.last if one[0] != path]
            self.last.append((path, time.time()))
            while len(self.last) > self.count:
                self._forget(*self.last.pop(0))
        states.update_checkpoint_state(
            str(Path(path).parent),
            path,
            self.paths,
            latest_filename=listed_in,
            save_relative_paths=self.relative,
        )

    def _forget(self, path: str, saved: float) -> None:
        if saved > self._next:
            self._next += self.hours * 3600
            return
        checkpoints.remove(path)
        Path(f"{path}.meta").unlink(missing_ok=True)

    def recover(self, paths: Iterable[str]) -> None:
        """Take those of some checkpoints for one's own that are there."""
        self.last = [
            (path, changed_at(path)) for path in paths if checkpoints.exists(path)
        ]


def changed_at(path: str) -> float:
    """Return when a checkpoint was written, in seconds; 0 for one that is not there."""
    for name in (f"{path}.index", path):
        if Path(name).exists():
            return Path(name).stat().st_mtime
    return 0.0
