"""Checkpoint and Manager: what belongs in a checkpoint, strict restore, rotation.

The files themselves are ops/storage.py's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import CheckpointError, DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.ops import storage
from tensorlite.ops.state import Variable

Arrays = Mapping[str, np.ndarray[Any, Any]]


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

    @property
    def complete(self) -> bool:
        """Whether objects and file hold exactly the same names and specs."""
        return not (self.missing or self.unused or self.changed)

    def __str__(self) -> str:
        rows = [f"checkpoint {self.path}", f"  matched  {len(self.matched)}"]
        rows += [f"  missing  {name}: not in the checkpoint" for name in self.missing]
        rows += [f"  unused   {name}: in the checkpoint only" for name in self.unused]
        rows += [f"  changed  {name}: {how}" for name, how in self.changed.items()]
        return "\n".join(rows)


class Checkpoint:
    """The state of some objects: modules, optimizers, variables, dicts and lists of these.

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
        self.variables()

    def variables(self) -> dict[str, Variable]:
        """Return every variable by its path in the checkpoint: `model.layers.0.kernel`."""
        found: dict[str, Variable] = {}
        for name, value in self.objects.items():
            found.update(_named(name, value))
        return found

    def save(self, path: str | Path) -> None:
        """Write the state to `path`; when this returns it is whole and on disk."""
        with interpreted_by(None):
            arrays = {
                name: variable.numpy() for name, variable in self.variables().items()
            }
        storage.write(path, arrays)

    def restore(self, path: str | Path, partial: bool = False) -> Report:
        """Give the objects the state saved at `path`, and return what matched.

        Raises CheckpointError with a table, and changes nothing, when a name is missing, unused or
        of another shape or dtype; with `partial` what matches is restored, and the report tells
        of the rest. A torn or foreign file always raises.
        """
        arrays, variables = storage.read(path), self.variables()
        report = compare(str(path), variables, arrays)
        if not (report.complete or partial):
            raise CheckpointError(
                f"the checkpoint does not match the objects; nothing was restored "
                f"(partial=True restores what matches):\n{report}{_hint(report)}"
            )
        with interpreted_by(None):
            for name in report.matched:
                variables[name].assign(arrays[name])
        return report


def _hint(report: Report) -> str:
    if not any("optimizer" in name for name in report.unused):
        return ""
    return "\nAn optimizer makes its slots at the first step; optimizer.build(variables) makes them"


def _named(path: str, value: Any) -> dict[str, Variable]:
    if isinstance(value, Variable):
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
            "modules, optimizers, variables, and dicts and lists of these"
        )
    return {
        k: v
        for name, member in members
        for k, v in _named(f"{path}.{name}", member).items()
    }


def compare(path: str, variables: Mapping[str, Variable], arrays: Arrays) -> Report:
    """Return how the variables and the arrays of a checkpoint match."""
    changed, matched = {}, []
    for name in variables.keys() & arrays.keys():
        want = variables[name].spec
        have = TensorSpec(arrays[name].shape, of_numpy(arrays[name].dtype))
        if want.accepts(have):
            matched.append(name)
        else:
            changed[name] = f"{_text(have)} in the checkpoint, {_text(want)} here"
    return Report(
        path,
        tuple(sorted(matched)),
        tuple(sorted(variables.keys() - arrays.keys())),
        tuple(sorted(arrays.keys() - variables.keys())),
        dict(sorted(changed.items())),
    )


def _text(spec: TensorSpec) -> str:
    return f"{spec.dtype.name}{shape_text(spec.shape)}"


class Manager:
    """Keeps the newest checkpoints of a folder, and says which is the latest whole one.

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
    ) -> None:
        if keep < 1 or every < 1:
            raise InvalidArgumentError(
                f"keep={keep} and every={every} must be at least 1"
            )
        self.checkpoint, self.folder, self.keep, self.every = (
            checkpoint,
            Path(folder),
            keep,
            every,
        )

    def path(self, step: int) -> Path:
        """Return where the checkpoint of a step lies."""
        return self.folder / f"step-{step}"

    def steps(self) -> list[int]:
        """Return the steps whose checkpoints are there, oldest first."""
        found = [
            file.stem.removeprefix("step-")
            for file in self.folder.glob("step-*.json")
        ]
        return sorted(int(step) for step in found if step.isdigit())

    @property
    def latest(self) -> Path | None:
        """The newest checkpoint that was written whole, or None."""
        try:
            named = json.loads((self.folder / "latest").read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"{self.folder / 'latest'} cannot be read: {error}"
            ) from None
        return self.folder / str(named["checkpoint"])

    def save(self, step: int) -> Path:
        """Write a checkpoint, make it the latest, then delete those beyond `keep`."""
        path = self.path(step)
        self.checkpoint.save(path)
        content = json.dumps({"checkpoint": path.name, "step": step}).encode()
        storage.replace_file(self.folder / "latest", content)
        for old in [kept for kept in self.steps() if kept != step][
            : -self.keep + 1 or None
        ]:
            storage.manifest_path(self.path(old)).unlink(missing_ok=True)
            storage.payload_path(self.path(old)).unlink(missing_ok=True)
        return path

    def step_done(self, step: int) -> Path | None:
        """Write a checkpoint if `step` is one of every `every`th; return its path or None."""
        return self.save(step) if step % self.every == 0 else None

    def restore(self, partial: bool = False) -> Report:
        """Restore the latest checkpoint; CheckpointError when there is none."""
        path = self.latest
        if path is None:
            raise CheckpointError(f"no checkpoint in {self.folder} yet")
        return self.checkpoint.restore(path, partial)
