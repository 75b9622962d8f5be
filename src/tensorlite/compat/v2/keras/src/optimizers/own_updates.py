"""Updates written with functions of tensors, those of programs' own optimizers among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import initializers
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.optimizers.rows import Gradient
from tensorlite.compat.v2.keras.src.optimizers.slots import name_beside
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.op import Effect
from tensorlite.core.operand import Operand
from tensorlite.core.scope import device
from tensorlite.graph.graph import Node
from tensorlite.graph.manual import building
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.train.optimizers import Optimizer as Core


class OwnState:
    """The variables that an optimizer has made itself, and the numbers of those it updates."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.variables: list[Any] = []
        self.numbered: list[Any] = []
        self._places: dict[int, int] = {}

    def number(self, variables: Iterable[Any]) -> None:
        """Number the variables that have no number yet."""
        for variable in variables:
            if id(variable) not in self._places:
                self._places[id(variable)] = len(self.numbered)
                self.numbered.append(variable)

    def knows(self, variables: Iterable[Any]) -> bool:
        """Return whether all variables have numbers."""
        return all(id(variable) in self._places for variable in variables)

    def index(self, variable: Any) -> int:
        """Return the number of a variable."""
        return self._places[id(variable)]

    def beside(
        self, variable: Any, name: str, initializer: Any, shape: Any = None
    ) -> Any:
        """Return a variable of another's shape, or of a shape of its own."""
        sizes = tuple(variable.shape if shape is None else shape)
        value = _first(initializer, sizes, variable.dtype)
        made = _kept(variable, value, name_beside(variable, self.owner, name))
        self.variables.append(made)
        return made

    def apart(self, name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
        """Return a variable that is beside no other."""
        with interpreted_by(None):
            first = _first(initializer, tuple(shape), dtype)
            made = Weight(first, trainable=False, name=name)
        self.variables.append(made)
        return made


def _kept(variable: Any, value: Any, name: str) -> Any:
    """Return a weight that lies where a variable does; in a graph a variable of its kind."""
    if isinstance(variable, GraphVariable):
        return variable.beside(value, name)
    with interpreted_by(None), device(variable.device):
        return Weight(value, trainable=False, name=name)


def _first(initializer: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return the array that a variable begins with: that of a tensor, or what a function makes."""
    with interpreted_by(None):
        if isinstance(initializer, Operand):
            return np.array(initializer.__tensor__())
        made = initializers.get(initializer)(shape, dtype=dtype)
        return np.array(made)


class Replaced(Core):
    """An optimizer whose update is written with functions of tensors rather than as an operator."""

    shared: tuple[Any, ...] = ()
    """Variables that are not one beside each weight, behind those that are."""

    def rule(self) -> Any:
        """Raise NotImplementedError: there is no operator for the update."""
        raise NotImplementedError("this optimizer updates by itself")

    def step(
        self,
        variable: Any,
        g: Gradient,
        rate: Any,
        step: Any,
        slots: dict[str, Any],
    ) -> None:
        """Update a variable and its slots."""
        raise NotImplementedError("an update is written by each optimizer")

    def _update(self, variable: Any, g: Any, rate: Any, step: Any) -> Any:
        given = Gradient(g, variable.dtype)
        number = tl.astype(rate, variable.dtype)
        slots = self._slots_of(variable)
        return written(lambda: self.step(variable, given, number, step, slots))


def written(update: Callable[[], Any]) -> list[Node]:
    """Update, and return the nodes that a session has to run for it; none without a graph."""
    here = building()
    begun = 0 if here is None else len(here.graph.nodes)
    update()
    return [] if here is None else writes(here.graph.nodes[begun:])


def writes(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that a session has to run so that variables change."""
    return [node for node in nodes if node.op.effect is Effect.WRITE]


class Stepping(Replaced):
    """An optimizer of a program's own, by whose method variables are updated."""

    def __init__(self, rate: Any, owner: Any) -> None:
        super().__init__(rate)
        self._owner = owner

    def update(self, pairs: Iterable[Any]) -> Any:
        """Update variables; the steps are counted behind it, as Keras does."""
        rate = self._rate(self.iterations.value() + 1)
        for g, variable in pairs:
            dense = tl.astype(tl.densify(g), variable.dtype)
            self._owner.update_step(dense, variable, tl.astype(rate, variable.dtype))
        self.iterations.assign_add(np.asarray(1, np.int64))


def not_overwritten(given: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return gradients and variables, without variables that are to take the gradient's value.

    These take it.
    """
    rest = []
    for gradient, variable in given:
        if (
            getattr(variable, "overwrite_with_gradient", False)
            and gradient is not None
        ):
            variable.assign(gradient)
        else:
            rest.append((gradient, variable))
    return rest
