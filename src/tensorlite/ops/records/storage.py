"""Files of tensors: safetensors payloads and a JSON manifest, written so that no crash tears them.

A file is written aside, flushed to disk and renamed into place, the payloads before the manifest;
a checkpoint without its manifest does not exist. A manifest's contents are in manifests.py, the
operators in saving.py and shards.py; what belongs in a checkpoint is train/checkpoint.py's.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from tensorlite.core.dtypes import as_dtype, of_numpy
from tensorlite.core.errors import CheckpointError, DTypeError

_STORED = {"bfloat16": np.uint16, "complex128": np.float64}
"""dtypes that safetensors has no name for, and what their bits are stored as."""
_SIZE_OF_HEADER = 8
_LARGEST_HEADER = 100_000_000

Arrays = Mapping[str, np.ndarray[Any, Any]]
About = Mapping[str, Any]
"""The dtype's name and the shape of a tensor."""


class Written(NamedTuple):
    """What was written to a file, by which it is known again."""

    bytes: int
    sha256: str


def about(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return what manifests say of an array."""
    return {"dtype": of_numpy(array.dtype).name, "shape": list(array.shape)}


def write_payload(path: Path, arrays: Arrays) -> Written:
    """Write a file of arrays, which says itself what they are; it is whole and on disk then."""
    described = json.dumps({name: about(array) for name, array in arrays.items()})
    stored = {name: _stored(name, array) for name, array in arrays.items()}
    payload = save(stored, {"tensors": described})
    replace_file(path, payload)
    return Written(len(payload), hashlib.sha256(payload).hexdigest())


def replace_file(path: Path, content: bytes) -> None:
    """Give a file new content: at every moment it holds the old or the new, whole."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):  # the first error is the one to tell
            aside.unlink(missing_ok=True)
        raise CheckpointError(
            f"cannot write {path}, {len(content)} bytes: {error}{_room(path.parent)}. "
            "Checkpoints that were complete are as they were"
        ) from error


def _room(folder: Path) -> str:
    try:
        return f"; {shutil.disk_usage(folder).free} bytes are free there"
    except OSError:
        return ""


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_described(path: Path) -> dict[str, dict[str, Any]]:
    """Return what a file that `write_payload` wrote says of its arrays, without reading them."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(_SIZE_OF_HEADER), "little")
            header = json.loads(file.read(min(size, _LARGEST_HEADER)))
        found = json.loads(header["__metadata__"]["tensors"])
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"{path} is no shard of tensorlite's: {error}"
        ) from None
    return dict(found)


def read_payload(
    path: Path, written: Written, described: Mapping[str, About]
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a file that are described; CheckpointError when it is not as written."""
    try:
        payload = path.read_bytes()
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint's tensors cannot be read: {error}"
        ) from None
    if len(payload) != written.bytes:
        raise CheckpointError(
            f"{path} is torn: it has {len(payload)} bytes, the manifest says {written.bytes}"
        )
    if hashlib.sha256(payload).hexdigest() != written.sha256:
        raise CheckpointError(
            f"{path} is damaged: its checksum is not the manifest's"
        )
    try:
        stored = load(payload)
        return {name: _restored(stored[name], x) for name, x in described.items()}
    except (SafetensorError, KeyError, TypeError, ValueError, DTypeError) as error:
        raise CheckpointError(
            f"{path} does not hold what its manifest says: {error}"
        ) from None


def _stored(name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype == object:
        raise DTypeError(
            f"{name} holds strings or handles; only numbers and bools can be saved"
        )
    whole = np.ascontiguousarray(array).reshape(array.shape)
    kept_as = _STORED.get(of_numpy(array.dtype).name)
    return whole if kept_as is None else whole.reshape(-1).view(kept_as)


def _restored(array: np.ndarray[Any, Any], described: About) -> np.ndarray[Any, Any]:
    dtype = as_dtype(described["dtype"]).numpy
    whole = (
        array.reshape(-1).view(dtype)
        if described["dtype"] in _STORED
        else array.astype(dtype, copy=False)
    )
    return whole.reshape(described["shape"])
