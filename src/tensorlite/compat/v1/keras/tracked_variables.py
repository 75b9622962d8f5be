"""tf.compat.v1.keras.utils for programs that become version 2's: variables by name in modules.

Where such variables are kept is in graph_mode/variable_stores.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any, TypeVar, cast

import tensorlite as tl
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import Layer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variable_stores import EagerStore, entered, store_of

HELD, STORE = "_tf1_style_var_store", "_tf1_style_store"
"""The attributes of modules that have what they hold by name, and who finds it."""
Method = TypeVar("Method", bound=Callable[..., Any])


class TrackedStore(EagerStore):
    """The variables and layers of a module that are found again by their names."""

    def __init__(self, held: dict[str, Any], layers: dict[str, Any]) -> None:
        super().__init__()
        self.variables, self.layers = held, layers
        self.regularizers: dict[str, Callable[[], Any]] = {}
        """What gives the loss of a variable, or of a layer, by its name."""

    def regularise(
        self, variable: Any, name: str, regularizer: Callable[[Any], Any]
    ) -> None:
        """Keep what gives the loss of a variable, which is another one after each step."""
        self.regularizers[name] = partial(regularizer, variable)

    def collect(self, variable: Any, collections: Iterable[str] | None) -> None:
        """Do nothing: the module keeps the variable."""

    def layer(self, name: str, create: Callable[[], Any]) -> Any:
        """Return the layer of a name, made by `create` at the first call."""
        if name not in self.layers:
            made = self.layers[name] = create()
            self.regularizers[name] = lambda: tl.add_n(
                [tl.asarray(0.0), *made.losses]
            )
        return self.layers[name]


def _store_of(owner: Any) -> TrackedStore:
    """Return the store of a module, which has what is in it where TensorFlow's modules have it."""
    if not isinstance(owner, Module):
        raise InvalidArgumentError(
            "@track_tf1_style_variables is for methods of a tf.Module, a "
            f"tf.keras.layers.Layer or a tf.keras.Model, not of {owner!r}"
        )
    found = vars(owner).get(STORE)
    if isinstance(found, TrackedStore):
        return found
    setattr(owner, HELD, {"_vars": {}, "_layers": {}})
    held = getattr(owner, HELD)
    made = TrackedStore(held["_vars"], held["_layers"])
    setattr(owner, STORE, made)
    return made


def track_tf1_style_variables(method: Method) -> Method:
    """Return a method that finds the variables again which it made by name when first called.

    `get_variable` and layers of `tf.compat.v1.layers` inside of it make variables of the module,
    or layer, whose method it is; what regularizes them is in the layer's losses. Each call has
    scopes numbered as at the first one. Of what is no tf.Module it raises InvalidArgumentError.

    >>> import tensorlite.compat.v2 as tf
    >>> class Scaled(tf.keras.layers.Layer):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def call(self, x):
    ...         return x * tf.compat.v1.get_variable("w", initializer=2.0)
    >>> layer = Scaled()
    >>> [float(layer(3.0)), float(layer(4.0))], [w.name for w in layer.weights]
    ([6.0, 8.0], ['w:0'])
    """

    @wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        store = _store_of(self)
        known = set(store.regularizers)
        with store.kept():
            found = method(self, *args, **kwargs)
        if isinstance(self, Layer):
            for name in store.regularizers.keys() - known:
                self.add_loss(store.regularizers[name])
        return found

    return cast("Method", called)


def get_or_create_layer(name: str, create_layer_method: Callable[[], Any]) -> Any:
    """Return the layer of a name in a tracked method, made at the first call.

    In graphs it is made at every call; elsewhere InvalidArgumentError is raised.
    """
    if active_graph() is not None:
        return create_layer_method()
    store = entered()
    if not isinstance(store, TrackedStore):
        raise InvalidArgumentError(
            "get_or_create_layer is called where no method decorated with "
            "@tf.compat.v1.keras.utils.track_tf1_style_variables runs"
        )
    return store.layer(f"{store_of().scope.name}/{name}", create_layer_method)
