"""TFRecord files: records of bytes, each with its length and two checksums.

A record is its length (8 bytes, little-endian), the masked CRC-32C of that, the bytes, and their
masked CRC-32C. The whole file may be compressed. What records hold is not looked at here.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self, cast

from tensorlite.core.checksums import crc32c, masked
from tensorlite.core.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)

__all__: list[str] = []

PIECE = 1 << 20
"""Bytes that are read at a time of a record whose length no file's size vouches for."""
COMPRESSIONS = ("", "GZIP", "ZLIB")


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes; none at the end."""

    def close(self) -> None:
        """Close the file."""


def checked_compression(kind: Any) -> str:
    """Return a compression as text; InvalidArgumentError for one that is not known."""
    text = kind.decode() if isinstance(kind, bytes) else (kind or "")
    if text not in COMPRESSIONS:
        raise InvalidArgumentError(
            f"compression_type={kind!r}; allowed are '' (none), 'GZIP' and 'ZLIB'"
        )
    return str(text)


def opened(path: str, compression: str = "") -> Readable:
    """Return a file to be read, decompressed on the way; NotFoundError if it is not there."""
    kind = checked_compression(compression)
    try:
        if kind == "GZIP":
            return cast("Readable", gzip.open(path, "rb"))
        file = Path(path).open("rb")  # noqa: SIM115  whoever asked closes it
    except FileNotFoundError:
        raise NotFoundError(f"{path}; No such file or directory") from None
    return _Inflating(file) if kind == "ZLIB" else file


class _Inflating:
    """A file of one zlib stream."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stream = zlib.decompressobj()

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes."""
        parts: list[bytes] = []
        left = size
        while left and not self._stream.eof:
            given = self._stream.unconsumed_tail or self._file.read(PIECE)
            if not given:
                raise EOFError("the compressed data ends before its end mark")
            part = self._stream.decompress(given, max(left, 0))
            parts.append(part)
            left -= len(part) if size >= 0 else 0
        return b"".join(parts)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def records(path: str, compression: str = "") -> Iterator[bytes]:
    """Yield the records of a file; DataLossError for one that is damaged or cut off.

    Memory is taken for what is there, whatever length a damaged record claims.
    """
    file = opened(path, compression)
    place = 0
    try:
        while (record := _next_record(file, path, place)) is not None:
            yield record
            place += len(record) + 16
    finally:
        file.close()


def _next_record(file: Readable, path: str, place: int) -> bytes | None:
    where = f"{path}, record at byte {place}"
    try:
        head = _exactly(file, 12)
        if not head:
            return None
        if len(head) < 12:
            raise DataLossError(f"{where}: truncated record: its length is cut off")
        if masked(crc32c(head[:8])) != int.from_bytes(head[8:], "little"):
            raise DataLossError(
                f"{where}: corrupted record: the checksum of its length differs"
            )
        size = int.from_bytes(head[:8], "little")
        body = _exactly(file, size + 4)
    except (EOFError, OSError, zlib.error) as error:
        if isinstance(error, DataLossError):
            raise
        raise DataLossError(f"{where}: {error}") from None
    if len(body) < size + 4:
        raise DataLossError(
            f"{where}: truncated record: {size} bytes are due, {max(len(body) - 4, 0)} are there"
        )
    if masked(crc32c(body[:size])) != int.from_bytes(body[size:], "little"):
        raise DataLossError(
            f"{where}: corrupted record: the checksum of its data differs"
        )
    return body[:size]


def _exactly(file: Readable, size: int) -> bytes:
    """Return `size` bytes, or as many as there are."""
    if size <= PIECE:
        first = file.read(size)
        if len(first) == size or not first:
            return first
        parts = [first]
    else:
        parts = []
    left = size - sum(map(len, parts))
    while left > 0:
        part = file.read(min(left, PIECE))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


class TFRecordWriter:
    """Writes a TFRecord file, compressed if `compression` is 'GZIP' or 'ZLIB'.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with tl.data.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tl.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one']
    """

    def __init__(self, path: str, compression: str = "", level: int = -1) -> None:
        kind = checked_compression(compression)
        self._file = Path(path).open("wb")  # noqa: SIM115  closed by `close`
        self._compress: Any = None
        if kind:
            bits = 31 if kind == "GZIP" else 15
            self._compress = zlib.compressobj(level, zlib.DEFLATED, bits)

    def write(self, record: bytes) -> None:
        """Add a record."""
        if isinstance(record, str):
            record = record.encode()
        size = len(record).to_bytes(8, "little")
        self._put(
            b"".join(
                [
                    size,
                    masked(crc32c(size)).to_bytes(4, "little"),
                    record,
                    masked(crc32c(record)).to_bytes(4, "little"),
                ]
            )
        )

    def _check_open(self) -> None:
        if self._file.closed:
            raise FailedPreconditionError(
                "TFRecordWriter: Writer not initialized or previously closed; make another one"
            )

    def _put(self, data: bytes) -> None:
        self._check_open()
        self._file.write(
            data if self._compress is None else self._compress.compress(data)
        )

    def flush(self) -> None:
        """Let what was written be in the file."""
        self._check_open()
        if self._compress is not None:
            self._file.write(self._compress.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """End the file."""
        if self._file.closed:
            return
        if self._compress is not None:
            self._file.write(self._compress.flush())
        self._file.close()

    def __enter__(self) -> Self:
        """Return this writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the file."""
        self.close()
