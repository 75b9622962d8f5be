"""Strings as numbers of buckets, by TensorFlow's hash functions; base64.

Of Fingerprint64 see G. Pike, "FarmHash" (2014); of the keyed hash J.-P. Aumasson and D. J.
Bernstein, "SipHash: a fast short-input PRF" (2012).
"""

from __future__ import annotations

import base64
import binascii
from abc import abstractmethod
from collections.abc import Sequence
from struct import unpack_from

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings.joining import as_bytes
from tensorlite.ops.strings.text import each_string, strings_only

__all__ = [
    "decode_base64",
    "encode_base64",
    "fingerprint",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
]

_ALL = 2**64 - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_SEED = 0xDECAFCAFFE
Pair = tuple[int, int]


def _turned(x: int, by: int) -> int:
    """Return 64 bits turned to the right."""
    x &= _ALL
    return (x >> by | x << (64 - by)) & _ALL


def _word(data: bytes, at: int) -> int:
    found: int = unpack_from("<Q", data, at)[0]
    return found


def _half(data: bytes, at: int) -> int:
    found: int = unpack_from("<I", data, at)[0]
    return found


def _folded(x: int) -> int:
    x &= _ALL
    return x ^ (x >> 47)


def _pair_hash(u: int, v: int, factor: int) -> int:
    a = _folded((u ^ v) * factor)
    return _folded((v ^ a) * factor) * factor & _ALL


def _short(data: bytes) -> int:
    count = len(data)
    factor = _K2 + 2 * count
    if count >= 8:
        a, b = _word(data, 0) + _K2, _word(data, count - 8)
        return _pair_hash(
            (_turned(b, 37) * factor + a) & _ALL,
            (_turned(a, 25) + b) * factor & _ALL,
            factor,
        )
    if count >= 4:
        return _pair_hash(
            count + (_half(data, 0) << 3), _half(data, count - 4), factor
        )
    if count:
        y = data[0] + (data[count >> 1] << 8)
        z = count + (data[-1] << 2)
        return _folded((y * _K2) ^ (z * _K0)) * _K2 & _ALL
    return _K2


def _middle(data: bytes) -> tuple[int, int, int, int]:
    """Return what strings of 17 bytes and more begin with: y, a, the second operand, the factor."""
    count = len(data)
    factor = _K2 + 2 * count
    a = _word(data, 0) * (_K1 if count <= 32 else _K2)
    b = _word(data, 8)
    c = _word(data, count - 8) * factor
    d = _word(data, count - 16) * _K2
    y = (_turned(a + b, 43) + _turned(c, 30) + d) & _ALL
    return y, a, (a + _turned(b + _K2, 18) + c) & _ALL, factor


def _up_to_64(data: bytes) -> int:
    y, a, other, factor = _middle(data)
    z = _pair_hash(y, other, factor)
    if len(data) <= 32:
        return z
    count = len(data)
    e = _word(data, 16) * factor
    f = _word(data, 24)
    g = (y + _word(data, count - 32)) * factor
    h = (z + _word(data, count - 24)) * factor
    first = (_turned(e + f, 43) + _turned(g, 30) + h) & _ALL
    return _pair_hash(first, (e + _turned(f + a, 18) + g) & _ALL, factor)


def _weak(data: bytes, at: int, a: int, b: int) -> Pair:
    w, x, y, z = (_word(data, at + 8 * i) for i in range(4))
    a += w
    b = _turned(b + a + z, 21)
    c = a
    a += x + y
    b += _turned(a, 44)
    return (a + z) & _ALL, (b + c) & _ALL


State = tuple[int, int, int, Pair, Pair]


def _mixed(data: bytes, at: int, state: State, factor: int, weight: int) -> State:
    """Return the state after 64 bytes."""
    x, y, z, v, w = state
    x = _turned(x + y + v[0] + _word(data, at + 8), 37) * factor
    y = _turned(y + v[1] + _word(data, at + 48), 42) * factor
    x ^= w[1] * weight
    y += v[0] * weight + _word(data, at + 40)
    z = _turned(z + w[0], 33) * factor
    v = _weak(data, at, v[1] * factor, x + w[0])
    w = _weak(data, at + 32, z + w[1], y + _word(data, at + 16))
    return z & _ALL, y & _ALL, x & _ALL, v, w


