"""Messages of protobuf that a program describes: where descriptions lie, and what fields hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.ops.records.example_messages import example_pool, protobuf
from tensorlite.ops.records.wire import of_varint, signed, varint

__all__: list[str] = []

LOCAL, GIVEN = b"local://", b"bytes://"
"""Sources of descriptions: those of this library, and such as stand behind the word."""
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_REPEATED = 3


@dataclass(frozen=True)
class Kind:
    """How a field's values stand in a message, and the dtypes that hold them."""

    name: str
    allowed: tuple[DType, ...]
    wire: int
    read: Callable[[int], Any] = int
    """Makes the value of the number that is written."""
    written: Callable[[Any], int] = int
    """Makes that number of a value."""

    @property
    def is_text(self) -> bool:
        """Whether values are bytes: texts, and messages inside."""
        return self.wire == _BYTES

    def bytes_of(self, value: Any) -> bytes:
        """Return a value as it is written."""
        if self.is_text:
            text: bytes = value
            return of_varint(len(text)) + text
        number = self.written(value)
        if self.wire == _VARINT:
            return of_varint(number)
        size = 8 if self.wire == _EIGHT else 4
        return (number % (1 << 8 * size)).to_bytes(size, "little")

    def unpacked(self, data: bytes) -> list[int]:
        """Return the numbers that stand one behind the other."""
        if self.wire == _VARINT:
            found, place = [], 0
            while place < len(data):
                number, place = varint(data, place)
                found.append(number)
            return found
        size = 8 if self.wire == _EIGHT else 4
        if len(data) % size:
            raise DataLossError(
                f"numbers of {size} bytes each have {len(data)} bytes"
            )
        parts = range(0, len(data), size)
        return [int.from_bytes(data[i : i + size], "little") for i in parts]


def _of_int32(number: int) -> int:
    low = number & 0xFFFF_FFFF
    return low - (1 << 32) if low >> 31 else low


def _zigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def _to_zigzag(value: Any) -> int:
    number = int(value)
    return number << 1 if number >= 0 else (-number << 1) - 1


def _fraction(
    kind: str, whole: str
) -> tuple[Callable[[int], Any], Callable[..., int]]:
    def read(number: int) -> Any:
        return np.array(number, whole).view(kind)[()]

    def written(value: Any) -> int:
        return int(np.array(value, kind).view(whole))

    return read, written


_WHOLE = (dtypes.int32, dtypes.int64)
_UNSIGNED = (dtypes.uint32, dtypes.uint64)
_KINDS: dict[int, Kind] = {
    1: Kind("double", (dtypes.float64,), _EIGHT, *_fraction("f8", "u8")),
    2: Kind("float", (dtypes.float32, dtypes.float64), _FOUR, *_fraction("f4", "u4")),
    3: Kind("int64", (dtypes.int64,), _VARINT, signed),
    4: Kind("uint64", (dtypes.uint64,), _VARINT),
    5: Kind("int32", _WHOLE, _VARINT, _of_int32),
    6: Kind("fixed64", (dtypes.uint64,), _EIGHT),
    7: Kind("fixed32", _UNSIGNED, _FOUR),
    8: Kind("bool", (dtypes.bool_,), _VARINT, bool),
    9: Kind("string", (dtypes.string,), _BYTES),
    11: Kind("message", (dtypes.string,), _BYTES),
    12: Kind("bytes", (dtypes.string,), _BYTES),
    13: Kind("uint32", _UNSIGNED, _VARINT, lambda x: x & 0xFFFF_FFFF),
    14: Kind("enum", (dtypes.int32,), _VARINT, _of_int32),
    15: Kind("sfixed32", _WHOLE, _FOUR, _of_int32),
    16: Kind("sfixed64", (dtypes.int64,), _EIGHT, signed),
    17: Kind("sint32", _WHOLE, _VARINT, _zigzag, _to_zigzag),
    18: Kind("sint64", (dtypes.int64,), _VARINT, _zigzag, _to_zigzag),
}
"""By protobuf's number of the type."""


