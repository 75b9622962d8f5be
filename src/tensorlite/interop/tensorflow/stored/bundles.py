"""Checkpoints of TensorFlow's second format: an index that is a table, and shards of bare bytes.

A tensor lies in one piece in a shard, or in slices, each of which has an entry of its own.
Everything that an index says is checked against the files before memory is taken. What the tensors
are for is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.checksums import crc32c, masked
from tensorlite.core.dtypes import DType, bool_, enum_name, string
from tensorlite.core.errors import DataLossError, InvalidArgumentError, NotFoundError
from tensorlite.core.xp import Array
from tensorlite.interop.tensorflow.stored import slices
from tensorlite.interop.tensorflow.stored.slices import Slice
from tensorlite.interop.tensorflow.stored.tables import Table
from tensorlite.interop.tensorflow.tensors import AXES, NUMBERS
from tensorlite.ops.records import wire

HEADER = b""
"""The key of what stands for the whole checkpoint; names are never empty."""
_FIELDS = {"dtype": 1, "shape": 2, "shard": 3, "offset": 4, "size": 5, "crc": 6}
_SLICES = 7
_MOST_SHARDS = 100_000
_FOUR = 4


class Entry(NamedTuple):
    """What an index says of a tensor."""

    dtype: int
    """TensorFlow's number."""
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[Slice, ...] = ()

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


def entry_of(message: bytes) -> Entry:
    """Return an entry from its message; DataLossError when it is damaged."""
    found: dict[int, int] = {}
    shape: tuple[int, ...] = ()
    parts = []
    for number, value in wire.fields(message):
        if isinstance(value, int):
            found[number] = wire.signed(value)
        elif number == _FIELDS["shape"]:
            shape = shape_of(value)
        elif number == _SLICES:
            parts.append(slices.of_message(value))
    numbers = [found.get(_FIELDS[x], 0) for x in ("dtype", "shard", "offset", "size")]
    if min(numbers) < 0:
        raise DataLossError(f"an entry has negative numbers: {numbers}")
    dtype, shard, offset, size = numbers
    crc = found.get(_FIELDS["crc"], 0)
    return Entry(dtype, shape, shard, offset, size, crc, tuple(parts))


def to_message(entry: Entry) -> bytes:
    """Return an entry as a message."""
    sizes = [wire.field(2, wire.field(1, size) or b"\x08\0") for size in entry.shape]
    parts = [wire.field(_SLICES, slices.to_message(x)) for x in entry.slices]
    return b"".join(
        [
            wire.field(1, entry.dtype),
            wire.field(2, b"".join(sizes)),
            wire.field(3, entry.shard),
            wire.field(4, entry.offset),
            wire.field(5, entry.size),
            wire.four_bytes(6, entry.crc),
            *parts,
        ]
    )


def shape_of(message: bytes) -> tuple[int, ...]:
    """Return a shape from a TensorShapeProto; DataLossError unless it is known."""
    found = []
    for number, value in wire.fields(message):
        if number == 2 and isinstance(value, bytes):
            sizes = [x for which, x in wire.fields(value) if which == 1]
            size = sizes[-1] if sizes else 0
            found.append(wire.signed(size) if isinstance(size, int) else -1)
        elif number == 3:
            found.append(-1)
    if len(found) > AXES or min(found, default=0) < 0:
        raise DataLossError(f"a tensor has the shape {found[:AXES]}")
    return tuple(found)


def index_path(prefix: str | Path) -> Path:
    """Return where the index of a checkpoint lies."""
    return Path(f"{prefix}.index")


def shard_path(prefix: str | Path, number: int, count: int) -> Path:
    """Return where a shard of a checkpoint lies.

    >>> str(shard_path("model", 0, 1))
    'model.data-00000-of-00001'
    """
    return Path(f"{prefix}.data-{number:05d}-of-{count:05d}")


