"""Checkpoints of TensorFlow's first format: tables whose values are TensorProtos of slices.

They are read and written with TensorFlow's messages, which an extra brings; checkpoints of the
second format, in bundles.py, are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dtypes import bfloat16, float16, of_numpy, string
from tensorlite.core.errors import (
    DataLossError,
    GraphDefError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.core.xp import Array
from tensorlite.interop.tensorflow.messages import message, parsed
from tensorlite.interop.tensorflow.stored import slices
from tensorlite.interop.tensorflow.stored.bundle_writing import Saved, replaced
from tensorlite.interop.tensorflow.stored.bundles import known_dtype, line, shape_of
from tensorlite.interop.tensorflow.stored.slices import Extent, Slice
from tensorlite.interop.tensorflow.stored.tables import Table, table_of
from tensorlite.interop.tensorflow.tensors import OF_DTYPE, array_of, shape_proto
from tensorlite.ops.records import wire

_META, _DATA = 1, 2
_NAME, _SHAPE, _TYPE, _SLICE = 1, 2, 3, 4
_TENSOR = 3


class Held(NamedTuple):
    """What a file says of a tensor."""

    dtype: int
    shape: tuple[int, ...]
    slices: tuple[tuple[Slice, Table], ...]


class Tables:
    """A checkpoint of some files, whose tensors are read when they are asked for."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.entries: dict[str, Held] = {}
        self.size = sum(path.stat().st_size for path in paths)
        for path in paths:
            table = Table(path)
            meta = table.get(b"")
            if meta is None:
                raise DataLossError(f"{path} does not say what is in it")
            for number, value in wire.fields(meta):
                if number == _META and isinstance(value, bytes):
                    self._meta(value, table)

    def _meta(self, meta: bytes, table: Table) -> None:
        for number, value in wire.fields(meta):
            if number != 1 or not isinstance(value, bytes):
                continue
            name, dtype, parts = "", 0, []
            shape: tuple[int, ...] = ()
            for which, one in wire.fields(value):
                if which == _TYPE and isinstance(one, int):
                    dtype = one
                elif isinstance(one, bytes):
                    name = (
                        one.decode(errors="surrogateescape")
                        if which == _NAME
                        else name
                    )
                    shape = shape_of(one) if which == _SHAPE else shape
                    parts += [slices.of_message(one)] if which == _SLICE else []
            before = self.entries.get(name, Held(dtype, shape, ()))
            here = tuple([(part, table) for part in parts])
            self.entries[name] = Held(dtype, shape, before.slices + here)

    def lines(self) -> list[bytes]:
        """Return lines for reading, by the names of the tensors."""
        made = []
        for name, held in sorted(self.entries.items()):
            count = len(held.slices)
            remark = b", %d slices" % count if count > 1 else b""
            key = name.encode(errors="surrogateescape")
            made.append(line(key, held.dtype, held.shape, remark))
        return made

    def read(self, name: str) -> Array:
        """Return a tensor; DataLossError when it is damaged."""
        held = self.entries.get(name)
        if held is None:
            raise NotFoundError(f"the checkpoint has no tensor {name!r}")
        dtype = known_dtype(name, held.dtype)
        if len(held.slices) == 1:
            part, table = held.slices[0]
            if held.shape == self._extent(name, held, part):
                return self._part(name, held, part, table)
        if math.prod(held.shape) > 8 * self.size:
            raise DataLossError(
                f"{name} of shape {held.shape} is larger than the files"
            )
        made = np.zeros(held.shape, dtype.numpy)
        covered = 0
        for part, table in held.slices:
            found = self._part(name, held, part, table)
            made[slices.bounds(held.shape, part)] = found
            covered += found.size
        if covered < made.size:
            raise DataLossError(
                f"slices of {name} have {covered} of {made.size} elements"
            )
        return made

    def read_slice(self, name: str, part: Slice) -> Array:
        """Return a slice of a tensor."""
        whole = self.read(name)
        return np.ascontiguousarray(whole[slices.bounds(whole.shape, part)])

    def _extent(self, name: str, held: Held, part: Slice) -> tuple[int, ...]:
        try:
            index = slices.bounds(held.shape, part)
        except InvalidArgumentError as error:
            raise DataLossError(f"{name}: {error}") from None
        return tuple([x.stop - x.start for x in index])

    def _part(self, name: str, held: Held, part: Slice, table: Table) -> Array:
        shape = self._extent(name, held, part)
        content = table.get(slices.key_of(name, part))
        if content is None:
            raise DataLossError(f"the slice {part} of {name} is not there")
        for number, value in wire.fields(content):
            if number == _DATA and isinstance(value, bytes):
                return self._values(name, held, value, shape)
        raise DataLossError(f"the slice {part} of {name} has no values")

    def _values(
        self, name: str, held: Held, saved: bytes, shape: tuple[int, ...]
    ) -> Array:
        content = [x for which, x in wire.fields(saved) if which == _TENSOR]
        try:
            proto = parsed(
                b"".join([x for x in content if isinstance(x, bytes)]), "TensorProto"
            )
            # Files give values without a shape.
            proto.dtype = held.dtype
            proto.tensor_shape.CopyFrom(shape_proto(shape))
            if proto.tensor_content or max(_lengths(proto)) >= math.prod(shape):
                return array_of(proto)
        except (GraphDefError, MemoryError, OverflowError) as error:
            raise DataLossError(f"{name} is damaged: {error}") from None
        raise DataLossError(f"{name} has fewer values than its shape {shape}")


