"""tf.summary of TensorFlow 1: operators that give summaries, and writers of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from tensorlite.compat.adopting import adopted
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1 import messages
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import float32, string
from tensorlite.core.errors import DTypeError, FailedPreconditionError
from tensorlite.core.op import Op
from tensorlite.core.scope import scope as names
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops import summaries
from tensorlite.ops.event_messages import message
from tensorlite.train.summaries import recorded, writers

_ILLEGAL = re.compile(r"[^-/\w.]")


def __getattr__(name: str) -> Any:
    """Return one of TensorFlow's messages, whose package is imported at first use."""
    if name in messages.SUMMARIES:
        return getattr(messages, name)
    raise attribute_error(__name__, name, globals())


class FileWriter(writers.FileWriter):
    """Writes summaries, graphs and metadata to a file of events."""

    def __init__(
        self,
        logdir: str | PathLike[str],
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 2.0,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        super().__init__(
            logdir, graph, max_queue, flush_secs, graph_def, filename_suffix
        )


class FileWriterCache(writers.FileWriterCache):
    """One writer for each folder."""

    @classmethod
    def get(cls, logdir: str | PathLike[str], graph: Any = None) -> Any:
        return super().get(logdir, get_default_graph() if graph is None else graph)


def scalar(
    name: str, tensor: Any, collections: Any = None, family: str | None = None
) -> Any:
    if _goes_to_writer():
        return _written(recorded.scalar, name, family, tensor)

    def summed(tag: str) -> Tensor:
        values = adopted(plain(tensor), None, "values")
        return call(summaries.ScalarSummary(), _text(tag, "tags"), values)

    return _summary(summed, name, family, collections)


def histogram(
    name: str, values: Any, collections: Any = None, family: str | None = None
) -> Any:
    if _goes_to_writer():
        return _written(recorded.histogram, name, family, values)
    return _of(summaries.HistogramSummary(), name, values, family, collections)


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    if _goes_to_writer():
        return _written(recorded.image, name, family, tensor, max_outputs=max_outputs)
    op = summaries.ImageSummary(max_outputs)
    return _of(op, name, tensor, family, collections)


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    def summed(tag: str) -> Tensor:
        rate = adopted(plain(sample_rate), float32, "sample_rate")
        op = summaries.AudioSummaryV2(max_outputs)
        return call(op, _text(tag, "tag"), to_tensor(plain(tensor)), rate)

    return _summary(summed, name, family, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    dtype = to_tensor(plain(tensor)).dtype
    if dtype is not string:
        raise DTypeError(
            f"Expected tensor {tensor} to have dtype string, got {dtype}"
        )
    if _goes_to_writer():
        return _written(recorded.text, name, None, tensor)
    about = message("SummaryMetadata")()
    about.plugin_data.plugin_name = "text"
    return tensor_summary(
        name, tensor, collections=collections, summary_metadata=about
    )


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    about = message("SummaryMetadata")()
    if summary_metadata is not None:
        about.CopyFrom(summary_metadata)
    if summary_description is not None:
        about.summary_description = summary_description
    if display_name is not None:
        about.display_name = display_name

    def summed(tag: str) -> Tensor:
        label = _text(tag, "tag")
        words = _text(about.SerializeToString(), "serialized_summary_metadata")
        value = to_tensor(plain(tensor))
        return call(summaries.TensorSummaryV2(), label, value, words)

    return _summary(summed, name, family, collections)


def merge(
    inputs: Sequence[Any], collections: Any = None, name: str | None = None
) -> Any:
    if active_graph() is None:
        raise _eager()
    clean = _clean(name)

    def merged() -> Tensor:
        return call(summaries.MergeSummary(), *[to_tensor(plain(x)) for x in inputs])

    with name_scope(clean, "Merge"):
        made = in_graph(merged, "MergeSummary", clean)
    _collect(made, () if collections is None else collections)
    return made


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Any:
    graph = active_graph()
    if graph is None:
        raise _eager()
    found = graph.get_collection(key, scope)
    return merge(found, name=name) if found else None


def _eager() -> FailedPreconditionError:
    return FailedPreconditionError(
        "Merging tf.summary.* ops is not compatible with eager execution. Use tf.summary of "
        "compat.v2, which writes at once"
    )


def _of(op: Op, name: str, tensor: Any, family: str | None, collections: Any) -> Any:
    """Return the summary of a tensor that an operator gives."""
    return _summary(
        lambda tag: call(op, _text(tag, "tag"), converted(plain(tensor))),
        name,
        family,
        collections,
    )


def _summary(
    summed: Callable[[str], Tensor], name: str, family: str | None, collections: Any
) -> Any:
    """Return a summary made under a name scope of its own, which is its tag."""
    clean, group = _clean(name), _clean(family)
    base = clean if group is None else f"{group}/{clean}"

    def make() -> Tensor:
        whole = names.get().name
        if active_graph() is None:
            whole = f"{whole}/{base}" if whole else str(base)
        return summed(whole if group is None else f"{group}/{whole}")

    made = in_graph(make, "summary", base)
    _collect(made, [GraphKeys.SUMMARIES] if collections is None else collections)
    return made


def _clean(name: str | None) -> str | None:
    if name is None:
        return None
    return str(_ILLEGAL.sub("_", one_of(name, str, "name", "a text"))).lstrip("/")


def _collect(made: Any, collections: Any) -> None:
    graph = active_graph()
    for key in collections if graph is not None else ():
        get_default_graph().add_to_collection(key, made)


def _text(value: str | bytes, name: str) -> Tensor:
    """Return a string as a constant that bears a name."""
    data = value.encode() if isinstance(value, str) else value
    return adopted(summaries.one_string(data), None, name)


def _goes_to_writer() -> bool:
    """Return whether a summary made eagerly is written at once."""
    return (
        active_graph() is None
        and recorded.has_default_writer()
        and recorded.get_step() is not None
    )


def _written(
    write: Callable[..., Any], name: str, family: str | None, data: Any, **more: Any
) -> Tensor:
    tag = name if family is None else f"{family}/{family}/{name}"
    write(tag, data, **more)
    return to_tensor(summaries.one_string(b""))
