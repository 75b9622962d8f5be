"""scalar, histogram, image, audio, text, graph: summaries for the default writer.

They work eagerly and in traced functions, where they are operators that write when the graph runs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, executing_eagerly, to_tensor
from tensorlite.core.dtypes import float32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, TracingError
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies, name_scope, scope
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.graph.graph import Node
from tensorlite.ops.arrays.create import asarray
from tensorlite.ops.arrays.identity import identity, stop_gradient
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.loops import cond
from tensorlite.ops.fetchable import Fetchable, effect
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.summaries.event_messages import board, message
from tensorlite.ops.summaries.writing import (
    FlushSummaryWriter,
    SummaryBuckets,
    SummaryImages,
    SummarySounds,
    WriteRawProtoSummary,
    WriteSummary,
)
from tensorlite.train.summaries.writers import (
    SummaryWriter,
    graph_bytes,
    recording,
)

_ILLEGAL = re.compile(r"[^-/\w.]")
Made = Callable[[], Tensor]


def set_step(step: Any) -> None:
    """Let summaries of this thread that say no step be of this one: a number or a variable.

    A traced function has the number of its tracing; it reads a variable whenever it runs. None
    forgets the step. Source: `tf.summary.experimental.set_step`.

    >>> tl.summary.set_step(3)
    >>> tl.summary.get_step()
    3
    >>> tl.summary.set_step(None)
    """
    recording.set(replace(recording.get(), step=step))


def get_step() -> Any:
    """Return the step that summaries are of which say none; None if there is none.

    >>> print(tl.summary.get_step())
    None
    """
    return recording.get().step


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Return a `with` block in which summaries are recorded only where `condition` holds.

    That is a bool, a tensor of one, or a function that returns one of these and is asked for each
    summary. Source: `tf.summary.record_if`.

    >>> with tl.summary.record_if(lambda: tl.summary.get_step() % 100 == 0):
    ...     written = tl.summary.scalar("loss", 0.5)
    """
    before = recording.get().condition
    recording.set(replace(recording.get(), condition=condition))
    try:
        yield
    finally:
        recording.set(replace(recording.get(), condition=before))


def should_record_summaries() -> Tensor:
    """Return whether a summary made here would be written, as a tensor.

    >>> print(tl.summary.should_record_summaries())
    False
    """
    found = _condition()
    return found if isinstance(found, Tensor) else asarray(found)


def has_default_writer() -> bool:
    """Return whether there is a default writer.

    >>> tl.summary.has_default_writer()
    False
    """
    return recording.get().writer is not None


def _condition() -> bool | Tensor:
    """Return whether to record: a bool where it is known already."""
    here = recording.get()
    if here.writer is None or here.writer.handle is None:
        return False
    condition = here.condition
    found = condition() if callable(condition) else condition
    if found is None:
        return True
    if not isinstance(found, Tensor):
        found = found.value() if hasattr(found, "assign") else found
    if isinstance(found, Tensor) and not isinstance(found, EagerTensor):
        return logical_and(found, True)
    return bool(np.asarray(found))


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary"
) -> Iterator[tuple[str, str]]:
    """Return a `with` block for making a summary; yields its tag and the scope of names.

    The tag is `name` behind the name scopes around. Source:
    `tf.summary.experimental.summary_scope`.

    >>> with tl.name_scope("layer"), tl.summary.summary_scope("my loss") as (tag, names):
    ...     print(tag, names)
    layer/my loss layer/myloss
    """
    name = one_of(name or default_name, str, "name", "a text")
    around = scope.get().name
    tag = f"{around}/{name}" if around else name
    with name_scope(_ILLEGAL.sub("", name) or default_name) as names:
        yield tag, names


