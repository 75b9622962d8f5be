"""Slices of tensors that are kept in parts: where they lie, and the keys that they have in tables.

A slice is a start and a length for each axis; the length None is the whole axis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.ops.records.wire import field, fields, signed

_EXTENT = re.compile(r"-|\d+,\d+")


class Extent(NamedTuple):
    """What a slice has of one axis."""

    start: int = 0
    length: int | None = None


Slice = tuple[Extent, ...]


class Asked(NamedTuple):
    """A tensor's shape, and the slice of it that is meant."""

    shape: tuple[int, ...]
    part: Slice


def asked(text: str) -> Asked | None:
    """Return what a text says as in `SaveV2`: shape, then extents; None for a whole tensor.

    >>> asked("4 3 0,2:-")
    Asked(shape=(4, 3), part=(Extent(start=0, length=2), Extent(start=0, length=None)))
    """
    if not text:
        return None
    *sizes, extents = text.split(" ")
    listed = extents.split(":") if extents else []
    known = all(x.isdecimal() for x in sizes)
    if not known or not all(_EXTENT.fullmatch(x) for x in listed):
        raise InvalidArgumentError(
            f"{text!r} is no slice of a tensor; one looks like '4 3 0,2:-': the shape, and of each "
            "axis start,length, or - for all of it"
        )
    part = tuple([_extent(x) for x in listed])
    shape = tuple([int(x) for x in sizes])
    bounds(shape, part)
    return Asked(shape, part)


def _extent(text: str) -> Extent:
    start, _, length = text.partition(",")
    return Extent() if text == "-" else Extent(int(start), int(length))


def bounds(shape: Sequence[int], part: Slice) -> tuple[slice, ...]:
    """Return a slice as an index; InvalidArgumentError when it does not lie in the shape."""
    if len(part) != len(shape):
        raise InvalidArgumentError(
            f"a slice of {len(part)} axes, of the shape {shape}"
        )
    found = []
    for size, (start, length) in zip(shape, part, strict=True):
        end = size if length is None else start + length
        if not 0 <= start <= end <= size:
            raise InvalidArgumentError(f"{part} is no slice of the shape {shape}")
        found.append(slice(start, end))
    return tuple(found)


def of_message(message: bytes) -> Slice:
    """Return a slice from a TensorSliceProto."""
    found = []
    for number, value in fields(message):
        if number != 1 or not isinstance(value, bytes):
            continue
        start, length = 0, None
        for which, size in fields(value):
            if not isinstance(size, int):
                raise DataLossError("a slice has an extent that is no number")
            start = signed(size) if which == 1 else start
            length = signed(size) if which == 2 else length
        found.append(Extent(start, length))
    return tuple(found)


def to_message(part: Slice) -> bytes:
    """Return a slice as a TensorSliceProto."""
    made = b""
    for start, length in part:
        # The length is one of several alternatives, of which also a zero is written.
        size = b"" if length is None else field(2, length) or b"\x10\0"
        made += field(1, field(1, start) + size)
    return made


def key_of(name: str, part: Slice) -> bytes:
    r"""Return the key of a slice: keys are in order as names and slices are.

    >>> key_of("w", (Extent(0, 2),))
    b'\x00w\x00\x01\x01\x01\x80\x82'
    """
    escaped = name.encode(errors="surrogateescape").replace(b"\0", b"\0\xff")
    parts = [b"\0", escaped, b"\0\x01", _unsigned(len(part))]
    for start, length in part:
        parts += [_ordered(start), _ordered(-1 if length is None else length)]
    return b"".join(parts)


def _unsigned(number: int) -> bytes:
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _ordered(number: int) -> bytes:
    """Return a number so that bytes compare as numbers do: the sign, and then the length first."""
    magnitude = ~number if number < 0 else number
    size = magnitude.bit_length() // 7 + 1
    ones = (1 << size) - 1
    return (number & (1 << 8 * size) - 1 ^ ones << 7 * size).to_bytes(size, "big")
