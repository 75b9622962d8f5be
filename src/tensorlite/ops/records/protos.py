"""Messages of protobuf taken apart into tensors, and put together of such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import several
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DataLossError, DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.records.described_messages import (
    LOCAL,
    Described,
    fields_named,
    message_descriptor,
    source_of,
)
from tensorlite.ops.records.example_messages import protobuf
from tensorlite.ops.records.wire import fields
from tensorlite.ops.strings.joining import as_bytes

__all__ = ["DecodedProto", "decode_proto", "encode_proto"]


class DecodedProto(NamedTuple):
    r"""How many values each field of each message has, and the values.

    >>> message = b"\n\x01\x07"  # an Int64List of 7
    >>> tl.io.decode_proto(message, "tensorflow.Int64List", ["value"], [tl.int64]).sizes.tolist()
    [1]
    """

    sizes: Tensor
    values: list[Tensor]


class DecodeProtoV2(Op):
    """The values of some fields of messages, filled up to the most that one of them has."""

    differentiable = False
    message_type: str
    field_names: tuple[str, ...]
    output_types: tuple[DType, ...]
    descriptor_source: bytes = LOCAL
    message_format: str = "binary"

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the sizes and of the values of each field."""
        if x.dtype is not dtypes.string:
            raise DTypeError(f"decode_proto takes strings, not {x}")
        batch, count = x.shape, len(self.field_names)
        sizes = None if batch is None else (*batch, count)
        values = None if batch is None else (*batch, None)
        columns = [TensorSpec(values, dtype) for dtype in self.output_types]
        return (TensorSpec(sizes, dtypes.int32), *columns)

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return sizes and values; DataLossError for what is no message."""
        if not x.size:
            raise InvalidArgumentError(
                "Bufs argument must contain at least one value"
            )
        known = fields_named(
            self.descriptor_source, self.message_type, self.field_names
        )
        rows = [
            _parts(self._binary(as_bytes(text)), known) for text in x.ravel().tolist()
        ]
        sizes = np.array([[len(part) for part in row] for row in rows], np.int32)
        columns = []
        for i, (field, dtype) in enumerate(
            zip(known, self.output_types, strict=True)
        ):
            width = max(1, int(sizes[:, i].max()))
            column: Array = np.full((len(rows), width), field.default, dtype.numpy)
            for row, parts in enumerate(rows):
                column[row, : len(parts[i])] = parts[i]
            columns.append(column.reshape(*x.shape, width))
        return (sizes.reshape(*x.shape, len(known)), *columns)

    def _binary(self, text: bytes) -> bytes:
        """Return a message's bytes; DataLossError for a text that describes none."""
        if self.message_format == "binary":
            return text
        described = message_descriptor(self.descriptor_source, self.message_type)
        reader = protobuf("text_format")
        made = protobuf("message_factory").GetMessageClass(described)()
        try:
            reader.Parse(text, made)
        except (reader.ParseError, UnicodeDecodeError) as error:
            raise DataLossError(f"Unable to parse text protobuf: {error}") from None
        found: bytes = made.SerializePartialToString()
        return found


def _parts(message: bytes, known: Sequence[Described]) -> list[list[Any]]:
    """Return the values that each field has in a message; of a single one the last counts."""
    places: dict[int, list[int]] = {}
    for i, field in enumerate(known):
        places.setdefault(field.number, []).append(i)
    found: list[list[Any]] = [[] for _ in known]
    for number, value in fields(message):
        for i in places.get(number, ()):
            values = known[i].values(value)
            found[i] = [*found[i], *values] if known[i].is_repeated else values[-1:]
    return found


