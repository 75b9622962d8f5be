"""What tf.summary's operators of TensorFlow 1 return: summaries as serialised messages.

Whether they are returned or written at once is chosen in summary.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tensorlite.compat.adopting import adopted
from tensorlite.compat.calling import converted
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import float32, string
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.scope import scope as names
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph, get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops.summaries import writing as summaries
from tensorlite.ops.summaries.event_messages import message

_ILLEGAL = re.compile(r"[^-/\w.]")


def scalar(
    name: str, tensor: Any, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of a number, a string tensor."""

    def summed(tag: str) -> Tensor:
        values = adopted(plain(tensor), None, "values")
        return call(summaries.ScalarSummary(), _text(tag, "tags"), values)

    return _summary(summed, name, family, collections)


def histogram(
    name: str, values: Any, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of how values are spread, a string tensor."""
    return _of(summaries.HistogramSummary(), name, values, family, collections)


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of at most max_outputs images [batch, height, width, channels]."""
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
    """Return a summary of at most max_outputs sounds [batch, frames, channels]."""

    def summed(tag: str) -> Tensor:
        rate = adopted(plain(sample_rate), float32, "sample_rate")
        op = summaries.AudioSummaryV2(max_outputs)
        return call(op, _text(tag, "tag"), to_tensor(plain(tensor)), rate)

    return _summary(summed, name, family, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Return a summary of strings; another dtype raises DTypeError."""
    dtype = to_tensor(plain(tensor)).dtype
    if dtype is not string:
        raise DTypeError(
            f"Expected tensor {tensor} to have dtype string, got {dtype}"
        )
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
    """Return a summary of a tensor with its metadata, for TensorBoard's plugins."""
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
    clean, group = clean_name(name), clean_name(family)
    base = clean if group is None else f"{group}/{clean}"

    def make() -> Tensor:
        whole = names.get().name
        if active_graph() is None:
            whole = f"{whole}/{base}" if whole else str(base)
        return summed(whole if group is None else f"{group}/{whole}")

    made = in_graph(make, "summary", base)
    collect(made, [GraphKeys.SUMMARIES] if collections is None else collections)
    return made


def clean_name(name: str | None) -> str | None:
    """Return a name with characters that a graph does not allow replaced by `_`."""
    if name is None:
        return None
    return str(_ILLEGAL.sub("_", one_of(name, str, "name", "a text"))).lstrip("/")


def collect(made: Any, collections: Any) -> None:
    """Add what was made to collections of the graph being built."""
    graph = active_graph()
    for key in collections if graph is not None else ():
        get_default_graph().add_to_collection(key, made)


def _text(value: str | bytes, name: str) -> Tensor:
    """Return a string as a constant that bears a name."""
    data = value.encode() if isinstance(value, str) else value
    return adopted(summaries.one_string(data), None, name)
