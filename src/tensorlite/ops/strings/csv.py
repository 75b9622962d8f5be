"""Lines of comma-separated values as tensors, by the rules of RFC 4180 as TensorFlow reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import several
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls, interpreted_by, to_tensor
from tensorlite.core.dtypes import DType, as_dtype, of_numpy
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.records.records import opened
from tensorlite.ops.records.text_files import pieces
from tensorlite.ops.strings.joining import as_bytes

__all__: list[str] = []

KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class Default(NamedTuple):
    """What a column has where nothing stands; no value: something must stand there."""

    dtype: DType
    value: Any = None

    @property
    def array(self) -> Array:
        """What operators are given for it: one value, or none."""
        values = [] if self.value is None else [self.value]
        return np.asarray(values, self.dtype.numpy)


def default_specs(given: Sequence[Any]) -> list[Default]:
    """Return what columns have where they are empty: values, or dtypes for those that may not."""
    return [_default(one) for one in given]


def _default(one: Any) -> Default:
    if isinstance(one, (DType, type, np.dtype)):
        return checked(Default(as_dtype(one)))
    tensor = _known(one)
    array = tensor.array
    if array.size > 1:
        raise InvalidArgumentError(
            f"record_defaults: {one!r}; allowed are one value, [] and dtypes"
        )
    return checked(Default(tensor.dtype, array.ravel()[0] if array.size else None))


def _known(one: Any) -> Tensor:
    """Return a value as a tensor; that of a graph's constant, too."""
    if isinstance(one, SymbolicTensor) and isinstance(one.node.op, Const):
        one = one.node.op.value
    with interpreted_by(None):
        return to_tensor(one)


def checked(default: Default) -> Default:
    """Return what a column has; DTypeError for a dtype that is not read."""
    if default.dtype not in KINDS:
        raise DTypeError(
            f"record_defaults: {default.dtype.name}; allowed are {[x.name for x in KINDS]}"
        )
    return default


def split_line(line: bytes, delim: bytes = b",", quotes: bool = True) -> list[bytes]:
    """Return the fields of a line; InvalidArgumentError for quotes that stand where none may."""
    if not quotes or b'"' not in line:
        return line.split(delim)
    fields: list[bytes] = []
    at = 0
    while True:
        if line[at : at + 1] == b'"':
            field, at = _quoted(line, at + 1, delim)
        else:
            end = line.find(delim, at)
            end = len(line) if end < 0 else end
            field, at = line[at:end], end
            if b'"' in field:
                raise InvalidArgumentError(
                    f"Unquoted fields cannot have quotes/CRLFs inside: {line!r}"
                )
        fields.append(field)
        if at >= len(line):
            return fields
        at += len(delim)


def _quoted(line: bytes, at: int, delim: bytes) -> tuple[bytes, int]:
    """Return a quoted field, two quotes in it being one, and where it ends."""
    parts: list[bytes] = []
    while True:
        end = line.find(b'"', at)
        if end < 0:
            raise InvalidArgumentError(
                f"Quoted field has to end with quote followed by delim or end: {line!r}"
            )
        parts.append(line[at:end])
        at = end + 1
        if line[at : at + 1] != b'"':
            break
        parts.append(b'"')
        at += 1
    if at < len(line) and line[at : at + len(delim)] != delim:
        raise InvalidArgumentError(
            f"Quoted field has to end with quote followed by delim or end: {line!r}"
        )
    return b"".join(parts), at


def csv_records(
    path: str, compression: str, delim: bytes, quotes: bool
) -> Iterator[bytes]:
    """Yield the records of a file, which end with LF, CR or both; quoted fields may hold these."""
    file = opened(path, compression)
    rest = held = b""
    try:
        for piece in chain(pieces(file, path), (b"",)):
            parts = (rest + piece).splitlines(keepends=True)
            # What ends with CR may go on with LF.
            rest = parts.pop() if piece and not parts[-1].endswith(b"\n") else b""
            for part in parts:
                held += part
                if quotes and held.count(b'"') % 2 and _is_open(held, delim):
                    continue
                yield _without_end(held)
                held = b""
        if held:
            yield _without_end(held)
    finally:
        file.close()


def _without_end(record: bytes) -> bytes:
    return record.removesuffix(b"\n").removesuffix(b"\r")


def _is_open(record: bytes, delim: bytes) -> bool:
    """Return whether a record ends inside a quoted field."""
    at = 0
    while 0 <= at < len(record):
        if record[at : at + 1] == b'"':
            at = record.find(b'"', at + 1)
            while at >= 0 and record[at + 1 : at + 2] == b'"':
                at = record.find(b'"', at + 2)
            if at < 0:
                return True
        end = record.find(delim, at)
        at = end + len(delim) if end >= 0 else end
    return False


