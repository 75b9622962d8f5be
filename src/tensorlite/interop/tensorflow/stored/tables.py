"""Sorted tables of keys and values, as LevelDB has them: what checkpoints keep their lists in.

Blocks of keys, each without what it shares with the one before, a checksum behind every block, and
at the end a block that says where the others lie. What keys and values mean stands elsewhere.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tensorlite.core.checksums import crc32c, masked
from tensorlite.core.errors import DataLossError
from tensorlite.interop.tensorflow.stored.snappy import decompressed
from tensorlite.ops.records.wire import of_varint, varint

MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_FOOTER, _TRAILER = 48, 5
_AS_IS, _SNAPPY = 0, 1
_BLOCK = 2**18
_RESTART = 16
"""So often a key is written whole."""
_LONGEST = 2**16
"""How long a key may be."""
_ALL_KEYS = 2**28
"""How long all keys may be together: short entries can say long keys."""


class _Place(NamedTuple):
    """Where a block lies."""

    offset: int
    size: int


class Table:
    """A file that is a table, of which blocks are read when they are asked for."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        with Path(path).open("rb") as file:
            self._size = os.fstat(file.fileno()).st_size
            footer = _footer(file, self._size, path)
            _, place = _place(footer, 0)
            index = self._block(file, _place(footer, place)[0])
        entries = list(_entries(index, path))
        self._last = [key for key, _ in entries]
        self._places = [_place(value, 0)[0] for _, value in entries]

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys and values in their order; DataLossError when they have none."""
        before, length = b"", 0
        is_first = True
        with Path(self._path).open("rb") as file:
            for place in self._places:
                for key, value in _entries(self._block(file, place), self._path):
                    length += len(key)
                    if (key <= before and not is_first) or length > _ALL_KEYS:
                        raise DataLossError(
                            f"{self._path}: its keys have no order, or are {length} bytes long"
                        )
                    yield key, value
                    before, is_first = key, False

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, None when it has none."""
        number = bisect_left(self._last, key)
        if number == len(self._last):
            return None
        with Path(self._path).open("rb") as file:
            block = self._block(file, self._places[number])
        return dict(_entries(block, self._path)).get(key)

    def _block(self, file: BinaryIO, place: _Place) -> bytes:
        if place.offset + place.size + _TRAILER > self._size:
            raise DataLossError(f"{self._path}: a block lies beyond its end")
        file.seek(place.offset)
        data = file.read(place.size + _TRAILER)
        kind, checksum = data[-_TRAILER:-4], int.from_bytes(data[-4:], "little")
        if masked(crc32c(data[:-4])) != checksum:
            raise DataLossError(
                f"{self._path}: the block at {place.offset} is damaged: its checksum is another"
            )
        content = data[:-_TRAILER]
        if kind[0] == _SNAPPY:
            return decompressed(content)
        if kind[0] != _AS_IS:
            raise DataLossError(f"{self._path}: a block is packed by way {kind[0]}")
        return content


def _footer(file: BinaryIO, size: int, path: str | Path) -> bytes:
    if size >= _FOOTER:
        file.seek(size - _FOOTER)
        footer = file.read(_FOOTER)
        if footer[-len(MAGIC) :] == MAGIC:
            return footer
    raise DataLossError(
        f"{path}, {size} bytes, is no checkpoint of TensorFlow's: it does not end as one"
    )


def _place(data: bytes, place: int) -> tuple[_Place, int]:
    offset, place = varint(data, place)
    size, place = varint(data, place)
    return _Place(offset, size), place


def _entries(block: bytes, path: str | Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block."""
    number = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (number + 1)
    if end < 0 or len(block) < 4:
        raise DataLossError(f"{path}: a block is too short")
    place, key, length = 0, b"", 0
    while place < end:
        shared, place = varint(block, place)
        own, place = varint(block, place)
        size, place = varint(block, place)
        is_whole = place + own + size <= end
        if not is_whole or shared > len(key) or shared + own > _LONGEST:
            raise DataLossError(f"{path}: an entry of a block is damaged")
        key = key[:shared] + block[place : place + own]
        length += len(key)
        if length > _ALL_KEYS:
            raise DataLossError(
                f"{path}: the keys of a block are {length} bytes long"
            )
        place += own
        yield key, block[place : place + size]
        place += size


def table_of(items: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """Yield the parts of a file that holds keys and values, which come in the order of keys."""
    offset, index, block = 0, _Block(), _Block()
    for key, value in items:
        block.add(key, value)
        if len(block.data) >= _BLOCK:
            offset = yield from _closed(block, index, offset)
            block = _Block()
    if block.data:
        offset = yield from _closed(block, index, offset)
    nothing, ends = _whole(_Block()), _whole(index)
    yield nothing + ends
    places = [
        *(offset, len(nothing) - _TRAILER),
        *(offset + len(nothing), len(ends) - _TRAILER),
    ]
    footer = b"".join(map(of_varint, places))
    yield footer.ljust(_FOOTER - len(MAGIC), b"\0") + MAGIC


class _Block:
    """A block in the making."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.last = b""
        self._restarts = [0]
        self._count = 0

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count == _RESTART:
            self._restarts.append(len(self.data))
            self._count = 0
        else:
            shared = _shared(self.last, key)
        sizes = (shared, len(key) - shared, len(value))
        self.data += b"".join(map(of_varint, sizes)) + key[shared:] + value
        self.last = key
        self._count += 1

    def bytes(self) -> bytes:
        """Return the block with the places where keys are whole."""
        ends = [*self._restarts, len(self._restarts)]
        return bytes(self.data) + b"".join([x.to_bytes(4, "little") for x in ends])


def _shared(a: bytes, b: bytes) -> int:
    """Return how many bytes two keys begin with alike."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _whole(block: _Block) -> bytes:
    data = block.bytes() + bytes([_AS_IS])
    return data + masked(crc32c(data)).to_bytes(4, "little")


def _closed(block: _Block, index: _Block, offset: int) -> Generator[bytes, None, int]:
    """Yield a block, and note it in the index; return where the next one lies."""
    data = _whole(block)
    index.add(block.last, of_varint(offset) + of_varint(len(data) - _TRAILER))
    yield data
    return offset + len(data)
