"""The form of messages: every array comes back, and nothing else gets through."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tensorlite.core.errors import DTypeError, InvalidArgumentError, ProtocolError
from tensorlite.distributed.transport.decoder import Decoder
from tensorlite.distributed.transport.messages import (
    AXES,
    DEAD,
    HEADER,
    MAGIC,
    NAME,
    SEGMENT,
    VERSION,
    Kind,
    Limits,
    Message,
    raw,
    whole,
)
from tests.distributed.values import ARRAYS, same

LIMITS = Limits(payload=1 << 24)


def encoded(value: Any, key: Any = ("x", (3, 1)), step: int = 5) -> bytes:
    dtype, shape, data = raw(value)
    message = Message(Kind.TENSOR, 7, step, key, dtype, shape, data.nbytes)
    return message.encode() + bytes(data)


def decoded(data: bytes, piece: int = 1 << 20) -> list[tuple[Message, Any]]:
    """Return the messages and values in `data`, which comes in pieces."""
    decoder = Decoder(LIMITS)
    found: list[tuple[Message, Any]] = []
    while data:
        space = decoder.space()
        count = min(len(space), piece, len(data))
        assert count
        space[:count] = data[:count]
        data = data[count:]
        found += decoder.took(count)
    return found


@pytest.mark.parametrize("name", ARRAYS)
def test_the_like_of_what_came_comes_back_too(name: str) -> None:
    """What is known of a message is used for the next: its numbers and payload are its own."""
    values = [ARRAYS[name], ARRAYS[name][::-1] if ARRAYS[name].ndim else ARRAYS[name]]
    data = b"".join(encoded(v, step=i) for i, v in enumerate(values * 3))
    found = decoded(data)
    for i, (message, value) in enumerate(found):
        same(value, values[i % 2])
        assert message.step == i
        if not value.dtype.hasobject:
            assert value.flags.writeable
            assert value.flags.aligned
    assert len(found) == 6


def test_bytes_come_as_an_array_of_them() -> None:
    for data in (b"", b"abc"):
        made = whole(7, 1, ("x", (2,)), data, 100)
        assert made == encoded(np.frombuffer(data, np.uint8), ("x", (2,)), 1)
        assert raw(data)[2].tobytes() == data
    assert whole(7, 1, ("x", ()), b"abc", 2) == b""
    assert whole(7, -1, ("x", ()), b"abc", 100) == b""


@pytest.mark.parametrize("name", [*ARRAYS, "dead"])
def test_small_messages_are_made_at_once(name: str) -> None:
    """The short way says what the long one does, or nothing."""
    value = ARRAYS.get(name)
    for step in (1, 1 << 63):
        made = whole(7, step, ("é", (3, 1)), value, 1 << 16)
        if value is None:
            long = Message(Kind.TENSOR, 7, step, ("é", (3, 1)), flags=DEAD).encode()
        else:
            long = encoded(value, ("é", (3, 1)), step)
        slow = value is not None and (
            value.dtype.hasobject or value.nbytes > 1 << 16 or name == "big-endian"
        )
        assert made == (b"" if slow else long)


def test_what_no_message_can_say_is_not_made_at_once() -> None:
    assert whole(7, -1, ("x", ()), np.ones(3), 100) == b""
    assert whole(7, 1 << 70, ("x", ()), np.ones(3), 100) == b""
    assert whole(7, 1, ("x", ()), 3.0, 100) == b""
    with pytest.raises(InvalidArgumentError, match="name"):
        whole(7, 1, ("n" * (NAME + 1), ()), np.ones(3), 100)
    assert whole(7, 1, ("x", (1 << 70,)), np.ones(3), 100) == b""
    with pytest.raises(InvalidArgumentError, match="allowed are"):
        whole(7, 1, ("x", (0,) * 65), np.ones(3), 100)


def test_messages_that_differ_in_their_turns_alone_are_of_one_form() -> None:
    """Commands and turns of loops have new ones all the time: what is kept stays small."""
    decoder, found = Decoder(Limits()), []
    for i in range(2000):
        data = whole(7, i, ("x", (i, -i)), np.full(3, i, np.int32), 100)
        decoder.space()[: len(data)] = data
        found += [
            (m.step, m.key, value.tolist())  # type: ignore[union-attr]
            for m, value in decoder.took(len(data))
        ]
    assert found == [(i, ("x", (i, -i)), [i] * 3) for i in range(2000)]
    assert len(decoder._known) == 1


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("piece", [1 << 20, 1000])
def test_arrays_come_back_as_they_were(name: str, piece: int) -> None:
    [(message, value)] = decoded(encoded(ARRAYS[name]), piece)
    same(value, ARRAYS[name])
    assert message[:4] == (Kind.TENSOR, 7, 5, ("x", (3, 1)))


def test_pieces_may_be_of_any_size() -> None:
    arrays = [np.arange(n, dtype=np.int32).reshape(1, n) for n in (0, 1, 5, 70)]
    data = b"".join(encoded(array, ("é", (n,))) for n, array in enumerate(arrays))
    data += Message(Kind.TENSOR, key=("dead", ()), flags=DEAD).encode()
    for piece in (1, 2, 3, 7, 40, 41, 1000):
        *living, dead = decoded(data, piece)
        for n, (message, value) in enumerate(living):
            assert message.key == ("é", (n,))
            same(value, arrays[n])
        assert dead[0].flags & DEAD
        assert dead[1] is None


def test_many_messages_pass_through_one_buffer() -> None:
    array = np.arange(2500, dtype=np.float32)
    found = decoded(encoded(array) * 100, 70_001)
    assert len(found) == 100
    for _, value in found:
        same(value, array)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (Message(Kind.TENSOR, key=("n" * (NAME + 1), ())), "name"),
        (Message(Kind.TENSOR, shape=(1,) * (AXES + 1)), "axes"),
        (Message(Kind.TENSOR, key=("x", (1 << 70,))), "too large"),
        (Message(Kind.TENSOR, step=-1), "too large"),
    ],
)
def test_what_no_message_can_say_is_refused(message: Message, error: str) -> None:
    with pytest.raises(InvalidArgumentError, match=error):
        message.encode()


def test_what_lives_on_one_task_does_not_travel() -> None:
    with pytest.raises(DTypeError, match="cannot be sent"):
        raw(np.array([object()], object))


def header(**changed: Any) -> bytes:
    fields: dict[str, Any] = {
        "magic": MAGIC,
        "version": VERSION,
        "kind": Kind.TENSOR,
        "flags": 0,
        "dtype": 4,
        "axes": 0,
        "frames": 0,
        "name": 0,
        "incarnation": 1,
        "step": 1,
        "payload": 4,
        "segment": 0,
    }
    return HEADER.pack(*(fields | changed).values())


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (header(magic=b"GET "), "no message"),
        (header(version=9), "version 9"),
        (header(kind=0), "kind 0"),
        (header(kind=99), "kind 99"),
        (header(flags=16), "flags 16"),
        (header(flags=8), "not in it"),
        (header(dtype=200), "dtype 200"),
        (header(axes=200), "200 axes"),
        (header(frames=200), "200 frames"),
        (header(name=60_000), "60000 bytes of name"),
        (header(payload=1 << 60), "of payload"),
        (header(payload=5), "has 5 bytes"),
        (header(dtype=0), "no dtype"),
        (header(flags=DEAD), "dead"),
        (header(flags=4), "not in it"),
        (header(kind=Kind.CREDIT), "only tensors"),
        (header(kind=Kind.CREDIT, dtype=0), "has a payload"),
        (header(name=1) + b"\xff", "UTF-8"),
        (header(axes=1) + b"\xff" * 8, "no dtype, or the shape"),
        (header(axes=2) + (b"\xff" * 7 + b"\x7f") * 2, "bytes, not"),
        (header(dtype=1, payload=1) + b"\x02", "bool"),
        (header(dtype=16, payload=8) + b"\xff" * 8, "add up"),
        (header(dtype=16, payload=9) + b"\x02" + b"\0" * 7 + b"\xff", "UTF-8"),
        (header(dtype=16, payload=3) + b"abc", "bytes, not"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, error: str) -> None:
    with pytest.raises(ProtocolError, match=error):
        decoded(data)


def test_an_empty_array_has_a_shape_that_can_be() -> None:
    sizes = b"\0" * 8 + (b"\xff" * 7 + b"\x7f") * 2
    with pytest.raises(ProtocolError, match="no array"):
        decoded(header(axes=3, payload=0) + sizes)


def test_a_payload_in_a_segment_is_not_waited_for() -> None:
    [(message, value)] = decoded(header(flags=SEGMENT, segment=3))
    assert message.segment == 3
    assert value is None


GENUINE = encoded(ARRAYS["strings"]) + encoded(ARRAYS["bfloat16"])


@given(st.binary(max_size=300), st.integers(1, 64))
def test_garbage_raises_nothing_else(data: bytes, piece: int) -> None:
    for begun in (data, MAGIC + data, header()[:6] + data):
        with suppress(ProtocolError):
            decoded(begun, piece)


@given(st.data())
def test_damaged_messages_raise_nothing_else(data: st.DataObject) -> None:
    damaged = bytearray(GENUINE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    del damaged[data.draw(st.integers(0, len(damaged))) :]
    with suppress(ProtocolError):
        decoded(bytes(damaged))


@given(st.data())
def test_what_is_known_lets_nothing_through(data: st.DataObject) -> None:
    """A damaged copy of what came is read as if nothing had come: the same, or an error."""
    good = encoded(ARRAYS["bfloat16"])
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))

    def outcome(before: bytes) -> list[Any]:
        try:
            found = decoded(before + bytes(damaged))
        except ProtocolError as error:
            return [str(error)]
        return [(m, m.dtype and (v.dtype, v.shape, v.tobytes())) for m, v in found]

    after = outcome(good * 2)
    assert after[2:] == outcome(b"") if len(after) > 1 else after == outcome(b"")


def test_large_payloads_take_the_memory_of_those_that_nobody_has() -> None:
    """What somebody has is never written to, whatever view of it that is."""
    decoder = Decoder(Limits())

    def came(number: int, size: int = 1 << 20) -> Any:
        data = encoded(np.full(size, number, np.uint8), step=number)
        found: list[tuple[Message, Any]] = []
        while data:
            space = decoder.space()
            count = min(len(space), len(data))
            space[:count] = data[:count]
            data = data[count:]
            found += decoder.took(count)
        ((_, value),) = found
        return value

    first = came(1)
    kept = first.reshape(2, -1)[1]
    del first
    places = {kept.ctypes.data}
    for number in range(2, 6):
        value = came(number)
        assert set(value.tolist()[:: 1 << 18]) == {number}
        places.add(value.ctypes.data)
        assert set(kept.tolist()[:: 1 << 18]) == {1}
        del value
    assert len(places) <= 3
    assert len(decoder._spare) == 1
    del kept
    assert len(decoder._spare) == 2
    assert came(6, 1 << 22).size == 1 << 22  # for which there is no room in these