def csv_rows(
    path: str, compression: str, delim: str, quotes: bool
) -> Iterator[list[bytes]]:
    """Yield the rows of a file; a quoted field may go on over several lines."""
    for record in csv_records(path, compression, delim.encode(), quotes):
        if record:
            yield split_line(record, delim.encode(), quotes)


def fields_of(
    row: Sequence[bytes],
    defaults: Sequence[Default],
    na_value: str,
    chosen: Sequence[int] | None,
    what: str,
    record: int | None = None,
) -> list[Array]:
    """Return the fields of a row as 0-d arrays of the columns' dtypes."""
    where = "record" if record is None else f"record {record}"
    places = range(len(row)) if chosen is None else chosen
    picked = [row[i] for i in places if 0 <= i < len(row)]
    if len(picked) != len(defaults):
        raise InvalidArgumentError(
            f"{what}: Expect {len(defaults)} fields but have {len(picked)} in {where}: {row!r}"
        )
    absent = na_value.encode()
    return [
        _field(field, default, absent, f"{what}: Field {i}", where)
        for i, (field, default) in enumerate(zip(picked, defaults, strict=True))
    ]


def _field(
    field: bytes, default: Default, absent: bytes, what: str, where: str
) -> Array:
    if field in (b"", absent):
        if default.value is None:
            raise InvalidArgumentError(f"{what} is required but missing in {where}!")
        value: Any = default.value
        return np.asarray(value, default.dtype.numpy)
    if default.dtype is dtypes.string:
        made = np.empty((), object)
        made[()] = field
        return made
    try:
        text = field.decode().strip()
        return np.asarray(_number(text, default.dtype), default.dtype.numpy)
    except (ValueError, OverflowError):
        raise InvalidArgumentError(
            f"{what} in {where} is not a valid {default.dtype.name}: {field!r}"
        ) from None


def _number(text: str, dtype: DType) -> int | float:
    if "_" in text:
        raise ValueError(text)
    return int(text) if dtype.is_integer else float(text)


class DecodeCSV(Op):
    """Lines of comma-separated values, as one tensor for each column."""

    differentiable = False
    field_delim: str = ","
    use_quote_delim: bool = True
    na_value: str = ""
    select_cols: tuple[int, ...] = ()

    def infer(
        self, records: TensorSpec, *defaults: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the records' shape with each column's dtype."""
        if records.dtype is not dtypes.string:
            raise DTypeError(f"decode_csv takes strings, not {records}")
        for default in defaults:
            checked(Default(default.dtype))
        return tuple(
            [TensorSpec(records.shape, default.dtype) for default in defaults]
        )

    def kernel(self, xp: Xp, records: Array, *defaults: Array) -> tuple[Array, ...]:
        """Return the columns."""
        known = [
            Default(of_numpy(x.dtype), x.ravel()[0] if x.size else None)
            for x in defaults
        ]
        out = [np.empty(records.shape, x.dtype) for x in defaults]
        delim, chosen = self.field_delim.encode(), self.select_cols or None
        for place, record in enumerate(records.ravel().tolist()):
            row = split_line(as_bytes(record), delim, self.use_quote_delim)
            fields = fields_of(row, known, self.na_value, chosen, "decode_csv", place)
            for column, field in zip(out, fields, strict=True):
                column.flat[place] = field[()]
        return tuple(out)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """Return lines of comma-separated values as a list of tensors, one for each column.

    `record_defaults` has a value for each column, which stands where it is empty and gives the
    dtype; an empty tensor there says that something must stand in it.

    >>> n, name = tl.io.decode_csv(["1,a", ",b"], [[7], ["?"]])
    >>> print(n, name)
    [1 7] [b'a' b'b']
    """
    defaults = [
        to_tensor(np.empty(0, as_dtype(x).numpy))
        if isinstance(x, DType)
        else to_tensor(x)
        for x in several(
            record_defaults, "record_defaults", "a value for each column"
        )
    ]
    chosen = tuple(select_cols or ())
    if any(column < 0 for column in chosen):
        raise InvalidArgumentError(
            f"decode_csv: select_cols contains negative values: {chosen}"
        )
    if any(a >= b for a, b in pairwise(chosen)):
        raise InvalidArgumentError(
            f"decode_csv: select_cols is not strictly increasing: {chosen}"
        )
    if chosen and len(chosen) != len(defaults):
        raise InvalidArgumentError(
            "decode_csv: Length of select_cols and record_defaults do not match: "
            f"{len(chosen)} and {len(defaults)}"
        )
    op = DecodeCSV(field_delim, use_quote_delim, na_value, chosen)
    return list(calls(op, records, *defaults))
