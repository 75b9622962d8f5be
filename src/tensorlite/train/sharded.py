"""Checkpoints of many shards: each device's task writes, and reads, what lies there.

What is read and written is one traced function whose operators stand on the variables' devices.
The client commits what the tasks wrote by a manifest. Which objects a checkpoint is of, and what
must match, is checkpoint.py's.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import calls, interpreted_by, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import CheckpointError
from tensorlite.core.scope import control_dependencies, device
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.function import Function, function
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.records import manifests, storage
from tensorlite.ops.records.manifests import Contents, Piece, Shard, Stored
from tensorlite.ops.records.shards import (
    QueueContent,
    QueueRefill,
    RestoreShard,
    SaveShard,
)
from tensorlite.ops.state.variable import Variable
from tensorlite.train.rows import RowPart

Holder: TypeAlias = Variable | QueueBase
PATIENCE = 3.0
"""For how many seconds a shard is looked for that another node has written to shared storage."""


def _writer_of(place: DeviceName) -> DeviceName:
    """Return the device that reads and writes files for one: a CPU of its task."""
    if place.kind != "GPU":
        return place
    return DeviceName(place.job, None, place.task, "CPU", 0)


class Saved(NamedTuple):
    """What one variable, or the queue, is in a checkpoint: these tensors, or rows of one."""

    names: tuple[str, ...]
    holder: Holder
    first: int = -1
    """The first row; -1: the variable is the whole tensor."""

    @property
    def place(self) -> DeviceName:
        """Where the value is."""
        return self.holder.handle.device

    @property
    def specs(self) -> tuple[TensorSpec, ...]:
        """The specs of the values."""
        if isinstance(self.holder, Variable):
            return (self.holder.spec,)
        return QueueContent().infer(self.holder.handle.spec)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names in a shard's file."""
        if self.first < 0:
            return self.names
        return tuple([f"{name}[{self.first}:]" for name in self.names])

    def read(self) -> tuple[Tensor, ...]:
        """Return the values as they are now."""
        if isinstance(self.holder, Variable):
            return (self.holder.value(),)
        return calls(QueueContent(), self.holder.handle)

    def write(self, values: Sequence[Tensor]) -> None:
        """Make these the values."""
        if isinstance(self.holder, Variable):
            self.holder.assign(values[0])
        else:
            calls(QueueRefill(), self.holder.handle, *values)


def all_saved(holders: Mapping[str, Holder]) -> list[Saved]:
    """Return what variables and queues are in a checkpoint, given by path.

    The parts of a variable that is split by rows are rows of one tensor, which bears the name of
    what the parts are the members of.
    """
    found, wholes = [], dict[object, str]()
    for path, holder in holders.items():
        if isinstance(holder, RowPart):
            name = wholes.setdefault(holder.whole, _without_part(path))
            found.append(Saved((name,), holder, holder.first))
        elif isinstance(holder, Variable):
            found.append(Saved((path,), holder))
        else:
            count = len(holder.dtypes)
            found.append(Saved(tuple([f"{path}.{i}" for i in range(count)]), holder))
    return found


def _without_part(path: str) -> str:
    return re.sub(r"(\.parts)?\.\d+$", "", path)


def specs_of(saved: Iterable[Saved]) -> dict[str, TensorSpec]:
    """Return the specs of a checkpoint's tensors, those of parts put together."""
    found: dict[str, TensorSpec] = {}
    for one in saved:
        for name, spec in zip(one.names, one.specs, strict=True):
            rows = spec.shape
            if one.first >= 0 and name in found:
                count = (found[name].dims[0] or 0) + (spec.dims[0] or 0)
                rows = (count, *spec.dims[1:])
            found[name] = spec.with_shape(rows)
    return found


def arrays_of(saved: Iterable[Saved]) -> dict[str, np.ndarray[Any, Any]]:
    """Return a checkpoint's tensors, brought here; those of parts put together."""
    found: dict[str, list[tuple[int, np.ndarray[Any, Any]]]] = {}
    for one in saved:
        for name, value in zip(one.names, one.read(), strict=True):
            found.setdefault(name, []).append((one.first, value.numpy()))
    return {
        name: rows[0][1]
        if len(rows) == 1
        else np.concatenate([x for _, x in sorted(rows, key=lambda row: row[0])])
        for name, rows in found.items()
    }


