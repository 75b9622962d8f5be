"""SessionWriter: a writer of TensorFlow 2's summaries in a graph of version 1.

The summaries themselves are in v2/summary.py and v1/contrib/summary.py.
"""

from __future__ import annotations

import time
from os import PathLike
from typing import Any

import numpy as np

from tensorlite import summary
from tensorlite.compat.calling import named
from tensorlite.compat.views import in_graph, shown
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.op import Op
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.sessions import get_default_session
from tensorlite.ops.fetchable import effect, group
from tensorlite.ops.summaries.event_messages import message
from tensorlite.ops.summaries.writing import CloseSummaryWriter, FlushSummaryWriter
from tensorlite.train.summaries.writers import graph_bytes, recording

_MADE = "_SUMMARY_V2"
"""The collection of what a session is to run, so that summaries are written."""
_WRITERS = "_SUMMARY_WRITER_V2"


class SessionWriter(summary.SummaryWriter):
    """A writer made while a graph is built: its methods return operations of that graph."""

    def init(self) -> Any:
        """Return the operation that opens the file."""
        return in_graph(group, "init")

    def flush(self) -> Any:
        """Return the operation that writes what is left to the file."""
        return self._done(FlushSummaryWriter())

    def close(self) -> Any:
        """Return the operation that closes the file."""
        return self._done(CloseSummaryWriter())

    def _done(self, op: Op) -> Any:
        handle = self.handle
        done = group if handle is None else lambda: effect(op, handle)
        return in_graph(done, op.name)


@named("flush")
def flush(
    writer: summary.SummaryWriter | None = None, name: str | None = None
) -> Any:
    """Write what is left to the file of a writer, the default one unless given."""
    return summary.flush(writer)


def file_writer(
    logdir: str | PathLike[str],
    max_queue: Any,
    flush_millis: Any,
    filename_suffix: Any,
) -> summary.SummaryWriter:
    """Return a writer to a folder: for a session where a graph is built, else for at once."""
    suffix = None if filename_suffix is None else str(np.asarray(filename_suffix))
    made = summary.create_file_writer(logdir, max_queue, flush_millis, suffix)
    graph = active_graph()
    if graph is None:
        return made
    writer = SessionWriter(made.file)
    graph.add_to_collection(_WRITERS, writer)
    return writer


def collected(made: Any) -> Any:
    """Return a summary that was made, and let a graph that is being built know of it."""
    graph = active_graph()
    if graph is None:
        return made
    seen = shown(made)
    graph.add_to_collection(_MADE, seen)
    return seen


def summaries_of_graph() -> list[Any] | None:
    """Return the summaries of the graph being built; None where no graph is."""
    graph = active_graph()
    return None if graph is None else graph.get_collection(_MADE)


def initializer_of_writers() -> list[Any]:
    """Return the operations that begin the writers of the graph being built."""
    graph = active_graph()
    if graph is None:
        raise FailedPreconditionError(
            "summary_writer_initializer_op is for graphs; a writer made eagerly is open"
        )
    return [writer.init() for writer in graph.get_collection(_WRITERS)]


def initialize(graph: Any = None, session: Any = None) -> None:
    """Begin the writers of the graph being built in a session; write a graph for the graph page.

    FailedPreconditionError without a default writer, or without a session.
    """
    if active_graph() is None:
        return
    writer = recording.get().writer
    if writer is None:
        raise FailedPreconditionError(
            "No default tf.contrib.summary.SummaryWriter found"
        )
    chosen = get_default_session() if session is None else session
    if chosen is None:
        raise FailedPreconditionError(
            "Argument `session must be passed if no default session exists"
        )
    chosen.run(initializer_of_writers())
    if graph is not None and writer.file is not None:
        data = graph_bytes(graph)
        writer.file.add_event(message("Event")(wall_time=time.time(), graph_def=data))
