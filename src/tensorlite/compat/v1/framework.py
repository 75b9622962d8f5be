"""Graphs, sessions and what they are made of: TensorFlow 1's core names."""

from __future__ import annotations

from collections.abc import (
    Collection,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tensorlite import config
from tensorlite.compat.calling import converted, named
from tensorlite.compat.overriding import own_gradient
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import fill, shape
from tensorlite.compat.shared.tapes import filled
from tensorlite.compat.shared.values import is_tensor
from tensorlite.compat.v1.configuration import patience
from tensorlite.compat.v1.constants import constant, convert_to_tensor
from tensorlite.compat.v1.derivatives import gated, written
from tensorlite.compat.v1.device_functions import as_asked
from tensorlite.compat.v1.elements import GraphElements
from tensorlite.compat.views import (
    plain,
    view,
)
from tensorlite.core import nest, scope
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ShapeError,
)
from tensorlite.core.op import Call, Gradient
from tensorlite.core.operand import Operand
from tensorlite.core.provenance import user_line
from tensorlite.core.sizes import as_value
from tensorlite.core.spec import TensorSpec
from tensorlite.distributed.attached import SCHEME, Attached
from tensorlite.graph import trace
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph_mode import graph as graphs, sessions
from tensorlite.graph_mode.graph import (
    active_graph,
    get_default_graph,
    mode,
    reset_default_graph,
)
from tensorlite.graph_mode.sessions import get_default_session
from tensorlite.graph_mode.streams import global_seed
from tensorlite.interop.tensorflow.primitives import as_primitives
from tensorlite.interop.tensorflow.writing import to_graphdef
from tensorlite.ops import differentiate, fetchable, identity as identities

__all__ = [
    "Graph",
    "InteractiveSession",
    "Session",
    "colocate_with",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "device",
    "get_default_graph",
    "get_default_session",
    "gradients",
    "group",
    "init_scope",
    "is_tensor",
    "name_scope",
    "no_op",
    "op_scope",
    "placeholder",
    "placeholder_with_default",
    "reset_default_graph",
    "set_random_seed",
]


class Graph(GraphElements):
    """TensorFlow's Graph: nodes, names and collections."""

    def as_default(self) -> Any:
        return super().as_default()

    def pull(
        self, node: Node, call: Call, dys: Sequence[Gradient]
    ) -> Sequence[Gradient]:
        found = written(call, node, dys, own_gradient(node))
        return gated(found) if self.scopes.get(_GATED) else found

    def device(self, device_name_or_function: Any) -> AbstractContextManager[Any]:
        return device(device_name_or_function)

    def name_scope(self, name: str | None) -> AbstractContextManager[str]:
        return graphs.name_scope(name or "")

    def get_name_scope(self) -> str:
        return scope.scope.get().name

    def control_dependencies(
        self, control_inputs: Any
    ) -> AbstractContextManager[None]:
        return control_dependencies(control_inputs)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        return colocate_with(op, ignore_existing)

    def add_to_collections(self, names: Any, value: Any) -> None:
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_all_collection_keys(self) -> list[str]:
        return [key for key, held in self.collections.items() if held]

    def clear_collection(self, name: str) -> None:
        self.collections.pop(name, None)

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        yield container_name

    @property
    def building_function(self) -> bool:
        return False

    def _get_control_flow_context(self) -> None:
        """Return None: branches and loops are graphs of their own, as TensorFlow 2's are."""


mode.kind = Graph


class SessionDevice(NamedTuple):
    """A device that a session may use."""

    name: str
    device_type: str
    memory_limit_bytes: int = 0
    incarnation: int = 0


class Session(sessions.Session):
    """TensorFlow 1's Session."""

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
        try:
            waiting = sessions.waiting_at_most(patience(self.config, options))
            with waiting, _recorded(self, options, run_metadata):
                return super().run(fetches, feed_dict)
        except AssertionFailedError as error:
            # TensorFlow has one class for this and for arguments that do not fit.
            raise InvalidArgumentError(str(error)) from error

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        compiled = super().make_callable(fetches, feed_list or ())
        return partial(_called, self, compiled) if accept_options else compiled

    def fetched(
        self, fetches: Any, fed: Collection[SymbolicTensor] | None = None
    ) -> Any:
        try:
            return super().fetched(fetches, fed)
        except NotFoundError as error:
            raise InvalidArgumentError(
                f"Fetch argument {fetches!r} cannot be interpreted as a Tensor. ({error})"
            ) from error

    def fed_tensor(self, x: Any) -> SymbolicTensor:
        try:
            return super().fed_tensor(x)
        except (InvalidArgumentError, NotFoundError) as error:
            raise DTypeError(
                f"Cannot interpret feed_dict key as Tensor: {error}"
            ) from error

    def fed(self, feed_dict: Mapping[Any, Any]) -> dict[Any, Any]:
        found = super().fed(feed_dict)
        graph: Any = self.graph
        for x in found if getattr(graph, "unfeedable", ()) else ():
            if not graph.is_feedable(x):
                raise InvalidArgumentError(f"Tensor {view(x)} may not be fed.")
        return found

    def list_devices(self) -> list[SessionDevice]:
        return [
            SessionDevice(f"/job:localhost/replica:0/task:0{x.name}", x.device_type)
            for x in config.list_logical_devices()
        ]

    @property
    def graph_def(self) -> Any:
        return to_graphdef(as_primitives(self.graph))

    @property
    def sess_str(self) -> str:
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
        return compiled(*values)


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
        if not self.closed:
            if self in graphs.stack.sessions:
                graphs.stack.sessions.remove(self)
            if self._given and self.graph in graphs.stack.graphs:
                graphs.stack.graphs.remove(self.graph)
        super().close()


