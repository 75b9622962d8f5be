"""Writers: SummaryWriter as TensorFlow 2 has it, FileWriter as TensorFlow 1.

The file behind them is event_file.py; what is written to the default one is said in recorded.py.
"""

from __future__ import annotations

import os
import time
import warnings
from contextvars import ContextVar
from dataclasses import dataclass
from threading import RLock
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np

from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU
from tensorlite.graph.graph import Graph
from tensorlite.graph.manual import default_graph
from tensorlite.ops.summaries.event_messages import message, parsed
from tensorlite.ops.summaries.writing import WriterState
from tensorlite.train.summaries.event_file import (
    QUEUE,
    SECONDS,
    EventFile,
    Pathlike,
)
from tensorlite.train.summaries.pages import page_of


@dataclass(frozen=True)
class Recording:
    """Where summaries go that are made now, and under which conditions."""

    writer: SummaryWriter | None = None
    step: Any = None
    condition: Any = None
    """A bool, a tensor, or a function that returns one of these; None if nobody said."""


_NOWHERE = Recording()
recording: ContextVar[Recording] = ContextVar("recording", default=_NOWHERE)


class SummaryWriter:
    """Writes summaries to a file of events, once it is the default writer.

    `tl.summary.create_file_writer` makes one, and `tl.summary.create_noop_writer` one that writes
    nothing.

    >>> import tempfile
    >>> writer = tl.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=3):
    ...     written = tl.summary.scalar("loss", 0.5)
    >>> writer.close()
    """

    def __init__(self, file: EventFile | None) -> None:
        self.file = file
        self.handle: Tensor | None = None
        """What traced functions take for it."""
        if file is not None:
            self.handle = EagerTensor(WriterState(file), CPU)

    @property
    def logdir(self) -> str | None:
        """The folder that is written to."""
        return None if self.file is None else self.file.logdir

    def as_default(self, step: Any = None) -> DefaultWriter:
        """Return a `with` block in which summaries go here; with a `step`, as those of that step.

        At its end all is written. Source: `tf.summary.SummaryWriter.as_default`.
        """
        return DefaultWriter(self, step)

    def set_as_default(self, step: Any = None) -> None:
        """Let summaries of this thread go here from now on."""
        self.as_default(step).__enter__()

    def init(self) -> None:
        """Do nothing: the file is open."""

    def flush(self) -> None:
        """Write all that was recorded."""
        if self.file is not None:
            self.file.flush()

    def close(self) -> None:
        """Write all that was recorded, and take no more; a second time, do nothing."""
        if self.file is not None:
            self.file.close()

    def __repr__(self) -> str:
        return f"<SummaryWriter to {self.logdir!r}>"


class DefaultWriter:
    """The `with` block in which a writer is the default one."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer = writer
        self._step = step
        self._before: list[Recording] = []

    def __enter__(self) -> SummaryWriter:
        """Let summaries go to the writer."""
        before = recording.get()
        step = before.step if self._step is None else self._step
        self._before.append(before)
        recording.set(Recording(self._writer, step, before.condition))
        return self._writer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write all that was recorded; go back to what was before."""
        before, here = self._before.pop(), recording.get()
        step = before.step if self._step is not None else here.step
        recording.set(Recording(before.writer, step, here.condition))
        if self._writer.file is not None:
            self._writer.file.flush()


def create_file_writer(
    logdir: Pathlike,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
) -> SummaryWriter:
    """Return a writer to a new file in `logdir`, which is made if it is not there.

    Events are written after `max_queue` of them (10), after `flush_millis` (2000), when the writer
    is flushed or closed, and at the end of the program. InvalidArgumentError for a folder that
    cannot be written. Source: `tf.summary.create_file_writer`.

    >>> import tempfile
    >>> writer = tl.summary.create_file_writer(tempfile.mkdtemp(), flush_millis=500)
    >>> writer.close()
    """
    seconds = (
        SECONDS
        if flush_millis is None
        else _above(flush_millis, "flush_millis") / 1000
    )
    most = QUEUE if max_queue is None else _above(max_queue, "max_queue")
    return SummaryWriter(EventFile(logdir, int(most), seconds, filename_suffix or ""))


def _above(value: Any, name: str) -> float:
    number = float(np.asarray(value))
    if not number > 0:
        raise InvalidArgumentError(f"{name}={value!r}: allowed are numbers above 0")
    return number


def create_noop_writer() -> SummaryWriter:
    """Return a writer that writes nothing.

    >>> with tl.summary.create_noop_writer().as_default(step=0):
    ...     print(tl.summary.scalar("loss", 0.5))
    False
    """
    return SummaryWriter(None)


