"""Manifests: which tensors a checkpoint holds, in which files they lie, and what else it tells.

A checkpoint of one file has a manifest of version 1, one of many shards of version 2; both are
read into Contents. How files are written is storage.py's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import CheckpointError, DTypeError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.records import storage
from tensorlite.ops.records.storage import Arrays, Written

FORMAT = "tensorlite-checkpoint"
ONE_FILE, SHARDED = 1, 2


class Shard(NamedTuple):
    """A file of a checkpoint: its name beside the manifest, and by what it is known again."""

    file: str
    bytes: int
    sha256: str


class Piece(NamedTuple):
    """Rows of a tensor, or all of it, as they lie in a shard."""

    shard: int
    entry: str
    """The name in the shard's file."""
    shape: tuple[int, ...]
    first: int = 0
    """The row of the tensor that comes first here."""


class Stored(NamedTuple):
    """A tensor of a checkpoint: its spec, and its pieces in the order of their rows."""

    spec: TensorSpec
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Contents:
    """What a manifest says."""

    path: str
    shards: tuple[Shard, ...]
    tensors: Mapping[str, Stored]
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What was saved beside the tensors, as JSON has it."""

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return Path(self.path).parent

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """The specs of the tensors by name."""
        return {name: stored.spec for name, stored in self.tensors.items()}


def payload_path(path: str | Path) -> Path:
    """Return where the tensors of the checkpoint `path` lie, if it is of one file."""
    return Path(f"{path}.safetensors")


def manifest_path(path: str | Path) -> Path:
    """Return where the manifest of the checkpoint `path` lies."""
    return Path(f"{path}.json")


def shard_path(path: str | Path, save: str, index: int, count: int) -> Path:
    """Return where a shard lies; `save` tells it from those of other saves at the same path."""
    return Path(f"{path}.{save}-{index}-of-{count}.safetensors")


def write(
    path: str | Path, arrays: Arrays, extra: Mapping[str, Any] | None = None
) -> None:
    """Write a checkpoint of one file; when this returns, it is whole and on disk."""
    check_extra(extra or {})
    specs = {name: storage.about(array) for name, array in arrays.items()}
    file = payload_path(path)
    if file.exists():  # what is there stays whole until the manifest is another
        file = shard_path(path, token_hex(4), 0, 1)
        shard = Shard(file.name, *storage.write_payload(file, arrays))
        tensors = {name: _stored(name, x, ONE_FILE) for name, x in specs.items()}
        commit(Contents(str(path), (shard,), tensors, extra or {}))
        return
    written = storage.write_payload(file, arrays)
    content: dict[str, Any] = {**written._asdict(), "tensors": specs}
    if extra:
        content["extra"] = extra
    _write_manifest(path, ONE_FILE, content, {file.name})


def commit(contents: Contents) -> None:
    """Write the manifest of shards that are on disk: from now on the checkpoint exists.

    Files of a checkpoint that was at this path are deleted then. Raises CheckpointError when rows
    of a tensor are in none of the shards.
    """
    try:
        _check(contents)
    except ValueError as error:
        raise CheckpointError(
            f"{contents.path} would not be whole: {error}; a checkpoint needs all parts of a "
            "variable that is split by rows"
        ) from None
    content = {
        "shards": [shard._asdict() for shard in contents.shards],
        "tensors": {
            name: {
                "dtype": stored.spec.dtype.name,
                "shape": list(stored.spec.dims),
                "pieces": [piece._asdict() for piece in stored.pieces],
            }
            for name, stored in contents.tensors.items()
        },
        "extra": contents.extra,
    }
    files = {shard.file for shard in contents.shards}
    _write_manifest(contents.path, SHARDED, content, files)


def _files(path: str | Path) -> set[str]:
    """Return the files of the checkpoint at a path; none if there is no whole one."""
    try:
        return {shard.file for shard in contents(path).shards}
    except CheckpointError:
        return set()


def check_extra(extra: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless JSON can hold what is to be saved beside the tensors."""
    try:
        json.dumps(extra, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"extra={dict(extra)!r} cannot be written as JSON: {error}"
        ) from None


