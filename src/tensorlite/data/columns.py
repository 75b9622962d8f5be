"""What columns of CSV files are: their names, by the first line, and their dtypes, by others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.strings.csv import Default, csv_rows

_KINDS = (
    *(dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64),
    dtypes.string,
)
"""The dtypes that a column may be of, the narrowest first."""


class Layout(NamedTuple):
    """How the lines of files are read."""

    delim: str = ","
    quotes: bool = True
    missing: str = ""
    header: bool = True
    compression: str = ""

    def rows(self, path: str) -> Iterator[list[bytes]]:
        """Yield the rows of a file, without its header."""
        found = csv_rows(path, self.compression, self.delim, self.quotes)
        return islice(found, 1, None) if self.header else found


def names_of(paths: Sequence[str], layout: Layout) -> list[str]:
    """Return the names of the columns; InvalidArgumentError if files differ in them."""
    found = [_first(path, layout) for path in paths]
    for path, names in zip(paths, found, strict=True):
        if names != found[0]:
            raise InvalidArgumentError(
                f"Files provided have different columns in the header: {paths[0]} has {found[0]}, "
                f"{path} has {names}"
            )
    return found[0]


def _first(path: str, layout: Layout) -> list[str]:
    rows = csv_rows(path, layout.compression, layout.delim, layout.quotes)
    names = [field.decode() for field in next(rows, [])]
    if not names or len(set(names)) != len(names):
        raise InvalidArgumentError(
            f"{path}: columns need names that differ from each other, and the first line has "
            f"{names}"
        )
    return names


def defaults_of(
    paths: Iterable[str], layout: Layout, columns: Sequence[int], count: int | None
) -> list[Default]:
    """Return what columns are where they are empty, 0 or "", of the narrowest dtype that fits.

    `count` rows are looked at, or all.
    """
    kinds: list[DType | None] = [None] * len(columns)
    rows = (row for path in paths for row in layout.rows(path))
    for row in islice(rows, count):
        for i, column in enumerate(columns):
            kinds[i] = _wider(row[column].decode(), kinds[i], layout.missing)
    return [_default(kind or dtypes.string) for kind in kinds]


def _default(kind: DType) -> Default:
    return Default(kind, b"" if kind is dtypes.string else kind.numpy.type(0))


def _wider(text: str, before: DType | None, missing: str) -> DType | None:
    if text in ("", missing):
        return before
    first = 0 if before is None else _KINDS.index(before)
    return next(kind for kind in _KINDS[first:] if _fits(text, kind))


def _fits(text: str, kind: DType) -> bool:
    if kind is dtypes.string:
        return True
    try:
        value = int(text) if kind.is_integer else float(text)
    except ValueError:
        return False
    if kind.is_integer:
        return bool(np.iinfo(kind.numpy).min <= value <= np.iinfo(kind.numpy).max)
    return abs(value) <= float(np.finfo(kind.numpy).max)
