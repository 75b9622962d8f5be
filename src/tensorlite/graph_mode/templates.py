"""Templates: functions that make their variables at the first call and find them at later ones.

Variable scopes, which they stand on, are in variable_scopes.py. Source:
TensorFlow's `tf.compat.v1.make_template`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph, get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.variable_scopes import variable_scope
from tensorlite.graph_mode.variable_stores import (
    EagerStore,
    EagerVariableStore,
    Getter,
    VariableScope,
    entered,
)

_KEYS = {
    False: {GraphKeys.GLOBAL_VARIABLES},
    True: {GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES},
}
"""In which collections variables would be without which there are graphs, by `trainable`."""


class Template:
    """A function with a variable scope of its own.

    The scope is made, with a name that no other has, at the first call, or with `create_scope_now`
    at once. `unique_name` is taken as it is. Where there are no graphs the template keeps the
    variables, or the store that is entered where it is made, and `unique_name` is refused.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.variable_scopes import get_variable_scope
    >>> named = Template("a", lambda: get_variable_scope().name)
    >>> with Graph().as_default():
    ...     named(), named()
    ('a', 'a')
    """

    def __init__(
        self,
        name: str | None,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Getter | None = None,
    ) -> None:
        if name is None:
            raise InvalidArgumentError("make_template: name cannot be None.")
        self._func = func
        self._name, self._unique_name = name, unique_name
        self._getter = custom_getter
        self._scope: VariableScope | None = None
        self._called = False
        self._store = (
            None if active_graph() is not None else entered() or EagerStore()
        )
        # Libraries enter it, by TensorFlow's name, for variables that they make before any call.
        self._template_store = self._store and EagerVariableStore(self._store)
        if self._store is not None and unique_name is not None:
            raise InvalidArgumentError(
                "make_template: unique_name_ cannot be used in eager mode; leave it out"
            )
        if create_scope_now:
            with self._made(named=False) as scope:
                self._scope = scope

    def _made(self, named: bool) -> AbstractContextManager[VariableScope]:
        return variable_scope(
            self._unique_name,
            self._name,
            auxiliary_name_scope=named,
            custom_getter=self._getter,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function does, in the scope."""
        with self._opened() as scope:
            self._scope = self._scope or scope
            with nullcontext() if self._store is None else self._store.kept():
                if self._called:
                    return self._again(args, kwargs)
                found = self._func(*args, **kwargs)
        self._called = True
        return found

    def _opened(self) -> AbstractContextManager[VariableScope]:
        if self._scope is None:
            return self._made(named=True)
        finds_again = True if self._called and self._store is None else None
        return variable_scope(self._scope, reuse=finds_again)

    def _again(self, args: Any, kwargs: Any) -> Any:
        """Return what the function does, which is to make no variables that are trained."""
        before = self._of_graph(GraphKeys.TRAINABLE_VARIABLES)
        found = self._func(*args, **kwargs)
        made = self._of_graph(GraphKeys.TRAINABLE_VARIABLES)[len(before) :]
        if made:
            raise InvalidArgumentError(
                "Trainable variable created when calling a template after the first time, perhaps "
                "you used tf.Variable when you meant tf.get_variable: "
                f"{[variable.name for variable in made]}"
            )
        return found

    def _of_graph(self, key: str, prefix: str | None = None) -> list[Any]:
        if self._store is None:
            return list(get_default_graph().get_collection(key, prefix))
        return [
            x
            for x in self._store.held()
            if key in _KEYS[x.trainable] and x.name.startswith(prefix or "")
        ]

    def _of_scope(self, key: str) -> list[Any]:
        if self._scope is None:
            return []
        return self._of_graph(key, self.variable_scope_name or None)

    @property
    def name(self) -> str:
        """The name that was asked for."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope, None where it is not yet made."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope with a slash behind it, None where it is not yet made."""
        if self._scope is None:
            return None
        return self._scope.name and f"{self._scope.name.removesuffix('/')}/"

    @property
    def variables(self) -> list[Any]:
        """All variables of the scope."""
        return self.global_variables + self.local_variables

    @property
    def global_variables(self) -> list[Any]:
        """The variables of the scope that savers keep."""
        return self._of_scope(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The variables of the scope that savers leave out."""
        return self._of_scope(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables of the scope that are trained."""
        return self._of_scope(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables of the scope that savers keep and that are not trained."""
        trained = {id(variable) for variable in self.trainable_variables}
        return [x for x in self.global_variables if id(x) not in trained]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables
