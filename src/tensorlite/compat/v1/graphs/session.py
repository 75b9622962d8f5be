"""Sessions of TensorFlow 1, which run graphs: Session and InteractiveSession.

What they have in common with other programs' sessions is in graph_mode/sessions.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, NamedTuple

from tensorlite import config
from tensorlite.compat.v1.graphs.configuration import patience
from tensorlite.compat.v1.graphs.session_conversions import (
    fed_apart,
    keys_apart,
    taken_apart,
)
from tensorlite.compat.views import view
from tensorlite.core.check import one_of
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
    TensorliteError,
)
from tensorlite.distributed.attached import SCHEME, Attached
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph_mode import graph as graphs, sessions
from tensorlite.interop.tensorflow.writers.primitives import as_primitives
from tensorlite.interop.tensorflow.writing import to_graphdef

__all__ = ["InteractiveSession", "Session", "SessionDevice"]


class SessionDevice(NamedTuple):
    """A device that a session may use."""

    name: str
    device_type: str
    memory_limit_bytes: int = 0
    incarnation: int = 0


class Session(sessions.Session):
    """What runs operations of a graph, and keeps the values of its variables until it is closed.

    target is "" for this process, or "grpc://host:port" for a server's cluster; graph is the
    default one if None; config is a tf.ConfigProto.
    """

    def __init__(
        self, target: Any = "", graph: Any = None, config: Any = None
    ) -> None:
        if not hasattr(config, "allow_soft_placement"):
            told = "config must be a tf.ConfigProto: config"
            one_of(config, type(None), told, "a tf.ConfigProto")
        if graph is not None:
            one_of(
                graph, ManualGraph, "graph must be a tf.Graph: graph", "a tf.Graph"
            )
        soft = config is None or config.allow_soft_placement
        filters = [] if config is None else config.device_filters
        super().__init__(_reached(target, filters), graph, soft=soft)
        self.config = config

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Return the values of fetches, in their structure: NumPy arrays, None for operations.

        Fetches are tensors, operations, variables, or names ("add:0") in lists, tuples and dicts;
        feed_dict gives tensors values. options with a trace_level let run_metadata be filled in. A
        failed assertion raises InvalidArgumentError.

        >>> from tensorlite.compat import v1 as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     x = tf.placeholder(tf.float32)
        ...     float(session.run(x * 2, feed_dict={x: 3.0}))
        6.0
        """
        wanted, finished = taken_apart(fetches)
        try:
            waiting = sessions.waiting_at_most(patience(self.config, options))
            with waiting, _recorded(self, options, run_metadata):
                return finished(super().run(wanted, feed_dict))
        except TensorliteError as error:
            told = _told(self.graph, error)
            if told is error:
                raise
            raise told from error

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """Return a function of feed_list's values that gives those of fetches.

        With accept_options it takes options and run_metadata by name.
        """
        compiled = super().make_callable(fetches, feed_list or ())
        return partial(_called if accept_options else _plainly, self, compiled)

    def partial_run_setup(
        self, fetches: Any, feeds: Sequence[Any] | None = None
    ) -> Any:
        """Return a step to be taken in several calls of partial_run."""
        wanted, _ = taken_apart(fetches)
        return super().partial_run_setup(wanted, keys_apart(feeds or ()))

    def partial_run(
        self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None
    ) -> Any:
        """Return the values of fetches in a step that partial_run_setup began."""
        wanted, finished = taken_apart(fetches)
        return finished(
            _plainly(self, super().partial_run, handle, wanted, feed_dict)
        )

    def fetched(
        self, fetches: Any, fed: Collection[SymbolicTensor] | None = None
    ) -> Any:
        """Return what is to be run: tensors and nodes in place of names and variables.

        What the graph does not have, or what may not be fetched, raises InvalidArgumentError.
        """
        try:
            found = super().fetched(fetches, fed)
        except NotFoundError as error:
            raise InvalidArgumentError(
                f"Fetch argument {fetches!r} cannot be interpreted as a Tensor. ({error})"
            ) from error
        kept_back = getattr(self.graph, "unfetchable", ())
        node = found.node if isinstance(found, SymbolicTensor) else found
        if isinstance(node, Node) and node in kept_back:
            raise InvalidArgumentError(
                f"Operation {node.name!r} has been marked as not fetchable."
            )
        return found

    def fed_tensor(self, x: Any) -> SymbolicTensor:
        """Return the tensor of a key of feed_dict; what is none raises DTypeError."""
        try:
            return super().fed_tensor(x)
        except (InvalidArgumentError, NotFoundError) as error:
            raise DTypeError(
                f"Cannot interpret feed_dict key as Tensor: {error}"
            ) from error

    def fed(self, feed_dict: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return what is fed, in the tensors' dtypes; what may not be fed raises an error."""
        found = super().fed(fed_apart(feed_dict))
        graph: Any = self.graph
        for x in found if getattr(graph, "unfeedable", ()) else ():
            if not graph.is_feedable(x):
                raise InvalidArgumentError(f"Tensor {view(x)} may not be fed.")
        return found

    @property
    def _config(self) -> Any:
        return self.config

    def list_devices(self) -> list[SessionDevice]:
        """Return the devices that the session may use, with names and types."""
        return [
            SessionDevice(f"/job:localhost/replica:0/task:0{x.name}", x.device_type)
            for x in config.list_logical_devices()
        ]

    @property
    def graph_def(self) -> Any:
        """The session's graph, a GraphDef."""
        return to_graphdef(as_primitives(self.graph))

    @property
    def sess_str(self) -> str:
        """What TensorFlow calls the session inside: ""."""
        return ""

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Forget what other sessions hold; each has its own here."""


def _called(
    session: Session,
    compiled: Any,
    *values: Any,
    options: Any = None,
    run_metadata: Any = None,
) -> Any:
    """Call what make_callable made, recorded where that is asked for."""
    with _recorded(session, options, run_metadata):
        return _plainly(session, compiled, *values)


def _plainly(session: Session, compiled: Any, *values: Any) -> Any:
    """Call what make_callable made; its errors tell of the operation that failed."""
    try:
        return compiled(*values)
    except TensorliteError as error:
        told = _told(session.graph, error)
        if told is error:
            raise
        raise told from error


def _told(graph: Any, error: TensorliteError) -> TensorliteError:
    """Return what to raise for an error, which tells of the operation that failed."""
    told = error
    if isinstance(error, AssertionFailedError):
        # TensorFlow has one class for this and for arguments that do not fit.
        told = InvalidArgumentError(str(error))
        told.node_name = error.node_name
    if told.op is None and told.node_name is not None:
        with suppress(NotFoundError, InvalidArgumentError):  # a part made for the run
            told.op = graph.get_operation_by_name(told.node_name)
            told.node_def = told.op.node_def
    return told


def _recorded(
    session: Session, options: Any, record: Any
) -> AbstractContextManager[Any]:
    """Return what a run is recorded by, where its options ask for that."""
    if record is None or options is None or not options.trace_level:
        return nullcontext()
    found: AbstractContextManager[Any] = record.recording(session)
    return found


def _reached(target: Any, filters: Sequence[str]) -> Any:
    """Return what runs a session: the tasks of a target, or this process alone."""
    if isinstance(target, bytes):
        target = target.decode()
    if isinstance(target, str) and target.startswith(SCHEME):
        return Attached(target, filters)
    if not isinstance(target, str) and not hasattr(target, "default_device"):
        raise DTypeError(f"target must be a string, but got {target!r}")
    if isinstance(target, str) and target not in ("", "local"):
        raise NotFoundError(
            "No session factory registered for the given session options: "
            f"target={target!r}; allowed are '', which is this process, and {SCHEME}host:port"
        )
    return "" if isinstance(target, str) else target


class InteractiveSession(Session):
    """A session that is the default one from now on, until it is closed."""

    def __init__(
        self, target: Any = "", graph: Any = None, config: Any = None
    ) -> None:
        super().__init__(target, graph, config)
        self._given = graph is not None
        graphs.stack.sessions.append(self)
        if self._given:
            graphs.stack.graphs.append(self.graph)

    def close(self) -> None:
        """Close the session, which is the default one no longer."""
        if not self.closed:
            if self in graphs.stack.sessions:
                graphs.stack.sessions.remove(self)
            if self._given and self.graph in graphs.stack.graphs:
                graphs.stack.graphs.remove(self.graph)
        super().close()