@named("Placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    graph = active_graph()
    if graph is None:
        raise FailedPreconditionError(
            "tf.placeholder() is not compatible with eager execution. Use it inside "
            "`with tf.Graph().as_default()`, or call tf.disable_eager_execution() first"
        )
    if isinstance(shape, (list, tuple)) and -1 in [as_value(size) for size in shape]:
        raise ShapeError(
            f"tf.placeholder: shape={shape}: Dimension -1 must be >= 0; None is a size that is "
            "not known"
        )
    spec = TensorSpec(plain(TensorShape(shape)), as_dtype(dtype))
    here = scope.scope.get()
    x = graph.add_input(spec, f"{here.name}/Placeholder")
    x.node.device, x.node.group = scope.asked_for(x.node.op), here.group
    x.node.line = user_line()
    return x


@named("PlaceholderWithDefault")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    default, known = converted(input), plain(TensorShape(shape))
    if known is None or active_graph() is None:
        spec = TensorSpec(known, default.dtype)
        return call(identities.PlaceholderWithDefault(spec), default)
    return identities.placeholder_with_default(default, known)


@graphs.lasting
@contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: Any = None, **_: Any
) -> Iterator[str]:
    with graphs.name_scope(name, default_name) as whole:
        yield whole


@contextmanager
def op_scope(
    values: Any, name: str | None, default_name: str | None = None
) -> Iterator[str]:
    with graphs.name_scope(name, default_name) as whole:
        yield whole


@contextmanager
def device(device_name_or_function: Any) -> Iterator[None]:
    placing = scope.device if active_graph() is None else scope.placed_later
    with placing(as_asked(device_name_or_function)):
        yield


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    given = (
        None
        if control_inputs is None
        else [_awaited(x) for x in _listed(control_inputs)]
    )
    with scope.control_dependencies(
        None if given is None else [x for x in given if x is not None]
    ):
        yield


def _listed(inputs: Any) -> list[Any]:
    """Return what is to run first, of a nest or of what gives it one by one."""
    return nest.flatten(
        list(inputs) if isinstance(inputs, (Iterator, AbstractSet)) else inputs
    )


def _awaited(x: Any) -> Any:
    found = plain(x)
    if isinstance(found, Operand):
        return found.__tensor__()
    return found() if callable(found) else found


@contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    graph = active_graph()
    with ExitStack() as stack:
        if graph is not None:
            stack.enter_context(graphs.built(graph))
        stack.enter_context(trace.colocate_with(plain(op)))
        yield


@named("group_deps")
def _group(inputs: Any, name: str | None = None) -> Any:
    return fetchable.group(*[_grouped(x) for x in nest.flatten(inputs)])


def _grouped(x: Any) -> Any:
    return plain(x.op) if hasattr(x, "initializing") else x


def group(*inputs: Any, **kwargs: Any) -> Any:
    name = kwargs.pop("name", None)
    if kwargs:
        raise DTypeError(f"group: unknown arguments {sorted(kwargs)}")
    return _group(list(inputs), name=name)


@named("NoOp")
def no_op(name: str | None = None) -> Any:
    return fetchable.group()


_GATED = "gated gradients"
"""Under what a graph keeps whether gradients of one node wait for each other."""
_NUMBERS = (bool, int, float, complex, np.generic, np.ndarray)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: Any = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    found = _gradients(ys, xs, grad_ys, gate_gradients, stop_gradients, name)
    made: list[Any] = filled(found, nest.flatten(xs), unconnected_gradients)
    return made


@named("gradients", inner=None)
def _gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    gate_gradients: Any,
    stop_gradients: Any,
    name: str | None = None,
) -> list[Any]:
    targets = ys if isinstance(ys, (list, tuple)) else [ys]
    listed = xs if isinstance(xs, (list, tuple)) else [xs]
    sources = [converted(x) if isinstance(x, _NUMBERS) else x for x in listed]
    flows = grad_ys
    if flows is not None:
        listed = flows if isinstance(flows, (list, tuple)) else [flows]
        flows = [converted(x) if isinstance(x, list) else x for x in listed]
    if flows is None and active_graph() is not None:
        flows = [_ones(y, i) for i, y in enumerate(targets)]
    with _gates(bool(gate_gradients)):
        return list(
            differentiate.gradients(
                list(targets), sources, flows, stop_gradients or ()
            )
        )


def _ones(y: Any, number: int) -> Any:
    """Return what flows into a target, as TensorFlow names it."""
    x = converted(y)
    if not x.dtype.is_differentiable:
        return None
    if x.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors must set grad_ys (y.dtype = {x.dtype!r})"
        )
    sizes = shape(x)
    return fill(sizes, constant(1, x.dtype, name=f"grad_ys_{number}"))


@contextmanager
def _gates(are_wanted: bool) -> Iterator[None]:
    """Let gradients of one node wait for each other, as TensorFlow's graphs say that they do."""
    graph = active_graph()
    if graph is None:
        yield
        return
    before = graph.scopes.get(_GATED, False)
    graph.scopes[_GATED] = are_wanted
    try:
        yield
    finally:
        graph.scopes[_GATED] = before


@contextmanager
def init_scope() -> Iterator[None]:
    with graphs.outside():
        yield


def set_random_seed(seed: int) -> None:
    graph = active_graph()
    if graph is None:
        global_seed.set(int(seed))
    else:
        graph.seed = seed
