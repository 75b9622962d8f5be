"""tf.summary of TensorFlow 1: operators that give summaries, and writers of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.summary_writers import (
    initialize as initialize,
    summaries_of_graph,
)
from tensorlite.compat.v1 import messages, serialized_summaries
from tensorlite.compat.v1.graphs.elements import GraphElements
from tensorlite.compat.v1.graphs.metagraphs import create_meta_graph_def
from tensorlite.compat.v1.serialized_summaries import (
    audio as audio,
    clean_name,
    collect,
    tensor_summary as tensor_summary,
)
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import string
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    MissingOperatorError,
)
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops.summaries import writing as summaries
from tensorlite.train.summaries import recorded, writers

all_v2_summary_ops = summaries_of_graph


__dir__ = listing(__name__, globals(), messages.SUMMARIES)


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
        super().__init__(logdir, None, max_queue, flush_secs, None, filename_suffix)
        if graph is not None or graph_def is not None:
            whole = _complete(graph if graph is not None else graph_def)
            self.add_graph(whole)
            if not isinstance(whole, Graph):
                self.add_meta_graph(create_meta_graph_def(graph_def=whole))

    def add_graph(
        self, graph: Any, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Write a graph with the shapes of its tensors, or a GraphDef, for the graph page."""
        if graph is not None and graph_def is not None:
            raise InvalidArgumentError(
                "Please pass only graph, or graph_def (deprecated), but not both."
            )
        whole = _complete(graph if graph is not None else graph_def)
        super().add_graph(whole, global_step)


def _complete(given: Any) -> Any:
    """Return a graph as a GraphDef with shapes; where TensorFlow lacks an operator, as it is."""
    if not isinstance(given, GraphElements):
        return given
    try:
        return given.as_graph_def(add_shapes=True)
    except MissingOperatorError:
        return given


class FileWriterCache(writers.FileWriterCache):
    """One writer for each folder."""

    kind = FileWriter

    @classmethod
    def get(cls, logdir: str | PathLike[str], graph: Any = None) -> Any:
        """Return the one writer of a folder, made with the graph if it is new."""
        return super().get(logdir, get_default_graph() if graph is None else graph)


@at_home
def scalar(
    name: str, tensor: Any, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of a number, a string tensor, in the collection SUMMARIES.

    family goes before the name. In functions of TensorFlow 2 it is written instead.
    """
    if _goes_to_writer():
        return _written(recorded.scalar, name, family, tensor)
    return serialized_summaries.scalar(name, tensor, collections, family)


@at_home
def histogram(
    name: str, values: Any, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of how values are spread, in the collection SUMMARIES."""
    if _goes_to_writer():
        return _written(recorded.histogram, name, family, values)
    return serialized_summaries.histogram(name, values, collections, family)


@at_home
def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of at most max_outputs images [batch, height, width, channels].

    It is in the collection SUMMARIES. uint8 is taken as it is, floating numbers are scaled.
    """
    if _goes_to_writer():
        return _written(recorded.image, name, family, tensor, max_outputs=max_outputs)
    return serialized_summaries.image(name, tensor, max_outputs, collections, family)


@at_home
def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Return a summary of strings, in the collection SUMMARIES.

    Another dtype raises DTypeError.
    """
    if _goes_to_writer() and to_tensor(plain(tensor)).dtype is string:
        return _written(recorded.text, name, None, tensor)
    return serialized_summaries.text(name, tensor, collections)


@at_home
def merge(
    inputs: Sequence[Any], collections: Any = None, name: str | None = None
) -> Any:
    """Return several summaries in one; where programs run at once, an error is raised."""
    if active_graph() is None:
        raise _eager()
    clean = clean_name(name)

    def merged() -> Tensor:
        return call(summaries.MergeSummary(), *[to_tensor(plain(x)) for x in inputs])

    with name_scope(clean, "Merge"):
        made = in_graph(merged, "MergeSummary", clean)
    collect(made, () if collections is None else collections)
    return made


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Any:
    """Return all summaries of the collection in one, None if there are none.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.summary.merge_all() is None
    True
    """
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
