"""TFRecord files by TensorFlow's names: options, writer, iterator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.compat.shared.gfile import path_of
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.records import records


class TFRecordCompressionType:
    """Numbers of compressions, which older programs use."""

    NONE, ZLIB, GZIP = range(3)


_NAMES = {0: "", 1: "ZLIB", 2: "GZIP", None: ""}


class TFRecordOptions:
    """How a file of records is compressed; the rest is for TensorFlow's own writer."""

    def __init__(
        self, compression_type: Any = None, *sizes: Any, **others: Any
    ) -> None:
        self.compression_type = compression_type
        level = others.get("compression_level")
        self.level = -1 if level is None else int(level)

    @property
    def compression_name(self) -> str:
        """Name of the compression: 'ZLIB', 'GZIP' or ''."""
        return compression_of(self.compression_type)

    @staticmethod
    def get_compression_type_string(options: Any) -> str:
        """Return the name of the compression of options."""
        return compression_of(options)


def compression_of(options: Any) -> str:
    """Return the compression that options, a number or a name stand for."""
    if isinstance(options, TFRecordOptions):
        return options.compression_name
    if isinstance(options, str):
        return records.checked_compression(options)
    if options not in _NAMES:
        raise InvalidArgumentError(
            f"{options!r} is no compression; allowed are {list(_NAMES)}"
        )
    return _NAMES[options]


class TFRecordWriter(records.TFRecordWriter):
    """Writes a file of records."""

    def __init__(self, path: Any, options: Any = None) -> None:
        level = options.level if isinstance(options, TFRecordOptions) else -1
        super().__init__(str(path_of(path)), compression_of(options), level)


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yield the records of a file, as bytes."""
    return records.records(str(path_of(path)), compression_of(options))
