"""GraphVariable: a variable that a graph describes, and each session has a value of.

Its names are those of TensorFlow 1: `w` makes it, `w/Assign` gives it its first value, `w/read`
reads it. Scopes that share variables by name are in variable_scopes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from tensorlite.core.constant import array_of
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dispatch import constant, current, to_tensor, tracer
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    SymbolicTensorError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.provenance import user_line
from tensorlite.core.scope import Asked, decided, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.counting import alike, be_unsure
from tensorlite.graph_mode.graph import (
    Graph,
    get_default_graph,
    inner_graph,
    name_scope,
    outside,
)
from tensorlite.graph_mode.guards import guarded
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.loops import cond
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
)
from tensorlite.ops.state.variable import Variable

First = TensorLike | Callable[[], TensorLike]


class Unasked:
    """How the variables are made that programs get without making them, such as queues' counts."""

    make: Callable[..., Any]
    """Takes what GraphVariable takes."""


class GraphVariable(Variable):
    """A variable of a graph; sessions hold its values, and run `initializer` for the first one.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> with Graph().as_default() as graph:
    ...     w = GraphVariable([1.0, 2.0], name="w")
    >>> session = Session(graph=graph)
    >>> session.run(w.initializer), session.run(w)
    (None, array([1., 2.], dtype=float32))
    """

    __slots__ = (
        "bare_name",
        "born_behind",
        "constraint",
        "first",
        "graph",
        "initializing",
        "save_slice",
        "snapshot",
        "watched",
    )

    is_made_reference: ClassVar[bool] = True
    """Whether those that are made have TensorFlow 1's own kind of node."""
    is_behind: ClassVar[bool] = False
    """Whether it stands for the value behind one write, which fetching it runs."""
    handle: SymbolicTensor
    bare_name: str
    """The name of the node that makes it."""

    def __init__(
        self,
        initial: First,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        shape: Any = None,
        *,
        validate_shape: bool = True,
        constraint: Callable[[Any], Any] | None = None,
        caching_device: Any = None,
    ) -> None:
        check_constraint(constraint)
        if initial is None:
            raise InvalidArgumentError(
                "a variable needs an initial value: a tensor, or a function that returns one"
            )
        self.graph: Graph = get_default_graph()
        self.constraint = constraint
        self.watched = trainable
        self.save_slice: Any = None
        """Where this lies in a larger variable of which it is a part."""
        self.born_behind = scope.get().control
        """What was waited for where this was made: there the one reading is new enough."""
        with outside(), name_scope(name, "Variable") as prefix:
            self.bare_name = self.name = prefix[:-1]
            self.first = self._first(initial, dtype)
            self._check_is_outside(self.first)
            value = self.first.spec
            known = value.shape if validate_shape else None
            spec = TensorSpec(known if shape is None else shape, value.dtype)
            self._describe(spec, cached_at(caching_device))
        self.trainable = trainable and value.dtype.is_differentiable

    def _first(self, initial: First, dtype: DTypeLike | None) -> Tensor:
        wanted = None if dtype is None else as_dtype(dtype)
        if callable(initial):
            with name_scope("Initializer"):
                return tensor_of(initial(), wanted)
        count = len(self.graph.nodes)
        value = tensor_of(initial, wanted)
        titled_constant(self.graph, value, count, f"{self.bare_name}/initial_value")
        return value

    def _check_is_outside(self, first: Tensor) -> None:
        """Raise InvalidArgumentError for a first value that a loop or a branch makes."""
        if isinstance(first, SymbolicTensor) and first.node.graph is not self.graph:
            raise InvalidArgumentError(
                f"Initializer for variable {self.bare_name}/ is from inside a control-flow "
                "construct, such as a loop or conditional. When creating a variable inside a loop "
                "or conditional, use a lambda as the initializer."
            )

    def _describe(self, spec: TensorSpec, cached: DeviceName) -> None:
        """Make the nodes."""
        op = VarHandleOp(
            spec,
            self.watched and spec.dtype.is_differentiable,
            self.is_made_reference,
            debug_name=self.bare_name,
            shared_name=self.bare_name,
        )
        made = self._node(op, (), self.bare_name)
        self.handle = made.outputs[0]
        made.owner = ref(self)
        value = to_tensor(self.first)
        assert isinstance(value, SymbolicTensor)
        # What functions of devices say of the variable holds for what gives and reads its value.
        value = guarded(self.graph, value, self.bare_name)
        self._describe_uses(value, made.device, cached)

    def _describe_uses(
        self, value: SymbolicTensor, device: DeviceName, cached: DeviceName
    ) -> None:
        """Make the nodes that give the first value, and that read it, where it is cached."""
        self.initializing = self._node(
            AssignVariableOp(),
            (self.handle, value),
            f"{self.bare_name}/Assign",
            device,
        )
        read = self._node(
            ReadVariableOp(),
            (self.handle,),
            f"{self.bare_name}/read",
            cached or device,
        )
        self.snapshot = read.outputs[0]

    def _node(
        self,
        op: Any,
        inputs: tuple[SymbolicTensor, ...],
        name: str,
        device: DeviceName | None = None,
    ) -> Node:
        here = scope.get()
        own = tuple([x.node.outputs[x.index] for x in inputs])
        if device is None:
            device = decided(here.device, Asked(name, op, own, ANYWHERE))
        node = self.graph.add(
            op,
            own,
            device=device,
            group=here.group,
            line=user_line(),
        )
        self.graph.rename(node, name)
        return node

    @property
    def is_reference(self) -> bool:
        """Whether graphs have it as TensorFlow 1's own kind of variable, not as a resource."""
        node = getattr(self.handle, "node", None)  # none where a step is compiled
        op = None if node is None else node.op
        return isinstance(op, VarHandleOp) and op.is_reference

    @property
    def initializer(self) -> Any:
        """The node that gives the variable its first value."""
        return self.initializing

    @property
    def initial_value(self) -> Any:
        """The tensor that is the first value."""
        return self.first

    @property
    def op(self) -> Any:
        """The node that makes the variable."""
        return self.handle.node

    def __tensor__(self) -> Tensor:
        """Return the value as it is when it is used: the one reading, or behind what is awaited."""
        if tracer() is None:
            raise SymbolicTensorError(
                f"the variable {self.bare_name!r} is of a graph, and has a value in a session "
                "only: session.run(variable). Use it inside `with graph.as_default()`"
            )
        awaited = scope.get().control
        at_once = not awaited or awaited == self.born_behind
        if at_once and inner_graph(self.graph) is self.graph:
            top = current.get()
            if (
                top is not None
            ):  # a tape notices what is read, as if it were read here
                top.observe(ReadVariableOp(), (self.handle,), (self.snapshot,))
            return self.snapshot
        with alike(0, inside=1):  # the one reading, which enters the loop
            return super().__tensor__()

    def awaited(self) -> Any:
        """Return what stands for the variable among what is waited for."""
        return self.__tensor__()

    def has_value_here(self) -> bool:
        """Return whether it has a value outside of sessions' runs, too; most have none."""
        return False

    def read_value(self) -> Tensor:
        """Return the value as it is behind what is waited for here."""
        return super().__tensor__()

    def sparse_read(self, indices: TensorLike) -> Tensor:
        """Return the rows at `indices`, which are taken where its value lies."""
        own = self.handle.node
        token = scope.set(scope.get()._replace(group=own.group or own.name))
        try:
            return gather(self.__tensor__(), indices, axis=0)
        finally:
            scope.reset(token)

    def initialized_value(self) -> Tensor:
        """Return the value, or where there is none yet the initial one."""
        return self.value_or_first(self.is_initialized())

    def value_or_first(self, is_there: Tensor) -> Tensor:
        """Return the value if there is one, as is told, else the initial one."""
        from_graph: Tensor = cond(is_there, self.read_value, lambda: self.first)
        be_unsure(self.graph)
        return from_graph

    def assign_any_shape(self, value: TensorLike) -> Any:
        """Return a new value, which the variable has once this runs, whatever its shape is."""
        return self._write(AssignVariableOp(any_shape=True), self._fitting(value))

    def _fitting(self, value: TensorLike) -> Tensor:
        given = value.__tensor__().dtype if isinstance(value, Operand) else self.dtype
        if given is not self.dtype:
            raise DTypeError(
                f"the variable {self.bare_name!r} holds {self.dtype!r}, and {given!r} is assigned "
                "to it; cast the value to the variable's dtype"
            )
        return tensor_of(value, self.dtype)

    def __iter__(self) -> Any:
        raise DTypeError(
            f"the variable {self.bare_name!r} is not iterable in a graph; take its parts, as in "
            "tf.unstack(v)"
        )

    def __repr__(self) -> str:
        head = f"shape={self.get_shape()} dtype={self.dtype.name}"
        return f"<Variable {self.bare_name + ':0'!r} {head}>"


