"""Messages: tensors and small notices as bytes and back. Sockets are in wires.py and links.py.

A message is a header of fixed size, the lengths of the axes, the key and the payload, all
little-endian, as the machines are; several follow each other without anything between. Nothing
is pickled, and every size is checked before memory is taken for it. The payload of a tensor may
lie in a segment of shared memory instead (segments.py).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ProtocolError
from tensorlite.core.xp import Array
from tensorlite.runtime.rendezvous import Key

MAGIC = b"TLPL"
VERSION = 1
HEADER = struct.Struct("<4sBBBBBBHQQQI")
"""Magic, version, kind, flags, dtype, axes, frames, bytes of the key's name, incarnation, step,
bytes of the payload, segment."""
NUMBERS = struct.Struct("<QQQI")
FORM = HEADER.size - NUMBERS.size
AXES = 64
FRAMES = 64
TAGS = [struct.Struct(f"<{frames}q") for frames in range(FRAMES + 1)]
NAME = 1 << 14
LONGEST = HEADER.size + 8 * (AXES + FRAMES) + NAME
"""The most bytes that a message has before its payload."""
KNOWN = 512
"""Messages of which is kept what they say beside their incarnation, step and payload."""
BYTES = np.dtype(np.uint8)
"""Of what is sent as bytes."""
LARGEST = (1 << 63) - 1
Payload: TypeAlias = Array | bytearray
"""The bytes of a tensor."""

DEAD = 1
SEGMENT = 2
"""The payload is in a segment."""
NEW = 4
"""The segment is new: its descriptor comes with this message."""
LENT = 8
"""The sender reads the segment as well: the receiver may not write to it."""


class Kind(IntEnum):
    """What a message is for; the first three only begin a link."""

    HELLO = 1
    PROOF = 2
    VERDICT = 3
    TENSOR = 4
    RELEASE = 5
    CREDIT = 6
    BOARD = 7
    """Its descriptor comes with this message."""


LAST = max(Kind)

# The codes are part of the form: new ones are added at the end.
TRAVELLING: tuple[DType, ...] = (dtypes.bool_, *dtypes.NUMERIC, dtypes.string)
CODES = {dtype: code for code, dtype in enumerate(TRAVELLING, 1)}


class Message(NamedTuple):
    """What stands before the payload. A living tensor has a dtype, all else has none."""

    kind: Kind
    incarnation: int = 0
    step: int = 0
    key: Key = ("", ())
    dtype: DType | None = None
    shape: tuple[int, ...] = ()
    payload: int = 0
    """Bytes."""
    flags: int = 0
    segment: int = 0

    def encode(self) -> bytes:
        """Return the bytes; InvalidArgumentError when a part is too long or large for them."""
        name, tag = self.key
        label = name.encode("utf-8", "surrogatepass")
        sizes = (*self.shape, *tag)
        if len(label) > NAME or len(self.shape) > AXES or len(tag) > FRAMES:
            raise InvalidArgumentError(
                f"a message for {name[:80]!r} has a name of {len(label)} bytes, "
                f"{len(self.shape)} axes and is in {len(tag)} frames; "
                f"allowed are {NAME}, {AXES} and {FRAMES}"
            )
        code = 0 if self.dtype is None else CODES[self.dtype]
        try:
            header = HEADER.pack(
                *(MAGIC, VERSION, self.kind, self.flags, code),
                *(len(self.shape), len(tag), len(label)),
                *(self.incarnation, self.step, self.payload, self.segment),
            )
            return header + struct.pack(f"<{len(sizes)}q", *sizes) + label
        except struct.error as error:
            raise InvalidArgumentError(
                f"a message for {name[:80]!r} of step {self.step} has a number that is too "
                f"large: {error}"
            ) from None


@dataclass(frozen=True)
class Limits:
    """What a link takes and keeps."""

    payload: int = 1 << 34
    """Bytes of one tensor."""
    window: int = 1 << 26
    """Bytes that wait for whoever wants them; then the sender waits."""
    inline: int = 1 << 16
    """Bytes of a tensor above which it goes into a segment, where there are such."""


def raw(value: Array | bytes) -> tuple[DType, tuple[int, ...], Array]:
    """Return the dtype, shape and bytes of an array; no copy of what lies in order.

    Raises DTypeError for what only lives where it is, such as a variable's handle.
    """
    array = np.frombuffer(value, BYTES) if type(value) is bytes else np.asarray(value)
    dtype = dtypes.of_numpy(array.dtype)
    if dtype is dtypes.string:
        return dtype, array.shape, _packed(array)
    ordered = np.ascontiguousarray(array, dtype.numpy)
    return dtype, array.shape, ordered.reshape(-1).view(np.uint8)


_QUICK: dict[Any, DType] = {
    np.dtype(dtype.numpy): dtype for dtype in TRAVELLING if dtype is not dtypes.string
}


_frames: dict[tuple[Any, ...], tuple[bytes, bytes, bytes]] = {}
"""What stands before the numbers of a message with a tensor, then around its tag; by its name, the
number of its turns, dtype, shape and flags. Tags are left out: commands and turns of loops have new
ones all the time."""


def _frame(
    name: str,
    frames: int,
    dtype: np.dtype[Any] | None,
    shape: tuple[int, ...],
    flags: int,
) -> tuple[bytes, bytes, bytes] | None:
    """Return that, and keep it; None for a dtype that is not quick to send."""
    quick = None if dtype is None else _QUICK.get(dtype)
    if quick is None and dtype is not None:
        return None
    key = name, (0,) * frames
    data = Message(Kind.TENSOR, 0, 0, key, quick, shape, flags=flags).encode()
    tag = HEADER.size + 8 * len(shape)
    if len(_frames) >= KNOWN:
        _frames.clear()
    found = data[:FORM], data[HEADER.size : tag], data[tag + 8 * frames :]
    _frames[name, frames, dtype, shape, flags] = found
    return found


def framed(
    incarnation: int,
    step: int,
    key: Key,
    dtype: np.dtype[Any] | None,
    shape: tuple[int, ...],
    size: int,
    flags: int = 0,
    segment: int = 0,
) -> bytes:
    """Return what stands before the payload of an array of numbers, b"" for what is none.

    `Message.encode` says the same, and what is wrong.
    """
    name, tag = key
    frames = len(tag)
    try:
        found = _frames.get((name, frames, dtype, shape, flags))
        found = found or _frame(name, frames, dtype, shape, flags)
        if found is None:
            return b""
        numbers = NUMBERS.pack(incarnation, step, size, segment)
        turns = TAGS[frames].pack(*tag)
    except struct.error:
        return b""
    before, sizes, label = found
    return b"".join((before, numbers, sizes, turns, label))


def whole(incarnation: int, step: int, key: Key, value: object, most: int) -> bytes:
    """Return the message of a small array of numbers, or of bytes, with its payload.

    b"" for what is none, which `raw` and `Message.encode` say. None as the value: it is dead.
    """
    if type(value) is np.ndarray and (size := value.nbytes) <= most:
        head = framed(incarnation, step, key, value.dtype, value.shape, size)
        return head and head + value.tobytes()
    if type(value) is bytes and (size := len(value)) <= most:
        head = framed(incarnation, step, key, BYTES, (size,), size)
        return head and head + value
    if value is None:
        return framed(incarnation, step, key, None, (), 0, DEAD)
    return b""


def notice(kind: Kind, incarnation: int, step: int = 0, segment: int = 0) -> bytes:
    """Return a message that says no more than this."""
    return HEADER.pack(
        MAGIC, VERSION, kind, 0, 0, 0, 0, 0, incarnation, step, 0, segment
    )


def value_of(message: Message, payload: Payload | None) -> Array | None:
    """Return the array that a payload holds, as a view of it but for strings; None when dead."""
    dtype = message.dtype
    if payload is None or dtype is None:
        return None
    if dtype is dtypes.string:
        return _unpacked(np.ndarray(len(payload), np.uint8, payload), message.shape)
    if dtype is dtypes.bool_ and np.max(payload, initial=0) > 1:
        raise ProtocolError("a tensor of bool holds something else")
    return np.ndarray(message.shape, dtype.numpy, payload)


def _packed(array: Array) -> Array:
    """Return strings as bytes: their lengths, doubled and one more for bytes, then all of them."""
    parts, marks = [], []
    for one in array.ravel().tolist():
        if not isinstance(one, str | bytes):
            raise DTypeError(
                f"an array of {type(one).__name__} cannot be sent to another task; numbers, "
                "bools and strings can: send what it holds"
            )
        part = one if isinstance(one, bytes) else one.encode("utf-8", "surrogatepass")
        parts.append(part)
        marks.append(2 * len(part) + isinstance(one, bytes))
    lengths = np.array(marks, "<u8").tobytes()
    return np.frombuffer(lengths + b"".join(parts), np.uint8)


def _unpacked(payload: Array, shape: tuple[int, ...]) -> Array:
    count = math.prod(shape)
    marks = payload[: 8 * count].view("<u8").tolist()
    ends = 8 * count
    data = payload.tobytes()
    if sum(mark >> 1 for mark in marks) != len(data) - ends:
        raise ProtocolError("the lengths of strings do not add up to their bytes")
    made = np.empty(count, object)
    for i, mark in enumerate(marks):
        part = data[ends : ends + (mark >> 1)]
        ends += mark >> 1
        made[i] = part if mark & 1 else _text(part)
    return made.reshape(shape)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ProtocolError(f"a text is not in UTF-8: {error}") from None


class Opening(NamedTuple):
    """The header of a message."""

    fields: tuple[Any, ...]
    length: int
    """Bytes until the payload."""


def opening(data: bytes | bytearray | memoryview, limits: Limits) -> Opening:
    """Return what a header says, once it is known to be one; ProtocolError else."""
    fields = HEADER.unpack_from(data)
    magic, version, kind, flags, code, axes, frames, label, *_, size, _ = fields
    if magic != MAGIC:
        raise ProtocolError(f"what came is no message; it begins {bytes(magic)!r}")
    if version != VERSION:
        raise ProtocolError(
            f"a message has version {version} of the form, here it is {VERSION}: use one "
            "version of tensorlite on all tasks"
        )
    known = 0 < kind <= LAST and flags <= DEAD | SEGMENT | NEW | LENT
    if not known or code > len(TRAVELLING):
        raise ProtocolError(f"a message has kind {kind}, flags {flags}, dtype {code}")
    if axes > AXES or frames > FRAMES or label > NAME or size > limits.payload:
        raise ProtocolError(
            f"a message has {axes} axes, {frames} frames, {label} bytes of name and {size} of "
            f"payload; allowed are {AXES}, {FRAMES}, {NAME} and {limits.payload}"
        )
    return Opening(fields, HEADER.size + 8 * (axes + frames) + label)


def read(data: memoryview, head: Opening) -> Message:
    """Return the message whose bytes, less the payload, `data` holds."""
    _, _, kind, flags, code, axes, frames, label, *rest = head.fields
    incarnation, step, size, segment = rest
    sizes = struct.unpack_from(f"<{axes + frames}q", data, HEADER.size)
    name = _text(bytes(data[head.length - label : head.length]))
    message = Message(
        Kind(kind),
        incarnation,
        step,
        (name, sizes[axes:]),
        TRAVELLING[code - 1] if code else None,
        sizes[:axes],
        size,
        flags,
        segment,
    )
    _check(message)
    return message


def _check(message: Message) -> None:
    """Raise ProtocolError when the parts of a message do not fit each other."""
    if message.kind is not Kind.TENSOR:
        if message.dtype is not None or message.shape or message.flags:
            raise ProtocolError(f"a {message.kind.name} has what only tensors have")
        if message.kind >= Kind.RELEASE and message.payload:
            raise ProtocolError(f"a {message.kind.name} has a payload")
        return
    dtype, shape, size = message.dtype, message.shape, message.payload
    if message.flags & DEAD:
        if dtype is not None or shape or size or message.flags != DEAD:
            raise ProtocolError("a dead value has a dtype, shape or payload")
        return
    if dtype is None or any(length < 0 for length in shape):
        raise ProtocolError(f"a tensor has no dtype, or the shape {shape}")
    if message.flags & (NEW | LENT) and not message.flags & SEGMENT:
        raise ProtocolError("a new segment comes with a tensor that is not in it")
    least = math.prod(shape) * (8 if dtype is dtypes.string else dtype.itemsize)
    if size < least or (size > least and dtype is not dtypes.string):
        raise ProtocolError(
            f"a tensor of {dtype.name} and shape {shape} has {size} bytes, not {least}"
        )
    if not least and math.prod(filter(None, shape)) > (LARGEST >> 4):
        raise ProtocolError(f"no array has the shape {shape}")