def fingerprint64(data: bytes) -> int:
    """Return FarmHash's Fingerprint64 of bytes."""
    count = len(data)
    if count <= 16:
        return _short(data)
    if count <= 64:
        return _up_to_64(data)
    y = 81 * _K1 + 113
    state: State = (
        81 * _K2 + _word(data, 0),
        y,
        _folded(y * _K2 + 113) * _K2,
        (0, 0),
        (0, 0),
    )
    end = (count - 1) // 64 * 64
    for at in range(0, end, 64):
        state = _mixed(data, at, state, _K1, 1)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + ((count - 1) & 63)
    second = v[0] + first
    w, v = (first + second, w[1]), (second, v[1])
    x, y, z, v, w = _mixed(data, count - 64, (x, y, z, v, w), factor, 9)
    # Of the last round only `v` and the second word count as they do before; `x` and `z` change.
    return _pair_hash(
        (_pair_hash(v[0], w[0], factor) + _folded(y) * _K0 + z) & _ALL,
        (_pair_hash(v[1], w[1], factor) + x) & _ALL,
        factor,
    )


def hash64(data: bytes) -> int:
    """Return the hash of TensorFlow's first version of buckets."""
    factor, count = 0xC6A4A7935BD1E995, len(data)
    h = _SEED ^ (count * factor & _ALL)
    whole = count // 8 * 8
    for at in range(0, whole, 8):
        k = _folded(_word(data, at) * factor) * factor & _ALL
        h = (h ^ k) * factor & _ALL
    if whole < count:
        h = (h ^ int.from_bytes(data[whole:], "little")) * factor & _ALL
    return _folded(_folded(h) * factor)


def _left(x: int, by: int) -> int:
    return (x << by | x >> (64 - by)) & _ALL


def _round(v: list[int]) -> None:
    for a, b, first, c, d, second in ((0, 1, 13, 2, 3, 16), (2, 1, 17, 0, 3, 21)):
        v[a] = (v[a] + v[b]) & _ALL
        v[b] = _left(v[b], first) ^ v[a]
        v[a] = _left(v[a], 32)
        v[c] = (v[c] + v[d]) & _ALL
        v[d] = _left(v[d], second) ^ v[c]


def siphash(data: bytes, key: Sequence[int]) -> int:
    """Return the keyed hash of bytes, of two rounds for each word and four at the end."""
    words = (
        0x736F6D6570736575,
        0x646F72616E646F6D,
        0x6C7967656E657261,
        0x7465646279746573,
    )
    v = [word ^ (key[i % 2] & _ALL) for i, word in enumerate(words)]
    rest = len(data) % 8
    tail = data[len(data) - rest :] + bytes(7 - rest) + bytes([len(data) & 255])
    for at in range(0, len(data) - rest + 8, 8):
        m = _word(data, at) if at < len(data) - rest else _word(tail, 0)
        v[3] ^= m
        _round(v)
        _round(v)
        v[0] ^= m
    v[2] ^= 0xFF
    for _ in range(4):
        _round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class _Bucket(Op, abstract=True):
    """The numbers of buckets that strings fall into."""

    differentiable = False
    host = (0,)
    num_buckets: int

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype int64."""
        strings_only(self, x)
        if self.num_buckets < 1:
            raise InvalidArgumentError(
                f"{self.name}: num_buckets={self.num_buckets}; there must be at least one"
            )
        return x.with_dtype(dtypes.int64)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the numbers."""
        return each_string(
            lambda one: self.hashed(as_bytes(one)) % self.num_buckets,
            x,
            dtype=np.int64,
        )

    @abstractmethod
    def hashed(self, data: bytes) -> int:
        """Return the hash of a string."""


class StringToHashBucket(_Bucket):
    """Buckets by the hash function of old graphs."""

    def hashed(self, data: bytes) -> int:
        """Return the hash of a string."""
        return hash64(data)


class StringToHashBucketFast(_Bucket):
    """Buckets by FarmHash."""

    def hashed(self, data: bytes) -> int:
        """Return the hash of a string."""
        return fingerprint64(data)


