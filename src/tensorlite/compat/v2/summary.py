"""tf.summary of TensorFlow 2: writers, and what is written to the default one."""

from __future__ import annotations

from os import PathLike
from typing import Any

from tensorlite import summary
from tensorlite.compat.missing import listing
from tensorlite.compat.shared.summary_writers import collected, file_writer, flush
from tensorlite.compat.v2 import summary_experimental as experimental
from tensorlite.compat.views import plain
from tensorlite.graph_mode.graph import active_graph, built
from tensorlite.summary import (
    SummaryWriter,
    create_noop_writer,
    graph,
    record_if,
    should_record_summaries,
    trace_export,
    trace_off,
    trace_on,
)

__all__ = [
    "SummaryWriter",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "record_if",
    "should_record_summaries",
    "trace_export",
    "trace_off",
    "trace_on",
]


def create_file_writer(
    logdir: str | PathLike[str],
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
) -> SummaryWriter:
    """Return a writer of events to a folder; name and experimental_trackable have no effect."""
    return file_writer(logdir, max_queue, flush_millis, filename_suffix)


def scalar(
    name: str, data: Any, step: Any = None, description: str | None = None
) -> Any:
    """Write a number for a step to the default writer; return whether one is there."""
    return _made(summary.scalar, name, data, plain(step), description)


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: Any = None,
    description: str | None = None,
) -> Any:
    """Write how a tensor's elements are distributed, in a number of buckets."""
    return _made(summary.histogram, name, data, plain(step), buckets, description)


def image(
    name: str,
    data: Any,
    step: Any = None,
    max_outputs: Any = 3,
    description: str | None = None,
) -> Any:
    """Write images of (batch, height, width, channels), max_outputs at most."""
    return _made(summary.image, name, data, plain(step), max_outputs, description)


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Write sounds of (batch, samples, channels), max_outputs at most."""
    more = (sample_rate, plain(step), max_outputs, encoding, description)
    return _made(summary.audio, name, data, *more)


def text(
    name: str, data: Any, step: Any = None, description: str | None = None
) -> Any:
    """Write texts."""
    return _made(summary.text, name, data, plain(step), description)


def _made(record: Any, name: str, data: Any, *more: Any) -> Any:
    graph = active_graph()
    if graph is None:
        return record(name, data, *more)
    with built(graph):  # without a scope of its own, which would be part of the tag
        return collected(record(name, plain(data), *more))


def write(
    tag: str,
    tensor: Any,
    step: Any = None,
    metadata: Any = None,
    name: str | None = None,
) -> Any:
    """Write a tensor with the metadata of a plugin."""
    return _made(summary.write, tag, tensor, plain(step), metadata)


__dir__ = listing(__name__, globals())
