"""Parcels: values to be sent, the messages that they become, and what is counted of them.

How messages go is links.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.messages import (
    DEAD,
    Kind,
    Limits,
    Message,
    raw,
)
from tensorlite.runtime.rendezvous import Key


class Parcel(NamedTuple):
    """A value to send."""

    key: Key
    value: Array | bytes | None
    """Bytes come as an array of uint8."""
    dead: bool = False


def size_of(parcel: Parcel) -> int:
    """Return how many bytes the value of a parcel has."""
    _, value, dead = parcel
    if dead or value is None:
        return 0
    return len(value) if isinstance(value, bytes) else int(value.nbytes)


@dataclass
class Traffic:
    """What went between this task and another, since the beginning."""

    messages_out: int = 0
    messages_in: int = 0
    bytes_out: int = 0
    """Of the tensors alone."""
    bytes_in: int = 0
    dropped: int = 0
    """Messages of an incarnation that is over."""
    heard: float | None = None
    """When a message came last, by the carrier's clock."""


def message_of(
    own: int, step: int, parcel: Parcel, limits: Limits
) -> tuple[Message, Array | None]:
    """Return the message for a value, and its bytes, which may be a view of it."""
    if parcel.dead:
        return Message(Kind.TENSOR, own, step, parcel.key, flags=DEAD), None
    dtype, shape, data = raw(parcel.value)
    if data.nbytes > limits.payload:
        raise InvalidArgumentError(
            f"{parcel.key[0]} has {data.nbytes} bytes, more than the {limits.payload} "
            "that may be sent at once: send it in pieces"
        )
    kind = Kind.TENSOR
    message = Message(kind, own, step, parcel.key, dtype, shape, data.nbytes)
    return message, data
