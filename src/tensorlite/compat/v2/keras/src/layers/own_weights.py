"""What weights a layer has: those that it made or holds, and those of the layers inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from tensorlite.compat.v2.keras.seeding import SeedGenerator
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.own_variables import OwnVariables
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.state.variable import Variable as AnyVariable

_Kind = TypeVar("_Kind")


class Held:
    """The weights that a layer has made itself."""

    def __init__(self) -> None:
        self.weights: list[Any] = []
        self.untrained: set[int] = set()
        """The ids of those that were made not to be trained."""
        self.regularized: list[tuple[Any, Callable[[Any], Any]]] = []
        self.added: list[Any] = []
        self.updates: list[Any] = []
        self.checked: dict[Any, bool] = {}


_NOTES = frozenset({"_arguments", "_trained"})
"""What a layer was made with, and what a model was compiled to train: no parts of it."""


class LayerWeights(OwnVariables):
    """The part of a layer that knows its weights and the layers inside it."""

    name: Any
    _held: Held
    _trainable: bool

    @property
    def trainable(self) -> bool:
        """Whether training changes the weights; setting it sets it for inner layers too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        """Whether training changes the weights; setting it sets it for inner layers too."""
        self._trainable = bool(value)
        for layer in self.sublayers():
            layer.trainable = value

    def sublayers(self) -> list[Any]:
        """Return the layers among the attributes, each once."""
        held = members(self._attributes(), LayerWeights)
        return [x for x in once(held) if x is not self]

    def _attributes(self) -> list[Any]:
        """Return what the layer holds, without what it only keeps a note of."""
        return [x for key, x in list(vars(self).items()) if key not in _NOTES]

    def own_weights(self) -> list[Any]:
        """Return the variables that this layer has made, then those among its attributes.

        Layers of `tf.layers`, which are none of Keras' here, count as variables.
        """
        held = self._attributes()
        older = [
            x for x in leaves(held) if getattr(x, "holds_resources", False) is True
        ]
        inner = [w for layer in older for w in layer.weights]
        return once([*self._held.weights, *members(held, AnyVariable), *inner])

    def in_order(self, weights: list[Any]) -> list[Any]:
        """Return the layer's own weights, those first that it made to be trained."""
        made = self._held.untrained
        known = {id(x) for x in self._held.weights}
        return sorted(
            weights,
            key=lambda w: id(w) in made if id(w) in known else not w.trainable,
        )

    def own_and_inner_weights(self) -> Iterator[Any]:
        """Yield its variables and those of the layers inside it."""
        yield from self.own_weights()
        for layer in self.sublayers():
            yield from layer.own_and_inner_weights()

    @property
    def trainable_weights(self) -> Any:
        """The weights that training changes, own ones first; none if not trainable."""
        if not self.trainable:
            return []
        inner = [w for layer in self.sublayers() for w in layer.trainable_weights]
        own = [w for w in self.own_weights() if w.trainable]
        return once([*own, *inner])

    @property
    def non_trainable_weights(self) -> Any:
        """The weights that training leaves alone."""
        own = [w for w in self.own_weights() if not (self.trainable and w.trainable)]
        if not self.trainable:
            inner = [w for layer in self.sublayers() for w in layer.weights]
        else:
            inner = [
                w for layer in self.sublayers() for w in layer.non_trainable_weights
            ]
        return once([*own, *inner])

    @property
    def weights(self) -> Any:
        """All weights; in each layer those that are trainable come first."""
        if not naming.is_keras_3():
            return once([*self.trainable_weights, *self.non_trainable_weights])
        own = self.in_order(self.own_weights())
        return once([*own, *[w for x in self.sublayers() for w in x.weights]])

    def own_seeds(self) -> list[Any]:
        """Return the states of the generators of seeds among the attributes."""
        return [x.state for x in members(self._attributes(), SeedGenerator)]

    @property
    def variables(self) -> Any:
        """All weights; in Keras 3 the states of generators of seeds as well."""
        if not naming.is_keras_3():
            return self.weights
        own = self.in_order(self.own_weights())
        inner = [v for layer in self.sublayers() for v in layer.variables]
        return once([*own, *self.own_seeds(), *inner])

    @property
    def trainable_variables(self) -> Any:
        """The weights that training changes."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> Any:
        """What training by gradients leaves alone of `variables`."""
        if not naming.is_keras_3():
            return self.non_trainable_weights
        trained = {id(x) for x in self.trainable_variables}
        return [x for x in self.variables if id(x) not in trained]

    @in_graphs.apart
    def get_weights(self) -> list[np.ndarray]:
        """Return the weights as arrays, in the order of `weights`."""
        return [np.array(w.numpy()) for w in self.weights]

    @in_graphs.apart
    def set_weights(self, weights: Any) -> None:
        """Give weights the values of arrays, in the order of `weights`.

        InvalidArgumentError is raised where their numbers differ.
        """
        own = self.weights
        if len(own) != len(weights):
            raise InvalidArgumentError(
                f'set_weights(weights) on layer "{self.name}" with a weight list of length '
                f"{len(weights)}, but the layer was expecting {len(own)} weights"
            )
        for variable, value in zip(own, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.numpy))

    def count_params(self) -> int:
        """Return how many numbers the weights have."""
        return sum(int(np.prod(tuple(w.shape))) for w in self.weights)


def leaves(value: Any, above: tuple[int, ...] = ()) -> Iterator[Any]:
    """Yield what lists, tuples and dicts hold, at any depth; above are those around this one."""
    if not isinstance(value, (list, tuple, dict)):
        yield value
    elif id(value) not in above:
        for x in value.values() if isinstance(value, dict) else value:
            yield from leaves(x, (*above, id(value)))


def members(values: Iterable[Any], kind: type[_Kind]) -> list[_Kind]:
    """Return what is of a kind among values, and in their lists, tuples and dicts."""
    found: list[_Kind] = []
    for value in values:
        if isinstance(value, (list, tuple, dict)):
            found += [x for x in leaves(value) if isinstance(x, kind)]
        elif isinstance(value, kind):  # a layer's attributes are mostly no lists
            found.append(value)
    return found


def once(values: list[Any]) -> list[Any]:
    """Return what a list holds, each object once."""
    return list({id(x): x for x in values}.values())
