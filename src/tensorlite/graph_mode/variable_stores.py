"""Where variables are kept by name, and the scopes that say how those in them are made.

Scopes are opened, and variables found or made, in variable_scopes.py. A graph has a store; without
graphs nothing keeps variables by name but a store that is entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from tensorlite.core.dtypes import DType, as_dtype, float32
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    get_default_graph,
    name_scope,
)
from tensorlite.graph_mode.keys import GraphKeys

Getter = Callable[..., Any]
AUTO_REUSE = "AUTO_REUSE"
"""Make a variable at the first call, and find it again at later ones."""


@dataclass
class Defaults:
    """What variables are made with inside a scope that do not say it themselves."""

    initializer: Any = None
    regularizer: Any = None
    caching_device: Any = None
    partitioner: Any = None
    custom_getter: Getter | None = None
    dtype: DType = float32
    use_resource: bool | None = None
    constraint: Any = None


@dataclass
class VariableScope:
    """A prefix of variables' names, whether they are found again, and what they are made with."""

    name: str = ""
    reuse: Any = False
    original_name_scope: str = ""
    defaults: Defaults = field(default_factory=Defaults)

    initializer = property(lambda self: self.defaults.initializer)
    regularizer = property(lambda self: self.defaults.regularizer)
    caching_device = property(lambda self: self.defaults.caching_device)
    partitioner = property(lambda self: self.defaults.partitioner)
    custom_getter = property(lambda self: self.defaults.custom_getter)
    dtype = property(lambda self: self.defaults.dtype)
    use_resource = property(lambda self: self.defaults.use_resource)
    constraint = property(lambda self: self.defaults.constraint)

    def reuse_variables(self) -> None:
        """Find variables again from here on, and make none."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Make variables with this from here on, as far as they do not say it themselves."""
        self.defaults.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Regularise variables so from here on."""
        self.defaults.regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Keep the device on which values are cached, which is where they are read."""
        self.defaults.caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Cut variables so from here on."""
        self.defaults.partitioner = partitioner

    @contextmanager
    def uncut(self) -> Iterator[None]:
        """Make variables whole meanwhile, whatever cuts them else: averages are read whole."""
        partitioner = self.defaults.partitioner
        self.defaults.partitioner = None
        try:
            yield
        finally:
            self.defaults.partitioner = partitioner

    def set_custom_getter(self, custom_getter: Getter | None) -> None:
        """Ask this for variables from here on."""
        self.defaults.custom_getter = custom_getter

    def set_dtype(self, dtype: Any) -> None:
        """Make variables of this dtype from here on."""
        self.defaults.dtype = as_dtype(dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Write variables as resources from here on, or as TensorFlow 1's references."""
        self.defaults.use_resource = use_resource

    def get_collection(self, name: str) -> list[Any]:
        """Return what a collection of the graph holds whose names begin with this scope's."""
        prefix = f"{self.name}/" if self.name else ""
        return get_default_graph().get_collection(name, prefix)

    def trainable_variables(self) -> list[Any]:
        """Return the scope's variables that optimizers change."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return the scope's variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Return the scope's variables of this process alone."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)


class Store:
    """The variables of a graph that were asked for by name."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.scope = VariableScope()
        self.counts: dict[str, int] = {}
        """How often default names of scopes were used, by whole name."""
        self.found_again: frozenset[str] = frozenset()
        """Which variables are found though nothing says that they are: a graph is made again."""

    @contextmanager
    def made_again(
        self, known: Iterable[str], counts: dict[str, int]
    ) -> Iterator[None]:
        """Find what is newer than `known`, and count scopes on from `counts`.

        So the graph of a loop's body, whose first version did not hold, makes no variables anew.
        """
        before = self.found_again
        self.found_again |= frozenset(self.variables).difference(known)
        self.counts = dict(counts)
        try:
            yield
        finally:
            self.found_again = before

    def open(self, whole: str) -> None:
        """Count a scope, and begin the numbers of those in it anew."""
        self.counts[whole] = self.counts.get(whole, 0) + 1

    def regularise(
        self, variable: Any, name: str, regularizer: Callable[[Any], Any]
    ) -> None:
        """Add the loss of a variable to those of the graph."""
        with name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            graph = get_default_graph()
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def collect(self, variable: Any, collections: Iterable[str] | None) -> None:
        """Do nothing: what makes a graph's variables puts them into its collections."""

    def close(self, whole: str) -> None:
        """Forget the numbers of scopes in one that is left."""
        for name in [x for x in self.counts if x.startswith(f"{whole}/")]:
            del self.counts[name]


