"""Bytes as numbers: decode_raw; and what bytes are compressed from.

Text as columns is in csv.py, examples are in records/examples.py.
"""

from __future__ import annotations

import sys
import zlib

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import (
    DataLossError,
    DTypeError,
    InvalidArgumentError,
    ResourceExhaustedError,
)
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings.joining import as_bytes

__all__: list[str] = []


class DecodeRaw(Op):
    """The bytes of strings, as numbers along a new last axis."""

    differentiable = False
    out_type: DType
    little_endian: bool = True
    fixed_length: int = 0
    """To how many bytes strings are cut or filled up; 0: they are all of one length."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with one more axis."""
        if x.dtype is not dtypes.string:
            raise DTypeError(f"decode_raw takes strings, not {x}")
        if not (self.out_type.is_numeric or self.out_type is dtypes.bool_):
            raise DTypeError(
                f"decode_raw: out_type={self.out_type.name}; allowed are numbers"
            )
        if x.shape is None:
            return TensorSpec(None, self.out_type)
        count = self.fixed_length // self.out_type.itemsize or None
        return TensorSpec((*x.shape, count), self.out_type)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the numbers; InvalidArgumentError for strings of other lengths."""
        texts = [as_bytes(text) for text in x.ravel().tolist()]
        length = self._length(texts)
        padded = b"".join([text[:length].ljust(length, b"\0") for text in texts])
        swapped = self.little_endian != (sys.byteorder == "little")
        kind = self.out_type.numpy
        flat = np.frombuffer(padded, kind)
        if swapped and self.out_type.itemsize > 1:
            flat = flat.byteswap()
        return flat.reshape(*x.shape, length // self.out_type.itemsize).copy()

    def _length(self, texts: list[bytes]) -> int:
        """Return how many bytes each string has, or is cut or filled up to."""
        size = self.out_type.itemsize
        if self.fixed_length:
            if self.fixed_length % size or self.fixed_length < 0:
                raise InvalidArgumentError(
                    f"decode_raw: fixed_length={self.fixed_length}; allowed are multiples of "
                    f"{size}, the bytes of {self.out_type.name}"
                )
            return self.fixed_length
        lengths = [len(text) for text in texts]
        length = lengths[0] if lengths else 0
        for i, other in enumerate(lengths):
            if other != length:
                raise InvalidArgumentError(
                    "DecodeRaw requires input strings to all be the same size, but element "
                    f"{i} has size {other} != {length}"
                )
        if length % size:
            raise InvalidArgumentError(
                f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the "
                f"size of {self.out_type.name}"
            )
        return length


class DecodeCompressed(Op):
    """The bytes that strings are compressed from."""

    differentiable = False
    compression_type: str = ""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape; DTypeError unless it is of strings."""
        if x.dtype is not dtypes.string:
            raise DTypeError(f"decode_compressed takes strings, not {x}")
        if self.compression_type not in _WINDOWS:
            raise InvalidArgumentError(
                f"decode_compressed: compression_type={self.compression_type!r}; allowed are "
                + ", ".join(map(repr, _WINDOWS))
            )
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the bytes; DataLossError for what is not compressed so."""
        out = np.empty(x.size, object)
        for place, text in enumerate(x.ravel().tolist()):
            out[place] = self._plain(as_bytes(text))
        return out.reshape(x.shape)

    def _plain(self, data: bytes) -> bytes:
        window = _WINDOWS[self.compression_type]
        if window is None:
            return data
        inflate = zlib.decompressobj(window)
        try:
            found = inflate.decompress(data, MOST_INFLATED)
        except zlib.error as error:
            raise DataLossError(f"decode_compressed: {error}") from None
        if inflate.unconsumed_tail:
            raise ResourceExhaustedError(
                f"decode_compressed: a string is of more than {MOST_INFLATED} bytes"
            )
        return found


_WINDOWS = {"": None, "ZLIB": zlib.MAX_WBITS, "GZIP": 16 + zlib.MAX_WBITS}
"""How zlib is told each kind of compression."""
MOST_INFLATED = 2**30
"""How many bytes a string may become."""


def decode_compressed(x: TensorLike, compression_type: str = "") -> Tensor:
    r"""Return the bytes that strings are compressed from, by "ZLIB", "GZIP" or not at all.

    Raises DataLossError for what is not compressed so. Source: TensorFlow's DecodeCompressed.

    >>> import zlib
    >>> print(tl.io.decode_compressed([zlib.compress(b"abc")], "ZLIB"))
    [b'abc']
    """
    return call(DecodeCompressed(compression_type), x)


def decode_raw(
    x: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
) -> Tensor:
    r"""Return the bytes of strings as numbers, along a new last axis.

    With `fixed_length` strings are cut, or filled up with zeros, to so many bytes; else all must
    have the same length.

    >>> print(tl.io.decode_raw([b"\x01\x00", b"\x02\x01"], tl.uint8))
    [[1 0]
     [2 1]]
    """
    return call(DecodeRaw(as_dtype(out_type), little_endian, fixed_length or 0), x)
