"""Tensors as bytes, in TensorFlow's format of them (TensorProto), and sparse tensors as three such.

What reads and writes whole graphs is in interop/tensorflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, of_numpy
from tensorlite.core.errors import DataLossError, DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.records.wire import apart, field, fields, joined, signed, varint
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.joining import as_bytes

__all__ = [
    "deserialize_many_sparse",
    "parse_tensor",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
]

_NUMBERS = {
    1: dtypes.float32,
    2: dtypes.float64,
    3: dtypes.int32,
    4: dtypes.uint8,
    5: dtypes.int16,
    6: dtypes.int8,
    7: dtypes.string,
    8: dtypes.complex64,
    9: dtypes.int64,
    10: dtypes.bool_,
    14: dtypes.bfloat16,
    17: dtypes.uint16,
    18: dtypes.complex128,
    19: dtypes.float16,
    22: dtypes.uint32,
    23: dtypes.uint64,
}
"""TensorFlow's numbers of dtypes."""
_OF_DTYPE = {dtype: number for number, dtype in _NUMBERS.items()}
_DTYPE, _SHAPE, _CONTENT, _TEXTS = 1, 2, 4, 8
_PACKED = {
    5: dtypes.float32,
    6: dtypes.float64,
    9: dtypes.float32,
    12: dtypes.float64,
}
"""Fields of numbers of fixed size, one after the other; of complex ones two each."""
_COUNTED = (7, 10, 11, 16, 17)
"""Fields of numbers of seven bits a byte."""


def to_bytes(array: Array, whole: bool = False) -> bytes:
    r"""Return an array as the bytes of a TensorProto; `whole`: with texts as one piece, too.

    >>> to_bytes(np.array([1, 2], np.uint8))
    b'\x08\x04\x12\x04\x12\x02\x08\x02"\x02\x01\x02'
    """
    dtype = of_numpy(array.dtype)
    sizes = b"".join([field(2, field(1, size)) for size in array.shape])
    head = field(_DTYPE, _OF_DTYPE[dtype]) + field(_SHAPE, sizes)
    if dtype is dtypes.string:
        texts = [as_bytes(text) for text in array.ravel().tolist()]
        if whole:
            return head + (field(_CONTENT, joined(texts)) if texts else b"")
        return head + b"".join([field(_TEXTS, text) for text in texts])
    return head + (field(_CONTENT, array.tobytes()) if array.size else b"")


def _read(data: bytes) -> Array:
    given = list(fields(data))
    found = dict(given)
    dtype = _NUMBERS[_number(found[_DTYPE])]
    sizes = _sizes(_part(found.get(_SHAPE, b"")))
    if dtype is dtypes.string:
        return _elements(_texts(given, math.prod(sizes)), tuple(sizes))
    numbers = _listed(found)
    if numbers is None:
        content = _part(found.get(_CONTENT, b""))
        return np.frombuffer(content, dtype.numpy).reshape(sizes).copy()
    if dtype.is_complex:
        numbers = np.ascontiguousarray(numbers).view(dtype.numpy)
    whole = numbers.astype(dtype.numpy)
    return np.resize(whole, sizes) if len(whole) == 1 else whole.reshape(sizes)


def _texts(given: list[tuple[int, int | bytes]], count: int) -> list[bytes]:
    """Return texts, which stand one by one, or as one piece of memory."""
    content = _part(dict(given).get(_CONTENT, b""))
    if content:
        return apart(content, count)
    return [_part(x) for key, x in given if key == _TEXTS]


def _listed(found: dict[int, int | bytes]) -> Array | None:
    """Return numbers that stand in a list of their kind, None where there is none."""
    for key, value in found.items():
        if key in _PACKED:
            return np.frombuffer(_part(value), _PACKED[key].numpy)
        if key in _COUNTED:
            return np.array(_counted(_part(value)), np.int64)
    return None


