"""Files of tensors: a safetensors payload and a JSON manifest, written so that no crash tears them.

A file is written aside, flushed to disk and renamed into place, the payload before the manifest;
a checkpoint without its manifest does not exist. What belongs in one is train/checkpoint.py's.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from tensorlite.core.dtypes import as_dtype, of_numpy
from tensorlite.core.errors import CheckpointError, DTypeError

FORMAT = "tensorlite-checkpoint"
VERSION = 1
_STORED = {"bfloat16": np.uint16, "complex128": np.float64}
"""dtypes that safetensors has no name for, and what their bits are stored as."""

Arrays = Mapping[str, np.ndarray[Any, Any]]


def payload_path(path: str | Path) -> Path:
    """Return where the tensors of the checkpoint `path` lie."""
    return Path(f"{path}.safetensors")


def manifest_path(path: str | Path) -> Path:
    """Return where the manifest of the checkpoint `path` lies."""
    return Path(f"{path}.json")


def write(path: str | Path, arrays: Arrays) -> None:
    """Write a checkpoint; when this returns, it is whole and on disk."""
    payload = save({name: _stored(array) for name, array in arrays.items()})
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "bytes": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
        "tensors": {
            name: {"dtype": of_numpy(array.dtype).name, "shape": list(array.shape)}
            for name, array in arrays.items()
        },
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    replace_file(payload_path(path), payload)
    replace_file(manifest_path(path), json.dumps(manifest, indent=1).encode())


def replace_file(path: Path, content: bytes) -> None:
    """Give a file new content: at every moment it holds the old or the new, whole."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise CheckpointError(f"cannot write {path}: {error}") from error
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    if manifest.get("version") != VERSION:
        raise CheckpointError(
            f"{file} has version {manifest.get('version')}; this tensorlite reads {VERSION}"
        )
    return manifest


def read(path: str | Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a checkpoint by name; CheckpointError when it is torn or foreign."""
    manifest, file = read_manifest(path), payload_path(path)
    try:
        payload = file.read_bytes()
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint's tensors cannot be read: {error}"
        ) from None
    if len(payload) != manifest["bytes"]:
        raise CheckpointError(
            f"{file} is torn: it has {len(payload)} bytes, the manifest says {manifest['bytes']}"
        )
    if hashlib.sha256(payload).hexdigest() != manifest["sha256"]:
        raise CheckpointError(
            f"{file} is damaged: its checksum is not the manifest's"
        )
    try:
        stored = load(payload)
        return {
            name: _restored(stored[name], about)
            for name, about in manifest["tensors"].items()
        }
    except (SafetensorError, KeyError, TypeError, ValueError, DTypeError) as error:
        raise CheckpointError(
            f"{file} does not hold what its manifest says: {error}"
        ) from None


def _stored(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    name = of_numpy(array.dtype).name
    if array.dtype == object:
        raise DTypeError(
            "only numbers and bools can be saved, not strings or handles"
        )
    whole = np.ascontiguousarray(array).reshape(array.shape)
    if name not in _STORED:
        return whole
    return whole.reshape(-1).view(_STORED[name])


def _restored(
    array: np.ndarray[Any, Any], about: dict[str, Any]
) -> np.ndarray[Any, Any]:
    dtype = as_dtype(about["dtype"]).numpy
    whole = (
        array.reshape(-1).view(dtype)
        if about["dtype"] in _STORED
        else array.astype(dtype)
    )
    return whole.reshape(about["shape"])
