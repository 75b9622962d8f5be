"""Checkpoint and Manager: what belongs in a checkpoint, strict restore, rotation.

The files themselves are ops/records/storage.py's, those of many shards sharded.py's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import CheckpointError, DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.records import manifests, storage
from tensorlite.ops.records.manifests import Contents
from tensorlite.ops.state.variable import Variable
from tensorlite.train.sharded import Holder, Shards, all_saved, arrays_of, specs_of


@runtime_checkable
class Trackable(Protocol):
    """Whatever has named variables: modules, optimizers, random generators."""

    def named_variables(self) -> dict[str, Variable]:
        """Return the variables by path."""


@dataclass(frozen=True)
class Report:
    """What a restore found: names matched, missing in the file, unused, and changed.

    Printed, it is a table.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "c")
    >>> tl.checkpoint.save(path, {"a": 1.0, "b": 2.0})
    >>> both = tl.checkpoint.Checkpoint(a=tl.Variable(0.0), c=tl.Variable(0.0))
    >>> report = both.restore(path, partial=True)
    >>> report.missing, report.unused
    (('c',), ('b',))
    """

    path: str
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    unused: tuple[str, ...]
    changed: Mapping[str, str]
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What was saved beside the tensors."""
    damaged: Mapping[str, str] = field(default_factory=dict)
    """The newer checkpoints that could not be read, and why."""

    @property
    def complete(self) -> bool:
        """Whether objects and file hold exactly the same names and specs."""
        return not (self.missing or self.unused or self.changed)

    def __str__(self) -> str:
        rows = [f"checkpoint {self.path}"]
        rows += [f"  instead of {path}: {why}" for path, why in self.damaged.items()]
        rows += [f"  matched  {len(self.matched)}"]
        rows += [f"  missing  {name}: not in the checkpoint" for name in self.missing]
        rows += [f"  unused   {name}: in the checkpoint only" for name in self.unused]
        rows += [f"  changed  {name}: {how}" for name, how in self.changed.items()]
        return "\n".join(rows)


