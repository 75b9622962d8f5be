"""Readers: they take files' names out of a queue, and give out what the files hold, bit by bit.

TensorFlow 1's way to read; datasets, which came later, are in data/. Queues are in
queues/queues.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from threading import Lock

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.contents import QueueState
from tensorlite.ops.queues.operators import QueueDequeueV2
from tensorlite.ops.records.files import contents
from tensorlite.ops.records.records import records
from tensorlite.ops.records.text_files import fixed_length_pieces, lines, unpacked
from tensorlite.ops.state.making import Making
from tensorlite.ops.strings.joining import as_bytes, as_text

__all__: list[str] = []

Pair = tuple[bytes, bytes]
STRING = TensorSpec((), dtypes.string)


class ReaderState(Resource):
    """What a reader's handle stands for: the file at hand, and how far it is read."""

    def __init__(self, kind: Reader) -> None:
        self.kind = kind
        self.lock = Lock()
        self.produced = 0
        self.finished = 0
        self._items: Iterator[Pair] | None = None

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return TensorSpec((), dtypes.resource)

    def next(self, queue: QueueState) -> Pair:
        """Return the next key and value, of the next file if the one at hand is at its end.

        OutOfRangeError when the queue is closed and has no more names.
        """
        while True:
            if self._items is None:
                (work,) = _outputs(QueueDequeueV2().kernel(np, queue))
                self._items = self.kind.items(as_text(work.item()))
            found = next(self._items, None)
            if found is not None:
                self.produced += 1
                return found
            self._items = None
            self.finished += 1

    def more(self, count: int) -> list[Pair]:
        """Return up to `count` pairs of the file at hand that are left of it."""
        found: list[Pair] = []
        while self._items is not None and len(found) < count:
            pair = next(self._items, None)
            if pair is None:
                self._items = None
                self.finished += 1
            else:
                found.append(pair)
        self.produced += len(found)
        return found

    def reset(self) -> None:
        """Begin anew, with the next name of a queue."""
        self._items = None
        self.produced = self.finished = 0


def _outputs(given: object) -> tuple[Array, ...]:
    return given if isinstance(given, tuple) else (given,)


class Reader(Making, abstract=True):
    """Makes a reader."""

    def fresh(self, xp: Xp) -> ReaderState:
        """Return a reader at no file."""
        return ReaderState(self)

    @abstractmethod
    def items(self, work: str) -> Iterator[Pair]:
        """Yield the keys and values of a file."""


class IdentityReaderV2(Reader):
    """Gives the names themselves."""

    def items(self, work: str) -> Iterator[Pair]:
        """Yield the name, twice."""
        yield as_bytes(work), as_bytes(work)


class WholeFileReaderV2(Reader):
    """Gives a file's name, and all that it holds."""

    def items(self, work: str) -> Iterator[Pair]:
        """Yield the one pair."""
        yield as_bytes(work), contents(work)


class TextLineReaderV2(Reader):
    """Gives lines, each with the file's name and its number, counted from 1."""

    skip_header_lines: int = 0

    def items(self, work: str) -> Iterator[Pair]:
        """Yield the lines behind the header."""
        for number, line in enumerate(lines(work), 1):
            if number > self.skip_header_lines:
                yield as_bytes(f"{work}:{number}"), line


class TFRecordReaderV2(Reader):
    """Gives records, each with the file's name and the place of its first byte."""

    compression_type: str = ""

    def items(self, work: str) -> Iterator[Pair]:
        """Yield the records."""
        place = 0
        for record in records(work, self.compression_type):
            yield as_bytes(f"{work}:{place}"), record
            place += len(record) + 16


class FixedLengthRecordReaderV2(Reader):
    """Gives pieces of one length, each with the file's name and its number, counted from 0."""

    record_bytes: int
    header_bytes: int = 0
    footer_bytes: int = 0
    hop_bytes: int = 0
    encoding: str = ""

    def items(self, work: str) -> Iterator[Pair]:
        """Yield the pieces; they begin `hop_bytes` apart, if that is given."""
        pieces = (
            self._hopping(work)
            if self.hop_bytes
            else fixed_length_pieces(
                work,
                self.record_bytes,
                self.header_bytes,
                self.footer_bytes,
                self.encoding,
            )
        )
        for number, piece in enumerate(pieces):
            yield as_bytes(f"{work}:{number}"), piece

    def _hopping(self, work: str) -> Iterator[bytes]:
        data = unpacked(work, self.encoding)
        body = data[self.header_bytes : len(data) - self.footer_bytes]
        for start in range(0, len(body) - self.record_bytes + 1, self.hop_bytes):
            yield body[start : start + self.record_bytes]


class _Reading(Op, abstract=True):
    """Reads a reader, and the queue of names."""

    effect = Effect.WRITE
    differentiable = False


class ReaderReadV2(_Reading):
    """The next key and value of a reader."""

    def infer(self, reader: TensorSpec, queue: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return two strings; DTypeError for a queue that has no names."""
        _check(queue)
        return STRING, STRING

    def kernel(
        self, xp: Xp, reader: ReaderState, queue: QueueState
    ) -> tuple[Array, ...]:
        """Return them; waits for a name while the queue is empty."""
        with reader.lock:
            key, value = reader.next(queue)
        return _text(key), _text(value)


class ReaderReadUpToV2(_Reading):
    """The next keys and values of a reader: as many as are asked for, or as the file has left."""

    host = (2,)

    def infer(
        self, reader: TensorSpec, queue: TensorSpec, num_records: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return two vectors of strings."""
        _check(queue)
        return TensorSpec((None,), dtypes.string), TensorSpec((None,), dtypes.string)

    def kernel(
        self, xp: Xp, reader: ReaderState, queue: QueueState, num_records: Array
    ) -> tuple[Array, ...]:
        """Return them; waits for a name while the queue is empty."""
        with reader.lock:
            pairs = [reader.next(queue)]
            pairs += reader.more(int(num_records) - 1)
        keys, values = zip(*pairs, strict=True)
        return _texts(keys), _texts(values)


class ReaderNumRecordsProducedV2(Op):
    """How many values a reader has given."""

    effect = Effect.READ
    differentiable = False

    def infer(self, reader: TensorSpec) -> TensorSpec:
        """Return a number."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, reader: ReaderState) -> Array:
        """Return it."""
        return np.asarray(reader.produced, np.int64)


class ReaderNumWorkUnitsCompletedV2(Op):
    """How many files a reader has come to the end of."""

    effect = Effect.READ
    differentiable = False

    def infer(self, reader: TensorSpec) -> TensorSpec:
        """Return a number."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, reader: ReaderState) -> Array:
        """Return it."""
        return np.asarray(reader.finished, np.int64)


class ReaderResetV2(_Reading):
    """Lets a reader begin anew."""

    def infer(self, reader: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, reader: ReaderState) -> tuple[Array, ...]:
        """Forget the file at hand."""
        with reader.lock:
            reader.reset()
        return ()


def _check(queue: TensorSpec) -> None:
    kinds = [spec.dtype for spec in queue.inner]
    if kinds and kinds != [dtypes.string]:
        raise DTypeError(
            f"a reader takes names from a queue of strings, not of {kinds}"
        )


def _text(data: bytes) -> Array:
    out = np.empty((), object)
    out[()] = data
    return out


def _texts(data: tuple[bytes, ...]) -> Array:
    out = np.empty(len(data), object)
    out[:] = data
    return out
