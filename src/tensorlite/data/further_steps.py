"""Operators that make datasets of databases, tables and patterns of names, and by key: few graphs.

Those that most have are in beginnings.py and steps.py; what they do stands in the modules of the
classes and methods that they call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array
from tensorlite.data.base import Pipeline
from tensorlite.data.databases import SqlDataset as Rows
from tensorlite.data.dataset import Dataset
from tensorlite.data.files import CsvDataset as Table
from tensorlite.data.variants import DatasetOp, changed, function_of
from tensorlite.function.compile import Compiled

Source = Dataset[Any]


def _text(x: Array) -> str:
    value = np.asarray(x).item()
    return value.decode() if isinstance(value, bytes) else str(value)


class SqlDataset(DatasetOp):
    """The rows that a query of a database gives."""

    def made(
        self, driver_name: Array, data_source_name: Array, query: Array
    ) -> Pipeline[Any]:
        """Return the dataset."""
        kinds = tuple([spec.dtype for spec in self.specs])
        driver, source, asked = map(_text, (driver_name, data_source_name, query))
        return Rows(driver, source, asked, kinds)


class CSVDataset(DatasetOp):
    """The rows of tables in text files."""

    def made(self, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return self.without(np.zeros(0, np.int64), *given)

    def without(self, left_out: Array, *given: Array) -> Pipeline[Any]:
        """Return the dataset, without columns of these numbers."""
        names, kind, size, header, delim, quotes, nothing, chosen, *defaults = given
        listed = [
            one if len(one) else spec.dtype
            for one, spec in zip(defaults, self.specs, strict=True)
        ]
        return Table(
            EagerTensor(names),
            listed,
            _text(kind) or None,
            int(size) or None,
            header=bool(header),
            field_delim=_text(delim),
            use_quote_delim=bool(quotes),
            na_value=_text(nothing),
            select_cols=chosen.tolist() or None,
            exclude_cols=left_out.tolist() or None,
        )


class CSVDatasetV2(CSVDataset):
    """The rows of tables in text files, which may be without some columns."""

    def made(self, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *others, left_out = given
        return self.without(left_out, *others)


class MatchingFilesDataset(DatasetOp):
    """The names of the files that match patterns, sorted."""

    def made(self, patterns: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return Dataset.list_files(EagerTensor(patterns), shuffle=False)


class SlidingWindowDataset(DatasetOp):
    """Batches of elements that stand behind each other, which overlap."""

    drop_remainder: bool = True

    def made(
        self, source: Source, size: Array, shift: Array, stride: Array
    ) -> Pipeline[Any]:
        """Return the dataset."""
        length = int(size)
        windows = source.window(length, int(shift), int(stride), self.drop_remainder)

        def batched(*columns: Any) -> Any:
            joined = Dataset.zip(*columns) if len(columns) > 1 else columns[0]
            return joined.batch(length)

        return windows.flat_map(batched)


class GroupByReducerDataset(DatasetOp):
    """What functions make of a state for each key, which another changes by each element."""

    key_func: Compiled
    init_func: Compiled
    reduce_func: Compiled
    finalize_func: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        given = list(captured)
        keyed, first, step, last = [
            function_of(one, [given.pop(0) for _ in range(one.captured)])
            for one in (
                self.key_func,
                self.init_func,
                self.reduce_func,
                self.finalize_func,
            )
        ]
        made = source.group_by_reducer(_only(keyed), first, step, last)
        flat: Pipeline[Any] = changed(made, lambda x: tuple(nest.flatten(x)))
        return flat


def _only(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *leaves: function(*leaves)[0]