class Checkpoint:
    """The state of some objects: modules, optimizers, variables, queues, dicts and lists of these.

    >>> import os, tempfile
    >>> w, path = tl.Variable([1.0, 2.0]), os.path.join(tempfile.mkdtemp(), "first")
    >>> checkpoint = tl.checkpoint.Checkpoint(weights=w)
    >>> checkpoint.save(path)
    >>> w.assign([0.0, 0.0])
    >>> print(checkpoint.restore(path).matched, w.value())
    ('weights',) [1. 2.]
    """

    def __init__(self, **objects: Any) -> None:
        if not objects:
            raise InvalidArgumentError(
                "a checkpoint of nothing: name objects, Checkpoint(model=m)"
            )
        self.objects = objects
        self._shards: tuple[Any, Shards] | None = None
        self.variables()

    def variables(self) -> dict[str, Variable]:
        """Return every variable by its path in the checkpoint: `model.layers.0.kernel`."""
        found = self.holders().items()
        return {path: x for path, x in found if isinstance(x, Variable)}

    def holders(self) -> dict[str, Holder]:
        """Return every variable and queue by its path in the checkpoint."""
        found: dict[str, Holder] = {}
        for name, value in self.objects.items():
            found.update(_named(name, value))
        return found

    def save(
        self,
        path: str | Path,
        sharded: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the state to `path`; when this returns it is whole and on disk.

        With `sharded` each device's task writes what lies there, all at the same time, into a file
        of its own; the folder must then be on storage that all nodes share. `extra` is what else
        is to be kept, as JSON can hold it; the report of `restore` has it.
        """
        if sharded:
            self._sharded().write(path, extra or {})
            return
        with interpreted_by(None):
            arrays = arrays_of(all_saved(self.holders()))
        manifests.write(path, arrays, extra)

    def restore(self, path: str | Path, partial: bool = False) -> Report:
        """Give the objects the state saved at `path`, and return what matched.

        It may have been saved with shards or without, and by another number of tasks. Raises
        CheckpointError with a table, and changes nothing, when a name is missing, unused or
        of another shape or dtype; with `partial` what matches is restored, and the report tells
        of the rest. A torn or foreign file always raises.
        """
        report = self.compared(manifests.contents(path), partial)
        self.read(report)
        return report

    def compared(self, contents: Contents, partial: bool) -> Report:
        """Return how objects and a checkpoint match; CheckpointError as `restore`."""
        report = compare(contents, specs_of(self._sharded().saved))
        if not (report.complete or partial):
            raise CheckpointError(
                f"the checkpoint does not match the objects; nothing was restored "
                f"(partial=True restores what matches):\n{report}{_hint(report)}"
            )
        return report

    def read(self, report: Report) -> None:
        """Give the objects what matched; CheckpointError, and nothing, for a torn file."""
        self._sharded().read(report.path, report.matched)

    def _sharded(self) -> Shards:
        """Return what reads and writes the objects, traced anew only when they have changed."""
        saved = all_saved(self.holders())
        key = Shards.key(saved)
        if self._shards is None or self._shards[0] != key:
            self._shards = key, Shards(saved)
        return self._shards[1]


def _hint(report: Report) -> str:
    if not any("optimizer" in name for name in report.unused):
        return ""
    return "\nAn optimizer makes its slots at the first step; optimizer.build(variables) makes them"


def _named(path: str, value: Any) -> dict[str, Holder]:
    if isinstance(value, (Variable, QueueBase)):
        return {path: value}
    if isinstance(value, Trackable):
        return {
            f"{path}.{name}": variable
            for name, variable in value.named_variables().items()
        }
    if isinstance(value, Mapping):
        members = list(value.items())
    elif isinstance(value, (list, tuple)):
        members = list(enumerate(value))
    else:
        raise DTypeError(
            f"{path} is a {type(value).__name__}, which has no variables; a checkpoint holds "
            "modules, optimizers, generators, variables, queues, and dicts and lists of these"
        )
    return {
        k: v
        for name, member in members
        for k, v in _named(f"{path}.{name}", member).items()
    }


def compare(contents: Contents, wanted: Mapping[str, TensorSpec]) -> Report:
    """Return how what is wanted and what a checkpoint holds match."""
    stored = contents.specs
    changed, matched = {}, []
    for name in wanted.keys() & stored.keys():
        want, have = wanted[name], stored[name]
        if want.accepts(have):
            matched.append(name)
        else:
            changed[name] = f"{_text(have)} in the checkpoint, {_text(want)} here"
    return Report(
        contents.path,
        tuple(sorted(matched)),
        tuple(sorted(wanted.keys() - stored.keys())),
        tuple(sorted(stored.keys() - wanted.keys())),
        dict(sorted(changed.items())),
        contents.extra,
    )


def _text(spec: TensorSpec) -> str:
    return f"{spec.dtype.name}{shape_text(spec.shape)}"


class Manager:
    """Keeps the newest checkpoints of a folder, and restores the latest that is whole.

    One process at a time may save to a folder. With `sharded` each device's task writes its own
    file of a checkpoint, so that the folder must be on storage that all nodes share.

    >>> import tempfile
    >>> w = tl.Variable(1.0)
    >>> manager = tl.checkpoint.Manager(tl.checkpoint.Checkpoint(w=w), tempfile.mkdtemp(), keep=2)
    >>> for step in range(4):
    ...     path = manager.save(step)
    >>> print(manager.steps(), manager.restore().matched)
    [2, 3] ('w',)
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        folder: str | Path,
        keep: int = 5,
        every: int = 1,
        sharded: bool = False,
    ) -> None:
        if keep < 1 or every < 1:
            raise InvalidArgumentError(
                f"keep={keep} and every={every} must be at least 1"
            )
        self.checkpoint, self.folder = checkpoint, Path(folder)
        self.keep, self.every, self.sharded = keep, every, sharded

    def path(self, step: int) -> Path:
        """Return where the checkpoint of a step lies."""
        return self.folder / f"step-{step}"

    def steps(self) -> list[int]:
        """Return the steps whose checkpoints are there, oldest first."""
        return manifests.numbers(self.folder, "step")

    @property
    def latest(self) -> Path | None:
        """The checkpoint that was written last, or None; `restore` tells whether it is whole."""
        try:
            named = json.loads((self.folder / "latest").read_bytes())
            return self.folder / str(named["checkpoint"])
        except (OSError, ValueError, KeyError, TypeError):
            steps = self.steps()  # what it would name was written before it
            return self.path(steps[-1]) if steps else None

    def save(self, step: int, extra: Mapping[str, Any] | None = None) -> Path:
        """Write a checkpoint, make it the latest, then delete those beyond `keep`.

        What saves that failed have left is deleted, too. `extra` is as in `Checkpoint.save`.
        """
        path = self.path(step)
        self.checkpoint.save(path, self.sharded, extra)
        content = json.dumps({"checkpoint": path.name, "step": step}).encode()
        storage.replace_file(self.folder / "latest", content)
        others = [kept for kept in self.steps() if kept != step]
        for old in others[: -self.keep + 1 or None]:
            manifests.manifest_path(self.path(old)).unlink(missing_ok=True)
        manifests.sweep(self.folder, "step")
        return path

    def step_done(self, step: int) -> Path | None:
        """Write a checkpoint if `step` is one of every `every`th; return its path or None."""
        return self.save(step) if step % self.every == 0 else None

    def restore(self, partial: bool = False) -> Report:
        """Restore the latest checkpoint, or if that is damaged the newest one that is whole.

        The report tells which are `damaged`. CheckpointError when none is whole, or when it does
        not match, as in `Checkpoint.restore`.
        """
        latest = self.latest
        if latest is None:
            raise CheckpointError(f"no checkpoint in {self.folder} yet")
        others = [self.path(step) for step in reversed(self.steps())]
        damaged: dict[str, str] = {}
        for path in dict.fromkeys([latest, *others]):
            try:
                contents = manifests.contents(path)
            except CheckpointError as error:
                damaged[str(path)] = str(error)
                continue
            report = self.checkpoint.compared(contents, partial)
            try:
                self.checkpoint.read(report)
            except CheckpointError as error:
                damaged[str(path)] = str(error)
            else:
                return replace(report, damaged=damaged)
        listed = "\n".join(f"  {path}: {why}" for path, why in damaged.items())
        raise CheckpointError(f"no checkpoint in {self.folder} is whole:\n{listed}")
