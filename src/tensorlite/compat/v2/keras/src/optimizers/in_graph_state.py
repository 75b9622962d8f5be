"""What optimizers keep, as variables of the graph whose variables they change.

Savers find them by the names that TensorFlow 1 has for them: `Adam/iter`, `Adam/dense/kernel/m`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import initializers
from tensorlite.compat.v2.keras.src.models import in_sessions
from tensorlite.compat.v2.keras.src.models.in_graphs import building
from tensorlite.compat.v2.keras.src.optimizers import slots
from tensorlite.compat.v2.keras.src.optimizers.decaying import WeightDecay
from tensorlite.compat.v2.keras.src.optimizers.rates import Decaying, settable
from tensorlite.core.dispatch import interpreted_by
from tensorlite.graph_mode.graph import Graph, at_once, name_scope
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer as Core

TRAINING = ("training",)
"""The scope of names in which models train."""
NUMBERS = {
    "beta_1": "beta1",
    "beta_2": "beta2",
    "l1_regularization_strength": "l1",
    "l2_regularization_strength": "l2",
    "learning_rate_power": "power",
    "momentum": "momentum",
    "rho": "rho",
}
"""The hyperparameters that are variables, and which attribute of an optimizer each is."""


def graph_behind(variables: Iterable[Any]) -> Graph | None:
    """Return the graph that variables are of, None for those that are of none."""
    found = (x.graph for x in variables if isinstance(x, GraphVariable))
    return next(found, None)


class InGraph:
    """The variables that an optimizer keeps in a graph, below its name there."""

    def __init__(
        self, graph: Graph, owner: str, around: tuple[str, ...] = ()
    ) -> None:
        self.graph, self._scopes = graph, (*around, owner)
        self.numbers: dict[str, Any] = {}
        """The hyperparameters by their names."""

    def take_numbers(self, core: Core, rate: Any, told: dict[str, Any]) -> Any:
        """Let an optimizer count its steps and have its numbers here; return the rate.

        They are those that it is `told` by their names. A rate that falls begins with a variable.
        """
        falls = isinstance(rate, Decaying)
        here: dict[str, Any] = {"decay": rate.share if falls else 0.0}
        here |= {name: x for name, x in told.items() if name in NUMBERS}
        with self._building() as prefix:
            self._scopes = (prefix,)  # which is unlike those of other optimizers
            core.iterations = self._made("iter", core.iterations)
            if settable(rate) is not None:
                here["learning_rate"] = _number(settable(rate))
            for name in sorted(here):
                self.numbers[name] = self._made(name, here[name])
        for name, variable in self.numbers.items():
            if vars(core).get(NUMBERS.get(name, "")):
                setattr(core, NUMBERS[name], variable)
        if falls:
            rate.initial_learning_rate = self.numbers["learning_rate"]
            rate.decay_rate = self.numbers["decay"]
            return rate
        return self.numbers.get("learning_rate", rate)

    def take_slots(self, core: Core) -> None:
        """Let an optimizer have here what it keeps beside the graph's variables."""
        with self._building():
            shared = getattr(core, "shared", ())
            if shared and not isinstance(shared[0], GraphVariable):
                made = [self._made("momentum_cache", x) for x in shared]  # Nadam's
                setattr(core, "shared", tuple(made))  # noqa: B010  not all have it
            for variable, title, slot in slots.in_turn(core):
                own = getattr(variable, "bare_name", None)
                if own is not None and not isinstance(slot, GraphVariable):
                    core.replace_slot(
                        variable, slot, self._made(f"{own}/{title}", slot)
                    )

    @contextmanager
    def _building(self) -> Iterator[str]:
        """Build the graph inside, below the optimizer's name; yields that name."""
        with ExitStack() as stack:
            stack.enter_context(in_sessions.in_graph_of_models(self.graph))
            stack.enter_context(self.graph.building())
            prefixes = [stack.enter_context(name_scope(x)) for x in self._scopes]
            yield prefixes[-1]

    def _made(self, name: str, value: Any) -> Any:
        """Return a variable that begins with a number, or with what another variable has now."""
        if not isinstance(value, Variable):
            number = np.asarray(value, np.float32)
            return in_sessions.SessionWeight(number, name=name, trainable=False)
        is_sum = name.endswith("/accumulator")  # whose first value programs choose
        first, dtype = _beginning(_number(value), is_sum), value.dtype
        return in_sessions.SessionWeight(
            first, name=name, trainable=False, dtype=dtype
        )


def _number(variable: Any) -> np.ndarray:
    """Return the value of a variable that is none of a graph's."""
    with interpreted_by(None), at_once():
        return np.asarray(variable.numpy())


def _beginning(held: np.ndarray, is_chosen: bool) -> Any:
    """Return what gives a variable the values of an array, which is of one number mostly."""
    one = held.flat[0] if held.size else held.dtype.type(0)
    if not (held == one).all():
        return held
    known = {} if is_chosen else {0: initializers.Zeros(), 1: initializers.Ones()}
    make = known.get(one) or initializers.Constant(one)
    return partial(make, held.shape, dtype=held.dtype.name)


class KeptInGraph:
    """The part of an optimizer that keeps its state in the graph whose variables it changes."""

    name: str
    built: bool
    numbers: Any
    is_written: Any
    is_from_scratch: Any
    loss_scale_factor: Any
    _core: Any
    _own: Any
    _rate: Any
    _decay: WeightDecay
    _kept: Any
    _in_graph: InGraph | None = None
    _scope: str | None = None

    def build(self, var_list: Any) -> None:
        """Make what is kept beside variables; an optimizer says how."""
        raise NotImplementedError("an optimizer makes its state")

    def build_in(self, scope: str, variables: Any) -> None:
        """Make what is kept beside variables of a graph, in a scope of names if nothing is yet."""
        self._scope = scope
        if not self.built or not self._own.knows(variables):
            self.build(variables)

    def _move_into(self, graph: Any) -> None:
        """Keep state where the variables are: as variables of their graph."""
        if self._in_graph is None:
            around = () if building.get() is not None else TRAINING
            self._in_graph = InGraph(graph, self._scope or self.name, around)
            told = self.numbers()
            self._rate = self._in_graph.take_numbers(self._core, self._rate, told)
            self._core.learning_rate = self._rate
        self._in_graph.take_slots(self._core)

    @property
    def numbers_in_graph(self) -> dict[str, Any]:
        """The hyperparameters in its graph, by their names."""
        return {} if self._in_graph is None else self._in_graph.numbers

    @property
    def rate_in_graph(self) -> Any:
        """The learning rate: a variable, or a schedule of steps."""
        return self._rate

    @property
    def momentum_cache(self) -> Any:
        """The product of momenta that Nadam keeps for all variables."""
        return self._core.shared[0]

    def asks_for_more(self) -> bool:
        """Return whether a program's class updates, or averages or the like are asked for."""
        own = self.is_written() or self.is_from_scratch()
        scaled = self.loss_scale_factor is not None or self._decay.share
        return bool(own or scaled or self._kept())
