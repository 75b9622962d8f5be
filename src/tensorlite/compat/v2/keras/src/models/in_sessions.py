"""Weights of models of TensorFlow 1: of the graph being built, with the values of Keras' session.

Layers compute with them in graphs as with all variables there. Where nothing is being built, as
in fit, they have the value that the session holds which Keras uses, and give it the first one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary, ref

from tensorlite.compat.shared.creators import variable_creator_scope
from tensorlite.compat.v1.graphs.framework import Session
from tensorlite.compat.v1.graphs.resources import ResourceVariable
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.views import operation
from tensorlite.core.dispatch import call, calls, interpreted_by, tracer
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    at_once,
    get_default_graph,
    mode,
    stack,
)
from tensorlite.graph_mode.sessions import get_default_session
from tensorlite.ops.state.resource import (
    ReadVariableOp,
    VariableState,
    VarIsInitializedOp,
)
from tensorlite.ops.state.variable import Variable

_SESSION = "session of models"
_WEIGHTS = "weights of models"

_handles: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
"""The variables behind weights, of each session."""


def graph_of_models() -> Graph | None:
    """Return the graph that models are built in: that of a program of TensorFlow 1, if it is one.

    It is also known where something computes at once meanwhile, but not in traced functions.
    """
    graph = active_graph()
    if graph is not None or tracer() is not None or mode.eager is not False:
        return graph
    return stack.graphs[-1] if stack.graphs else get_default_graph()


@contextmanager
def in_graph_of_models(graph: Graph) -> Iterator[None]:
    """Build a graph inside, whatever computes at once around."""
    around, stack.eager = stack.eager, 0
    try:
        if active_graph() is graph:
            yield
        else:
            with interpreted_by(None), graph.as_default():
                yield
    finally:
        stack.eager = around


def session_of(graph: Graph) -> Any:
    """Return the default session of a graph, or the one that models of it have, made if need be."""
    found: Any = get_default_session()
    if found is not None and found.graph is graph and not found.closed:
        return found
    kept: Session | None = graph.scopes.get(_SESSION)
    if kept is None or kept.closed:
        kept = graph.scopes[_SESSION] = Session(graph=graph)
    return kept


def use_session(session: Any) -> None:
    """Let models of a session's graph have their values in it."""
    session.graph.scopes[_SESSION] = session


def forget_session(graph: Graph) -> None:
    """Let models of a graph have their values in a new session."""
    graph.scopes.pop(_SESSION, None)


def holder_of(layer: Any) -> Any:
    """Return the session that has the values of a layer's weights; None if they have them."""
    for held in layer.own_and_inner_weights():
        if isinstance(held, SessionWeight):
            return session_of(held.graph)
    return None


def handle_of(variable: Any) -> Tensor:
    """Return the handle of a graph's variable as its session has it, once it has a value there."""
    symbol = variable.graph_handle
    session = session_of(variable.graph)
    known = _handles.setdefault(session, {})
    held = known.get(id(symbol))
    if held is None or held[0] is not symbol:
        with session.running():
            (handle,) = calls(symbol.node.op)
        known[id(symbol)] = held = (symbol, handle)
        state = handle.array if isinstance(handle, EagerTensor) else None
        if isinstance(state, VariableState):
            state.owner = ref(variable)
    made: Tensor = held[1]
    if not _has_value(made):
        _begin(session, variable)
    return made


def _has_value(handle: Any) -> bool:
    state = handle.array
    if isinstance(state, VariableState):
        return state.current() is not None
    with interpreted_by(None):
        return bool(call(VarIsInitializedOp(), handle))


def initialize(graph: Graph) -> None:
    """Give the weights of models their first values that have none in Keras' session."""
    _begin(session_of(graph), None)


def _begin(session: Session, wanted: Any) -> None:
    """Give a weight its first value in a session, and all that have none yet."""
    graph = session.graph
    listed = [x for x in graph.scopes.get(_WEIGHTS, ()) if x.graph is graph]
    known = _handles.setdefault(session, {})
    empty = []
    for x in listed:
        with session.running():
            (handle,) = calls(x.graph_handle.node.op)
        known.setdefault(id(x.graph_handle), (x.graph_handle, handle))
        if not _has_value(handle):
            empty.append(x)
    if wanted is not None and all(x is not wanted for x in empty):
        empty.append(wanted)
    if empty:
        graph.growth.forgive()  # models and optimizers add variables when they are first used
        with interpreted_by(None):
            session.run([x.initializing for x in empty])


