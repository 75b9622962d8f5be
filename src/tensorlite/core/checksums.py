"""CRC-32C, the checksum of TensorFlow's files, fast enough in NumPy for large tensors.

A message is a polynomial over two elements, of which the checksum is the remainder by P. The
polynomial x^6777 + x^484 + x^100 + 1 is a multiple of P, and so is the same with every exponent
64 times as large, for squaring such a polynomial doubles its exponents. A remainder by that takes
three XORs of whole words for each word of the message, which NumPy does thousands at a time; what
is left is short. That masks of checksums are there is LevelDB's doing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tensorlite.core.xp import Array

_REVERSED = 0x82F63B78
"""P, the first bit the highest, as messages have their bits."""
_DEGREE, _FIRST, _SECOND = 6777, 484, 100
_SHORT = 128
"""Up to so many bytes a loop in Python is the fastest."""
_SEGMENT = 2**16
"""So many words at a time are copied, to stay in the processor's cache."""
_ONES = 0xFFFFFFFF
_MASK = 0xA282EAD8


def masked(checksum: int) -> int:
    """Return a checksum as files have it, for checksums of what holds checksums are bad ones.

    >>> from tensorlite.core.checksums import crc32c, masked
    >>> hex(masked(crc32c(b"foo")))
    '0xfebe8a61'
    """
    return ((checksum >> 15 | checksum << 17) + _MASK) & _ONES


def crc32c(data: Any, before: int = 0) -> int:
    """Return the checksum of bytes or of an array's memory; `before` is that of what comes first.

    >>> from tensorlite.core.checksums import crc32c
    >>> hex(crc32c(b"123456789")), crc32c(b"6789", crc32c(b"12345")) == crc32c(b"123456789")
    ('0xe3069283', True)
    """
    state = before ^ _ONES
    message = _bytes(data)
    if len(message) <= _SHORT:
        return _one_by_one(message.tobytes(), state) ^ _ONES
    rest = _by_words(message, state)
    return _remainder(_reduced(rest, _DEGREE)) ^ _ONES


def _bytes(data: Any) -> Array:
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    return np.frombuffer(data, np.uint8)


def _one_by_one(message: bytes, state: int) -> int:
    table = _table()
    for byte in message:
        state = table[(state ^ byte) & 255] ^ state >> 8
    return state


@cache
def _table() -> list[int]:
    """Return what each byte leaves."""
    found = list(range(256))
    for _ in range(8):
        found = [x >> 1 ^ (_REVERSED if x & 1 else 0) for x in found]
    return found


def _by_words(message: Array, state: int) -> Array:
    """Return bytes with the same remainder as a message that begins with a state, but few."""
    first = len(message) % 8
    words = message[first:].view(np.uint64)
    scratch = np.zeros(_DEGREE + 1 + min(_SEGMENT, len(words)), np.uint64)
    count = min(_SEGMENT, len(words))
    # Zeros in front leave no remainder.
    head = scratch[: count + 1].view(np.uint8)
    head[8 - first : 8] = message[:first]
    scratch[1 : count + 1] = words[:count]
    head[8 - first : 12 - first] ^= np.frombuffer(
        state.to_bytes(4, "little"), np.uint8
    )
    left = _reduced(scratch[: count + 1], _DEGREE)
    for start in range(_SEGMENT, len(words), _SEGMENT):
        some = words[start : start + _SEGMENT]
        end = len(left) + len(some)
        scratch[: len(left)] = left.copy()
        scratch[len(left) : end] = some
        left = _reduced(scratch[:end], _DEGREE)
    return left.view(np.uint8)


def _reduced(units: Array, degree: int) -> Array:
    """Return the last units of a message, so that the remainder stays; the message is changed."""
    last = len(units) - degree
    step = degree - _FIRST
    for start in range(0, max(last, 0), step):
        some = units[start : min(start + step, last)]
        for behind in (step, degree - _SECOND, degree):
            units[start + behind : start + behind + len(some)] ^= some
    return units[max(last, 0) :]


def _remainder(message: Array) -> int:
    """Return what a short message leaves: the sum of what each of its bits does."""
    bits = np.flatnonzero(np.unpackbits(message, bitorder="little"))
    shares = _shares()[len(_shares()) - 8 * len(message) :]
    return int(np.bitwise_xor.reduce(shares[bits]))


@cache
def _shares() -> Array:
    """Return what each bit of a message of the greatest length leaves."""
    table = _table()
    found = np.empty(8 * _DEGREE, np.uint32)
    states = [_one_by_one(bytes([1 << bit]), 0) for bit in range(8)]
    for place in range(_DEGREE, 0, -1):
        found[8 * place - 8 : 8 * place] = states
        states = [table[x & 255] ^ x >> 8 for x in states]
    return found
