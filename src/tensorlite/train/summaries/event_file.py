"""EventFile: a file of events that TensorBoard follows while it grows; and how one is read back.

What the events say is made elsewhere; the format of the records is the tensorboard package's.
"""

from __future__ import annotations

import itertools
import os
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from tensorlite.core.check import a_path
from tensorlite.core.deadlock import attends
from tensorlite.core.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.ops.summaries.event_messages import board, message, parsed

Pathlike: TypeAlias = "str | os.PathLike[str]"
QUEUE = 10
"""How many events may wait before all are written."""
SECONDS = 2.0
"""How long an event may wait before it is written."""
_LENGTH, _CHECK = struct.Struct("<Q"), struct.Struct("<I")
_numbers = itertools.count()


class EventFile:
    """Writes events to a new file in a folder, which is made if it is not there.

    They are written after `max_queue` events or `flush_seconds`, and at the end of the program.
    Any thread may add events. InvalidArgumentError for a folder that cannot be written.
    """

    def __init__(
        self,
        logdir: Pathlike,
        max_queue: int = QUEUE,
        flush_seconds: float = SECONDS,
        suffix: str = "",
    ) -> None:
        self.logdir = a_path(logdir, "logdir")
        made = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        # Readers take files of one second in the order of their names.
        name = f"events.out.tfevents.{made}.{next(_numbers):05d}{suffix}"
        self.path = Path(self.logdir, name)
        event = message("Event")(wall_time=time.time(), file_version="brain.Event:2")
        event.source_metadata.writer = "tensorlite.summary"
        records = _Records(_opened(self.path), self.path, max_queue)
        self._records = records
        records.write(event.SerializeToString())
        records.flush()
        ticking = (records, flush_seconds)
        flusher = threading.Thread(
            target=_flush_often, args=ticking, name="summaries", daemon=True
        )
        attends(flusher, lambda: False)  # nobody waits for what it does
        flusher.start()
        self._end: Callable[[], object] = weakref.finalize(self, records.close)

    @property
    def closed(self) -> bool:
        """Whether it takes no more events."""
        return self._records.closed.is_set()

    def add_event(self, event: Any) -> None:
        """Take an Event message, or the bytes of one; FailedPreconditionError when closed."""
        data = event if isinstance(event, bytes) else event.SerializeToString()
        self._records.write(data)

    def flush(self) -> None:
        """Write all that was taken; FailedPreconditionError where the disk refuses."""
        self._records.flush()

    def close(self) -> None:
        """Write what is left and take no more; a second time, do nothing."""
        self._end()

    def __repr__(self) -> str:
        return f"<events in {self.path}>"


def _opened(path: Path) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")
    except OSError as error:
        raise InvalidArgumentError(
            f"logdir={str(path.parent)!r} cannot be written: {error.strerror or error}; give the "
            "path of a folder where files may be made"
        ) from error


class _Records:
    """An open file of records, which outlives the EventFile until it is closed."""

    def __init__(self, file: BinaryIO, path: Path, max_queue: int) -> None:
        module = board("tensorboard.summary.writer.record_writer")
        self.writer = module.RecordWriter(file)
        self.path = path
        self.closed = threading.Event()
        self._most = max(1, max_queue)
        self._waiting = 0
        self._process = os.getpid()
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Add a record."""
        with self._lock:
            if self.closed.is_set():
                raise FailedPreconditionError(
                    f"the summary writer of {self.path.parent} is closed, and takes no more; "
                    "make another one, or close it later"
                )
            self._do(lambda: self.writer.write(data))
            self._waiting += 1
            if self._waiting >= self._most:
                self._flush()

    def flush(self) -> None:
        """Write all records."""
        with self._lock:
            if not self.closed.is_set():
                self._flush()

    def close(self) -> None:
        """Write all records, and close the file; in a process forked from the writer's, not."""
        with self._lock:
            if self.closed.is_set() or os.getpid() != self._process:
                return
            self.closed.set()
            self._do(self.writer.close)

    def _flush(self) -> None:
        if self._waiting:
            self._do(self.writer.flush)
            self._waiting = 0

    def _do(self, what: Callable[[], object]) -> None:
        try:
            what()
        except OSError as error:
            raise FailedPreconditionError(
                f"{self.path} cannot be written: {error.strerror or error}; summaries are lost"
            ) from error


def _flush_often(records: _Records, seconds: float) -> None:
    """Flush until the file is closed, or cannot be written: then the next event says so."""
    while not records.closed.wait(seconds):
        try:
            records.flush()
        except FailedPreconditionError:
            return


def read_events(path: Pathlike) -> Iterator[Any]:
    """Yield the events of a file, or of all event files of a folder, in the order written.

    An event at the end that is not complete, being written just now, is left out.
    DataLossError for what is no event file, or damaged. Source:
    `tf.compat.v1.train.summary_iterator`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tl.summary.FileWriter(folder) as writer:
    ...     writer.add_summary(b"", global_step=5)
    >>> [event.step for event in tl.summary.read_events(folder)]
    [0, 5]
    """
    place = Path(path)
    if place.is_dir():
        for file in sorted(place.glob("*tfevents*")):
            yield from read_events(file)
        return
    for data in read_records(place):
        yield parsed("Event", data)


def read_records(path: Path) -> Iterator[bytes]:
    """Yield the records of a file; DataLossError for damaged ones."""
    check = board(
        "tensorboard.compat.tensorflow_stub.pywrap_tensorflow"
    ).masked_crc32c
    try:
        size, file = path.stat().st_size, path.open("rb")
    except OSError as error:
        raise InvalidArgumentError(
            f"{str(path)!r} cannot be read: {error.strerror or error}"
        ) from error
    with file:
        at = 0
        while len(head := file.read(12)) == 12:
            (length,), (mark,) = _LENGTH.unpack(head[:8]), _CHECK.unpack(head[8:])
            if check(head[:8]) != mark:
                raise _damaged(path, at)
            if length + 4 > size - file.tell():
                return
            data, (mark,) = file.read(length), _CHECK.unpack(file.read(4))
            if check(data) != mark:
                raise _damaged(path, at)
            yield data
            at = file.tell()


def _damaged(path: Path, at: int) -> DataLossError:
    return DataLossError(
        f"{str(path)!r} is damaged, or no event file: the checksum at byte {at} does not fit"
    )
