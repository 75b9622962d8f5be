"""Optimizer: Keras' names over the optimizers of tensorlite/train, which do the updates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.framework import GradientTape
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere, apart, building
from tensorlite.compat.v2.keras.src.optimizers import clipping, rows, slots
from tensorlite.compat.v2.keras.src.optimizers.clipping import CLIPPING
from tensorlite.compat.v2.keras.src.optimizers.decaying import WeightDecay
from tensorlite.compat.v2.keras.src.optimizers.gathering import Averages, Gathered
from tensorlite.compat.v2.keras.src.optimizers.in_graph_state import (
    KeptInGraph,
    graph_behind,
)
from tensorlite.compat.v2.keras.src.optimizers.own_updates import (
    OwnState,
    Stepping,
    not_overwritten,
)
from tensorlite.compat.v2.keras.src.optimizers.rates import (
    Decaying,
    as_rate,
    settable,
)
from tensorlite.compat.v2.keras.src.optimizers.written import Written
from tensorlite.compat.v2.keras.src.saving import describing, lookup, saved_ways
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.strategies.turns import jointly
from tensorlite.graph_mode.graph import at_once
from tensorlite.train.module import Module
from tensorlite.train.optimizers import Optimizer as Core

_UNUSED = (*("jit_compile", "use_locking", "is_legacy_optimizer"),)


_UNASKED = {
    **dict.fromkeys(("weight_decay", *CLIPPING)),
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
    "loss_scale_factor": None,
    "gradient_accumulation_steps": None,
}
"""What Keras 3 says in a configuration of what was not asked for."""
_BESIDE = (
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "gradient_accumulation_steps",
)
"""What is asked for of averages and of gradients that are gathered."""


class Optimizer(Written, KeptInGraph, Module):
    """Applies gradients to variables."""

    awaiting: tuple[Any, ...] = ()
    """Restores of checkpoints that have something for what will be built."""
    are_clipped = False
    """Whether the gradients that are applied have been clipped."""
    by_rows = False
    """Whether rows that a gradient leaves out stay as they are; else momentum moves them on."""

    def __init__(
        self, learning_rate: Any = 0.001, name: str | None = None, **options: Any
    ) -> None:
        if isinstance(learning_rate, str):  # Keras 2 has the name first
            learning_rate, name = options.pop("learning_rate", 0.001), learning_rate
        self.name = name or naming.of_optimizer(type(self).__name__)
        learning_rate = self._given_rate = options.pop("lr", learning_rate)
        self.clipnorm = options.pop("clipnorm", None)
        self.clipvalue = options.pop("clipvalue", None)
        self.global_clipnorm = options.pop("global_clipnorm", None)
        clipping.check(self)
        self._decay = WeightDecay(options.pop("weight_decay", None))
        decay = options.pop("decay", None)
        for unused in _UNUSED:
            options.pop(unused, None)
        self.loss_scale_factor = options.pop("loss_scale_factor", None)
        for asked in _BESIDE:
            setattr(self, asked, options.get(asked, _UNASKED[asked]))
        self._averages = _averages(options)
        steps = options.pop("gradient_accumulation_steps", None)
        self._gathered = None if steps is None else Gathered(steps)
        if options:
            raise InvalidArgumentError(
                f"{type(self).__name__} has no argument {', '.join(sorted(options))}"
            )
        if decay and not callable(learning_rate):
            learning_rate = Decaying(learning_rate, decay)
        with interpreted_by(None):
            self._rate: Any = as_rate(learning_rate)
            self._core = self.core(self._rate)
            self._entitle()
        self._core.rows_alone = self.by_rows
        self._own: OwnState = OwnState(self.name)
        self.built = False

    def _entitle(self) -> None:
        """Give the count of steps and the rate the names that Keras has for them."""
        zero = np.asarray(0, np.int64)
        title = "iteration" if naming.is_keras_3() else "iter"
        named = Weight(zero, trainable=False, name=f"{self.name}/{title}")
        self._core.iterations = named
        if isinstance(self._rate, Weight):
            self._rate.name = f"{self.name}/learning_rate"

    def core(self, rate: Any) -> Core:
        """Return what does the updates: those of a program's own class are its update_step."""
        return Stepping(rate, self)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable by its gradient."""
        raise NotImplementedError(
            f"{type(self).__name__}: a class of optimizers has a method update_step"
        )

    def add_variable_from_reference(
        self,
        reference_variable: Any,
        name: str = "variable",
        initializer: Any = "zeros",
    ) -> Any:
        """Return a variable like another, which is kept with the optimizer."""
        return self._own.beside(reference_variable, name, initializer)

    def add_optimizer_variables(
        self, trainable_variables: Any, name: Any, initializer: Any = "zeros"
    ) -> Any:
        """Return a variable of a name beside each trainable one, in its shape.

        For several names there is a tuple of such lists.
        """
        if isinstance(name, str):
            return [
                self._own.beside(v, name, initializer) for v in trainable_variables
            ]
        return tuple(
            self.add_optimizer_variables(trainable_variables, one, initializer)
            for one in name
        )

    def _get_variable_index(self, variable: Any) -> int:
        return self._own.index(variable)

    def assign(self, variable: Any, value: Any) -> None:
        """Give a variable a value."""
        variable.assign(value)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add a value to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract a value from a variable."""
        variable.assign_sub(value)

    @property
    def learning_rate(self) -> Any:
        """The rate; of a schedule what it is now."""
        held = settable(self._rate)
        return self._rate(self.iterations.value()) if held is None else held

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        """Set the rate, a number or a schedule.

        TypeError is raised for a number where a schedule was given at first.
        """
        held = settable(self._rate)
        if held is None and not callable(value):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. "
                "If you need the learning rate to be settable, you should instantiate the "
                "optimizer with a float `learning_rate` argument."
            )
        if held is not None and not callable(value):
            with at_once():
                held.assign(np.asarray(float(value), np.float32))
            return
        self._rate = self._core.learning_rate = as_rate(value)

    lr = learning_rate

    @property
    def iterations(self) -> Any:
        """The number of steps that were made, a variable of int64."""
        return self._core.iterations

    @property
    def variables(self) -> Any:
        """The number of steps, the rate and all that is kept beside weights."""
        return slots.Variables(self._all_variables())

    def _all_variables(self) -> list[Any]:
        held = settable(self._rate)
        rate = [] if held is None else [held]
        kept = [x for one in self._kept() for x in one.variables]
        beside = [*slots.listed(self._core), *self._own.variables]
        return [self._counted, *rate, *kept, *beside]

    @property
    def _counted(self) -> Any:
        """The variable that is saved as the number of steps: where they are gathered, of all."""
        held = self._gathered
        return self._core.iterations if held is None else held.seen

    def _kept(self) -> list[Any]:
        return [held for held in (self._averages, self._gathered) if held is not None]

    @property
    def weights(self) -> Any:
        """What `variables` has."""
        return self.variables

    def get_weights(self) -> list[Any]:
        """Return the variables as arrays."""
        return [np.array(x.numpy()) for x in self.variables]

    def set_weights(self, weights: Any) -> None:
        """Give the variables the values of arrays."""
        with at_once():
            for variable, value in zip(self.variables, weights, strict=True):
                variable.assign(np.asarray(value, variable.dtype.numpy))

    def build(self, var_list: Any) -> None:
        self.built = True
        self._own.number(var_list)
        self.begin(var_list)
        graph = graph_behind(var_list)
        if graph is not None:
            self._move_into(graph)
        else:
            slots.entitle(self._core, self.name)
        for held in self._kept():
            held.build(list(var_list), self.name)
        for restore in self.awaiting:
            restore.again()

    @property
    def averages(self) -> Averages | None:
        """The averages of what it trains, if `use_ema` asked for them."""
        return self._averages

    def finalize_variable_values(self, var_list: Any) -> None:
        """Give variables their moving averages, if such are kept."""
        if self._averages is not None:
            self._averages.finalize(list(var_list))

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss times loss_scale_factor, or as it is without one."""
        return (
            loss if self.loss_scale_factor is None else loss * self.loss_scale_factor
        )

    @anywhere
    def get_gradients(self, loss: Any, params: Any) -> Any:
        """Return a loss' derivatives by params, in a graph or a traced function."""
        return clipping.clipped(self, tl.gradients(loss, params))

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """Return what takes a step in a graph."""
        given = self.get_gradients(loss, params)
        with clipping.done(self):
            return [self.apply_gradients(list(zip(given, params, strict=True)))]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Make one step by pairs (gradient, variable).

        name, skip_gradients_aggregation and further arguments have no effect.
        """
        return self._apply_pairs(list(grads_and_vars))

    @anywhere
    def _apply_pairs(self, given: list[tuple[Any, Any]]) -> Any:
        given = not_overwritten(given)
        pairs = [(g, v) for g, v in given if g is not None]
        if not given:  # a model without weights
            return self.iterations
        if not pairs:
            raise InvalidArgumentError(
                "No gradients provided for any variable; does the loss depend on them, and was it "
                "computed inside the tape?"
            )
        gradients, variables = [g for g, _ in pairs], [v for _, v in pairs]
        if self.loss_scale_factor is not None:
            scale = self.loss_scale_factor
            gradients = [rows.each(lambda x: x / scale, g) for g in gradients]
        if self._gathered is None and not self.are_clipped:
            gradients = clipping.clipped(self, gradients)
        return jointly(self._updated, list(zip(gradients, variables, strict=True)))

    def _updated(self, pairs: list[tuple[Any, Any]]) -> Any:
        """Make a step by gradients that are ready, in a replica by the sums of all replicas'."""
        gradients, variables = [g for g, _ in pairs], [v for _, v in pairs]
        if not self.built or not self._own.knows(variables):
            self.build(variables)
        for held in self._kept():
            held.build(variables, self.name)
        applied = None
        if self._gathered is None:
            applied = self._applied(gradients, variables)
        else:
            self._gather(self._gathered, gradients, variables)
        if self._averages is not None:
            self._averages.update(self._step_now())
        for variable in variables:
            constraint = getattr(variable, "constraint", None)
            if constraint is not None:
                variable.assign(constraint(variable.value()))
        return self.iterations if building.get() is None else applied

    def _taken(self, gradient: Any) -> Any:
        """Return a gradient as updates take it: its rows, of which some may be named twice."""
        return gradient

    def _applied(self, gradients: list[Any], variables: list[Any]) -> Any:
        taken = [self._taken(g) for g in gradients]
        self._decay.take(variables, self._rate_of_next_step())
        if self.is_written():
            return self.applied_as_written(taken, variables)
        return self._core.apply_gradients(list(zip(taken, variables, strict=True)))

    def _gather(
        self, gathered: Gathered, gradients: list[Any], variables: list[Any]
    ) -> None:
        """Apply the mean of the gradients of several steps at the last of them."""
        self._core.build(variables)
        totals = gathered.added(gradients, variables)

        def due() -> Any:
            done = tl.floor_divide(gathered.seen.value(), gathered.count) - 1
            self._core.iterations.assign(done)  # which a file may not have
            means = [total / float(gathered.count) for total in totals]
            self._applied(clipping.clipped(self, means), variables)
            gathered.forget()
            return tl.asarray(0)

        def not_yet() -> Any:
            gathered.keep(totals, variables)
            return tl.asarray(0)

        gathered.seen.assign_add(np.asarray(1, np.int64))
        rest = tl.remainder(gathered.seen.value(), gathered.count)
        tl.cond(tl.equal(rest, 0), due, not_yet)

    def _step_now(self) -> Any:
        """Return the number of the step that was just done, or is being gathered for."""
        if self._gathered is None:
            return self.iterations.value()
        return (
            tl.floor_divide(self._gathered.seen.value() - 1, self._gathered.count) + 1
        )

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Make one step by gradients of the variables, or of those it was built with.

        InvalidArgumentError is raised without variables before `build`.
        """
        if trainable_variables is None:
            trainable_variables = self._own.numbered
            if not self.built:
                raise InvalidArgumentError(
                    "When passing `grads` without `variables`, the optimizer must already be "
                    "built on a list of variables. Call `optimizer.build(trainable_variables)` "
                    "first."
                )
        return self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def _rate_of_next_step(self) -> Any:
        return self._core._rate(self.iterations.value() + 1)  # noqa: SLF001  as it will be used

    @property
    def weight_decay(self) -> float | None:
        """The share of the learning rate that weights lose at each step."""
        return self.named_numbers.get("weight_decay", self._decay.share)

    @weight_decay.setter
    def weight_decay(self, share: float | None) -> None:
        """Set the share of the learning rate that weights lose at each step."""
        self._decay.share = share

    def exclude_from_weight_decay(
        self, var_list: Any = None, var_names: Any = None
    ) -> None:
        """Let variables keep their size, or those in whose names one of some patterns is found."""
        self._decay.exclude(var_list, var_names, self.built)

    def compute_gradients(
        self, loss: Any, var_list: Any, tape: Any = None
    ) -> list[tuple[Any, Any]]:
        """Return pairs (gradient, variable) of a loss: a function, or a tensor of tape.

        InvalidArgumentError is raised for a tensor without a tape.
        """
        if callable(loss):
            with GradientTape() as own:
                if not callable(var_list):
                    own.watch([v for v in nest.flatten(var_list) if v.trainable])
                loss = loss()
            tape = own
        elif tape is None:
            raise InvalidArgumentError(
                "`tape` is required when a `Tensor` loss is passed. Received: loss="
                f"{loss}, tape={tape}."
            )
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        with tape:
            total = tl.sum(loss) if nest.is_nested(loss) is False else loss
        return list(zip(tape.gradient(total, variables), variables, strict=True))

    def minimize(
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: Any = None,
    ) -> Any:
        """Make one step that lessens a loss: a function, or a tensor of tape.

        grad_loss and name have no effect.
        """
        return self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def saved_members(self) -> dict[str, Any]:
        """Return what is saved beside the slots, by the names that Keras saves it under."""
        found: dict[str, Any] = {"iter": self._counted}
        rate = settable(self._rate)
        if rate is not None:
            found["learning_rate"] = rate
        held = self._all_variables()
        return found | saved_ways.of_optimizer(self._counted, rate, held)

    def saved_slots(self) -> list[tuple[Any, str, Any]]:
        """Return every slot with its variable, by the names that Keras saves it under."""
        return [
            (variable, slots.SLOTS.get((type(self._core).__name__, name), name), slot)
            for variable, of_variable in self._core.slots_beside()
            for name, slot in of_variable.items()
        ] + self.slots_written()

    @apart
    def get_config(self) -> dict[str, Any]:
        held = settable(self._rate)
        rate = self._rate if held is None else float(held.numpy())
        kept = {
            key: getattr(self, key)
            for key in ("weight_decay", *CLIPPING, "loss_scale_factor")
        }
        for one in self._kept():
            kept.update(one.described())
        if naming.is_keras_3():
            kept = {**_UNASKED, **kept}
        else:
            kept = {key: x for key, x in kept.items() if x is not None}
        if isinstance(self._rate, Decaying):
            kept["decay"] = self._rate.share
        if not self.is_from_scratch():
            kept = {"learning_rate": describing.described(rate), **kept}
        return {
            "name": self.name,
            **kept,
            **self.numbers(),
        }

    def numbers(self) -> dict[str, Any]:
        """Return the hyperparameters of the update."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        rate = describing.restored(config.get("learning_rate", 0.001))
        own = {"learning_rate": rate} if "learning_rate" in config else {}
        return cls(**lookup.fitting(cls, config) | own)


def _averages(options: dict[str, Any]) -> Averages | None:
    """Return the averages of weights that are asked for; take the arguments out."""
    momentum = options.pop("ema_momentum", 0.99)
    every = options.pop("ema_overwrite_frequency", None)
    return Averages(momentum, every) if options.pop("use_ema", False) else None