def _part(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise DataLossError("a number stands where there should be bytes")
    return value


def _number(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise DataLossError("bytes stand where there should be a number")
    return value


def _sizes(shape: bytes) -> list[int]:
    """Return the sizes of a TensorShapeProto."""
    found = []
    for number, dim in fields(shape):
        if number == 2 and isinstance(dim, bytes):
            size = dict(fields(dim)).get(1, 0)
            found.append(size if isinstance(size, int) else 0)
    return found


def _counted(data: bytes) -> list[int]:
    place, found = 0, []
    while place < len(data):
        number, place = varint(data, place)
        found.append(signed(number))
    return found


class SerializeTensor(Op):
    """A tensor as the bytes of a TensorProto."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return one string."""
        _allowed(self, x)
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the bytes."""
        return _elements([to_bytes(x)], ())


class ParseTensor(Op):
    """The tensor whose bytes a string is."""

    differentiable = False
    out_type: DType

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return a tensor of an unknown shape."""
        _one_string(self, x, 0)
        return TensorSpec(None, self.out_type)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the tensor; InvalidArgumentError for other bytes, or another dtype."""
        return _typed(as_bytes(x.item()), self.out_type)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a sparse tensor as an element of a tensor of dtype variant."""

    array: Array


def part_of(held: Any, dtype: DType, what: str) -> Array:
    """Return a part of a sparse tensor, of its bytes or as it is; it must be of a dtype."""
    if not isinstance(held, Part):
        return _typed(as_bytes(held), dtype, what)
    if of_numpy(held.array.dtype) is not dtype:
        raise InvalidArgumentError(
            f"{what} is a part of dtype {of_numpy(held.array.dtype).name}; asked for is "
            f"{dtype.name}"
        )
    return held.array


class SerializeSparse(Op):
    """A sparse tensor as three strings or values: its indices, values and shape."""

    differentiable = False
    out_type: DType = dtypes.string

    def infer(
        self, indices: TensorSpec, values: TensorSpec, dense_shape: TensorSpec
    ) -> TensorSpec:
        """Return three strings, or variants if asked for these."""
        _allowed(self, values)
        return TensorSpec((3,), _serial(self, self.out_type))

    def kernel(self, xp: Xp, *parts: Array) -> Array:
        """Return the bytes of each part, or each as it is."""
        if self.out_type is dtypes.variant:
            return _elements([Part(to_host(part)) for part in parts], (3,))
        return _elements([to_bytes(part, whole=True) for part in parts], (3,))


class SerializeManySparse(Op):
    """The rows of a sparse tensor as three strings or values each."""

    differentiable = False
    out_type: DType = dtypes.string

    def infer(
        self, indices: TensorSpec, values: TensorSpec, dense_shape: TensorSpec
    ) -> TensorSpec:
        """Return three strings for each row, or variants if asked for these."""
        _allowed(self, values)
        return TensorSpec((None, 3), _serial(self, self.out_type))

    def kernel(self, xp: Xp, *parts: Array) -> Array:
        """Return the bytes; InvalidArgumentError unless there are rows, in ascending order."""
        indices, values, sizes = parts
        if len(sizes) < 2:
            raise InvalidArgumentError(
                f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)}"
            )
        rows = indices[:, 0]
        if (np.diff(rows) < 0).any() or (rows < 0).any() or (rows >= sizes[0]).any():
            raise InvalidArgumentError(
                f"serialize_many_sparse: the rows {rows.tolist()} must ascend, from 0 to below "
                f"{sizes[0]}"
            )
        ends = np.searchsorted(rows, np.arange(int(sizes[0]) + 1))
        found: list[Any] = []
        for start, end in pairwise(ends):
            row = indices[start:end, 1:], values[start:end], sizes[1:]
            if self.out_type is dtypes.variant:
                found += [Part(to_host(part)) for part in row]
            else:
                inner, held, shape = row
                found += [
                    to_bytes(inner),
                    to_bytes(held, whole=True),
                    to_bytes(shape),
                ]
        return _elements(found, (len(found) // 3, 3))


class DeserializeManySparse(Op):
    """Sparse tensors of one rank as the rows of one, as large as the largest of them."""

    differentiable = False
    out_type: DType
    rank: int = 0
    """The rank of the result; 0: it is not known."""

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
        """Return the specs of indices, values and shape."""
        _one_string(self, x, 2)
        return (
            TensorSpec((None, self.rank or None), dtypes.int64),
            TensorSpec((None,), self.out_type),
            TensorSpec((self.rank or None,), dtypes.int64),
        )

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array, Array]:
        """Return the parts; InvalidArgumentError for bytes of no sparse tensor of the dtype."""
        kinds = (dtypes.int64, self.out_type, dtypes.int64)
        indices, values, shapes = [], [], []
        for row, texts in enumerate(x.tolist()):
            inner, held, shape = [
                _typed(as_bytes(text), kind, f"serialized_sparse[{row}, {i}]")
                for i, (text, kind) in enumerate(zip(texts, kinds, strict=True))
            ]
            indices.append(np.insert(inner, 0, row, axis=1))
            values.append(held)
            shapes.append(shape)
        ranks = {len(shape) for shape in shapes}
        if len(ranks) > 1 or any(
            x.shape[1] != len(s) + 1 for x, s in _pairs(indices, shapes)
        ):
            raise InvalidArgumentError(
                "Inconsistent rank across SparseTensors: there are ranks "
                f"{sorted(ranks)}, and indices of {sorted({x.shape[1] - 1 for x in indices})}"
            )
        if not shapes:
            width = self.rank or 1
            empty = np.zeros((0, width), np.int64), np.zeros(0, self.out_type.numpy)
            return *empty, np.zeros(width, np.int64)
        sizes = np.insert(np.max(shapes, axis=0), 0, len(shapes))
        return np.concatenate(indices), np.concatenate(values), sizes


def _pairs(a: list[Array], b: list[Array]) -> Sequence[tuple[Array, Array]]:
    return list(zip(a, b, strict=True))


def _allowed(op: Op, x: TensorSpec) -> None:
    if x.dtype not in _OF_DTYPE:
        raise DTypeError(
            f"{op.name}: {x} has no bytes; allowed are numbers and strings"
        )


def _one_string(op: Op, x: TensorSpec, rank: int) -> None:
    if x.dtype is not dtypes.string or x.rank not in (rank, None):
        what = "one string" if rank == 0 else "a matrix of strings, three in a row"
        raise DTypeError(f"{op.name} takes {what}, not {x}")


def _serial(op: Op, out_type: DType) -> DType:
    """Return what sparse tensors are made into; DTypeError for other dtypes."""
    if out_type not in (dtypes.string, dtypes.variant):
        raise DTypeError(
            f"{op.name}: out_type={out_type.name}; allowed are string and variant"
        )
    return out_type


def _elements(held: list[Any], shape: tuple[int, ...]) -> Array:
    made: Array = np.empty(len(held), object)
    made[:] = held
    return made.reshape(shape)


def _typed(data: bytes, dtype: DType, what: str = "serialized") -> Array:
    try:
        found = _read(data)
    except (DataLossError, KeyError, ValueError, TypeError) as error:
        raise InvalidArgumentError(
            f"Could not parse {what} as a tensor: {data[:40]!r}: {error}"
        ) from None
    if of_numpy(found.dtype) is not dtype:
        raise InvalidArgumentError(
            f"Type mismatch between parsed tensor ({of_numpy(found.dtype).name}) and dtype "
            f"({dtype.name}): {what}"
        )
    return found


def serialize_tensor(x: TensorLike, /) -> Tensor:
    r"""Return a tensor as bytes, as TensorFlow writes it (a TensorProto).

    >>> print(tl.io.parse_tensor(tl.io.serialize_tensor([1.5, 2.5]), tl.float32))
    [1.5 2.5]
    """
    return call(SerializeTensor(), x)


def parse_tensor(serialized: TensorLike, out_type: DTypeLike) -> Tensor:
    """Return the tensor whose bytes a string is, as `serialize_tensor` gives it.

    >>> print(tl.io.parse_tensor(tl.io.serialize_tensor([[3]]), tl.int32))
    [[3]]
    """
    return call(ParseTensor(as_dtype(out_type)), serialized)


def serialize_sparse(sp: SparseTensor, out_type: DTypeLike = dtypes.string) -> Tensor:
    """Return a sparse tensor as three strings, or as three values of dtype variant.

    >>> sp = tl.sparse.SparseTensor([[0, 1]], [5.0], (2, 2))
    >>> tl.io.serialize_sparse(sp).shape
    (3,)
    """
    return call(SerializeSparse(as_dtype(out_type)), *sp)


def serialize_many_sparse(
    sp: SparseTensor, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Return each row of a sparse tensor as three strings, or variants; the rows must ascend.

    >>> sp = tl.sparse.SparseTensor([[0, 1]], [5.0], (2, 2))
    >>> tl.io.serialize_many_sparse(sp).shape
    (2, 3)
    """
    return call(SerializeManySparse(as_dtype(out_type)), *sp)


def deserialize_many_sparse(
    serialized: TensorLike, dtype: DTypeLike, rank: int | None = None
) -> SparseTensor:
    """Return sparse tensors, three strings each, as the rows of one; `rank` is that of each.

    >>> sp = tl.sparse.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], (2, 2))
    >>> again = tl.io.deserialize_many_sparse(tl.io.serialize_many_sparse(sp), tl.float32)
    >>> print(tl.sparse.to_dense(again))
    [[0. 5.]
     [6. 0.]]
    """
    outer = 0 if rank is None else rank + 1
    parts = calls(DeserializeManySparse(as_dtype(dtype), outer), serialized)
    return SparseTensor(*parts)