class EncodeProto(Op):
    """Messages with the values of tensors in their fields."""

    differentiable = False
    field_names: tuple[str, ...]
    message_type: str
    descriptor_source: bytes = LOCAL

    def infer(self, sizes: TensorSpec, *values: TensorSpec) -> TensorSpec:
        """Return strings of the shape in front of each field's values."""
        known = fields_named(
            self.descriptor_source, self.message_type, self.field_names
        )
        if sizes.dtype is not dtypes.int32:
            raise DTypeError(f"encode_proto: sizes must be of int32, not {sizes}")
        for field, value in zip(known, values, strict=True):
            if value.dtype not in field.kind.allowed:
                raise InvalidArgumentError(
                    f"Incompatible type for field {field.name}. Saw dtype: {value.dtype.name} but "
                    f"field type is: {field.kind.name}"
                )
            if value.rank is not None and value.rank < 2:
                raise InvalidArgumentError(
                    f"Invalid shape for field {field.name}. Saw shape {list(value.shape or ())} "
                    "but it should be at least a matrix."
                )
        shapes = [x.shape[:-1] for x in (sizes, *values) if x.shape]
        if not shapes:
            return TensorSpec(None, dtypes.string)
        if len({len(shape) for shape in shapes}) > 1:
            raise InvalidArgumentError(
                f"encode_proto: sizes and values differ in what precedes the last axis: {shapes}"
            )
        batch = [
            next((n for n in row if n is not None), None)
            for row in zip(*shapes, strict=True)
        ]
        return TensorSpec(tuple(batch), dtypes.string)

    def kernel(self, xp: Xp, sizes: Array, *values: Array) -> Array:
        """Return the messages; their fields stand in the order of their numbers."""
        known = fields_named(
            self.descriptor_source, self.message_type, self.field_names
        )
        batch = values[0].shape[:-1] if values else sizes.shape[:-1]
        if sizes.shape != (*batch, len(known)) or any(
            x.shape[:-1] != batch for x in values
        ):
            raise InvalidArgumentError(
                "sizes should be batch_size + [len(field_names)]. Saw: "
                f"{list(sizes.shape)} but expected: {[*batch, len(known)]}; values are of "
                f"{[list(x.shape) for x in values]}"
            )
        counts = sizes.reshape(-1, len(known))
        rows = [x.reshape(len(counts), -1) for x in values]
        order = sorted(range(len(known)), key=lambda i: known[i].number)
        made: Array = np.empty(len(counts), object)
        for place, row in enumerate(counts.tolist()):
            parts = []
            for i in order:
                if not 0 <= row[i] <= rows[i].shape[1]:
                    raise InvalidArgumentError(
                        "Size to write must not be larger than value tensor; but saw: "
                        f"{row[i]} > {rows[i].shape[1]} at message {place} field {i}"
                    )
                parts.append(known[i].written(_listed(rows[i][place, : row[i]])))
            made[place] = b"".join(parts)
        return made.reshape(batch)


def _listed(values: Array) -> list[Any]:
    listed: list[Any] = values.tolist()
    return [as_bytes(x) for x in listed] if values.dtype == object else listed


def _check_held(
    source: Any, message_type: str, names: Sequence[str], kinds: Sequence[DType]
) -> None:
    """Raise InvalidArgumentError for a dtype that does not hold its field's values."""
    fields = fields_named(source, message_type, tuple(names))
    for field, dtype in zip(fields, kinds, strict=True):
        if dtype not in field.kind.allowed:
            allowed = " and ".join([x.name for x in field.kind.allowed])
            raise InvalidArgumentError(
                f"Unexpected output type for {message_type}.{field.name}: {field.kind.name} to "
                f"{dtype.name}; allowed are {allowed}"
            )


def decode_proto(
    messages: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str | bytes = LOCAL,
    message_format: str = "binary",
) -> DecodedProto:
    r"""Return how many values fields of messages have, and the values, for each field a tensor.

    `descriptor_source` is a file with a FileDescriptorSet, "bytes://" and the bytes of one, or
    "local://" for TensorFlow's Examples. Where a message has fewer values than another, or none,
    the field's default stands. `message_format` is "binary" or "text". InvalidArgumentError is
    raised for fields that are not there, and dtypes that do not hold them.

    >>> message = b"\n\x02\x01\x02"  # an Int64List of 1 and 2
    >>> sizes, values = tl.io.decode_proto(
    ...     [message], "tensorflow.Int64List", ["value"], [tl.int64]
    ... )
    >>> print(sizes, values[0])
    [[2]] [[1 2]]
    """
    names = tuple(several(field_names, "field_names", "a list of names"))
    kinds = tuple(
        [
            as_dtype(x)
            for x in several(output_types, "output_types", "a list of dtypes")
        ]
    )
    if len(names) != len(kinds):
        raise InvalidArgumentError(
            "field_names and output_types attributes must have the same length, not "
            f"{len(names)} and {len(kinds)}"
        )
    if message_format not in {"binary", "text"}:
        raise InvalidArgumentError(
            f"message_format={message_format!r}: format must be one of binary or text"
        )
    source = source_of(descriptor_source)
    _check_held(source, message_type, names, kinds)
    op = DecodeProtoV2(message_type, names, kinds, source, message_format)
    sizes, *values = calls(op, messages)
    return DecodedProto(sizes, values)


def encode_proto(
    sizes: TensorLike,
    values: Sequence[TensorLike],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str | bytes = LOCAL,
) -> Tensor:
    r"""Return messages with the first values of tensors in their fields, as many as sizes say.

    `descriptor_source` is that of `decode_proto`; InvalidArgumentError is raised for fields that
    are not there, dtypes that they do not take, and sizes beyond what there is.

    >>> sizes, values = [[1], [2]], [tl.asarray([[1, 0], [2, 3]], dtype=tl.int64)]
    >>> tl.io.encode_proto(sizes, values, ["value"], "tensorflow.Int64List").numpy().tolist()
    [b'\n\x01\x01', b'\n\x02\x02\x03']
    """
    names = tuple(several(field_names, "field_names", "a list of names"))
    given = several(values, "values", "a list of tensors")
    if len(names) != len(given):
        raise InvalidArgumentError(
            f"Length of inputs list must match field_names: {len(given)} and {len(names)}"
        )
    op = EncodeProto(names, message_type, source_of(descriptor_source))
    return call(op, sizes, *given)
