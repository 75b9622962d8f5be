"""Decoders: bytes as they come, in pieces, to messages. What a message is stands in messages.py.

A large payload is read into its place. Messages like one that was in order are known by their
bytes, and not checked again.
"""

from __future__ import annotations

import struct
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import ProtocolError
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.messages import (
    FORM,
    HEADER,
    KNOWN,
    LONGEST,
    SEGMENT,
    TAGS,
    Kind,
    Limits,
    Message,
    Opening,
    opening,
    read,
    value_of,
)
from tensorlite.distributed.transport.segments import Lease
from tensorlite.runtime.rendezvous import Key

BUFFER = 1 << 18
SPARE = 2
"""Large payloads whose memory is kept for others."""
_SPLIT = struct.Struct(f"<{FORM}sQQQI")
"""A header, what stands before the numbers being one part: the form of the message."""
_SHORT = 256
"""Bytes between the header and the payload of messages that are known at the most."""
_made = tuple.__new__
Came: TypeAlias = tuple[Message, "Array | None"]
"""A message and its value, unless that is dead or in a segment."""


@dataclass(slots=True)
class _Form:
    """Messages that were in order and say the same before their numbers; and the last of them."""

    tag: int
    """Where this begins, then the name and the payload."""
    label: int
    length: int
    inline: bool
    """Whether the payload follows."""
    message: Message
    """Like which they are but for the key."""
    key: Key
    size: int = -1
    data: bytes = b""
    """What stood between the numbers and the payload."""
    quick: Any = None
    """The dtype, for arrays that any bytes make."""


class Decoder:
    """Takes bytes as they come, in pieces of any size, and gives messages with their values.

    Read into `space()`, then tell `took` how many bytes were read. A large payload is read
    into its place at once.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._buffer = memoryview(bytearray(BUFFER))
        self._forms: dict[bytes, _Form] = {}
        self._known: dict[tuple[bytes, int, bytes, bytes], tuple[Message, Any]] = {}
        """Messages that were in order, by form, size, shape and name: all but the numbers. With
        each is the dtype of arrays that any bytes make."""
        self._spare: deque[bytearray] = deque(maxlen=SPARE)
        """Memory of large payloads that nobody has any more."""
        self._start = self._end = 0
        self._message: Message | None = None
        self._payload = np.empty(0, np.uint8)
        self._filled = 0

    @property
    def missing(self) -> int:
        """How many bytes are due of the payload that is being read."""
        return 0 if self._message is None else len(self._payload) - self._filled

    def space(self) -> memoryview:
        """Return where the next bytes go; it is never empty."""
        if self._message is not None:
            return self._payload.data[self._filled :]
        if self._start == self._end:
            self._start = self._end = 0
        elif BUFFER - self._end < LONGEST:
            left = bytes(self._buffer[self._start : self._end])
            self._start, self._end = 0, len(left)
            self._buffer[: len(left)] = left
        return self._buffer[self._end :]

    def took(self, count: int) -> list[Came]:
        """Return the messages that are whole now; ProtocolError for what is none."""
        if self._message is not None:
            self._filled += count
        else:
            self._end += count
        came: list[Came] = []
        while self._start < self._end or self._message is not None:
            found = self._again() if self._message is None else None
            found = found or self._next()
            if found is None:
                break
            came.append(found)
        return came

    def _next(self) -> Came | None:
        if self._message is None and not self._begin():
            return None
        message = self._message
        assert message is not None
        if self._filled < len(self._payload):
            return None
        self._message = None
        carries = message.payload or message.dtype is not None
        inline = carries and not message.flags & SEGMENT
        payload, self._payload = self._payload, np.empty(0, np.uint8)
        return message, value_of(message, payload) if inline else None

    def _again(self) -> Came | None:
        """Return a message that is whole, if one was in order that differs in numbers only."""
        start, buffer = self._start, self._buffer
        if self._end - start < HEADER.size:
            return None
        name, incarnation, step, size, segment = _SPLIT.unpack_from(buffer, start)
        form = self._forms.get(name)
        if form is None:
            return None
        first = start + form.length
        end = first + size if form.inline else first
        if end > self._end:
            return None
        data = bytes(buffer[start + HEADER.size : first])
        if (data != form.data or size != form.size) and not self._recall(
            name, form, size, data
        ):
            return None
        self._start = end
        kind, _, _, _, dtype, shape, _, flags, _ = form.message
        fields = kind, incarnation, step, form.key, dtype, shape, size, flags, segment
        message = _made(Message, fields)
        if dtype is None or not form.inline:
            return message, None
        payload = bytearray(buffer[first:end])
        if form.quick is None:
            return message, value_of(message, payload)
        return message, np.ndarray(shape, form.quick, payload)

    def _recall(self, name: bytes, form: _Form, size: int, data: bytes) -> bool:
        """Have a form say what it says with these sizes, tag and name, if that is known."""
        tag, label = form.tag - HEADER.size, form.label - HEADER.size
        known = self._known.get((name, size, data[:tag], data[label:]))
        if known is None:
            return False
        form.message, form.quick = known
        turns = TAGS[(label - tag) // 8].unpack_from(data, tag)
        form.key = form.message.key[0], turns
        form.size, form.data = size, data
        return True

    def _remember(self, data: memoryview, head: Opening, message: Message) -> None:
        """Keep a message that is in order, if it is short: its like is read faster then."""
        if head.length > HEADER.size + _SHORT or message.kind < Kind.TENSOR:
            return
        if len(self._known) >= KNOWN:
            self._known.clear()
            self._forms.clear()
        name = bytes(data[:FORM])
        tag = HEADER.size + 8 * len(message.shape)
        label = tag + 8 * len(message.key[1])
        if name not in self._forms:
            inline = not message.flags & SEGMENT
            key = message.key
            self._forms[name] = _Form(tag, label, head.length, inline, message, key)
        sizes, text = bytes(data[HEADER.size : tag]), bytes(data[label : head.length])
        quick = None
        if message.dtype not in (None, dtypes.bool_, dtypes.string):
            quick = message.dtype.numpy
        self._known[name, message.payload, sizes, text] = message, quick

    def _memory(self, size: int) -> Array:
        """Return memory for a payload: where a large one was before, if nobody has that any more.

        The system gives new memory by pages, which takes as long as to read it from a wire.
        """
        if size < BUFFER:
            return np.empty(size, np.uint8)
        memory = self._spare.pop() if self._spare else bytearray()
        if not size <= len(memory) <= 2 * size:
            memory = bytearray(size)
        lease = np.ndarray.__new__(Lease, (size,), np.uint8, memory)
        lease.give_back = partial(self._spare.append, memory)
        return lease.view(np.ndarray)

    def _begin(self) -> bool:
        """Read what stands before a payload, and what there is of it; return whether it could."""
        data = self._buffer[self._start : self._end]
        if len(data) < HEADER.size:
            return False
        head = opening(data, self.limits)
        if len(data) < head.length:
            return False
        message = read(data, head)
        self._remember(data, head, message)
        size = 0 if message.flags & SEGMENT else message.payload
        try:
            self._payload = self._memory(size)
        except MemoryError:
            raise ProtocolError(
                f"there is no memory for a tensor of {size} bytes"
            ) from None
        self._message = message
        self._filled = min(size, len(data) - head.length)
        self._payload.data[: self._filled] = data[
            head.length : head.length + self._filled
        ]
        self._start += head.length + self._filled
        return True
