"""Checkpoints of TensorFlow's second format are written, and those of several writers made one.

Files are written aside and renamed into place, the index last: who finds an index finds all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, NamedTuple

import numpy as np

from tensorlite.core.checksums import crc32c, masked
from tensorlite.core.dtypes import of_numpy, string
from tensorlite.core.errors import (
    CheckpointError,
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.core.xp import Array
from tensorlite.interop.tensorflow.stored import slices
from tensorlite.interop.tensorflow.stored.bundles import (
    HEADER,
    Bundle,
    Entry,
    index_path,
    packed_texts,
    shard_path,
    to_message,
)
from tensorlite.interop.tensorflow.stored.slices import Asked
from tensorlite.interop.tensorflow.stored.tables import table_of
from tensorlite.interop.tensorflow.tensors import OF_DTYPE
from tensorlite.ops.records import wire

_VERSION = wire.field(3, wire.field(1, 1))
"""The producer of this version writes bundles as they are written here."""
_AT_ONCE = 2**24


class Saved(NamedTuple):
    """A tensor to be saved, or a slice of one."""

    name: str
    array: Array
    part: Asked | None = None


def write_bundle(prefix: str | Path, tensors: Iterable[Saved]) -> None:
    """Write a checkpoint of one shard."""
    entries: dict[str, Entry] = {}
    items: dict[bytes, bytes] = {}
    with replaced(shard_path(prefix, 0, 1)) as file:
        for one in tensors:
            entry = _entry(file, one)
            if one.part is None:
                _add(entries, one.name, entry)
                continue
            items[slices.key_of(one.name, one.part.part)] = to_message(entry)
            whole = Entry(entry.dtype, one.part.shape, 0, 0, 0, 0, (one.part.part,))
            _add(entries, one.name, whole)
    _write_index(prefix, 1, entries, items)


def _add(entries: dict[str, Entry], name: str, entry: Entry) -> None:
    """Take up an entry; slices of one tensor are put together."""
    if not name or name.startswith("\0"):
        raise InvalidArgumentError(
            f"{name!r} cannot be the name of a tensor in a checkpoint"
        )
    before = entries.get(name)
    if before is not None:
        is_alike = before.slices and entry.slices and before[:2] == entry[:2]
        if not is_alike or set(before.slices) & set(entry.slices):
            raise InvalidArgumentError(f"two tensors would be saved as {name!r}")
        entry = before._replace(slices=before.slices + entry.slices)
    entries[name] = entry


def _entry(file: BinaryIO, one: Saved) -> Entry:
    array = one.array
    dtype = of_numpy(array.dtype)
    if one.part is not None:
        index = slices.bounds(one.part.shape, one.part.part)
        shape = tuple([x.stop - x.start for x in index])
        if shape != array.shape:
            raise InvalidArgumentError(
                f"{one.name}: the slice has the shape {shape}, the tensor {array.shape}"
            )
    offset = file.tell()
    if dtype is string:
        content, checksum = packed_texts([_text(x, one.name) for x in array.ravel()])
        file.write(content)
    else:
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        flat = little.reshape(-1).view(np.uint8)
        checksum = crc32c(flat)
        file.write(flat.data)
    size = file.tell() - offset
    number = OF_DTYPE[dtype]
    return Entry(number, array.shape, 0, offset, size, masked(checksum))


def _text(value: object, name: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise DTypeError(
        f"{name} holds {type(value).__name__}; texts and numbers can be saved"
    )


def _write_index(
    prefix: str | Path,
    shards: int,
    entries: Mapping[str, Entry],
    items: Mapping[bytes, bytes],
) -> None:
    listed = {
        HEADER: wire.field(1, shards) + _VERSION,
        **items,
        **{
            name.encode(errors="surrogateescape"): to_message(entry)
            for name, entry in entries.items()
        },
    }
    with replaced(index_path(prefix)) as file:
        file.writelines(table_of(sorted(listed.items())))


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Give a file new content: it has the old, or all of the new."""
    aside = path.with_name(f"{path.name}.tempstate{token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb", buffering=_AT_ONCE) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException as error:
        with suppress(OSError):  # the first error is the one to tell
            aside.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, CheckpointError):
            raise CheckpointError(f"cannot write {path}: {error}") from error
        raise


def merge_bundles(
    prefixes: Sequence[str],
    destination: str | Path,
    is_complete: bool = True,
    sweep: bool = True,
) -> None:
    """Make one checkpoint of several: their shards are renamed, their indexes put together.

    Where not all need be there, those that are not are left out. `sweep` deletes the folders that
    are empty then.
    """
    Path(destination).parent.mkdir(parents=True, exist_ok=True)
    there = [x for x in prefixes if index_path(x).exists()]
    if not there or (is_complete and len(there) < len(prefixes)):
        lacking = sorted(set(prefixes) - set(there))
        raise NotFoundError(
            f"of the checkpoints to be merged, {lacking} are not there"
        )
    bundles = [Bundle(x) for x in there]
    count = sum(x.shards for x in bundles)
    entries: dict[str, Entry] = {}
    items: dict[bytes, bytes] = {}
    first = 0
    for bundle in bundles:
        for name, entry in bundle.entries.items():
            _add(entries, name, entry._replace(shard=_moved(entry, first)))
        for key, entry in bundle.slice_entries().items():
            items[key] = to_message(entry._replace(shard=_moved(entry, first)))
        for number in range(bundle.shards):
            shard_path(bundle.prefix, number, bundle.shards).replace(
                shard_path(destination, first + number, count)
            )
        first += bundle.shards
    _write_index(destination, count, entries, items)
    for prefix in there:
        index_path(prefix).unlink(missing_ok=True)
    if sweep:
        for folder in {Path(x).parent for x in there} - {Path(destination).parent}:
            with suppress(OSError):  # others may still write there
                folder.rmdir()


def _moved(entry: Entry, first: int) -> int:
    return 0 if entry.slices else entry.shard + first
