"""Readers of TensorFlow 1: `read(queue)` gives a key and a value of the files the queue names."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.queues import of_sessions
from tensorlite.ops.fetchable import effect
from tensorlite.ops.records import readers
from tensorlite.ops.records.records import checked_compression
from tensorlite.ops.state.making import made

__all__ = [
    "FixedLengthRecordReader",
    "IdentityReader",
    "ReaderBase",
    "TFRecordReader",
    "TextLineReader",
    "WholeFileReader",
]


class ReaderBase:
    """What all readers have."""

    def __init__(self, kind: Any, name: str | None, default: str) -> None:
        if active_graph() is None:
            raise InvalidArgumentError(
                "Readers are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        with of_sessions():
            self._handle = made(lambda: kind(debug_name=name or default))

    @property
    def reader_ref(self) -> Any:
        """The reader's handle."""
        return shown(self._handle)

    @property
    def supports_serialize(self) -> bool:
        """False: readers' states are not written."""
        return False

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Return (key, value) of the next record of the files that the queue names."""
        found = in_graph(
            lambda: list(calls(readers.ReaderReadV2(), self._handle, _names(queue))),
            "ReaderReadV2",
            name,
        )
        return tuple(found)

    def read_up_to(
        self, queue: Any, num_records: Any, name: str | None = None
    ) -> Any:
        """Return (keys, values) of at most num_records next records, vectors of strings."""
        op = readers.ReaderReadUpToV2()
        found = in_graph(
            lambda: list(calls(op, self._handle, _names(queue), _whole(num_records))),
            "ReaderReadUpToV2",
            name,
        )
        return tuple(found)

    def num_records_produced(self, name: str | None = None) -> Any:
        """Return how many records were read, an int64 scalar."""
        op = readers.ReaderNumRecordsProducedV2()
        return in_graph(
            lambda: call(op, self._handle), "ReaderNumRecordsProduced", name
        )

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Return how many files were read to their ends, an int64 scalar."""
        op = readers.ReaderNumWorkUnitsCompletedV2()
        return in_graph(
            lambda: call(op, self._handle), "ReaderNumWorkUnitsCompleted", name
        )

    def reset(self, name: str | None = None) -> Any:
        """Return an operator that lets the reader begin anew."""
        return in_graph(
            lambda: effect(readers.ReaderResetV2(), self._handle), "ReaderReset", name
        )


def _names(queue: Any) -> Any:
    """Return the handle of a queue of names."""
    return queue.handle if hasattr(queue, "handle") else plain(queue)


def _whole(number: Any) -> Any:
    """Return a number of records as readers count them."""
    return converted(plain(number), int64, "num_records")


class WholeFileReader(ReaderBase):
    """Gives a file's name, and all that it holds."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(readers.WholeFileReaderV2, name, "WholeFileReaderV2")


class IdentityReader(ReaderBase):
    """Gives what the queue has, twice."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(readers.IdentityReaderV2, name, "IdentityReaderV2")


class TextLineReader(ReaderBase):
    """Gives lines."""

    def __init__(
        self, skip_header_lines: int | None = None, name: str | None = None
    ) -> None:
        def kind(debug_name: str) -> Any:
            return readers.TextLineReaderV2(
                skip_header_lines or 0, debug_name=debug_name
            )

        super().__init__(kind, name, "TextLineReaderV2")


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        given = (
            "" if options is None else checked_compression(options.compression_name)
        )

        def kind(debug_name: str) -> Any:
            return readers.TFRecordReaderV2(given, debug_name=debug_name)

        super().__init__(kind, name, "TFRecordReaderV2")


class FixedLengthRecordReader(ReaderBase):
    """Gives pieces of one length."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        pieces = record_bytes, header_bytes or 0, footer_bytes or 0, hop_bytes or 0
        packed = checked_compression(encoding)

        def kind(debug_name: str) -> Any:
            return readers.FixedLengthRecordReaderV2(
                *pieces, packed, debug_name=debug_name
            )

        super().__init__(kind, name, "FixedLengthRecordReaderV2")