def write(
    tag: str,
    tensor: TensorLike | Made,
    step: Any = None,
    metadata: Any = None,
) -> Tensor:
    """Write a tensor as a summary for a plugin of TensorBoard; return whether it was written.

    `tensor` may be a function, called only if it is. `metadata` is a SummaryMetadata message, or
    its bytes. Without a step, that of `set_step` is taken; InvalidArgumentError if there is none.
    Source: `tf.summary.write`.

    >>> print(tl.summary.write("x", [1.0, 2.0], step=0))  # there is no default writer
    False
    """
    about = b"" if metadata is None else metadata
    if hasattr(about, "SerializeToString"):
        about = about.SerializeToString()

    def write_to(handle: Tensor, number: Tensor) -> Fetchable:
        value = to_tensor(tensor() if callable(tensor) else tensor)
        name, words = _one_string(tag), _one_string(about)
        return effect(WriteSummary(), handle, number, value, name, words)

    return _recorded(write_to, step)


def write_raw_pb(tensor: TensorLike, step: Any = None) -> Tensor:
    """Write serialized Summary messages; return whether they were written.

    Source: `tf.summary.experimental.write_raw_pb`.

    >>> print(tl.summary.write_raw_pb(b"", step=0))  # there is no default writer
    False
    """

    def write_to(handle: Tensor, number: Tensor) -> Fetchable:
        return effect(WriteRawProtoSummary(), handle, number, to_tensor(tensor))

    return _recorded(write_to, step)


def _recorded(write_to: Callable[[Tensor, Tensor], Fetchable], step: Any) -> Tensor:
    """Have a summary written where summaries are recorded; return whether it is."""
    should = _condition()
    here = recording.get()
    handle = None if here.writer is None else here.writer.handle
    if should is False or handle is None:
        return asarray(False)
    chosen = here.step if step is None else step
    if chosen is None:
        raise InvalidArgumentError(
            "No step set. Please specify one either through the `step` argument or through "
            "tl.summary.set_step()"
        )

    def record() -> Tensor:
        done = write_to(handle, astype(to_tensor(chosen), int64))
        if isinstance(done, Node):
            with control_dependencies([done]):
                return identity(asarray(True))
        return asarray(True)

    if should is True:
        return record()
    made: Tensor = cond(should, record, lambda: asarray(False))
    return made


def _one_string(text: str | bytes) -> Tensor:
    made = np.empty((), object)
    made[()] = text.encode() if isinstance(text, str) else text
    return to_tensor(made)


def _about(plugin: str, description: str | None, **more: Any) -> Any:
    """Return the metadata of one of TensorBoard's own plugins."""
    module = board(f"tensorboard.plugins.{plugin}.metadata")
    return module.create_summary_metadata(
        display_name=None, description=description, **more
    )


def _shown(
    plugin: str, name: str, op: Callable[[], Tensor], step: Any, about: Any
) -> Tensor:
    with summary_scope(name, f"{plugin}_summary") as (tag, _):
        return write(tag, op, step, about)


def scalar(
    name: str, data: TensorLike, step: Any = None, description: str | None = None
) -> Tensor:
    """Write a number, of which TensorBoard draws the course; return whether it was written.

    Source: `tf.summary.scalar`.

    >>> import tempfile
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     for step in range(3):
    ...         written = tl.summary.scalar("loss", 1.0 / (1 + step), step)
    """

    def number() -> Tensor:
        value = astype(to_tensor(data), float32)
        if value.spec.shape not in {(), None}:
            raise InvalidArgumentError(
                f"scalar({name!r}): a scalar has no axes, not {value.spec}; give its mean, or a "
                "histogram of it"
            )
        return value

    return _shown("scalar", name, number, step, _about("scalar", description))


