"""Optimizers as Keras had them before its version 3: rows that are named twice count as their sum.

Here stands too what these tell of themselves, and are made of. Keras 3 computes with such rows
apart; how it does stands in rows.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.schedules import LearningRateSchedule
from tensorlite.compat.v2.keras.src.optimizers import classes, slots
from tensorlite.compat.v2.keras.src.optimizers.rates import Decaying
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.errors import InvalidArgumentError


class Summing:
    """An optimizer that adds up the rows of a gradient before it computes with them."""

    _core: Any
    _own: Any
    _rate: Any
    _given_rate: Any
    built: bool
    name: str
    may_lack_count = False
    """Whether weights are taken that have no number of steps in front, as Keras 1 saved them."""

    @property
    def variables(self) -> Any:
        """The number of steps, then a slot of all variables, then the next one."""
        shared = getattr(self._core, "shared", ())
        beside = [slot for _, _, slot in slots.in_turn(self._core)]
        own = self._own.variables
        return slots.Variables([self._core.iterations, *shared, *beside, *own])

    def _taken(self, gradient: Any) -> Any:
        return tl.densify(gradient)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments to make it anew, how its rate falls among them."""
        config: dict[str, Any] = super().get_config()  # type: ignore[misc]
        rate = self._rate
        if isinstance(rate, LearningRateSchedule) and not isinstance(rate, Decaying):
            config["learning_rate"] = lookup.serialized(rate)
        elif not self.built and config.get("learning_rate") is not None:
            config["learning_rate"] = self._as_given(config["learning_rate"])
        return {"decay": 0.0, **config}

    def _as_given(self, rate: Any) -> Any:
        """Return the rate that was given as a number, before its variable rounds it."""
        given = self._given_rate
        same = isinstance(given, (int, float)) and np.float32(given) == rate
        return given if same else rate

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Return an optimizer of a configuration, in which the rate may be called lr."""
        named = {"learning_rate" if k == "lr" else k: x for k, x in config.items()}
        return super().from_config(named, custom_objects)  # type: ignore[misc]

    def set_weights(self, weights: Any) -> None:
        """Give the variables the values of arrays; older optimizers had fewer or more of them."""
        count, given = len(self.variables), list(weights)
        if self.may_lack_count and len(given) == count - 1:
            given = [np.asarray(0), *given]
        if len(given) != count:
            raise InvalidArgumentError(
                f"You called `set_weights(weights)` on optimizer {self.name} with a  weight list "
                f"of length {len(given)}, but the optimizer was expecting {count} weights. "
                f"Provided weights: {str(weights)[:50]}..."
            )
        super().set_weights(given)  # type: ignore[misc]


class SGD(Summing, classes.SGD):
    """Subtracts the rate times the gradient, with momentum if it is asked for."""


class Adadelta(Summing, classes.Adadelta):
    """Makes steps as large as those before by the gradients' sizes (Zeiler, 2012)."""

    may_lack_count = True


class Adagrad(Summing, classes.Adagrad):
    """Divides gradients by the root of the sum of their squares (Duchi et al., 2011)."""

    may_lack_count = True

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Return an optimizer of a configuration; sums begin at 0 unless it says otherwise."""
        started = {"initial_accumulator_value": 0.0, **config}
        return super().from_config(started, custom_objects)


class Adam(Summing, classes.Adam):
    """Divides means of gradients by roots of means of squares (Kingma and Ba, 2014)."""

    def set_weights(self, weights: Any) -> None:
        """Give the variables the values of arrays, of which Keras 1 had greatest squares too."""
        count = len(self.variables)
        is_of_keras_1 = len(weights) == 3 * ((count - 1) // 2) + 1
        super().set_weights(weights[:count] if is_of_keras_1 else weights)


class Adamax(Summing, classes.Adamax):
    """Adam by the greatest gradients in place of their squares (Kingma and Ba, 2014)."""


class Ftrl(Summing, classes.Ftrl):
    """Follows the regularized leader, which makes many weights 0 (McMahan et al., 2013)."""

    def numbers(self) -> dict[str, Any]:
        """Return the hyperparameters of the update, among which there is no beta yet."""
        return {key: x for key, x in super().numbers().items() if key != "beta"}


class Nadam(Summing, classes.Nadam):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    def _entitle(self) -> None:
        super()._entitle()
        self._core.product.name = f"{self.name}/momentum_cache"


class RMSprop(Summing, classes.RMSprop):
    """Divides gradients by the root of the mean of their squares (Hinton, 2012)."""

    may_lack_count = True


CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (SGD, Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, RMSprop)
}
