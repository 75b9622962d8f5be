"""Packing: what commands carry: arrays, handles, and JSON, as one array of bytes.

Small arrays are packed; a large one travels beside the command as a tensor of its step, so that it
can go through a segment. Nothing is pickled. How messages look is transport/messages.py's.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ProtocolError
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.messages import (
    AXES,
    CODES,
    TRAVELLING,
    Kind,
    Message,
    raw,
    value_of,
)

SMALL = 1 << 13
"""Bytes of an array up to which it is packed."""
_ITEM = struct.Struct("<BBHIq")
"""What it is, code of the dtype, axes, bytes, number."""
_ARRAY, _BESIDE, _KEPT, _HELD, _STATE, _PACKED = range(6)


class Beside(NamedTuple):
    """An array that travels beside the command."""

    is_packed: bool = False
    """Whether it is a list or a bundle, packed by variants.py."""


class Packed(NamedTuple):
    """A list or a bundle, packed by variants.py."""

    data: Array


class Kept(NamedTuple):
    """An array that stays in the task that made it: its dtype and shape."""

    dtype: DType
    shape: tuple[int, ...]


class Held(NamedTuple):
    """An array that the task has under a number."""

    number: int


class State(NamedTuple):
    """Something that is no array, which the task that made it keeps."""


Item: TypeAlias = "Array | Beside | Packed | Kept | Held | State"


def pack(items: Sequence[Item]) -> np.ndarray[Any, Any] | None:
    """Return items as bytes, None for none; DTypeError for arrays that cannot travel."""
    if not items:
        return None
    parts: list[bytes] = []
    for item in items:
        if type(item) is Beside:
            parts.append(_ITEM.pack(_BESIDE, 0, 0, 0, int(item.is_packed)))
        elif type(item) is Held:
            parts.append(_ITEM.pack(_HELD, 0, 0, 0, item.number))
        elif type(item) is State:
            parts.append(_ITEM.pack(_STATE, 0, 0, 0, 0))
        elif type(item) is Kept:
            parts.append(_head(_KEPT, item.dtype, item.shape, 0))
        else:
            kind = _PACKED if type(item) is Packed else _ARRAY
            dtype, shape, data = raw(item.data if type(item) is Packed else item)
            parts.append(_head(kind, dtype, shape, data.nbytes))
            parts.append(data.tobytes())
            parts.append(b"\0" * (-data.nbytes % 8))
    return np.frombuffer(b"".join(parts), np.uint8)


def _head(kind: int, dtype: DType, shape: tuple[int, ...], size: int) -> bytes:
    sizes = struct.pack(f"<{len(shape)}q", *shape)
    return _ITEM.pack(kind, CODES[dtype], len(shape), size, 0) + sizes


def unpack(data: Array | None) -> list[Item]:
    """Return the items that `pack` packed; ProtocolError for bytes that are none."""
    items: list[Item] = []
    if data is None:
        return items
    view, at = memoryview(data), 0
    try:
        while at < len(view):
            kind, code, axes, size, number = _ITEM.unpack_from(view, at)
            if kind > _PACKED or axes > AXES or code > len(TRAVELLING):
                raise ProtocolError(
                    f"an item has kind {kind}, dtype {code}, {axes} axes"
                )
            at += _ITEM.size
            shape = struct.unpack_from(f"<{axes}q", view, at)
            at += 8 * axes
            if kind in (_ARRAY, _PACKED):
                array = _array(code, shape, data[at : at + size], size)
                items.append(array if kind == _ARRAY else Packed(array))
                at += size + -size % 8
            else:
                items.append(_other(kind, code, shape, number))
    except struct.error as error:
        raise ProtocolError(f"a command's payload is cut off: {error}") from None
    return items


def _array(code: int, shape: tuple[int, ...], data: Array, size: int) -> Array:
    """Return an array of its own, so that no message is kept for it."""
    dtype = TRAVELLING[code - 1]
    least = math.prod(shape) * (8 if dtype is dtypes.string else dtype.itemsize)
    if min(shape, default=0) < 0 or len(data) != size or size < least:
        raise ProtocolError(f"a {dtype.name}{shape} has {len(data)} bytes of {size}")
    message = Message(Kind.TENSOR, dtype=dtype, shape=shape, payload=size)
    return value_of(message, data.copy())


def _other(kind: int, code: int, shape: tuple[int, ...], number: int) -> Item:
    if kind == _BESIDE:
        return Beside(bool(number))
    if kind == _HELD:
        return Held(number)
    return State() if kind == _STATE else Kept(TRAVELLING[code - 1], shape)


def is_small(array: Array) -> bool:
    """Return whether an array is packed into a command."""
    return bool(array.dtype != object and array.nbytes <= SMALL)


def pack_json(content: Any) -> np.ndarray[Any, Any]:
    """Return what JSON can say, as bytes."""
    text = json.dumps(content, separators=(",", ":"))
    return np.frombuffer(text.encode(), np.uint8)


def unpack_json(data: Array | None) -> Any:
    """Return what `pack_json` packed; ProtocolError for bytes that are none."""
    try:
        return json.loads(b"" if data is None else data.tobytes())
    except ValueError as error:
        raise ProtocolError(f"a command's payload is no JSON: {error}") from None