class FileWriter:
    """Writes what it is given to a file of events: summaries that a session ran, graphs, metadata.

    Closes at the end of a `with` block. A closed one warns and writes nothing, until `reopen`.
    Source: `tf.compat.v1.summary.FileWriter`.

    >>> import tempfile
    >>> with tl.summary.FileWriter(tempfile.mkdtemp(), tl.Graph()) as writer:
    ...     writer.add_summary(b"", global_step=1)
    """

    def __init__(
        self,
        logdir: Pathlike,
        graph: Any = None,
        max_queue: int = QUEUE,
        flush_secs: float = SECONDS,
        graph_def: Any = None,
        filename_suffix: str | None = None,
    ) -> None:
        self._settings = (logdir, max_queue, flush_secs, filename_suffix or "")
        self.file = EventFile(*self._settings)
        self._tags: set[str] = set()
        self._metadata: set[str] = set()
        given = graph if graph is not None else graph_def
        if given is not None:
            self.add_graph(given)

    def get_logdir(self) -> str:
        """Return the folder that is written to."""
        return self.file.logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a Summary: a message, its bytes, or the value of a summary operator."""
        made = message("Summary")()
        made.CopyFrom(parsed("Summary", _bytes(summary)))
        for value in made.value:
            # It is enough that the first value of a tag says who shows it.
            if value.HasField("metadata") and value.tag in self._tags:
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._tags.add(value.tag)
        self._add(message("Event")(summary=made), global_step)

    def add_graph(
        self, graph: Any, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Write a graph, a traced function's, or a GraphDef, for the graph page."""
        given = graph if graph is not None else graph_def
        data = graph_bytes(given)
        self._add(message("Event")(graph_def=data), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a MetaGraphDef message."""
        data = parsed("MetaGraphDef", meta_graph_def).SerializeToString()
        self._add(message("Event")(meta_graph_def=data), global_step)

    def add_run_metadata(
        self, run_metadata: Any, tag: str, global_step: Any = None
    ) -> None:
        """Write what one run took, under a tag that no other has; see `run_metadata`."""
        if tag in self._metadata:
            raise InvalidArgumentError(
                f"tag={tag!r}: the provided tag was already used for this event type; give each "
                "run its own, such as f'step{i}'"
            )
        self._metadata.add(tag)
        event = message("Event")()
        event.tagged_run_metadata.tag = tag
        data = parsed("RunMetadata", run_metadata).SerializeToString()
        event.tagged_run_metadata.run_metadata = data
        self._add(event, global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write a SessionLog message."""
        log = parsed("SessionLog", session_log)
        self._add(message("Event")(session_log=log), global_step)

    def add_event(self, event: Any) -> None:
        """Write an Event message, as it is."""
        if not self._is_closed():
            self.file.add_event(parsed("Event", event))

    def flush(self) -> None:
        """Write all that was added."""
        if not self._is_closed():
            self.file.flush()

    def close(self) -> None:
        """Write all that was added, and take no more; a second time, do nothing."""
        self.file.close()

    def reopen(self) -> None:
        """Go on in a new file, if this one is closed."""
        if self.file.closed:
            self.file = EventFile(*self._settings)
            self._tags.clear()

    def _add(self, event: Any, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(np.asarray(_value(step)).item())
        self.add_event(event)

    def _is_closed(self) -> bool:
        if self.file.closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=4,
            )
        return self.file.closed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


class FileWriterCache:
    """One FileWriter for each folder, whoever asks for it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tl.summary.FileWriterCache.get(folder)
    >>> writer is tl.summary.FileWriterCache.get(folder)
    True
    >>> tl.summary.FileWriterCache.clear()
    """

    kind: ClassVar[type[FileWriter]] = FileWriter
    """What it makes."""
    _writers: ClassVar[dict[str, FileWriter]] = {}
    _lock: ClassVar[RLock] = RLock()

    @classmethod
    def get(cls, logdir: Pathlike, graph: Any = None) -> FileWriter:
        """Return the writer of a folder, made now if there is none; a new one writes a graph.

        That is the one given, or else the one that is being built here, if one is.
        """
        with cls._lock:
            key = os.fspath(logdir)
            if key not in cls._writers:
                chosen = default_graph() if graph is None else graph
                cls._writers[key] = cls.kind(key, chosen)
            return cls._writers[key]

    @classmethod
    def clear(cls) -> None:
        """Close all writers, and forget them."""
        with cls._lock:
            for writer in cls._writers.values():
                writer.close()
            cls._writers.clear()


def _value(x: Any) -> Any:
    return x.numpy() if hasattr(x, "numpy") else x


def _bytes(summary: Any) -> Any:
    """Return the bytes of a string tensor or array; anything else as it is."""
    value = _value(summary)
    return value.item() if isinstance(value, np.ndarray) else value


def graph_bytes(given: Any) -> bytes:
    """Return a graph as the bytes of a GraphDef; DTypeError for what is none and has none."""
    graph = given if isinstance(given, Graph) else getattr(given, "graph", None)
    if isinstance(graph, Graph):
        return bytes(page_of(graph).SerializeToString())
    if isinstance(given, (bytes, message("GraphDef"))) or hasattr(given, "library"):
        return bytes(parsed("GraphDef", given).SerializeToString())
    raise DTypeError(
        f"{given!r} is no graph; give a tl.Graph, a traced function's get_concrete_function(...), "
        "or a GraphDef"
    )
