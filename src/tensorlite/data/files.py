"""Datasets of what files hold: records, lines, pieces of one length, and tables of values."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import UNKNOWN, Pipeline, Recipe
from tensorlite.data.composed import flat_names
from tensorlite.data.dataset import Dataset
from tensorlite.data.elements import tensors
from tensorlite.data.given import captured, value_of
from tensorlite.data.inside import given_by_rows, in_turns as in_turns_of, inside
from tensorlite.data.resuming import Chained, without_errors
from tensorlite.data.transforming import in_turns
from tensorlite.ops.records.records import checked_compression, records
from tensorlite.ops.records.text_files import fixed_length_pieces, lines
from tensorlite.ops.strings.csv import (
    csv_records,
    default_specs,
    fields_of,
    split_line,
)

T = TypeVar("T")

STRING = TensorSpec((), dtypes.string)
BUFFER = 4 * 1024 * 1024
"""How many bytes of a table TensorFlow reads ahead."""


class _FileDataset(Dataset[Tensor]):
    """What is read from files, one after the other."""

    operator: ClassVar[str] = ""
    """The name of what makes it in graphs, by what `numbers` makes of the files' names."""
    reads_all: ClassVar[bool] = False
    """Whether that is given the names of all files."""

    def __init__(
        self,
        filenames: Any,
        read: Callable[[str], Iterator[Any]],
        spec: Any = STRING,
        at_a_time: int | None = None,
        numbers: Callable[[Any], dict[str, Any]] | None = None,
    ) -> None:
        names = filenames if isinstance(filenames, Pipeline) else _names(filenames)
        _check_names(names)
        given = names.captures if isinstance(names, Pipeline) else captured(names)
        chances = names.chances if isinstance(names, Pipeline) else ()

        def source() -> Iterator[Any]:
            found = _paths(names)
            if at_a_time is not None and at_a_time > 1:
                return in_turns(builtins.map(read, found), at_a_time, 1)
            return Chained(builtins.map(read, found))

        def recipe() -> Recipe | None:
            if numbers is None:
                return None
            if self.reads_all and isinstance(names, Tensor):
                return Recipe(self.operator, numbers=numbers(names))
            return _reading(self, names, numbers, at_a_time)

        super().__init__(source, UNKNOWN, spec, chances, given, recipe=recipe)

    @classmethod
    def _steps(cls) -> Any:
        return Dataset


def _reading(
    of: _FileDataset,
    names: Any,
    numbers: Callable[[Any], dict[str, Any]],
    at_a_time: int | None,
) -> Recipe:
    """Return the recipe of what is read of one file, and of the next, or of several in turns."""
    if not isinstance(names, Pipeline):
        names = given_by_rows(of, flat_names(names), STRING)

    def one(name: Any) -> Any:
        own = Recipe(of.operator, numbers=numbers(name))
        return of._altered(recipe=lambda: own)  # noqa: SLF001  a kin

    if at_a_time is None:
        return inside(one, names)
    return inside(one, names, "ParallelInterleaveDataset", in_turns_of(at_a_time))


def _names(filenames: Any) -> Tensor:
    if isinstance(filenames, (list, tuple)):
        filenames = [_text(name) for name in filenames]
    named = hasattr(filenames, "__fspath__")
    made: Tensor = tensors(str(filenames) if named else filenames)
    return made


def _check_names(names: Any) -> None:
    """Raise DTypeError for names of files that are known to be no texts."""
    given = "a dataset of " if isinstance(names, Pipeline) else ""
    spec = names.spec
    if not isinstance(spec, TensorSpec):
        return
    if spec.dtype is not dtypes.string:
        raise DTypeError(
            "The `filenames` argument must contain `tf.string` elements. Got "
            f"{given}`tf.{spec.dtype.name}` elements."
        )
    if given and spec.rank not in {0, None}:
        raise DTypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
            f"scalars). Got a dataset of element shape {spec.shape}."
        )


def _text(name: Any) -> Any:
    return str(name) if hasattr(name, "__fspath__") else name


def _paths(names: Any) -> Iterator[str]:
    if isinstance(names, Pipeline):
        for name in names.source():
            yield _decoded(name.item())
        return
    for name in np.ravel(value_of(names).numpy()).tolist():
        yield _decoded(name)


def _decoded(name: Any) -> str:
    return (
        name.decode(errors="surrogateescape")
        if isinstance(name, bytes)
        else str(name)
    )


def _compression(given: Any) -> Callable[[], str]:
    """Return what finds a compression, which may be a tensor of a graph."""
    if isinstance(given, Tensor):
        return lambda: checked_compression(value_of(given).item())
    known = checked_compression(given)
    return lambda: known


