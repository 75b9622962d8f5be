"""Datasets of the rows that queries to SQLite's databases give.

Values of other types become those asked for as SQLite itself casts them: what begins no number is
zero, and nothing is zero or empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, as_dtype
from tensorlite.core.errors import InvalidArgumentError, UnknownError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import UNKNOWN, Recipe
from tensorlite.data.dataset import Dataset
from tensorlite.ops.strings.joining import as_bytes

KINDS = (
    *(dtypes.string, dtypes.bool_, dtypes.float64, dtypes.uint8, dtypes.uint16),
    *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
)
_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)")
_WHOLE = re.compile(rb"\s*[+-]?\d+")


class SqlDataset(Dataset[Any]):
    """The rows that a query gives, a tuple of 0-d tensors of `output_types` each.

    The only `driver_name` is 'sqlite', for which `data_source_name` is a file.

    >>> import contextlib, os, sqlite3, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.db")
    >>> with contextlib.closing(sqlite3.connect(path)) as database, database:
    ...     _ = database.execute("create table words (id integer, word text)")
    ...     _ = database.execute("insert into words values (1, 'one'), (2, 'two')")
    >>> query = "select word, id from words order by id desc"
    >>> rows = tl.data.SqlDataset("sqlite", path, query, (tl.string, tl.int32))
    >>> print([(word.item(), int(i)) for word, i in rows])
    [(b'two', 2), (b'one', 1)]
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        if not isinstance(output_types, (tuple, list)):
            raise TypeError(
                f"output_types={output_types!r}; allowed is a tuple of dtypes"
            )
        kinds = [as_dtype(kind) for kind in output_types]
        asked = [_text(x) for x in (driver_name, data_source_name, query)]

        def source() -> Iterator[Any]:
            _check(asked[0], kinds)
            return _rows(asked[1], asked[2], kinds)

        names = ("driver_name", "data_source_name", "query")
        super().__init__(
            source,
            UNKNOWN,
            tuple([TensorSpec((), kind) for kind in kinds]),
            recipe=lambda: Recipe(
                "SqlDataset", numbers=dict(zip(names, asked, strict=True))
            ),
        )

    @classmethod
    def _steps(cls) -> Any:
        return Dataset


def _text(given: Any) -> str:
    value = given.item() if isinstance(given, Tensor) else given
    return value.decode() if isinstance(value, bytes) else str(value)


def _check(driver: str, kinds: Sequence[DType]) -> None:
    if driver != "sqlite":
        raise InvalidArgumentError(
            f"SqlDataset: driver_name={driver!r}; allowed is 'sqlite'"
        )
    for kind in kinds:
        if kind not in KINDS:
            raise InvalidArgumentError(
                f"SqlDataset: {kind.name}; allowed are {[x.name for x in KINDS]}"
            )


def _rows(path: str, query: str, kinds: Sequence[DType]) -> Iterator[Any]:
    sqlite: Any = import_module("sqlite3")
    try:
        # Readers of datasets may be other threads than those that began them.
        database = sqlite.connect(
            f"{Path(path).absolute().as_uri()}?mode=ro",
            uri=True,
            check_same_thread=False,
        )
    except sqlite.Error as error:
        raise UnknownError(f"SqlDataset: {path}: {error}") from None
    try:
        found = database.execute(query)
        columns = len(found.description or ())
        if columns != len(kinds):
            raise InvalidArgumentError(
                f"SqlDataset: the query gives {columns} columns; output_types has {len(kinds)}"
            )
        for row in found:
            pairs = zip(row, kinds, strict=True)
            yield tuple([_converted(value, kind) for value, kind in pairs])
    except sqlite.Error as error:
        raise UnknownError(f"SqlDataset: {query}: {error}") from None
    finally:
        database.close()


def _converted(value: Any, kind: DType) -> Tensor:
    if kind is dtypes.string:
        made = np.empty((), object)
        made[()] = b"" if value is None else as_bytes(_written(value))
        return to_tensor(made)
    if kind is dtypes.float64:
        return to_tensor(np.asarray(_number(value, _NUMBER, float), np.float64))
    whole = np.asarray(_number(value, _WHOLE, int) % 2**64, np.uint64)
    return to_tensor(whole.astype(kind.numpy))


def _written(value: Any) -> Any:
    return value if isinstance(value, (str, bytes)) else repr(value)


def _number(value: Any, form: re.Pattern[bytes], kind: Any) -> Any:
    if isinstance(value, (str, bytes)):
        found = form.match(as_bytes(value))
        value = found.group() if found else 0
    return kind(0 if value is None else value)
