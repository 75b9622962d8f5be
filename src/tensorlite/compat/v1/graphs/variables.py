"""Variables of TensorFlow 1.

The scopes that share them, and what finds them, are in scopes.py; their parts that may be assigned
in variable_slices.py; those that have their values at once in eager_variables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.input_graphs import graph_of_inputs
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.creators import Creatable
from tensorlite.compat.shared.values import VariableSynchronization
from tensorlite.compat.shared.variable_parts import Parts
from tensorlite.compat.v1.graphs.notes import adopt_proto, proto_of
from tensorlite.compat.v1.graphs.variable_insides import Inside
from tensorlite.compat.v1.graphs.variable_slices import VariableSlice
from tensorlite.compat.views import Operators, operation, plain, shown, view
from tensorlite.core import nest, scope
from tensorlite.core.constant import fitting_array
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices, Reference
from tensorlite.graph_mode.counting import alike
from tensorlite.graph_mode.graph import active_graph, built, get_default_graph, mode
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.graph_mode.variable_scopes import get_variable_scope
from tensorlite.graph_mode.variables import GraphVariable, Unasked
from tensorlite.ops.state import variable as state
from tensorlite.ops.state.resource import CountUpToVariableOp


class Kinds:
    """What is made of variables of graphs that are resources, and where no graph is built."""

    resource: Any
    eager: Any


def asks_for_resource(use_resource: bool | None) -> bool:
    """Return whether a variable is to be a resource, as told, by its scope or by the program."""
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    return mode.resources if use_resource is None else bool(use_resource)


def of_kind(variable: Any) -> Callable[..., Any]:
    """Return what makes variables that are of the same kind as another, as its slots are."""
    is_resource = isinstance(variable, GraphVariable) and not variable.is_reference
    if not is_resource:
        return Variable
    return lambda *args, **kwargs: Variable(*args, **kwargs | {"use_resource": True})


class Variable(Inside, Parts, state.Variable, metaclass=Creatable):
    """A variable: of the graph being built, or where there is none one that has its value."""

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return a variable that is yet to be initialised."""
        if cls is Variable:
            kind = Kinds.eager
            if active_graph() is not None:
                is_resource = asks_for_resource(kwargs.get("use_resource"))
                kind = Kinds.resource if is_resource else RefVariable
            return kind.__new__(kind, *args, **kwargs)
        return object.__new__(cls)

    @property
    def shape(self) -> Any:
        """The variable's shape, a TensorShape."""
        return as_shape(self.spec.shape)

    def get_shape(self) -> Any:
        """Return the variable's shape, a TensorShape."""
        return as_shape(self.spec.shape)

    def ref(self) -> Reference:
        """Return what stands for this very variable as a key of dicts and in sets."""
        return Reference(self)

    experimental_ref = ref

    def read_value_no_copy(self) -> Any:
        """Return the variable's value."""
        return self.read_value()

    def set_shape(self, shape: Any) -> None:
        """Check that the shape fits the variable's; nothing changes."""
        self.get_shape().assert_is_compatible_with(shape)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """Return the variable that a VariableDef tells of, in the default graph."""
        return RefVariable.from_proto(variable_def, import_scope)

    def count_up_to(self, limit: int) -> Any:
        """Return the value before it goes up by 1; OutOfRangeError is raised at the limit."""
        return count_up_to(self, limit)

    def _slices(self, slices: Any) -> IndexedSlices:
        given = plain(slices)
        return IndexedSlices(given.values, given.indices, tuple(self.spec.dims))


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Return the variable's value before it goes up by 1.

    At the limit OutOfRangeError is raised; a variable of no integers raises DTypeError.
    """
    if not hasattr(ref, "handle"):
        raise DTypeError(f"count_up_to: {ref!r} is no variable")
    counted = _counted[not getattr(ref, "is_reference", False)]
    return counted(ref, limit, name=name)


def _count(ref: Any, limit: int, name: str | None = None) -> Any:
    return calls(CountUpToVariableOp(limit), ref.handle)[0]


_counted = [named(title)(_count) for title in ("CountUpTo", "ResourceCountUpTo")]
"""Of variables that are references, and of resources."""


def _add_to_collections(
    variable: Any, collections: Iterable[str] | None, trainable: bool
) -> None:
    names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    if isinstance(collections, str):
        raise InvalidArgumentError(
            f"collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections!r}"
        )
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    for name in names:
        variable.graph.add_to_collection(name, variable)


VariableV1 = Variable
"""The class by the name that it has in TensorFlow's inside."""