class _WholeFileDataset(_FileDataset):
    """What whole files fall into: a text for each piece."""

    pieces: ClassVar[staticmethod[[str, str], Iterator[bytes]]]
    """Reads a file of a compression."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
    ) -> None:
        kind = _compression(compression_type)

        def read(path: str) -> Iterator[Tensor]:
            for piece in self.pieces(path, kind()):
                yield constant(piece, dtypes.string)

        def numbers(names: Any) -> dict[str, Any]:
            kind = compression_type or ""
            return {"filenames": names, "compression_type": kind, "buffer_size": 0}

        super().__init__(filenames, read, STRING, num_parallel_reads, numbers)


class TFRecordDataset(_WholeFileDataset):
    """The records of TFRecord files, as 0-d strings, file after file.

    `compression_type` is '', 'GZIP' or 'ZLIB'; with `num_parallel_reads` so many files are read in
    turns. A damaged record is a DataLossError. `buffer_size` is left to the operating system.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with tl.data.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> print(next(iter(tl.data.TFRecordDataset(path))))
    b'one'
    """

    operator, pieces = "TFRecordDataset", staticmethod(records)


class TextLineDataset(_WholeFileDataset):
    r"""The lines of text files, as 0-d strings without their ends, file after file.

    The arguments are those of TFRecordDataset.

    >>> import tempfile, os, pathlib
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = pathlib.Path(path).write_text("one\ntwo\n")
    >>> list(tl.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    operator, pieces = "TextLineDataset", staticmethod(lines)


class FixedLengthRecordDataset(_FileDataset):
    """Pieces of `record_bytes` bytes of files, without their first and last bytes.

    >>> import tempfile, os, pathlib
    >>> path = os.path.join(tempfile.mkdtemp(), "a.bin")
    >>> _ = pathlib.Path(path).write_bytes(b"headaabb")
    >>> list(tl.data.FixedLengthRecordDataset(path, 2, header_bytes=4).as_numpy_iterator())
    [b'aa', b'bb']
    """

    operator = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: Any,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: int | None = None,
        compression_type: Any = None,
        num_parallel_reads: int | None = None,
    ) -> None:
        kind = _compression(compression_type)
        sizes = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0)
        if sizes[0] < 1 or min(sizes) < 0:
            raise InvalidArgumentError(
                f"FixedLengthRecordDataset: record_bytes={record_bytes}, header_bytes="
                f"{header_bytes}, footer_bytes={footer_bytes}; allowed are 1 or more, 0 or more"
            )

        def read(path: str) -> Iterator[Tensor]:
            for piece in fixed_length_pieces(path, *sizes, kind()):
                yield constant(piece, dtypes.string)

        def numbers(names: Any) -> dict[str, Any]:
            given = {"filenames": names, "header_bytes": sizes[1]}
            given |= {"record_bytes": sizes[0], "footer_bytes": sizes[2]}
            kind = compression_type or ""
            return given | {"buffer_size": 0, "compression_type": kind}

        super().__init__(filenames, read, STRING, num_parallel_reads, numbers)


def _check_columns(
    chosen: Sequence[int] | None, left_out: Sequence[int] | None
) -> None:
    if chosen and left_out:
        raise InvalidArgumentError(
            "CsvDataset: select_cols and exclude_cols are given; allowed is one of them"
        )
    for name, places in ("select_cols", chosen), ("exclude_cols", left_out):
        found = list(places or ())
        if found != sorted(set(found)):
            raise InvalidArgumentError(
                f"CsvDataset: {name}={found}; allowed are numbers that increase"
            )


class CsvDataset(_FileDataset):
    r"""The rows of CSV files, a tuple of 0-d tensors each.

    `record_defaults` has for each column a value for where it is empty, or only its dtype, if it
    may not be; `select_cols` says which columns those are, or `exclude_cols` which they are not.
    With `header` the first line of each file is passed over, with `ignore_errors` every row that
    does not have these columns.

    >>> import tempfile, os, pathlib
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> _ = pathlib.Path(path).write_text("n,x\n1,0.5\n2,\n")
    >>> rows = tl.data.CsvDataset(path, [tl.int32, [9.0]], header=True)
    >>> print([(int(n), float(x)) for n, x in rows])
    [(1, 0.5), (2, 9.0)]
    """

    operator, reads_all = "CSVDataset", True

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: int | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
        ignore_errors: bool = False,
    ) -> None:
        kind = _compression(compression_type)
        defaults = default_specs(record_defaults)
        _check_columns(select_cols, exclude_cols)
        delim = field_delim.encode()

        def element(record: bytes) -> Any:
            row = split_line(record, delim, use_quote_delim)
            chosen = select_cols
            if exclude_cols:
                chosen = [i for i in range(len(row)) if i not in exclude_cols]
            arrays = fields_of(row, defaults, na_value, chosen, "CsvDataset")
            return tuple([to_tensor(array) for array in arrays])

        def read(path: str) -> Iterator[Any]:
            rows = csv_records(path, kind(), delim, use_quote_delim)
            if header and next(rows, None) is None:
                raise InvalidArgumentError(f"CsvDataset: {path} has no header")
            made = builtins.map(element, rows)
            return without_errors(made, lambda _: None) if ignore_errors else made

        def numbers(names: Any) -> dict[str, Any]:
            given = {"filenames": names, "compression_type": compression_type or ""}
            size = BUFFER if buffer_size is None else buffer_size
            given |= {"buffer_size": size, "header": header}
            given |= {"field_delim": field_delim, "use_quote_delim": use_quote_delim}
            given |= {"na_value": na_value}
            given["select_cols"] = np.asarray(select_cols or [], np.int64)
            return given | {f"Const:{i}": x.array for i, x in enumerate(defaults)}

        spec = tuple([TensorSpec((), default.dtype) for default in defaults])
        known = None if exclude_cols or ignore_errors else numbers
        super().__init__(filenames, read, spec, numbers=known)
