"""`tl.summary`: what TensorBoard shows. Names, and traces of graphs and times.

The code is in train/summaries, the operators in ops/summaries/writing.py.
"""

from __future__ import annotations

import platform
import time
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from tensorlite import profiler as profiling
from tensorlite.core.dispatch import executing_eagerly
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    TracingError,
)
from tensorlite.function import compile as compiling
from tensorlite.graph.graph import Graph
from tensorlite.ops.summaries.event_messages import message
from tensorlite.ops.summaries.writing import one_string
from tensorlite.train.summaries.event_file import Pathlike, read_events
from tensorlite.train.summaries.projector import embedding
from tensorlite.train.summaries.recorded import (
    audio,
    flush,
    get_step,
    graph,
    has_default_writer,
    histogram,
    image,
    record_if,
    scalar,
    set_step,
    should_record_summaries,
    summary_scope,
    text,
    write,
    write_raw_pb,
)
from tensorlite.train.summaries.step_stats import run_metadata as made_of
from tensorlite.train.summaries.writers import (
    FileWriter,
    FileWriterCache,
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
)

__all__ = [
    "FileWriter",
    "FileWriterCache",
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "embedding",
    "flush",
    "get_step",
    "graph",
    "has_default_writer",
    "histogram",
    "image",
    "read_events",
    "record_if",
    "run_metadata",
    "scalar",
    "set_step",
    "should_record_summaries",
    "summary_scope",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
    "write_raw_pb",
]


def __dir__() -> list[str]:
    return __all__


def run_metadata(profile: profiling.Profile, *graphs: Graph) -> Any:
    """Return what `tl.profiler` recorded as a RunMetadata message, for `FileWriter`.

    It holds the last step: for each device what ran when, and the bytes of its outputs. Given the
    graphs that ran, branches and loops have their times where the graph page shows them.

    >>> double = tl.function(lambda x: x + x)
    >>> with tl.profiler.trace() as profile:
    ...     y = double(tl.ones(2))
    >>> proto = tl.summary.run_metadata(profile)
    >>> [node.node_name for node in proto.step_stats.dev_stats[0].node_stats]
    ['AddV2']
    """
    steps = profile.steps
    events = profile.events
    if steps:
        events = [event for event in events if event.step == steps[-1].number]
    return made_of(events, graphs)


class _Trace(NamedTuple):
    """A trace under way."""

    graphs: dict[int, Graph] | None
    """The graphs that ran, by id; None if they are not wanted."""
    profile: profiling.Profile | None
    outdir: Pathlike | None


_traces: list[_Trace] = []
_lock = Lock()


def trace_on(
    graph: bool = True,
    profiler: bool = False,
    profiler_outdir: Pathlike | None = None,
) -> None:
    """Begin to collect the graphs that run, on all threads, and with `profiler` what they take.

    `trace_export` ends that and writes it, `trace_off` forgets it. FailedPreconditionError if a
    trace goes on already. Source: `tf.summary.trace_on`.

    >>> tl.summary.trace_on()
    >>> tl.summary.trace_off()
    """
    if not executing_eagerly():
        raise TracingError(
            "tl.summary.trace_on collects what runs, and in a traced function nothing runs yet; "
            "call it around the function"
        )
    with _lock:
        if _traces:
            raise FailedPreconditionError(
                "a trace goes on already; end it with tl.summary.trace_export() or trace_off()"
            )
        graphs: dict[int, Graph] | None = {} if graph or profiler else None
        profile = profiling.start() if profiler else None
        _traces.append(_Trace(graphs, profile, profiler_outdir))
        compiling.watchers.append(_note)


def _note(graph: Graph) -> None:
    for trace in _traces:
        if trace.graphs is not None:
            trace.graphs.setdefault(id(graph), graph)


def trace_off() -> None:
    """End the trace, if one goes on, and forget what it collected.

    >>> tl.summary.trace_off()
    """
    _end()


def _end() -> _Trace | None:
    with _lock:
        if not _traces:
            return None
        compiling.watchers.remove(_note)
        trace = _traces.pop()
    if trace.profile is not None:
        profiling.stop()
    return trace


def trace_export(
    name: str, step: Any = None, profiler_outdir: Pathlike | None = None
) -> None:
    """End the trace and write what it collected, under a name; nothing without a default writer.

    The graph page shows the graphs, and with the profiler what each node takes. Where `trace_on`
    was told a `profiler_outdir`, a timeline is written there, which Perfetto opens.
    FailedPreconditionError if no trace goes on. Source: `tf.summary.trace_export`.

    >>> import tempfile
    >>> tl.summary.trace_on(profiler=True)
    >>> y = tl.function(lambda x: x + x)(tl.ones(2))
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tl.summary.trace_export("double", step=0)
    """
    trace = _end()
    if trace is None:
        raise FailedPreconditionError(
            "no trace goes on; must enable trace before export through tl.summary.trace_on()"
        )
    ran = () if trace.graphs is None else tuple(trace.graphs.values())
    if trace.profile is None:
        proto, plugin = made_of((), ran), "graph_run_metadata_graph"
    else:
        proto, plugin = run_metadata(trace.profile, *ran), "graph_run_metadata"
        outdir = trace.outdir if profiler_outdir is None else profiler_outdir
        if outdir is not None:
            _write_timeline(trace.profile, Path(outdir))
    about = message("SummaryMetadata")()
    about.plugin_data.plugin_name = plugin
    about.plugin_data.content = b"1"
    with summary_scope(name) as (tag, _):
        write(tag, one_string(proto.SerializeToString()), step, about)


def _write_timeline(profile: profiling.Profile, outdir: Path) -> None:
    """Write a timeline where TensorBoard's profiles are: in a folder of this time."""
    folder = outdir / "plugins" / "profile" / time.strftime("%Y_%m_%d_%H_%M_%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgumentError(
            f"profiler_outdir={str(outdir)!r} cannot be written: {error.strerror or error}"
        ) from error
    profile.save(folder / f"{platform.node() or 'machine'}.trace.json.gz")