def histogram(
    name: str,
    data: TensorLike,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Write how the elements of a tensor are distributed; return whether it was written.

    They are counted in `buckets` of equal width, 30 if nothing else is said. Source:
    `tf.summary.histogram`.

    >>> import tempfile
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     print(tl.summary.histogram("weights", tl.ones((3, 4))))
    True
    """
    op = SummaryBuckets(30 if buckets is None else int(np.asarray(buckets)))
    about = _about("histogram", description)
    return _shown("histogram", name, lambda: _made(op, data), step, about)


def image(
    name: str,
    data: TensorLike,
    step: Any = None,
    max_outputs: int = 3,
    description: str | None = None,
) -> Tensor:
    """Write the first `max_outputs` of images; return whether they were written.

    `data` is (images, height, width, channels) with 1 to 4 channels: grey, with alpha, RGB, RGBA.
    Floats between 0 and 1 are scaled, others kept within. Source: `tf.summary.image`.

    >>> import tempfile
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     print(tl.summary.image("grey", tl.ones((1, 8, 8, 1)) * 0.5))
    True
    """
    op = SummaryImages(_most(max_outputs))
    about = _about("image", description)
    return _shown("image", name, lambda: _made(op, data), step, about)


def audio(
    name: str,
    data: TensorLike,
    sample_rate: int,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write the first `max_outputs` clips of sound; return whether they were written.

    `data` is (clips, frames, channels) with values between -1 and 1. Source: `tf.summary.audio`.

    >>> import tempfile
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     print(tl.summary.audio("silence", tl.zeros((1, 800, 1)), 8000))
    True
    """
    if encoding not in (None, "wav"):
        raise InvalidArgumentError(f"encoding={encoding!r}: allowed is 'wav'")
    op = SummarySounds(int(np.asarray(sample_rate)), _most(max_outputs))
    wav = board("tensorboard.plugins.audio.metadata").Encoding.Value("WAV")
    about = _about("audio", description, encoding=wav)
    return _shown("audio", name, lambda: _made(op, data), step, about)


def text(
    name: str, data: TensorLike, step: Any = None, description: str | None = None
) -> Tensor:
    """Write a string, or a table of strings, in Markdown; return whether it was written.

    Source: `tf.summary.text`.

    >>> import tempfile
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     print(tl.summary.text("notes", "rate **0.1**"))
    True
    """
    value = _one_string(data) if isinstance(data, (str, bytes)) else to_tensor(data)
    if value.dtype is not string:
        raise DTypeError(f"text({name!r}) takes strings, not {value.spec}")
    return _shown("text", name, lambda: value, step, _about("text", description))


def _most(count: Any) -> int:
    most = int(np.asarray(count))
    if most < 0:
        raise InvalidArgumentError(f"max_outputs={count!r}: allowed are 0 and above")
    return most


def _made(op: Op, data: TensorLike) -> Tensor:
    return call(op, stop_gradient(to_tensor(data)))


def graph(graph_data: Any) -> Tensor:
    """Write a graph for the graph page; return whether it was written.

    That is a `tl.Graph`, a traced function's `get_concrete_function(...)`, or a GraphDef. Source:
    `tf.summary.graph`.

    >>> import tempfile
    >>> double = tl.function(lambda x: x + x).get_concrete_function(tl.ones(2))
    >>> with tl.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     print(tl.summary.graph(double))
    True
    """
    if not executing_eagerly():
        raise TracingError(
            "tl.summary.graph writes at once, and in a trace nothing runs yet; call it outside"
        )
    writer = recording.get().writer
    if writer is None or writer.file is None or not _condition():
        return asarray(False)
    data = graph_bytes(graph_data)
    writer.file.add_event(message("Event")(wall_time=time.time(), graph_def=data))
    return asarray(True)


def flush(writer: SummaryWriter | None = None) -> Fetchable:
    """Have a writer, or the default one, write all that was recorded; also in a trace.

    >>> tl.summary.flush()  # there is no default writer
    """
    one_of(writer, (SummaryWriter, type(None)), "writer", "a SummaryWriter")
    chosen = recording.get().writer if writer is None else writer
    if chosen is None or chosen.handle is None:
        return None
    return effect(FlushSummaryWriter(), chosen.handle)