class EagerStore(Store):
    """Variables by name where there are no graphs: each is made once, and found again later.

    Other than variables that nobody keeps they are in collections of the default graph.

    >>> from tensorlite.graph_mode.graph import at_once
    >>> from tensorlite.graph_mode.variable_scopes import get_variable, variable_scope
    >>> from tensorlite.ops.state.variable import Variable
    >>> store = EagerStore()
    >>> def asked():
    ...     with at_once(), store.kept(), variable_scope("a"):
    ...         return get_variable("w", initializer=1.0, make=lambda x, **_: Variable(x))
    >>> asked() is asked(), list(store.variables)
    (True, ['a/w'])
    """

    @contextmanager
    def kept(self, numbered_anew: bool = True) -> Iterator[None]:
        """Let variables be found here, and scopes be numbered as at the first time, or go on."""
        around = store_of()
        before = self.scope, self.counts
        self.scope = replace(around.scope, reuse=around.scope.reuse or AUTO_REUSE)
        self.counts = {} if numbered_anew else around.counts
        token = _entered.set(self)
        try:
            yield
        finally:
            _entered.reset(token)
            if not numbered_anew:
                around.counts = self.counts
            self.scope, self.counts = before

    def held(self) -> list[Any]:
        """Return the variables, by their names."""
        return [x for _, x in sorted(self.variables.items())]

    def collect(self, variable: Any, collections: Iterable[str] | None) -> None:
        """Put a variable into collections, GLOBAL_VARIABLES unless it is to be in others."""
        graph = get_default_graph()
        for key in collections or [GraphKeys.GLOBAL_VARIABLES]:
            graph.add_to_collection(key, variable)
        if variable.trainable:
            graph.add_to_collection(GraphKeys.TRAINABLE_VARIABLES, variable)


class EagerVariableStore:
    """Variables that are found again, by name, in all blocks that a program enters this for.

    >>> from tensorlite.graph_mode.graph import at_once
    >>> from tensorlite.graph_mode.variable_scopes import get_variable
    >>> from tensorlite.ops.state.variable import Variable
    >>> store = EagerVariableStore()
    >>> def asked():
    ...     with at_once(), store.as_default():
    ...         return get_variable("w", initializer=1.0, make=lambda x, **_: Variable(x))
    >>> asked() is asked(), len(store.variables())
    (True, 1)
    """

    def __init__(self, store: EagerStore | None = None) -> None:
        self._store = EagerStore() if store is None else store

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Let variables be found here; the numbers of scopes go on."""
        with self._store.kept(numbered_anew=False):
            yield

    def variables(self) -> list[Any]:
        """Return the variables, by their names."""
        return self._store.held()

    def trainable_variables(self) -> list[Any]:
        """Return the variables that are trained."""
        return [x for x in self.variables() if x.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """Return the variables that are not trained."""
        return [x for x in self.variables() if not x.trainable]

    def copy(self) -> EagerVariableStore:
        """Return a store of variables of their own, which begin with the values of these."""
        made = EagerStore()
        made.variables.update(
            {name: deepcopy(x) for name, x in self._store.variables.items()}
        )
        return EagerVariableStore(made)


_entered: ContextVar[EagerStore | None] = ContextVar("entered", default=None)


def entered() -> EagerStore | None:
    """Return the store that is entered where there are no graphs, if any."""
    return _entered.get() if active_graph() is None else None


def are_kept() -> bool:
    """Return whether variables that are made now are kept by name."""
    return active_graph() is not None or _entered.get() is not None


def store_of(graph: Graph | None = None) -> Store:
    """Return a graph's variables by name; without one, those of the default graph, or entered."""
    own = entered() if graph is None else None
    if own is not None:
        return own
    found = get_default_graph() if graph is None else graph
    store = found.scopes.setdefault("variables", Store())
    assert isinstance(store, Store)
    return store