class Shards:
    """The traced functions by which some variables and queues are written and read."""

    def __init__(self, saved: Sequence[Saved]) -> None:
        self.saved = saved
        self.groups: dict[DeviceName, list[Saved]] = {}
        for one in saved:
            self.groups.setdefault(_writer_of(one.place), []).append(one)
        self._writing: Function[..., Any] = function(self._write, autograph=False)

    @staticmethod
    def key(saved: Iterable[Saved]) -> tuple[Any, ...]:
        """Return what tells whether traced functions made before still serve."""
        return tuple(
            [
                (one.names, one.first, id(one.holder.handle), one.place)
                for one in saved
            ]
        )

    def write(self, path: str | Path, extra: Mapping[str, Any]) -> Contents:
        """Let each device's task write its shard, then write the manifest that commits them.

        Raises CheckpointError when a shard cannot be written, or is not seen from here; what was
        written is removed then, and a checkpoint that was at this path is as it was.
        """
        manifests.check_extra(extra)
        save = token_hex(4)
        try:
            with interpreted_by(None):
                written = self._writing(to_tensor(f"{path}.{save}"))
            contents = self._announced(str(path), save, written, extra)
            manifests.commit(contents)
        except Exception:
            for i in range(len(self.groups)):
                with suppress(OSError):
                    manifests.shard_path(path, save, i, len(self.groups)).unlink()
            raise
        return contents

    def _write(self, prefix: Tensor) -> list[tuple[Tensor, ...]]:
        """Write the shards: what is traced. Returns size and digest of each."""
        written = []
        for i, (place, saved) in enumerate(self.groups.items()):
            entries = tuple([name for one in saved for name in one.entries])
            op = SaveShard(entries, f"-{i}-of-{len(self.groups)}.safetensors")
            values = [value for one in saved for value in one.read()]
            with device(place):
                written.append(calls(op, prefix, *values))
        return written

    def _announced(
        self,
        path: str,
        save: str,
        written: Sequence[tuple[Tensor, Tensor]],
        extra: Mapping[str, Any],
    ) -> Contents:
        """Return the contents of a checkpoint whose shards are all there."""
        shards, pieces = [], dict[str, list[tuple[Piece, DType]]]()
        for i, (place, saved) in enumerate(self.groups.items()):
            file = manifests.shard_path(path, save, i, len(self.groups))
            size, digest = written[i]
            shards.append(Shard(file.name, int(size), bytes(digest.numpy()).hex()))
            described = _seen(file, shards[i].bytes, place)
            for one in saved:
                for name, entry, spec in zip(
                    one.names, one.entries, one.specs, strict=True
                ):
                    shape = tuple(described[entry]["shape"])
                    piece = Piece(i, entry, shape, max(one.first, 0))
                    pieces.setdefault(name, []).append((piece, spec.dtype))
        tensors = {name: _put_together(found) for name, found in pieces.items()}
        return Contents(path, tuple(shards), tensors, dict(extra))

    def read(self, path: str | Path, names: Iterable[str]) -> None:
        """Let each device's task read its part of the tensors named; none is given when one fails.

        Raises CheckpointError when a file is not as it was written.
        """
        wanted = set(names)

        def read(given: Tensor) -> None:
            self._read(given, wanted)

        reading = function(read, autograph=False)
        with interpreted_by(None):
            reading(to_tensor(str(path)))

    def _read(self, path: Tensor, wanted: set[str]) -> None:
        """Read all, and then assign it: what is traced."""
        found: list[tuple[Saved, tuple[Tensor, ...]]] = []
        for place, group in self.groups.items():
            saved = [one for one in group if wanted.issuperset(one.names)]
            specs = [spec for one in saved for spec in one.specs]
            names = [name for one in saved for name in one.names]
            firsts = [one.first for one in saved for _ in one.names]
            with device(place):
                op = RestoreShard(tuple(names), tuple(firsts), tuple(specs))
                values = iter(calls(op, path))
            found += [
                (one, tuple([next(values) for _ in one.names])) for one in saved
            ]
        with control_dependencies([x for _, values in found for x in values]):
            for one, given in found:
                one.write(given)


def _put_together(found: Sequence[tuple[Piece, DType]]) -> Stored:
    """Return the tensor that pieces make, in the order of their rows."""
    pieces = sorted([piece for piece, _ in found], key=lambda piece: piece.first)
    shape = pieces[0].shape
    if len(pieces) > 1:
        shape = (sum(piece.shape[0] for piece in pieces), *shape[1:])
    return Stored(TensorSpec(shape, found[0][1]), tuple(pieces))


def _seen(file: Path, size: int, place: DeviceName) -> dict[str, dict[str, Any]]:
    """Return what a shard says of its tensors; CheckpointError unless it is seen from here."""
    until = time.monotonic() + PATIENCE
    while not file.exists() and time.monotonic() < until:
        time.sleep(PATIENCE / 100)
    try:
        found = f"has {file.stat().st_size} bytes"
    except OSError as error:
        found = f"is not there: {error}"
    if found != f"has {size} bytes":
        raise CheckpointError(
            f"{place} has written {size} bytes to {file}, which from here {found}. Shards must be "
            "on storage that all nodes and the client share: give a folder that is mounted "
            "everywhere under this name"
        )
    return storage.read_described(file)
