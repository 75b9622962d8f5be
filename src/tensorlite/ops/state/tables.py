"""Tables from keys to values, as resources: filled once, or changed as programs run.

Source: TensorFlow's operators of lookup tables, of the same names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.state.making import Making
from tensorlite.ops.strings.joining import as_bytes, as_text

__all__: list[str] = []

WHOLE_LINE, LINE_NUMBER = -2, -1
"""What of a line of a file is a key or a value, where it is no column."""


class TableState(Resource):
    """A table; None before it is filled, if that is done once."""

    def __init__(
        self, name: str, inner: tuple[TensorSpec, ...], held: dict[Any, Any] | None
    ) -> None:
        self.name = name
        self.held = held
        self.changing = held is not None
        self.reserved: dict[str, Any] = {}
        """Keys that stand for something else, by what they are called."""
        self.maker: Making
        """The operator that made it."""
        self.lock = RLock()
        self._spec = TensorSpec((), dtypes.resource, None, inner)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; `inner` are those of keys and values."""
        return self._spec

    def read_all(self) -> dict[Any, Any]:
        """Return the table; FailedPreconditionError before it is filled."""
        if self.held is None:
            raise FailedPreconditionError(
                f"Table not initialized: {self.name!r}. Run tf.tables_initializer() first"
            )
        return self.held

    def begin(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fill the table; InvalidArgumentError for a key with two values.

        One that is filled once stays as it is, one that changes has nothing else afterwards.
        """
        with self.lock:
            if self.changing:
                self.held = dict(pairs)
            if self.held is not None:
                return
            made: dict[Any, Any] = {}
            for key, value in pairs:
                if made.setdefault(key, value) != value:
                    raise InvalidArgumentError(
                        f"HashTable has different value for same key. Key {key!r} has "
                        f"{made[key]!r} and trying to add value {value!r}"
                    )
            self.held = made

    def size(self) -> int:
        """Return how many keys it has."""
        return len(self.read_all())

    def put(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        """Put values of keys in, in the place of those that were there."""
        self.held = {**self.read_all(), **dict(pairs)}

    def take(self, keys: Sequence[Any]) -> None:
        """Take keys out; those that are not there are none the less gone."""
        gone = set(keys)
        kept = self.read_all().items()
        self.held = {key: value for key, value in kept if key not in gone}

    def exported(self) -> tuple[Array, Array]:
        """Return all keys and values, in the order in which they came."""
        held = self.read_all()
        keys, values = self.spec.inner
        shape = (len(held),)
        every = array_of(list(held), keys.dtype, shape, key_rows(keys))
        rows = list(held.values())
        return every, array_of(rows, values.dtype, shape, key_rows(values))

    def load(self, keys: Array, values: Array) -> None:
        """Have these keys and values; what is filled once has the same things again."""
        pairs = list(_pairs(self, keys, values))
        self.check_same(pairs)
        self.begin(pairs)

    def check_keys(self, keys: Iterable[Any]) -> None:
        """Raise InvalidArgumentError where one of some keys is reserved."""
        if not self.reserved:
            return
        given = set(keys)
        for kind, key in self.reserved.items():
            if key in given:
                raise InvalidArgumentError(
                    f"Using the {kind} as a table key is not allowed: {key!r}"
                )

    def check_same(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Raise FailedPreconditionError where a table that is filled has other things."""
        with self.lock:
            if not self.changing and self.held not in (None, dict(pairs)):
                raise FailedPreconditionError(
                    f"Table was already initialized with different data: {self.name!r}"
                )

    def __repr__(self) -> str:
        return f"table {self.name!r}"


def _plain(array: Array) -> list[Any]:
    """Return the elements of an array as keys and values are kept: strings as bytes."""
    flat = np.ravel(array).tolist()
    return [as_bytes(x) if isinstance(x, (str, bytes)) else x for x in flat]


def values_of(array: Array, row: tuple[int, ...]) -> list[Any]:
    """Return values as they are kept: those that are no scalars as tuples of their elements."""
    flat = _plain(array)
    if not row:
        return flat
    size = prod(row)
    return [tuple(flat[i : i + size]) for i in range(0, len(flat), size)]


def array_of(
    values: list[Any], dtype: DType, shape: tuple[int, ...], row: tuple[int, ...] = ()
) -> Array:
    flat = [x for value in values for x in value] if row else values
    made = np.empty(len(flat), dtype.numpy)
    made[:] = flat
    return made.reshape((*shape, *row))


def key_rows(spec: TensorSpec) -> tuple[int, ...]:
    """Return the shape of one key or value, by its spec."""
    return () if spec.shape is None else tuple([size or 0 for size in spec.shape])


def _row(table: TensorSpec) -> tuple[int, ...]:
    """Return the shape of one value of a table."""
    return key_rows(table.inner[1]) if table.inner else ()


def _key_row(table: TensorSpec) -> tuple[int, ...]:
    """Return the shape of one key of a table."""
    return key_rows(table.inner[0]) if table.inner else ()


def _has_buckets(table: TensorSpec) -> bool:
    """Return whether a table may be known by its buckets: the shape of its keys is known."""
    return not table.inner or table.inner[0].shape is not None


def _keys(table: TableState, keys: Array) -> list[Any]:
    """Return keys as they are kept."""
    return values_of(keys, _key_row(table.spec))


def _pairs(
    table: TableState, keys: Array, values: Array
) -> Iterable[tuple[Any, Any]]:
    return zip(_keys(table, keys), values_of(values, _row(table.spec)), strict=True)


class HashTableV2(Making):
    """Makes a table; one that is not `changing` is filled once, before it is read."""

    key_dtype: DType
    value_dtype: DType
    changing: bool = False
    value_shape: tuple[int, ...] = ()

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the specs of keys and of one value."""
        value = TensorSpec(self.value_shape, self.value_dtype)
        return TensorSpec(None, self.key_dtype), value

    def fresh(self, xp: Xp) -> TableState:
        """Return a new table."""
        made = TableState(self.label, self.inner(), {} if self.changing else None)
        made.maker = self
        return made


def _check(op: Op, table: TensorSpec, place: int, x: TensorSpec) -> None:
    """Raise DTypeError for keys or values of another dtype than a table's, if that is known.

    It is not where graphs were frozen: their tables are placeholders, to be fed.
    """
    if table.dtype is not dtypes.resource:
        raise DTypeError(f"{op.name} takes the handle of a table, not {table}")
    if not table.inner:
        return
    wanted = table.inner[place].dtype
    if x.dtype is not wanted:
        kind = ("keys", "values")[place]
        raise DTypeError(f"{op.name}: the table's {kind} are {wanted.name}, not {x}")


class LookupTableImportV2(Op):
    """Fills a table: if it has nothing yet, or, where it may change, in place of what it has."""

    effect = Effect.WRITE
    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, table: TensorSpec, keys: TensorSpec, values: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError for other dtypes, ShapeError for values of other shapes."""
        _check(self, table, 0, keys)
        _check(self, table, 1, values)
        if keys.shape is not None and self.by_keys(table):
            shape = keys.shape[: len(keys.shape) - len(_key_row(table))]
            merge((*shape, *_row(table)), values.shape)
        return ()

    def by_keys(self, table: TensorSpec) -> bool:
        """Return whether what is given are keys and values, not the buckets of a table."""
        return not _has_buckets(table)

    def kernel(
        self, xp: Xp, table: TableState, keys: Array, values: Array
    ) -> tuple[Array, ...]:
        """Fill it; what is filled once has the same things again."""
        table.load(keys, values)
        return ()


class LookupTableInsertV2(LookupTableImportV2):
    """Puts values into a table, in the place of those that its keys had."""

    def by_keys(self, table: TensorSpec) -> bool:
        """Return whether the shapes of keys and values are known: it is never given buckets."""
        return bool(table.inner)

    def kernel(
        self, xp: Xp, table: TableState, keys: Array, values: Array
    ) -> tuple[Array, ...]:
        """Put them in."""
        with table.lock:
            pairs = list(_pairs(table, keys, values))
            table.check_keys([key for key, _ in pairs])
            table.put(pairs)
        return ()


class LookupTableRemoveV2(Op):
    """Takes keys out of a table."""

    effect = Effect.WRITE
    differentiable = False
    host = (0, 1)

    def infer(self, table: TensorSpec, keys: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        _check(self, table, 0, keys)
        return ()

    def kernel(self, xp: Xp, table: TableState, keys: Array) -> tuple[Array, ...]:
        """Take them out; a key that is not there is none the less gone."""
        with table.lock:
            gone = _keys(table, keys)
            table.check_keys(gone)
            table.take(gone)
        return ()


class InitializeTableFromTextFileV2(Op):
    """Fills a table from the lines of a file: their columns, numbers, or themselves."""

    effect = Effect.WRITE
    differentiable = False
    host = (0, 1)
    key_index: int
    value_index: int
    vocab_size: int = -1
    delimiter: str = "\t"
    offset: int = 0

    def infer(
        self, table: TensorSpec, filename: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, table: TableState, filename: Array) -> tuple[Array, ...]:
        """Read the file."""
        lines = Path(as_text(filename.item())).read_bytes().splitlines()
        if self.vocab_size >= 0:
            lines = lines[: self.vocab_size]
        if len(lines) < self.vocab_size:
            raise InvalidArgumentError(
                f"Invalid vocab_size in {as_text(filename.item())}: expected {self.vocab_size} "
                f"but got {len(lines)}"
            )
        kinds = [spec.dtype for spec in table.spec.inner]
        parts = (self.key_index, self.value_index)
        rows = [
            [self._part(i, line, *part) for part in zip(parts, kinds, strict=True)]
            for i, line in enumerate(lines)
        ]
        table.begin((key, value) for key, value in rows)
        return ()

    def _part(self, number: int, line: bytes, index: int, dtype: DType) -> Any:
        if index == LINE_NUMBER:
            return number + self.offset
        text = (
            line
            if index == WHOLE_LINE
            else line.split(self.delimiter.encode())[index]
        )
        if dtype is dtypes.string:
            return text
        return int(text) if dtype.is_integer else float(text)


class LookupTableFindV2(Op):
    """The values of keys, and for those that are not there a default, or that of each key."""

    effect = Effect.READ
    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, table: TensorSpec, keys: TensorSpec, default_value: TensorSpec
    ) -> TensorSpec:
        """Return the keys' shape, followed by that of a value, with the values' dtype."""
        _check(self, table, 0, keys)
        _check(self, table, 1, default_value)
        if not table.inner:
            is_one = default_value.shape == ()
            return default_value.with_shape(keys.shape if is_one else None)
        if keys.shape is None:
            return TensorSpec(None, table.inner[1].dtype)
        shape = keys.shape[: len(keys.shape) - len(_key_row(table))]
        return TensorSpec((*shape, *_row(table)), table.inner[1].dtype)

    def kernel(
        self, xp: Xp, table: TableState, keys: Array, default_value: Array
    ) -> Array:
        """Return the values."""
        row = _row(table.spec)
        held, others = table.read_all(), values_of(default_value, row)
        asked = _keys(table, keys)
        table.check_keys(asked)
        if len(others) == 1:
            others *= len(asked)
        if len(others) != len(asked):
            raise ShapeError(
                f"{self.name}: default_value has the shape {default_value.shape} for keys of "
                f"{keys.shape}; allowed is the shape of one value, or one for each key"
            )
        found = [held.get(*pair) for pair in zip(asked, others, strict=True)]
        shape = keys.shape[: keys.ndim - len(_key_row(table.spec))]
        return array_of(found, table.spec.inner[1].dtype, shape, row)


class LookupTableSizeV2(Op):
    """How many keys a table has."""

    effect = Effect.READ
    differentiable = False
    host = (0,)

    def infer(self, table: TensorSpec) -> TensorSpec:
        """Return a 0-d int64."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, table: TableState) -> Array:
        """Return the number."""
        return np.asarray(table.size(), np.int64)


class LookupTableExportV2(Op):
    """All keys and values of a table, in the order in which they came."""

    effect = Effect.READ
    differentiable = False
    host = (0,)

    def infer(self, table: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return a vector of keys, and the values one above the other; DTypeError of no table."""
        if not table.inner:
            raise DTypeError(
                f"{self.name}: {table} is no table of known dtypes, as in graphs that were frozen "
                "with a placeholder in its place; load the SavedModel, or make the table in a graph"
            )
        keys, values = table.inner
        shape = (None, *_row(table))
        of_keys = TensorSpec((None, *_key_row(table)), keys.dtype)
        return of_keys, TensorSpec(shape, values.dtype)

    def kernel(self, xp: Xp, table: TableState) -> tuple[Array, Array]:
        """Return them."""
        return table.exported()
