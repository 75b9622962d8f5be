"""tf.data.experimental's readers of files: batches of tables and of examples by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared import parsing
from tensorlite.compat.shared.datasets.tf_data import FILES, Dataset, of_files
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.data.background import AUTOTUNE
from tensorlite.data.columns import Layout, defaults_of, names_of
from tensorlite.data.files import CsvDataset as _CsvDataset
from tensorlite.ops.records.files import matching
from tensorlite.ops.strings.csv import Default

_Rows: Any = of_files(_CsvDataset, Dataset)
_Records: Any = of_files(FILES[0], Dataset)


def _paths(pattern: Any) -> list[str]:
    """Return the files that patterns match, each pattern's in order."""
    listed = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    found = [path for one in listed for path in matching([str(one)])]
    if not found:
        raise NotFoundError(f"No files matched: {pattern}")
    return found


def _in_rounds(rows: Any, count: int | None, buffer: int | None, seed: Any) -> Any:
    """Return rows again and again, shuffled if there is a buffer."""
    mixed = rows if buffer is None else rows.shuffle(buffer, seed)
    return mixed.repeat(count)


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    """Return a dataset of batches of CSV files, dictionaries of columns.

    With label_name pairs of a dictionary and that column. Names are in the first line and dtypes
    inferred unless given; it goes round num_epochs times, endless if None. `num_parallel_reads`,
    `sloppy` and `encoding` have no effect.
    """
    paths = _paths(file_pattern)
    kind, most = compression_type or "", num_rows_for_inference
    layout = Layout(field_delim, use_quote_delim, na_value, header, kind)
    chosen, picked = _picked(paths, layout, column_names, select_columns, label_name)
    rows = _Rows(
        _shuffled(paths, shuffle, shuffle_seed),
        _defaults(column_defaults, lambda: defaults_of(paths, layout, chosen, most)),
        kind,
        None,
        header,
        field_delim,
        use_quote_delim,
        na_value,
        chosen,
        None,
        ignore_errors,
    )
    buffer = shuffle_buffer_size if shuffle else None
    rounds = _in_rounds(rows, num_epochs, buffer, shuffle_seed)
    batches = rounds.batch(batch_size, drop_remainder=num_epochs is None)

    def named(*columns: Any) -> Any:
        return _labelled(dict(zip(picked, columns, strict=True)), label_name)

    return batches.map(named).prefetch(prefetch_buffer_size or AUTOTUNE)


def _picked(
    paths: list[str], layout: Layout, named: Any, chosen: Any, label: str | None
) -> tuple[list[int], list[str]]:
    """Return the columns that are read, and their names."""
    if named is None and not layout.header:
        raise InvalidArgumentError("Cannot infer column names without a header line.")
    names = names_of(paths, layout) if named is None else list(named)
    places = _chosen(chosen, names)
    found = [names[i] for i in places]
    if label is not None and label not in found:
        raise InvalidArgumentError(
            "`label_name` provided must be one of the columns."
        )
    return places, found


def _defaults(given: Any, infer: Callable[[], list[Default]]) -> list[Any]:
    """Return what columns are where they are empty, or only their dtypes."""
    if given is not None:
        return list(given)
    found = []
    for one in infer():
        value = one.value.decode() if isinstance(one.value, bytes) else one.value
        found.append(value if isinstance(value, str) else np.asarray(value))
    return found


def _shuffled(paths: list[str], shuffle: bool, seed: Any) -> Any:
    return (
        paths
        if not shuffle
        else Dataset.from_tensor_slices(paths).shuffle(len(paths), seed)
    )


def _chosen(columns: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    if columns is None:
        return list(range(len(names)))
    found = sorted(x if isinstance(x, int) else list(names).index(x) for x in columns)
    if len(set(found)) != len(found):
        raise InvalidArgumentError("`select_columns` contains duplicate columns")
    return found


def _labelled(features: dict[str, Any], label: str | None) -> Any:
    if label is None:
        return features
    own = features.pop(label)
    return features, own


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Return a dataset of batches of parsed examples out of files.

    With label_key pairs of a dictionary and that feature. As many files as there are threads that
    read take turns; how many threads parse has no effect.
    """
    paths = _shuffled(_paths(file_pattern), shuffle, shuffle_seed)
    given = tuple(reader_args or ())
    read = _Records if reader is None else reader
    if reader_num_threads is not None and reader_num_threads > 1:
        names = (
            Dataset.from_tensor_slices(paths) if isinstance(paths, list) else paths
        )
        records = names.interleave(
            lambda name: read(name, *given), cycle_length=reader_num_threads
        )
    else:
        records = read(paths, *given)
    buffer = shuffle_buffer_size if shuffle else None
    rounds = _in_rounds(records, num_epochs, buffer, shuffle_seed)
    batches = rounds.batch(batch_size, drop_final_batch or num_epochs is None)

    def parsed(examples: Any) -> Any:
        return _labelled(parsing.parse_example(examples, features), label_key)

    return batches.map(parsed).prefetch(prefetch_buffer_size or AUTOTUNE)


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: Any = None
) -> Callable[[Any], Any]:
    """Return a step that parses batches of serialized examples."""
    return lambda dataset: dataset.map(lambda x: parsing.parse_example(x, features))