class Bundle:
    """A checkpoint whose index is read, and whose tensors are when they are asked for."""

    def __init__(self, prefix: str | Path) -> None:
        self.prefix = str(prefix)
        self._path = index_path(prefix)
        items = dict(Table(self._path).items())
        if HEADER not in items:
            raise DataLossError(f"{self._path} has no header")
        self.shards, self._order = self._header(items.pop(HEADER))
        self._slices = {x: y for x, y in items.items() if x.startswith(b"\0")}
        self.entries = {
            key.decode(errors="surrogateescape"): entry_of(value)
            for key, value in items.items()
            if not key.startswith(b"\0")
        }

    def _header(self, message: bytes) -> tuple[int, str]:
        found = {x: y for x, y in wire.fields(message) if isinstance(y, int)}
        count = found.get(1, 0)
        if count > _MOST_SHARDS:
            raise DataLossError(f"{self._path} says that there are {count} shards")
        return count, ">" if found.get(2, 0) else "<"

    def entry(self, name: str) -> Entry:
        """Return the entry of a tensor; NotFoundError when there is none."""
        found = self.entries.get(name)
        if found is None:
            raise NotFoundError(
                f"the checkpoint {self.prefix} has no tensor {name!r}"
            )
        return found

    def lines(self) -> list[bytes]:
        """Return lines for reading: of what lies in one piece, and of each slice, by its key."""
        whole = {
            x.encode(errors="surrogateescape"): y for x, y in self.entries.items()
        }
        found = sorted({**whole, **self.slice_entries()}.items())
        return [line(key, x.dtype, x.shape) for key, x in found if not x.slices]

    def slice_entries(self) -> dict[bytes, Entry]:
        """Return the entries of slices, by their keys."""
        return {key: entry_of(value) for key, value in self._slices.items()}

    def read(self, name: str) -> Array:
        """Return a tensor; DataLossError when it is not as it was written."""
        entry = self.entry(name)
        return self._joined(name, entry) if entry.slices else self._whole(name, entry)

    def read_slice(self, name: str, part: Slice) -> Array:
        """Return a slice of a tensor, which may have been written in others."""
        entry = self.entry(name)
        index = slices.bounds(entry.shape, part)
        if part in entry.slices:
            return self._part(name, entry, part)
        return np.ascontiguousarray(self.read(name)[index])

    def _joined(self, name: str, entry: Entry) -> Array:
        dtype = known_dtype(name, entry.dtype)
        parts = []
        for part in entry.slices:
            try:
                parts.append((slices.bounds(entry.shape, part), part))
            except InvalidArgumentError as error:
                raise DataLossError(f"{self._path}: {name}: {error}") from None
        covered = sum(
            math.prod([x.stop - x.start for x in index]) for index, _ in parts
        )
        if covered < entry.elements:
            raise DataLossError(
                f"{self._path}: the slices of {name} have {covered} of {entry.elements} elements"
            )
        self._check_total(
            name, entry.elements * (1 if dtype is string else dtype.itemsize)
        )
        made = np.empty(entry.shape, dtype.numpy)
        for index, part in parts:
            made[index] = self._part(name, entry, part)
        return made

    def _check_total(self, name: str, size: int) -> None:
        """Raise DataLossError for a tensor that is larger than all files together."""
        if size > self._total:
            raise DataLossError(
                f"{name} would have {size} bytes; the files have {self._total}"
            )

    @cached_property
    def _total(self) -> int:
        """How many bytes all shards have that are there."""
        start = f"{Path(self.prefix).name}.data-"
        files = [x for x in self._path.parent.iterdir() if x.name.startswith(start)]
        return sum(x.stat().st_size for x in files)

    def _part(self, name: str, entry: Entry, part: Slice) -> Array:
        message = self._slices.get(slices.key_of(name, part))
        if message is None:
            raise DataLossError(
                f"{self._path}: the slice {part} of {name} is not there"
            )
        found = entry_of(message)
        index = slices.bounds(entry.shape, part)
        shape = tuple([x.stop - x.start for x in index])
        if found.slices or found.shape != shape or found.dtype != entry.dtype:
            raise DataLossError(
                f"{self._path}: the slice {part} of {name} is of another kind"
            )
        return self._whole(name, found)

    def _whole(self, name: str, entry: Entry) -> Array:
        dtype = known_dtype(name, entry.dtype)
        path = shard_path(self.prefix, entry.shard, self.shards)
        if entry.shard >= self.shards:
            raise DataLossError(
                f"{name} is said to be in shard {entry.shard} of {self.shards}"
            )
        try:
            size = path.stat().st_size
        except OSError as error:
            raise DataLossError(
                f"{path}, where {name} lies, cannot be read: {error}"
            ) from None
        least = entry.elements if dtype is string else entry.elements * dtype.itemsize
        is_exact = dtype is string or entry.size == least
        if entry.offset + entry.size > size or least > entry.size or not is_exact:
            raise DataLossError(
                f"{path} has {size} bytes; {name}, {entry.elements} elements of {dtype.name}, "
                f"should have {entry.size} bytes from {entry.offset} on"
            )
        if dtype is string:
            return _texts(self._raw(path, entry, np.dtype(np.uint8)), name, entry)
        return self._numbers(path, name, entry, dtype)

    def _numbers(self, path: Path, name: str, entry: Entry, dtype: DType) -> Array:
        stored = np.dtype(np.uint8) if dtype is bool_ else dtype.numpy
        flat = self._raw(path, entry, stored)
        if masked(crc32c(flat)) != entry.crc % 2**32:
            raise damaged(path, name)
        if self._order == ">" and dtype.itemsize > 1:
            flat = flat.byteswap()
        return (flat != 0 if dtype is bool_ else flat).reshape(entry.shape)

    def _raw(self, path: Path, entry: Entry, dtype: np.dtype[Any]) -> Array:
        count = entry.size // dtype.itemsize
        with path.open("rb") as file:
            flat = np.fromfile(file, dtype, count, offset=entry.offset)
        if len(flat) != count:
            raise DataLossError(f"{path} became shorter while it was read")
        return flat


