"""Snappy's compression, undone: blocks of tables may be packed so. Nothing is packed here."""

from __future__ import annotations

from tensorlite.core.errors import DataLossError
from tensorlite.ops.records.wire import varint

_MOST = 32
"""How many times as long a block may become: three bytes stand for at most 64."""
_LITERAL, _NEAR, _FAR = 0, 1, 2


def decompressed(data: bytes) -> bytes:
    """Return what was packed; DataLossError for what is damaged, or claims to be enormous.

    >>> decompressed(bytes([11, 0b10000, *b"hello", 0b101, 5, 0b0, 33]))
    b'hellohello!'
    """
    size, place = varint(data, 0)
    if size > _MOST * len(data):
        raise DataLossError(f"{len(data)} packed bytes claim to be {size}")
    made = bytearray()
    while place < len(data):
        tag = data[place]
        place += 1
        if tag & 3 == _LITERAL:
            length, place = _length(data, place, tag >> 2)
            made += data[place : place + length]
            place += length
        else:
            length, offset, place = _copy(data, place, tag)
            _repeat(made, length, offset)
        if len(made) > size:
            break
    if len(made) != size:
        raise DataLossError(
            f"packed bytes become {len(made)}, and claim to be {size}"
        )
    return bytes(made)


def _length(data: bytes, place: int, number: int) -> tuple[int, int]:
    """Return the length of what stands as it is, and where it begins."""
    extra = max(number - 59, 0)
    length = number if not extra else _little(data, place, extra)
    if length + 1 > len(data) - place - extra:
        raise DataLossError("packed bytes are cut off")
    return length + 1, place + extra


def _copy(data: bytes, place: int, tag: int) -> tuple[int, int, int]:
    """Return the length of a repetition, how far back it begins, and what comes next."""
    if tag & 3 == _NEAR:
        return 4 + (tag >> 2 & 7), tag >> 5 << 8 | _little(data, place, 1), place + 1
    size = 2 if tag & 3 == _FAR else 4
    return 1 + (tag >> 2), _little(data, place, size), place + size


def _little(data: bytes, place: int, size: int) -> int:
    if place + size > len(data):
        raise DataLossError("packed bytes are cut off")
    return int.from_bytes(data[place : place + size], "little")


def _repeat(made: bytearray, length: int, offset: int) -> None:
    if not 0 < offset <= len(made):
        raise DataLossError(f"packed bytes repeat from {offset} before their begin")
    start = len(made) - offset
    some = made[start : start + length]
    # What is repeated may go on into the repetition itself.
    made += (some * (length // len(some) + 1))[:length]
