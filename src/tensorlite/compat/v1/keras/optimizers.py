"""tf.keras.optimizers of version 1: rows are added up; RMSprop and Nadam compute otherwise."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import optimizers
from tensorlite.compat.v2.keras.src.optimizers import before_keras_3
from tensorlite.compat.v2.keras.src.optimizers.before_keras_3 import CLASSES
from tensorlite.compat.v2.keras.src.optimizers.classes import Ahead
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced
from tensorlite.compat.v2.keras.src.optimizers.rows import Gradient
from tensorlite.core.errors import InvalidArgumentError


class _OfRoots(Replaced):
    """Steps divided by the root of a mean of squares, to which epsilon is added."""

    slots = ("rms",)

    def __init__(self, rate: Any, rho: float, epsilon: float) -> None:
        super().__init__(rate)
        self.rho, self.epsilon = rho, epsilon

    def step(
        self, variable: Any, g: Gradient, rate: Any, step: Any, slots: dict[str, Any]
    ) -> None:
        held = slots["rms"]
        mean = held.value() * self.rho + g.whole * g.whole * (1.0 - self.rho)
        held.assign(mean)
        variable.assign_sub(rate * g.whole / (tl.sqrt(mean) + self.epsilon))


class RMSprop(before_keras_3.RMSprop):
    """Steps divided by the root of a mean of squares."""

    def core(self, rate: Any) -> Any:
        if self.momentum or self.centered:
            return super().core(rate)
        return _OfRoots(rate, self.rho, self.epsilon)


class Nadam(before_keras_3.Nadam):
    """Adam with Nesterov's momentum."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str | None = None,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        if isinstance(learning_rate, optimizers.schedules.LearningRateSchedule):
            raise InvalidArgumentError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules "
                "as the learning rate."
            )
        self.schedule_decay = schedule_decay
        kwargs.pop("decay", None)  # which is schedule_decay's place
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)

    def core(self, rate: Any) -> Any:
        numbers = self.beta_1, self.beta_2, self.epsilon
        return Ahead(rate, *numbers, self.schedule_decay)

    @property
    def _initial_decay(self) -> Any:
        return self.schedule_decay

    def get_config(self) -> dict[str, Any]:
        """Return the arguments to make it anew; how momentum grows is called decay."""
        return {**super().get_config(), "decay": self.schedule_decay}


class Ftrl(before_keras_3.Ftrl):
    """The regularized leader, to which lr says nothing, as TensorFlow has it."""

    def __init__(self, learning_rate: Any = 0.001, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("lr", None)
        super().__init__(learning_rate, *args, **kwargs)


SGD, Adadelta, Adagrad = (CLASSES[x] for x in ("SGD", "Adadelta", "Adagrad"))
Adam, Adamax = (CLASSES[x] for x in ("Adam", "Adamax"))
DIFFERENT = {**CLASSES, "RMSprop": RMSprop, "Nadam": Nadam, "Ftrl": Ftrl}
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(optimizers))
__getattr__ = rest_of(optimizers, __name__, globals())