class SessionWeight(ResourceVariable):
    """A weight of a model of a graph, which has its value where nothing is being built, too."""

    __slots__ = ("graph_handle",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.graph.scopes.setdefault(_WEIGHTS, []).append(self)

    @property
    def handle(self) -> Any:
        """The handle in the graph, or where nothing is being built that in the session."""
        return handle_of(self) if self.has_value_here() else self.graph_handle

    @handle.setter
    def handle(self, made: Any) -> None:
        """Take the handle that the graph has."""
        self.graph_handle = made

    def has_value_here(self) -> bool:
        """Return whether no graph is being built, so that the session's value is at hand."""
        return active_graph() is None

    @property
    def spec(self) -> Any:
        """The spec of the value."""
        return self.graph_handle.spec.inner[0]

    @property
    def path(self) -> str:
        """The names of the layers that lead to it, and its own."""
        return self.bare_name

    @property
    def op(self) -> Any:
        """The operation of the handle."""
        return operation(self.graph_handle.node)

    def __tensor__(self) -> Any:
        if self.has_value_here():
            return call(ReadVariableOp(), self.handle)
        return super().__tensor__()

    def value(self) -> Any:
        """Return the value: the session's, or the graph's tensor of it."""
        return self.__tensor__() if self.has_value_here() else super().value()

    def read_value(self) -> Any:
        """Return the value: the session's, or what reads it anew in the graph."""
        return self.__tensor__() if self.has_value_here() else super().read_value()

    def numpy(self) -> Any:
        """Return the session's value as an array."""
        with at_once():
            return self.__tensor__().numpy()

    def beside(self, value: Any, name: str) -> Weight:
        """Return a new variable for an optimizer, which has its value at once."""
        with interpreted_by(None):
            return Weight(value, trainable=False, name=name)

    @property
    def device(self) -> Any:
        """The device of the value."""
        if self.has_value_here():
            return Variable.device.fget(self)  # type: ignore[attr-defined]
        return super().device


_again: ContextVar[Iterator[Any] | None] = ContextVar("weights again", default=None)
"""The weights that a function has made in a graph, where it is called again to have its values."""


def weight(first: Any, **told: Any) -> Any:
    """Return a new weight, or the next one where those are found again that were made."""
    found = next(_again.get() or iter(()), None)
    return SessionWeight(first, **told) if found is None else found


def weight_of(_: Any, **given: Any) -> Any:
    """Return a variable that models have the value of where nothing is being built, too.

    It is a creator of variables, which takes what tf.Variable does.
    """
    told = {key: given[key] for key in ("trainable", "name", "dtype", "constraint")}
    return SessionWeight(given["initial_value"], **told)


@contextmanager
def weights_made(known: dict[str, Any]) -> Iterator[list[Any]]:
    """Let variables made inside be weights, which the list has that it yields afterwards.

    Those of a program's own that have names which are known are not made anew.
    """

    def create(_: Any, **given: Any) -> Any:
        name = given["name"]
        if name in known:
            return known[name]
        made = weight_of(_, **given)
        return made if name is None else known.setdefault(name, made)

    graph = graph_of_models()
    listed = [] if graph is None else graph.scopes.setdefault(_WEIGHTS, [])
    before, found = len(listed), list[Any]()
    with variable_creator_scope(create):
        yield found
    found.extend(listed[before:])


@contextmanager
def weights_again(known: dict[str, Any], made: list[Any]) -> Iterator[None]:
    """Let weights be found again, by name or in turn, that were made in weights_made."""
    used: set[int] = set()
    rest = (x for x in made if id(x) not in used)

    def find(following: Any, **given: Any) -> Any:
        found = known.get(given["name"])
        found = next(rest, None) if found is None else found
        used.add(id(found))
        return following(**given) if found is None else found

    token = _again.set(rest)
    try:
        with variable_creator_scope(find):
            yield
    finally:
        _again.reset(token)
