"""The few bytes of protobuf's format that tensors and checkpoints need: fields of flat messages.

Graphs are read with protobuf itself; tensors as bytes, and checkpoints, are to be had without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tensorlite.core.errors import DataLossError

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_SIGN = 1 << 63

__all__: list[str] = []


def varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of up to 64 bits, seven in each byte, and what comes behind it."""
    found = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise DataLossError("a number is cut off")
        byte = data[place]
        place += 1
        found |= (byte & 127) << shift
        if byte < 128:
            return found & 0xFFFF_FFFF_FFFF_FFFF, place
    raise DataLossError("a number has more than 64 bits")


def of_varint(number: int) -> bytes:
    r"""Return a number as `varint` reads it.

    >>> of_varint(300), varint(of_varint(300), 0)
    (b'\xac\x02', (300, 2))
    """
    made = bytearray()
    number &= 0xFFFF_FFFF_FFFF_FFFF
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def signed(number: int) -> int:
    """Return a number of 64 bits as one with a sign."""
    return number - 2 * _SIGN if number >= _SIGN else number


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field: an int, or bytes for texts and messages.

    >>> list(fields(field(1, 5) + field(2, b"text")))
    [(1, 5), (2, b'text')]
    """
    place = 0
    while place < len(message):
        key, place = varint(message, place)
        kind = key & 7
        if kind == _VARINT:
            value, place = varint(message, place)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, place = varint(message, place)
        elif kind in {_EIGHT, _FOUR}:
            size = 8 if kind == _EIGHT else 4
        else:
            raise DataLossError(f"a message has a field of the unknown kind {kind}")
        if size > len(message) - place:
            raise DataLossError("a message is cut off")
        part = message[place : place + size]
        place += size
        yield key >> 3, part if kind == _BYTES else int.from_bytes(part, "little")


def joined(texts: Iterable[bytes]) -> bytes:
    r"""Return texts as one piece of memory: how long each is, then one behind the other.

    >>> joined([b"a", b"bc"]), apart(b"\x01\x02abc", 2)
    (b'\x01\x02abc', [b'a', b'bc'])
    """
    listed = list(texts)
    return b"".join([of_varint(len(text)) for text in listed] + listed)


def apart(content: bytes, count: int) -> list[bytes]:
    """Return the texts that `joined` made one piece of; DataLossError for another number."""
    lengths, place = [], 0
    for _ in range(count):
        length, place = varint(content, place)
        lengths.append(length)
    if sum(lengths) != len(content) - place:
        raise DataLossError(
            f"{count} texts are told to have {sum(lengths)} bytes, and there are "
            f"{len(content) - place}"
        )
    found = []
    for length in lengths:
        found.append(content[place : place + length])
        place += length
    return found


def field(number: int, value: int | bytes) -> bytes:
    """Return a field of a message; a zero is not written, as protobuf has it."""
    if isinstance(value, int):
        return of_varint(number << 3 | _VARINT) + of_varint(value) if value else b""
    return of_varint(number << 3 | _BYTES) + of_varint(len(value)) + value


def four_bytes(number: int, value: int) -> bytes:
    """Return a field of four bytes."""
    key = of_varint(number << 3 | _FOUR)
    return key + value.to_bytes(4, "little") if value else b""