def _write_manifest(
    path: str | Path, version: int, content: dict[str, Any], files: set[str]
) -> None:
    """Write a manifest that names these files, and delete those that only the one before did."""
    before = _files(path)
    manifest = {"format": FORMAT, "version": version, **content}
    storage.replace_file(
        manifest_path(path), json.dumps(manifest, indent=1, allow_nan=False).encode()
    )
    for file in before - files:
        (Path(path).parent / file).unlink(missing_ok=True)


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the manifest of a checkpoint; CheckpointError when it is absent, torn or foreign."""
    file = manifest_path(path)
    try:
        manifest = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(
            f"no checkpoint at {path}: {file} is not there"
        ) from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file} is no readable manifest: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{file} is no manifest of tensorlite's")
    if manifest.get("version") not in (ONE_FILE, SHARDED):
        raise CheckpointError(
            f"{file} has version {manifest.get('version')}; this tensorlite reads "
            f"{ONE_FILE} and {SHARDED}"
        )
    return manifest


def contents(path: str | Path) -> Contents:
    """Return what the manifest of a checkpoint says; CheckpointError as `read_manifest`."""
    manifest = read_manifest(path)
    try:
        if manifest["version"] == SHARDED:
            shards = tuple([Shard(**shard) for shard in manifest["shards"]])
        else:
            file = payload_path(path).name
            shards = (Shard(file, manifest["bytes"], manifest["sha256"]),)
        tensors = {
            name: _stored(name, described, manifest["version"])
            for name, described in manifest["tensors"].items()
        }
        made = Contents(str(path), shards, tensors, manifest.get("extra", {}))
        _check(made)
    except (KeyError, TypeError, ValueError, AttributeError, DTypeError) as error:
        raise CheckpointError(
            f"{manifest_path(path)} is no whole manifest: {error!r}"
        ) from None
    return made


def _stored(name: str, described: Mapping[str, Any], version: int) -> Stored:
    shape = tuple([int(size) for size in described["shape"]])
    pieces: tuple[Piece, ...] = (Piece(0, name, shape),)
    if version == SHARDED:
        listed = described["pieces"]
        pieces = tuple(
            [Piece(**{**piece, "shape": tuple(piece["shape"])}) for piece in listed]
        )
    return Stored(TensorSpec(shape, as_dtype(described["dtype"])), pieces)


def _check(made: Contents) -> None:
    """Raise ValueError unless files lie beside the manifest and pieces cover their tensors."""
    for shard in made.shards:
        if Path(shard.file).name != shard.file:
            raise ValueError(f"{shard.file} is not beside it")
    for name, stored in made.tensors.items():
        row = 0
        for piece in stored.pieces:
            if piece.first != row or not 0 <= piece.shard < len(made.shards):
                raise ValueError(f"a piece of {name} is where none can be")
            row += piece.shape[0] if piece.shape else 0
        shape = stored.spec.dims
        if shape and row != shape[0]:
            raise ValueError(f"the pieces of {name} have {row} rows of {shape[0]}")


def read_rows(
    found: Contents, wanted: Sequence[tuple[str, int, int]]
) -> list[np.ndarray[Any, Any]]:
    """Return, of tensors named, the rows from a first one on, so many; all of one from row -1.

    Each file is read once. CheckpointError when one is not as it was written.
    """
    chosen = [_pieces(found.tensors[name], first, n) for name, first, n in wanted]
    needed: dict[int, dict[str, storage.About]] = {}
    for (name, *_), pieces in zip(wanted, chosen, strict=True):
        dtype = found.tensors[name].spec.dtype.name
        for piece, _ in pieces:
            entries = needed.setdefault(piece.shard, {})
            entries[piece.entry] = {"dtype": dtype, "shape": piece.shape}
    read = {}
    for i, described in needed.items():
        shard = found.shards[i]
        path, written = found.folder / shard.file, Written(shard.bytes, shard.sha256)
        read[i] = storage.read_payload(path, written, described)
    return [
        _joined(
            found.tensors[name].spec, [read[p.shard][p.entry][k] for p, k in pieces]
        )
        for (name, *_), pieces in zip(wanted, chosen, strict=True)
    ]


def _pieces(stored: Stored, first: int, count: int) -> list[tuple[Piece, Any]]:
    """Return the pieces in which rows lie, and which rows of each."""
    if first < 0:
        return [(piece, ...) for piece in stored.pieces]
    places = []
    for piece in stored.pieces:
        start = max(first - piece.first, 0)
        stop = min(first + count - piece.first, piece.shape[0])
        if start < stop:
            places.append((piece, slice(start, stop)))
    return places


def _joined(
    spec: TensorSpec, parts: Sequence[np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any]:
    if not parts:  # no rows are wanted
        return np.empty((0, *spec.dims[1:]), spec.dtype.numpy)
    # What is read is a view of the file's bytes, which are not to be kept.
    return parts[0].copy() if len(parts) == 1 else np.concatenate(parts)


def read(path: str | Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a checkpoint by name; CheckpointError when it is torn or foreign."""
    found = contents(path)
    arrays = read_rows(found, [(name, -1, 0) for name in found.tensors])
    return dict(zip(found.tensors, arrays, strict=True))


def numbers(folder: Path, stem: str) -> list[int]:
    """Return the numbers of a folder's checkpoints that are called `stem`-number, in order."""
    found = [x.stem.removeprefix(f"{stem}-") for x in folder.glob(f"{stem}-*.json")]
    return sorted(int(number) for number in found if number.isdigit())


def sweep(folder: Path, stem: str) -> None:
    """Delete what belongs to no whole checkpoint: of saves that failed, and of ones deleted."""
    kept = {
        file
        for number in numbers(folder, stem)
        for file in _files(folder / f"{stem}-{number}")
    }
    payload = re.compile(rf"{re.escape(stem)}-\d+(\.\w+-\d+-of-\d+)?\.safetensors")
    aside = re.compile(rf"\.({re.escape(stem)}-\d+\..*|latest)\.\d+\.part")
    for file in folder.iterdir():
        orphan = payload.fullmatch(file.name) and file.name not in kept
        if orphan or aside.fullmatch(file.name):
            file.unlink(missing_ok=True)
