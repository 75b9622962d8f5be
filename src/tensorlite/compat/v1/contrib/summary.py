"""tf.contrib.summary: summaries that go to a writer of TensorFlow 2, in the forms of TensorFlow 1.

They are recorded only where the program says so, as in `always_record_summaries`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.summary_writers import (
    collected,
    file_writer,
    flush,
    initialize,
    initializer_of_writers as summary_writer_initializer_op,
    summaries_of_graph as all_summary_ops,
)
from tensorlite.compat.v1 import serialized_summaries
from tensorlite.compat.v1.math import equal
from tensorlite.compat.v1.training import averages
from tensorlite.compat.views import plain, shown
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import DTypeError, UnimplementedError
from tensorlite.graph_mode.graph import active_graph, built
from tensorlite.ops.summaries.event_messages import message
from tensorlite.summary import SummaryWriter, record_if
from tensorlite.train.summaries import recorded
from tensorlite.train.summaries.writers import graph_bytes, recording

__all__ = [
    "SummaryWriter",
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_db_writer",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """Return a writer of summaries to a file of events in logdir; name has no effect."""
    return file_writer(logdir, max_queue, flush_millis, filename_suffix)


create_summary_file_writer = create_file_writer


def create_db_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """Raise UnimplementedError: summaries go to files of events, not to databases."""
    raise UnimplementedError(
        "tensorlite writes summaries to files of events, not to a database; use "
        "tf.contrib.summary.create_file_writer"
    )


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """Return the folder of an evaluation's summaries: model_dir/eval, or eval_ and a name."""
    return str(Path(model_dir, f"eval_{name}" if name else "eval"))


def always_record_summaries() -> AbstractContextManager[None]:
    """Return a block in which summaries are recorded."""
    return record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    """Return a block in which summaries are not recorded."""
    return record_if(False)


def record_summaries_every_n_global_steps(
    n: int, global_step: Any = None
) -> AbstractContextManager[None]:
    """Return a block in which summaries are recorded where the step is a multiple of n."""
    step = (
        averages.get_or_create_global_step() if global_step is None else global_step
    )

    def due() -> Any:
        return plain(equal(step % n, 0))

    return record_if(due if active_graph() is None else due())


def should_record_summaries() -> Any:
    """Return whether summaries are recorded here, a boolean tensor."""
    with _in_the_graph():
        return shown(_asked(recorded.should_record_summaries))


def scalar(
    name: str, tensor: Any, family: str | None = None, step: Any = None
) -> Any:
    """Write a number to the default writer, as float32, where summaries are recorded."""
    value = elementwise.cast(tensor, float32)
    return _written(
        lambda: serialized_summaries.scalar(name, value, (), family), step
    )


def histogram(
    name: str, tensor: Any, family: str | None = None, step: Any = None
) -> Any:
    """Write a histogram of the tensor to the default writer, where summaries are recorded."""
    return _written(
        lambda: serialized_summaries.histogram(name, tensor, (), family), step
    )


def image(
    name: str,
    tensor: Any,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write at most max_images images, [batch, height, width, channels], where asked to.

    Summaries are to be recorded, by the default writer. bad_color has no effect.
    """
    return _written(
        lambda: serialized_summaries.image(name, tensor, max_images, (), family), step
    )


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write at most max_outputs sounds, [batch, frames, channels], where asked to.

    Summaries are to be recorded, by the default writer.
    """
    return _written(
        lambda: serialized_summaries.audio(
            name, tensor, sample_rate, max_outputs, (), family
        ),
        step,
    )


def generic(
    name: str,
    tensor: Any,
    metadata: Any = None,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write a tensor, with metadata for TensorBoard, where summaries are recorded."""
    return _written(
        lambda: serialized_summaries.tensor_summary(
            name, tensor, None, (), metadata, family
        ),
        step,
    )


def graph(param: Any, step: Any = None, name: str | None = None) -> None:
    """Write a graph for the graph page, to the default writer; where no graph is being built."""
    if active_graph() is not None:
        raise DTypeError(
            "tf.contrib.summary.graph writes at once, and here a graph is being built; give the "
            "graph to tf.contrib.summary.initialize(graph=...)"
        )
    writer = recording.get().writer
    if writer is not None and writer.file is not None:
        data = graph_bytes(param)
        writer.file.add_event(message("Event")(wall_time=time.time(), graph_def=data))


def _written(serialized: Callable[[], Any], step: Any) -> Any:
    """Have a summary written where one is to be; return whether it is."""
    chosen = averages.get_or_create_global_step() if step is None else step

    def write() -> Any:
        return recorded.write_raw_pb(plain(made), plain(chosen))

    made = serialized()
    with _in_the_graph():
        return collected(_asked(write))


def _asked(record: Callable[[], Any]) -> Any:
    """Return what `record` does, or False where nobody said that summaries are recorded."""
    return to_tensor(False) if recording.get().condition is None else record()


def _in_the_graph() -> AbstractContextManager[Any]:
    graph = active_graph()
    return nullcontext() if graph is None else built(graph)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