class RefVariable(Operators, Variable, GraphVariable):
    """A variable of a graph."""

    __slots__ = ()

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Iterable[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if variable_def is not None:
            adopt_proto(self, get_default_graph(), import_scope, variable_def)
            return
        watched = is_trained(trainable, synchronization)
        first = held_in(initial_value, dtype)
        GraphVariable.__init__(
            self,
            (lambda: plain(first())) if callable(first) else plain(first),
            watched,
            name,
            dtype,
            shape_asked(shape),
            validate_shape=validate_shape,
            constraint=constraint,
            caching_device=caching_device,
        )
        self.trainable = watched
        self.distribute(synchronization, aggregation)
        _add_to_collections(self, collections, watched)

    def __repr__(self) -> str:
        kind = "_ref" if self.is_reference else ""
        told = f"shape={self.get_shape()} dtype={self.dtype.name}{kind}"
        return f"<tf.Variable {self.name!r} {told}>"

    @property
    def name(self) -> str:
        """The variable's name, with the number of its output: "v:0"."""
        return f"{self.bare_name}:0"

    @name.setter
    def name(self, value: str) -> None:
        self.bare_name = value

    def __bool__(self) -> bool:
        return True

    @property
    def op(self) -> Any:
        """The operation that is the variable."""
        return operation(self.handle.node)

    @property
    def initializer(self) -> Any:
        """The operation that gives the variable its first value."""
        return operation(self.initializing)

    @property
    def initial_value(self) -> Any:
        """The tensor that is the variable's first value."""
        return shown(self.first)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the variable as a VariableDef, names without export_scope."""
        return proto_of(self, export_scope)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> RefVariable:
        """Return the variable that a VariableDef tells of, names below import_scope."""
        kind = Kinds.resource if variable_def.is_resource else RefVariable
        made: RefVariable = kind(variable_def=variable_def, import_scope=import_scope)
        return made

    def value(self) -> Any:
        """Return the variable's value, the same tensor each time."""
        return view(self.snapshot)

    def read_value(self) -> Any:
        """Return the variable's value, by a new operation."""
        return _read(self)

    def initialized_value(self) -> Any:
        """Return the value, or the first value where it has none yet."""
        with alike(_OF_FIRST_VALUES):
            return value_or_first(self, _is_there(self))

    def is_initialized(self, name: str | None = None) -> Any:
        """Return whether the variable has a value, a boolean scalar."""
        return _is_initialized(self, name=name)

    @property
    def device(self) -> Any:
        """The device that the variable was placed on, "" if none was said."""
        return str(self.handle.node.device)

    def eval(self, session: Any = None) -> Any:
        """Return the value in a session, the default one if None, as a NumPy array."""
        return chosen_session(session, "variable.eval").run(self.snapshot)

    def load(self, value: Any, session: Any = None) -> None:
        """Give the variable a value in a session, the default one if None.

        The graph gets no new operations.
        """
        node = self.initializing
        feeds = {node.inputs[1]: value}
        chosen_session(session, "variable.load").run(node, feeds)

    def __getitem__(self, key: Any) -> Any:
        return VariableSlice(self, key, super().__getitem__(key))

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable with a new value, which it has once this runs.

        Without read_value, the operation that does it. use_locking has no effect.
        """
        made = _written(self, "assign", value, "Assign", name)
        return made if read_value else made.op

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable with delta added, which it has once this runs.

        Without read_value, the operation that does it. use_locking has no effect.
        """
        made = _written(self, "assign_add", delta, "AssignAdd", name)
        return made if read_value else made.op

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable with delta subtracted, which it has once this runs.

        Without read_value, the operation that does it. use_locking has no effect.
        """
        made = _written(self, "assign_sub", delta, "AssignSub", name)
        return made if read_value else made.op

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return the rows that indices name."""
        with built(get_default_graph()):
            return shown(GraphVariable.sparse_read(self, plain(indices)))


@named("read")
def _read(variable: Any, name: str | None = None) -> Any:
    return GraphVariable.read_value(variable)


@named("cond", "Merge")
def value_or_first(variable: Any, is_there: Any, name: str | None = None) -> Any:
    return GraphVariable.value_or_first(variable, is_there)


@named("IsVariableInitialized")
def _is_there(variable: Any, name: str | None = None) -> Any:
    return state.Variable.is_initialized(variable)


_OF_FIRST_VALUES = 9
"""How many operations TensorFlow has for a variable's value, or the first one."""


@named("VarIsInitializedOp")
def _is_initialized(variable: Any, name: str | None = None) -> Any:
    return state.Variable.is_initialized(variable)


def held_in(value: Any, dtype: Any) -> Any:
    """Return a first value; of Python's own as an array of a dtype that is to hold all of it."""
    if dtype is None or not isinstance(
        value, (bool, int, float, str, bytes, list, tuple)
    ):
        return value
    if any(isinstance(x, Operand) for x in nest.flatten(value)):
        return value
    return fitting_array(value, as_dtype(dtype))


def is_trained(trainable: bool | None, synchronization: Any) -> bool:
    """Return whether a variable is trained: one that copies join as it is read, if asked for."""
    is_joined = synchronization is VariableSynchronization.ON_READ
    return not is_joined if trainable is None else trainable


def shape_asked(shape: Any) -> Any:
    """Return the shape that values may have, even if nothing of it is known; None if not given."""
    return None if shape is None else TensorShape(shape)


@contextmanager
def _beside(variable: Any) -> Iterator[None]:
    """Let nodes lie where a variable's own does, whatever is asked for around."""
    own = variable.op.node
    here = scope.scope.get()
    group = own.group or own.name
    token = scope.scope.set(here._replace(device=own.device, group=group))
    try:
        yield
    finally:
        scope.scope.reset(token)


def _written(
    variable: Any, method: str, value: Any, default: str, name: str | None
) -> Any:
    @named(default)
    def write(given: Any, name: str | None = None) -> Any:
        with _beside(variable):
            return getattr(state.Variable, method)(variable, given)

    with graph_of_inputs((variable, value)):
        made = write(value, name=name)
    return variable if made is None else made


Unasked.make = partial(RefVariable, collections=())
