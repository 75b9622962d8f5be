"""Text files by lines, and files by pieces of one length. Files of records are in records.py."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.ops.records.records import PIECE, Readable, opened

__all__: list[str] = []


def pieces(file: Readable, path: str) -> Iterator[bytes]:
    """Yield what a file holds, as it is read; DataLossError for damaged compressed data."""
    try:
        while piece := file.read(PIECE):
            yield piece
    except (EOFError, zlib.error) as error:
        raise DataLossError(f"{path}: {error}") from None


def lines(path: str, compression: str = "") -> Iterator[bytes]:
    """Yield the lines of a file without their ends, be those LF or CR LF."""
    file = opened(path, compression)
    rest = b""
    try:
        for piece in pieces(file, path):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line.removesuffix(b"\r")
        if rest:
            yield rest.removesuffix(b"\r")
    finally:
        file.close()


def unpacked(path: str, compression: str = "") -> bytes:
    """Return all that a file holds, decompressed."""
    file = opened(path, compression)
    try:
        return b"".join(pieces(file, path))
    finally:
        file.close()


def fixed_length_pieces(
    path: str, size: int, header: int, footer: int, compression: str = ""
) -> Iterator[bytes]:
    """Yield pieces of a file, of `size` bytes each, between its header and its footer."""
    file = opened(path, compression)
    held = b""
    passed = False
    try:
        for piece in pieces(file, path):
            held += piece
            if not passed and len(held) >= header:
                held, passed = held[header:], True
            while passed and len(held) >= size + footer:
                yield held[:size]
                held = held[size:]
    finally:
        file.close()
    if len(held) != footer or not passed:
        raise InvalidArgumentError(
            f"{path}: excluding the header ({header} bytes) and footer ({footer} bytes), the file "
            f"has a body that is not a multiple of the record length, {size} bytes"
        )