def check_constraint(constraint: Any) -> None:
    """Raise InvalidArgumentError for what is no function, nor None."""
    if constraint is not None and not callable(constraint):
        raise InvalidArgumentError(
            f"The `constraint` argument must be a callable, which takes a value: {constraint!r}"
        )


def cached_at(device: Any) -> DeviceName:
    """Return the device where values are to be read; functions of devices are not asked."""
    named = isinstance(device, str) and device
    return DeviceName.parse(str(device)) if named else ANYWHERE


def tensor_of(value: Any, wanted: DType | None) -> Tensor:
    """Return a value as a tensor of a dtype, numbers being made to fit."""
    if isinstance(value, Operand):
        x = value.__tensor__()
        return x if wanted is None or x.dtype is wanted else astype(x, wanted)
    if isinstance(value, (list, tuple)) and wanted is not None:
        value = np.asarray(array_of(value)) if not _has_tensor(value) else value
    if isinstance(value, (np.ndarray, np.generic)) and wanted is not None:
        return constant(value.copy(), wanted)  # the program may write into its own
    return to_tensor(value, wanted)


def titled_constant(graph: Graph, value: Tensor, count: int, name: str) -> None:
    """Give a constant a name that was made last, behind so many nodes of a graph."""
    if isinstance(value, SymbolicTensor) and value.node in graph.nodes[count:]:
        made = value.node
        if made is graph.nodes[-1] and made.op.name == "Const":
            graph.rename(made, graph.free_name(name))


def _has_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_tensor(x) for x in value)
    return isinstance(value, Operand)


Unasked.make = GraphVariable
