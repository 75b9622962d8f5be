"""Graphs and what they are made of: TensorFlow 1's core names. Sessions are in session.py."""

from __future__ import annotations

from collections.abc import (
    Iterator,
    Sequence,
    Set as AbstractSet,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import numpy as np

from tensorlite.compat.arguments import name_arguments
from tensorlite.compat.calling import converted, named
from tensorlite.compat.input_graphs import graph_of_inputs
from tensorlite.compat.overriding import own_gradient
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import fill, identity, shape
from tensorlite.compat.shared.referred import variable_of
from tensorlite.compat.shared.tapes import filled
from tensorlite.compat.shared.values import is_tensor
from tensorlite.compat.v1.derivatives import gated, written
from tensorlite.compat.v1.derivatives.slices import dense_beside
from tensorlite.compat.v1.derivatives.sums import SUMMED, in_a_way
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.graphs.device_functions import as_asked
from tensorlite.compat.v1.graphs.elements import GraphElements
from tensorlite.compat.v1.graphs.session import InteractiveSession, Session
from tensorlite.compat.views import plain
from tensorlite.core import nest, scope
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, resource
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Call, Gradient, Op, Role
from tensorlite.core.operand import Operand
from tensorlite.core.provenance import user_line
from tensorlite.core.sizes import as_value
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph import trace
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode import graph as graphs
from tensorlite.graph_mode.graph import (
    active_graph,
    get_default_graph,
    mode,
    reset_default_graph,
)
from tensorlite.graph_mode.sessions import get_default_session
from tensorlite.graph_mode.streams import global_seed
from tensorlite.graph_mode.sweeps import noted
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.rewinding.asking import gradients_of_primitives
from tensorlite.ops import fetchable
from tensorlite.ops.arrays import identity as identities
from tensorlite.ops.control import differentiate
from tensorlite.ops.state.variable import Variable

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
        """Return a block in which operations are made in this graph.

        >>> from tensorlite.compat import v1 as tf
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     tf.get_default_graph() is graph
        True
        """
        return super().as_default()

    def pull(
        self, node: Node, call: Call, dys: Sequence[Gradient]
    ) -> Sequence[Gradient]:
        """Return the gradients that flow back through an operation, as TensorFlow 1 writes them."""
        found = written(call, node, dys, own_gradient(node))
        return gated(found) if self.scopes.get(_GATED) else found

    def takes_sparse(self, op: Op) -> bool:
        """Return whether TensorFlow 1 writes gradients of an operator of sparse ones, too."""
        return super().takes_sparse(op) or op.role is Role.PLAIN

    def total(self, x: SymbolicTensor, parts: list[Any]) -> Any:
        """Return the sum of what has flowed into a tensor, in the way that was asked for."""
        found = in_a_way(x, parts, self.scopes.get(SUMMED))
        if found is not None:
            return found
        if not all(isinstance(part, IndexedSlices) for part in parts):
            parts = dense_beside(parts, self)
        graph = x.node.graph
        count = len(graph.nodes)
        total = super().total(x, parts)
        name_arguments(graph, count, scope.scope.get().name)
        return total

    def device(self, device_name_or_function: Any) -> AbstractContextManager[Any]:
        """Return a block whose operations go to a device, by its name or a function."""
        return device(device_name_or_function)

    def name_scope(self, name: str | None) -> AbstractContextManager[str]:
        """Return a block whose operations' names begin with name; "" or None goes to the top."""
        return graphs.name_scope(name or "")

    def get_name_scope(self) -> str:
        """Return the name scope that operations are made in."""
        return scope.scope.get().name

    def control_dependencies(
        self, control_inputs: Any
    ) -> AbstractContextManager[None]:
        """Return a block whose operations run behind others; None forgets those outside."""
        return control_dependencies(control_inputs)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        """Return a block whose operations go where another one is."""
        return colocate_with(op, ignore_existing)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Add a value to several collections, once to each."""
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_all_collection_keys(self) -> list[str]:
        """Return the names of collections that hold something."""
        return [key for key, held in self.collections.items() if held]

    def clear_collection(self, name: str) -> None:
        """Empty a collection."""
        self.collections.pop(name, None)

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Do nothing: resources are kept by sessions, not by containers."""
        yield container_name

    @property
    def building_function(self) -> bool:
        """False: functions have graphs of their own."""
        return False

    _building_function = building_function

    def _get_control_flow_context(self) -> None:
        """Return None: branches and loops are graphs of their own, as TensorFlow 2's are."""


mode.kind = Graph


@named("Placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a tensor that is to be fed in each run; sizes of None are not known.

    Where programs run at once, FailedPreconditionError is raised; a size of -1 raises ShapeError.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.placeholder(tf.float32, [None, 2], "x").get_shape().as_list()
    [None, 2]
    """
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
    """Return a tensor that may be fed, and is input otherwise.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     int(session.run(tf.placeholder_with_default(4, [])))
    4
    """
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
    """Let operations' names inside the block begin with name, and yield the scope.

    default_name is taken where name is None; a name that ends with a slash is taken as it is.
    What is made inside is in the graph that values are of.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.name_scope("layer"):
    ...     tf.constant(1, name="one").name
    'layer/one:0'
    """
    is_root = name is None and default_name is None
    with (
        graph_of_inputs(values),
        graphs.name_scope("" if is_root else name, default_name) as whole,
    ):
        yield whole


@contextmanager
def op_scope(
    values: Any, name: str | None, default_name: str | None = None
) -> Iterator[str]:
    """Let operations' names inside the block begin with name, and yield the scope.

    It is tf.name_scope in the order of arguments of before 1.0.
    """
    with (
        graph_of_inputs(values),
        graphs.name_scope(name, default_name) as whole,
    ):
        yield whole


@contextmanager
def device(device_name_or_function: Any) -> Iterator[None]:
    """Place operations inside the block on a device, like "/device:GPU:0".

    None takes away devices outside; a function is asked for the name with each operation.
    """
    placing = scope.device if active_graph() is None else scope.placed_later
    with placing(as_asked(device_name_or_function)):
        yield


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Let operations made inside the block run behind others.

    None forgets the dependencies of blocks outside. An operation made before the block is not
    changed.
    """
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
    if isinstance(found, GraphVariable):
        return found.awaited()
    if isinstance(found, Operand):
        return found.__tensor__()
    return found() if callable(found) else found


@contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Place operations inside the block where another one is.

    With ignore_existing it may be None, which forgets blocks outside; InvalidArgumentError without.
    """
    graph = active_graph()
    if op is None:
        if not ignore_existing:
            raise InvalidArgumentError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        with scope.beside_nothing():
            yield
        return
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
    """Return an operation that has run when all inputs, in any structure, have.

    Arguments other than name raise DTypeError.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable(1)
    ...     session.run([tf.group(v.initializer), v.initializer])
    [None, None]
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise DTypeError(f"group: unknown arguments {sorted(kwargs)}")
    return _group(list(inputs), name=name)


@named("NoOp")
def no_op(name: str | None = None) -> Any:
    """Return an operation that does nothing."""
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
    """Return the sums of ys' gradients by each of xs, None where there is none.

    grad_ys are what flows into ys (ones if None); nothing flows through stop_gradients.
    unconnected_gradients is "none" or "zero". aggregation_method says by which operators gradients
    are added up; colocate_gradients_with_ops has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(3.0)
    ...     float(session.run(tf.gradients(x * x, x))[0])
    6.0
    """
    ways = {_GATED: bool(gate_gradients), SUMMED: aggregation_method}
    sources = [_held(x) for x in xs] if isinstance(xs, (list, tuple)) else _held(xs)
    found = _gradients(ys, sources, grad_ys, ways, stop_gradients, name)
    made: list[Any] = filled(found, nest.flatten(sources), unconnected_gradients)
    return made


@named("gradients", inner=None)
def _gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    ways: dict[str, Any],
    stop_gradients: Any,
    name: str | None = None,
) -> list[Any]:
    given = ys if isinstance(ys, (list, tuple)) else [ys]
    packed = (list, tuple, Variable)
    targets = [converted(y) if isinstance(y, packed) else y for y in given]
    listed = xs if isinstance(xs, (list, tuple)) else [xs]
    sources = [converted(x) if isinstance(x, _NUMBERS) else x for x in listed]
    flows = grad_ys
    if flows is not None:
        listed = flows if isinstance(flows, (list, tuple)) else [flows]
        flows = [_given_flow(x, i, targets) for i, x in enumerate(listed)]
    if flows is None and active_graph() is not None:
        flows = [_ones(y, i) for i, y in enumerate(targets)]
    stops = stop_gradients or ()

    def taken() -> list[Gradient]:
        ends = nest.flatten(stops)
        found = gradients_of_primitives(targets, flows, nest.flatten(sources), ends)
        if found is not None:
            return found
        return list(differentiate.gradients(list(targets), sources, flows, stops))

    with _kept(ways):
        return noted(targets, sources, flows, nest.flatten(stops), taken)


def _held(x: Any) -> Any:
    """Return the variable that the tensor of a graph by its name is, else the tensor itself."""
    is_handle = isinstance(x, SymbolicTensor) and x.spec.dtype is resource
    return (variable_of(x) or x) if is_handle else x


def _given_flow(x: Any, number: int, targets: Sequence[Any]) -> Any:
    """Return what a program has flow into a target, ones if None, as TensorFlow names it."""
    if x is None:
        return _ones(targets[number], number) if number < len(targets) else None
    flow = converted(x) if isinstance(x, list) else x
    if active_graph() is None or not isinstance(flow, SymbolicTensor):
        return flow
    return identity(flow, name=f"grad_ys_{number}")


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
def _kept(ways: dict[str, Any]) -> Iterator[None]:
    """Let the graph know in which ways gradients are to wait for each other and be added up."""
    graph = active_graph()
    if graph is None:
        yield
        return
    before = {key: graph.scopes.get(key) for key in ways}
    graph.scopes.update(ways)
    try:
        yield
    finally:
        graph.scopes.update(before)


@contextmanager
def init_scope() -> Iterator[None]:
    """Make what the block makes outside of control flow, functions and their dependencies."""
    with graphs.outside():
        yield


def set_random_seed(seed: int | None) -> None:
    """Let the graph's random operators draw by a seed, with the number of each.

    Where programs run at once, it is for all that is drawn from now on. None takes it away.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default() as graph:
    ...     tf.set_random_seed(1)
    ...     graph.seed
    1
    """
    graph = active_graph()
    if graph is None:
        global_seed.set(seed)
    else:
        graph.seed = seed