def _lengths(proto: Any) -> list[int]:
    return [len(getattr(proto, x)) // y for x, y in _FIELDS.items()]


_FIELDS = {
    **dict.fromkeys(
        ("float_val", "double_val", "int_val", "string_val", "int64_val"), 1
    ),
    **dict.fromkeys(("bool_val", "half_val", "uint32_val", "uint64_val"), 1),
    "scomplex_val": 2,
    "dcomplex_val": 2,
}
"""Where values may stand, and how many numbers make one."""


def write_tables(path: str | Path, tensors: Iterable[Saved]) -> None:
    """Write a checkpoint of the first format, in one file."""
    meta: dict[str, tuple[bytes, list[bytes]]] = {}
    items: dict[bytes, bytes] = {}
    for name, array, asked in tensors:
        part = tuple([Extent()] * array.ndim) if asked is None else asked.part
        shape = array.shape if asked is None else asked.shape
        number = OF_DTYPE[of_numpy(array.dtype)]
        packed = slices.to_message(part)
        sizes = shape_proto(shape).SerializeToString()
        about = (
            wire.field(1, name.encode())
            + wire.field(2, sizes)
            + wire.field(3, number)
        )
        known, parts = meta.setdefault(name, (about, []))
        if known != about or packed in parts:
            raise InvalidArgumentError(f"two tensors would be saved as {name!r}")
        parts.append(wire.field(4, packed))
        values = _proto(array).SerializeToString()
        saved = (
            wire.field(1, name.encode())
            + wire.field(2, packed)
            + wire.field(3, values)
        )
        items[slices.key_of(name, part)] = wire.field(2, saved)
    listed = [
        wire.field(1, about + b"".join(parts)) for about, parts in meta.values()
    ]
    versions = wire.field(2, wire.field(1, 1))
    items[b""] = wire.field(1, b"".join(listed) + versions)
    with replaced(Path(path)) as file:
        file.writelines(table_of(sorted(items.items())))


def _proto(array: Array) -> Any:
    """Return values as a TensorProto that lists them, for readers of files take no other."""
    dtype = of_numpy(array.dtype)
    proto = message("TensorProto")(dtype=OF_DTYPE[dtype])
    flat = np.ascontiguousarray(array).reshape(-1)
    if dtype is string:
        proto.string_val.extend(
            [x if isinstance(x, bytes) else x.encode() for x in flat]
        )
    elif dtype in {float16, bfloat16}:
        proto.half_val.extend(flat.view(np.uint16).tolist())
    elif dtype.is_complex:
        half = proto.scomplex_val if dtype.itemsize == 8 else proto.dcomplex_val
        half.extend(flat.view(flat.real.dtype).tolist())
    else:
        fields = {"float32": "float_val", "float64": "double_val", "bool": "bool_val"}
        fields |= {x: f"{x}_val" for x in ("int64", "uint32", "uint64")}
        getattr(proto, fields.get(dtype.name, "int_val")).extend(flat.tolist())
    return proto
