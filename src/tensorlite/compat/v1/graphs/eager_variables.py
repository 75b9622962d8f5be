"""Variables where there are no graphs: EagerVariable, what writes to it returns, tf.get_variable.

Without a store that is entered tf.get_variable makes a new variable at each call; variables that
are kept by name, and scopes, are in scopes.py. Variables of graphs are in variables.py.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, NoReturn

from tensorlite.compat.v1.graphs.variable_slices import EagerPart, TracedPart
from tensorlite.compat.v1.graphs.variables import (
    Kinds,
    Variable,
    held_in,
    is_trained,
    shape_asked,
)
from tensorlite.compat.views import operation
from tensorlite.core import scope
from tensorlite.core.dispatch import tracer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.op import Effect
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.trace import Tracer
from tensorlite.graph_mode import first_values, variable_scopes
from tensorlite.graph_mode.graph import mode, name_scope
from tensorlite.graph_mode.variable_stores import store_of
from tensorlite.graph_mode.variables import check_constraint
from tensorlite.ops.state import variable as state

_slot: Any = vars(state.Variable)["name"]
bare_name, _set_name = _slot.__get__, _slot.__set__


class EagerVariable(Variable):
    """A variable that has its value; its name tells of the output that gives it, as in a graph."""

    __slots__ = ("constraint",)

    @property
    def name(self) -> str:
        """The variable's name, with the number of its output: "v:0"."""
        return f"{bare_name(self)}:0"

    @name.setter
    def name(self, value: str) -> None:
        _set_name(self, scope.scoped(value))

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        use_resource: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        check_constraint(constraint)
        super().__init__(
            held_in(initial_value, dtype),
            is_trained(trainable, synchronization),
            name or "Variable",
            dtype,
            shape_asked(shape),
        )
        self.constraint = constraint

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return super().__eq__(other) if mode.is_second() else self is other

    def __ne__(self, other: object) -> Any:
        return super().__ne__(other) if mode.is_second() else self is not other

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(part, SymbolicTensor):
            return TracedPart(part, self, key)
        return EagerPart(part, self, key)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: Any = None,
        read_value: bool = True,
    ) -> Any:
        """Give the variable a value, and return it as it is then, None if not read_value."""
        super().assign(value)
        return self.behind() if read_value else None

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: Any = None,
        read_value: bool = True,
    ) -> Any:
        """Add delta to the variable, and return it as it is then, None if not read_value."""
        super().assign_add(delta)
        return self.behind() if read_value else None

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: Any = None,
        read_value: bool = True,
    ) -> Any:
        """Subtract delta from the variable, and return it as it is then, None if not read_value."""
        super().assign_sub(delta)
        return self.behind() if read_value else None

    def behind(self, write: Any = None) -> Any:
        """Return the variable behind what wrote to it, as TensorFlow has it: another object."""
        tracing = tracer()
        wrote = _last_write(tracing.graph) if isinstance(tracing, Tracer) else None
        return _unread(self, wrote)

    def load(self, value: Any, session: Any = None) -> None:
        """Give the variable a value."""
        super().assign(value)

    @property
    def initializer(self) -> None:
        """None: the variable has its value already."""
        return None

    def initialized_value(self) -> Any:
        """Return the value."""
        return self.value()

    @property
    def op(self) -> Any:
        """What makes a variable of a graph; there is none."""
        raise AttributeError(_undefined("op"))

    @property
    def graph(self) -> Any:
        """The graph that a variable is in; there is none."""
        raise AttributeError(_undefined("graph"))

    @property
    def create(self) -> Any:
        """What makes a variable of a graph; there is none."""
        _of_graphs("create", "it was made as its class was called")

    @property
    def initial_value(self) -> Any:
        """The first value, which is not kept."""
        _of_graphs("initial_value", "keep what you give tf.Variable")

    def eval(self, session: Any = None) -> Any:
        """Raise FailedPreconditionError: there are no sessions."""
        _of_graphs("eval", "use variable.numpy()")

    def to_proto(self, export_scope: Any = None) -> Any:
        """Raise FailedPreconditionError: there is no graph to describe it in."""
        _of_graphs("to_proto", "save it by tf.train.Checkpoint")


def _undefined(name: str) -> str:
    word = "undefined" if mode.is_second() else "meaningless"
    return f"Tensor.{name} is {word} when eager execution is enabled."


def _of_graphs(name: str, instead: str) -> NoReturn:
    raise FailedPreconditionError(
        f"variable.{name} is not supported when eager execution is enabled: {instead}"
    )


class UnreadVariable(EagerVariable):
    """A variable as it is behind what wrote to it: the same value, but no name of its own."""

    __slots__ = ("wrote",)
    wrote: Node | None

    @property
    def name(self) -> str:
        """That of all such variables."""
        return "UnreadVariable"

    @name.setter
    def name(self, value: str) -> None:
        raise AttributeError("what an assignment returns has no name of its own")

    @property
    def op(self) -> Any:
        """What wrote, in a function that is traced; elsewhere None: it has been done."""
        return None if self.wrote is None else operation(self.wrote)


def _last_write(graph: Graph) -> Node:
    return next(x for x in reversed(graph.nodes) if x.op.effect is Effect.WRITE)


def _unread(variable: EagerVariable, wrote: Node | None) -> UnreadVariable:
    made = object.__new__(UnreadVariable)
    made.wrote = wrote
    made.handle, made.constraint = variable.handle, None
    made.trainable = variable.handle.spec.trainable
    _set_name(made, bare_name(variable))
    made.distribute(None, None)
    return made


Kinds.eager = EagerVariable
Variable.arguments = signature(EagerVariable.__init__)


def eager_variable(
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Any,
    regularizer: Any,
    trainable: bool | None,
) -> Any:
    """Return a new variable: eagerly nothing keeps them by name, but what they cost is noted."""
    around = variable_scopes.get_variable_scope()
    prefix = around.name
    start = around.initializer if initializer is None else initializer
    wanted = around.dtype if dtype is None else dtype
    if dtype is not None:
        variable_scopes.agreed_dtype(as_dtype(dtype), start)
    found = first_values.first_value(name, start, shape, wanted)
    with name_scope(""):
        whole = f"{prefix}/{name}" if prefix else name
        made = Variable(found, trainable, name=whole, dtype=dtype)
    cost = around.regularizer if regularizer is None else regularizer
    if cost:
        store_of().regularise(made, whole, cost)
    return made