def known_dtype(name: str, number: int) -> DType:
    """Return the dtype of a number; DataLossError when there is none."""
    found = NUMBERS.get(number)
    if found is None or found.kind in "RV":
        raise DataLossError(
            f"{name} is of TensorFlow's dtype number {number}, for which there is none here"
        )
    return found


def line(
    name: bytes, number: int, shape: Sequence[int], remark: bytes = b""
) -> bytes:
    """Return the line that stands for a tensor where a checkpoint is told for reading."""
    kind = enum_name(known_dtype(repr(name), number)).encode()
    sizes = ",".join(map(str, shape)).encode()
    return b"%s (%s) [%s]%s\n" % (name, kind, sizes, remark)


def damaged(path: str | Path, name: str) -> DataLossError:
    """Return the error that tells that the bytes of a tensor are not those written."""
    return DataLossError(f"{path} is damaged: the checksum of {name} is another")


def _texts(data: Array, name: str, entry: Entry) -> Array:
    """Return an array of bytes: before them stand their lengths, and a checksum of those."""
    content = data.tobytes()
    lengths, place = [], 0
    for _ in range(entry.elements):
        length, place = wire.varint(content, place)
        lengths.append(length)
    if place + _FOUR + sum(lengths) != len(content):
        raise DataLossError(
            f"the texts of {name} have other lengths than {len(content)} bytes"
        )
    checksum = content[place : place + _FOUR]
    begun = crc32c(_lengths(lengths))
    whole = crc32c(content[place:], begun)
    if masked(begun) != int.from_bytes(checksum, "little") or masked(whole) != (
        entry.crc % 2**32
    ):
        raise DataLossError(
            f"the texts of {name} are damaged: their checksum is another"
        )
    made = np.empty(entry.elements, object)
    place += _FOUR
    for number, length in enumerate(lengths):
        made[number] = content[place : place + length]
        place += length
    return made.reshape(entry.shape)


def _lengths(lengths: Iterable[int]) -> bytes:
    """Return lengths as they go into checksums."""
    wide = 2**32
    return b"".join([x.to_bytes(4 if x < wide else 8, "little") for x in lengths])


def packed_texts(texts: Sequence[bytes]) -> tuple[bytes, int]:
    """Return texts as a shard has them, and their checksum."""
    lengths = [len(x) for x in texts]
    begun = crc32c(_lengths(lengths))
    rest = masked(begun).to_bytes(4, "little") + b"".join(texts)
    return b"".join(map(wire.of_varint, lengths)) + rest, crc32c(rest, begun)