class StringToHashBucketStrong(_Bucket):
    """Buckets by a keyed hash, which nobody can aim at who does not know the key."""

    key: tuple[int, ...] = (0, 0)

    def hashed(self, data: bytes) -> int:
        """Return the hash of a string."""
        return siphash(data, self.key)


class Fingerprint(Op):
    """Eight bytes that tell the elements of an axis from others."""

    differentiable = False
    host = (0,)

    def infer(self, data: TensorSpec) -> TensorSpec:
        """Return (rows, 8) of uint8; ShapeError for a scalar, which has no rows."""
        if data.rank == 0:
            raise ShapeError(
                "Fingerprint: data must have an axis of rows, not be a scalar"
            )
        rows = None if data.shape is None else data.shape[0]
        return TensorSpec((rows, 8), dtypes.uint8)

    def kernel(self, xp: Xp, data: Array) -> Array:
        """Return the fingerprints."""
        rows = [
            as_bytes(row.item())
            if data.dtype == object and row.size == 1
            else _raw(row)
            for row in data.reshape(len(data), data[:1].size)
        ]
        found = b"".join(fingerprint64(row).to_bytes(8, "little") for row in rows)
        return np.frombuffer(found, np.uint8).reshape(-1, 8).copy()


def _raw(row: Array) -> bytes:
    """Return the bytes that stand for the elements of a row."""
    if row.dtype != object:
        return bytes(row.tobytes())
    hashes = [
        fingerprint64(as_bytes(one)).to_bytes(8, "little") for one in row.tolist()
    ]
    return b"".join(hashes)


class EncodeBase64(Op):
    """Strings in base64, of the alphabet that web addresses take."""

    differentiable = False
    host = (0,)
    pad: bool = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        strings_only(self, x)
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the strings."""

        def encoded(text: bytes | str) -> bytes:
            found = base64.urlsafe_b64encode(as_bytes(text))
            return found if self.pad else found.rstrip(b"=")

        return each_string(encoded, x)


class DecodeBase64(Op):
    """What strings in base64 stand for."""

    differentiable = False
    host = (0,)

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        strings_only(self, x)
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the strings."""

        def decoded(text: bytes | str) -> bytes:
            data = as_bytes(text).rstrip(b"=")
            try:
                return base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))
            except binascii.Error as error:
                raise InvalidArgumentError(
                    f"{text!r} is no base64: {error}"
                ) from None

        return each_string(decoded, x)


def to_hash_bucket(x: TensorLike, num_buckets: int) -> Tensor:
    """Return the bucket of each string by the hash function of TensorFlow's old graphs.

    >>> print(tl.strings.to_hash_bucket(["Hello", "TensorFlow"], 10))
    [1 2]
    """
    return call(StringToHashBucket(num_buckets), x)


def to_hash_bucket_fast(x: TensorLike, num_buckets: int) -> Tensor:
    """Return the bucket of each string by FarmHash: the same in every program.

    >>> print(tl.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3))
    [0 2 2]
    """
    return call(StringToHashBucketFast(num_buckets), x)


def to_hash_bucket_strong(
    x: TensorLike, num_buckets: int, key: Sequence[int]
) -> Tensor:
    """Return the bucket of each string by a hash with a key of two integers.

    >>> print(tl.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]))
    [2 0]
    """
    if len(key) != 2:
        raise InvalidArgumentError(f"key={key!r}; it is two integers")
    return call(StringToHashBucketStrong(num_buckets, tuple(key)), x)


def fingerprint(data: TensorLike) -> Tensor:
    """Return eight bytes for each row of a tensor that tell it from others (FarmHash).

    >>> tl.strings.fingerprint(["a", "b"]).shape
    (2, 8)
    """
    return call(Fingerprint(), data)


def encode_base64(x: TensorLike, pad: bool = False) -> Tensor:
    """Return strings in base64, of the alphabet that web addresses take.

    >>> print(tl.strings.encode_base64(["abc?"]))
    [b'YWJjPw']
    """
    return call(EncodeBase64(pad), x)


def decode_base64(x: TensorLike) -> Tensor:
    """Return what strings in base64 stand for.

    >>> print(tl.strings.decode_base64(["YWJjPw"]))
    [b'abc?']
    """
    return call(DecodeBase64(), x)