@dataclass(frozen=True)
class Described:
    """A field of a message."""

    name: str
    number: int
    kind: Kind
    is_repeated: bool
    is_packed: bool
    default: Any
    """What stands for a value that is not there."""

    def values(self, found: int | bytes) -> list[Any]:
        """Return what a field of a message holds; DataLossError for values of another kind."""
        if self.kind.is_text:
            if isinstance(found, int):
                raise DataLossError(
                    f"a number stands in {self.name}, which holds bytes"
                )
            return [found]
        numbers = [found] if isinstance(found, int) else self.kind.unpacked(found)
        return [self.kind.read(x) for x in numbers]

    def written(self, values: list[Any]) -> bytes:
        """Return values as the fields of a message."""
        parts = [self.kind.bytes_of(value) for value in values]
        if self.is_packed and parts:
            whole = b"".join(parts)
            return (
                of_varint(self.number << 3 | _BYTES) + of_varint(len(whole)) + whole
            )
        key = of_varint(self.number << 3 | self.kind.wire)
        return b"".join([key + part for part in parts])


def source_of(source: str | bytes) -> bytes:
    """Return where descriptions lie; a file's content stands for the file."""
    given = source.encode() if isinstance(source, str) else bytes(source)
    if given in (b"", LOCAL):
        return LOCAL
    if given.startswith(GIVEN):
        return given
    try:
        return GIVEN + Path(given.decode()).read_bytes()
    except OSError as error:
        raise InvalidArgumentError(
            f"descriptor_source {given.decode()!r} is no file that can be read ({error}); allowed "
            "are a file of a serialized FileDescriptorSet (protoc --descriptor_set_out, with "
            "--include_imports), 'bytes://' and its bytes, and 'local://'"
        ) from None


def fields_named(
    source: bytes, message_type: str, names: tuple[str, ...]
) -> list[Described]:
    """Return the fields of a message; InvalidArgumentError for names that it does not have."""
    known = _fields(source, message_type)
    for name in names:
        if name not in known:
            raise InvalidArgumentError(
                f"Unknown field: {name} in message type {message_type}; there are "
                f"{', '.join(sorted(known))}"
            )
    return [known[name] for name in names]


@lru_cache(maxsize=64)
def _fields(source: bytes, message_type: str) -> dict[str, Described]:
    described = message_descriptor(source, message_type)
    made = protobuf("descriptor_pb2").DescriptorProto()
    described.CopyToProto(made)
    file = protobuf("descriptor_pb2").FileDescriptorProto()
    described.file.CopyToProto(file)
    own = [(proto, described.fields_by_name[proto.name]) for proto in made.field]
    return {proto.name: _described(proto, field, file.syntax) for proto, field in own}


def _described(proto: Any, field: Any, syntax: str) -> Described:
    kind = _KINDS.get(proto.type)
    if kind is None:
        raise InvalidArgumentError(
            f"the field {field.full_name} is a group; allowed are fields of all other types"
        )
    repeated = proto.label == _REPEATED
    asked = (
        proto.options.packed
        if proto.options.HasField("packed")
        else syntax == "proto3"
    )
    default = None if repeated or kind.name == "message" else field.default_value
    if isinstance(default, str):
        default = default.encode()
    if default is None:
        default = b"" if kind.is_text else 0
    packed = repeated and asked and not kind.is_text
    return Described(proto.name, proto.number, kind, repeated, packed, default)


def message_descriptor(source: bytes, message_type: str) -> Any:
    """Return protobuf's descriptor of a message; InvalidArgumentError where there is none."""
    pool = example_pool() if source == LOCAL else _pool(source)
    try:
        return pool.FindMessageTypeByName(message_type)
    except KeyError:
        raise InvalidArgumentError(
            f"No descriptor found for message type {message_type}"
            + (
                "; TensorFlow's Examples are those of local://"
                if source == LOCAL
                else ""
            )
        ) from None


@cache
def _pool(source: bytes) -> Any:
    """Return the pool of the descriptions that stand behind "bytes://"."""
    pool = protobuf("descriptor_pool").DescriptorPool()
    try:
        given = protobuf("descriptor_pb2").FileDescriptorSet.FromString(
            source[len(GIVEN) :]
        )
        for file in given.file:
            pool.Add(file)
    except (protobuf("message").DecodeError, TypeError, KeyError) as error:
        raise InvalidArgumentError(
            "Source does not represent serialized file descriptor set proto, with the files that "
            f"it imports in front of those that import them: {error}"
        ) from None
    return pool
