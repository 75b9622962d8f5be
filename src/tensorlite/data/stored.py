"""Datasets kept in folders: files of records, and one that says what they hold, written last.

A folder has a `dataset.json`, and beside it the folder of the run that it names: a file for each
shard. A run that is not whole is never named. How elements are bytes is in packing.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tensorlite.core import nest
from tensorlite.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from tensorlite.core.tensor import Tensor
from tensorlite.data.packing import (
    damaged,
    packed,
    spec_from_json,
    spec_to_json,
    unpacked,
)
from tensorlite.ops.records.records import TFRecordWriter, records

VERSION = 1
_TOLD = "dataset.json"
_RUN = re.compile("run-[0-9a-f]{32}")


def checked_kind(compression: Any) -> str:
    """Return a compression as files of records name it; AUTO is none."""
    if compression in (None, "", "NONE", "AUTO"):
        return ""
    if compression == "SNAPPY":
        raise UnimplementedError(
            "compression='SNAPPY' is not served; give 'GZIP' or 'NONE'"
        )
    if compression != "GZIP":
        raise InvalidArgumentError(
            f"compression={compression!r}; allowed are 'GZIP', 'NONE', 'AUTO' and None"
        )
    return "GZIP"


def folder_of(path: Any) -> Path:
    """Return a path that a program gives, also as a tensor."""
    given = path.item() if isinstance(path, Tensor) else os.fspath(path)
    return Path(os.fsdecode(given))


@dataclass(frozen=True)
class Told:
    """What a folder says that it holds."""

    run: str
    shards: list[tuple[int, int]]
    """The number of each shard, and how many elements are in it."""
    compression: str
    spec: Any
    """As JSON."""
    version: int = VERSION

    def check(self, what: str) -> None:
        """Raise DataLossError unless it was written so."""
        counts = [x for shard in self.shards for x in shard]
        if self.version != VERSION:
            raise DataLossError(
                f"{what} is of version {self.version}; allowed is {VERSION}"
            )
        if (
            not _RUN.fullmatch(self.run)
            or self.compression not in ("", "GZIP")
            or any(len(shard) != 2 for shard in self.shards)
            or not all(type(x) is int and x >= 0 for x in counts)
        ):
            raise damaged(what, f"it names {self.run!r} and shards {self.shards}")


class Writing:
    """A run of a dataset's elements into a folder; nothing of it is left unless it is whole."""

    def __init__(self, folder: Path, spec: Any, compression: str) -> None:
        self._folder, self._kind = folder, compression
        self._spec = spec_to_json(spec)
        self._run = folder / f"run-{uuid4().hex}"
        self._run.mkdir(parents=True)
        self._files: dict[int, TFRecordWriter] = {}
        self._counts: dict[int, int] = {}

    def add(self, element: Any, shard: int = 0) -> None:
        """Write an element to a shard."""
        if shard < 0:
            raise InvalidArgumentError(
                f"the shard of an element is {shard}; allowed are 0 and more"
            )
        if shard not in self._files:
            path = _shard_path(self._run, shard)
            self._files[shard] = TFRecordWriter(str(path), self._kind)
            self._counts[shard] = 0
        self._files[shard].write(packed(element))
        self._counts[shard] += 1

    def finish(self) -> None:
        """Let the folder be that of this run; what it held before goes."""
        self._close()
        shards = sorted(self._counts.items())
        told = Told(self._run.name, shards, self._kind, self._spec)
        aside = self._run / _TOLD
        aside.write_text(json.dumps(asdict(told)), encoding="utf-8")
        before = _run_before(self._folder)
        aside.replace(self._folder / _TOLD)
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)

    def abandon(self) -> None:
        """Take away what was written."""
        self._close()
        shutil.rmtree(self._run, ignore_errors=True)

    def _close(self) -> None:
        while self._files:
            _, file = self._files.popitem()
            file.close()


def _shard_path(run: Path, shard: int) -> Path:
    return run / f"{shard:08d}.shard"


def _run_before(folder: Path) -> Path | None:
    """Return the run that a folder names, None if it names none that can be read."""
    try:
        return folder / Stored(folder).told.run
    except (NotFoundError, DataLossError):
        return None


class Stored:
    """A dataset that a folder holds; NotFoundError or DataLossError if it holds none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / _TOLD
        if not path.is_file():
            raise NotFoundError(
                f"{folder} holds no dataset that save() wrote: {path} not found"
            )
        try:
            self.told = Told(**json.loads(path.read_bytes()))
            self.told.check(str(path))
        except (ValueError, TypeError, RecursionError) as error:
            raise damaged(str(path), error) from None
        self.spec = spec_from_json(self.told.spec, str(path))
        self.size = sum(count for _, count in self.told.shards)

    def shard_sources(self, spec: Any) -> list[Callable[[], Iterator[Any]]]:
        """Return for each shard what starts a run through its elements, which are of a spec."""

        def source_of(shard: int, count: int) -> Callable[[], Iterator[Any]]:
            path = str(_shard_path(self._folder / self.told.run, shard))
            return lambda: self._elements(path, count, spec)

        return [source_of(shard, count) for shard, count in self.told.shards]

    def _elements(self, path: str, count: int, spec: Any) -> Iterator[Any]:
        wanted, found = nest.flatten(spec), 0
        for record in records(path, self.told.compression):
            found += 1
            leaves, _ = unpacked(record, path)
            pairs = list(zip(wanted, leaves, strict=False))
            if len(leaves) != len(wanted) or not all(
                one.accepts(leaf.spec) for one, leaf in pairs
            ):
                raise InvalidArgumentError(
                    f"{path} holds {[leaf.spec for leaf in leaves]}; element_spec says {wanted}"
                )
            yield nest.pack_like(spec, leaves)
        if found != count:
            raise damaged(path, f"{count} elements are due, {found} are there")
